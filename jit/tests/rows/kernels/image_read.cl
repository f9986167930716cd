// images: RGBA,FLOAT RGBA,UNORM_INT8 R,FLOAT BGRA,UNORM_INT8 RA,HALF_FLOAT
// local: 4 8
// groups: 2
// S: 3 7 11
// Y: 0 1 2
kernel void k(read_only image2d_t im, sampler_t s, global float4 *out) {
    int x = get_global_id(0);
    out[x] = read_imagef(im, (int2)(x * S & 15, Y)) + (float)get_image_width(im);
    out[x + 32] = read_imagef(im, s, (float2)(x + 0.25f, Y + 0.5f));
}
