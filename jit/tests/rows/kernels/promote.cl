// local: 1 8
// groups: 1 3
// n: 1 3 6
// A: 3 5
// BIT: 4 1
kernel void k(global int *p, global int *q, int n) {
    int x = n, i = get_global_id(0);
    if (n > 0) do q[i] = (q[i] * A + n) & 0xffff; while (--n);
    if (x & BIT) do x = (x * x + 1) & 0xffff; while (x & 1024);
    for (int j = 0; j < (x & 7); j++) q[i + 100] = (q[i + 100] + p[j] * j) & 0xfff;
    q[i + 1000] = x;
}
