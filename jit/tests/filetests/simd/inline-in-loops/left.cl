// width: 8
// local: 64 1 1
// All work-items call it with the same, so that it is called in front of their loop.
#define R x = (x >> 3 ^ x) * 5 + x;
#define R8 R R R R R R R R
int f(int x) { R8 R8 return x; }
int g(int x) { return f(x) + 1; }
kernel void k(global int *p, int n) {
    size_t i = get_global_id(0);
    p[i] = f(n);
}
//= no change
