// Functions that compilers to SPIR-V leave to those who run the module: their signs are in mangled names alone.
//@ options: -cl-std=CL3.0
//@ kernel: words
//@ inout: int = -3 -3 5 5 5 5 5 -3 0x3f800000 -> 7 -3 6 4 12 9 5 -3 0x40000000
//@ inout: uint = 0xfffffffd 0xfffffffd 5 5 -> 0xfffffffd 7 6 4
//@ out: int = -3 -3 5 5 5 5 5 1
//@ out: uint = 0xfffffffd 0xfffffffd 5 5
//@ kernel: longs
//@ inout: long = -3 -3 5 5 5 5 -> 7 -3 6 4 12 9
//@ inout: ulong = 0xfffffffffffffffd 0xfffffffffffffffd -> 0xfffffffffffffffd 7
//@ out: long = -3 -3 5 5 5 5
//@ kernel: objects
//@ inout: int = -3 -3 9 -> 7 -3 9
//@ inout: uint = 0xfffffffd 0xfffffffd -> 0xfffffffd 7
//@ out: int = -3 -3
//@ out: uint = 0xfffffffd 0xfffffffd
//@ kernel: local_words
//@ global: 40
//@ local: 20
//@ out: int = 20 -9 10 21 40 20 -9 10 21 40
//@ kernel: doubles
//@ in: long = -3 9007199254740993
//@ in: ulong = 0xfffffffffffff801 3
//@ in: char = -1 2 3 4 5 6 7 -8
//@ out: double = -3 9007199254740992 9007199254740994 9007199254740992
//@ out: double = 18446744073709549568 18446744073709551616 18446744073709549568
//@ out: double = -1 255 -1 2 3 4 5 6 7 -8
//@ kernel: halves
//@ in: float = 1.0001 -1.0001 70000
//@ in: int = -2049 2049
//@ out: ushort = 0x3c00 0x3c01 0x3c00 0x3c01 0x3c00 0xbc00 0xbc00 0xbc01 0x7bff 0x7c00 0xe800 0xe801 0xe800
//@ out: ushort = 0x6801 0x6800
//@ kernel: pointers
//@ inout: int = 0 1 2 -> 22 10 5
//@ out: int = 2 1 2
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void words(global int *a, global uint *b, global int *was, global uint *were)
{
    was[0] = atomic_max(a, 7);
    was[1] = atomic_min(a + 1, 7);
    was[2] = atomic_inc(a + 2);
    was[3] = atomic_dec(a + 3);
    was[4] = atomic_add(a + 4, 7);
    was[5] = atomic_cmpxchg(a + 5, 5, 9);
    was[6] = atomic_cmpxchg(a + 6, 6, 9);
    was[7] = (int)atomic_xchg((volatile global float *)a + 8, 2.0f);
    were[0] = atomic_max(b, 7u);
    were[1] = atomic_min(b + 1, 7u);
    were[2] = atomic_inc(b + 2);
    were[3] = atomic_dec(b + 3);
}
kernel void longs(global long *a, global ulong *b, global long *was)
{
    was[0] = atom_max(a, 7L);
    was[1] = atom_min(a + 1, 7L);
    was[2] = atom_inc(a + 2);
    was[3] = atom_dec(a + 3);
    was[4] = atom_add(a + 4, 7L);
    was[5] = atom_xchg(a + 5, 9L);
    atom_max(b, 7UL);
    atom_min(b + 1, 7UL);
}
kernel void objects(global atomic_int *a, global atomic_uint *b, global int *was, global uint *were)
{
    was[0] = atomic_fetch_max(a, 7);
    was[1] = atomic_fetch_min_explicit(a + 1, 7, memory_order_relaxed);
    were[0] = atomic_fetch_max_explicit(b, 7, memory_order_acq_rel, memory_scope_device);
    were[1] = atomic_fetch_min(b + 1, 7);
}
kernel void local_words(global int *out)
{
    local int sums[5];
    int l = get_local_id(0);
    if (l == 0) for (int k = 0; k < 5; k++) sums[k] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&sums[0]);
    atomic_min(&sums[1], 10 - l);
    atomic_max(&sums[2], l - 9);
    if (l & 1) atomic_add(&sums[3], 2); else atomic_dec(&sums[3]);
    atomic_xchg(&sums[4], 40);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 5) out[5 * get_group_id(0) + l] = sums[l] + (l == 3) * 8;
}
kernel void doubles(global const long *a, global const ulong *b, global const char *c, global double *out,
                    global double *most, global double *small)
{
    out[0] = convert_double(a[0]);
    out[1] = convert_double(a[1]);
    out[2] = convert_double_rtp(a[1]);
    out[3] = convert_double_rtz(a[1]);
    most[0] = convert_double_rtn(b[0]);
    most[1] = convert_double_rtp(b[0]);
    most[2] = convert_double_rtz(b[0]);
    small[0] = convert_double_rte(c[0]);
    small[1] = convert_double_rte(as_uchar(c[0]));
    vstore8(convert_double8_rtz(vload8(0, c)), 0, small + 2);
}
kernel void halves(global const float *a, global const int *b, global half *out, global half *pair)
{
    out[0] = convert_half(a[0]);
    out[1] = convert_half_rtp(a[0]);
    out[2] = convert_half_rtn(a[0]);
    out[3] = convert_half_rtp((double)a[0]);
    out[4] = convert_half_rtz((double)a[0]);
    out[5] = convert_half_rte(a[1]);
    out[6] = convert_half_rtp(a[1]);
    out[7] = convert_half_rtn(a[1]);
    out[8] = convert_half_rtz(a[2]);
    out[9] = convert_half_rtp(a[2]);
    out[10] = convert_half(b[0]);
    out[11] = convert_half_rtn(b[0]);
    out[12] = convert_half_rtp(b[0]);
    vstore2(convert_half2_rtp((int2)(b[1], 2048)), 0, pair);
}
kernel void pointers(global int *a, global int *fences)
{
    local int shared;
    int own = 3;
    int *all[] = { a, &shared, &own };
    shared = 10;
    for (int k = 0; k < 3; k++) {
        int *p = all[k];
        if (to_global(p)) *to_global(p) = 22;
        if (to_local(p)) a[1] = *to_local(p);
        if (to_private(p)) a[2] = *to_private(p) + 2;
        fences[k] = get_fence(p);
    }
}
