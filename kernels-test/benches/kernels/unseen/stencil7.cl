/* Seven points of a three-dimensional grid. */
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))

kernel void stencil7(float c0, float c1, global const float *in, global float *out, int nx, int ny, int nz) {
    int i = get_global_id(0) + 1;
    int j = get_global_id(1) + 1;
    int k = get_global_id(2) + 1;
    if (i < nx - 1 && j < ny - 1 && k < nz - 1) {
        out[AT(i, j, k)] = c1 * (in[AT(i, j, k + 1)] + in[AT(i, j, k - 1)] + in[AT(i, j + 1, k)] + in[AT(i, j - 1, k)]
            + in[AT(i + 1, j, k)] + in[AT(i - 1, j, k)]) - in[AT(i, j, k)] * c0;
    }
}
