// There is room for the function in the kernel.
uint ask(uint x) { return x * 5 + get_global_id(0); }
kernel void k(global uint *p) { p[get_global_id(0)] = ask(ask(1)); }
//= no change
