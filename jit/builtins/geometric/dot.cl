// dot: fused multiply-adds from the first component to the last.

#define DOT(T, T2, T3, T4) \
    T dot(T a, T b) { return a * b; } \
    T dot(T2 a, T2 b) { return __clift_fma(a.y, b.y, a.x * b.x); } \
    T dot(T3 a, T3 b) { return __clift_fma(a.z, b.z, __clift_fma(a.y, b.y, a.x * b.x)); } \
    T dot(T4 a, T4 b) { return __clift_fma(a.w, b.w, __clift_fma(a.z, b.z, __clift_fma(a.y, b.y, a.x * b.x))); }

DOT(float, float2, float3, float4)
DOT(double, double2, double3, double4)
