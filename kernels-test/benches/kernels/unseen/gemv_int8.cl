/* A matrix of bytes times a vector of bytes, a work-item for a line, a scale for each line. */
kernel void gemv_int8(global const char4 *matrix, global const char4 *vector, global const float *scales,
                      global float *out, int rows, int cols) {
    int row = get_global_id(0);
    if (row >= rows) return;
    int sum = 0;
    for (int i = 0; i < cols / 4; i++) {
        int4 a = convert_int4(matrix[row * (cols / 4) + i]);
        int4 b = convert_int4(vector[i]);
        int4 c = a * b;
        sum += c.x + c.y + c.z + c.w;
    }
    out[row] = sum * scales[row];
}
