/* One ray for each pixel against all spheres; light on the nearest. */
kernel void rays(global const float4 *spheres, int count, global float *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float3 direction = normalize((float3)((x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 1.0f));
    const float3 light = (float3)(0.6f, -0.64f, -0.48f);
    float nearest = 1e20f;
    int hit = -1;
    for (int i = 0; i < count; i++) {
        float3 to = spheres[i].xyz;
        float b = dot(to, direction);
        float disc = b * b - dot(to, to) + spheres[i].w * spheres[i].w;
        if (disc < 0.0f) continue;
        float t = b - sqrt(disc);
        if (t > 0.0f && t < nearest) {
            nearest = t;
            hit = i;
        }
    }
    float shade = 0.05f;
    if (hit >= 0) {
        float3 normal = normalize(direction * nearest - spheres[hit].xyz);
        shade += 0.9f * max(dot(normal, light), 0.0f);
    }
    out[y * width + x] = shade;
}
