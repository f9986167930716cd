/* Scales an image by a factor, with linear filtering; the coordinates are those of unnormalised texels. */
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void image_linear(read_only image2d_t in, global float4 *out, float scale) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = read_imagef(in, linear, (float2)(x * scale, y * scale));
}
