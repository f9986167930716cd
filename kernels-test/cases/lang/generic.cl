// Generic pointers to every memory, kept across barriers, in arrays and structs, tested where they lead.
//@ options: -cl-std=CL3.0
//@ kernel: places
//@ global: 8
//@ local: 4
//@ inout: int = 0 1 2 3 4 5 6 7 -> 6 2 8 103 14 6 12 107
//@ out: int = 2 1 4 3 2 1 4 3
//@ kernel: across_barrier
//@ global: 8
//@ local: 4
//@ local-bytes: 16
//@ out: int = 3 2 1 0 7 6 5 4
//@ kernel: halves
//@ out: float = 1.5 2 0.25 3
struct Pair { int *p; const int *q; };
global int shared_one = 100;

int place(const int *p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 4 : 9; }
void bump(int *p, int n) { *p += n; }
int both(struct Pair pair) { return *pair.p + *pair.q; }

kernel void places(global int *a, global int *out)
{
    int i = get_global_id(0), l = get_local_id(0);
    local int cells[4];
    int mine = 3;
    cells[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = l == 0 ? (int *)&cells[0] : l == 1 ? (int *)&a[i] : l == 2 ? &mine : (int *)&shared_one;
    int where = l == 3 ? place(p) + (get_fence(p) == CLK_GLOBAL_MEM_FENCE) * 2 : place(p);
    if (l < 3) bump(p, l == 1 ? 1 : 3);
    struct Pair pair = { p, &cells[l] };
    out[i] = where;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i] = l == 1 ? *p : both(pair);
}
kernel void across_barrier(local int *scratch, global int *out)
{
    int l = get_local_id(0), own = get_global_id(0);
    int *p = l & 1 ? (int *)(scratch + l) : (int *)&own;
    *p = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[l] = *p;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[3 - l];
}
kernel void halves(global float *out)
{
    local float whole;
    float mine;
    float *w = &whole;
    out[0] = 1.0f + fract(2.5f, w);
    out[1] = *w;
    out[2] = modf(3.25f, &mine);
    out[3] = mine;
}
