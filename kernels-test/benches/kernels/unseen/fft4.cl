/* A radix-4 stage of a fast Fourier transform: p is the length of the transforms that are done already. */
float2 twiddle(float2 a, float angle) {
    float c = cos(angle), s = sin(angle);
    return (float2)(a.x * c - a.y * s, a.x * s + a.y * c);
}

kernel void fft4(global const float2 *x, global float2 *y, int p) {
    int t = get_global_size(0);
    int i = get_global_id(0);
    int k = i & (p - 1);
    float alpha = -M_PI_F * (float)k / (float)(2 * p);
    float2 u0 = x[i];
    float2 u1 = twiddle(x[i + t], alpha);
    float2 u2 = twiddle(x[i + 2 * t], 2 * alpha);
    float2 u3 = twiddle(x[i + 3 * t], 3 * alpha);
    float2 v0 = u0 + u2, v1 = u0 - u2, v2 = u1 + u3, v3 = u1 - u3;
    v3 = (float2)(v3.y, -v3.x);
    int j = ((i - k) << 2) + k;
    y[j] = v0 + v2;
    y[j + p] = v1 + v3;
    y[j + 2 * p] = v0 - v2;
    y[j + 3 * p] = v1 - v3;
}
