// local: 16 32
// groups: 2
// n: 1 5 9
// S: 1 3
kernel void k(global const int *in, global int *out, int n) {
    uint i = get_global_id(0), j = i;
    int sum = 0;
    do { sum += in[j]; j += S; } while (--n != 0);
    out[i] = sum;
}
