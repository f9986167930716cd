/* The pull of all bodies (x, y, z, mass) on each. */
kernel void nbody(global const float4 *bodies, global float4 *pull, int n) {
    size_t i = get_global_id(0);
    float4 own = bodies[i];
    float3 sum = 0;
    for (int j = 0; j < n; j++) {
        float4 other = bodies[j];
        float3 d = other.xyz - own.xyz;
        float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-3f);
        sum += d * (other.w * r * r * r);
    }
    pull[i] = (float4)(sum, 0);
}
