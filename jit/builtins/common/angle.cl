// degrees, radians: one product with the rounded factor. At most 1.5 ulp.

float degrees(float x) { return 0x1.ca5dc2p+5f * x; }
double degrees(double x) { return 0x1.ca5dc1a63c1f8p+5 * x; }
float radians(float x) { return 0x1.1df46ap-6f * x; }
double radians(double x) { return 0x1.1df46a2529d39p-6 * x; }
