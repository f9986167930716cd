// target: avx2
// local: 64 1 1
// Where the lanes read from is known before the loop over vectors, but for what is the same in all lanes.
kernel void k(global int *x, int s) {
    local int part[128];
    int l = get_local_id(0);
    part[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[l] = part[l ^ s];
}
//= @@ -30,3 +30,31 @@
//=  b7:
//= -  jump b3(%11)
//= +  %35: i32x8 = iota
//= +  %36: i32x8 = const 7
//= +  %37: i32x8 = and %14, %36
//= +  %38: i32x8 = xor %13, %37
//= +  %39: i32 = extract %38, 0
//= +  %40: i32x8 = splat %39
//= +  %41: i32x8 = add %40, %35
//= +  %42: i1x8 = icmp.eq %38, %41
//= +  %60: i1 = mask.all %42
//= +  br %60, b8(%11), b3(%11)
//= +b8(%43: i64):
//= +  %44: i32 = trunc %43 !251..265
//= +  %45: i32 = const -8
//= +  %46: i32 = and %10, %45
//= +  %47: i32 = xor %44, %46
//= +  %48: i32x8 = splat %47
//= +  %49: i32x8 = add %48, %38
//= +  %50: i32 = add %47, %39
//= +  %51: i64 = sext %50
//= +  %52: ptr<local> = ptr.add %5, %51 * 4 + 0
//= +  %53: i32 = trunc %43 !251..265
//= +  %54: ptr<global> = ptr.add %8, %43 * 4 + 0 !251..265
//= +  %55: i32x8 = splat %53 !317..322
//= +  %56: i32x8 = add %55, %13 !317..322
//= +  %57: i32x8 = load %52
//= +  store %54, %57 !305..323
//= +  %58: i64 = add %43, %12 !305..323
//= +  %59: i1 = icmp.ult %58, %6 !305..323
//= +  br %59, b8(%58), b4
//=  b3(%25: i64):
