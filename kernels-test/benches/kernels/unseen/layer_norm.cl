/* Normalises each line to mean 0 and variance 1, then scales and shifts; a group for a line. */
#define GROUP 128

kernel void layer_norm(global const float *in, global const float *gamma, global const float *beta, global float *out,
                       int cols, float epsilon) {
    local float sums[GROUP], squares[GROUP];
    int row = get_group_id(0), lid = get_local_id(0);
    float sum = 0.0f, square = 0.0f;
    for (int i = lid; i < cols; i += GROUP) {
        float value = in[row * cols + i];
        sum += value;
        square += value * value;
    }
    sums[lid] = sum;
    squares[lid] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = GROUP / 2; s > 0; s /= 2) {
        if (lid < s) {
            sums[lid] += sums[lid + s];
            squares[lid] += squares[lid + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = sums[0] / cols;
    float scale = rsqrt(squares[0] / cols - mean * mean + epsilon);
    for (int i = lid; i < cols; i += GROUP)
        out[row * cols + i] = (in[row * cols + i] - mean) * scale * gamma[i] + beta[i];
}
