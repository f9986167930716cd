// target: scalar
// images: RGBA,FLOAT
// What is known of the format becomes constants at the front.
kernel void k(read_only image2d_t in, global float4 *out) {
    int x = get_global_id(0);
    out[x] = read_imagef(in, (int2)(x, 0));
}
//= @@ -2,2 +2,12 @@
//=  b0(%0: ptr<const>, %1: ptr<global>):
//= +  %77: i32 = const 4318
//= +  %78: i32 = const 4277
//= +  %79: i32 = const 16
//= +  %80: i32 = const 1535
//= +  %81: i32 = const 0
//= +  %82: i32 = const 2
//= +  %83: i32 = const 0
//= +  %84: i32 = const 4
//= +  %85: i32 = const 8
//= +  %86: i32 = const 12
//=    %2: i64 = gid 0 !190..206
