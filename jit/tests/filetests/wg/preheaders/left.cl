// target: scalar
// local: 64 1 1
// What is in front of the loop leads nowhere else.
kernel void k(global int *p, int n) {
    int x = p[n];
    do x = x * 3 + 1; while (x < n);
    p[get_global_id(0)] = x;
}
//= no change
