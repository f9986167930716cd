//@ build-error: label
kernel void k(global int *p) { goto out; }
