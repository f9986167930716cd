// local: 1
// exact: yes
// groups: 1 3
// options: -cl-mad-enable
// n: 0 1 5 16 37 90
// START: 0 3 n-2
// STEP: 1 2
// LEAST: -20 0.5f 600
kernel void k(global const float *in, global float *out, global int *counts, uint n) {
    size_t g = get_group_id(0);
    global const float *row = in + g * 300;
    global float *left = out + g * 1000;
    float sum = row[0], rest = -0.0f, product = 1;
    float4 vector = 0;
    int under = 0;
    for (int i = START; i < (int)n; i += STEP) {
        float x = row[i + 2], y = row[3 * i + 4];
        left[2 * i + 9] = x * y;
        vector.xyz += (float3)(x, y, x - y);
        product *= x > 0 ? 1.0f : 0.5f;
        if (x * y > LEAST) {
            float z = x;
            for (int j = 0; j < 3; j++) z = sqrt(fabs(z) + j) * y - z / (x + 1.5f);
            sum += z * y;
            rest -= z;
            under += i;
            left[2 * i + 10] += z;
        }
    }
    out[g * 1000 + 500] = sum;
    out[g * 1000 + 501] = rest;
    out[g * 1000 + 502] = product;
    vstore4(vector, 0, out + g * 1000 + 504);
    counts[g] = under;
}
