// Vectors in memory: loads through pointers, components by address, arrays of vectors in local memory.
//@ kernel: k
//@ global: 2
//@ local: 2
//@ in: float = 1 2 3 4 5 6 7 8
//@ out: float = 4 6 8 10 5 6 7 8
//@ inout: int = 1 2 3 4 5 6 7 8 -> 1 2 33 4 5 6 77 8
kernel void k(global const float4 *in, global float4 *out, global int4 *ints)
{
    local float4 shared[2];
    size_t i = get_global_id(0);
    shared[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i ? in[1] : shared[1 - i] + (float4)(-1, 0, 1, 2);
    ints[i].z *= 11;
}
