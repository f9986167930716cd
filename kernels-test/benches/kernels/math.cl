/* FUNCTION(x, y) is given as an option; functions of one argument leave y out. */
kernel void math(global const float *x, global const float *y, global float *out) {
    size_t i = get_global_id(0);
    out[i] = FUNCTION(x[i], y[i]);
}
