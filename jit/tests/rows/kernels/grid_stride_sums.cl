// local: 32 64
// groups: 1 2
// exact: yes
// N: 70 200
// STEP: 64 get_global_size(0)
// I: int uint size_t
kernel void k(global const int *in, global int *out, int n) {
    for (I i = get_global_id(0); i < (I)N; i += STEP) out[i] = in[i] * 3 + in[i + 1] - n;
}
