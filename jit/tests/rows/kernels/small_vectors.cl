// local: 8 16
// groups: 2
// target: scalar v128 neon avx2 avx512
// width: 1 any
// T: char uchar short ushort
// N: 2 3 4 8 16
// F: add_sat(x,y)^max(x,y) x*y+min(x,y) (x>y?x-y:y)&~x y-x.sTURNED (x<<(V)1)|rotate(y,x) mul_hi(x,y)-hadd(x,y)
// n: 1 3
#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#define LOAD JOINED(vload, N)
#define STORE JOINED(vstore, N)
#define sTURNED JOINED(s, JOINED(TURNED_, N))
#define TURNED_2 10
#define TURNED_3 201
#define TURNED_4 3021
#define TURNED_8 76543210
#define TURNED_16 0f1e2d3c4b5a6978
typedef JOINED(T, N) V;
typedef JOINED(float, N) W;
typedef JOINED(int, N) I;
#define TO_W JOINED(convert_float, N)
#define TO_V JOINED(JOINED(convert_, JOINED(T, N)), _sat_rte)
kernel void k(global const int *in, global int *out, int n) {
    int i = get_global_id(0);
    global const T *from = (global const T *)in;
    V x = LOAD(i, from), sum = 0;
    W w = 0;
    for (int j = 0; j < n; j++) {
        V y = LOAD((i * 3 + j) % 7, from + j);
        sum += F;
        w += TO_W(y) * 0.37f;
    }
    STORE(sum ^ TO_V(w), i, (global T *)out);
}
