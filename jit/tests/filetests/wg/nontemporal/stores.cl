// target: scalar
// large
// Only written through.
kernel void k(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = x[i] * 2;
}
//= @@ -7,3 +7,3 @@
//=    %6: f32 = fadd %5, %5 !167..175
//= -  store %3, %6 !160..175
//= +  store %3, %6 {stream} !160..175
//=    ret
