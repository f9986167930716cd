// Loops in which work-items go on behind what the others have taken: the driver may go round for all of a group together.
// What `same-as` names does all in one work-item.
//@ kernel: squares
//@ global: 128
//@ local: 64
//@ in: int = 0..999
//@ inout: int = 0*1000 -> _*1000
//@ value: int = 1000
//@ same-as: squares_by_one
//@ kernel: squares
//@ global: 96
//@ local: 32
//@ in: int = 0..999
//@ inout: int = 0*1000 -> _*1000
//@ value: int = 977
//@ same-as: squares_by_one
//@ kernel: bins
//@ global: 64
//@ local: 64
//@ in: uchar = 0..255
//@ inout: uint = 0*64 -> _*64
//@ value: uint = 256
//@ same-as: bins_by_one
//@ kernel: two
//@ global: 64 2
//@ local: 32 2
//@ inout: int = 0..639 -> _*640
//@ inout: int = 0..639 -> _*640
//@ value: long = 150
//@ same-as: two_by_one
//@ kernel: last
//@ global: 256
//@ local: 64
//@ inout: int = 0..999 -> _*1000
//@ value: int = 1000
//@ same-as: last_by_one
//@ kernel: many
//@ global: 128
//@ local: 64
//@ inout: int = 0..149 -> _*150
//@ value: long = -9223372036854775808
//@ value: long = 100
//@ value: long = 4611686018427387904
//@ same-as: many_by_one
//@ kernel: many
//@ global: 128
//@ local: 64
//@ inout: int = 0..149 -> _*150
//@ value: long = -4611686018427388904
//@ value: long = 4611686018427386904
//@ value: long = 1152921504606846976
//@ same-as: many_by_one
kernel void squares(global const int *in, global int *out, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (in[i] % 7 == 3) continue;
        int sum = 0;
        for (int k = 0; k < in[i] % 5; k++) sum += k * in[i];
        out[i] = in[i] * in[i] + sum;
    }
}
kernel void squares_by_one(global const int *in, global int *out, int n) {
    if (get_global_id(0) + get_global_id(1) > 0) return;
    for (int i = 0; i < n; i++) {
        if (in[i] % 7 == 3) continue;
        int sum = 0;
        for (int k = 0; k < in[i] % 5; k++) sum += k * in[i];
        out[i] = in[i] * in[i] + sum;
    }
}
// Between barriers, twice.
kernel void bins(global const uchar *in, global uint *out, uint n) {
    local uint bins[200];
    for (uint b = get_local_id(0); b < 200; b += get_local_size(0)) bins[b] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_local_id(0); i < n; i += 64) atomic_add(bins + in[i] % 50, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = bins[get_local_id(0)] + bins[199 - get_local_id(0)];
    out[get_local_id(0)] = x;
}
kernel void bins_by_one(global const uchar *in, global uint *out, uint n) {
    if (get_global_id(0) + get_global_id(1) > 0) return;
    uint bins[200];
    for (uint b = 0; b < 200; b++) bins[b] = b;
    for (size_t i = 0; i < n; i++) bins[in[i] % 50] += i;
    for (uint l = 0; l < 64; l++) out[l] = bins[l] + bins[199 - l];
}
// One loop behind the other, in two rows; what is in front lives behind both.
kernel void two(global int *a, global int *b, long n) {
    int y = get_global_id(1), first = a[320 * y + get_global_id(0)];
    for (long i = get_global_id(0); i <= n; i += 64) a[320 * y + i] += 3;
    for (uint i = 2 * get_global_id(0); i < 300; i += 128) b[320 * y + i + 1] *= 5;
    b[320 * y + 2 * get_global_id(0)] += first;
}
kernel void two_by_one(global int *a, global int *b, long n) {
    if (get_global_id(0) + get_global_id(1) > 0) return;
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 64; x++) b[320 * y + 2 * x] += a[320 * y + x];
        for (long i = 0; i <= n; i++) a[320 * y + i] += 3;
        for (uint i = 0; i < 300; i += 2) b[320 * y + i + 1] *= 5;
    }
}
// The step comes first, and what is last is a loop.
kernel void last(global int *a, int n) {
    int i = get_global_id(0);
    while (i < n) {
        int j = i;
        i += get_global_size(0);
        while (a[j] > 5) a[j] -= 3;
    }
    i = get_global_id(0);
    while (i < n) {
        int j = i, c;
        i += get_global_size(0);
        do {
            c = a[j];
            a[j] = c - 1;
        } while (c > 2);
    }
}
kernel void last_by_one(global int *a, int n) {
    if (get_global_id(0) + get_global_id(1) > 0) return;
    for (int i = 0; i < n; i++) {
        while (a[i] > 5) a[i] -= 3;
        int c;
        do {
            c = a[i];
            a[i] = c - 1;
        } while (c > 2);
    }
}
// Bounds are farther away than a signed number says.
kernel void many(global int *a, long from, long to, long step) {
    for (long i = get_global_id(0) + from; i < to; i += step) a[get_global_id(0)]++;
}
kernel void many_by_one(global int *a, long from, long to, long step) {
    if (get_global_id(0) + get_global_id(1) > 0) return;
    for (int x = 0; x < get_global_size(0); x++)
        for (long i = x + from; i < to; i += step) a[x]++;
}
