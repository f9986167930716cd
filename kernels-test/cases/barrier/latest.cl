// What all work-items have alike crosses barriers, also where some have left before and where it is had under a condition.
//@ kernel: k
//@ global: 128
//@ local: 64
//@ in: int = 1..128
//@ out: int = 10001..10064 20065..20128
//@ local-bytes: 256
//@ value: int = 1000
//@ kernel: k
//@ global: 32
//@ local: 16
//@ in: int = 1..32
//@ out: int = 10001..10016 20017..20032
//@ local-bytes: 64
//@ value: int = 32
kernel void k(global const int *in, global int *out, local int *m, int n)
{
    int i = get_global_id(0), l = get_local_id(0), s = get_local_size(0);
    if (i >= n) return;
    int base = 0;
    m[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 5) {
        base = 10000 * (m[0] / s + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        m[l] += base;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int value = m[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    m[l] = value - base;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = m[l ^ 1] + base;
}
