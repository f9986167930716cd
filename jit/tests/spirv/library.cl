// OpenCL.std: functions on scalars and vectors, of memory, that print.
kernel void library(global float4 *out, global const float4 *in, global const half *h, global int *n) {
    int i = get_global_id(0), e;
    float4 x = in[i], y;
    x = sin(x) + fma(x, x, x) * pow(x, 2.0f) + fmin(x, 1.0f) + rsqrt(fabs(x) + 1.0f);
    x += fract(x, &y) + vload_half4(i, h) + vload4(i, (global const float *)in);
    x.s0 += frexp(x.s1, &e) + length(x) + dot(x, y) + smoothstep(0.0f, 1.0f, x.y) + remquo(x.z, x.w, n);
    int4 k = convert_int4_sat_rtz(x);
    k = mad_hi(k, k, k) + rotate(k, 3) > k.wxyz ? k : add_sat(k, popcount(k));
    k ^= as_int4(abs_diff(k, k.wzyx));
    x = shuffle(x, as_uint4(k)) + select(x, y, k > 3) + as_float4(clz(k)) + ldexp(x, e);
    x.lo = bitselect(x.lo, x.hi, normalize(x.hi)) + cross(x, y).xy;
    vstore3(x.xyz, i, (global float *)out);
    printf("%d: %v4f %s\n", i, x, "end");
    out[i] = x;
}
