// OpenCL 1.x atomics on global and local memory; the old value comes back.
//@ kernel: olds
//@ out: int = 10 15 12 20 21 5 9 4 6 -7 100
//@ inout: int = 10 -> 50
//@ inout: uint = 5 9 3 4 12 10 6 -> 9 4 2 6 8 14 12
//@ kernel: count
//@ global: 64
//@ local: 16
//@ inout: int = 0 0 0 0 -> 64 2016 63 0
//@ out: int = 16 16 16 16
//@ kernel: floats
//@ inout: float = 1.5 -> 2.5
//@ out: float = 1.5
//@ kernel: old_names
//@ inout: int = 5 -> 7
//@ out: int = 5 6 9
kernel void olds(global int *out, global int *a, global uint *u)
{
    out[0] = atomic_add(a, 5);
    out[1] = atomic_sub(a, 3);
    out[2] = atomic_xchg(a, 20);
    out[3] = atomic_inc(a);
    out[4] = atomic_dec(a);
    atomic_cmpxchg(a, 1, 999);
    atomic_cmpxchg(a, 20, 50);
    out[5] = atomic_max(&u[0], 9u);
    out[6] = atomic_min(&u[1], 4u);
    atomic_and(&u[2], 2u);
    out[7] = atomic_or(&u[3], 2u);
    atomic_xor(&u[4], 4u);
    atomic_or(&u[5], 4u);
    out[8] = atomic_add(&u[6], 6u);
    private int signed_max = -7;
    local int l;
    l = -7;
    out[9] = atomic_max(&l, 100);
    out[10] = atomic_min(&l, -8);
}
kernel void count(global int *a, global int *out)
{
    local int n;
    int g = get_global_id(0);
    if (get_local_id(0) == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
    atomic_inc(&a[0]);
    atomic_add(&a[1], g);
    atomic_max(&a[2], g);
    atomic_min(&a[3], g);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[get_group_id(0)] = n;
}
kernel void floats(global float *f, global float *out) { out[0] = atomic_xchg(f, 2.5f); }
kernel void old_names(global int *a, global int *out)
{
    out[0] = atom_inc(a);
    out[1] = atom_add(a, 3);
    out[2] = atom_cmpxchg(a, 9, 7);
}
