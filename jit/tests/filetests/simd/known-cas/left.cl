// width: 8
// local: 64 1 1
// None of these is known to succeed: global memory, a store that may go to the same place before the loop and in it, a
// loop that goes on although it succeeded, and one that begins with what is elsewhere.
kernel void k(local int *a, local int *b, volatile global int *g, int n) {
    size_t l = get_local_id(0);
    int old = g[l], now;
    do {
        now = old;
        old = atomic_cmpxchg(&g[l], now, now + n);
    } while (old != now);
    old = a[l];
    a[n] = 5;
    do {
        now = old;
        old = atomic_cmpxchg(&a[l], now, now + n);
    } while (old != now);
    old = a[l];
    do {
        now = old;
        a[n]++;
        old = atomic_cmpxchg(&a[l], now, now + n);
    } while (old != now);
    old = a[l];
    do {
        now = old;
        old = atomic_cmpxchg(&a[l], now, now + n);
    } while (old != now || now < 7);
    old = b[l];
    do {
        now = old;
        old = atomic_cmpxchg(&a[l], now, now + n);
    } while (old != now);
}
//= no change
