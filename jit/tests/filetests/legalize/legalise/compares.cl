// target: neon
// local: 4 1 1
// Comparisons with NaN are false on this machine; those that want them true are the contrary of others, and a selection
// by the contrary takes its operands the other way round. Of integers all but `!=` are there.
kernel void k(global float *x, global const float *y, global uint *n) {
    size_t i = get_local_id(0);
    float a = x[i], b = y[i];
    n[i] = n[i] <= 7u ? islessgreater(a, b) : isunordered(a, b);
    x[i] = !(a < b) ? a : 2 * b;
}
//= @@ -1,31 +1,37 @@
//= -func @k(ptr<const>, ptr<const>, i64, i64) lanes {
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= -  %4: i64 = const 1
//= -  %5: ptr<global> = load %0 {inv}
//= -  %6: ptr<const> = ptr.off %0, 8
//= -  %7: ptr<global> = load %6 {inv}
//= -  %8: ptr<const> = ptr.off %0, 16
//= -  %9: ptr<global> = load %8 {inv}
//= -  %10: i32x4 = const 7
//= +  %5: i64 = const 1
//= +  %11: i32x4 = const 7
//= +  %20: i32x4 = const 1
//= +  %6: ptr<global> = load %0 {inv}
//= +  %7: ptr<const> = ptr.off %0, 8
//= +  %8: ptr<global> = load %7 {inv}
//= +  %9: ptr<const> = ptr.off %0, 16
//= +  %10: ptr<global> = load %9 {inv}
//=    jump b1(%2)
//= -b1(%11: i64):
//= -  %12: i1 = icmp.ult %11, %3
//= +b1(%4: i64):
//= +  %12: i1 = icmp.ult %4, %3
//=    br %12, b2, b3
//=  b2:
//= -  %13: f32x4 = load %5 !381..385
//= -  %14: f32x4 = load %7 !391..395
//= -  %15: i32x4 = load %9 !408..412
//= -  %16: i1x4 = icmp.ule %15, %10 !408..418
//= -  %17: i1x4 = fcmp.one %13, %14 !421..440
//= -  %18: i32x4 = zext %17 !421..440
//= -  %19: i1x4 = fcmp.uno %13, %14 !443..460
//= -  %20: i32x4 = zext %19 !443..460
//= -  %21: i32x4 = select %16, %18, %20
//= -  store %9, %21 !401..460
//= -  %22: i1x4 = fcmp.olt %13, %14 !475..480
//= -  %23: f32x4 = fadd %14, %14 !488..493
//= -  %24: f32x4 = select %22, %23, %13
//= -  store %5, %24 !466..493
//= -  %25: i64 = add %11, %4 !466..493
//= -  jump b1(%25)
//= +  %13: f32x4 = load %6 !381..385
//= +  %14: f32x4 = load %8 !391..395
//= +  %15: i32x4 = load %10 !408..412
//= +  %16: i32x4 = icmp.ule %15, %11 !408..418
//= +  %17: i32x4 = fcmp.olt %13, %14 !421..440
//= +  %18: i32x4 = fcmp.ogt %13, %14 !421..440
//= +  %19: i32x4 = or %17, %18 !421..440
//= +  %21: i32x4 = and %19, %20 !421..440
//= +  %22: i32x4 = fcmp.oeq %13, %13 !443..460
//= +  %23: i32x4 = fcmp.oeq %14, %14 !443..460
//= +  %24: i32x4 = and %22, %23 !443..460
//= +  %25: i32x4 = not %24 !443..460
//= +  %26: i32x4 = and %25, %20 !443..460
//= +  %27: i32x4 = select %16, %21, %26
//= +  store %10, %27 !401..460
//= +  %28: i32x4 = fcmp.olt %13, %14 !475..480
//= +  %29: f32x4 = fadd %14, %14 !488..493
//= +  %30: f32x4 = select %28, %29, %13
//= +  store %6, %30 !466..493
//= +  %31: i64 = add %4, %5 !466..493
//= +  jump b1(%31)
//=  b3:
