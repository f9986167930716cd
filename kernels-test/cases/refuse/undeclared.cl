//@ build-error: get_global_id
kernel void k(global int *p) { p[0] = get_globl_id(0); }
