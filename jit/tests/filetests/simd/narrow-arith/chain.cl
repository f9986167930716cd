// width: 8
// local: 64 1 1
// C computes in `int`; only the low 16 bits of the sum are asked for.
kernel void k(global short *x) {
    size_t i = get_global_id(0);
    x[i] = x[i] * x[i] + 3;
}
//= @@ -26,6 +26,6 @@
//=    %24: i32 = sext %23 !192..196
//= -  %25: i32 = mul %24, %24 {nsw} !192..203
//= -  %26: i32 = add %25, %14 {nsw} !192..207
//= -  %27: i16 = trunc %26 !192..207
//= -  store %22, %27 !185..207
//= +  %34: i16 = mul %23, %23 !192..203
//= +  %35: i16 = const 3
//= +  %36: i16 = add %34, %35 !192..207
//= +  store %22, %36 !185..207
//=    %28: i64 = add %20, %9 {nsw nuw} !185..207
