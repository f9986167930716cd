// target: scalar
// local: 16 4 1
// The loop over the work-items of a row ends where the image does.
kernel void k(global int *p, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w) p[y * 100 + x] = x;
}
//= @@ -36,3 +36,9 @@
//=    %35: i32 = mul %34, %23 {nsw} !225..232
//= -  jump b4(%22)
//= +  %55: i64 = const 0
//= +  %56: i64 = sext %17
//= +  %57: i64 = max.s %56, %30
//= +  %58: i64 = sub %57, %30
//= +  %59: i64 = min.u %58, %12
//= +  %60: i1 = icmp.ult %55, %59
//= +  br %60, b4(%22), b7
//=  b4(%36: i64) items:
//= @@ -41,3 +47,3 @@
//=    %39: i1 = icmp.slt %38, %17 !216..221
//= -  br %39, b5, b6
//= +  jump b5
//=  b5:
//= @@ -51,3 +57,4 @@
//=    %44: i1 = icmp.ult %43, %12 !223..241
//= -  br %44, b4(%43), b7
//= +  %61: i1 = icmp.ult %43, %59
//= +  br %61, b4(%43), b7
//=  b7:
