// target: scalar
// local: 1 1 1
// Two registers for eight numbers.
kernel void k(global int8 *x) {
    *x += 3;
}
//= @@ -2,19 +2,24 @@
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: i64 = const 1
//= -  %5: ptr<global> = load %0 {inv}
//= -  %6: i32x8 = const 3 !127..128
//= -  %7: i1 = icmp.ult %2, %3
//= -  br %7, b1, b5
//= +  %7: i64 = const 1
//= +  %9: i32x4 = const 3
//= +  %8: ptr<global> = load %0 {inv}
//= +  %10: i1 = icmp.ult %2, %3
//= +  br %10, b1, b5
//=  b1:
//= -  %8: i32x8 = load %5
//= -  jump b2(%2, %8)
//= -b2(%9: i64, %10: i32x8):
//= -  %11: i1 = icmp.ult %9, %3
//= -  br %11, b3, b4
//= +  %11: i32x4 = load %8
//= +  %12: ptr<global> = ptr.off %8, 16
//= +  %13: i32x4 = load %12
//= +  jump b2(%2, %11, %13)
//= +b2(%4: i64, %5: i32x4, %6: i32x4):
//= +  %14: i1 = icmp.ult %4, %3
//= +  br %14, b3, b4
//=  b3:
//= -  %12: i32x8 = add %10, %6 !121..128
//= -  %13: i64 = add %9, %4 !121..128
//= -  jump b2(%13, %12)
//= +  %15: i32x4 = add %5, %9 !121..128
//= +  %16: i32x4 = add %6, %9 !121..128
//= +  %17: i64 = add %4, %7 !121..128
//= +  jump b2(%17, %15, %16)
//=  b4:
//= -  store %5, %10
//= +  store %8, %5
//= +  %18: ptr<global> = ptr.off %8, 16
//= +  store %18, %6
//=    jump b5
