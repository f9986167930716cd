// options: -clift-check=values
// A variable that a branch may not write has a flag, which a read asks; a divisor that may be 0 is asked, too.
kernel void values(global int *a, int n) {
    int x;
    if (n > 3)
        x = n;
    a[0] = n / x;
}
