// Private arrays that live across barriers: of one kind of elements at indices that work-items have in common, which
// may be interleaved, and the same with an access of another size, which are in order. What is copied is in order, too.
//@ kernel: floats
//@ global: 64
//@ local: 32
//@ value: int = 3
//@ inout: float = 1*64 -> _*64
//@ same-as: floats_in_order
//@ kernel: floats
//@ global: 42
//@ local: 7
//@ value: int = 2
//@ inout: float = 1*42 -> _*42
//@ same-as: floats_in_order
//@ kernel: vectors
//@ global: 8 8
//@ local: 8 4
//@ value: int = 5
//@ inout: int = 1*64 -> _*64
//@ same-as: vectors_in_order
//@ kernel: bytes
//@ global: 96
//@ local: 48
//@ value: int = 4
//@ inout: int = 1*96 -> _*96
//@ same-as: bytes_in_order
//@ kernel: copies
//@ global: 64
//@ local: 32
//@ value: int = 3
//@ inout: int = 1*64 -> _*64
//@ same-as: copies_in_order
#define FLOATS(ORDER) \
    local float t[32]; \
    int l = get_local_id(0), size = get_local_size(0); \
    float a[9], b[2][5]; \
    for (int i = 0; i < 9; i++) a[i] = i + x[get_global_id(0)] * l; \
    for (int i = 0; i < 10; i++) b[i / 5][i % 5] = a[i % 9] - l; \
    for (int k = 0; k < n; k++) { \
        t[l] = a[(k + n) % 9]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (int i = 0; i < 9; i++) { \
            a[i] = a[i] * 0.5f + t[(l + i) % size]; \
            b[i & 1][n % 5] += a[(i + k) % 9]; \
        } \
        barrier(CLK_LOCAL_MEM_FENCE); \
        ORDER \
    } \
    float sum = 0; \
    for (int i = 0; i < 9; i++) sum += a[i] * (i + 1) + b[i / 5][i % 5]; \
    x[get_global_id(0)] = sum;
kernel void floats(int n, global float *x) { FLOATS() }
kernel void floats_in_order(int n, global float *x) {
    FLOATS(((uchar *)a)[n] = ((uchar *)a)[n]; ((uchar *)b)[n] = ((uchar *)b)[n];)
}
#define VECTORS(ORDER) \
    local int t[64]; \
    int l = get_local_id(1) * 8 + get_local_id(0); \
    int at = get_global_id(1) * 8 + get_global_id(0); \
    int4 v[6]; \
    for (int i = 0; i < 6; i++) v[i] = (int4)(i, l, x[at], 7); \
    for (int k = 0; k < n; k++) { \
        t[l] = v[n % 6].y + v[k % 6].x; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        v[k % 6] += (int4)(t[(l + 1) % 32], t[k], l, k); \
        if (l & 1) v[(k + n) % 6] = v[k % 6].wzyx; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        ORDER \
    } \
    int4 sum = v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3] + 11 * v[4] + 13 * v[5]; \
    x[at] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
kernel void vectors(int n, global int *x) { VECTORS() }
kernel void vectors_in_order(int n, global int *x) { VECTORS(((uchar *)v)[n] = ((uchar *)v)[n];) }
#define BYTES(ORDER) \
    local int t[48]; \
    int l = get_local_id(0), at = get_global_id(0); \
    uchar b[20]; \
    long w[3] = {l, 1L << 40, x[at]}; \
    for (int i = 0; i < 20; i++) b[i] = i * l + at; \
    for (int k = 0; k < n; k++) { \
        t[l] = b[(n * k) % 20] + (int)(w[k % 3] >> 3); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        b[n % 20] += t[(l + 5) % 48]; \
        w[(n + k) % 3] += b[k]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        ORDER \
    } \
    int sum = (int)(w[0] ^ w[1] >> 33 ^ w[2]); \
    for (int i = 0; i < 20; i++) sum = sum * 31 + b[i]; \
    x[at] = sum;
kernel void bytes(int n, global int *x) { BYTES() }
kernel void bytes_in_order(int n, global int *x) {
    BYTES(((ushort *)b)[n] = ((ushort *)b)[n]; ((uchar *)w)[n] = ((uchar *)w)[n];)
}
typedef struct {
    int words[40];
} Packet;
#define COPIES(ORDER) \
    local Packet t[32]; \
    int l = get_local_id(0); \
    Packet p; \
    for (int i = 0; i < 40; i++) p.words[i] = i * l + x[get_global_id(0)]; \
    for (int k = 0; k < n; k++) { \
        t[l] = p; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (int i = 0; i < 40; i++) p.words[i] += t[(l + i) % 32].words[k]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        ORDER \
    } \
    int sum = 0; \
    for (int i = 0; i < 40; i++) sum = sum * 3 + p.words[i]; \
    x[get_global_id(0)] = sum;
kernel void copies(int n, global int *x) { COPIES() }
kernel void copies_in_order(int n, global int *x) { COPIES(((uchar *)&p)[n] = ((uchar *)&p)[n];) }
