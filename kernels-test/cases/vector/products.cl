// Products with constants, which may be shifts and sums, beside products with the same numbers out of memory.
//@ kernel: products
//@ global: 64
//@ local: 32
//@ in: uint = 3 5 7 9 12 24 96 10 0x7fffffff 0x80000001 0xc0000000 0xfffffffe 0xfffffff9 0xffff0000 1000003
//@ in: ulong = 3 5 7 12 0xffffffff 0x100000001 0x8000000000000001 0xc000000000000000 0x7fffffffffffffff 0xfffffffffffffffe 1000000007
//@ inout: int = 0 0 -> 0 64
kernel void products(global const uint *words, global const ulong *longs, global int *out)
{
    size_t i = get_global_id(0);
    uint x = (uint)i * 0x9e3779b9u + (i & 1 ? 0x80000000u : 0);
    ulong y = (ulong)x * 0x9e3779b97f4a7c15UL;
    int wrong = 0;
    wrong += x * 3 != x * words[0];
    wrong += x * 5 != x * words[1];
    wrong += x * 7 != x * words[2];
    wrong += x * 9 != x * words[3];
    wrong += x * 12 != x * words[4];
    wrong += x * 24 != x * words[5];
    wrong += x * 96 != x * words[6];
    wrong += x * 10 != x * words[7];
    wrong += x * 0x7fffffffu != x * words[8];
    wrong += x * 0x80000001u != x * words[9];
    wrong += x * 0xc0000000u != x * words[10];
    wrong += x * 0xfffffffeu != x * words[11];
    wrong += x * 0xfffffff9u != x * words[12];
    wrong += x * 0xffff0000u != x * words[13];
    wrong += x * 1000003u != x * words[14];
    wrong += y * 3 != y * longs[0];
    wrong += y * 5 != y * longs[1];
    wrong += y * 7 != y * longs[2];
    wrong += y * 12 != y * longs[3];
    wrong += y * 0xffffffffUL != y * longs[4];
    wrong += y * 0x100000001UL != y * longs[5];
    wrong += y * 0x8000000000000001UL != y * longs[6];
    wrong += y * 0xc000000000000000UL != y * longs[7];
    wrong += y * 0x7fffffffffffffffUL != y * longs[8];
    wrong += y * 0xfffffffffffffffeUL != y * longs[9];
    wrong += y * 1000000007UL != y * longs[10];
    if (wrong) atomic_add(&out[0], wrong);
    atomic_inc(&out[1]);
}
