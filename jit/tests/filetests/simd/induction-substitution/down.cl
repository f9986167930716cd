// width: 8
// local: 64 1 1
// A loop that counts down to 0, with an index beside the counter: both are made of a counter that goes up.
kernel void k(global const float *in, global float *out, int n, uint stride) {
    float sum = 0;
    uint j = get_global_id(0);
    if (n <= 0) return;
    do {
        sum += in[j];
        j += stride;
    } while (--n != 0);
    out[get_global_id(0)] = sum;
}
//= @@ -23,2 +23,3 @@
//=    %24: i32 = const 1 !370..378
//= +  %50: i32 = sub %14, %24
//=    jump b1(%2, %17)
//= @@ -34,5 +35,9 @@
//=    %32: i32 = trunc %31 {nsw nuw} !263..279
//= -  br %22, b6, b4(%14, %20, %32)
//= -b4(%33: i32, %34: f32, %35: i32):
//= -  %36: i64 = zext %35 !329..334
//= +  %52: i32 = const 0
//= +  br %22, b6, b4(%14, %20, %32, %52)
//= +b4(%33: i32, %34: f32, %35: i32, %51: i32):
//= +  %57: i32 = mul %51, %16
//= +  %58: i32 = add %32, %57
//= +  %56: i32 = sub %14, %51
//= +  %36: i64 = zext %58 !329..334
//=    %37: ptr<global> = ptr.add %10, %36 * 4 + 0 !329..334
//= @@ -40,6 +45,9 @@
//=    %39: f32 = fadd %34, %38 !322..334
//= -  %40: i32 = add %35, %16 !344..355
//= -  %41: i32 = add %33, %23 {nsw} !370..373
//= -  %42: i1 = icmp.ne %33, %24 !370..378
//= -  br %42, b4(%41, %39, %40), b5
//= +  %40: i32 = add %58, %16 !344..355
//= +  %41: i32 = add %56, %23 {nsw} !370..373
//= +  %42: i1 = icmp.ne %56, %24 !370..378
//= +  %53: i32 = const 1
//= +  %54: i32 = add %51, %53 {nuw}
//= +  %55: i1 = icmp.ult %51, %50
//= +  br %55, b4(%41, %39, %40, %54), b5
//=  b5:
