// target: scalar
// images: RGBA,FLOAT
// All of the constants are the image's. Nothing is known of the sampler, which stays what the launch gives.
kernel void k(read_only image1d_t im, sampler_t s, global float4 *out) {
    out[get_global_id(0)] = read_imagef(im, s, 1);
}
//= @@ -2,2 +2,12 @@
//=  b0(%0: ptr<const>, %1: i32, %2: ptr<global>):
//= +  %107: i32 = const 4318
//= +  %108: i32 = const 4277
//= +  %109: i32 = const 16
//= +  %110: i32 = const 1535
//= +  %111: i32 = const 0
//= +  %112: i32 = const 2
//= +  %113: i32 = const 0
//= +  %114: i32 = const 4
//= +  %115: i32 = const 8
//= +  %116: i32 = const 12
//=    %3: i64 = gid 0 !245..261
