// width: 8
// local: 64 1 1
// One of the two indices is read from memory, so that lanes are no neighbours.
kernel void k(global const int *in, global int *out, int n) {
    int i = get_global_id(0);
    if (n > 3) { out[i] = in[i]; i = in[i + n]; }
    out[i + 64] = in[i];
}
//= no change
