// Atomic objects: every operation from many groups, flags as locks, fences between a message and its flag.
//@ options: -cl-std=CL3.0
//@ kernel: sums
//@ global: 256
//@ local: 16
//@ inout: int = 0 0 255 0 -1 -> 256 32640 0 255 -256
//@ inout: ulong = 0 0 -> 256 18446744073709551360
//@ out: int = 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16
//@ kernel: locked
//@ global: 64
//@ local: 4
//@ inout: int = 0 0 -> 64 128
//@ kernel: floats
//@ global: 32
//@ local: 8
//@ inout: float = 0.5 -> 16.5
//@ kernel: tickets
//@ global: 16
//@ local: 4
//@ out: int = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
//@ kernel: numbered
//@ global: 16
//@ local: 8
//@ out: int = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
//@ kernel: numbered_by_a_function
//@ global: 16
//@ local: 8
//@ out: int = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
atomic_flag guard = ATOMIC_FLAG_INIT;
atomic_uint ticket;

kernel void sums(global atomic_int *a, global atomic_ulong *b, global int *out)
{
    local atomic_int n;
    int g = get_global_id(0);
    if (get_local_id(0) == 0) atomic_init(&n, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add(&a[0], 1);
    atomic_fetch_add_explicit(&a[1], g, memory_order_acq_rel);
    atomic_fetch_min_explicit(&a[2], g, memory_order_relaxed, memory_scope_all_svm_devices);
    atomic_fetch_max(&a[3], g);
    atomic_fetch_and(&a[4], ~g);
    atomic_fetch_add(&b[0], 1ul);
    atomic_fetch_sub(&b[1], 1ul);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[get_group_id(0)] = atomic_load(&n);
}
kernel void locked(volatile global int *data)
{
    while (atomic_flag_test_and_set_explicit(&guard, memory_order_acquire, memory_scope_device)) {}
    data[0] = data[0] + 1;
    data[1] = data[1] + 2;
    atomic_flag_clear_explicit(&guard, memory_order_release, memory_scope_device);
}
kernel void floats(global atomic_float *sum)
{
    float seen = atomic_load_explicit(sum, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(sum, &seen, seen + 0.5f)) {}
}
kernel void tickets(global int *out)
{
    uint mine = atomic_fetch_add(&ticket, 1u);
    out[mine] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_devices);
}
void take(local atomic_int *lock)
{
    int free = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_work_group))
        free = 0;
}
void give(local atomic_int *lock) { atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group); }
#define MIX(n) x ^= x << 13, x ^= x >> 17, x ^= x << 5, x += n * (x >> 7 & 31), x = rotate(x, n + 3u) % 0x7ffffff1u;
#define MANY MIX(1) MIX(2) MIX(3) MIX(4) MIX(5) MIX(6) MIX(7) MIX(8) MIX(9)
// Too large to be part of its callers.
uint take_and_mix(local atomic_int *lock, uint x)
{
    MANY
    take(lock);
    MANY
    return x;
}
// What a work-item reads behind a lock is its own, though all read one place.
#define NUMBERED(name, TAKE, AGAIN)                      \
    kernel void name(global int *out)                    \
    {                                                    \
        local atomic_int lock;                           \
        local int next, seen[8];                         \
        int l = get_local_id(0);                         \
        uint x = l + 1;                                  \
        if (l == 0) {                                    \
            atomic_init(&lock, 0);                       \
            next = 0;                                    \
        }                                                \
        seen[l] = 0;                                     \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);         \
        TAKE;                                            \
        int mine = next;                                 \
        next = mine + 1;                                 \
        give(&lock);                                     \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);         \
        seen[mine]++;                                    \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);         \
        AGAIN;                                           \
        out[get_global_id(0)] = x == ~0u ? -1 : seen[l]; \
    }
NUMBERED(numbered, take(&lock), )
NUMBERED(numbered_by_a_function, x = take_and_mix(&lock, x), (x = take_and_mix(&lock, x), give(&lock)))
