// native_recip, half_recip, half_divide: IEEE division, correctly rounded. native_divide: a product with the
// reciprocal, which quotients by one value share; within 1.5 ulp where y is in [2^-126, 2^126].

float recip(float x) { return 1.0f / x; }
float divide(float x, float y) { return x / y; }
float native_divide(float x, float y) { return x * (1.0f / y); }
