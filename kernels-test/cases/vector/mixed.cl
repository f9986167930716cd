// Private arrays accessed in elements of several sizes, at places that are constant, shared by work-items or not, in whole
// groups and under conditions, give what volatile accesses give.
//@ options: -cl-std=CL3.0
//@ kernel: plain
//@ global: 70
//@ local: 70
//@ in: uchar = 0..255 0..255
//@ inout: uint = 0*700 -> _*700
//@ inout: float = 0*140 -> _*140
//@ same-as: single
//@ kernel: plain
//@ global: 16 4
//@ local: 16 4
//@ in: uchar = 0..255 0..255
//@ inout: uint = 0*700 -> _*700
//@ inout: float = 0*140 -> _*140
//@ same-as: single
#define BODY(V) \
    int i = get_global_id(0) + 16 * get_global_id(1); \
    uint w[9]; \
    V uint *words = w; \
    V uchar *bytes = (V uchar *)w; \
    V ushort *halves = (V ushort *)w; \
    V char *signs = (V char *)w; \
    for (int k = 0; k < 9; k++) words[k] = k * 0x01020304u + i; \
    for (int k = 0; k < 20; k++) bytes[k] = in[i + k]; \
    bytes[21] = 0x80; \
    halves[11] = 0xabcd; \
    bytes[24 + i % 5] = i; \
    if (i % 3 == 1) { \
        halves[in[i] % 18] ^= 0x0ff0; \
        bytes[35] = words[8] >> 3; \
    } \
    for (int k = 0; k < i % 7; k++) words[8] = words[8] * 33 + bytes[k * 3 + i % 2]; \
    int sum = signs[21] + signs[i % 36] + halves[5]; \
    for (int k = 0; k < 9; k++) out[10 * i + k] = words[k]; \
    out[10 * i + 9] = sum; \
    ulong pairs[5]; \
    V ulong *all = pairs; \
    V float *reals = (V float *)pairs; \
    for (int k = 0; k < 5; k++) all[k] = 0x3f80000040000000UL + k * i; \
    reals[3] = i * 0.5f; \
    reals[i % 10] += 1.0f; \
    ((V uchar *)pairs)[7] = 0x41; \
    ((V short *)pairs)[i % 4 + 4] = -1; \
    f[2 * i] = reals[3] + reals[1]; \
    f[2 * i + 1] = (float)(uint)(all[2] >> 17) + reals[0];
kernel void plain(global const uchar *in, global uint *out, global float *f)
{
    BODY()
}
kernel void single(global const uchar *in, global uint *out, global float *f)
{
    BODY(volatile)
}
