/* Lennard-Jones forces over lists of neighbours. */
kernel void md(global float4 *force, global const float4 *position, int neighbours, global const int *list, float cutsq,
               float lj1, float lj2, int atoms) {
    uint idx = get_global_id(0);
    float4 own = position[idx];
    float4 f = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    int j = 0;
    while (j < neighbours) {
        int other = list[j * atoms + idx];
        float4 pos = position[other];
        float dx = own.x - pos.x;
        float dy = own.y - pos.y;
        float dz = own.z - pos.z;
        float r2inv = dx * dx + dy * dy + dz * dz;
        if (r2inv < cutsq) {
            r2inv = 1.0f / r2inv;
            float r6inv = r2inv * r2inv * r2inv;
            float strength = r2inv * r6inv * (lj1 * r6inv - lj2);
            f.x += dx * strength;
            f.y += dy * strength;
            f.z += dz * strength;
        }
        j++;
    }
    force[idx] = f;
}
