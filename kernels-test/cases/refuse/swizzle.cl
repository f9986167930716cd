//@ build-error: vector
kernel void k(global float4 *p) { p[0].xx = (float2)(1, 2); }
