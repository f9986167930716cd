// target: scalar
// local: 1 1 1
// There is a loop over groups only: what a group of one work-item does stays as it is.
kernel void k(global int *p) {
    p[get_group_id(0)] = 1;
}
//= @@ -1,7 +1,107 @@
//= -func @k(ptr<global>) kernel {
//= -b0(%0: ptr<global>):
//= -  %1: i64 = grp 0 !174..189
//= -  %2: ptr<global> = ptr.add %0, %1 * 4 + 0 !172..190
//= -  %3: i32 = const 1 !193..194
//= -  store %2, %3 !172..194
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 8 align 8
//= +  slot3 "" size 8 align 8
//= +  slot4 "" size 8 align 8
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
//= +  %25: i64 = const 1
//= +  %26: i64 = const 1
//= +  %27: i64 = const 1
//= +  %28: i64 = mul %25, %26
//= +  %29: i64 = mul %28, %27
//= +  %30: ptr<const> = ptr.off %1, 96
//= +  %31: i64 = load %30 {inv}
//= +  %32: i32 = trunc %31
//= +  %33: ptr<global> = load %0 {inv}
//= +  %34: ptr<private> = slot.addr slot0
//= +  store %34, %2
//= +  %35: i64 = rem.u %2, %20
//= +  %36: i64 = div.u %2, %20
//= +  %37: i64 = rem.u %36, %22
//= +  %38: i64 = div.u %36, %22
//= +  %39: ptr<private> = slot.addr slot3
//= +  store %39, %38
//= +  %40: ptr<private> = slot.addr slot2
//= +  store %40, %37
//= +  %41: ptr<private> = slot.addr slot1
//= +  store %41, %35
//= +  jump b1
//= +b1:
//= +  %42: ptr<private> = slot.addr slot0
//= +  %43: i64 = load %42
//= +  %44: i1 = icmp.ult %43, %3
//= +  br %44, b2, b3
//= +b2:
//= +  %45: ptr<private> = slot.addr slot1
//= +  %46: i64 = load %45
//= +  %47: ptr<private> = slot.addr slot2
//= +  %48: i64 = load %47
//= +  %49: ptr<private> = slot.addr slot3
//= +  %50: i64 = load %49
//= +  %51: i64 = mul %46, %25
//= +  %52: i64 = mul %48, %26
//= +  %53: i64 = mul %50, %27
//= +  %54: i64 = add %51, %14
//= +  %55: i64 = add %52, %16
//= +  %56: i64 = add %53, %18
//= +  jump b5
//= +b5:
//= +  %57: i64 = const 0
//= +  jump b9
//= +b9:
//= +  jump b8
//= +b8:
//= +  %58: ptr<global> = ptr.add %33, %46 * 4 + 0 !172..190
//= +  %59: i32 = const 1 !193..194
//= +  store %58, %59 !172..194
//= +  jump b7
//= +b7:
//= +  jump b4
//= +b4:
//= +  %60: i64 = const 1 !172..194
//= +  %61: i64 = const 0 !172..194
//= +  %62: ptr<private> = slot.addr slot0 !172..194
//= +  %63: i64 = load %62 !172..194
//= +  %64: i64 = add %63, %60 !172..194
//= +  %65: ptr<private> = slot.addr slot0 !172..194
//= +  store %65, %64 !172..194
//= +  %66: i64 = add %46, %60 !172..194
//= +  %67: i1 = icmp.eq %66, %20 !172..194
//= +  %68: i64 = select %67, %61, %66 !172..194
//= +  %69: ptr<private> = slot.addr slot1 !172..194
//= +  store %69, %68 !172..194
//= +  %70: i64 = zext %67 !172..194
//= +  %71: i64 = add %48, %70 !172..194
//= +  %72: i1 = icmp.eq %71, %22 !172..194
//= +  %73: i64 = select %72, %61, %71 !172..194
//= +  %74: ptr<private> = slot.addr slot2 !172..194
//= +  store %74, %73 !172..194
//= +  %75: i64 = zext %72 !172..194
//= +  %76: i64 = add %50, %75 !172..194
//= +  %77: ptr<private> = slot.addr slot3 !172..194
//= +  store %77, %76 !172..194
//= +  jump b1
//= +b3:
//=    ret
