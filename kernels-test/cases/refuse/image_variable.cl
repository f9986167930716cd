//@ build-error: can only be used as a function parameter
kernel void k(read_only image2d_t i, global int *p) { image2d_t other; p[0] = 1; }
