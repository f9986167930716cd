// mad_sat: a * b + c, saturated once at the end. Exact. Up to 32 bits a wider type holds the whole sum; for 64 bits the
// sum is a pair of words.

#define MAD_SAT(T, WIDE, LO, HI) \
    T mad_sat(T a, T b, T c) { return (T)__clift_min(__clift_max((WIDE)((WIDE)a * b + c), (WIDE)LO), (WIDE)HI); }

MAD_SAT(char, int, -0x80, 0x7f)
MAD_SAT(uchar, uint, 0, 0xff)
MAD_SAT(short, int, -0x8000, 0x7fff)
MAD_SAT(int, long, -0x80000000L, 0x7fffffffL)
MAD_SAT(uint, ulong, 0, 0xffffffffUL)

// 0xffff * 0xffff + 0xffff still fits in 32 bits, unsigned.
MAD_SAT(ushort, uint, 0, 0xffff)

long mad_sat(long a, long b, long c)
{
    ulong low = (ulong)a * (ulong)b;
    ulong sum = low + (ulong)c;
    long high = __clift_mulhi(a, b) + (c >> 63) + (sum < low ? 1 : 0);
    long limit = (high >> 63) ^ 0x7fffffffffffffffL;
    return high == ((long)sum >> 63) ? (long)sum : limit;
}

ulong mad_sat(ulong a, ulong b, ulong c)
{
    ulong low = a * b;
    ulong sum = low + c;
    ulong high = __clift_mulhi(a, b) + (sum < low ? 1UL : 0UL);
    return high == 0 ? sum : 0xffffffffffffffffUL;
}
