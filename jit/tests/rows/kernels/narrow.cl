// local: 16 32
// groups: 2
// T: short ushort uchar char
// C: 3 77
// OP: + - ^
kernel void k(global T *x, global const T *z) {
    size_t i = get_global_id(0);
    x[i] = x[i] * z[i] OP C;
}
