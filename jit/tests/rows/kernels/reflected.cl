// local: 8 16
// groups: 2
// n: 1 2 20 40
// D: 1 5 30
// T: int float
int reflect(int x, int n) {
    if (n == 1) return 0;
    do {
        if (x < 0) x = -1 - x + 1;
        else x = n - 1 - (x - n) - 1;
    } while (x >= n || x < 0);
    return x;
}
kernel void k(global const T *in, global T *out, int n) {
    int x = get_global_id(0);
    int at = x - D;
    if (at < 0 || at >= n) at = reflect(at, n);
    out[x] = in[at];
}
