// local: 16x4 8x2
// groups: 1x2 2x1
// w: 0 5 13 30
// h: 1 3 30
// target: scalar v128
kernel void k(global int *p, global const int *in, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) p[y * 100 + x] = in[x * 3 + y];
}
