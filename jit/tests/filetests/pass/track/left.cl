// options: -clift-check=races,values
// Constant memory is never written, and private memory is nobody else's.
kernel void left(constant int *a, int n) {
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = a[i];
    if (n < 0)
        printf("%d", own[n & 7]);
}
//= no change
