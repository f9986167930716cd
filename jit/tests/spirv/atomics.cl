// Atomic operations on both sizes, on floats, on flags, through generic pointers.
kernel void atomics(global int *a, global atomic_uint *b, global atomic_long *c, global atomic_flag *f,
                    local atomic_int *l, global float *out) {
    int i = get_global_id(0);
    atomic_add(a, i);
    int old = atomic_cmpxchg(a + 1, i, 7);
    old += atomic_max(a + 2, old) ^ atomic_inc(a + 3);
    atomic_store_explicit(l, old, memory_order_release, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    old += atomic_load_explicit(l, memory_order_acquire, memory_scope_work_group);
    uint expected = old;
    while (!atomic_compare_exchange_strong_explicit(b, &expected, expected + 1, memory_order_acq_rel,
                                                    memory_order_acquire, memory_scope_device)) {}
    long x = atomic_fetch_min_explicit(c, (long)old, memory_order_relaxed, memory_scope_device);
    if (!atomic_flag_test_and_set(f)) { x ^= atomic_exchange(c + 1, x); atomic_flag_clear(f); }
    out[i] = atomic_xchg((volatile global float *)out + 64, (float)x);
}
