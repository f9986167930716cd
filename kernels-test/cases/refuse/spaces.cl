//@ build-error: address space
kernel void k(global int *p) { local int *q = p; q[0] = 1; }
