// A loop that takes time, a float that is not to be part of an `fma`, a variable whose address goes into memory, and
// memory that others see.
kernel void k(global const float *in, global float *out, volatile global int *flag, int n) {
    for (volatile int i = 0; i < n; i++);
    volatile float product = in[0] * in[1];
    volatile int own = n;
    volatile int *places[2] = {&own, &own};
    out[0] = product + in[2] + *places[n & 1];
    flag[0] += 1;
}
//= no change
