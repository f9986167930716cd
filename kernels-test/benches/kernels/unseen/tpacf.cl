/* Histogram of the angles between all pairs of points, each bin found by bisection. */
#define BINS 20

kernel void tpacf(global const float *x, global const float *y, global const float *z, constant float *limits,
                  global uint *histograms, int points) {
    local uint own[BINS];
    unsigned int tid = get_local_id(0);
    if (tid < BINS) own[tid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_global_id(0);
    if (i < points) {
        float xi = x[i], yi = y[i], zi = z[i];
        for (int k = 0; k < points; k++) {
            float dot = x[k] * xi + y[k] * yi + z[k] * zi;
            unsigned int min = 0, max = BINS;
            while (max > min + 1) {
                unsigned int middle = (min + max) / 2;
                if (dot >= limits[middle]) max = middle;
                else min = middle;
            }
            if (k < i && dot < limits[min] && dot >= limits[max]) atomic_inc(&own[max - 1]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < BINS) histograms[get_group_id(0) * BINS + tid] = own[tid];
}
