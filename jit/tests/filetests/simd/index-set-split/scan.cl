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
//= @@ -27,4 +27,36 @@
//=    %25: i1 = icmp.ult %24, %6 !230..244
//= -  br %25, b2(%24), b3(%11)
//= +  br %25, b2(%24), b9
//= +b9:
//= +  %49: i64 = const 0
//= +  %50: i64 = sext %10
//= +  %51: i64 = const 0
//= +  %52: i64 = max.s %50, %51
//= +  %53: i64 = const 64
//= +  %54: i64 = min.u %52, %53
//= +  %55: i64 = const 31
//= +  %56: i64 = add %54, %55
//= +  %57: i64 = const -32
//= +  %58: i64 = and %56, %57
//= +  %59: i64 = const 64
//= +  %60: i64 = min.u %58, %59
//= +  %61: i1 = icmp.ult %49, %60
//= +  br %61, b8(%11), b3(%11)
//= +b8(%38: i64):
//= +  %39: i32 = trunc %38 !230..244
//= +  %40: ptr<global> = ptr.add %8, %38 * 4 + 0 !230..244
//= +  %41: i32x32 = splat %39 !291..297
//= +  %42: i32x32 = add %41, %14 !291..297
//= +  %43: i1x32 = icmp.sge %42, %15 !291..297
//= +  %44: i64 = sub %38, %17 !300..311
//= +  %45: ptr<local> = ptr.add %12, %44 * 4 + 0 !300..311
//= +  %46: i32x32 = load.masked %45, %43, %16 !300..311
//= +  store %40, %46 !284..315
//= +  %47: i64 = add %38, %13 !284..315
//= +  %48: i1 = icmp.ult %47, %6 !284..315
//= +  %62: i1 = icmp.ult %47, %60
//= +  br %62, b8(%47), b10
//= +b10:
//= +  br %48, b3(%47), b4
//=  b3(%26: i64):
//= +  %63: i1x32 = const true
//=    %27: i32 = trunc %26 !230..244
//= @@ -36,3 +68,3 @@
//=    %33: ptr<local> = ptr.add %12, %32 * 4 + 0 !300..311
//= -  %34: i32x32 = load.masked %33, %31, %16 !300..311
//= +  %34: i32x32 = load %33 !300..311
//=    store %28, %34 !284..315
