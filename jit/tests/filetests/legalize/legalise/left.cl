// target: avx512
// local: 1 1 1
// The same fits one register of a larger machine, and stays as it was but for its numbers.
kernel void k(global int8 *x, int y) {
    x[get_group_id(0) * y] += 3;
}
//= @@ -2,27 +2,32 @@
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: ptr<const> = ptr.off %1, 72
//= -  %5: i64 = load %4 {inv}
//= -  %6: i64 = const 1
//= -  %7: ptr<global> = load %0 {inv}
//= -  %8: ptr<const> = ptr.off %0, 8
//= -  %9: i32 = load %8 {inv}
//= -  %10: i64 = rem.u %2, %5
//= -  %11: i64 = const 0
//= -  %12: i64 = sext %9 !204..205
//= -  %13: i32x8 = const 3 !210..211
//= -  jump b1(%2, %10)
//= -b1(%14: i64, %15: i64):
//= -  %16: i1 = icmp.ult %14, %3
//= -  br %16, b2, b3
//= +  %8: i64 = const 1
//= +  %12: i64 = const 0
//= +  %20: i32x8 = const 3
//= +  %6: ptr<const> = ptr.off %1, 72
//= +  %7: i64 = load %6 {inv}
//= +  %9: ptr<global> = load %0 {inv}
//= +  %10: ptr<const> = ptr.off %0, 8
//= +  %11: i32 = load %10 {inv}
//= +  %13: i1 = icmp.eq %7, %12
//= +  %14: i64 = select %13, %8, %7
//= +  %15: i64 = div.u %2, %14
//= +  %16: i64 = select %13, %12, %15
//= +  %17: i64 = mul %16, %7
//= +  %18: i64 = sub %2, %17
//= +  %19: i64 = sext %11 !204..205
//= +  jump b1(%2, %18)
//= +b1(%4: i64, %5: i64):
//= +  %21: i1 = icmp.ult %4, %3
//= +  br %21, b2, b3
//=  b2:
//= -  %17: i64 = mul %15, %12 !186..205
//= -  %18: ptr<global> = ptr.add %7, %17 * 32 + 0 !184..206
//= -  %19: i32x8 = load %18 !184..211
//= -  %20: i32x8 = add %19, %13 !184..211
//= -  store %18, %20 !184..211
//= -  %21: i64 = add %14, %6 !184..211
//= -  %22: i64 = add %15, %6 !184..211
//= -  %23: i1 = icmp.eq %22, %5 !184..211
//= -  %24: i64 = select %23, %11, %22 !184..211
//= -  jump b1(%21, %24)
//= +  %22: i64 = mul %5, %19 !186..205
//= +  %23: ptr<global> = ptr.add %9, %22 * 32 + 0 !184..206
//= +  %24: i32x8 = load %23 !184..211
//= +  %25: i32x8 = add %24, %20 !184..211
//= +  store %23, %25 !184..211
//= +  %26: i64 = add %4, %8 !184..211
//= +  %27: i64 = add %5, %8 !184..211
//= +  %28: i1 = icmp.eq %27, %7 !184..211
//= +  %29: i64 = select %28, %12, %27 !184..211
//= +  jump b1(%26, %29)
//=  b3:
