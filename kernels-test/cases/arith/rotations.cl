// Rotations of 64 bits by halves and bytes, as is done where there are no 64-bit shifts, are rotations; so are those
// where a sum or another value comes between, and those by halves that were not one value before.
//@ kernel: k
//@ global: 7
//@ inout: ulong = 1 2 3 0x8000000000000000 0xffffffffffffffff 0x123456789abcdef 0xa5a5a5a55a5a5a5a -> 0 0 0 0 0 0 0
ulong shifted(ulong v, uint n)
{
    uint2 a = as_uint2(v);
    if (n == 32)
        return as_ulong(a.yx);
    if (n < 32)
        return as_ulong((uint2)(a.x << n | a.y >> (32 - n), a.y << n | a.x >> (32 - n)));
    n -= 32;
    return as_ulong((uint2)(a.y << n | a.x >> (32 - n), a.x << n | a.y >> (32 - n)));
}

ulong vectors(ulong v, uint n)
{
    uint2 a = as_uint2(v);
    if (n < 32)
        return as_ulong(a << n | a.yx >> (32 - n));
    return as_ulong(n == 32 ? a.yx : a.yx << (n - 32) | a >> (64 - n));
}

ulong words(ulong v, uint n)
{
    uint low = v, high = v >> 32;
    ulong top = high << n ^ low >> (32 - n);
    return (top << 32) + (low << n ^ high >> (32 - n));
}

#define TRY(n) bad |= (shifted(v, n) ^ rotate(v, n##UL)) | (vectors(v, n) ^ rotate(v, n##UL)); \
    v = shifted(v, n) + as_ulong(as_uint2(v) ^ as_uint2(vectors(v, n)));

kernel void k(global ulong *data)
{
    size_t i = get_global_id(0);
    ulong v = data[i], bad = 0;
    TRY(1) TRY(7) TRY(8) TRY(16) TRY(24) TRY(25) TRY(31) TRY(32) TRY(33) TRY(40) TRY(48) TRY(56) TRY(57) TRY(63)
    bad |= words(v, 5) ^ rotate(v, 5UL);
    bad |= words(v, 30) ^ rotate(v, 30UL);
    uchar8 b = as_uchar8(v);
    bad |= as_ulong(b.s12345670) ^ rotate(v, 56UL);
    bad |= as_ulong(as_uint2(b.s56701234)) ^ rotate(v, 24UL);
    uint2 a = as_uint2(v);
    uint low = as_uint(as_uchar4(a.y).wzyx), high = as_uint(as_uchar4(a.x).wzyx);
    bad |= as_ulong(b.s76543210) ^ ((ulong)high << 32 | low);
    // Bits that are not all there, or there twice.
    ulong part = as_ulong((uint2)(a.x << 4 | a.y >> 29, a.y << 4 | a.x >> 28));
    bad |= part ^ (rotate(v, 4UL) & ~15UL | a.y >> 29);
    uint sum = (a.x << 4) + (a.y >> 27);
    bad |= as_ulong((uint2)(sum, a.y)) ^ (v & 0xffffffff00000000 | sum);
    data[i] = bad;
}
