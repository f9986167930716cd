// target: scalar
// options: -clift-check=barriers
// local: 8 1 1
// Work-items that may part: each has its place in the context, the group goes on at the lowest of all.
kernel void apart(global int *a, int n) {
    int i = get_local_id(0);
    if (i >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = n;
}
//= @@ -1,15 +1,248 @@
//= -func @apart(ptr<global>, i32) kernel {
//= -b0(%0: ptr<global>, %1: i32):
//= -  %2: i64 = lid 0 !249..264
//= -  %3: i32 = trunc %2 !249..264
//= -  %4: i1 = icmp.sge %3, %1 !274..280
//= -  br %4, b1, b2
//= +func @apart(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 8 align 8
//= +  slot3 "" size 8 align 8
//= +  slot4 "" size 4 align 4
//= +  slot5 "" size 4 align 4
//= +  slot6 "" size 8 align 8
//= +  slot7 "" size 4 align 4
//= +  slot8 "" size 8 align 8
//= +  slot9 "" size 4 align 4
//= +b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= +  %4: ptr<const> = ptr.off %1, 104
//= +  %5: ptr<local> = load %4 {inv}
//= +  %6: ptr<const> = ptr.off %1, 120
//= +  %7: ptr<private> = load %6 {inv}
//= +  %8: i64 = load %1 {inv}
//= +  %9: ptr<const> = ptr.off %1, 8
//= +  %10: i64 = load %9 {inv}
//= +  %11: ptr<const> = ptr.off %1, 16
//= +  %12: i64 = load %11 {inv}
//= +  %13: ptr<const> = ptr.off %1, 24
//= +  %14: i64 = load %13 {inv}
//= +  %15: ptr<const> = ptr.off %1, 32
//= +  %16: i64 = load %15 {inv}
//= +  %17: ptr<const> = ptr.off %1, 40
//= +  %18: i64 = load %17 {inv}
//= +  %19: ptr<const> = ptr.off %1, 72
//= +  %20: i64 = load %19 {inv}
//= +  %21: ptr<const> = ptr.off %1, 80
//= +  %22: i64 = load %21 {inv}
//= +  %23: ptr<const> = ptr.off %1, 88
//= +  %24: i64 = load %23 {inv}
//= +  %25: i64 = const 8
//= +  %26: i64 = const 1
//= +  %27: i64 = const 1
//= +  %28: i64 = mul %25, %26
//= +  %29: i64 = mul %28, %27
//= +  %30: ptr<const> = ptr.off %1, 96
//= +  %31: i64 = load %30 {inv}
//= +  %32: i32 = trunc %31
//= +  %33: ptr<global> = load %0 {inv}
//= +  %34: ptr<const> = ptr.off %0, 8
//= +  %35: i32 = load %34 {inv}
//= +  %36: i64 = const 0
//= +  %37: i64 = mul %29, %36
//= +  %38: ptr<private> = ptr.add %7, %37 * 1 + 0
//= +  %39: ptr<private> = slot.addr slot0
//= +  store %39, %2
//= +  %40: i64 = rem.u %2, %20
//= +  %41: i64 = div.u %2, %20
//= +  %42: i64 = rem.u %41, %22
//= +  %43: i64 = div.u %41, %22
//= +  %44: ptr<private> = slot.addr slot3
//= +  store %44, %43
//= +  %45: ptr<private> = slot.addr slot2
//= +  store %45, %42
//= +  %46: ptr<private> = slot.addr slot1
//= +  store %46, %40
//= +  jump b1
//=  b1:
//= -  ret
//= +  %47: ptr<private> = slot.addr slot0
//= +  %48: i64 = load %47
//= +  %49: i1 = icmp.ult %48, %3
//= +  br %49, b2, b3
//=  b2:
//= -  %6: i64 = const 4 !302..330
//= -  meet %6 !302..330
//= -  barrier 1 !302..330
//= -  %5: ptr<global> = ptr.add %0, %2 * 4 + 0 !336..340
//= -  store %5, %1 !336..344
//= +  %50: ptr<private> = slot.addr slot1
//= +  %51: i64 = load %50
//= +  %52: ptr<private> = slot.addr slot2
//= +  %53: i64 = load %52
//= +  %54: ptr<private> = slot.addr slot3
//= +  %55: i64 = load %54
//= +  %56: i64 = mul %51, %25
//= +  %57: i64 = mul %53, %26
//= +  %58: i64 = mul %55, %27
//= +  %59: i64 = add %56, %14
//= +  %60: i64 = add %57, %16
//= +  %61: i64 = add %58, %18
//= +  %62: ptr<private> = slot.addr slot0
//= +  %63: i64 = load %62
//= +  %64: i64 = const 96
//= +  meet %64, %1, %63, %63
//= +  %65: i32 = const 0
//= +  %66: ptr<private> = slot.addr slot4
//= +  store %66, %65
//= +  jump b6
//= +b6:
//= +  %67: i32 = const -1
//= +  %68: ptr<private> = slot.addr slot4
//= +  store %68, %67
//= +  %69: i32 = const 0
//= +  %70: ptr<private> = slot.addr slot5
//= +  store %70, %69
//= +  %71: i64 = const 0
//= +  %72: ptr<private> = slot.addr slot6
//= +  store %72, %71
//= +  jump b10
//= +b10 items:
//= +  %73: ptr<private> = slot.addr slot6
//= +  %74: i64 = load %73
//= +  %75: i64 = add %59, %74 {nsw nuw}
//= +  %76: i64 = mul %71, %25 {nsw nuw}
//= +  %77: i64 = add %76, %74 {nsw nuw}
//= +  jump b15
//= +b15:
//= +  jump b12
//= +b12:
//= +  %78: i32 = trunc %74 {nsw nuw} !249..264
//= +  %79: i1 = icmp.sge %78, %35 !274..280
//= +  br %79, b13, b14
//= +b13:
//= +  %80: i32 = const -1 !274..280
//= +  %81: ptr<private> = slot.addr slot7 !274..280
//= +  store %81, %80 !274..280
//= +  jump b11
//= +b14:
//= +  %82: i64 = const 4 !302..330
//= +  %83: i32 = const 1 !302..330
//= +  %84: ptr<private> = slot.addr slot7 !302..330
//= +  store %84, %83 !302..330
//= +  jump b11
//= +b11:
//= +  %85: ptr<private> = slot.addr slot7 !302..330
//= +  %86: i32 = load %85 !302..330
//= +  %87: ptr<private> = ptr.add %38, %77 * 4 + 0 !302..330
//= +  store %87, %86 !302..330
//= +  %88: ptr<private> = slot.addr slot4 !302..330
//= +  %89: i32 = load %88 !302..330
//= +  %90: i32 = min.u %86, %89 !302..330
//= +  %91: ptr<private> = slot.addr slot4 !302..330
//= +  store %91, %90 !302..330
//= +  %92: ptr<private> = slot.addr slot5 !302..330
//= +  %93: i32 = load %92 !302..330
//= +  %94: i32 = max.u %86, %93 !302..330
//= +  %95: ptr<private> = slot.addr slot5 !302..330
//= +  store %95, %94 !302..330
//= +  %96: i64 = const 1 !302..330
//= +  %97: i64 = add %74, %96 !302..330
//= +  %98: ptr<private> = slot.addr slot6 !302..330
//= +  store %98, %97 !302..330
//= +  %99: i1 = icmp.ult %97, %25 !302..330
//= +  br %99, b10, b16
//= +b16:
//= +  jump b5
//= +b7:
//= +  %100: i32 = const -1 !302..330
//= +  %101: ptr<private> = slot.addr slot4 !302..330
//= +  store %101, %100 !302..330
//= +  %102: i32 = const 0 !302..330
//= +  %103: ptr<private> = slot.addr slot5 !302..330
//= +  store %103, %102 !302..330
//= +  %104: i64 = const 0 !302..330
//= +  %105: ptr<private> = slot.addr slot8 !302..330
//= +  store %105, %104 !302..330
//= +  jump b17
//= +b17 items:
//= +  %106: ptr<private> = slot.addr slot8 !302..330
//= +  %107: i64 = load %106 !302..330
//= +  %108: i64 = add %59, %107 {nsw nuw} !302..330
//= +  %109: i64 = mul %104, %25 {nsw nuw} !302..330
//= +  %110: i64 = add %109, %107 {nsw nuw} !302..330
//= +  jump b20
//= +b20:
//= +  %111: ptr<private> = ptr.add %38, %110 * 4 + 0 !302..330
//= +  %112: i32 = load %111 !302..330
//= +  %113: ptr<private> = slot.addr slot9 !302..330
//= +  store %113, %112 !302..330
//= +  %114: i32 = const 1 !302..330
//= +  %115: i1 = icmp.eq %112, %114 !302..330
//= +  br %115, b21, b18
//= +b21:
//= +  jump b19
//= +b19:
//= +  %116: ptr<global> = ptr.add %33, %107 * 4 + 0 !336..340
//= +  store %116, %35 !336..344
//= +  %117: i32 = const -1 !336..344
//= +  %118: ptr<private> = slot.addr slot9 !336..344
//= +  store %118, %117 !336..344
//= +  jump b18
//= +b18:
//= +  %119: ptr<private> = slot.addr slot9 !336..344
//= +  %120: i32 = load %119 !336..344
//= +  %121: ptr<private> = ptr.add %38, %110 * 4 + 0 !336..344
//= +  store %121, %120 !336..344
//= +  %122: ptr<private> = slot.addr slot4 !336..344
//= +  %123: i32 = load %122 !336..344
//= +  %124: i32 = min.u %120, %123 !336..344
//= +  %125: ptr<private> = slot.addr slot4 !336..344
//= +  store %125, %124 !336..344
//= +  %126: ptr<private> = slot.addr slot5 !336..344
//= +  %127: i32 = load %126 !336..344
//= +  %128: i32 = max.u %120, %127 !336..344
//= +  %129: ptr<private> = slot.addr slot5 !336..344
//= +  store %129, %128 !336..344
//= +  %130: i64 = const 1 !336..344
//= +  %131: i64 = add %107, %130 !336..344
//= +  %132: ptr<private> = slot.addr slot8 !336..344
//= +  store %132, %131 !336..344
//= +  %133: i1 = icmp.ult %131, %25 !336..344
//= +  br %133, b17, b22
//= +b22:
//= +  jump b5
//= +b5:
//= +  %134: ptr<private> = slot.addr slot4 !336..344
//= +  %135: i32 = load %134 !336..344
//= +  %136: ptr<private> = slot.addr slot5 !336..344
//= +  %137: i32 = load %136 !336..344
//= +  %138: i1 = icmp.ne %135, %137 !336..344
//= +  br %138, b23, b24
//= +b23:
//= +  %139: i64 = mul %25, %26 {nsw nuw} !336..344
//= +  %140: i64 = mul %139, %27 {nsw nuw} !336..344
//= +  %141: i64 = zext %135 !336..344
//= +  %142: i64 = const 5 !336..344
//= +  meet %142, %1, %140, %141 !336..344
//= +  jump b24
//= +b24:
//= +  %143: ptr<private> = slot.addr slot4 !336..344
//= +  %144: i32 = load %143 !336..344
//= +  switch %144, [1: b9], b4
//= +b9:
//= +  jump b7
//= +b4:
//= +  %145: i64 = const 1 !302..330
//= +  %146: i64 = const 0 !302..330
//= +  %147: ptr<private> = slot.addr slot0 !302..330
//= +  %148: i64 = load %147 !302..330
//= +  %149: i64 = add %148, %145 !302..330
//= +  %150: ptr<private> = slot.addr slot0 !302..330
//= +  store %150, %149 !302..330
//= +  %151: i64 = add %51, %145 !302..330
//= +  %152: i1 = icmp.eq %151, %20 !302..330
//= +  %153: i64 = select %152, %146, %151 !302..330
//= +  %154: ptr<private> = slot.addr slot1 !302..330
//= +  store %154, %153 !302..330
//= +  %155: i64 = zext %152 !302..330
//= +  %156: i64 = add %53, %155 !302..330
//= +  %157: i1 = icmp.eq %156, %22 !302..330
//= +  %158: i64 = select %157, %146, %156 !302..330
//= +  %159: ptr<private> = slot.addr slot2 !302..330
//= +  store %159, %158 !302..330
//= +  %160: i64 = zext %157 !302..330
//= +  %161: i64 = add %55, %160 !302..330
//= +  %162: ptr<private> = slot.addr slot3 !302..330
//= +  store %162, %161 !302..330
//= +  jump b1
//= +b3:
//=    ret
