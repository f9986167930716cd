// target: avx512
// local: 1 1 1
// The same fits one register of a larger machine, and stays as it was but for its numbers.
kernel void k(global int8 *x) {
    *x += 3;
}
//= @@ -2,19 +2,19 @@
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: i64 = const 1
//= -  %5: ptr<global> = load %0 {inv}
//= -  %6: i32x8 = const 3 !183..184
//= -  %7: i1 = icmp.ult %2, %3
//= -  br %7, b1, b5
//= +  %6: i64 = const 1
//= +  %8: i32x8 = const 3
//= +  %7: ptr<global> = load %0 {inv}
//= +  %9: i1 = icmp.ult %2, %3
//= +  br %9, b1, b5
//=  b1:
//= -  %8: i32x8 = load %5
//= -  jump b2(%2, %8)
//= -b2(%9: i64, %10: i32x8):
//= -  %11: i1 = icmp.ult %9, %3
//= +  %10: i32x8 = load %7
//= +  jump b2(%2, %10)
//= +b2(%4: i64, %5: i32x8):
//= +  %11: i1 = icmp.ult %4, %3
//=    br %11, b3, b4
//=  b3:
//= -  %12: i32x8 = add %10, %6 !177..184
//= -  %13: i64 = add %9, %4 !177..184
//= +  %12: i32x8 = add %5, %8 !177..184
//= +  %13: i64 = add %4, %6 !177..184
//=    jump b2(%13, %12)
//=  b4:
//= -  store %5, %10
//= +  store %7, %5
//=    jump b5
