/* FUNCTION(x, y) and its type T are given as options; functions of one argument leave y out. */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

kernel void math(global const T *x, global const T *y, global T *out) {
    size_t i = get_global_id(0);
    out[i] = FUNCTION(x[i], y[i]);
}
