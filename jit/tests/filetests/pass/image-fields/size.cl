// target: scalar
// images: RGBA,FLOAT
// The width is loaded once, in front of all.
kernel void k(read_only image2d_t in, global int *out) {
    int x = get_global_id(0);
    out[x] = get_image_width(in) + x;
    out[x + 1] = get_image_width(in) - x;
}
//= @@ -2,2 +2,4 @@
//=  b0(%0: ptr<const>, %1: ptr<global>):
//= +  %21: ptr<const> = ptr.off %0, 24
//= +  %22: i32 = load %21 {inv}
//=    %11: i32 = const 4318
//= @@ -18,6 +20,6 @@
//=    %7: i32 = load %6 !5394..5390
//= -  %8: i32 = add %7, %3 {nsw} !201..224
//= +  %8: i32 = add %22, %3 {nsw} !201..224
//=    store %5, %8 !192..224
//=    %9: ptr<global> = ptr.off %5, 4 !230..240
//= -  %10: i32 = sub %7, %3 {nsw} !243..266
//= +  %10: i32 = sub %22, %3 {nsw} !243..266
//=    store %9, %10 !230..266
