// local: 8 16
// groups: 2
// n: 0 3 9 17
kernel void k(global int *p, int n, int y) {
    int i = get_global_id(0), at = y + (i & 3), step = i & 7;
    if (at < n) { p[i + 64] = at; at += 1; step += step; }
    if (at < n) { p[i + 128] = step; at += 2; }
    if (at >= n) return;
    p[i] = 2;
}
