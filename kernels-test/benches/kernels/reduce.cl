#define GROUP 256

kernel void reduce(global const float *in, global float *sums) {
    local float part[GROUP];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int s = GROUP / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) part[l] += part[l + s];
    }
    if (l == 0) sums[get_group_id(0)] = part[0];
}
