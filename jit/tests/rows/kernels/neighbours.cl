// local: 16 32
// groups: 2
// X: 1 2 3
// T: int float uchar
kernel void k(global const T *x, global T *y) {
    size_t i = get_global_id(0);
    y[i ^ X] = x[i ^ 1] + x[i * 2];
}
