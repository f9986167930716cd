// Tables of bytes that are looked up by all lanes of a sub-group at once: of more bytes than an index of eight bits tells
// apart.
//@ kernel: seventeen_rows
//@ global: 17
//@ local: 17
//@ out: uint = 1 0*15 2
//@ kernel: forty_rows
//@ global: 20
//@ local: 20
//@ out: uint = 1 0*7 2 0*7 3 0*3
constant uchar short_table[272] = {[0] = 1, [256] = 2};
constant uchar long_table[640] = {[0] = 1, [256] = 2, [512] = 3};

__attribute__((intel_reqd_sub_group_size(16))) kernel void seventeen_rows(global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = short_table[sub_group_shuffle_xor(i * 16, 0u) & 511];
}

__attribute__((intel_reqd_sub_group_size(32))) kernel void forty_rows(global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = long_table[sub_group_shuffle_xor(i * 32, 0u) & 1023];
}
