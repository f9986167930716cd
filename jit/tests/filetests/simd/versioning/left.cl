// width: 8
// local: 64 1 1
// The index is held in a range, but is read from memory: it does not grow from work-item to work-item. The loop
// gets blocks behind it, but no copy.
kernel void k(global const float *in, global const int *at, global float *out) {
    int x = get_global_id(0);
    out[x] = in[max(at[x], 0)];
}
//= @@ -37,3 +37,7 @@
//=    %34: i1 = icmp.ult %33, %8 !311..337
//= -  br %34, b3(%33), b4
//= +  br %34, b3(%33), b7
//= +b7:
//= +  jump b6
//= +b6:
//= +  jump b4
//=  b4:
