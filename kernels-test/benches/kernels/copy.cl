kernel void copy4(global const float4 *in, global float4 *out) {
    size_t i = get_global_id(0);
    out[i] = in[i];
}
