// dot and dot_acc_sat of four 8-bit components, and their forms on packed words. Exact: a sum of four products of 8 bits by 8
// bits fits into 32 bits.

#define DOT(A, B, R) \
    R dot(A a, B b) \
    { \
        R##4 product = convert_##R##4(a) * convert_##R##4(b); \
        return (product.x + product.y) + (product.z + product.w); \
    } \
    R dot_acc_sat(A a, B b, R acc) { return add_sat(dot(a, b), acc); }

DOT(uchar4, uchar4, uint)
DOT(char4, char4, int)
DOT(uchar4, char4, int)
DOT(char4, uchar4, int)

uint dot_4x8packed_uu_uint(uint a, uint b) { return dot(as_uchar4(a), as_uchar4(b)); }
int dot_4x8packed_ss_int(uint a, uint b) { return dot(as_char4(a), as_char4(b)); }
int dot_4x8packed_us_int(uint a, uint b) { return dot(as_uchar4(a), as_char4(b)); }
int dot_4x8packed_su_int(uint a, uint b) { return dot(as_char4(a), as_uchar4(b)); }

uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc) { return dot_acc_sat(as_uchar4(a), as_uchar4(b), acc); }
int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int acc) { return dot_acc_sat(as_char4(a), as_char4(b), acc); }
int dot_acc_sat_4x8packed_us_int(uint a, uint b, int acc) { return dot_acc_sat(as_uchar4(a), as_char4(b), acc); }
int dot_acc_sat_4x8packed_su_int(uint a, uint b, int acc) { return dot_acc_sat(as_char4(a), as_uchar4(b), acc); }
