// One condition on all components of a vector: `any`, `all`, and chains of `||` and `&&` that name each component, give what a
// loop over components gives. Work-item i has the bits of i for the components that meet the condition.
//@ kernel: integers
//@ global: 512
//@ local: 16
//@ out: uint = 0*512
//@ kernel: floats
//@ global: 512
//@ local: 16
//@ out: uint = 0*512
//@ kernel: together
//@ global: 3
//@ local: 1
//@ out: uint = 0*3

#define OR4(op, a, b) ((a).s0 op (b).s0 || (a).s1 op (b).s1 || (a).s2 op (b).s2 || (a).s3 op (b).s3)
#define OR8(op, a, b) (OR4(op, a, b) || (a).s4 op (b).s4 || (a).s5 op (b).s5 || (a).s6 op (b).s6 || (a).s7 op (b).s7)
#define AND4(op, a, b) ((a).s0 op (b) && (a).s1 op (b) && (a).s2 op (b) && (a).s3 op (b))
#define AND8(op, a, b) (AND4(op, a, b) && (a).s4 op (b) && (a).s5 op (b) && (a).s6 op (b) && (a).s7 op (b))

/* Component k of a is b where bit k of `bits` is set, else more than that. */
#define CHECK(type, n, mask, or, and, bits)                                                                            \
    {                                                                                                                  \
        type x[n];                                                                                                     \
        int some = 0, every = 1;                                                                                       \
        for (int k = 0; k < n; k++) {                                                                                  \
            int met = (bits) >> k % 9 & 1;                                                                             \
            x[k] = met ? (type)3 : (type)5;                                                                            \
            some |= met;                                                                                               \
            every &= met;                                                                                              \
        }                                                                                                              \
        type##n a = vload##n(0, x), b = (type##n)((type)3);                                                            \
        wrong += any(a == b) != some;                                                                                  \
        wrong += all(a == b) != every;                                                                                 \
        wrong += any((mask##n)(a == b)) != some;                                                                       \
        wrong += all(a < (type)4) != every;                                                                            \
        if (or(==, a, b) != some) wrong++;                                                                             \
        if (!or(<=, b, a)) wrong++;                                                                                    \
        if (and(<, a, (type)4) != every) wrong++;                                                                      \
        int left = 0;                                                                                                  \
        for (int k = 0; k < 2; k++) {                                                                                  \
            if (!or(==, a, b)) continue;                                                                               \
            left++;                                                                                                    \
            a = (type##n)((type)5);                                                                                    \
        }                                                                                                              \
        wrong += left != some;                                                                                         \
    }
#define CHECK3(type, bits)                                                                                             \
    {                                                                                                                  \
        type##3 a = (type##3)((bits) & 1 ? 3 : 5, (bits) & 2 ? 3 : 5, (bits) & 4 ? 3 : 5);                              \
        wrong += any(a == (type)3) != (((bits) & 7) != 0);                                                             \
        wrong += all(a == (type)3) != (((bits) & 7) == 7);                                                             \
        wrong += any(-(a == (type)3)) != 0;                                                                            \
    }

kernel void integers(global uint *out) {
    uint i = get_global_id(0), wrong = 0;
    CHECK(char, 8, char, OR8, AND8, i)
    CHECK(uchar, 4, char, OR4, AND4, i)
    CHECK(short, 4, short, OR4, AND4, i)
    CHECK(ushort, 8, short, OR8, AND8, i)
    CHECK(int, 4, int, OR4, AND4, i)
    CHECK(uint, 8, int, OR8, AND8, i)
    CHECK(long, 4, long, OR4, AND4, i)
    CHECK(ulong, 8, long, OR8, AND8, i)
    CHECK3(char, i)
    CHECK3(int, i)
    CHECK3(long, i)
    out[i] = wrong;
}

kernel void floats(global uint *out) {
    uint i = get_global_id(0), wrong = 0;
    CHECK(float, 4, int, OR4, AND4, i)
    CHECK(float, 8, int, OR8, AND8, i)
    CHECK(double, 4, long, OR4, AND4, i)
    CHECK(double, 8, long, OR8, AND8, i)
    /* No comparison with NaN holds but `!=`. */
    float4 nan = (float4)(NAN, 1, 2, 3);
    wrong += !OR4(!=, nan, nan) + AND4(<, nan, 9.0f) + all(nan == nan) + !any(isnan(nan)) + all(isnan(nan));
    out[i] = wrong;
}

/* One work-item for all, and vectors that stay whole. */
kernel void together(global uint *out) {
    uint wrong = 0;
    for (uint i = 0; i < 512; i++) {
        CHECK(int, 4, int, OR4, AND4, i)
        CHECK(uint, 8, int, OR8, AND8, i)
        CHECK(ulong, 8, long, OR8, AND8, i)
        CHECK(float, 8, int, OR8, AND8, i)
        CHECK3(int, i)
    }
    out[get_global_id(0)] = wrong;
}
