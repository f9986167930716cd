// Local memory at indices whose distances only the launch knows: work-items side by side, in a small window, or far apart.
// Each kernel counts work-items that found something else than they should.
//@ kernel: sorted
//@ global: 256
//@ local: 64
//@ value: int = 128
//@ inout: int = 0 0 -> 0 256
//@ kernel: steps
//@ global: 128
//@ local: 64
//@ value: int = 7
//@ inout: int = 0 0 -> 0 128
//@ kernel: sums
//@ global: 128
//@ local: 64
//@ value: int = 64
//@ inout: int = 0 0 -> 0 128
//@ kernel: partners
//@ global: 128
//@ local: 64
//@ value: int = 64
//@ inout: int = 0 0 -> 0 128
//@ kernel: one_for_many
//@ global: 64
//@ local: 64
//@ value: int = 64
//@ inout: int = 0 0 -> 0 64
//@ kernel: some
//@ global: 64
//@ local: 64
//@ value: int = 40
//@ inout: int = 0 0 -> 0 64
//@ kernel: rounded
//@ global: 1024
//@ local: 1024
//@ value: int = 0
//@ inout: int = 0 0 -> 0 1024
//@ kernel: flipped
//@ global: 64
//@ local: 64
//@ value: int = 47
//@ inout: int = 0 0 -> 0 64
//@ kernel: packed
//@ global: 64
//@ local: 64
//@ value: int = 48
//@ inout: int = 0 0 -> 0 64
#define COUNT(ok)                            \
    do {                                     \
        if (!(ok)) atomic_inc(&out[0]);      \
        atomic_inc(&out[1]);                 \
    } while (0)

kernel void sorted(int n, global int *out)
{
    local uint keys[128];
    uint l = get_local_id(0), g = get_global_id(0);
    keys[l] = g * 2654435761u;
    keys[l + 64] = ~g * 2246822519u;
    for (uint run = 2; run <= n; run <<= 1)
        for (uint gap = run >> 1; gap > 0; gap >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * l - (l & (gap - 1)), high = low + gap;
            uint a = keys[low], b = keys[high];
            if ((a > b) != ((low & run) != 0)) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(keys[2 * l] <= keys[2 * l + 1] && (l == 0 || keys[2 * l - 1] <= keys[2 * l]));
}
kernel void steps(int n, global int *out)
{
    local float part[500];
    int l = get_local_id(0), good = 1;
    for (int step = 1; step < n; step++) {
        for (int k = l; k < 500; k += 64) part[k] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l * step + 3] += 0.5f;
        if (l % 3) part[l * step + 3] *= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = l; k < 500; k += 64) {
            int by = k - 3;
            float want = k;
            if (by >= 0 && by % step == 0 && by / step < 64) want = by / step % 3 ? 2 * k + 1 : k + 0.5f;
            good &= part[k] == want;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    COUNT(good);
}
kernel void sums(int size, global int *out)
{
    local int part[64];
    int l = get_local_id(0), reach = 1;
    part[l] = l * l;
    for (int n = size / 2; n > 0; n >>= 1, reach <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) part[reach * (2 * l + 2) - 1] += part[reach * (2 * l + 1) - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) part[size - 1] = 0;
    for (int n = 1; n < size; n <<= 1) {
        reach >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) {
            int a = reach * (2 * l + 1) - 1, b = reach * (2 * l + 2) - 1, left = part[a];
            part[a] = part[b];
            part[b] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int want = 0;
    for (int k = 0; k < l; k++) want += k * k;
    COUNT(part[l] == want);
}
kernel void partners(int size, global int *out)
{
    local int part[2][64];
    int l = get_local_id(0), from = 0;
    part[0][l] = l * l + (int)get_group_id(0);
    for (int gap = 1; gap < size; gap <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        part[1 - from][l] = part[from][l] + part[from][l ^ gap];
        from = 1 - from;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(part[from][l] == 85344 + 64 * (int)get_group_id(0));
}
kernel void one_for_many(int size, global int *out)
{
    local int part[64];
    int l = get_local_id(0), good = 1;
    for (int m = 1; m < size; m = 2 * m + 1) {
        part[l] = 100 + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = part[l & m];
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l & m] = 3 * (l & m) + m;
        barrier(CLK_LOCAL_MEM_FENCE);
        good &= before == 100 + (l & m) && part[l] == (l <= m ? 3 * l + m : 100 + l);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    COUNT(good);
}
/* The work-items above n have no place in the array. */
kernel void some(int n, global int *out)
{
    local int part[80];
    int l = get_local_id(0), good = 1;
    for (int step = 1; step < 3; step++) {
        part[l] = 0;
        if (l < 16) part[64 + l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l * 7 & 63) < n && l < n) part[l * step] = l + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = l / step;
        good &= part[l] == (l % step == 0 && (k * 7 & 63) < n && k < n ? k + 1 : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    COUNT(good);
}
/* The sign bit goes away before the index is extended. */
kernel void flipped(int m, global int *out)
{
    local int part[64];
    int l = get_local_id(0);
    part[l] = 3 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int found = part[(int)((l & m) + 0x80000000u ^ 0x80000000u)];
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(found == 3 * (l & m));
}
/* Words at odd addresses. */
typedef struct __attribute__((packed)) { uint word; } Packed;
kernel void packed(int m, global int *out)
{
    local uchar bytes[257];
    local Packed *part = (local Packed *)(bytes + 1);
    int l = get_local_id(0);
    part[l].word = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint found = part[l & m].word + part[l * m / 32 & 63].word;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l ^ m].word += found;
    barrier(CLK_LOCAL_MEM_FENCE);
    l ^= m;
    COUNT(part[l ^ m].word == (l ^ m) + (l & m) + (l * m / 32 & 63));
}
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
kernel void rounded(int gap, global int *out)
{
#pragma OPENCL SELECT_ROUNDING_MODE rtz
    local int part[40];
    int l = get_local_id(0), row = l >> 5;
    if (l < 40) part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    // 25 times this is below 1 and, rounded to nearest, 1.
    int found = part[((l & 31) ^ gap) + (int)(row * 0.04f)];
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(found == ((l & 31) ^ gap) + (row > 25));
}
