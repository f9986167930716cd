// target: avx512
// local: 16 1 1
// Lanes leave at the loop's head: one test for each turn, whether one is left.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    int n = x[i], s = 0;
    while (n > s) s += y[s + n];
    x[i] = s;
}
//= @@ -30,3 +30,3 @@
//=    %29: i1 = mask.any %28 !251..256
//= -  br %29, b4, b5(%25, %15)
//= +  br %29, b4, b6(%25)
//=  b4:
//= @@ -36,8 +36,5 @@
//=    %33: i32x16 = select %28, %32, %25 !258..271
//= -  jump b5(%33, %28)
//= -b5(%34: i32x16, %35: i1x16):
//= -  %36: i1 = mask.any %35 !277..285
//= -  br %36, b3(%34, %35), b6
//= -b6:
//= -  store %23, %34 !277..285
//= +  jump b3(%33, %28)
//= +b6(%41: i32x16):
//= +  store %23, %41 !277..285
//=    %37: i64 = add %18, %8 !277..285
