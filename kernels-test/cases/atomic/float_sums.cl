// Sums of floats by compare-and-swap in local memory, many work-items to few places; swaps whose first attempt fails.
//@ kernel: sums
//@ global: 64
//@ local: 64
//@ out: float = 480 496 512 528
//@ kernel: unrolled
//@ global: 64
//@ local: 32
//@ out: float = 112 120 128 136 368 376 384 392
//@ kernel: stale
//@ global: 8
//@ local: 8
//@ out: int = 107 1 2 3 4 5 6 7
//@ kernel: twice
//@ global: 16
//@ local: 16
//@ out: int = 32 32 32 32
void add(volatile local float *p, float x) {
    float old = *p, now;
    do {
        now = old;
        old = as_float(atomic_cmpxchg((volatile local int *)p, as_int(now), as_int(now + x)));
    } while (as_int(old) != as_int(now));
}
kernel void sums(global float *out) {
    local float sum[4];
    size_t l = get_local_id(0);
    if (l < 4) sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&sum[l & 3], l);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) out[l] = sum[l];
}
kernel void unrolled(global float *out) {
    local float sum[4];
    size_t l = get_local_id(0);
    if (l < 4) sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local float *p = &sum[l & 3];
    float old = *p, x = get_global_id(0);
    for (int i = 0; i < 100; i++) {
        float now = old;
        old = as_float(atomic_cmpxchg((volatile local int *)p, as_int(now), as_int(now + x)));
        if (as_int(old) == as_int(now)) break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) out[get_group_id(0) * 4 + l] = sum[l];
}
// What was loaded is stale when the loop begins: the first swap fails, and the second succeeds.
kernel void stale(global int *out) {
    local int a[8];
    size_t l = get_local_id(0);
    a[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int old = a[0], now;
        a[get_global_size(0) - 8] = 7;
        do {
            now = old;
            old = atomic_cmpxchg(&a[0], now, now + 100);
        } while (old != now);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[l];
}
// Goes on although it has succeeded, with what is no longer there.
kernel void twice(global int *out) {
    local int a[4];
    size_t l = get_local_id(0);
    if (l < 4) a[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int turns = 0, old = a[l & 3], now;
    do {
        now = old;
        old = atomic_cmpxchg(&a[l & 3], now, now + 4);
        turns += old == now;
    } while (old != now || turns < 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) out[l] = a[l];
}
