// More arguments than registers for them: what the caller keeps in memory meanwhile stays as it is. Each kernel counts what it
// found wrong, then the sum of who came by.
//@ kernel: doubles
//@ global: 4096
//@ local: 4
//@ inout: int = 0 0 -> 0 8386560
//@ in: long = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//@ kernel: vectors
//@ global: 4096
//@ local: 4
//@ inout: int = 0 0 -> 0 8386560
//@ in: long = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//@ kernel: floats
//@ global: 4096
//@ local: 4
//@ inout: int = 0 0 -> 0 8386560
//@ in: long = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16

// Something to do, so much that no call is inlined: a shift register that ends where it began.
#define ROUND x = (x << 1 | x >> 5) & 63;
#define ROUNDS6 ROUND ROUND ROUND ROUND ROUND ROUND
#define ROUNDS ROUNDS6 ROUNDS6 ROUNDS6 ROUNDS6 ROUNDS6

static long twelve(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j,
                   double k, double l) {
    uint x = (uint)a & 63;
    ROUNDS
    return (long)(a + b + c + d + e + f + g + h + i + j + k + l) + x - ((uint)a & 63);
}

static long ten(float a, float b, float c, float d, float e, float f, float g, float h, float i, float j) {
    uint x = (uint)a & 63;
    ROUNDS
    return (long)(a + b + c + d + e + f + g + h + i + j) + x - ((uint)a & 63);
}

static long sixteen(double16 a, long b) {
    uint x = (uint)a.s0 & 63;
    ROUNDS
    return (long)(a.s0 + a.s7 + a.s8 + a.sf) + b + x - ((uint)a.s0 & 63);
}

// Sixteen numbers that change in every turn, so that they cannot all be in registers; `count` of them go into a call.
#define BODY(count, one, other)                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
    long n[16], want = 0, got = 0;                                                                                       \
    for (int i = 0; i < 16; i++) n[i] = in[i];                                                                           \
    for (int turn = 0; turn < 4; turn++) {                                                                               \
        for (int i = 0; i < count; i++) want += n[i];                                                                    \
        got += one;                                                                                                      \
        for (int i = 0; i < 16; i++) n[i] += get_global_id(0);                                                           \
        for (int i = 0; i < count; i++) want -= n[i + 4];                                                                \
        got -= other;                                                                                                    \
        for (int i = 0; i < 16; i++) n[i] *= 2;                                                                          \
    }                                                                                                                    \
    for (int i = 0; i < 16; i++) want += n[i] - (in[i] << 4) - 30 * (long)get_global_id(0);                              \
    atomic_add(&result[0], want != got);                                                                                 \
    atomic_add(&result[1], (int)get_global_id(0));

kernel void doubles(global int *result, global const long *in) {
    BODY(12, twelve(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11]),
         twelve(n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15]))
}

kernel void floats(global int *result, global const long *in) {
    BODY(10, ten(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]),
         ten(n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13]))
}

kernel void vectors(global int *result, global const long *in) {
    BODY(1, sixteen(0.25, n[0]) - 1, sixteen((double16)(0.5), n[4]) - 2)
}
