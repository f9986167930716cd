// target: scalar
// local: 16 4 1
// Work-items behind the first one that does nothing may do something again.
kernel void k(global int *p, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x != w) p[y * 100 + x] = x;
}
//= no change
