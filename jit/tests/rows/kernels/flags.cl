// local: 1 4
// groups: 2 3
// target: avx512 avx2 v128
// n: 0 1 4 5 9
// T: bool char int
#define R v = (v >> 3 ^ v) * 5 + v;
#define R8 R R R R R R R R
int mixed(int v) { R8 R8 return v; }
kernel void k(global const int *in, global int *out, int n) {
    int x = get_global_id(0), i = 0, sum = x;
    T go = n > 0, seen = 0;
    // A flag of the loop, loads for ways that are seldom taken, calls.
    while (go) {
        int v = in[(x + i) & 15], w = in[(3 * x + i) & 15];
        i++;
        if (i > n) {
            go = 0;
            continue;
        }
        if (v & 4) {
            sum += mixed(w);
            go = (sum & 6) != 0;
        } else if ((v & 3) == 3) {
            seen = go;
            sum = mixed(sum) + v;
        }
    }
    global int *o = out + 8 * x;
    o[0] = 0, o[1] = 0, o[2] = 0, o[3] = 0, o[4] = seen, o[5] = sum, o[6] = 1, o[7] = 2;
}
