// width: 8
// local: 1 1 1
// What the loop finds is remembered, and it goes on to the end of the array.
kernel void k(global const float *in, global int *out, int n) {
    float x[80];
    for (int i = 0; i < 80; i++) x[i] = in[i];
    for (int g = 0; g < n; g++) {
        float y = in[g];
        bool is_near = false;
        for (int i = 0; i < 32 && !is_near; i++) is_near = sqrt(fabs(x[i] - y) * x[i + 40]) < 0.25f * x[i + 3];
        if (is_near) out[g * n] = g;
    }
}
//= @@ -44,3 +44,3 @@
//=    %34: i1 = icmp.ne %31, %14 !373..380
//= -  br %34, b9, b8
//= +  jump b8
//=  b8:
//= @@ -61,3 +61,4 @@
//=    %49: i32 = add %32, %13 {nsw} !382..385
//= -  jump b6(%48, %49)
//= +  %56: i8 = or %31, %48
//= +  jump b6(%56, %49)
//=  b9:
