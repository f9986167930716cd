// width: 8
// local: 1 1 1
// Unsigned steps of 2 may pass the end.
kernel void k(global const float *in, global float *out, uint n) {
    for (uint j = 0; j < n; j += 2) out[j] = in[j] + 1;
}
//= no change
