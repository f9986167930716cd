// Collectives take scalars, bitwise ones integers only.
//@ options: -cl-std=CL3.0
//@ build-error: work_group_reduce_and
//@ build-error: work_group_reduce_add
kernel void k(global float *p, global float4 *q)
{
    size_t i = get_global_id(0);
    p[i] = work_group_reduce_and(p[i]);
    q[i] = work_group_reduce_add(q[i]);
}
