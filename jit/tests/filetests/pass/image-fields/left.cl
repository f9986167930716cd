// target: scalar
// images: RGBA,FLOAT
// A launch's key has room for eight images: the ninth one's fields are loaded where they are needed.
kernel void k(read_only image1d_t a, read_only image1d_t b, read_only image1d_t c, read_only image1d_t d,
              read_only image1d_t e, read_only image1d_t f, read_only image1d_t g, read_only image1d_t h,
              read_only image1d_t i, global int *out) {
    out[get_global_id(0)] = get_image_channel_order(i);
}
//= no change
