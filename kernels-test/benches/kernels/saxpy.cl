/* y = a x + y: over memory, and again and again over a piece that stays in the first-level cache. */

kernel void saxpy(global const float *x, global float *y, float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

/* Each group owns CHUNK elements of y; all of them read the same CHUNK elements of x. */
#define CHUNK 2048

kernel void saxpy_l1(global const float *x, global float *y, float a, int rounds) {
    global float *own = y + CHUNK * get_group_id(0);
    for (int round = 0; round < rounds; round++)
        for (size_t i = get_local_id(0); i < CHUNK; i += get_local_size(0)) own[i] = a * x[i] + own[i];
}
