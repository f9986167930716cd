// mix: x + (y - x) * a, the product and sum rounded once.

float mix(float x, float y, float a) { return __clift_fma(y - x, a, x); }
double mix(double x, double y, double a) { return __clift_fma(y - x, a, x); }
