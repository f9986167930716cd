/* A pass over all pairs of nodes: is the way through node k shorter? */
kernel void floyd_warshall(global uint *distance, global uint *path, uint nodes, uint pass) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int k = pass;
    int own = distance[y * nodes + x];
    int through = distance[y * nodes + k] + distance[k * nodes + x];
    if (through < own) {
        distance[y * nodes + x] = through;
        path[y * nodes + x] = k;
    }
}
