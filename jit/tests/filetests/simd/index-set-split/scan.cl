// target: avx512
// local: 64 1 1
// From the vector on in which all lanes are at `s` or behind it, no mask is needed.
kernel void k(global int *x, int s) {
    local int part[64];
    int l = get_local_id(0);
    part[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[l] = l >= s ? part[l - s] : 0;
}
//= @@ -26,4 +26,36 @@
//=    %24: i1 = icmp.ult %23, %6 !230..244
//= -  br %24, b2(%23), b3(%11)
//= +  br %24, b2(%23), b9
//= +b9:
//= +  %48: i64 = const 0
//= +  %49: i64 = sext %10
//= +  %50: i64 = const 0
//= +  %51: i64 = max.s %49, %50
//= +  %52: i64 = const 64
//= +  %53: i64 = min.u %51, %52
//= +  %54: i64 = const 31
//= +  %55: i64 = add %53, %54
//= +  %56: i64 = const -32
//= +  %57: i64 = and %55, %56
//= +  %58: i64 = const 64
//= +  %59: i64 = min.u %57, %58
//= +  %60: i1 = icmp.ult %48, %59
//= +  br %60, b8(%11), b3(%11)
//= +b8(%37: i64):
//= +  %38: i32 = trunc %37 !230..244
//= +  %39: ptr<global> = ptr.add %8, %37 * 4 + 0 !230..244
//= +  %40: i32x32 = splat %38 !291..297
//= +  %41: i32x32 = add %40, %13 !291..297
//= +  %42: i1x32 = icmp.sge %41, %14 !291..297
//= +  %43: i64 = sub %37, %16 !300..311
//= +  %44: ptr<local> = ptr.add %5, %43 * 4 + 0 !300..311
//= +  %45: i32x32 = load.masked %44, %42, %15 !300..311
//= +  store %39, %45 !284..315
//= +  %46: i64 = add %37, %12 !284..315
//= +  %47: i1 = icmp.ult %46, %6 !284..315
//= +  %61: i1 = icmp.ult %46, %59
//= +  br %61, b8(%46), b10
//= +b10:
//= +  br %47, b3(%46), b4
//=  b3(%25: i64):
//= +  %62: i1x32 = const true
//=    %26: i32 = trunc %25 !230..244
//= @@ -35,3 +67,3 @@
//=    %32: ptr<local> = ptr.add %5, %31 * 4 + 0 !300..311
//= -  %33: i32x32 = load.masked %32, %30, %15 !300..311
//= +  %33: i32x32 = load %32 !300..311
//=    store %27, %33 !284..315
