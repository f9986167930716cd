// Every function on pipes, with packets that are a struct: a chain of kernels that hand on what they are given.
typedef struct { char tag; int n; float x[3]; } packet;

kernel void fill(global const packet *from, write_only pipe packet to, global int *bad) {
    size_t i = get_global_id(0);
    packet p = from[i];
    if (write_pipe(to, &p)) atomic_inc(bad);
}

kernel void reserved(read_only pipe packet from, write_only pipe packet to, global int *bad) {
    packet p;
    reserve_id_t id = reserve_read_pipe(from, 1);
    if (!is_valid_reserve_id(id) || read_pipe(from, id, 0, &p)) { atomic_inc(bad); return; }
    commit_read_pipe(from, id);
    reserve_id_t other = reserve_write_pipe(to, 1);
    if (!is_valid_reserve_id(other) || write_pipe(to, other, 0, &p)) { atomic_inc(bad); return; }
    commit_write_pipe(to, other);
}

kernel void groups(read_only pipe packet from, write_only pipe packet to, global int *bad) {
    packet p;
    uint n = get_local_size(0), l = get_local_id(0);
    reserve_id_t id = work_group_reserve_read_pipe(from, n);
    if (!is_valid_reserve_id(id) || read_pipe(from, id, l, &p)) atomic_inc(bad);
    work_group_commit_read_pipe(from, id);
    id = work_group_reserve_write_pipe(to, n);
    if (!is_valid_reserve_id(id) || write_pipe(to, id, n - 1 - l, &p)) atomic_inc(bad);
    if (write_pipe(to, id, n, &p) == 0) atomic_inc(bad);
    work_group_commit_write_pipe(to, id);
}

kernel void subs(read_only pipe packet from, write_only pipe packet to, global int *bad) {
    packet p;
    uint n = get_sub_group_size(), l = get_sub_group_local_id();
    reserve_id_t id = sub_group_reserve_read_pipe(from, n);
    if (!is_valid_reserve_id(id) || read_pipe(from, id, l, &p)) atomic_inc(bad);
    sub_group_commit_read_pipe(from, id);
    id = sub_group_reserve_write_pipe(to, n);
    if (!is_valid_reserve_id(id) || write_pipe(to, id, n - 1 - l, &p)) atomic_inc(bad);
    sub_group_commit_write_pipe(to, id);
}

kernel void drain(read_only pipe packet from, global packet *to, global int *bad) {
    packet p;
    if (read_pipe(from, &p)) atomic_inc(bad);
    else to[get_global_id(0)] = p;
    reserve_id_t id = reserve_read_pipe(from, get_pipe_max_packets(from) + 1);
    if (is_valid_reserve_id(id)) atomic_inc(bad);
}

kernel void numbers(read_only pipe packet p, write_only pipe packet q, global uint *out) {
    out[0] = get_pipe_num_packets(p);
    out[1] = get_pipe_max_packets(p);
    out[2] = get_pipe_num_packets(q);
    out[3] = get_pipe_max_packets(q);
}
