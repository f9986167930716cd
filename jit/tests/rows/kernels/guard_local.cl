// local: 16 32
// groups: 2
// w: 0 1 13 30
// T: int uint
kernel void k(global int *p, global const int *in, int w) {
    T l = get_local_id(0);
    if (l < w) p[get_global_id(0)] = in[l];
}
