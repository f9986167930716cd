// Records in local memory, of which lanes read their neighbours' on both sides of stores, in a work-group that is one
// vector.
//@ kernel: loads
//@ global: 16
//@ local: 16
//@ in: int = 1..64
//@ out: int = 0*4 1..60
//@ kernel: stores
//@ global: 16
//@ local: 16
//@ in: int = 1..16
//@ out: int = 101 0 102 1 103 2 104 3 105 4 106 5 107 6 108 7 109 8 110 9 111 10 112 11 113 12 114 13 115 14 116 15
typedef struct { int a, b, c, d; } Record;
kernel void loads(global const Record *in, global Record *out)
{
    local Record row[16];
    const int l = get_local_id(0);
    Record sum = row[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l >= 1) {
        Record t = row[l - 1];
        sum.a += t.a, sum.b += t.b, sum.c += t.c, sum.d += t.d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    row[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    Record last = {0, 0, 0, 0};
    if (l > 0) last = row[l - 1];
    if (l > 1) {
        Record t = in[l - 2];
        last.a -= t.a, last.b -= t.b, last.c -= t.c, last.d -= t.d;
    }
    out[l] = last;
}
typedef struct { int a, b; } Pair;
kernel void stores(global const int *in, global Pair *out)
{
    local Pair row[16];
    const int l = get_local_id(0);
    row[l].a = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = l > 0 ? row[l - 1].a : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    row[l].b = before;
    barrier(CLK_LOCAL_MEM_FENCE);
    Pair p = row[l];
    p.a += 100;
    out[l] = p;
}
