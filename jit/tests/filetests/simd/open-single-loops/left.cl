// width: 8
// local: 24 1 1
// The group is three vectors.
kernel void k(global int *x) {
    x[get_global_id(0)] += 3;
}
//= no change
