//@ kernel: nested
//@ global: 6
//@ out: int = 0 0 1 4 11 22
//@ kernel: forms
//@ out: int = 10 1 0 5 3 6 9
//@ kernel: commas
//@ out: int = 9 1 3 55
// Sum over pairs (a, b) with breaks and continues in both loops.
kernel void nested(global int *out)
{
    int n = get_global_id(0), sum = 0;
    for (int a = 0; a < n; ++a) {
        if (a == 1) continue;
        int b = 0;
        while (true) {
            if (++b >= n) break;
            if (b == 3) continue;
            sum += a == 0 ? b - 0 : a;
            if (a > 3) break;
        }
    }
    int expect[6] = {0, 0, 1, 4, 11, 22};
    int want = 0;
    // The same by a closed loop without jumps.
    for (int a = 0; a < n; ++a)
        for (int b = 1; b < n; ++b)
            want += a == 1 || b == 3 || (a > 3 && b > 1) ? 0 : a == 0 ? b : a;
    out[n] = sum == want ? expect[n] : -1;
}
kernel void forms(global int *out)
{
    int n = 0;
    do n++; while (n < 10);
    out[0] = n;
    n = 0;
    do { n++; continue; } while (0);
    out[1] = n;
    n = 0;
    while (n) n++;
    out[2] = n;
    for (;;) { if (++n == 5) break; }
    out[3] = n;
    int i = 100;
    for (int i = 0; i < 3; i++) n = i + 1;
    out[4] = i == 100 ? n : -1;
    n = 0;
    for (int i = 0, j = 3; i < j; i++, j += 1) { n += j; if (i >= 1) break; j -= 1; }
    out[5] = n;
    n = 0;
    for (i = 0; i < 3; ++i) for (int i = 0; i < 3; ++i) { n++; }
    out[6] = n;
}
kernel void commas(global int *out)
{
    int a = 1, b;
    b = (a += 3, a *= 2, a + 1);
    out[0] = b;
    out[1] = (a > 3 || (a = 100)) && a == 8;
    out[2] = (0 && ++a) + (1 || ++a) + (a == 8 ? 2 : 0);
    out[3] = a == 8 ? 55 : 66;
}
