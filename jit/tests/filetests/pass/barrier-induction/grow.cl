// Each work-item's address and index grow by the same in each turn: of both, the first values and a counter are left.
kernel void k(global const float *in, global float *out, uint rows, uint stride) {
    local float tile[64];
    size_t l = get_local_id(0);
    float sum = 0;
    uint j = l;
    global const float *from = in + get_global_id(0);
    for (uint row = 0; row < rows; row += 4) {
        tile[l] = in[j] + *from;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        from += 64;
        j += stride;
    }
    out[get_global_id(0)] = sum;
}
//= @@ -14,4 +14,11 @@
//=    %15: i32 = const 4 !406..407
//= -  jump b1(%5, %6, %8, %9)
//= -b1(%16: f32, %17: i32, %18: ptr<global>, %19: i32):
//= +  %33: i64 = const 0
//= +  jump b1(%5, %6, %8, %9, %33)
//= +b1(%16: f32, %17: i32, %18: ptr<global>, %19: i32, %32: i64):
//= +  %36: i32 = trunc %32
//= +  %37: i32 = mul %36, %3
//= +  %38: i32 = add %6, %37
//= +  %39: i64 = const 256
//= +  %40: i64 = mul %32, %39
//= +  %41: ptr<global> = ptr.add %8, %40 * 1 + 0
//=    %20: i1 = icmp.ult %19, %2 !387..397
//= @@ -19,6 +26,6 @@
//=  b2:
//= -  %21: i64 = zext %17 !429..434
//= +  %21: i64 = zext %38 !429..434
//=    %22: ptr<global> = ptr.add %0, %21 * 4 + 0 !429..434
//=    %23: f32 = load %22 !429..434
//= -  %24: f32 = load %18 !437..442
//= +  %24: f32 = load %41 !437..442
//=    %25: f32 = fadd %23, %24 !429..442
//= @@ -29,6 +36,8 @@
//=    barrier 1 !519..547
//= -  %28: ptr<global> = ptr.off %18, 256 !557..567
//= -  %29: i32 = add %17, %3 !577..588
//= +  %28: ptr<global> = ptr.off %41, 256 !557..567
//= +  %29: i32 = add %38, %3 !577..588
//=    %30: i32 = add %19, %15 !399..407
//= -  jump b1(%27, %29, %28, %30)
//= +  %34: i64 = const 1
//= +  %35: i64 = add %32, %34 {nsw nuw}
//= +  jump b1(%27, %29, %28, %30, %35)
//=  b3:
