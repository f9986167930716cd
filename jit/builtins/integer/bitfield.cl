// bitfield_insert, bitfield_extract_signed, bitfield_extract_unsigned. Exact. `offset + count` above the width is
// undefined; here no shift leaves its range.

#define BITFIELD(T, S, U, BITS) \
    T bitfield_insert(T base, T insert, uint offset, uint count) \
    { \
        U ones = count >= BITS ? (U)~(U)0 : (U)(((U)1 << count) - 1); \
        U mask = (U)(ones << (offset & (BITS - 1))); \
        return (T)(((U)base & (U)~mask) | ((U)((U)insert << (offset & (BITS - 1))) & mask)); \
    } \
    S bitfield_extract_signed(T base, uint offset, uint count) \
    { \
        uint left = (BITS - offset - count) & (BITS - 1); \
        S top = (S)((U)base << left); \
        return count == 0 ? (S)0 : (S)(top >> ((BITS - count) & (BITS - 1))); \
    } \
    U bitfield_extract_unsigned(T base, uint offset, uint count) \
    { \
        uint left = (BITS - offset - count) & (BITS - 1); \
        U top = (U)((U)base << left); \
        return count == 0 ? (U)0 : (U)(top >> ((BITS - count) & (BITS - 1))); \
    }

BITFIELD(char, char, uchar, 8)
BITFIELD(uchar, char, uchar, 8)
BITFIELD(short, short, ushort, 16)
BITFIELD(ushort, short, ushort, 16)
BITFIELD(int, int, uint, 32)
BITFIELD(uint, int, uint, 32)
BITFIELD(long, long, ulong, 64)
BITFIELD(ulong, long, ulong, 64)
