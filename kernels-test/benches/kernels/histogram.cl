/* 256 bins; each group counts EACH * 256 values in local memory, then adds its counts to the total. */
#define EACH 32

kernel void histogram(global const uint *values, global uint *bins) {
    local uint own[256];
    uint l = get_local_id(0);
    own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t base = get_group_id(0) * EACH * 256;
    for (uint k = 0; k < EACH; k++) atomic_inc(&own[values[base + k * 256 + l] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], own[l]);
}
