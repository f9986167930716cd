// images: RGBA,UNSIGNED_INT32 RGBA,UNSIGNED_INT8 R,UNSIGNED_INT16 RG,UNSIGNED_INT8
// local: 8 16
// groups: 1 2
// D: 0 1 5
kernel void k(read_only image1d_t im, sampler_t s, global uint *out, write_only image1d_t to) {
    int x = get_global_id(0);
    uint4 v = read_imageui(im, s, x + D);
    out[x] = v.x + v.w + get_image_width(im);
    if (x < 16) write_imageui(to, x, v + D);
}
