//@ build-error: const
constant int c[2] = {1, 2}; kernel void k(global int *p) { c[0] = 3; }
