// width: 8
// local: 64 1 1
// Both halves of a product of 64 bits, as generators of random numbers compute them: there are operations of 32 bits
// for either.
kernel void k(global uint2 *x) {
    size_t i = get_global_id(0);
    ulong product = (ulong)x[i].x * 0xD2511F53;
    x[i] = (uint2)((uint)(product >> 32) ^ x[i].y, (uint)product);
}
//= @@ -28,3 +28,4 @@
//=    %26: i64 = zext %25 !270..276
//= -  %27: i64 = mul %26, %14 !263..289
//= +  %39: i32 = const -766435501
//= +  %40: i32 = mul %25, %39 !263..289
//=    %28: i32 = mulhi.u %25, %15 !317..330
//= @@ -32,4 +33,3 @@
//=    %30: i32 = xor %28, %29 !310..340
//= -  %31: i32 = trunc %27 !348..355
//= -  %32: i32x2 = build %30, %31 !302..356
//= +  %32: i32x2 = build %30, %40 !302..356
//=    store %23, %32 !295..356
