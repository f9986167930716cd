// fast_length, fast_distance, fast_normalize: straight from dot in float; the sum of squares may overflow or underflow,
// as the specification allows.

float fast_length(float v) { return __clift_fabs(v); }
float fast_length(float2 v) { return __clift_sqrt(dot(v, v)); }
float fast_length(float3 v) { return __clift_sqrt(dot(v, v)); }
float fast_length(float4 v) { return __clift_sqrt(dot(v, v)); }

float fast_distance(float a, float b) { return __clift_fabs(a - b); }
float fast_distance(float2 a, float2 b) { return fast_length(a - b); }
float fast_distance(float3 a, float3 b) { return fast_length(a - b); }
float fast_distance(float4 a, float4 b) { return fast_length(a - b); }

float fast_normalize(float v) { return v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v; }

float2 fast_normalize(float2 v)
{
    float sum = dot(v, v);
    return sum == 0.0f ? v : v / __clift_sqrt(sum);
}

float3 fast_normalize(float3 v)
{
    float sum = dot(v, v);
    return sum == 0.0f ? v : v / __clift_sqrt(sum);
}

float4 fast_normalize(float4 v)
{
    float sum = dot(v, v);
    return sum == 0.0f ? v : v / __clift_sqrt(sum);
}
