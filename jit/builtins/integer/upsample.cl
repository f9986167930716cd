// upsample: (hi << bits) | lo in the type of twice the size. Exact.

#define UPSAMPLE(T, U, WIDE, UWIDE, BITS) \
    WIDE upsample(T hi, U lo) { return (WIDE)(((UWIDE)(U)hi << BITS) | lo); }

UPSAMPLE(char, uchar, short, ushort, 8)
UPSAMPLE(uchar, uchar, ushort, ushort, 8)
UPSAMPLE(short, ushort, int, uint, 16)
UPSAMPLE(ushort, ushort, uint, uint, 16)
UPSAMPLE(int, uint, long, ulong, 32)
UPSAMPLE(uint, uint, ulong, ulong, 32)
