// target: scalar
// local: 64 1 1
// `x` lives across the barrier: it lies in memory of the work-item's own between the two loops over work-items.
kernel void k(global int *p) {
    int x = p[get_local_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[x] = x;
}
//= @@ -1,10 +1,173 @@
//= -func @k(ptr<global>) kernel {
//= -b0(%0: ptr<global>):
//= -  %1: i64 = lid 0 !208..223
//= -  %2: ptr<global> = ptr.add %0, %1 * 4 + 0 !206..224
//= -  %3: i32 = load %2 !206..224
//= -  barrier 2 !230..259
//= -  %4: i64 = sext %3 !265..269
//= -  %5: ptr<global> = ptr.add %0, %4 * 4 + 0 !265..269
//= -  store %5, %3 !265..273
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 8 align 8
//= +  slot3 "" size 8 align 8
//= +  slot4 "" size 8 align 8
//= +  slot5 "" size 8 align 8
//= +  slot6 "" size 4 align 4
//= +  slot7 "" size 8 align 8
//= +  slot8 "" size 4 align 4
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
//= +  %25: i64 = const 64
//= +  %26: i64 = const 1
//= +  %27: i64 = const 1
//= +  %28: i64 = mul %25, %26
//= +  %29: i64 = mul %28, %27
//= +  %30: ptr<const> = ptr.off %1, 96
//= +  %31: i64 = load %30 {inv}
//= +  %32: i32 = trunc %31
//= +  %33: ptr<global> = load %0 {inv}
//= +  %34: i64 = const 0
//= +  %35: i64 = mul %29, %34
//= +  %36: ptr<private> = ptr.add %7, %35 * 1 + 0
//= +  %37: ptr<private> = slot.addr slot0
//= +  store %37, %2
//= +  %38: i64 = rem.u %2, %20
//= +  %39: i64 = div.u %2, %20
//= +  %40: i64 = rem.u %39, %22
//= +  %41: i64 = div.u %39, %22
//= +  %42: ptr<private> = slot.addr slot3
//= +  store %42, %41
//= +  %43: ptr<private> = slot.addr slot2
//= +  store %43, %40
//= +  %44: ptr<private> = slot.addr slot1
//= +  store %44, %38
//= +  jump b1
//= +b1:
//= +  %45: ptr<private> = slot.addr slot0
//= +  %46: i64 = load %45
//= +  %47: i1 = icmp.ult %46, %3
//= +  br %47, b2, b3
//= +b2:
//= +  %48: ptr<private> = slot.addr slot1
//= +  %49: i64 = load %48
//= +  %50: ptr<private> = slot.addr slot2
//= +  %51: i64 = load %50
//= +  %52: ptr<private> = slot.addr slot3
//= +  %53: i64 = load %52
//= +  %54: i64 = mul %49, %25
//= +  %55: i64 = mul %51, %26
//= +  %56: i64 = mul %53, %27
//= +  %57: i64 = add %54, %14
//= +  %58: i64 = add %55, %16
//= +  %59: i64 = add %56, %18
//= +  jump b5
//= +b5:
//= +  %60: i64 = const 0
//= +  %61: ptr<private> = slot.addr slot5
//= +  store %61, %60
//= +  jump b9
//= +b9 items:
//= +  %62: ptr<private> = slot.addr slot5
//= +  %63: i64 = load %62
//= +  %64: i64 = add %57, %63 {nsw nuw}
//= +  %65: i64 = mul %60, %25 {nsw nuw}
//= +  %66: i64 = add %65, %63 {nsw nuw}
//= +  jump b12
//= +b12:
//= +  jump b11
//= +b11:
//= +  %67: ptr<global> = ptr.add %33, %63 * 4 + 0 !206..224
//= +  %68: i32 = load %67 !206..224
//= +  %69: ptr<private> = slot.addr slot6 !206..224
//= +  store %69, %68 !206..224
//= +  %70: ptr<private> = slot.addr slot6 !206..224
//= +  %71: i32 = load %70 !206..224
//= +  %72: ptr<private> = ptr.add %36, %66 * 4 + 0 !206..224
//= +  store %72, %71 !206..224
//= +  jump b10
//= +b10:
//= +  %73: i64 = const 1 !206..224
//= +  %74: i64 = add %63, %73 !206..224
//= +  %75: ptr<private> = slot.addr slot5 !206..224
//= +  store %75, %74 !206..224
//= +  %76: i1 = icmp.ult %74, %25 !206..224
//= +  br %76, b9, b13
//= +b13:
//= +  jump b8
//= +b6:
//= +  %77: i64 = const 0 !206..224
//= +  %78: ptr<private> = slot.addr slot7 !206..224
//= +  store %78, %77 !206..224
//= +  jump b14
//= +b14 items:
//= +  %79: ptr<private> = slot.addr slot7 !206..224
//= +  %80: i64 = load %79 !206..224
//= +  %81: i64 = add %57, %80 {nsw nuw} !206..224
//= +  %82: i64 = mul %77, %25 {nsw nuw} !206..224
//= +  %83: i64 = add %82, %80 {nsw nuw} !206..224
//= +  jump b17
//= +b17:
//= +  %84: ptr<private> = ptr.add %36, %83 * 4 + 0 !206..224
//= +  %85: i32 = load %84 !206..224
//= +  %86: ptr<private> = slot.addr slot8 !206..224
//= +  store %86, %85 !206..224
//= +  jump b16
//= +b16:
//= +  %87: ptr<private> = slot.addr slot8 !265..269
//= +  %88: i32 = load %87 !265..269
//= +  %89: i64 = sext %88 !265..269
//= +  %90: ptr<global> = ptr.add %33, %89 * 4 + 0 !265..269
//= +  %91: ptr<private> = slot.addr slot8 !265..273
//= +  %92: i32 = load %91 !265..273
//= +  store %90, %92 !265..273
//= +  jump b15
//= +b15:
//= +  %93: i64 = const 1 !265..273
//= +  %94: i64 = add %80, %93 !265..273
//= +  %95: ptr<private> = slot.addr slot7 !265..273
//= +  store %95, %94 !265..273
//= +  %96: i1 = icmp.ult %94, %25 !265..273
//= +  br %96, b14, b18
//= +b18:
//= +  jump b4
//= +b8:
//= +  jump b6
//= +b4:
//= +  %97: i64 = const 1 !265..273
//= +  %98: i64 = const 0 !265..273
//= +  %99: ptr<private> = slot.addr slot0 !265..273
//= +  %100: i64 = load %99 !265..273
//= +  %101: i64 = add %100, %97 !265..273
//= +  %102: ptr<private> = slot.addr slot0 !265..273
//= +  store %102, %101 !265..273
//= +  %103: i64 = add %49, %97 !265..273
//= +  %104: i1 = icmp.eq %103, %20 !265..273
//= +  %105: i64 = select %104, %98, %103 !265..273
//= +  %106: ptr<private> = slot.addr slot1 !265..273
//= +  store %106, %105 !265..273
//= +  %107: i64 = zext %104 !265..273
//= +  %108: i64 = add %51, %107 !265..273
//= +  %109: i1 = icmp.eq %108, %22 !265..273
//= +  %110: i64 = select %109, %98, %108 !265..273
//= +  %111: ptr<private> = slot.addr slot2 !265..273
//= +  store %111, %110 !265..273
//= +  %112: i64 = zext %109 !265..273
//= +  %113: i64 = add %53, %112 !265..273
//= +  %114: ptr<private> = slot.addr slot3 !265..273
//= +  store %114, %113 !265..273
//= +  jump b1
//= +b3:
//=    ret
