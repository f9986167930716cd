// mad_hi: mul_hi(a, b) + c, wrapping. Exact.

#define MAD_HI(T) \
    T mad_hi(T a, T b, T c) { return (T)(__clift_mulhi(a, b) + c); }

MAD_HI(char)
MAD_HI(uchar)
MAD_HI(short)
MAD_HI(ushort)
MAD_HI(int)
MAD_HI(uint)
MAD_HI(long)
MAD_HI(ulong)
