// local: 16 32
// groups: 2
// w: 0 1 13 17 30
// D: 0 3
kernel void k(global int *p, global const int *in, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x + D < w) p[y * 100 + x] = x + in[x];
}
