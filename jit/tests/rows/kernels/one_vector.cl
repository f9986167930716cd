// local: 4 8 16
// groups: 1 3
// exact: yes
// width: 4 8 16
// T: int float uchar
// C: 3 100
kernel void k(global T *x) {
    x[get_global_id(0)] += C;
}
