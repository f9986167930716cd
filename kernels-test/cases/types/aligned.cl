// `aligned(n)` up to 4096 on variables of every address space, members, types and typedefs; what lies in them is their own,
// also across barriers, in functions, and for neighbours in vector lanes.
//@ options: -cl-std=CL3.0
//@ kernel: places
//@ global: 64
//@ local: 16
//@ out: ulong = 0*64
//@ out: int = 0*64
//@ kernel: contents
//@ global: 64
//@ local: 16
//@ out: int = 0*64
//@ kernel: typedefs
//@ out: int = 64 4 8 512 1024 64 256 4 64 64
//@ kernel: by_value
//@ value: int = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
//@ out: int = 1 0
#define AT(n) __attribute__((aligned(n)))
typedef int at64 AT(64);
typedef struct { char c; int i AT(8); } inner;
typedef struct AT(256) { int x[3]; } big;
typedef struct { int x; } plain AT(1024);

global int program_wide AT(4096) = 7;
constant int fixed[3] AT(2048) = {1, 2, 3};

ulong off(ulong p, ulong n) { return p & (n - 1); }
ulong in_function(int i) {
    int x AT(1024) = i, y[3] AT(512) = {i, i, i};
    y[i & 1] += x;
    return off((ulong)&x, 1024) | off((ulong)y, 512) | (ulong)(y[i & 1] != 2 * i) | (ulong)(y[2] != i);
}
kernel void places(global ulong *out, global int *sums)
{
    int i = get_global_id(0), l = get_local_id(0);
    local char before;
    local int shared[16] AT(256);
    local char between[3];
    local big records[2];
    local short last AT(4096);
    char c0;
    int a AT(32); int b AT(64); int c AT(128); char c1; int d AT(256); int e[3] AT(512); char4 f AT(1024); double g AT(2048);
    int h[5] AT(4096); char c2;
    big r[2];
    int *pointers[] = {&a, &b, &c, &d, e};
    for (int k = 0; k < 5; k++) *pointers[k] = i + k;
    e[1] = e[2] = 0; f = (char4)i; g = i; c0 = c1 = c2 = i; r[0].x[0] = r[1].x[2] = i; before = 1; last = 3; between[2] = 2;
    for (int k = 0; k < 5; k++) h[(i + k) % 5] = k;
    shared[l] = i;
    records[l & 1].x[0] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = off((ulong)&a, 32) | off((ulong)&b, 64) | off((ulong)&c, 128) | off((ulong)&d, 256) | off((ulong)e, 512)
           | off((ulong)&f, 1024) | off((ulong)&g, 2048) | off((ulong)h, 4096) | off((ulong)r, 256)
           | off((ulong)shared, 256) | off((ulong)records, 256) | off((ulong)&last, 4096)
           | off((ulong)&program_wide, 4096) | off((ulong)fixed, 2048) | in_function(i);
    int wrong = 0;
    for (int k = 0; k < 5; k++) wrong |= *pointers[k] ^ (i + k) | h[(i + k) % 5] ^ k;
    wrong |= e[1] | e[2] | (f.x ^ (char)i) | (g != i) | (c0 ^ (char)i) | (c1 ^ (char)i) | (c2 ^ (char)i);
    wrong |= (r[0].x[0] ^ i) | (r[1].x[2] ^ i) | (before ^ 1) | (last ^ 3) | (between[2] ^ 2) | (shared[15 - l] ^ (i - l + 15 - l));
    sums[i] = wrong | (records[0].x[0] ^ 5) | (program_wide ^ 7) | (fixed[2] ^ 3);
}
// Dynamic indices keep the array in memory; the address must be the same in every part between barriers.
kernel void contents(global int *out)
{
    int i = get_global_id(0), l = get_local_id(0), wrong = 0;
    int own[7] AT(512);
    local int all[16] AT(1024);
    int *first = own;
    for (int k = 0; k < 7; k++) own[(k + i) % 7] = i * 8 + k;
    for (int round = 0; round < 3; round++) {
        all[l] = own[(round + i) % 7];
        barrier(CLK_LOCAL_MEM_FENCE);
        wrong |= all[15 - l] ^ ((i - l + 15 - l) * 8 + round);
        wrong |= first != own || ((ulong)own & 511);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = wrong;
}
kernel void typedefs(global int *out)
{
    at64 one = 3, *p = &one;
    at64 several[2] = {4, 5};
    plain q = {6};
    struct { char c; at64 i; } s;
    s.i = 1;
    out[0] = ((ulong)p & 63) + __alignof__(at64);
    out[1] = sizeof(at64);
    out[2] = sizeof(inner) - __builtin_offsetof(inner, i);
    out[3] = sizeof(big[2]);
    out[4] = ((ulong)&q & 1023) + __alignof__(plain);
    out[5] = __builtin_offsetof(struct { char c; at64 i; }, i);
    out[6] = sizeof(big);
    out[7] = sizeof(plain);
    out[8] = 64 + ((ulong)several & 63);
    out[9] = 64 + ((ulong)&s & 63);
}
kernel void by_value(big b, global int *out)
{
    out[0] = b.x[out[0] & 0];
    out[1] = (ulong)&b & 255;
}
