// target: scalar
// options: -clift-check=barriers
// local: 8 1 1
// Work-items that may part: each has its place in the context, the group goes on at the lowest of all.
kernel void apart(global int *a, int n) {
    int i = get_local_id(0);
    if (i >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = n;
}
