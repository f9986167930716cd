// local: 32 64 64 32x2
// groups: 1 2
// exact: yes
// N: 0 1 31 64 90 200
// STEP: 64 128 get_global_size(0) get_local_size(0)*2 256 40 1
// I: int uint long size_t
// REST: 0 in[5+x]
// FIRST: get_global_id(0) get_local_id(0) 2*get_local_id(0) get_local_id(0)+get_group_id(0)*get_local_size(0)
kernel void k(global const int *in, global int *out, int n) {
    int x = 0;
    for (I i = FIRST; i < (I)N;) {
        int j = i;
        i += STEP;
        atomic_add(out + 4 * j + get_local_id(1), in[j] + n);
        for (int k = 0; k < (REST & 3); k++) atomic_xor(out + 4 * j + 2, k + n);
    }
}
