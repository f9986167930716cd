//@ build-error: size
kernel void k(global char *p) { p[0] = as_char(1.0f); }
