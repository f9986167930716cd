// target: scalar
// local: 64 1 1
// The function is called in two places, is larger than what comes in everywhere, and does nothing to memory.
#define R x = (x >> 3 ^ x) * 5 + x;
#define R8 R R R R R R R R
uint f(uint x) { R8 R8 return x; }
kernel void k(global uint *p, uint n) {
    p[get_global_id(0)] = f(p[get_global_id(0)]) ^ f(n);
}
//= no change
