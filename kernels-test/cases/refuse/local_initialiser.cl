//@ build-error: initializer
kernel void k(global int *p) { local int x = 1; p[0] = x; }
