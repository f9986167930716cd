// width: 8
// local: 64 1 1
// Counters of 64 bits become ones of 32 behind a branch that says how often the loop goes round.
kernel void k(global const float *in, global float *out, int n, uint stride) {
    float sum = 0;
    uint j = get_global_id(0);
    if (n > 0) {
        long i = 0;
        do {
            sum += in[j] * i;
            j += stride;
        } while (++i != n);
    }
    out[get_global_id(0)] = sum;
}
//= @@ -22,2 +22,7 @@
//=    %23: i64 = sext %14 !400..401
//= +  %51: i32 = trunc %19
//= +  %52: i32 = trunc %23
//= +  %53: i32 = sub %52, %51
//= +  %54: i32 = const 1
//= +  %55: i32 = sub %53, %54
//=    jump b1(%2, %17)
//= @@ -33,13 +38,20 @@
//=    %31: i32 = trunc %30 {nsw nuw} !253..269
//= -  br %22, b4(%20, %31, %19), b5(%20)
//= -b4(%32: f32, %33: i32, %34: i64):
//= -  %35: i64 = zext %33 !340..345
//= +  %57: i32 = const 0
//= +  br %22, b4(%20, %31, %19, %57), b5(%20)
//= +b4(%32: f32, %33: i32, %34: i64, %56: i32):
//= +  %62: i32 = mul %56, %16
//= +  %63: i32 = add %31, %62
//= +  %61: i64 = zext %56
//= +  %35: i64 = zext %63 !340..345
//=    %36: ptr<global> = ptr.add %10, %35 * 4 + 0 !340..345
//=    %37: f32 = load %36 !340..345
//= -  %38: f32 = sitofp %34 !348..349
//= +  %38: f32 = sitofp %61 !348..349
//=    %39: f32 = fma %37, %38, %32 !333..349
//= -  %40: i32 = add %33, %16 !363..374
//= -  %41: i64 = add %34, %9 {nsw} !393..396
//= +  %40: i32 = add %63, %16 !363..374
//= +  %41: i64 = add %61, %9 {nsw} !393..396
//=    %42: i1 = icmp.ne %41, %23 !393..401
//= -  br %42, b4(%39, %40, %41), b5(%39)
//= +  %58: i32 = const 1
//= +  %59: i32 = add %56, %58 {nuw}
//= +  %60: i1 = icmp.ult %56, %55
//= +  br %60, b4(%39, %40, %41, %59), b5(%39)
//=  b5(%43: f32):
