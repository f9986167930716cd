// mul24, mad24: the low 32 bits of the product. Operands outside 24 bits have an implementation-defined result; here they
// multiply in full. Exact.

int mul24(int x, int y) { return (int)((uint)x * (uint)y); }
uint mul24(uint x, uint y) { return x * y; }

int mad24(int x, int y, int z) { return (int)((uint)x * (uint)y + (uint)z); }
uint mad24(uint x, uint y, uint z) { return x * y + z; }
