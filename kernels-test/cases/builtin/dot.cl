// Dot products of four bytes, of packed ones and of vectors, loaded and computed, against sums of their products.
//@ kernel: packed
//@ in: uint = 0 0xffffffff 0x80808080 0x7f7f7f7f 0x01020304 0xff80017f 0x807fff00 0x12345678 0xdeadbeef 0xcafef00d 0x80000000 0xff 0xff00ff 0xa5a5a5a5 0x10203040 0xf0e0d0c0
//@ global: 40
//@ local: 40
//@ out: int = 0*40
//@ kernel: vectors
//@ in: uint = 0 0xffffffff 0x80808080 0x7f7f7f7f 0x01020304 0xff80017f 0x807fff00 0x12345678 0xdeadbeef 0xcafef00d 0x80000000 0xff 0xff00ff 0xa5a5a5a5 0x10203040 0xf0e0d0c0
//@ global: 40
//@ local: 40
//@ out: int = 0*40
//@ kernel: computed
//@ in: uint = 0 0xffffffff 0x80808080 0x7f7f7f7f 0x01020304 0xff80017f 0x807fff00 0x12345678 0xdeadbeef 0xcafef00d 0x80000000 0xff 0xff00ff 0xa5a5a5a5 0x10203040 0xf0e0d0c0
//@ global: 40
//@ local: 40
//@ out: int = 0*40
//@ kernel: sums
//@ in: uint = 0 0xffffffff 0x80808080 0x7f7f7f7f 0x01020304 0xff80017f 0x807fff00 0x12345678 0xdeadbeef 0xcafef00d 0x80000000 0xff 0xff00ff 0xa5a5a5a5 0x10203040 0xf0e0d0c0
//@ global: 40
//@ local: 40
//@ out: int = 0*40

long byte_of(uint from, int n, bool is_signed) { return is_signed ? (char)(from >> 8 * n) : (uchar)(from >> 8 * n); }

long plain(uint a, bool a_signed, uint b, bool b_signed)
{
    long sum = 0;
    for (int n = 0; n < 4; n++)
        sum += byte_of(a, n, a_signed) * byte_of(b, n, b_signed);
    return sum;
}

kernel void packed(global const uint *x, global int *wrong)
{
    int i = get_global_id(0), count = 0;
    for (int j = 0; j < 16; j++) {
        uint a = x[(i + j) & 15], b = x[(i / 16 + 3 * j) & 15], acc = x[j];
        long uu = plain(a, 0, b, 0), ss = plain(a, 1, b, 1), us = plain(a, 0, b, 1), su = plain(a, 1, b, 0);
        long from = (int)acc, least = INT_MIN, most = INT_MAX;
        count += dot_4x8packed_uu_uint(a, b) != uu;
        count += dot_4x8packed_ss_int(a, b) != ss;
        count += dot_4x8packed_us_int(a, b) != us;
        count += dot_4x8packed_su_int(a, b) != su;
        count += dot_acc_sat_4x8packed_uu_uint(a, b, acc) != min(uu + acc, (long)UINT_MAX);
        count += dot_acc_sat_4x8packed_ss_int(a, b, acc) != clamp(ss + from, least, most);
        count += dot_acc_sat_4x8packed_us_int(a, b, acc) != clamp(us + from, least, most);
        count += dot_acc_sat_4x8packed_su_int(a, b, acc) != clamp(su + from, least, most);
    }
    wrong[i] = count;
}

kernel void vectors(global const uint *x, global int *wrong)
{
    global const char4 *s = (global const char4 *)x;
    global const uchar4 *u = (global const uchar4 *)x;
    int i = get_global_id(0), count = 0;
    for (int j = 0; j < 16; j++) {
        int at = (i + j) & 15, to = (i / 16 + 3 * j) & 15;
        uint a = x[at], b = x[to], acc = x[j];
        long from = (int)acc, least = INT_MIN, most = INT_MAX;
        count += dot(u[at], u[to]) != plain(a, 0, b, 0);
        count += dot(s[at], s[to]) != plain(a, 1, b, 1);
        count += dot(u[at], s[to]) != plain(a, 0, b, 1);
        count += dot(s[at], u[to]) != plain(a, 1, b, 0);
        count += dot_acc_sat(u[at], u[to], acc) != min(plain(a, 0, b, 0) + acc, (long)UINT_MAX);
        count += dot_acc_sat(s[at], s[to], (int)acc) != clamp(plain(a, 1, b, 1) + from, least, most);
        count += dot_acc_sat(u[at], s[to], (int)acc) != clamp(plain(a, 0, b, 1) + from, least, most);
        count += dot_acc_sat(s[at], u[to], (int)acc) != clamp(plain(a, 1, b, 0) + from, least, most);
    }
    wrong[i] = count;
}

/* Vectors that no word in memory holds. */
kernel void computed(global const uint *x, global int *wrong)
{
    int i = get_global_id(0), count = 0;
    for (int j = 0; j < 16; j++) {
        uint a = x[(i + j) & 15], b = x[(i / 16 + 3 * j) & 15];
        char4 s = convert_char4(convert_int4(as_char4(a)) >> 1), t = (char4)(b, b >> 8, j, i);
        uchar4 u = as_uchar4(b) + (uchar4)(j), v = as_uchar4(a).wzyx;
        count += dot(s, t) != plain(as_uint(s), 1, as_uint(t), 1);
        count += dot(u, v) != plain(as_uint(u), 0, as_uint(v), 0);
        count += dot(u, s) != plain(as_uint(u), 0, as_uint(s), 1);
        count += dot(t, v) != plain(as_uint(t), 1, as_uint(v), 0);
        count += dot(v, (uchar4)(1, 2, 200, 255)) != plain(as_uint(v), 0, 0xffc80201, 0);
        count += dot(t, (char4)(-128, 127, 0, -1)) != plain(as_uint(t), 1, 0xff007f80, 1);
        count += dot((uchar4)(255, 128, 3, 0), as_char4(a)) != plain(0x000380ff, 0, a, 1);
    }
    wrong[i] = count;
}

/* Products that are added to one another, to what goes round the loop, and to what does not. */
kernel void sums(global const uint *x, global int *wrong)
{
    int i = get_global_id(0);
    uint unsigned_sum = 0, want_unsigned = 0;
    int sum = 0, pairs = 0, others = 0;
    long want = 0, want_pairs = 0, want_others = 0;
    for (int j = 0; j < 16; j++) {
        uint a = x[(i + j) & 15], b = x[(i / 16 + 3 * j) & 15], c = x[j];
        unsigned_sum += dot_4x8packed_uu_uint(a, b);
        want_unsigned += plain(a, 0, b, 0);
        sum += dot_4x8packed_us_int(a, b);
        want += plain(a, 0, b, 1);
        pairs ^= dot_4x8packed_us_int(a, c) + dot_4x8packed_us_int(b, c) + dot_4x8packed_ss_int(b, a);
        want_pairs ^= plain(a, 0, c, 1) + plain(b, 0, c, 1) + plain(b, 1, a, 1);
        others ^= (int)(a >> 9) + dot_4x8packed_us_int(c, b);
        want_others ^= (a >> 9) + plain(c, 0, b, 1);
    }
    wrong[i] = (unsigned_sum != want_unsigned) + (sum != want) + (pairs != want_pairs) + (others != want_others);
}
