/* Partial sums of a layer of neurons: weights times inputs, added up along the second dimension of a group. */
#define WIDTH 16
#define HEIGHT 16

kernel void backprop(global const float *input, global const float *weights, global float *partial, int hid) {
    local float node[HEIGHT], matrix[HEIGHT * WIDTH];
    int by = get_group_id(1);
    int tx = get_local_id(0);
    int ty = get_local_id(1);
    int index = (hid + 1) * HEIGHT * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int index_in = HEIGHT * by + ty + 1;
    if (tx == 0) node[ty] = input[index_in];
    barrier(CLK_LOCAL_MEM_FENCE);
    matrix[ty * WIDTH + tx] = weights[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    matrix[ty * WIDTH + tx] = matrix[ty * WIDTH + tx] * node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 2; i <= HEIGHT; i = i * 2) {
        if (ty % i == 0) matrix[ty * WIDTH + tx] = matrix[ty * WIDTH + tx] + matrix[(ty + i / 2) * WIDTH + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tx == 0) partial[by * hid + ty] = matrix[tx * WIDTH + ty];
}
