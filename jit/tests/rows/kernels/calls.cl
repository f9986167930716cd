// local: 16 32
// groups: 2
// A: 5 7
// B: 3 1
#define R x = (x >> B ^ x) * A + x;
#define R8 R R R R R R R R
uint f(uint x) { R8 R8 return x; }
uint g(uint x) { return f(x) + 1; }
kernel void k(global uint *p, uint n) {
    size_t i = get_global_id(0);
    p[i] = f(p[i]) + f(n);
}
