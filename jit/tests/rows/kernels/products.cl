// local: 8 16
// groups: 2
// options: -cl-mad-enable
// T: float double
// OP: + -
// C: 1 3
// All products and sums are exact, so that contraction changes no result.
kernel void k(global const T *a, global const T *b, global T *c) {
    size_t i = get_global_id(0);
    T p = a[i] * b[i];
    T x = p OP c[i];
    T q = x * C;
    c[i] = q + b[i + 1];
}
