/* Each group of 256 work-items sorts 512 keys in local memory. */
#define KEYS 512

kernel void bitonic(global const uint *in, global uint *out) {
    local uint keys[KEYS];
    uint l = get_local_id(0);
    size_t base = get_group_id(0) * KEYS;
    keys[l] = in[base + l];
    keys[l + KEYS / 2] = in[base + l + KEYS / 2];
    for (uint run = 2; run <= KEYS; run <<= 1) {
        for (uint gap = run >> 1; gap > 0; gap >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * l - (l & (gap - 1)), high = low + gap;
            uint a = keys[low], b = keys[high];
            bool descending = (low & run) != 0;
            if ((a > b) != descending) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + l] = keys[l];
    out[base + l + KEYS / 2] = keys[l + KEYS / 2];
}
