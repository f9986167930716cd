// values: width=640 shift=-1
// Integers that the launch passes are constants wherever the kernel asks for them; floats and the others are not.
kernel void k(global float *x, float a, int width, uint height, char shift) {
    size_t i = get_global_id(0);
    x[i % width + height] = a * (i >> (shift & 7));
}
//= @@ -2,4 +2,6 @@
//=  b0(%0: ptr<global>, %1: f32, %2: i32, %3: i32, %4: i8):
//= +  %18: i32 = const 640
//= +  %19: i8 = const -1
//=    %5: i64 = gid 0 !253..269
//= -  %6: i64 = sext %2 !281..286
//= +  %6: i64 = sext %18 !281..286
//=    %7: i64 = rem.u %5, %6 !277..286
//= @@ -8,3 +10,3 @@
//=    %10: ptr<global> = ptr.add %0, %9 * 4 + 0 !275..296
//= -  %11: i32 = sext %4 !310..315
//= +  %11: i32 = sext %19 !310..315
//=    %12: i32 = const 7 !318..319
