/* What opening a new centre at a point would gain for each of the others. */
#define DIM 32

typedef struct {
    float weight;
    long assign;
    float cost;
} point;

kernel void streamcluster(global const point *p, global const float *coord, global float *work,
                          global const int *center_table, global char *switches, int num, int dim, long x, int k) {
    local float own[DIM];
    const int id = get_global_id(0);
    const int local_id = get_local_id(0);
    if (id < num) {
        if (local_id == 0)
            for (int i = 0; i < dim; i++) own[i] = coord[i * num + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        float x_cost = 0.0f;
        for (int i = 0; i < dim; i++) x_cost += (coord[(i * num) + id] - own[i]) * (coord[(i * num) + id] - own[i]);
        x_cost = x_cost * p[id].weight;
        float current = p[id].cost;
        int base = id * (k + 1);
        if (x_cost < current) {
            switches[id] = '1';
            work[base + k] = x_cost - current;
        } else {
            int assign = p[id].assign;
            work[base + center_table[assign]] += current - x_cost;
        }
    }
}
