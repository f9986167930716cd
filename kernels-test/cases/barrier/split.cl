// Split barriers: work-items arrive, do what needs nobody else, and wait; also in a loop.
//@ options: -cl-std=CL3.0
//@ kernel: blur
//@ global: 8
//@ local: 4
//@ in: int = 1 2 3 4 5 6 7 8
//@ out: int = 16 24 36 44 64 72 84 92
//@ kernel: rounds
//@ global: 8
//@ local: 8
//@ inout: int = 1 1 1 1 1 1 1 1 -> 1 2 3 4 5 6 7 8
#ifndef cl_intel_split_work_group_barrier
#error "this belongs to every version"
#endif

kernel void blur(global const int *in, global int *out)
{
    local int tile[4];
    const int l = get_local_id(0);
    const int v = in[get_global_id(0)];
    tile[l] = v;
    intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
    const int own = v * 10;
    intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = own + tile[(l + 1) % 4] + tile[(l + 3) % 4];
}

// An inclusive scan by doubling.
kernel void rounds(global int *data)
{
    local int sums[2][8];
    const int l = get_local_id(0);
    int now = 0;
    sums[0][l] = data[l];
    for (int d = 1; d < 8; d *= 2) {
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        const int from = l - d, mine = sums[now][l];
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        sums[1 - now][l] = mine + (from >= 0 ? sums[now][from] : 0);
        now = 1 - now;
    }
    data[l] = sums[now][l];
}
