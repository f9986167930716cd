// local: 16 32
// groups: 2
// A: int short uchar
// B: float uchar int
// at: 0..300
typedef struct { A a; B b; B c; A d; } R;
kernel void k(global const R *x, global R *y, global const int *at, global const uchar *fill) {
    size_t i = get_global_id(0);
    R r = x[at[i]], s = x[i];
    s.a = r.d & 7;
    s.b = r.c;
    if (r.a & 1) s.c = r.b;
    y[i] = s;
}
