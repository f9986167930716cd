// width: 8
// local: 1 1 1
// disjoint
// The test in front of each turn says that the counter does not wrap.
kernel void k(global const float *in, global float *out, uint n) {
    for (uint j = 0; j < n; j++) out[j] = in[j] + 1;
}
//= @@ -14,4 +14,5 @@
//=    %14: i1 = icmp.ult %13, %3
//= -  br %14, b2(%10), b5
//= -b2(%15: i32):
//= +  %25: i64 = zext %10
//= +  br %14, b2(%10, %25), b5
//= +b2(%15: i32, %24: i64):
//=    %16: i1 = icmp.ult %15, %9 !214..219
//= @@ -20,4 +21,4 @@
//=    %17: i64 = zext %15 !226..232
//= -  %18: ptr<global> = ptr.add %7, %17 * 4 + 0 !226..232
//= -  %19: ptr<global> = ptr.add %5, %17 * 4 + 0 !235..240
//= +  %18: ptr<global> = ptr.add %7, %24 * 4 + 0 !226..232
//= +  %19: ptr<global> = ptr.add %5, %24 * 4 + 0 !235..240
//=    %20: f32 = load %19 !235..240
//= @@ -25,4 +26,6 @@
//=    store %18, %21 !226..244
//= -  %22: i32 = add %15, %12 !221..224
//= -  jump b2(%22)
//= +  %22: i32 = add %15, %12 {nuw} !221..224
//= +  %26: i64 = zext %12
//= +  %27: i64 = add %24, %26
//= +  jump b2(%22, %27)
//=  b4:
