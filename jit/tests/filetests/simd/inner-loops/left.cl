// width: 8
// local: 1 1 1
// Each turn reads what the one before has written; and what the others write may be what one reads.
kernel void k(global float *a, global const float *b, int n) {
    for (int j = 1; j < n; j++) a[j] = a[j - 1] + b[j];
}
//= no change
