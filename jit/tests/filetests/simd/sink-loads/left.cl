// target: avx512
// width: 16
// local: 16 4 1
// disjoint
// Eight are few enough for registers.
kernel void k(global const float *c, global const float *x, global float *y) {
    size_t i = get_global_id(1) * 16 + get_global_id(0);
    c += get_group_id(0) * 9;
    float s = x[i];
    s = s * 0.5f + c[0];
    s = s * 0.5f + c[1];
    s = s * 0.5f + c[2];
    s = s * 0.5f + c[3];
    s = s * 0.5f + c[4];
    s = s * 0.5f + c[5];
    s = s * 0.5f + c[6];
    s = s * 0.5f + c[7];
    y[i] = s;
}
//= no change
