// target: scalar
// local: 1 1 1
// This loop tests at its end as it is; only the one over groups is rotated.
kernel void k(global int *x) {
    do x = x + *x; while (*x > 3);
    *x = 1;
}
//= @@ -9,3 +9,5 @@
//=    %10: i1 = icmp.ult %4, %3
//= -  br %10, b2(%7), b4
//= +  br %10, b6(%4), b7
//= +b6(%17: i64):
//= +  jump b2(%7)
//=  b2(%5: ptr<global>):
//= @@ -19,4 +21,9 @@
//=    store %13, %9 !196..202
//= -  %16: i64 = add %4, %6 !196..202
//= -  jump b1(%16)
//= +  %16: i64 = add %17, %6 !196..202
//= +  jump b8(%16)
//= +b8(%18: i64):
//= +  %19: i1 = icmp.ult %18, %3
//= +  br %19, b6(%18), b7
//= +b7:
//= +  jump b4
//=  b4:
