// local: 16 32
// exact: yes
// groups: 2 3
// M: 1 3 6
// K: 0 7 60
// OP: atomic_add atomic_sub
// V: 1 3
// n: 0..9
kernel void k(global const int *in, global int *n) {
    int x = in[get_global_id(0)];
    if (x & M) OP(n + K, V);
}
