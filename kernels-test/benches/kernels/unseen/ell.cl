/* A sparse matrix times a vector; every line has the same number of places, stored column by column. */
kernel void ell(global const float *val, global const float *vec, global const int *cols, global const int *lengths,
                int dim, global float *out) {
    int t = get_global_id(0);
    if (t < dim) {
        float result = 0.0f;
        int max = lengths[t];
        for (int i = 0; i < max; i++) {
            int ind = i * dim + t;
            result += val[ind] * vec[cols[ind]];
        }
        out[t] = result;
    }
}
