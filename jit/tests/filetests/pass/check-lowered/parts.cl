// options: -clift-check=values
// An array has a flag for each element, and for what is behind it. In a loop its declaration clears them.
kernel void parts(global int *a, int n) {
    for (int i = 0; i < n; i++) {
        short t[4];
        t[1] = 5;
        a[i] = t[i];
    }
}
//= @@ -5,3 +5,17 @@
//=    slot3 "t" size 8 align 2
//= +  slot4 "" size 5 align 8
//=  b0(%0: ptr<global>, %1: i32):
//= +  %114: ptr<private> = slot.addr slot4
//= +  %115: i8 = const 0
//= +  store %114, %115 {range align 1}
//= +  %116: ptr<private> = ptr.off %114, 1
//= +  store %116, %115 {range align 1}
//= +  %117: ptr<private> = ptr.off %114, 2
//= +  store %117, %115 {range align 1}
//= +  %118: ptr<private> = ptr.off %114, 3
//= +  store %118, %115 {range align 1}
//= +  %119: ptr<private> = slot.addr slot4
//= +  %120: ptr<private> = ptr.off %119, 4
//= +  %121: i8 = const 1
//= +  store %120, %121 {range align 1}
//=    %2: ptr<private> = slot.addr slot0 !172..177
//= @@ -13,3 +27,2 @@
//=    %6: i64 = const 4 !172..177
//= -  memset %4, %5, %6 !172..177
//=    %7: ptr<private> = slot.addr slot2 !219..220
//= @@ -29,3 +42,11 @@
//=    %16: i64 = const 8 !172..177
//= -  memset %14, %15, %16 !172..177
//= +  %39: ptr<private> = slot.addr slot4 !172..177
//= +  %40: i8 = const 0 !172..177
//= +  store %39, %40 {range align 1} !172..177
//= +  %41: ptr<private> = ptr.off %39, 1 !172..177
//= +  store %41, %40 {range align 1} !172..177
//= +  %42: ptr<private> = ptr.off %39, 2 !172..177
//= +  store %42, %40 {range align 1} !172..177
//= +  %43: ptr<private> = ptr.off %39, 3 !172..177
//= +  store %43, %40 {range align 1} !172..177
//=    %17: ptr<private> = slot.addr slot3 !264..272
//= @@ -36,2 +57,18 @@
//=    store %20, %21 !264..272
//= +  %44: ptr<private> = slot.addr slot4 !264..272
//= +  %45: i64 = const 0 !264..272
//= +  %46: i64 = const 2 !264..272
//= +  %47: i64 = mul %19, %46 !264..272
//= +  %48: i64 = add %45, %47 !264..272
//= +  %49: i64 = const 0 !264..272
//= +  %50: i64 = add %48, %49 !264..272
//= +  %51: i64 = const 0 !264..272
//= +  %52: i64 = add %50, %51 !264..272
//= +  %53: i64 = const 1 !264..272
//= +  %54: i64 = lshr %52, %53 !264..272
//= +  %55: i64 = const 4 !264..272
//= +  %56: i64 = min.u %54, %55 !264..272
//= +  %57: ptr<private> = ptr.add %44, %56 * 1 + 0 !264..272
//= +  %58: i8 = const 1 !264..272
//= +  store %57, %58 {range align 1} !264..272
//=    %22: ptr<private> = slot.addr slot0 !282..283
//= @@ -47,2 +84,63 @@
//=    %32: ptr<private> = ptr.add %28, %31 * 2 + 0 !289..293
//= +  %59: ptr<private> = slot.addr slot4 !289..293
//= +  %60: i64 = const 0 !289..293
//= +  %61: i64 = const 2 !289..293
//= +  %62: i64 = mul %31, %61 !289..293
//= +  %63: i64 = add %60, %62 !289..293
//= +  %64: i64 = const 0 !289..293
//= +  %65: i64 = add %63, %64 !289..293
//= +  %66: i64 = const 0 !289..293
//= +  %67: i64 = add %65, %66 !289..293
//= +  %68: i64 = const 1 !289..293
//= +  %69: i64 = lshr %67, %68 !289..293
//= +  %70: i64 = const 4 !289..293
//= +  %71: i64 = min.u %69, %70 !289..293
//= +  %72: ptr<private> = ptr.add %59, %71 * 1 + 0 !289..293
//= +  %73: i8 = load %72 {range align 1} !289..293
//= +  %74: i8 = const 1 !289..293
//= +  %75: i1 = icmp.eq %73, %74 !289..293
//= +  %76: i64 = const 0 !289..293
//= +  %77: i64 = const 2 !289..293
//= +  %78: i64 = mul %31, %77 !289..293
//= +  %79: i64 = add %76, %78 !289..293
//= +  %80: i64 = const 0 !289..293
//= +  %81: i64 = add %79, %80 !289..293
//= +  %82: i64 = const 0 !289..293
//= +  %83: i64 = add %81, %82 !289..293
//= +  %84: i64 = const 2 !289..293
//= +  %85: i64 = const 1 !289..293
//= +  br %75, b6, b5
//= +b5:
//= +  %86: i64 = const 0 !289..293
//= +  %87: i64 = lid 0 !289..293
//= +  %88: i64 = lid 1 !289..293
//= +  %89: i64 = const 21 !289..293
//= +  %90: i64 = shl %88, %89 !289..293
//= +  %91: i64 = or %87, %90 !289..293
//= +  %92: i64 = lid 2 !289..293
//= +  %93: i64 = const 42 !289..293
//= +  %94: i64 = shl %92, %93 !289..293
//= +  %95: i64 = or %91, %94 !289..293
//= +  %96: i64 = grp 0 !289..293
//= +  %97: i64 = grp 1 !289..293
//= +  %98: i64 = grp 2 !289..293
//= +  check.report %86, %85, %83, %84, %84, %95, %96, %97, %98 !289..293
//= +  %99: ptr<private> = slot.addr slot4 !289..293
//= +  %100: i64 = const 0 !289..293
//= +  %101: i64 = const 2 !289..293
//= +  %102: i64 = mul %31, %101 !289..293
//= +  %103: i64 = add %100, %102 !289..293
//= +  %104: i64 = const 0 !289..293
//= +  %105: i64 = add %103, %104 !289..293
//= +  %106: i64 = const 0 !289..293
//= +  %107: i64 = add %105, %106 !289..293
//= +  %108: i64 = const 1 !289..293
//= +  %109: i64 = lshr %107, %108 !289..293
//= +  %110: i64 = const 4 !289..293
//= +  %111: i64 = min.u %109, %110 !289..293
//= +  %112: ptr<private> = ptr.add %99, %111 * 1 + 0 !289..293
//= +  %113: i8 = const 1 !289..293
//= +  store %112, %113 {range align 1} !289..293
//= +  jump b6
//= +b6:
//=    %33: i16 = load %32 !289..293
