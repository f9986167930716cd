// target: neon
// width: 4
// local: 4 1 1
// Four floats a register; a minimum of OpenCL's is a comparison and a selection.
kernel void k(global float *x, global const float *y) {
    size_t i = get_global_id(0);
    x[i] = fmin(sqrt(x[i]), y[i] / 3) + x[i] * y[i];
}
