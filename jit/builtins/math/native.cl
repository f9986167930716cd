// native_recip, native_divide, half_recip, half_divide: IEEE division. Correctly rounded.

float recip(float x) { return 1.0f / x; }
float divide(float x, float y) { return x / y; }
