// target: avx2
// local: 1 1 1
// More is done with components than with the whole.
kernel void k(global uchar4 *x, global uchar *y) {
    uchar4 a = *x;
    y[0] = a.x * 3;
    y[4] = a.y >> 1;
    y[9] = a.z + a.w;
}
//= @@ -2,35 +2,37 @@
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: i64 = const 1
//= -  %5: ptr<global> = load %0 {inv}
//= -  %6: ptr<const> = ptr.off %0, 8
//= -  %7: ptr<global> = load %6 {inv}
//= -  %8: i32 = const 3 !187..188
//= -  %9: i32 = const 1 !208..209
//= +  %5: i64 = const 1
//= +  %9: i32 = const 3
//= +  %10: i32 = const 1
//= +  %6: ptr<global> = load %0 {inv}
//= +  %7: ptr<const> = ptr.off %0, 8
//= +  %8: ptr<global> = load %7 {inv}
//=    jump b1(%2)
//= -b1(%10: i64):
//= -  %11: i1 = icmp.ult %10, %3
//= +b1(%4: i64):
//= +  %11: i1 = icmp.ult %4, %3
//=    br %11, b2, b3
//=  b2:
//= -  %12: i8x4 = load %5 !166..168
//= -  %13: i8 = extract %12, 0 !181..184
//= -  %14: i32 = zext %13 !181..184
//= -  %15: i32 = mul %14, %8 {nsw} !181..188
//= -  %16: i8 = trunc %15 !181..188
//= -  store %7, %16 !174..188
//= -  %17: ptr<global> = ptr.off %7, 4 !194..198
//= -  %18: i8 = extract %12, 1 !201..204
//= -  %19: i32 = zext %18 !201..204
//= -  %20: i32 = ashr %19, %9 !201..209
//= -  %21: i8 = trunc %20 !201..209
//= -  store %17, %21 !194..209
//= -  %22: ptr<global> = ptr.off %7, 9 !215..219
//= -  %23: i8 = extract %12, 2 !222..225
//= -  %24: i32 = zext %23 !222..225
//= -  %25: i8 = extract %12, 3 !228..231
//= -  %26: i32 = zext %25 !228..231
//= -  %27: i32 = add %24, %26 {nsw} !222..231
//= -  %28: i8 = trunc %27 !222..231
//= -  store %22, %28 !215..231
//= -  %29: i64 = add %10, %4 !215..231
//= -  jump b1(%29)
//= +  %12: i8 = load %6 !166..168
//= +  %13: ptr<global> = ptr.off %6, 1 !166..168
//= +  %14: i8 = load %13 !166..168
//= +  %15: ptr<global> = ptr.off %6, 2 !166..168
//= +  %16: i8 = load %15 !166..168
//= +  %17: ptr<global> = ptr.off %6, 3 !166..168
//= +  %18: i8 = load %17 !166..168
//= +  %19: i32 = zext %12 !181..184
//= +  %20: i32 = mul %19, %9 {nsw} !181..188
//= +  %21: i8 = trunc %20 !181..188
//= +  store %8, %21 !174..188
//= +  %22: ptr<global> = ptr.off %8, 4 !194..198
//= +  %23: i32 = zext %14 !201..204
//= +  %24: i32 = ashr %23, %10 !201..209
//= +  %25: i8 = trunc %24 !201..209
//= +  store %22, %25 !194..209
//= +  %26: ptr<global> = ptr.off %8, 9 !215..219
//= +  %27: i32 = zext %16 !222..225
//= +  %28: i32 = zext %18 !228..231
//= +  %29: i32 = add %27, %28 {nsw} !222..231
//= +  %30: i8 = trunc %29 !222..231
//= +  store %26, %30 !215..231
//= +  %31: i64 = add %4, %5 !215..231
//= +  jump b1(%31)
//=  b3:
