// Builtin functions at half: one of each kind. Their values at every half are tested beside the compiler.
//@ kernel: math
//@ in: half = 4 0.5 -2.5 2
//@ out: half = 2 0.5 -3 -2 16 4.5 2 -2.5 0.5 -0.5 -2 0.5 0.99951171875 -1 1 1 3 5
//@ kernel: other
//@ in: half = 3 4 0 0 1 2 3 4
//@ out: half = 5 11 0.60009765625 -4 4 0.5 1 180 3 2 1 4 4 3 3 3
//@ kernel: conversions
//@ in: half = 300 -2.5 65504 0.0999755859375
//@ out: int = 255 -2 -3 -2 65504 0 0x66 1 1 0
//@ kernel: classes
//@ in: half = inf nan 1 5.960464477539063e-8
//@ out: int = 1 0 0 -1 -1 1 0 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void math(global const half *a, global half *o)
{
    half y;
    int n;
    o[0] = sqrt(a[0]);
    o[1] = fabs(-a[1]);
    o[2] = floor(a[2]);
    o[3] = rint(a[2]);
    o[4] = pow(a[0], 2.0h);
    o[5] = fma(a[0], 1.0h, a[1]);
    o[6] = log2(a[0]);
    o[7] = fmin(a[0], a[2]);
    o[8] = fract(a[2], &y);
    o[9] = modf(a[2], &y);
    o[10] = y;
    o[11] = frexp(a[0], &n);
    o[12] = fract(-0x1p-24h, &y);
    o[13] = y;
    o[14] = sincos(0.0h, &y) + y;
    o[15] = rootn(1.0h, 3);
    o[16] = n;
    o[17] = ldexp((half2)(1.25h, 1), 2).x;
}

kernel void other(global const half *a, global half *o)
{
    half4 v = vload4(0, a), w = vload4(1, a);
    o[0] = length(v);
    o[1] = dot(v, w);
    o[2] = normalize(v).x;
    o[3] = cross(v.xyz, w.xyz).z + cross(v, w).w - 6;
    o[4] = max(v, 3.5h).y;
    o[5] = mix(0.0h, 1.0h, 0.5h);
    o[6] = step((half2)(1, 2), w.xy).x;
    o[7] = degrees(M_PI_H) - 0.0h;
    o[8] = clamp(9.0h, 1.0h, 3.0h);
    o[9] = select(v, w, (short4)(0, -1, 0, 0)).y;
    o[10] = bitselect(w, v, (half4)(0.0h)).x;
    half4 s = shuffle(v, (ushort4)(1, 1, 0, 0));
    o[11] = s.x;
    o[12] = s.y;
    o[13] = s.z;
    o[14] = s.w;
    o[15] = shuffle2(v, w, (ushort2)(6, 0)).x;
}

kernel void conversions(global const half *a, global int *o)
{
    o[0] = convert_uchar_sat(a[0]);
    o[1] = convert_int(a[1]);
    o[2] = convert_short_rtn(a[1]);
    o[3] = convert_short_rte(a[1]);
    o[4] = convert_uint(a[2]);
    o[5] = (int)(a[3] * 9.0h);
    o[6] = as_ushort(a[3]) & 0xff;
    o[7] = as_half((ushort)0x3c00) == 1.0h;
    o[8] = as_ushort(convert_half_rtp(1e-10f));
    o[9] = as_ushort2(convert_half2((double2)(1e-10, 1))).x;
}

kernel void classes(global const half *a, global int *o)
{
    o[0] = isinf(a[0]);
    o[1] = isfinite(a[1]);
    o[2] = isnormal(a[3]);
    half2 v = vload2(0, a);
    o[3] = isinf(v).x;
    o[4] = isnan(v).y;
    o[5] = any(isnan(v));
    o[6] = all(isnan(v));
    o[7] = isgreater(a[0], a[2]);
}
