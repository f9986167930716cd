// target: avx512
// local: 64 1 1
// Sums by compare-and-swap in local memory: what expects the value that was loaded succeeds, so that nothing is tried
// again. What expects another value remains, as does all that is global memory.
void add(volatile local float *p, float x) {
    float old = *p, now;
    do {
        now = old;
        old = as_float(atomic_cmpxchg((volatile local int *)p, as_int(now), as_int(now + x)));
    } while (as_int(old) != as_int(now));
}

kernel void sums(global const float *in, global float *out, volatile global int *lock, global const uchar *bin) {
    local float sum[256];
    size_t l = get_local_id(0);
    sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar b = bin[l];
    if (b != 3) {
        add(&sum[b], in[l]);
        int mine = atomic_cmpxchg((volatile local int *)&sum[b], 7, 8);
        lock[l] = mine + atomic_cmpxchg(&lock[b], lock[b], 5);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = sum[l];
}
//= @@ -47,5 +47,5 @@
//=    %41: i32 = bitcast %40 !424..439
//= -  %42: i32 = atomic.cas %34, %39, %41 {relaxed} !371..440
//= -  %43: f32 = bitcast %42 !362..441
//= -  %44: i1 = icmp.ne %42, %39 !456..482
//= +  store %34, %41 !371..440
//= +  %43: f32 = bitcast %39 !362..441
//= +  %44: i1 = const false !456..482
//=    br %44, b5(%43), b6
