/* Speckle-reducing diffusion: differences to four neighbours, found through tables of indices, and a coefficient. */
kernel void srad(global const int *north, global const int *south, global const int *east, global const int *west,
                 global const float *image, global float *dn, global float *ds, global float *dw, global float *de,
                 global float *c, int rows, int elements, float q0) {
    int ei = get_global_id(0);
    if (ei < elements) {
        int row = (ei + 1) % rows - 1;
        int col = (ei + 1) / rows + 1 - 1;
        if ((ei + 1) % rows == 0) {
            row = rows - 1;
            col = col - 1;
        }
        float jc = image[ei];
        float n = image[north[row] + rows * col] - jc;
        float s = image[south[row] + rows * col] - jc;
        float w = image[row + rows * west[col]] - jc;
        float e = image[row + rows * east[col]] - jc;
        float g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
        float l = (n + s + w + e) / jc;
        float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
        float den = 1 + (0.25f * l);
        float q = num / (den * den);
        den = (q - q0) / (q0 * (1 + q0));
        float coefficient = 1.0f / (1.0f + den);
        if (coefficient < 0) coefficient = 0;
        else if (coefficient > 1) coefficient = 1;
        dn[ei] = n;
        ds[ei] = s;
        dw[ei] = w;
        de[ei] = e;
        c[ei] = coefficient;
    }
}
