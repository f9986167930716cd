// Loops without barriers, numbers that all work-items share, sums that do not wrap, and steps that change stay.
kernel void k(global const float *in, global float *out, uint rows) {
    local float tile[64];
    size_t l = get_local_id(0);
    float sum = 0;
    uint j = l, step = 1, shared = 5;
    int k = l;
    for (uint row = 0; row < rows; row++) {
        tile[l] = in[j] + in[shared] + in[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        j += step;
        step *= 3;
        shared += 7;
        k += 2;
    }
    for (uint row = 0; row < rows; row++, j += 9) sum += in[j];
    out[get_global_id(0)] = sum;
}
//= no change
