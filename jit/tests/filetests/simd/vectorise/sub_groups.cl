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
//= @@ -21,22 +24,87 @@
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
//= +  %51: i64 = add %20, %41
//= +  %52: ptr<global> = ptr.add %10, %51 * 4 + 0 !183..187
//= +  %53: i32x8 = const 0 !183..187
//= +  %54: i32x8 = load.masked %52, %48, %53 !183..187
//= +  %55: i32x8 = const 0 !204..209
//= +  %56: i1x8 = icmp.sgt %54, %55 !204..209
//= +  %57: i1x8 = not %56 !204..209
//= +  %58: i1x8 = and %48, %56 !204..209
//= +  %59: i1x8 = and %48, %57 !204..209
//= +  %60: ptr<private> = slot.addr slot1 !204..209
//= +  store %60, %58 !204..209
//= +  %61: i32x8 = const 0 !204..209
//= +  %62: ptr<private> = slot.addr slot2 !204..209
//= +  store %62, %61 !204..209
//= +  jump b11
//= +b11:
//= +  %63: ptr<private> = slot.addr slot1 !204..209
//= +  %64: i1x8 = load %63 !204..209
//= +  %65: i1 = mask.any %64 !204..209
//= +  br %65, b12, b13
//= +b12:
//= +  %66: ptr<private> = slot.addr slot1 !204..209
//= +  %67: i1x8 = load %66 !204..209
//= +  %68: i1x8 = const false !204..209
//= +  %69: ptr<private> = slot.addr slot1 !204..209
//= +  store %69, %68 !204..209
//= +  %70: i32x8 = const 0 !215..250
//= +  %71: i32x8 = select %67, %54, %70 !215..250
//= +  %72: i32 = reduce.tree.add %71 !215..250
//= +  %73: i32x8 = splat %72 !215..250
//= +  %74: ptr<private> = slot.addr slot2 !215..250
//= +  %75: i32x8 = load %74 !215..250
//= +  %76: i32x8 = select %67, %73, %75 !215..250
//= +  %77: ptr<private> = slot.addr slot2 !215..250
//= +  store %77, %76 !215..250
//= +  jump b13
//= +b13:
//= +  %78: ptr<private> = slot.addr slot2 !215..250
//= +  %79: i32x8 = load %78 !215..250
//= +  %80: i64 = const 0 !267..294
//= +  %81: i32 = trunc %80 !267..294
//= +  %82: i32x8 = iota !267..294
//= +  %83: i32x8 = splat %81 !267..294
//= +  %84: i32x8 = add %83, %82 !267..294
//= +  %85: i32x8 = const 1 !267..294
//= +  %86: i32x8 = xor %84, %85 !267..294
//= +  %87: i32x8 = shuffle %54, %54, [1 0 3 2 5 4 7 6] !267..294
//= +  %88: i32x8 = add %79, %87 {nsw} !263..294
//= +  store.masked %52, %88, %48 !256..294
//= +  %89: i64 = add %41, %9 !256..294
//= +  %90: i64x8 = iota !256..294
//= +  %91: i64x8 = splat %89 !256..294
//= +  %92: i64x8 = add %91, %90 !256..294
//= +  %93: i64x8 = const 20 !256..294
//= +  %94: i1x8 = icmp.ult %92, %93 !256..294
//= +  %95: i64 = const 8 !256..294
//= +  %96: i64 = add %41, %95 !256..294
//= +  %97: ptr<private> = slot.addr slot0 !256..294
//= +  store %97, %96 !256..294
//= +  %98: i1 = icmp.ult %96, %8 !256..294
//= +  br %98, b9, b14
//= +b14:
//= +  jump b15
//= +b15:
//= +  jump b8
//= +b8:
//= +  jump b6
//=  b6:
