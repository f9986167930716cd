/* Sparse matrix (compressed rows) times vector, one row for each work-item. */
kernel void spmv(global const int *starts, global const int *columns, global const float *values,
                 global const float *x, global float *y) {
    size_t row = get_global_id(0);
    float sum = 0;
    int end = starts[row + 1];
    for (int i = starts[row]; i < end; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
}
