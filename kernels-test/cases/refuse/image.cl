//@ build-error: not supported
kernel void k(read_only image2d_t i, global int *p) { p[0] = 1; }
