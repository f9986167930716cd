// width: 8
// local: 64 1 1
// Each work-item's counter starts at its id and does not wrap: addresses come of one of 64 bits.
kernel void k(global const float *in, global float *out, int n) {
    float sum = 0;
    for (int j = get_local_id(0); j < 1000; j += 64) sum += in[j + n];
    out[get_global_id(0)] = sum;
}
//= @@ -30,4 +30,5 @@
//=    %28: i32 = trunc %26 {nsw nuw} !244..259
//= -  jump b4(%18, %28)
//= -b4(%29: f32, %30: i32):
//= +  %46: i64 = sext %28
//= +  jump b4(%18, %28, %46)
//= +b4(%29: f32, %30: i32, %45: i64):
//=    %31: i1 = icmp.slt %30, %19 !261..269
//= @@ -36,4 +37,6 @@
//=    %32: i32 = add %30, %14 {nsw} !290..295
//= +  %49: i64 = sext %14
//= +  %50: i64 = add %45, %49
//=    %33: i64 = sext %32 !287..296
//= -  %34: ptr<global> = ptr.add %10, %33 * 4 + 0 !287..296
//= +  %34: ptr<global> = ptr.add %10, %50 * 4 + 0 !287..296
//=    %35: f32 = load %34 !287..296
//= @@ -41,3 +44,5 @@
//=    %37: i32 = add %30, %20 {nsw} !271..278
//= -  jump b4(%36, %37)
//= +  %47: i64 = sext %20
//= +  %48: i64 = add %45, %47
//= +  jump b4(%36, %37, %48)
//=  b6:
