// target: scalar
// images: RGBA,SIGNED_INT32
// No function gets the image: what reads it has come in before, for every launch.
kernel void k(read_only image2d_t im, global int *out) {
    out[get_global_id(0)] = get_image_width(im);
}
//= no change
