// options: -clift-check=values
// A number is compared with the range of the type that it is converted to, unless that is what it is clamped to.
kernel void conversions(global int *a, float x) {
    a[0] = (int)x;
    a[1] = convert_int_sat(x);
}
//= @@ -15,2 +15,26 @@
//=    %10: f32 = load %9 !233..234
//= +  %20: i64 = const 0 !233..234
//= +  %21: f32 = const -2147483600.0 !233..234
//= +  %22: f32 = const 2147483600.0 !233..234
//= +  %23: i1 = fcmp.oge %10, %21 !233..234
//= +  %24: i1 = fcmp.olt %10, %22 !233..234
//= +  %25: i1 = and %23, %24 !233..234
//= +  br %25, b2, b1
//= +b1:
//= +  %26: i64 = const 0 !233..234
//= +  %27: i64 = lid 0 !233..234
//= +  %28: i64 = lid 1 !233..234
//= +  %29: i64 = const 21 !233..234
//= +  %30: i64 = shl %28, %29 !233..234
//= +  %31: i64 = or %27, %30 !233..234
//= +  %32: i64 = lid 2 !233..234
//= +  %33: i64 = const 42 !233..234
//= +  %34: i64 = shl %32, %33 !233..234
//= +  %35: i64 = or %31, %34 !233..234
//= +  %36: i64 = grp 0 !233..234
//= +  %37: i64 = grp 1 !233..234
//= +  %38: i64 = grp 2 !233..234
//= +  check.report %26, %20, %20, %20, %20, %35, %36, %37, %38 !233..234
//= +  jump b2
//= +b2:
//=    %11: i32 = fptosi %10 {range rtz} !233..234
