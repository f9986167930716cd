// width: 8
// local: 64 1 1
// The counter is as it should be, but for where it starts; the index beside it grows by another number.
kernel void k(global const float *in, global float *out, int from, int n, uint stride) {
    float sum = 0;
    uint j = get_global_id(0);
    for (int i = from; i < n; i++) {
        sum += in[j] * i;
        j += stride;
    }
    out[get_global_id(0)] = sum;
}
//= @@ -35,2 +35,5 @@
//=  b4(%32: f32, %33: i32, %34: i32):
//= +  %50: i32 = sub %34, %14
//= +  %51: i32 = mul %50, %18
//= +  %52: i32 = add %31, %51
//=    %35: i1 = icmp.slt %34, %16 !311..316
//= @@ -38,3 +41,3 @@
//=  b5:
//= -  %36: i64 = zext %33 !340..345
//= +  %36: i64 = zext %52 !340..345
//=    %37: ptr<global> = ptr.add %10, %36 * 4 + 0 !340..345
//= @@ -43,3 +46,3 @@
//=    %40: f32 = fma %38, %39, %32 !333..349
//= -  %41: i32 = add %33, %18 !359..370
//= +  %41: i32 = add %52, %18 !359..370
//=    %42: i32 = add %34, %23 {nsw} !318..321
