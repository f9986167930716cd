// local: 8 16
// groups: 2
// target: scalar v128 neon avx2 avx512
// width: any 4
// F: sign(x) step(x,y) fdim(x,y) maxmag(x,y) round(x)*y
// N: 2 3 4 8 16
// n: 1 3
#define JOIN(a, b) a##b
#define VEC(n) JOIN(float, n)
#define LOAD(n) JOIN(vload, n)
#define STORE(n) JOIN(vstore, n)
typedef VEC(N) T;
kernel void k(global const float *in, global float *out, int n) {
    int i = get_global_id(0);
    T x = LOAD(N)(i, in), sum = 0;
    for (int j = 0; j < n; j++) {
        T y = LOAD(N)((i + j) % 32, in);
        sum += F - x * sign(y);
    }
    STORE(N)(sum, i, out);
}
