// Lengths that vectors of work-items do not have, and what is no kernel.
//@ build-error: 'intel_vec_len_hint' attribute takes one of [0, 1, 4, 8, 16]
//@ build-error: 'intel_vec_len_hint' attribute takes one of [0, 1, 4, 8, 16]
__attribute__((intel_vec_len_hint(5))) kernel void five(global int *out) { out[0] = 1; }
__attribute__((intel_vec_len_hint)) kernel void nothing(global int *out) { out[0] = 1; }
