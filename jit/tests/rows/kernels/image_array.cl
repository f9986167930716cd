// images: RGBA,SIGNED_INT16 R,SIGNED_INT8 BGRA,SIGNED_INT8
// local: 8
// groups: 2
// D: 0 1
int4 layer(read_only image2d_array_t im, int x, int z) {
    int4 sum = 0;
    for (int y = 0; y < get_image_height(im); y++) sum += read_imagei(im, (int4)(x, y, z, 0));
    return sum;
}
kernel void k(read_only image2d_array_t im, global int4 *out) {
    int x = get_global_id(0);
    out[x] = layer(im, x & 15, D);
    if (x & 1) out[x] += layer(im, 3, 1 - D);
}
