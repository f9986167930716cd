//@ build-error: void
kernel int k(global int *p) { return p[0]; }
