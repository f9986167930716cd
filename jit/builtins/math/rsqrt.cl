// rsqrt: reciprocal of the correctly rounded square root.
// Worst error seen (limit 2 ulp): float 1.49, double 1.50.

float rsqrt(float x) { return 1.0f / __clift_sqrt(x); }

double rsqrt(double x) { return 1.0 / __clift_sqrt(x); }
