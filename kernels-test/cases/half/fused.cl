// `fma` and `mad` of halves round once, in lanes and one by one: against sums in double that are rounded to odd. Half of the
// operands are random bits; the others have products whose last bits lie far behind a tie of the sum.
//@ kernel: fused
//@ global: 512
//@ local: 64
//@ out: uint = 0*512
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

half once(half a, half b, half c) {
    double product = (double)a * (double)b, addend = c, sum = product + addend;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    ulong bits = as_ulong(sum);
    if (error < 0 || error > 0) bits = (bits - ((bits ^ as_ulong(error)) >> 63)) | 1;
    return convert_half_rte(as_double(bits));
}

int differ(half x, half y) { return !(isnan(x) && isnan(y)) && as_ushort(x) != as_ushort(y); }

kernel void fused(global uint *out) {
    uint i = get_global_id(0), seed = i * 2654435761u + 12345u, wrong = 0;
    for (int k = 0; k < 256; k++) {
        seed = seed * 1664525u + 1013904223u;
        ushort x = seed >> 16;
        seed = seed * 1664525u + 1013904223u;
        ushort y = seed >> 16, z = (seed >> 3) * 40503u >> 5;
        half a = as_half(x), b = as_half(y), c = as_half(z);
        if (k & 1) {
            /* Near one, near a power of two, and 2^9 to 2^13 times as large. */
            a = as_half((ushort)(0x3c00 | (x & 7)));
            b = as_half((ushort)(((y & 15) + 4) << 10 | (y >> 4 & 7) | (y & 0x8000)));
            c = as_half((ushort)(((y & 15) + 4 + 9 + (z & 3)) << 10 | (z >> 2 & 15) | (z & 0x8000)));
        }
        half want = once(a, b, c);
        wrong += differ(fma(a, b, c), want) + differ(mad(a, b, c), want);
    }
    out[i] = wrong;
}
