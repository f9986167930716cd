// cross: each component is a difference of two rounded products, so that cross(a, a) is exactly 0. The fourth component
// is 0.

#define CROSS(T3, T4, ZERO) \
    T3 cross(T3 a, T3 b) \
    { \
        return (T3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); \
    } \
    T4 cross(T4 a, T4 b) \
    { \
        return (T4)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, ZERO); \
    }

CROSS(float3, float4, 0.0f)
CROSS(double3, double4, 0.0)
