// width: 8
// local: 1 1 1
// The way on which the loop is left is chosen behind it.
kernel void k(global const float *in, global int *out, int n) {
    float x[80];
    for (int i = 0; i < 80; i++) x[i] = in[i];
    for (int g = 0; g < n; g++) {
        float y = in[g];
        for (int i = 0; i < 32; i++)
            if (sqrt(fabs(x[i] - y) * x[i + 40]) < 0.25f * x[i + 3]) goto found;
        continue;
    found:
        out[g * n] = g;
    }
}
//= @@ -37,6 +37,7 @@
//=    %29: f32 = load %28 !281..286
//= -  jump b6(%10)
//= -b6(%30: i32):
//= +  %52: i32 = const 0
//= +  jump b6(%10, %52)
//= +b6(%30: i32, %51: i32):
//=    %31: i1 = icmp.slt %30, %14 !312..318
//= -  br %31, b7, b10
//= +  br %31, b7, b13
//=  b7:
//= @@ -55,3 +56,5 @@
//=    %44: i1 = fcmp.olt %40, %43 !341..392
//= -  br %44, b8, b9
//= +  %53: i32 = zext %44
//= +  %54: i32 = or %51, %53
//= +  jump b9
//=  b8:
//= @@ -64,3 +67,7 @@
//=    %48: i32 = add %30, %13 {nsw} !320..323
//= -  jump b6(%48)
//= +  jump b6(%48, %54)
//= +b13:
//= +  %55: i32 = const 0
//= +  %56: i1 = icmp.ne %51, %55
//= +  br %56, b8, b10
//=  b10:
