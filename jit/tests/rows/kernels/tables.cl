// local: 8 32 64
// groups: 1
// N: 5 9
// T: uint float ushort
// C: const volatile
kernel void k(global const T *in, global T *out) {
    local T part[64];
    int l = get_local_id(0), n = get_local_size(0);
    C T steps[32] = {0, 1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
    T kept[N];
    for (int i = 0; i < N; i++) kept[i] = in[(i * n + l) % 256] + steps[(l + i) & 31];
    for (int k = 0; k < 3; k++) {
        part[l] = kept[k % N];
        barrier(CLK_LOCAL_MEM_FENCE);
        kept[(3 * k + 1) % N] += part[(l + 1) % n] + steps[l >> k & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    T sum = 0;
    for (int i = 0; i < N; i++) sum = sum * 3 + kept[i];
    out[l] = sum;
}
