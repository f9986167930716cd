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
//= @@ -31,3 +31,31 @@
//=  b7:
//= -  jump b3(%11)
//= +  %36: i32x8 = iota
//= +  %37: i32x8 = const 7
//= +  %38: i32x8 = and %15, %37
//= +  %39: i32x8 = xor %14, %38
//= +  %40: i32 = extract %39, 0
//= +  %41: i32x8 = splat %40
//= +  %42: i32x8 = add %41, %36
//= +  %43: i1x8 = icmp.eq %39, %42
//= +  %61: i1 = mask.all %43
//= +  br %61, b8(%11), b3(%11)
//= +b8(%44: i64):
//= +  %45: i32 = trunc %44 !251..265
//= +  %46: i32 = const -8
//= +  %47: i32 = and %10, %46
//= +  %48: i32 = xor %45, %47
//= +  %49: i32x8 = splat %48
//= +  %50: i32x8 = add %49, %39
//= +  %51: i32 = add %48, %40
//= +  %52: i64 = sext %51
//= +  %53: ptr<local> = ptr.add %12, %52 * 4 + 0
//= +  %54: i32 = trunc %44 !251..265
//= +  %55: ptr<global> = ptr.add %8, %44 * 4 + 0 !251..265
//= +  %56: i32x8 = splat %54 !317..322
//= +  %57: i32x8 = add %56, %14 !317..322
//= +  %58: i32x8 = load %53
//= +  store %55, %58 !305..323
//= +  %59: i64 = add %44, %13 !305..323
//= +  %60: i1 = icmp.ult %59, %6 !305..323
//= +  br %60, b8(%59), b4
//=  b3(%26: i64):
