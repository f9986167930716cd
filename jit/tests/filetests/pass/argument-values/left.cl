// values: n=3
// An argument of which nothing is known stays, and so do the loads that its pointer leads to.
kernel void k(global int *x, int n, int m, global const int *bound) {
    if (n < *bound) x[get_global_id(0)] = m * n;
}
//= @@ -2,4 +2,5 @@
//=  b0(%0: ptr<global>, %1: i32, %2: i32, %3: ptr<global>):
//= +  %9: i32 = const 3
//=    %4: i32 = load %3 !207..213
//= -  %5: i1 = icmp.slt %1, %4 !203..213
//= +  %5: i1 = icmp.slt %9, %4 !203..213
//=    br %5, b1, b2
//= @@ -8,3 +9,3 @@
//=    %7: ptr<global> = ptr.add %0, %6 * 4 + 0 !215..234
//= -  %8: i32 = mul %2, %1 {nsw} !237..242
//= +  %8: i32 = mul %2, %9 {nsw} !237..242
//=    store %7, %8 !215..242
