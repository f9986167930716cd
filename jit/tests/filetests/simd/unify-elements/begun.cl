// width: 8
// local: 64 1 1
// Words that are made of bytes become values, which do not go from one work-item to the next.
kernel void k(global const uchar *in, global uint *out) {
    size_t i = get_global_id(0);
    uchar w[8];
    for (int j = 0; j < 8; j++) w[j] = in[8 * i + j] + 1;
    out[i] = ((uint *)w)[0] * ((uint *)w)[1];
}
//= no change
