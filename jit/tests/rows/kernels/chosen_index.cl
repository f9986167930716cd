// local: 16 32
// groups: 2
// n: 0 4 9
// T: int float
kernel void k(global const T *in, global T *out, int n) {
    int i = get_global_id(0);
    if (n > 3) { out[i] = in[i]; i += n; }
    out[i + 128] = in[i];
}
