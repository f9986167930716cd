// Hints for the number of lanes: results are the same with all of them, remainders of groups included.
//@ kernel: none
//@ global: 10
//@ local: 5
//@ in: int = 1 2 3 4 5 6 7 8 9 10
//@ out: int = 3 6 9 12 15 18 21 24 27 30
//@ kernel: scalar
//@ global: 10
//@ local: 5
//@ in: int = 1 2 3 4 5 6 7 8 9 10
//@ out: int = 3 6 9 12 15 18 21 24 27 30
//@ kernel: four
//@ global: 10
//@ local: 5
//@ in: int = 1 2 3 4 5 6 7 8 9 10
//@ out: int = 3 6 9 12 15 18 21 24 27 30
//@ kernel: sixteen
//@ global: 40
//@ local: 20
//@ in: int = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
//@ out: int = 2 1 4 3 6 5 8 7 10 9 12 11 14 13 16 15 18 17 20 19 22 21 24 23 26 25 28 27 30 29 32 31 34 33 36 35 38 37 40 39
#ifndef cl_intel_vec_len_hint
#error "this belongs to every version"
#endif
#if !__has_attribute(intel_vec_len_hint)
#error "programs may ask for it"
#endif

__attribute__((intel_vec_len_hint(0))) kernel void none(global const int *in, global int *out)
{
    out[get_global_id(0)] = 3 * in[get_global_id(0)];
}

__attribute__((intel_vec_len_hint(1))) kernel void scalar(global const int *in, global int *out)
{
    out[get_global_id(0)] = 3 * in[get_global_id(0)];
}

__attribute__((intel_vec_len_hint(4))) kernel void four(global const int *in, global int *out)
{
    out[get_global_id(0)] = 3 * in[get_global_id(0)];
}

__attribute__((intel_vec_len_hint(16), vec_type_hint(int))) kernel void sixteen(global const int *in, global int *out)
{
    local int tile[20];
    tile[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0) ^ 1];
}
