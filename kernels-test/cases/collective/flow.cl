// Collectives in loops, called functions and conditionals, and behind code where the work-items went different ways.
//@ options: -cl-std=CL3.0
//@ kernel: powers
//@ global: 8
//@ local: 4
//@ out: int = 1 4 10 20 1 4 10 20
//@ kernel: called
//@ global: 6
//@ local: 3
//@ in: int = 5 1 4 2 9 9
//@ out: int = 55 51 54 22 99 99
//@ kernel: branch
//@ global: 6
//@ local: 2
//@ in: int = 4 8 1 2 6 5
//@ out: int = 4 12 8 8 6 11
//@ kernel: rejoined
//@ global: 4
//@ local: 4
//@ in: int = 0 1 2 3
//@ out: int = 6 8 20 26
//@ kernel: settle
//@ global: 6
//@ local: 3
//@ in: int = 7 0 3 1 1 1
//@ out: int = 4 4 4 1 1 1
//@ out: int = 4 4 4 0 0 0
//@ kernel: several
//@ global: 4
//@ local: 4
//@ in: int = 2 9 4 7
//@ out: int = 24 33 42 46
//@ kernel: turns
//@ global: 4
//@ local: 2
//@ in: int = 1 2 3 4
//@ out: int = 12 12 34 34
//@ kernel: returned_before
//@ global: 40
//@ local: 20
//@ inout: int = 0 0 0 0 0 0 0 0 -> 0 11 0 55 1 1 45 10
int after(int v)
{
    return work_group_scan_exclusive_max(v);
}
int twice(int v)
{
    int low = after(v);
    return work_group_scan_inclusive_max(v > low ? v : low);
}
// Sums of sums of ones: binomials.
kernel void powers(global int *out)
{
    int v = 1;
    for (int n = 0; n < 3; n++)
        v = work_group_scan_inclusive_add(v);
    out[get_global_id(0)] = v;
}
kernel void called(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int low = twice(in[i]);
    out[i] = 10 * low + work_group_reduce_add(0) + in[i];
}
// Groups 0 and 2 go one way, group 1 the other.
kernel void branch(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    if (get_group_id(0) % 2 == 0)
        out[i] = work_group_scan_inclusive_add(in[i]);
    else
        out[i] = 8 * work_group_reduce_min(in[i]);
}
kernel void rejoined(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], steps = 0;
    if (v % 2)
        for (int n = 0; n < v; n++) steps += 2;
    else
        steps = v;
    int s = work_group_scan_inclusive_add(steps);
    if (v > 1) s += 10;
    out[get_global_id(0)] = s + work_group_reduce_max(steps);
}
// Each round the work-items move one step towards the group's middle value of three, until no one moves.
kernel void settle(global const int *in, global int *out, global int *rounds)
{
    size_t i = get_global_id(0);
    int v = in[i], low, high, n = 0;
    do {
        low = work_group_reduce_min(v);
        high = work_group_reduce_max(v);
        v += (v == low) - (v == high);
        n += low != high;
    } while (work_group_any(low + 1 < high));
    out[i] = work_group_broadcast(v, 2);
    rounds[i] = n;
}
kernel void several(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    int sum = work_group_reduce_add(v);
    int before = work_group_scan_exclusive_add(v);
    int top = work_group_scan_inclusive_max(v);
    out[get_global_id(0)] = sum + before + top + work_group_all(v > 1) - 1 - work_group_reduce_mul(0 * v + 1) + 1;
}
kernel void turns(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], s = 0;
    for (uint n = 0; n < get_local_size(0); n++)
        s = 10 * s + work_group_broadcast(v, n);
    out[get_global_id(0)] = s;
}
// Illegal but common, and forgiven: work-items that have returned bring nothing.
kernel void returned_before(global int *out)
{
    int l = get_local_id(0);
    if (l > 10) return;
    int low = work_group_reduce_min(l - 20 * (int)get_group_id(0) + 20);
    int sum = work_group_reduce_add(l);
    int all = work_group_all(l <= 10), any = work_group_any(l == 10);
    int before = work_group_scan_exclusive_add(l);
    if (get_group_id(0) == 1) {
        atomic_inc(&out[1]);
        if (l == 0) out[2] = low;
        if (l == 3) out[3] = sum;
        if (l == 4) out[4] = all;
        if (l == 5) out[5] = any;
        if (l == 10) out[6] = before, out[7] = l;
    }
}
