// local: 16 32
// groups: 2 3
// D: 1 2 17
// w: 20 40 95
// T: float short
kernel void k(global const T *in, global T *out, int w) {
    int x = get_global_id(0);
    out[x] = in[max(x - D, 0)] + in[min(x + D, w)];
}
