/* Sums of waves at points of space. */
#define TWO_PI 6.2831853071795864769f

typedef struct {
    float kx, ky, kz, magnitude;
} wave;

kernel void mri_q(int waves, global const float *x, global const float *y, global const float *z, global float *qr,
                  global float *qi, constant wave *ck) {
    int i = get_global_id(0);
    float px = x[i], py = y[i], pz = z[i];
    float real = qr[i], imaginary = qi[i];
    for (int k = 0; k < waves; k++) {
        float arg = TWO_PI * (ck[k].kx * px + ck[k].ky * py + ck[k].kz * pz);
        real += ck[k].magnitude * cos(arg);
        imaginary += ck[k].magnitude * sin(arg);
    }
    qr[i] = real;
    qi[i] = imaginary;
}
