// Functions that clang 22 imports by their mangled names.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void k(global int *a, global atomic_uint *b, global half *h, global double *d)
{
    local int shared;
    int *p = *a ? a : (int *)&shared;
    shared = 0;
    atomic_inc(&shared);
    a[1] = atomic_max(a, 7) + atomic_xchg((volatile global float *)a, 1.0f);
    a[2] = atomic_fetch_min_explicit(b, 7, memory_order_relaxed, memory_scope_work_group);
    if (to_local(p)) a[3] = *to_local(p) + get_fence(p);
    h[0] = convert_half_rtp(d[0]);
    vstore3(convert_half3_rtn(vload3(0, (global char *)a)), 1, h);
    d[1] = convert_double(a[4]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    mem_fence(CLK_LOCAL_MEM_FENCE);
}
