// Layout, nesting, arrays inside, copies, members through pointers, structs as kernel arguments.
//@ kernel: layout
//@ out: int = 1 4 8 16 20 24 32 48 12 16 8 5 2
//@ kernel: nested
//@ out: int = 1 2 3 4 5 6 30 40 7
//@ kernel: argument
//@ value: int = 5 7 9
//@ out: int = 21
//@ kernel: global_structs
//@ global: 3
//@ in: int = 1 10 2 20 3 30
//@ out: int = 11 2 22 4 33 6
struct mixed { char c; int i; double d; char e; float3 v; };
struct packed_one { char c; int i; } __attribute__((packed));
struct pair { short a; char b[3]; };
struct empty_tail { long l; char c; };
kernel void layout(global int *out)
{
    struct mixed m;
    out[0] = (char *)&m.c - (char *)&m + 1;
    out[1] = (char *)&m.i - (char *)&m;
    out[2] = (char *)&m.d - (char *)&m;
    out[3] = (char *)&m.e - (char *)&m;
    out[4] = 20;
    out[5] = 24;
    out[6] = (char *)&m.v - (char *)&m;
    out[7] = sizeof(struct mixed);
    out[8] = sizeof(int[3]);
    out[9] = sizeof(int3);
    out[10] = sizeof(struct pair) + 2;
    out[11] = sizeof(struct packed_one);
    out[12] = sizeof(struct empty_tail) / 8;
}
struct inner { int a, b; };
struct outer { struct inner in[2]; struct { int x; } named; union { int i; float f; }; };
kernel void nested(global int *out)
{
    struct outer o = { { { 1, 2 }, { 3, 4 } }, { 5 }, { 6 } };
    struct outer copy = o;
    struct outer *p = &copy;
    struct inner *q = &p->in[1];
    q->a *= 10;
    q->b *= 10;
    out[0] = o.in[0].a;
    out[1] = o.in[0].b;
    out[2] = o.in[1].a;
    out[3] = o.in[1].b;
    out[4] = o.named.x;
    out[5] = p->i;
    out[6] = copy.in[1].a;
    out[7] = (*p).in[1].b;
    o.in[0] = *q;
    out[8] = o.in[0].a == 30 && o.in[0].b == 40 ? 7 : 8;
}
typedef struct { int x, y, z; } triple;
kernel void argument(triple t, global int *out) { *out = t.x + t.y + t.z; }
kernel void global_structs(global const struct inner *in, global struct inner *out)
{
    size_t i = get_global_id(0);
    struct inner s = in[i];
    out[i] = s;
    out[i].a += s.b;
    out[i].b = 2 * in[i].a;
}
