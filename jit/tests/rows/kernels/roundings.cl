// local: 8 16
// groups: 2
// T: float double half
// M: rtz rtp rtn rte
#define JOIN(a, b) a##b
#define CONVERT(t, m) JOIN(convert_##t##_, m)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const T *x, global int *y, global float *z, global uchar *b) {
    size_t i = get_global_id(0);
    y[i] = CONVERT(int, M)(x[i] * 3);
    z[i] = CONVERT(float, M)((double)x[i] / 3);
    b[i] = convert_uchar_sat(x[i]);
}
