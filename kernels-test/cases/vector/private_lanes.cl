// Private arrays of enough work-items to fill any vector, indexed by ids and by data. Each kernel counts work-items that found
// something else than they should.
//@ kernel: constants
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ kernel: by_id
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ kernel: records
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ kernel: across_a_barrier
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
#define COUNT(ok)                            \
    do {                                     \
        if (!(ok)) atomic_inc(&out[0]);      \
        atomic_inc(&out[1]);                 \
    } while (0)

kernel void constants(global int *out)
{
    int i = get_global_id(0);
    int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
    int k = (i * 5 + i / 3) & 7;
    COUNT(squares[k] == k * k);
}
kernel void by_id(global int *out)
{
    int i = get_global_id(0), own[80];
    for (int k = 0; k < 80; ++k) own[k] = 3 * k + i;
    COUNT(own[i] == 4 * i && own[i + 10] == 4 * i + 30 && own[79 - i] == 3 * (79 - i) + i);
}
struct record { float a; char tag; short b[3]; };
kernel void records(global int *out)
{
    int i = get_global_id(0);
    struct record r[4];
    for (int k = 0; k < 4; ++k) {
        r[k].a = k + i;
        r[k].tag = k - i;
        for (int j = 0; j < 3; ++j) r[k].b[j] = 10 * k + j;
    }
    int k = i % 4, j = i % 3;
    COUNT(r[k].a == k + i && r[k].tag == (char)(k - i) && r[3 - k].b[j] == 10 * (3 - k) + j);
}
kernel void across_a_barrier(global int *out)
{
    local int shared[64];
    int i = get_local_id(0), own[6];
    for (int k = 0; k < 6; ++k) own[k] = k * i;
    shared[i] = own[i % 6];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[63 - i];
    COUNT(other == (63 - i) % 6 * (63 - i) && own[(i + other) % 6] == (i + other) % 6 * i);
}
