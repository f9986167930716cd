// target: scalar
// local: 64 1 1
// In front of the loop over work-items both pointers get the first index of the group; neighbours stay neighbours.
kernel void k(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = in[i] + in[i + 1];
}
//= @@ -26,2 +26,4 @@
//=    %26: i64 = add %25, %8
//= +  %40: ptr<global> = ptr.add %15, %26 * 4 + 0
//= +  %41: ptr<global> = ptr.add %13, %26 * 4 + 0
//=    jump b3(%16)
//= @@ -29,4 +31,4 @@
//=    %27: i64 = add %26, %6 {nsw nuw}
//= -  %28: ptr<global> = ptr.add %15, %27 * 4 + 0 !258..264
//= -  %29: ptr<global> = ptr.add %13, %27 * 4 + 0 !267..272
//= +  %28: ptr<global> = ptr.add %40, %6 * 4 + 0 !258..264
//= +  %29: ptr<global> = ptr.add %41, %6 * 4 + 0 !267..272
//=    %30: i32 = load %29 !267..272
