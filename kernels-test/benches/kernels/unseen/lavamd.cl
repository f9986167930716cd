/* Forces between the particles of neighbouring boxes; a group has a box, and more work-items than particles. */
#define PARTICLES 100
#define THREADS 128
#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

typedef struct {
    float v, x, y, z;
} four;

typedef struct {
    int count;
    int neighbours[27];
} box;

kernel void lavamd(float alpha, int boxes, global const box *box_of, global const four *rv, global const float *qv,
                   global four *fv) {
    local four own[PARTICLES], other[PARTICLES];
    local float charge[PARTICLES];
    int bx = get_group_id(0);
    int tx = get_local_id(0);
    int wtx = tx;
    if (bx < boxes) {
        float a2 = 2 * alpha * alpha;
        int first_i = bx * PARTICLES;
        while (wtx < PARTICLES) {
            own[wtx] = rv[first_i + wtx];
            wtx = wtx + THREADS;
        }
        wtx = tx;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < box_of[bx].count; k++) {
            int first_j = box_of[bx].neighbours[k] * PARTICLES;
            while (wtx < PARTICLES) {
                other[wtx] = rv[first_j + wtx];
                charge[wtx] = qv[first_j + wtx];
                wtx = wtx + THREADS;
            }
            wtx = tx;
            barrier(CLK_LOCAL_MEM_FENCE);
            while (wtx < PARTICLES) {
                for (int j = 0; j < PARTICLES; j++) {
                    float r2 = own[wtx].v + other[j].v - DOT(own[wtx], other[j]);
                    float u2 = a2 * r2;
                    float vij = exp(-u2);
                    float fs = 2 * vij;
                    float dx = own[wtx].x - other[j].x;
                    float dy = own[wtx].y - other[j].y;
                    float dz = own[wtx].z - other[j].z;
                    fv[first_i + wtx].v += charge[j] * vij;
                    fv[first_i + wtx].x += charge[j] * (fs * dx);
                    fv[first_i + wtx].y += charge[j] * (fs * dy);
                    fv[first_i + wtx].z += charge[j] * (fs * dz);
                }
                wtx = wtx + THREADS;
            }
            wtx = tx;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
