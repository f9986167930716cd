/* Softmax of each line, a group for a line. */
#define GROUP 256

kernel void softmax(global const float *in, global float *out, int cols) {
    local float scratch[GROUP];
    int lid = get_local_id(0);
    global const float *row = in + get_group_id(0) * cols;
    global float *to = out + get_group_id(0) * cols;

    float most = -INFINITY;
    for (int i = lid; i < cols; i += GROUP) most = fmax(most, row[i]);
    scratch[lid] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = GROUP / 2; s > 0; s >>= 1) {
        if (lid < s) scratch[lid] = fmax(scratch[lid], scratch[lid + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = lid; i < cols; i += GROUP) {
        float e = exp(row[i] - most);
        to[i] = e;
        sum += e;
    }
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = GROUP / 2; s > 0; s >>= 1) {
        if (lid < s) scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = scratch[0];
    for (int i = lid; i < cols; i += GROUP) to[i] /= sum;
}
