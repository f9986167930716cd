// clamp on floating-point numbers: fmin(fmax(x, lo), hi). Exact; undefined if lo > hi or an argument is NaN.

float clamp(float x, float lo, float hi) { return __clift_fmin(__clift_fmax(x, lo), hi); }
double clamp(double x, double lo, double hi) { return __clift_fmin(__clift_fmax(x, lo), hi); }
