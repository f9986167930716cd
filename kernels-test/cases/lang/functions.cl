// Calls: kernels calling kernels, out-parameters, structs in and out, early returns, static and inline functions.
//@ kernel: outer
//@ global: 4
//@ out: int = 1 12 23 34
//@ kernel: out_params
//@ out: int = 17 5 3 2
//@ kernel: by_value
//@ out: int = 6 1 2 3 11
kernel void inner(global int *out, int add)
{
    size_t i = get_global_id(0);
    if (i == 3) { out[i] = 3 * 10 + add; return; }
    out[i] = i * 10 + add;
}
kernel void outer(global int *out)
{
    inner(out, 0);
    int before = out[get_global_id(0)];
    inner(out, before / 10 + 1);
}
static inline void divide(int a, int b, int *q, int *r) { *q = a / b; *r = a % b; }
int twice(int x);
kernel void out_params(global int *out)
{
    int q = 0, r = 0;
    divide(17, 5, &q, &r);
    out[0] = 17;
    out[1] = twice(q) - 1;
    out[2] = q;
    out[3] = r;
}
int twice(int x) { return 2 * x; }
struct point { int x, y, z; };
struct point make(int x, int y, int z) { struct point p = {x, y, z}; return p; }
int change(struct point p) { p.x = 100; return p.x + p.y + p.z - 99; }
kernel void by_value(global int *out)
{
    struct point p = make(1, 2, 3);
    out[0] = change(p);
    out[1] = p.x;
    out[2] = p.y;
    out[3] = p.z;
    out[4] = make(10, 11, 12).y;
}
