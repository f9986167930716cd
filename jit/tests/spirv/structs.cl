// Structs and arrays as arguments, results, constants and members.
typedef struct { char c; float3 v; int t[3]; } inner;
typedef struct { inner in[2]; double d; global int *p; } outer;

constant inner table[2] = { { 1, (float3)(1, 2, 3), { 4, 5, 6 } }, { 7, (float3)(8, 9, 10), { 11, 12, 13 } } };

outer make(int n, global int *p) {
    outer o = { { table[n & 1], table[0] }, n * 0.5, p };
    o.in[1].t[n % 3 & 3] += n;
    return o;
}

kernel void structs(global int *out, inner by_value, global const outer *from, local inner *tile) {
    int i = get_global_id(0), l = get_local_id(0);
    outer o = i & 1 ? make(i, out) : from[i];
    tile[l] = o.in[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    inner other = tile[(l + 1) % get_local_size(0)];
    o.in[0].v = other.v.zyx + by_value.v;
    out[i] = o.in[0].t[2] + (int)o.in[0].v.y + by_value.t[i & 1] + other.c + (int)o.d;
}
