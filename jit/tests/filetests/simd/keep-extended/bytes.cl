// target: avx512
// local: 16 1 1
// The bytes of a gathered word become words again: they need not become bytes in between.
kernel void k(global const uchar *x, global const int *at, global uint *y) {
    size_t i = get_global_id(0);
    int p = at[i];
    y[i] = x[p] | x[p + 1] * 5 | x[p + 2] * 7;
}
//= @@ -38,8 +38,14 @@
//=    %51: i8x16 = trunc %50 !281..285
//= +  %52: i32x16 = const 255 !281..285
//= +  %53: i32x16 = and %44, %52 !281..285
//=    %30: i32x16 = zext %45 !281..285
//= +  %54: i32x16 = const 255 !288..296
//= +  %55: i32x16 = and %47, %54 !288..296
//=    %32: i32x16 = zext %48 !288..296
//= -  %33: i32x16 = mul %32, %19 {nsw} !288..300
//= -  %34: i32x16 = or %30, %33 !281..300
//= +  %33: i32x16 = mul %55, %19 {nsw} !288..300
//= +  %34: i32x16 = or %53, %33 !281..300
//= +  %56: i32x16 = const 255 !303..311
//= +  %57: i32x16 = and %50, %56 !303..311
//=    %36: i32x16 = zext %51 !303..311
//= -  %37: i32x16 = mul %36, %20 {nsw} !303..315
//= +  %37: i32x16 = mul %57, %20 {nsw} !303..315
//=    %38: i32x16 = or %34, %37 !281..315
