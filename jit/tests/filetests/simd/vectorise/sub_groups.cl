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
//= @@ -21,22 +24,95 @@
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
//= -  %29: i32 = trunc %28 !267..294
//= -  %30: i32 = xor %29, %14 !267..294
//= -  %31: i32 = sg.shuffle %24, %30 !267..294
//= -  %32: i32 = add %27, %31 {nsw} !263..294
//= -  store %23, %32 !256..294
//= -  %33: i64 = add %21, %9 !256..294
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
//= +  %72: i32x4 = shuffle %71, %71, [0 1 2 3] !215..250
//= +  %73: i32x4 = shuffle %71, %71, [4 5 6 7] !215..250
//= +  %74: i32x4 = add %73, %72 !215..250
//= +  %75: i32x2 = shuffle %74, %74, [0 1] !215..250
//= +  %76: i32x2 = shuffle %74, %74, [2 3] !215..250
//= +  %77: i32x2 = add %76, %75 !215..250
//= +  %78: i32 = extract %77, 0 !215..250
//= +  %79: i32 = extract %77, 1 !215..250
//= +  %80: i32 = add %79, %78 !215..250
//= +  %81: i32x8 = splat %80 !215..250
//= +  %82: ptr<private> = slot.addr slot2 !215..250
//= +  %83: i32x8 = load %82 !215..250
//= +  %84: i32x8 = select %67, %81, %83 !215..250
//= +  %85: ptr<private> = slot.addr slot2 !215..250
//= +  store %85, %84 !215..250
//= +  jump b13
//= +b13:
//= +  %86: ptr<private> = slot.addr slot2 !215..250
//= +  %87: i32x8 = load %86 !215..250
//= +  %88: i64 = const 0 !267..294
//= +  %89: i32 = trunc %88 !267..294
//= +  %90: i32x8 = iota !267..294
//= +  %91: i32x8 = splat %89 !267..294
//= +  %92: i32x8 = add %91, %90 !267..294
//= +  %93: i32x8 = const 1 !267..294
//= +  %94: i32x8 = xor %92, %93 !267..294
//= +  %95: i32x8 = shuffle %54, %54, [1 0 3 2 5 4 7 6] !267..294
//= +  %96: i32x8 = add %87, %95 {nsw} !263..294
//= +  store.masked %52, %96, %48 !256..294
//= +  %97: i64 = add %41, %9 !256..294
//= +  %98: i64x8 = iota !256..294
//= +  %99: i64x8 = splat %97 !256..294
//= +  %100: i64x8 = add %99, %98 !256..294
//= +  %101: i64x8 = const 20 !256..294
//= +  %102: i1x8 = icmp.ult %100, %101 !256..294
//= +  %103: i64 = const 8 !256..294
//= +  %104: i64 = add %41, %103 !256..294
//= +  %105: ptr<private> = slot.addr slot0 !256..294
//= +  store %105, %104 !256..294
//= +  %106: i1 = icmp.ult %104, %8 !256..294
//= +  br %106, b9, b14
//= +b14:
//= +  jump b15
//= +b15:
//= +  jump b8
//= +b8:
//= +  jump b6
//=  b6:
