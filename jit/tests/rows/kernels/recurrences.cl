// local: 1
// groups: 2
// target: avx512 avx2 v128
// width: any 4 8
// n: 0 1 4 9 17
// T: float double int
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global const T *a, global const T *b, global T *o, int n) {
    int g = get_global_id(0);
    T x = a[g], z = b[g];
    // Two that need each other, of which one is updated in two steps.
    for (int i = 0; i < n; i++) {
        z += (T)i;
        z += (T)3 * x + (T)1;
        x += z;
    }
    o[g] = z;
}
