// Vectors wider than 128 bits in kernels that stay scalar: each operation gives what it gives component by component.
//@ kernel: integers
//@ global: 3
//@ local: 1
//@ out: int = 0 0 0
//@ kernel: floats
//@ global: 3
//@ local: 1
//@ out: int = 0 0 0
//@ kernel: through_calls
//@ global: 3
//@ local: 1
//@ out: int = 0 0 0
//@ kernel: lanes
//@ global: 3
//@ local: 1
//@ out: int = 0 0 0
#pragma OPENCL FP_CONTRACT OFF

/* What `wide` gives for vectors and `narrow` for components must be the same. */
#define SAME(type, other, n, wide, narrow)                                                                             \
    do {                                                                                                               \
        type##n a = *(type##n *)x, b = *(type##n *)y;                                                                  \
        other##n both = wide;                                                                                          \
        other parts[n];                                                                                                \
        vstore##n(both, 0, parts);                                                                                     \
        for (int i = 0; i < n; i++) {                                                                                  \
            type a = x[i], b = y[i];                                                                                   \
            other one = narrow;                                                                                        \
            wrong += parts[i] != one;                                                                                  \
        }                                                                                                              \
    } while (0)
#define ALIKE(type, other, n, op) SAME(type, other, n, op, op)

#define INTEGERS(type, stype, utype, n)                                                                               \
    {                                                                                                                  \
        type x[n] __attribute__((aligned(128))), y[n] __attribute__((aligned(128)));                                   \
        for (int i = 0; i < n; i++) {                                                                                  \
            seed = seed * 1103515245 + 12345;                                                                          \
            x[i] = (type)((ulong)seed * 0x9e3779b97f4a7c15ul >> 13);                                                   \
            y[i] = (type)((i & 1 ? (uint)x[i] : seed >> 7) & 63) | 1;                                                  \
            if (i % 4 == 2) x[i] = y[i];                                                                               \
        }                                                                                                              \
        ALIKE(type, type, n, a + b);                                                                                   \
        ALIKE(type, type, n, a * b - (a ^ b));                                                                         \
        ALIKE(type, type, n, (a & ~b) | (a >> 3));                                                                     \
        ALIKE(type, type, n, a / b + a % b);                                                                           \
        ALIKE(type, type, n, a << (b & (type)7));                                                                      \
        ALIKE(type, type, n, rotate(a, (type)5) ^ rotate(b, a));                                                       \
        ALIKE(type, type, n, (a << (type)3) | (a >> (type)(sizeof(type) * 8 - 3)));                                    \
        ALIKE(type, type, n, rotate(a, (type)(seed & 63)) + rotate(b, (type)(sizeof(type) * 8)));                      \
        ALIKE(type, type, n, mul_hi(a, b) + hadd(a, b) - rhadd(b, a));                                                 \
        ALIKE(type, type, n, add_sat(a, b) ^ sub_sat(a, b));                                                           \
        ALIKE(type, type, n, clz(a) + popcount(b));                                                                    \
        ALIKE(type, type, n, max(a, b) - min(a, b) + clamp(a, (type)3, (type)100));                                    \
        SAME(type, stype, n, a < b, a < b ? (stype)-1 : (stype)0);                                                     \
        SAME(type, type, n, a == b ? a : b, a == b ? a : b);                                                           \
        SAME(type, type, n, select(a, b, convert_##utype##n(a > b)), a > b ? b : a);                                   \
        SAME(type, uchar, n, convert_uchar##n##_sat(a), convert_uchar_sat(a));                                         \
        SAME(type, long, n, convert_long##n(a), convert_long(a));                                                      \
        SAME(type, float, n, convert_float##n(a), convert_float(a));                                                   \
        SAME(type, double, n, convert_double##n##_rtz(a), convert_double_rtz(a));                                      \
    }

kernel void integers(global int *out) {
    uint seed = get_global_id(0) * 77 + get_local_size(0);
    int wrong = 0;
    INTEGERS(int, int, uint, 16)
    INTEGERS(uint, int, uint, 8)
    INTEGERS(char, char, uchar, 16)
    INTEGERS(short, short, ushort, 16)
    INTEGERS(ushort, short, ushort, 8)
    INTEGERS(long, long, ulong, 8)
    INTEGERS(ulong, long, ulong, 16)
    INTEGERS(long, long, ulong, 4)
    INTEGERS(uint, int, uint, 4)
    INTEGERS(ulong, long, ulong, 2)
    out[get_global_id(0)] = wrong;
}

#define FLOATS(type, itype, n)                                                                                         \
    {                                                                                                                  \
        type x[n] __attribute__((aligned(128))), y[n] __attribute__((aligned(128)));                                   \
        for (int i = 0; i < n; i++) {                                                                                  \
            seed = seed * 1103515245 + 12345;                                                                          \
            x[i] = (type)(int)seed / 65536;                                                                            \
            y[i] = i % 3 ? (type)(seed >> 9) / 512 : x[i];                                                             \
        }                                                                                                              \
        ALIKE(type, type, n, a * b + a);                                                                               \
        ALIKE(type, type, n, a / b - sqrt(fabs(b)));                                                                   \
        ALIKE(type, type, n, fma(a, b, b));                                                                            \
        ALIKE(type, type, n, fmin(a, b) * copysign(a, -b));                                                            \
        ALIKE(type, type, n, floor(a) + rint(b) - trunc(a));                                                           \
        SAME(type, itype, n, a <= b, a <= b ? (itype)-1 : (itype)0);                                                   \
        SAME(type, itype, n, isless(a, b) | isnan(a), isless(a, b) ? (itype)-1 : (itype)0);                            \
        SAME(type, int, n, convert_int##n##_sat_rtp(a), convert_int_sat_rtp(a));                                       \
        SAME(type, uint, n, convert_uint##n(fabs(a)), convert_uint(fabs(a)));                                          \
        SAME(type, long, n, convert_long##n(b), convert_long(b));                                                      \
        SAME(type, short, n, convert_short##n##_sat(a), convert_short_sat(a));                                         \
        SAME(type, float, n, convert_float##n##_rtn(b), convert_float_rtn(b));                                         \
        ALIKE(type, type, n, exp2(a / (type)70000));                                                                   \
    }

kernel void floats(global int *out) {
    uint seed = get_global_id(0) * 5 + get_local_size(0);
    int wrong = 0;
    FLOATS(float, int, 16)
    FLOATS(float, int, 8)
    FLOATS(double, long, 8)
    FLOATS(double, long, 16)
    FLOATS(double, long, 4)
    out[get_global_id(0)] = wrong;
}

/* Too large to be part of its caller, which has it twice. */
#define STEP(v, w) v = rotate(v + (w & (uint16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), (uint16)7) ^ w; w += v >> 3u;
#define STEPS(v, w) STEP(v, w) STEP(v, w) STEP(v, w) STEP(v, w) STEP(v, w) STEP(v, w) STEP(v, w) STEP(v, w)
uint16 mix16(uint16 v, uint16 w, double8 d) {
    STEPS(v, w) STEPS(v, w) STEPS(v, w) STEPS(v, w) STEPS(v, w) STEPS(v, w) STEPS(v, w) STEPS(v, w)
    return v ^ w + (uint16)(convert_uint8(d), convert_uint8(d));
}

kernel void through_calls(global int *out) {
    uint g = get_global_id(0) + get_local_size(0);
    uint16 v = (uint16)(g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), w = v.sfedcba9876543210 * 3;
    double8 d = (double8)(1, 2, 3, 4, 5, 6, 7, 8);
    uint16 once = mix16(v, w, d);
    uint16 twice = mix16(once, v, d);
    uint16 again = mix16(mix16(v, w, d), v, d);
    /* The same by one component. */
    uint a = v.s5, b = w.s5;
    for (int i = 0; i < 64; i++) {
        a = rotate(a + (b & 6), 7u) ^ b;
        b += a >> 3;
    }
    out[get_global_id(0)] = (once.s5 != (a ^ b + 6)) + any(twice != again);
}

kernel void lanes(global int *out) {
    int g = get_global_id(0) + get_local_size(0) - 1, wrong = 0;
    int16 v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + g;
    int part[16];
    vstore16(v, 0, part);
    for (int i = 0; i < 16; i++) wrong += part[i] != i + g;
    int16 reversed = shuffle(v, (uint16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    int16 picked = shuffle2(v, reversed, convert_uint16(v * 5 & 31));
    vstore16(picked, 0, part);
    for (int i = 0; i < 16; i++) {
        int from = (i + g) * 5 & 31;
        wrong += part[i] != (from < 16 ? from : 31 - from) + g;
    }
    v.even = v.odd;
    v.s3 = 100;
    v.hi.lo.x += 7;
    wrong += v.s0 != 1 + g || v.s3 != 100 || v.s8 != 16 + g;
    int8 sum = v.lo + v.hi, mask = sum > (int8)(20);
    int count = 0;
    vstore8(mask, 0, part);
    for (int i = 0; i < 8; i++) count -= part[i];
    wrong += (count != 0) != any(mask) || (count == 8) != all(mask);
    double8 d = convert_double8(sum);
    float8 f = (float8)(1, 2, 3, 4, 5, 6, 7, 8);
    double total = 0;
    for (int i = 0; i < 8; i++) total += ((double *)&d)[i] * ((float *)&f)[i];
    wrong += total != dot(d.lo, convert_double4(f.lo)) + dot(d.hi, convert_double4(f.hi));
    uint16 bits = as_uint16(convert_float16(reversed));
    wrong += bits.s2 != as_uint((float)(13 + g));
    out[get_global_id(0)] = wrong;
}
