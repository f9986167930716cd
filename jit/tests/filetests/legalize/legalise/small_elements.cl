// target: avx2
// local: 1 1 1
// Sixteen bytes are one register, and stay one when they change places.
kernel void k(global uchar16 *x, global const uchar16 *y) {
    uchar16 a = *x, b = a.s1032547698badcfe;
    *x = max(a, b) - min(a, *y);
}
//= @@ -2,19 +2,19 @@
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: i64 = const 1
//= -  %5: ptr<global> = load %0 {inv}
//= -  %6: ptr<const> = ptr.off %0, 8
//= -  %7: ptr<global> = load %6 {inv}
//= +  %5: i64 = const 1
//= +  %6: ptr<global> = load %0 {inv}
//= +  %7: ptr<const> = ptr.off %0, 8
//= +  %8: ptr<global> = load %7 {inv}
//=    jump b1(%2)
//= -b1(%8: i64):
//= -  %9: i1 = icmp.ult %8, %3
//= +b1(%4: i64):
//= +  %9: i1 = icmp.ult %4, %3
//=    br %9, b2, b3
//=  b2:
//= -  %10: i8x16 = load %5 !196..198
//= +  %10: i8x16 = load %6 !196..198
//=    %11: i8x16 = shuffle %10, %10, [1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14] !204..223
//=    %12: i8x16 = max.u %10, %11 !234..243
//= -  %13: i8x16 = load %7 !253..255
//= +  %13: i8x16 = load %8 !253..255
//=    %14: i8x16 = min.u %10, %13 !246..256
//=    %15: i8x16 = sub %12, %14 !234..256
//= -  store %5, %15 !229..256
//= -  %16: i64 = add %8, %4 !229..256
//= +  store %6, %15 !229..256
//= +  %16: i64 = add %4, %5 !229..256
//=    jump b1(%16)
