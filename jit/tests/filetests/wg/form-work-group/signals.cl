// target: scalar
// local: 64 1 1
// What groups poll between barriers is read in each turn.
kernel void k(global int *turn, global int *out) {
    int g = get_group_id(0), l = get_local_id(0);
    local int seen;
    do {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            seen = *turn;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (seen != g);
    out[get_global_id(0)] = g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        atomic_inc(turn);
}
//= @@ -1,34 +1,296 @@
//= -func @k(ptr<global>, ptr<global>) kernel {
//= -b0(%0: ptr<global>, %1: ptr<global>):
//= -  %2: i64 = grp 0 !172..187
//= -  %3: i32 = trunc %2 !172..187
//= -  %4: i64 = lid 0 !193..208
//= -  %5: i32 = trunc %4 !193..208
//= -  %6: i32 = const 0 !295..296
//= -  %7: i1 = icmp.eq %5, %6 !290..296
//= -  %8: ptr<local> = local.addr lv0 !310..322
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 8 align 8
//= +  slot3 "" size 8 align 8
//= +  slot4 "" size 8 align 8
//= +  slot5 "" size 8 align 8
//= +  slot6 "" size 8 align 8
//= +  slot7 "" size 1 align 1
//= +  slot8 "" size 1 align 1
//= +  slot9 "" size 8 align 8
//= +  slot10 "" size 8 align 8
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
//= +  %34: ptr<const> = ptr.off %0, 8
//= +  %35: ptr<global> = load %34 {inv}
//= +  %36: ptr<private> = slot.addr slot0
//= +  store %36, %2
//= +  %37: i64 = rem.u %2, %20
//= +  %38: i64 = div.u %2, %20
//= +  %39: i64 = rem.u %38, %22
//= +  %40: i64 = div.u %38, %22
//= +  %41: ptr<private> = slot.addr slot3
//= +  store %41, %40
//= +  %42: ptr<private> = slot.addr slot2
//= +  store %42, %39
//= +  %43: ptr<private> = slot.addr slot1
//= +  store %43, %37
//=    jump b1
//=  b1:
//= -  barrier 2 !247..276
//= -  br %7, b2, b3
//= +  %44: ptr<private> = slot.addr slot0
//= +  %45: i64 = load %44
//= +  %46: i1 = icmp.ult %45, %3
//= +  br %46, b2, b3
//=  b2:
//= -  %9: i32 = load %0 !317..322
//= -  store %8, %9 !310..322
//= -  jump b3
//= -b3:
//= -  barrier 1 !332..360
//= -  %10: i32 = load %8 !375..379
//= -  %11: i1 = icmp.ne %10, %3 !375..384
//= -  br %11, b1, b4
//= -b4:
//= -  %12: i64 = gid 0 !395..411
//= -  %13: ptr<global> = ptr.add %1, %12 * 4 + 0 !391..412
//= -  store %13, %3 !391..416
//= -  barrier 2 !422..451
//= -  br %7, b5, b6
//= +  %47: ptr<private> = slot.addr slot1
//= +  %48: i64 = load %47
//= +  %49: ptr<private> = slot.addr slot2
//= +  %50: i64 = load %49
//= +  %51: ptr<private> = slot.addr slot3
//= +  %52: i64 = load %51
//= +  %53: i64 = mul %48, %25
//= +  %54: i64 = mul %50, %26
//= +  %55: i64 = mul %52, %27
//= +  %56: i64 = add %53, %14
//= +  %57: i64 = add %54, %16
//= +  %58: i64 = add %55, %18
//= +  jump b5
//=  b5:
//= -  %14: i32 = const 1 !477..493
//= -  %15: i32 = atomic.rmw.add %0, %14 {relaxed} !477..493
//= +  %59: i64 = const 0
//= +  %60: ptr<private> = slot.addr slot5
//= +  store %60, %59
//= +  jump b19
//= +b19 items:
//= +  %61: ptr<private> = slot.addr slot5
//= +  %62: i64 = load %61
//= +  %63: i64 = add %56, %62 {nsw nuw}
//= +  %64: i64 = mul %59, %25 {nsw nuw}
//= +  %65: i64 = add %64, %62 {nsw nuw}
//= +  jump b23
//= +b23:
//= +  jump b21
//= +b21:
//= +  %66: i32 = trunc %48 {nsw nuw} !172..187
//= +  %67: i32 = trunc %62 {nsw nuw} !193..208
//= +  %68: i32 = const 0 !295..296
//= +  %69: i1 = icmp.eq %67, %68 !290..296
//= +  %70: ptr<local> = local.base %5, 0 !310..322
//= +  jump b22
//= +b22:
//= +  jump b20
//= +b20:
//= +  %71: i64 = const 1 !310..322
//= +  %72: i64 = add %62, %71 !310..322
//= +  %73: ptr<private> = slot.addr slot5 !310..322
//= +  store %73, %72 !310..322
//= +  %74: i1 = icmp.ult %72, %25 !310..322
//= +  br %74, b19, b24
//= +b24:
//= +  jump b13
//= +b6:
//= +  %75: i64 = const 0 !310..322
//= +  %76: ptr<private> = slot.addr slot6 !310..322
//= +  store %76, %75 !310..322
//= +  jump b25
//= +b25 items:
//= +  %77: ptr<private> = slot.addr slot6 !310..322
//= +  %78: i64 = load %77 !310..322
//= +  %79: i64 = add %56, %78 {nsw nuw} !310..322
//= +  %80: i64 = mul %75, %25 {nsw nuw} !310..322
//= +  %81: i64 = add %80, %78 {nsw nuw} !310..322
//= +  %82: i32 = trunc %48 {nsw nuw} !310..322
//= +  %83: i32 = trunc %78 {nsw nuw} !310..322
//= +  %84: i32 = const 0 !310..322
//= +  %85: i1 = icmp.eq %83, %84 !310..322
//= +  %86: ptr<local> = local.base %5, 0 !310..322
//= +  jump b30
//= +b30:
//= +  jump b27
//= +b27:
//= +  br %85, b28, b29
//= +b28:
//= +  %87: i32 = load %33 {volatile} !317..322
//= +  store %86, %87 !310..322
//= +  jump b29
//= +b29:
//= +  jump b26
//= +b26:
//= +  %88: i64 = const 1 !310..322
//= +  %89: i64 = add %78, %88 !310..322
//= +  %90: ptr<private> = slot.addr slot6 !310..322
//= +  store %90, %89 !310..322
//= +  %91: i1 = icmp.ult %89, %25 !310..322
//= +  br %91, b25, b31
//= +b31:
//= +  jump b14
//= +b7:
//= +  %92: i64 = const 0 !310..322
//= +  %93: i32 = trunc %48 {nsw nuw} !310..322
//= +  %94: i32 = trunc %92 {nsw nuw} !310..322
//= +  %95: i32 = const 0 !310..322
//= +  %96: i1 = icmp.eq %94, %95 !310..322
//= +  %97: ptr<local> = local.base %5, 0 !310..322
//= +  jump b34
//= +b34:
//= +  jump b33
//= +b33:
//= +  %98: i32 = load %97 !375..379
//= +  %99: i1 = icmp.ne %98, %93 !375..384
//= +  %100: ptr<private> = slot.addr slot7 !375..384
//= +  %101: i8 = zext %99 !375..384
//= +  store %100, %101 !375..384
//= +  %102: ptr<private> = slot.addr slot7 !375..384
//= +  %103: i8 = load %102 !375..384
//= +  %104: i8 = const 0 !375..384
//= +  %105: i1 = icmp.ne %103, %104 !375..384
//= +  %106: ptr<private> = slot.addr slot8 !375..384
//= +  %107: i8 = zext %105 !375..384
//= +  store %106, %107 !375..384
//= +  jump b32
//= +b32:
//= +  jump b18
//= +b8:
//= +  %108: i64 = const 0 !375..384
//= +  %109: ptr<private> = slot.addr slot9 !375..384
//= +  store %109, %108 !375..384
//= +  jump b35
//= +b35 items:
//= +  %110: ptr<private> = slot.addr slot9 !375..384
//= +  %111: i64 = load %110 !375..384
//= +  %112: i64 = add %56, %111 {nsw nuw} !375..384
//= +  %113: i64 = mul %108, %25 {nsw nuw} !375..384
//= +  %114: i64 = add %113, %111 {nsw nuw} !375..384
//= +  %115: i32 = trunc %111 {nsw nuw} !375..384
//= +  %116: i32 = const 0 !375..384
//= +  %117: i1 = icmp.eq %115, %116 !375..384
//= +  jump b40
//= +b40:
//= +  jump b37
//= +b37:
//= +  br %117, b38, b39
//= +b38:
//= +  %118: i32 = const 1 !477..493
//= +  %119: i32 = atomic.rmw.add %33, %118 {relaxed} !477..493
//= +  jump b39
//= +b39:
//= +  jump b36
//= +b36:
//= +  %120: i64 = const 1 !477..493
//= +  %121: i64 = add %111, %120 !477..493
//= +  %122: ptr<private> = slot.addr slot9 !477..493
//= +  store %122, %121 !477..493
//= +  %123: i1 = icmp.ult %121, %25 !477..493
//= +  br %123, b35, b41
//= +b41:
//= +  jump b4
//= +b9:
//= +  %124: i64 = const 0 !477..493
//= +  %125: i32 = trunc %48 {nsw nuw} !477..493
//= +  %126: i32 = trunc %124 {nsw nuw} !477..493
//= +  %127: i32 = const 0 !477..493
//= +  %128: i1 = icmp.eq %126, %127 !477..493
//= +  %129: ptr<local> = local.base %5, 0 !477..493
//= +  jump b45
//= +b45:
//= +  jump b43
//= +b44:
//= +  jump b42
//= +b43:
//= +  jump b44
//= +b42:
//= +  jump b13
//= +b10:
//= +  %130: i64 = const 0 !477..493
//= +  %131: ptr<private> = slot.addr slot10 !477..493
//= +  store %131, %130 !477..493
//= +  jump b46
//= +b46 items:
//= +  %132: ptr<private> = slot.addr slot10 !477..493
//= +  %133: i64 = load %132 !477..493
//= +  %134: i64 = add %56, %133 {nsw nuw} !477..493
//= +  %135: i64 = mul %130, %25 {nsw nuw} !477..493
//= +  %136: i64 = add %135, %133 {nsw nuw} !477..493
//= +  %137: i32 = trunc %48 {nsw nuw} !477..493
//= +  %138: i32 = trunc %133 {nsw nuw} !477..493
//= +  %139: i32 = const 0 !477..493
//= +  %140: i1 = icmp.eq %138, %139 !477..493
//= +  jump b50
//= +b50:
//= +  jump b48
//= +b48:
//= +  jump b49
//= +b49:
//= +  %141: ptr<global> = ptr.add %35, %134 * 4 + 0 !391..412
//= +  store %141, %137 !391..416
//= +  jump b47
//= +b47:
//= +  %142: i64 = const 1 !391..416
//= +  %143: i64 = add %133, %142 !391..416
//= +  %144: ptr<private> = slot.addr slot10 !391..416
//= +  store %144, %143 !391..416
//= +  %145: i1 = icmp.ult %143, %25 !391..416
//= +  br %145, b46, b51
//= +b51:
//= +  jump b15
//= +b13:
//=    jump b6
//= -b6:
//= +b14:
//= +  jump b7
//= +b15:
//= +  jump b8
//= +b16:
//= +  jump b9
//= +b17:
//= +  jump b10
//= +b18:
//= +  %146: ptr<private> = slot.addr slot8 !391..416
//= +  %147: i8 = load %146 !391..416
//= +  %148: i8 = const 0 !391..416
//= +  %149: i1 = icmp.ne %147, %148 !391..416
//= +  br %149, b16, b17
//= +b4:
//= +  %150: i64 = const 1 !391..416
//= +  %151: i64 = const 0 !391..416
//= +  %152: ptr<private> = slot.addr slot0 !391..416
//= +  %153: i64 = load %152 !391..416
//= +  %154: i64 = add %153, %150 !391..416
//= +  %155: ptr<private> = slot.addr slot0 !391..416
//= +  store %155, %154 !391..416
//= +  %156: i64 = add %48, %150 !391..416
//= +  %157: i1 = icmp.eq %156, %20 !391..416
//= +  %158: i64 = select %157, %151, %156 !391..416
//= +  %159: ptr<private> = slot.addr slot1 !391..416
//= +  store %159, %158 !391..416
//= +  %160: i64 = zext %157 !391..416
//= +  %161: i64 = add %50, %160 !391..416
//= +  %162: i1 = icmp.eq %161, %22 !391..416
//= +  %163: i64 = select %162, %151, %161 !391..416
//= +  %164: ptr<private> = slot.addr slot2 !391..416
//= +  store %164, %163 !391..416
//= +  %165: i64 = zext %162 !391..416
//= +  %166: i64 = add %52, %165 !391..416
//= +  %167: ptr<private> = slot.addr slot3 !391..416
//= +  store %167, %166 !391..416
//= +  jump b1
//= +b3:
//=    ret
