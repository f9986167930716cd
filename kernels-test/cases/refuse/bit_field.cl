//@ build-error: bit
struct s { int a : 3; }; kernel void k(global int *p) { struct s v; p[0] = v.a; }
