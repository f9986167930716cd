// target: scalar
// local: 1 1 1
// The test moves to the end of the loop, and of the one over groups around it.
kernel void k(global int *x) {
    while (*x > 3) x = x + *x;
    *x = 1;
}
//= @@ -9,3 +9,5 @@
//=    %10: i1 = icmp.ult %4, %3
//= -  br %10, b2(%7), b5
//= +  br %10, b7(%4), b8
//= +b7(%16: i64):
//= +  jump b2(%7)
//=  b2(%5: ptr<global>):
//= @@ -13,11 +15,24 @@
//=    %12: i1 = icmp.sgt %11, %8 !171..177
//= -  br %12, b3, b4
//= +  br %12, b10(%11, %5), b11(%5)
//= +b10(%19: i32, %20: ptr<global>):
//= +  jump b3
//=  b3:
//= -  %13: i64 = sext %11 !183..189
//= -  %14: ptr<global> = ptr.add %5, %13 * 4 + 0 !183..189
//= -  jump b2(%14)
//= +  %13: i64 = sext %19 !183..189
//= +  %14: ptr<global> = ptr.add %20, %13 * 4 + 0 !183..189
//= +  jump b12(%14)
//= +b12(%22: ptr<global>):
//= +  %23: i32 = load %22 !171..173
//= +  %24: i1 = icmp.sgt %23, %8 !171..177
//= +  br %24, b10(%23, %22), b11(%22)
//= +b11(%21: ptr<global>):
//= +  jump b4
//=  b4:
//= -  store %5, %9 !195..201
//= -  %15: i64 = add %4, %6 !195..201
//= -  jump b1(%15)
//= +  store %21, %9 !195..201
//= +  %15: i64 = add %16, %6 !195..201
//= +  jump b9(%15)
//= +b9(%17: i64):
//= +  %18: i1 = icmp.ult %17, %3
//= +  br %18, b7(%17), b8
//= +b8:
//= +  jump b5
//=  b5:
