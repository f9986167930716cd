// target: scalar
// local: 64 1 1
// Memory is accessed behind the atomic, by which the work-item could tell that it has not been done.
kernel void k(global const int *in, global int *n) {
    size_t i = get_global_id(0);
    int x = in[i];
    if (x & 1) atomic_inc(n + 7);
    n[i + 8] = x;
}
//= no change
