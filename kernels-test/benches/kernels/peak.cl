/* Eight independent chains of multiply-add in each work-item; T is float, double or uint. */
#if T_IS_UINT
#define STEP(x) (x) = (x) * a + b
#else
#define STEP(x) (x) = fma((x), a, b)
#endif

kernel void peak(global T *out, T a, T b, int rounds) {
    size_t i = get_global_id(0);
    T x0 = i, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
    for (int round = 0; round < rounds; round++) {
        STEP(x0); STEP(x1); STEP(x2); STEP(x3); STEP(x4); STEP(x5); STEP(x6); STEP(x7);
    }
    out[i] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
}
