/* Rates of chemical reactions by temperature, written out reaction by reaction. */
#define RF(q) rf[(q) * n + i]
#define RB(q) rb[(q) * n + i]
#define RATE(q, a, b, e) RF(q) = exp((a) + (b) * alogt - (e) * ti)
#define BACK(q, eq) RB(q) = RF(q) * (1.0f / fmax((eq), 1e-30f))

kernel void rates(global const float *t, global float *rf, global float *rb, int n, float tconv) {
    int i = get_global_id(0);
    if (i >= n) return;
    float temp = t[i] * tconv;
    float ti = 1.0f / temp, ti2 = ti * ti;
    float alogt = log(temp);
    float eg0 = exp(0.5f * alogt + 1.25f * temp * 1e-3f - 3.1f);
    float eg1 = exp(0.8f * alogt - 0.75f * temp * 1e-3f - 4.2f);
    float eg2 = exp(1.1f * alogt - 1500.0f * ti - 5.9f);
    float eg3 = exp(0.3f * alogt + 2.0e5f * ti2 - 1.7f);
    RATE(0, 14.8f, -0.406f, 835.2f);
    RATE(1, 5.11f, 0.67f, 316.5f);
    RATE(2, 6.02f, 0.31f, 172.6f);
    RATE(3, 8.29f, -0.1f, 0.0f);
    RATE(4, 7.62f, -0.5f, 52.9f);
    RATE(5, 10.6f, -0.76f, 0.0f);
    RATE(6, 9.28f, 0.0f, 349.0f);
    RATE(7, 4.73f, 0.24f, 54.6f);
    RF(8) = RF(7) * 0.45f + 2.0f * exp(-1.2f - 300.0f * ti);
    RATE(9, 3.25f, 0.2f, 799.0f);
    RATE(10, 6.84f, 0.0f, 213.0f);
    RATE(11, 4.6f, 0.2f, 471.0f);
    BACK(0, eg0 / eg1);
    BACK(1, eg1 / eg2);
    BACK(2, eg0 * eg2 / (eg1 * eg3));
    BACK(3, eg0 * eg3);
    BACK(4, eg1 * eg1 / eg3);
    BACK(5, eg2 * eg3 / eg0);
    BACK(6, eg0 / (eg2 * eg3));
    BACK(7, eg1 * eg3 / eg0);
    BACK(8, eg2 / eg1);
    BACK(9, eg3 / eg0);
    BACK(10, eg3 * eg2);
    BACK(11, eg0 * eg1);
}
