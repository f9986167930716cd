// What `kernels-test/aarch64 sample` runs on two machines, which must leave the same bits.

kernel void floats(global uint *out) {
    size_t i = get_global_id(0);
    float x = (i * 2654435761u >> 8) * 0x1p-20f - 7.5f, y = 1.25f + i;
    uint bits = as_uint(sin(x)) ^ rotate(as_uint(exp(x)), 5u) ^ rotate(as_uint(pow(y, x)), 9u);
    bits ^= as_uint(fmin(x, y) / y) + as_uint(fma(x, y, 3.0f)) + as_uint(sqrt(fabs(x))) * 3;
    int4 tests = isless((float4)(x, y, x, 0), (float4)(y, x, x, -0.0f)) | islessgreater((float4)(x), (float4)(y));
    out[i] = bits + (tests.x & 1) + (tests.y & 2) + (tests.z & 4) + convert_uint_sat_rtp(x) + convert_char_sat(y * x);
}

kernel void doubles(global ulong *out) {
    size_t i = get_global_id(0);
    double x = (i * 2654435761u >> 8) * 0x1p-20 - 7.5, y = 1.25 + i;
    ulong bits = as_ulong(sin(x)) ^ rotate(as_ulong(exp(x)), 5ul) ^ rotate(as_ulong(pow(y, x)), 9ul);
    bits += as_ulong(fma(x, y, 3.0)) + as_ulong(sqrt(y)) * 3;
    out[i] = bits + convert_ulong_sat(x * 0x1p50) + isunordered(x, y);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global ushort *out) {
    size_t i = get_global_id(0);
    half x = convert_half_rtz((i * 40503u & 1023) * 0x1p-6f - 4), y = 1 + (half)i / 32;
    out[i] = as_ushort(x * y + x) ^ as_ushort(exp2(x)) * 3 ^ as_ushort(convert_half_rtn(1.0f / (3 + i)));
}

kernel void integers(global uint *out) {
    size_t i = get_global_id(0);
    uint x = i * 2654435761u;
    int y = (int)(i * 40503u) - 99999;
    uchar4 bytes = as_uchar4(x);
    ulong wide = mul_hi((ulong)x << 32 | i, 0x9e3779b97f4a7c15ul);
    uint bits = popcount(x) + clz(y) * 3 + ctz(x | 256) * 5 + hadd(x, (uint)y);
    bits += abs_diff(y, (int)x) + (y ? x / (uint)y : 1);
    bits ^= dot(bytes, (uchar4)(3, 5, 7, 250)) + as_uint(add_sat(bytes, bytes.wzyx)) + (uint)(wide >> 7);
    out[i] = bits + y / 7 + y % (int)(i + 1) + as_uint(rhadd(bytes, bytes.yxwz)) + (x << (y & 31)) + (y >> (x & 31));
}

// Without a size of their own, sub-groups are what fills a register.
kernel __attribute__((intel_reqd_sub_group_size(8))) void lanes(global int *out) {
    local int all[64];
    int l = get_local_id(0), sum = l * l - 100;
    all[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < (l & 7); n++) sum = sum * 3 + all[(sum ^ n) & 63];
    sum += work_group_scan_inclusive_add(sum) + work_group_reduce_max(all[63 - l]);
    if (l & 1) sum += sub_group_reduce_add(l) * sub_group_any(l > 60);
    if (l < 63) {
        out[l] = sum;
        atomic_add(out + 63, sum);
    }
}
