//@ build-error: pointer
void f(void) {} kernel void k(global int *p) { void (*g)(void) = f; g(); }
