// local: 20 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void sums(global int *a)
{
    size_t i = get_global_id(0);
    int v = a[i], s = 0;
    if (v > 0) s = sub_group_non_uniform_reduce_add(v);
    a[i] = s + sub_group_shuffle_xor(v, 1);
}
//= @@ -1,2 +1,5 @@
//= -func @sums(ptr<const>, ptr<const>, i64, i64) {
//= +func @sums(ptr<const>, ptr<const>, i64, i64) lanes {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 32 align 32
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= @@ -21,22 +24,93 @@
//=    %20: i64 = add %19, %5
//= -  jump b3(%12)
//= -b3(%21: i64) items:
//= -  %22: i64 = add %20, %21 {nsw nuw}
//= -  %23: ptr<global> = ptr.add %10, %22 * 4 + 0 !183..187
//= -  %24: i32 = load %23 !183..187
//= -  %25: i1 = icmp.sgt %24, %13 !204..209
//= -  br %25, b4, b5(%13)
//= -b4:
//= -  %26: i32 = sg.reduce.add %24, cluster 0 !215..250
//= -  jump b5(%26)
//= -b5(%27: i32):
//= -  %28: i64 = and %21, %15 !267..294
//= -  %29: i32 = trunc %28 {nsw nuw} !267..294
//= -  %30: i32 = xor %29, %14 !267..294
//= -  %31: i32 = sg.shuffle %24, %30 !267..294
//= -  %32: i32 = add %27, %31 {nsw} !263..294
//= -  store %23, %32 !256..294
//= -  %33: i64 = add %21, %9 {nsw nuw} !256..294
//= -  %34: i1 = icmp.ult %33, %8 !256..294
//= -  br %34, b3(%33), b6
//= +  %39: ptr<private> = slot.addr slot0
//= +  store %39, %12
//= +  jump b9
//= +b9:
//= +  %40: ptr<private> = slot.addr slot0
//= +  %41: i64 = load %40
//= +  %42: i64 = sub %8, %41
//= +  %43: i64 = const 8
//= +  %44: i64 = min.u %42, %43
//= +  %45: i32 = trunc %44
//= +  %46: i32x8 = iota
//= +  %47: i32x8 = splat %45
//= +  %48: i1x8 = icmp.slt %46, %47
//= +  %49: i1x8 = const false
//= +  %50: ptr<private> = slot.addr slot1
//= +  store %50, %49
//= +  jump b10
//= +b10:
//= +  %51: i1x8 = const false
//= +  %52: ptr<private> = slot.addr slot1
//= +  store %52, %51
//= +  %53: i32x8 = undef
//= +  %54: ptr<private> = slot.addr slot2
//= +  store %54, %53
//= +  %55: i64 = add %20, %41
//= +  %56: ptr<global> = ptr.add %10, %55 * 4 + 0 !183..187
//= +  %57: i32x8 = const 0 !183..187
//= +  %58: i32x8 = load.masked %56, %48, %57 !183..187
//= +  %59: i32x8 = const 0 !204..209
//= +  %60: i1x8 = icmp.sgt %58, %59 !204..209
//= +  %61: i1x8 = not %60 !204..209
//= +  %62: i1x8 = and %48, %60 !204..209
//= +  %63: i1x8 = and %48, %61 !204..209
//= +  %64: ptr<private> = slot.addr slot1 !204..209
//= +  store %64, %62 !204..209
//= +  %65: i32x8 = const 0 !204..209
//= +  %66: ptr<private> = slot.addr slot2 !204..209
//= +  store %66, %65 !204..209
//= +  jump b11
//= +b11:
//= +  %67: ptr<private> = slot.addr slot1 !204..209
//= +  %68: i1x8 = load %67 !204..209
//= +  %69: i1 = mask.any %68 !204..209
//= +  br %69, b12, b13
//= +b12:
//= +  %70: ptr<private> = slot.addr slot1 !204..209
//= +  %71: i1x8 = load %70 !204..209
//= +  %72: i1x8 = const false !204..209
//= +  %73: ptr<private> = slot.addr slot1 !204..209
//= +  store %73, %72 !204..209
//= +  %74: i32x8 = const 0 !215..250
//= +  %75: i32x8 = select %71, %58, %74 !215..250
//= +  %76: i32 = reduce.tree.add %75 !215..250
//= +  %77: i32x8 = splat %76 !215..250
//= +  %78: ptr<private> = slot.addr slot2 !215..250
//= +  %79: i32x8 = load %78 !215..250
//= +  %80: i32x8 = select %71, %77, %79 !215..250
//= +  %81: ptr<private> = slot.addr slot2 !215..250
//= +  store %81, %80 !215..250
//= +  jump b13
//= +b13:
//= +  %82: ptr<private> = slot.addr slot2 !215..250
//= +  %83: i32x8 = load %82 !215..250
//= +  %84: i64 = const 0 !267..294
//= +  %85: i32 = trunc %84 !267..294
//= +  %86: i32x8 = iota !267..294
//= +  %87: i32x8 = splat %85 !267..294
//= +  %88: i32x8 = add %87, %86 !267..294
//= +  %89: i32x8 = const 1 !267..294
//= +  %90: i32x8 = xor %88, %89 !267..294
//= +  %91: i32x8 = shuffle %58, %58, [1 0 3 2 5 4 7 6] !267..294
//= +  %92: i32x8 = add %83, %91 {nsw} !263..294
//= +  store.masked %56, %92, %48 !256..294
//= +  %93: i64 = add %41, %9 !256..294
//= +  %94: i64x8 = iota !256..294
//= +  %95: i64x8 = splat %93 !256..294
//= +  %96: i64x8 = add %95, %94 !256..294
//= +  %97: i64x8 = const 20 !256..294
//= +  %98: i1x8 = icmp.ult %96, %97 !256..294
//= +  %99: i64 = const 8 !256..294
//= +  %100: i64 = add %41, %99 !256..294
//= +  %101: ptr<private> = slot.addr slot0 !256..294
//= +  store %101, %100 !256..294
//= +  %102: i1 = icmp.ult %100, %8 !256..294
//= +  br %102, b9, b14
//= +b14:
//= +  jump b15
//= +b15:
//= +  jump b8
//= +b8:
//= +  jump b6
//=  b6:
