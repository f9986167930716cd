/* The nearest of some centres for each point; features are stored column by column. */
kernel void kmeans(global const float *feature, global const float *clusters, global int *membership, int points,
                   int count, int features) {
    unsigned int id = get_global_id(0);
    int index = 0;
    if (id < points) {
        float least = FLT_MAX;
        for (int i = 0; i < count; i++) {
            float dist = 0;
            for (int l = 0; l < features; l++) {
                dist += (feature[l * points + id] - clusters[i * features + l])
                    * (feature[l * points + id] - clusters[i * features + l]);
            }
            if (dist < least) {
                least = dist;
                index = i;
            }
        }
        membership[id] = index;
    }
}
