// target: scalar
// local: 64 1 1
// The index is the counter as it is, and that of the store is no sum; the loop has a preheader now.
kernel void k(global const int *in, global int *out) {
    size_t l = get_local_id(0);
    out[(in[l] + get_group_id(0)) ^ 1] = in[l];
}
//= @@ -19,3 +19,5 @@
//=    %21: i1 = icmp.ult %4, %3
//= -  br %21, b2(%14), b4
//= +  br %21, b5, b4
//= +b5:
//= +  jump b2(%14)
//=  b2(%6: i64):
