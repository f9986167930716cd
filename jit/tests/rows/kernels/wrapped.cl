// local: 8 16
// groups: 2
// n: 1 7 20
// D: 1 5
kernel void k(global const int *in, global int *out, int n) {
    int x = get_global_id(0), at = x - D;
    while (at < 0) at += n;
    while (at >= n) at -= n;
    out[x] = in[at];
}
