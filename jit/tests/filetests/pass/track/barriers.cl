// options: -clift-check=barriers -cl-std=CL3.0
// What all work-items of a group have to reach is told of in front of it, accesses are not.
kernel void barriers(global int *a) {
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_local_id(0)] += work_group_reduce_add(a[0]);
}
