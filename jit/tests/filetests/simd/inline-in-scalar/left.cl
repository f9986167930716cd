// target: scalar
// local: 1 1 1
// Nothing is called.
kernel void k(global int *p, int n) {
    int x = p[get_group_id(0)];
    while (x != n) x = (x >> 3 ^ x) * 5 + x;
    p[get_group_id(0)] = x;
}
//= no change
