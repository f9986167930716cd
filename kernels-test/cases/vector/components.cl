// Components of vectors that loops hand on, in kernels of which another part has lanes.
//@ kernel: bytes
//@ global: 8
//@ local: 8
//@ in: int = 0..7
//@ out: int = 917541 18154532 35391523 52628513 69865495 87102485 102963219 118365222
//@ kernel: floats
//@ global: 8
//@ local: 8
//@ out: float = 123032 123132 123232 163332 123432 123532 123632 163234
kernel void bytes(global const int *in, global int *out) {
    local int bins[8];
    size_t l = get_local_id(0);
    bins[l] = in[l] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar4 last = as_uchar4(in[l] * 0x01020408), next = as_uchar4(in[l] * 0x11);
    for (int n = 1; n < 6; n++) {
        uchar4 now = as_uchar4(rotate(as_uint(next), (uint)n * 8));
        if (now.x != last.x) {
            atomic_add(&bins[last.x & 7], n);
            last.x = now.x;
        }
        if (now.w > last.z) {
            atomic_add(&bins[last.w & 7], 1);
            last.z = now.w;
        }
        next = as_uchar4(in[(l + n) & 7] * 0x01030507 & 0x3f3f3f3f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = bins[7 - l] + as_int(last);
}
kernel void floats(global float *out) {
    local int turns[4];
    size_t l = get_local_id(0);
    if (l < 4) turns[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = (float4)(l, 1.0f, 2.0f, 3.0f);
    for (int n = 0; n < 5; n++) {
        if (v.x > 6.0f) v.x -= 3.0f;
        else if (v.y < v.w) { v.y += 0.5f; atomic_add(&turns[l & 3], n); }
        else v = (float4)(v.z, v.w, v.x, v.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w + 10000 * turns[l & 3];
}
