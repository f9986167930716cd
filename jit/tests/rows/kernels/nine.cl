// local: 16x4 16x2
// groups: 1 2
// target: avx512
// width: 16
// exact: yes
// disjoint: yes
// F: 0.5f 2.0f
#define STEP(n) s = s * F + c[n];
kernel void k(global const float *c, global const float *x, global float *y) {
    size_t i = get_global_id(1) * 32 + get_global_id(0);
    c += get_group_id(0) * 12;
    float s = x[i];
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10)
    y[i] = s;
}
