// local: 16 32
// groups: 2
// target: avx512 avx2 v128 neon scalar
// width: any 4 16
// F: BE(in+4*x) LE(in+4*x+1) BE16(in+3*x)<<16|BE16(in+3*x+2) SWAP(word[x])^word[x+1] as_uint(as_uchar4(word[x]).wzyx)
// G: 0 1 2
#define BE(p) ((uint)(p)[0] << 24 | (uint)(p)[1] << 16 | (uint)(p)[2] << 8 | (p)[3])
#define LE(p) ((uint)(p)[3] << 24 | (uint)(p)[2] << 16 | (uint)(p)[1] << 8 | (p)[0])
#define BE16(p) ((uint)(p)[0] << 8 | (p)[1])
#define SWAP(x) (rotate((x) & 0x00ff00ffu, 24u) | rotate((x) & 0xff00ff00u, 8u))
kernel void k(global const uchar *in, global uchar *out, global const uint *word) {
    int x = get_global_id(0);
    uint v = F;
    global uchar *to = out + 8 * x;
    to[0] = v >> 24;
    to[1] = v >> 16;
    if (G == 1) to[7] = in[x];
    to[2] = v >> 8;
    to[3] = v;
    if (G == 2) v += to[2];
    to[4] = v;
    to[5] = v >> 8;
    to[6] = v >> 16;
    if (G != 1) to[7] = v >> 24;
}
