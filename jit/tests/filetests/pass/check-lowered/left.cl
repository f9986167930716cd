// options: -clift-check=values
// Variables that are written first, or of which only parts are read that are copied, and divisors that are known.
struct two { int a, b; };
kernel void left(global int *a, global struct two *out, int n) {
    int x = n, y;
    struct two s, t;
    y = x / 3;
    s.a = y % 7;
    t = s;
    *out = t;
    a[0] = y;
}
//= no change
