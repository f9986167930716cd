// local: 16 32
// groups: 1 2
// n: 0 3
// S: 16 32 64
// T: float int
kernel void k(global const T *in, global T *out, int n) {
    T sum = 0;
    for (int j = get_local_id(0); j < 200; j += S) sum += in[j + n];
    out[get_global_id(0)] = sum;
}
