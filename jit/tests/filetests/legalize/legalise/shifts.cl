// target: avx512
// width: 16
// local: 16 1 1
// Amounts that are known to be below the width need no mask.
kernel void k(global uint *a, global const uint *b) {
    size_t i = get_global_id(0);
    a[i] = (a[i] >> (b[i] & 3) * 8) + (a[i] << b[i]);
}
//= @@ -1,37 +1,45 @@
//= -func @k(ptr<const>, ptr<const>, i64, i64) lanes {
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: ptr<const> = ptr.off %1, 24
//= -  %5: i64 = load %4 {inv}
//= -  %6: ptr<const> = ptr.off %1, 72
//= -  %7: i64 = load %6 {inv}
//= -  %8: i64 = const 1
//= -  %9: ptr<global> = load %0 {inv}
//= -  %10: ptr<const> = ptr.off %0, 8
//= -  %11: ptr<global> = load %10 {inv}
//= -  %12: i64 = rem.u %2, %7
//= -  %13: i64 = const 4
//= +  %10: i64 = const 1
//=    %14: i64 = const 0
//= -  %15: i32x16 = const 3
//= -  jump b1(%2, %12)
//= -b1(%16: i64, %17: i64):
//= -  %18: i1 = icmp.ult %16, %3
//= -  br %18, b2, b3
//= +  %21: i64 = const 4
//= +  %22: i32x16 = const 3
//= +  %31: i32 = const 3
//= +  %34: i32x16 = const 31
//= +  %6: ptr<const> = ptr.off %1, 24
//= +  %7: i64 = load %6 {inv}
//= +  %8: ptr<const> = ptr.off %1, 72
//= +  %9: i64 = load %8 {inv}
//= +  %11: ptr<global> = load %0 {inv}
//= +  %12: ptr<const> = ptr.off %0, 8
//= +  %13: ptr<global> = load %12 {inv}
//= +  %15: i1 = icmp.eq %9, %14
//= +  %16: i64 = select %15, %10, %9
//= +  %17: i64 = div.u %2, %16
//= +  %18: i64 = select %15, %14, %17
//= +  %19: i64 = mul %18, %9
//= +  %20: i64 = sub %2, %19
//= +  jump b1(%2, %20)
//= +b1(%4: i64, %5: i64):
//= +  %23: i1 = icmp.ult %4, %3
//= +  br %23, b2, b3
//=  b2:
//= -  %19: i64 = shl %17, %13
//= -  %20: i64 = add %19, %5
//= -  %21: ptr<global> = ptr.add %9, %20 * 4 + 0 !216..220
//= -  %22: i32x16 = load %21 !224..228
//= -  %23: ptr<global> = ptr.add %11, %20 * 4 + 0 !233..237
//= -  %24: i32x16 = load %23 !233..237
//= -  %25: i32x16 = and %24, %15 !233..241
//= -  %26: i32x16 = shl %25, %15 !232..246
//= -  %27: i32x16 = lshr %22, %26 !224..246
//= -  %28: i32x16 = shl %22, %24 !251..263
//= -  %29: i32x16 = add %27, %28 !223..264
//= -  store %21, %29 !216..264
//= -  %30: i64 = add %16, %8 !216..264
//= -  %31: i64 = add %17, %8 !216..264
//= -  %32: i1 = icmp.eq %31, %7 !216..264
//= -  %33: i64 = select %32, %14, %31 !216..264
//= -  jump b1(%30, %33)
//= +  %24: i64 = shl %5, %21
//= +  %25: i64 = add %24, %7
//= +  %26: ptr<global> = ptr.add %11, %25 * 4 + 0 !216..220
//= +  %27: i32x16 = load %26 !224..228
//= +  %28: ptr<global> = ptr.add %13, %25 * 4 + 0 !233..237
//= +  %29: i32x16 = load %28 !233..237
//= +  %30: i32x16 = and %29, %22 !233..241
//= +  %32: i32x16 = shl %30, %31 !232..246
//= +  %33: i32x16 = lshr %27, %32 !224..246
//= +  %35: i32x16 = and %29, %34 !251..263
//= +  %36: i32x16 = shl %27, %35 !251..263
//= +  %37: i32x16 = add %33, %36 !223..264
//= +  store %26, %37 !216..264
//= +  %38: i64 = add %4, %10 !216..264
//= +  %39: i64 = add %5, %10 !216..264
//= +  %40: i1 = icmp.eq %39, %9 !216..264
//= +  %41: i64 = select %40, %14, %39 !216..264
//= +  jump b1(%38, %41)
//=  b3:
