// Masks of vectors that are tested while more of them are live than half of the vector registers hold.
//@ kernel: k
//@ global: 1
//@ local: 1
//@ out: uint = 3647060898 1708580485 2334905720 449463771 1488524366 4110125961 2187508854 684187103 252542802
#define ALL(F) F(0, 5, 11, 3) F(1, 6, 12, 4) F(2, 7, 13, 5) F(3, 8, 14, 6) F(4, 9, 15, 7) F(5, 10, 16, 8) F(6, 11, 17, 9) \
    F(7, 12, 18, 10) F(8, 13, 19, 11) F(9, 14, 20, 12) F(10, 15, 21, 13) F(11, 16, 22, 14) F(12, 17, 23, 15) F(13, 18, 24, 16) \
    F(14, 19, 25, 17) F(15, 20, 26, 18) F(16, 21, 27, 19) F(17, 22, 0, 20) F(18, 23, 1, 21) F(19, 24, 2, 22) F(20, 25, 3, 23) \
    F(21, 26, 4, 24) F(22, 27, 5, 25) F(23, 0, 6, 26) F(24, 1, 7, 27) F(25, 2, 8, 0) F(26, 3, 9, 1) F(27, 4, 10, 2)
#define LOAD(i, a, b, c) uint4 v##i = ((uint4)(0, 1, 2, 3) + 4 * i + x) * 40503 % 1009;
#define MIX(i, a, b, c) v##i = v##i * v##a ^ v##b;
#define LESS(i, a, b, c) int4 m##i = v##i < v##c;
#define ADD(i, a, b, c) t = t * 7 + v##i + as_uint4(m##i & 5);
#define TEST(i, a, b, c) sum = sum * 3 + any(m##i) + 2 * all(m##i);
#define SUB(i, a, b, c) u = u * 7 - v##i - as_uint4(m##i & 3);
kernel void k(global uint *out) {
    int x = get_global_id(0);
    ALL(LOAD) ALL(MIX) ALL(LESS)
    uint4 t = 0, u = 0;
    ALL(ADD)
    uint sum = t.x & 1;
    ALL(TEST) ALL(SUB)
    vstore4(t, 0, out);
    vstore4(u, 1, out);
    out[8] = sum;
}
