// Loops in which a work-item takes each so manieth element, and there are hardly as many: forwards and backwards, with
// what they made used behind them, and left early.
//@ kernel: strided
//@ global: 16
//@ local: 16
//@ in: int = 1 2 3 4 5 6 7 8 9 10
//@ out: int = 1 2 3 4 5 6 7 8 9 10 0 0 0 0 0 0
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void strided(global const int *in, global int *out) {
    local int t[10];
    for (int i = get_local_id(0); i < 10; i += get_local_size(0)) t[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (uint i = get_local_id(0); i < 10; i += get_local_size(0)) sum += t[i];
    out[get_global_id(0)] = sum;
}
//@ kernel: two_turns
//@ global: 8
//@ local: 8
//@ in: int = 1 2 3 4 5 6 7 8 9 10 11
//@ out: int = 10 12 14 4 5 6 7 8
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void two_turns(global const int *in, global int *out) {
    int sum = 0;
    for (int i = get_local_id(0); i < 11; i += get_local_size(0)) sum += in[i];
    out[get_global_id(0)] = sum;
}
//@ kernel: backwards
//@ global: 8
//@ local: 8
//@ in: int = 1 2 3 4 5 6 7 8
//@ out: int = -8 -7 -6 -5 96 97 98 99
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void backwards(global const int *in, global int *out) {
    int k = 7 - (int)get_local_id(0), last = 100;
    for (; k >= 4; k -= 8) last = 0;
    out[get_global_id(0)] = last - in[(8 + k) & 7];
}
//@ kernel: left_early
//@ global: 8
//@ local: 8
//@ in: int = 1 0 3 0 5 0 7 0
//@ out: int = 1 8 3 8 5 8 15 8
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void left_early(global const int *in, global int *out) {
    int found = 8;
    for (uint i = get_local_id(0) & 7; i < 8; i += 8) {
        if (i == 6) {
            found += in[i];
            break;
        }
        if (in[i]) found = in[i];
    }
    out[get_global_id(0)] = found;
}
