// local: 16 20
// groups: 2
// target: avx512 avx2
// width: any 16
// n: 0 3 9 16
// T: int float long
// TO: out in
kernel void k(global T *in, global T *out, int n) {
    int x = get_global_id(0);
    global T *r = in + x * 18, *to = TO + x * 18;
    T sum = 0;
    for (int k = 0; k < n; k++) to[k] = sum = sum * 3 + r[k] + r[k + 1];
    for (int k = 0; k < n / 4; k++) vstore4(vload4(k, r) * 2, k, to);
    global T *last = TO + 18 * get_global_size(0);
    last[0] = 1;
    if (x == 0) for (int k = 1; k < n; k++) last[0] += last[k];
}
