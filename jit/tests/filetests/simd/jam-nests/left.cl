// target: avx512
// width: 8
// local: 8 1 1
// disjoint
// The next turn reads what one has written; and rows are read element by element: as it was.
kernel void k(global const int *a, global int *b, global int *c, int n) {
    int i = get_global_id(0);
    for (int j = 1; j < n; j++) {
        int sum = c[i * n + j - 1];
        for (int k = 0; k < n; k++) sum += a[k * n + j];
        c[i * n + j] = sum;
    }
    for (int j = 0; j < n; j++) {
        int sum = 0;
        for (int k = 0; k < n; k++) sum += a[j * n + k];
        b[i * n + j] = sum;
    }
}
//= no change
