// target: avx512
// width: 16
// Parts of vectors of three are not seen as vectors of six, which there are none of.
kernel void k(global const ushort *in, global uchar16 *out) {
    int i = get_global_id(0);
    ushort3 v = vload3(i, in);
    out[i] = convert_uchar3(v).s0001220010012022;
}
//= no change
