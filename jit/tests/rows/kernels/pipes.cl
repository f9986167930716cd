// local: 16 8x2
// groups: 2 3
// target: scalar v128 avx2 avx512
// width: any 4
// options: -cl-std=CL3.0
// T: char int long float4
// HOW: 0 1 2
kernel void k(read_only pipe T from, write_only pipe T to, global T *out, global int *counts) {
    size_t l = get_local_linear_id(), i = get_global_linear_id();
    T x = out[i];
    counts[i] = read_pipe(from, &x);
    out[i] = x;
#if HOW == 0
    if (i % 3) counts[i] += 2 * write_pipe(to, &x);
#elif HOW == 1
    uint n = get_local_size(0) * get_local_size(1);
    reserve_id_t id = work_group_reserve_write_pipe(to, n);
    if (is_valid_reserve_id(id)) {
        counts[i] += 2 * write_pipe(to, id, n - 1 - l, &x) + 4 * write_pipe(to, id, n, &x);
        work_group_commit_write_pipe(to, id);
    }
#else
    reserve_id_t id = reserve_write_pipe(to, 1 + l % 2);
    if (is_valid_reserve_id(id)) {
        counts[i] += 2 * write_pipe(to, id, l % 2, &x);
        if (l != 3) commit_write_pipe(to, id);
    }
#endif
}
