// Half arguments by value, in structs, arrays, constants and vectors; loads and stores through pointers to half.
//@ kernel: arguments
//@ value: half = 1.5
//@ value: half = 1 2 3 4
//@ value: half = 0.5 0 0 0 10 20 30 0
//@ out: half = 1.5 1.5 3 4.5 6 30.5
//@ kernel: layout
//@ out: int = 2 2 4 8 8 16 32 4 16 8
//@ kernel: vectors
//@ in: half = 1 2 3 4 5 6 7 8
//@ out: half = 6 8 10 12 0 0 -8 1 2 3 2 1 8 7 6 5
//@ kernel: constants
//@ global: 4
//@ out: half = 1 2.5 65504 -0
//@ kernel: pointers
//@ inout: half = 1 2 3 4 -> 8 2 3 4.5
//@ kernel: copies
//@ global: 4
//@ local: 4
//@ local-bytes: 32
//@ in: half = 1 2 3 0 4 5 6 0 7 8 9 0 10 11 12 0
//@ out: half = 6 15 24 33
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

struct s { half a; half3 b; };
struct t { char c; half h; };

kernel void arguments(half h, half4 v, struct s s, global half *o)
{
    o[0] = h;
    vstore4(v * h, 0, o + 1);
    o[5] = s.a + s.b.z;
}

kernel void layout(global int *o)
{
    o[0] = sizeof(half);
    o[1] = __alignof__(half);
    o[2] = sizeof(half2);
    o[3] = sizeof(half3);
    o[4] = sizeof(half4);
    o[5] = sizeof(half8);
    o[6] = sizeof(half16);
    o[7] = sizeof(struct t);
    o[8] = sizeof(struct s);
    o[9] = __alignof__(struct s);
}

kernel void vectors(global const half *a, global half *o)
{
    half4 lo = vload4(0, a), hi = vload4(1, a);
    vstore4(lo + hi, 0, o);
    short4 less = lo < hi;
    vstore3(convert_half3(less.xyz + (short3)(1, 1, 1)) - (half3)(0, 0, 8), 0, o + 4);
    half8 all = (half8)(lo, hi);
    o[7] = all.s0;
    vstore2(all.s12, 4, o);
    half4 w = 0;
    w.s10 = (half2)(1, 2);
    o[10] = w.x;
    o[11] = w.y;
    vstore4(all.s7654, 3, o);
}

constant half table[4] = { 1, 2.5f, HALF_MAX, -0.0h };

kernel void constants(global half *o)
{
    size_t i = get_global_id(0);
    o[i] = table[i];
}

kernel void pointers(global half *p)
{
    half here[3] = { p[0], p[1] };
    half *q = here;
    *q += 7;
    half4 *v = 0;
    p[3] += (v == 0) * 0.5h + here[2];
    *p = *q;
}

kernel void copies(local half3 *l, global const half3 *a, global half *o)
{
    event_t e = async_work_group_copy(l, a, 4, 0);
    wait_group_events(1, &e);
    size_t i = get_local_id(0);
    o[i] = l[i].x + l[i].y + l[i].z;
}
