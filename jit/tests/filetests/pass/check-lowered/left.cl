// options: -clift-check=values
// Parameters are written, and divisors that are known are right.
kernel void left(global int *a, int n) {
    n = n / 3;
    a[0] = n % 7;
}
//= no change
