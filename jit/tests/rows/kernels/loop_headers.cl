// local: 1 8
// groups: 2
// x: 0..40
// target: scalar v128 avx2
kernel void k(global int *x, int n) {
    global int *p = x + get_global_id(0);
    int turns = 0;
    while (*p > 3) { *p -= 1 + (turns & 3); turns++; }
    for (int i = 0; i < turns; i++) p[64 + 64 * (i & 1)] = i;
}
