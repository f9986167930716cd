// dot and dot_acc_sat of four 8-bit components, and their forms on packed words. Exact: a sum of four products of 8
// bits by 8 bits fits into 32 bits.

uint dot_4x8packed_uu_uint(uint a, uint b) { return __clift_dot4_uu(a, b); }
int dot_4x8packed_ss_int(uint a, uint b) { return __clift_dot4_ss(as_int(a), as_int(b)); }
int dot_4x8packed_us_int(uint a, uint b) { return __clift_dot4_us(as_int(a), as_int(b)); }
int dot_4x8packed_su_int(uint a, uint b) { return __clift_dot4_us(as_int(b), as_int(a)); }

uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc) { return add_sat(dot_4x8packed_uu_uint(a, b), acc); }
int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_ss_int(a, b), acc); }
int dot_acc_sat_4x8packed_us_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_us_int(a, b), acc); }
int dot_acc_sat_4x8packed_su_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_su_int(a, b), acc); }

#define DOT(A, B, R, packed)                                                                                           \
    R dot(A a, B b) { return packed(as_uint(a), as_uint(b)); }                                                         \
    R dot_acc_sat(A a, B b, R acc) { return add_sat(dot(a, b), acc); }

DOT(uchar4, uchar4, uint, dot_4x8packed_uu_uint)
DOT(char4, char4, int, dot_4x8packed_ss_int)
DOT(uchar4, char4, int, dot_4x8packed_us_int)
DOT(char4, uchar4, int, dot_4x8packed_su_int)
