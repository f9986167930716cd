// Atomics that are counted in loops whose turns differ: lanes need not wait for each other there, and each has its own address.
//@ kernel: histogram
//@ global: 16
//@ local: 16
//@ value: int = 101
//@ out: int = 49 51 51 52 50 51 51 49
//@ kernel: some
//@ global: 32
//@ local: 32
//@ out: int = 65 232 222 572 508 269 381 193 158
//@ kernel: places
//@ global: 24
//@ local: 24
//@ out: int = 66 66
//@ kernel: lock
//@ global: 16
//@ local: 16
//@ out: int = 16 120
kernel void histogram(int n, global int *out)
{
    local int bins[8];
    int l = get_local_id(0);
    for (int i = l; i < 8; i += 16) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < n; i += 16) {
        uint v = i * 0x01030507u + 0x0a0b0c0du;
        atomic_inc(bins + (v & 7));
        atomic_inc(bins + ((v >> 8) & 7));
        atomic_add(bins + ((v >> 16) & 7), 1);
        atomic_sub(bins + ((v >> 24) & 7), -1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 8; i += 16) out[i] = bins[i];
}
// Under a condition, and at signed and negative places.
kernel void some(global int *out)
{
    local int bins[9];
    int l = get_local_id(0);
    if (l < 9) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < l; ++i) {
        if ((i ^ l) & 1) atomic_add(&bins[4 + (i % 5) - (l % 5)], i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 9) out[l] = bins[l];
}
// What comes back decides where something goes, each place once.
kernel void places(global int *out)
{
    local int n, seen[80];
    int l = get_local_id(0);
    if (l == 0) n = 0;
    for (int i = l; i < 80; i += 24) seen[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < l % 7; ++i) {
        int at = atomic_inc(&n);
        if (at < 0) continue;
        seen[at] += 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int all = 0;
        for (int i = 0; i < 80; ++i) all += seen[i] == 1;
        out[0] = n;
        out[1] = all;
    }
}
// One after the other: what ends the loop is what the atomic says.
kernel void lock(global int *out)
{
    local int held, n, sum;
    int l = get_local_id(0);
    if (l == 0) held = n = sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (bool done = false; !done;) {
        if (atomic_cmpxchg(&held, 0, 1) == 0) {
            n += 1;
            sum += l;
            atomic_xchg(&held, 0);
            done = true;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        out[0] = n;
        out[1] = sum;
    }
}
