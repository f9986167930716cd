// local: 64 1 1
// small
// Counters between small numbers are small, and divided in 32 bits.
kernel void k(global int *out, long n) {
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = (int)(i / 100);
}
//= @@ -1,51 +1,380 @@
//= -func @k(ptr<global>, i64) kernel {
//= -b0(%0: ptr<global>, %1: i64):
//= -  %2: i64 = gid 0 !169..185
//= -  %3: i64 = const 100 !246..249
//= -  %4: i64 = gsz 0 !199..217
//= -  %17: i64 = const 0 !187..192
//= -  %18: i64 = grp 0 !187..192
//= -  %19: i64 = const 64 !187..192
//= -  %39: i64 = const 6 !187..192
//= -  %40: i64 = shl %18, %39 !187..192
//= -  %21: i64 = goff 0 !187..192
//= -  %22: i64 = add %40, %21 !187..192
//= -  %24: i1 = icmp.sge %4, %19 !187..192
//= -  %25: i64 = const 9223372036854775807 !187..192
//= -  %41: i64 = const 9223372036854775743 !187..192
//= -  %27: i64 = sub %25, %4 !187..192
//= -  %28: i1 = icmp.sle %22, %41 !187..192
//= -  %29: i1 = icmp.sle %1, %27 !187..192
//= -  %30: i1 = and %24, %28 !187..192
//= -  %31: i1 = and %30, %29 !187..192
//= -  br %31, b7(%17), b1(%2)
//= -b7(%33: i64):
//= -  %34: i64 = add %22, %33 !187..192
//= -  %35: i1 = icmp.slt %34, %1 !187..192
//= -  br %35, b5, b3
//= +func @k(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 8 align 8
//= +  slot1 "" size 8 align 8
//= +  slot2 "" size 8 align 8
//= +  slot3 "" size 8 align 8
//= +  slot4 "" size 8 align 8
//= +  slot5 "" size 8 align 8
//= +  slot6 "" size 1 align 1
//= +  slot7 "" size 1 align 1
//= +  slot8 "" size 8 align 8
//= +  slot9 "" size 8 align 8
//= +  slot10 "" size 8 align 8
//= +  slot11 "" size 1 align 1
//= +  slot12 "" size 8 align 8
//= +  slot13 "" size 1 align 1
//= +  slot14 "" size 8 align 8
//= +  slot15 "" size 8 align 8
//= +  slot16 "" size 1 align 1
//= +  slot17 "" size 8 align 8
//= +  slot18 "" size 8 align 8
//= +  slot19 "" size 8 align 8
//= +  slot20 "" size 8 align 8
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
//= +  %35: i64 = load %34 {inv}
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
//= +  jump b1
//= +b1:
//= +  %44: ptr<private> = slot.addr slot0
//= +  %45: i64 = load %44
//= +  %46: i1 = icmp.ult %45, %3
//= +  br %46, b2, b3
//= +b2:
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
//= -  %37: i64 = lid 0 !187..192
//= -  %38: i64 = add %34, %37 {nsw} !187..192
//= -  %12: i1 = icmp.slt %38, %1 !187..192
//= -  br %12, b6, b8
//= +  %59: i64 = const 0
//= +  %60: ptr<private> = slot.addr slot5
//= +  store %60, %59
//= +  jump b21
//= +b21 items:
//= +  %61: ptr<private> = slot.addr slot5
//= +  %62: i64 = load %61
//= +  %63: i64 = add %56, %62 {nsw nuw}
//= +  %64: i64 = mul %59, %25 {nsw nuw}
//= +  %65: i64 = add %64, %62 {nsw nuw}
//= +  jump b24
//= +b24:
//= +  jump b23
//= +b23:
//= +  %66: i64 = const 100 !246..249
//= +  %67: i64 = const 0 !187..192
//= +  %68: i64 = const 64 !187..192
//= +  %69: i64 = const 6 !187..192
//= +  %70: i64 = shl %48, %69 !187..192
//= +  %71: i64 = add %70, %14 !187..192
//= +  %72: i1 = icmp.sge %8, %68 !187..192
//= +  %73: i64 = const 9223372036854775807 !187..192
//= +  %74: i64 = const 9223372036854775743 !187..192
//= +  %75: i64 = sub %73, %8 !187..192
//= +  %76: i1 = icmp.sle %71, %74 !187..192
//= +  %77: i1 = icmp.sle %35, %75 !187..192
//= +  %78: i1 = and %72, %76 !187..192
//= +  %79: i1 = and %78, %77 !187..192
//= +  %80: ptr<private> = slot.addr slot6 !187..192
//= +  %81: i8 = zext %79 !187..192
//= +  store %80, %81 !187..192
//= +  %82: ptr<private> = slot.addr slot6 !187..192
//= +  %83: i8 = load %82 !187..192
//= +  %84: i8 = const 0 !187..192
//= +  %85: i1 = icmp.ne %83, %84 !187..192
//= +  %86: ptr<private> = slot.addr slot7 !187..192
//= +  %87: i8 = zext %85 !187..192
//= +  store %86, %87 !187..192
//= +  jump b22
//= +b22:
//= +  %88: i64 = const 1 !187..192
//= +  %89: i64 = add %62, %88 !187..192
//= +  %90: ptr<private> = slot.addr slot5 !187..192
//= +  store %90, %89 !187..192
//= +  %91: i1 = icmp.ult %89, %25 !187..192
//= +  br %91, b21, b25
//= +b25:
//= +  jump b17
//=  b6:
//= -  %13: ptr<global> = ptr.add %0, %38 * 4 + 0 !227..233
//= -  %14: i64 = div.s %38, %3 !242..249
//= -  %15: i32 = trunc %14 !242..249
//= -  store %13, %15 !227..250
//= -  jump b8
//= +  %92: ptr<private> = slot.addr slot8 !187..192
//= +  %93: i64 = load %92 !187..192
//= +  %94: i64 = const 0 !187..192
//= +  %95: i64 = const 100 !187..192
//= +  %96: i64 = const 6 !187..192
//= +  %97: i64 = shl %48, %96 !187..192
//= +  %98: i64 = add %97, %14 !187..192
//= +  jump b29
//= +b29:
//= +  %100: ptr<private> = slot.addr slot9 !187..192
//= +  store %100, %93 !187..192
//= +  jump b27
//= +b28(%99: i64):
//= +  %101: ptr<private> = slot.addr slot9 !187..192
//= +  store %101, %99 !187..192
//= +  %102: ptr<private> = slot.addr slot9 !187..192
//= +  %103: i64 = load %102 !187..192
//= +  %104: i64 = add %98, %103 !187..192
//= +  %105: ptr<private> = slot.addr slot10 !187..192
//= +  store %105, %104 !187..192
//= +  %106: ptr<private> = slot.addr slot10 !187..192
//= +  %107: i64 = load %106 !187..192
//= +  %108: i1 = icmp.slt %107, %35 !187..192
//= +  %109: ptr<private> = slot.addr slot11 !187..192
//= +  %110: i8 = zext %108 !187..192
//= +  store %109, %110 !187..192
//= +  %111: ptr<private> = slot.addr slot9 !187..192
//= +  %112: i64 = load %111 !187..192
//= +  %113: ptr<private> = slot.addr slot8 !187..192
//= +  store %113, %112 !187..192
//= +  %114: ptr<private> = slot.addr slot10 !187..192
//= +  %115: i64 = load %114 !187..192
//= +  %116: ptr<private> = slot.addr slot12 !187..192
//= +  store %116, %115 !187..192
//= +  %117: ptr<private> = slot.addr slot11 !187..192
//= +  %118: i8 = load %117 !187..192
//= +  %119: i8 = const 0 !187..192
//= +  %120: i1 = icmp.ne %118, %119 !187..192
//= +  %121: ptr<private> = slot.addr slot13 !187..192
//= +  %122: i8 = zext %120 !187..192
//= +  store %121, %122 !187..192
//= +  jump b26
//= +b27:
//= +  %123: ptr<private> = slot.addr slot9 !187..192
//= +  %124: i64 = load %123 !187..192
//= +  %125: i64 = add %124, %8 !187..192
//= +  jump b28(%125)
//= +b26:
//= +  jump b20
//= +b7:
//= +  %126: i64 = const 0 !187..192
//= +  %127: i64 = const 100 !187..192
//= +  %128: i64 = const 0 !187..192
//= +  %129: i64 = const 6 !187..192
//= +  %130: i64 = shl %48, %129 !187..192
//= +  %131: i64 = add %130, %14 !187..192
//= +  jump b33
//= +b33:
//= +  jump b31
//= +b31:
//= +  jump b32(%128)
//= +b32(%132: i64):
//= +  %133: ptr<private> = slot.addr slot14 !187..192
//= +  store %133, %132 !187..192
//= +  %134: ptr<private> = slot.addr slot14 !187..192
//= +  %135: i64 = load %134 !187..192
//= +  %136: i64 = add %131, %135 !187..192
//= +  %137: ptr<private> = slot.addr slot15 !187..192
//= +  store %137, %136 !187..192
//= +  %138: ptr<private> = slot.addr slot15 !187..192
//= +  %139: i64 = load %138 !187..192
//= +  %140: i1 = icmp.slt %139, %35 !187..192
//= +  %141: ptr<private> = slot.addr slot16 !187..192
//= +  %142: i8 = zext %140 !187..192
//= +  store %141, %142 !187..192
//= +  %143: ptr<private> = slot.addr slot14 !187..192
//= +  %144: i64 = load %143 !187..192
//= +  %145: ptr<private> = slot.addr slot8 !187..192
//= +  store %145, %144 !187..192
//= +  %146: ptr<private> = slot.addr slot15 !187..192
//= +  %147: i64 = load %146 !187..192
//= +  %148: ptr<private> = slot.addr slot12 !187..192
//= +  store %148, %147 !187..192
//= +  %149: ptr<private> = slot.addr slot16 !187..192
//= +  %150: i8 = load %149 !187..192
//= +  %151: i8 = const 0 !187..192
//= +  %152: i1 = icmp.ne %150, %151 !187..192
//= +  %153: ptr<private> = slot.addr slot13 !187..192
//= +  %154: i8 = zext %152 !187..192
//= +  store %153, %154 !187..192
//= +  jump b30
//= +b30:
//= +  jump b20
//=  b8:
//= -  barrier 0 !187..192
//= -  %36: i64 = add %33, %4 !187..192
//= -  jump b7(%36)
//= -b1(%5: i64):
//= -  %6: i1 = icmp.slt %5, %1 !187..192
//= -  br %6, b2, b3
//= -b2:
//= -  %7: ptr<global> = ptr.add %0, %5 * 4 + 0 !227..233
//= -  %8: i64 = div.s %5, %3 !242..249
//= -  %9: i32 = trunc %8 !242..249
//= -  store %7, %9 !227..250
//= -  %10: i64 = add %5, %4 !194..217
//= -  jump b1(%10)
//= +  %155: i64 = const 0 !187..192
//= +  %156: ptr<private> = slot.addr slot17 !187..192
//= +  store %156, %155 !187..192
//= +  jump b34
//= +b34 items:
//= +  %157: ptr<private> = slot.addr slot17 !187..192
//= +  %158: i64 = load %157 !187..192
//= +  %159: i64 = add %56, %158 {nsw nuw} !187..192
//= +  %160: i64 = mul %155, %25 {nsw nuw} !187..192
//= +  %161: i64 = add %160, %158 {nsw nuw} !187..192
//= +  %162: i64 = const 100 !187..192
//= +  jump b40
//= +b40:
//= +  jump b36
//= +b36:
//= +  jump b37(%159)
//= +b37(%163: i64):
//= +  %164: i1 = icmp.slt %163, %35 !187..192
//= +  br %164, b38, b39
//= +b38:
//= +  %165: ptr<global> = ptr.add %33, %163 * 4 + 0 !227..233
//= +  %166: i32 = trunc %163 {nsw nuw} !242..249
//= +  %167: i32 = trunc %162 {nsw nuw} !242..249
//= +  %168: i32 = div.u %166, %167 !242..249
//= +  %169: i64 = zext %168 !242..249
//= +  %170: i32 = trunc %169 !242..249
//= +  store %165, %170 !227..250
//= +  %171: i64 = add %163, %8 !194..217
//= +  jump b37(%171)
//= +b39:
//= +  jump b35
//= +b35:
//= +  %172: i64 = const 1 !194..217
//= +  %173: i64 = add %158, %172 !194..217
//= +  %174: ptr<private> = slot.addr slot17 !194..217
//= +  store %174, %173 !194..217
//= +  %175: i1 = icmp.ult %173, %25 !194..217
//= +  br %175, b34, b41
//= +b41:
//= +  jump b4
//= +b10:
//= +  %176: ptr<private> = slot.addr slot8 !194..217
//= +  %177: i64 = load %176 !194..217
//= +  %178: ptr<private> = slot.addr slot12 !194..217
//= +  %179: i64 = load %178 !194..217
//= +  %180: i64 = const 0 !194..217
//= +  %181: ptr<private> = slot.addr slot18 !194..217
//= +  store %181, %180 !194..217
//= +  jump b42
//= +b42 items:
//= +  %182: ptr<private> = slot.addr slot18 !194..217
//= +  %183: i64 = load %182 !194..217
//= +  %184: i64 = add %56, %183 {nsw nuw} !194..217
//= +  %185: i64 = mul %180, %25 {nsw nuw} !194..217
//= +  %186: i64 = add %185, %183 {nsw nuw} !194..217
//= +  %187: i64 = const 100 !194..217
//= +  %188: i64 = const 6 !194..217
//= +  %189: i64 = shl %48, %188 !194..217
//= +  %190: i64 = add %189, %14 !194..217
//= +  jump b48
//= +b48:
//= +  %191: ptr<private> = slot.addr slot19 !194..217
//= +  store %191, %177 !194..217
//= +  %192: ptr<private> = slot.addr slot20 !194..217
//= +  store %192, %179 !194..217
//= +  jump b44
//= +b44:
//= +  jump b45
//= +b45:
//= +  %193: ptr<private> = slot.addr slot20 !187..192
//= +  %194: i64 = load %193 !187..192
//= +  %195: i64 = add %194, %183 {nsw} !187..192
//= +  %196: i1 = icmp.slt %195, %35 !187..192
//= +  br %196, b46, b47
//= +b46:
//= +  %197: ptr<global> = ptr.add %33, %195 * 4 + 0 !227..233
//= +  %198: i64 = div.s %195, %187 !242..249
//= +  %199: i32 = trunc %198 !242..249
//= +  store %197, %199 !227..250
//= +  jump b47
//= +b47:
//= +  jump b43
//= +b43:
//= +  %200: i64 = const 1 !227..250
//= +  %201: i64 = add %183, %200 !227..250
//= +  %202: ptr<private> = slot.addr slot18 !227..250
//= +  store %202, %201 !227..250
//= +  %203: i1 = icmp.ult %201, %25 !227..250
//= +  br %203, b42, b49
//= +b49:
//= +  jump b14
//= +b11:
//= +  %204: i64 = const 0 !227..250
//= +  jump b53
//= +b53:
//= +  jump b51
//= +b51:
//= +  jump b52
//= +b52:
//= +  jump b50
//= +b50:
//= +  jump b4
//= +b14:
//= +  jump b6
//= +b15:
//= +  jump b7
//= +b16:
//= +  jump b8
//= +b17:
//= +  %205: ptr<private> = slot.addr slot7 !227..250
//= +  %206: i8 = load %205 !227..250
//= +  %207: i8 = const 0 !227..250
//= +  %208: i1 = icmp.ne %206, %207 !227..250
//= +  br %208, b15, b16
//= +b18:
//= +  jump b10
//= +b19:
//= +  jump b11
//= +b20:
//= +  %209: ptr<private> = slot.addr slot13 !227..250
//= +  %210: i8 = load %209 !227..250
//= +  %211: i8 = const 0 !227..250
//= +  %212: i1 = icmp.ne %210, %211 !227..250
//= +  br %212, b18, b19
//= +b4:
//= +  %213: i64 = const 1 !227..250
//= +  %214: i64 = const 0 !227..250
//= +  %215: ptr<private> = slot.addr slot0 !227..250
//= +  %216: i64 = load %215 !227..250
//= +  %217: i64 = add %216, %213 !227..250
//= +  %218: ptr<private> = slot.addr slot0 !227..250
//= +  store %218, %217 !227..250
//= +  %219: i64 = add %48, %213 !227..250
//= +  %220: i1 = icmp.eq %219, %20 !227..250
//= +  %221: i64 = select %220, %214, %219 !227..250
//= +  %222: ptr<private> = slot.addr slot1 !227..250
//= +  store %222, %221 !227..250
//= +  %223: i64 = zext %220 !227..250
//= +  %224: i64 = add %50, %223 !227..250
//= +  %225: i1 = icmp.eq %224, %22 !227..250
//= +  %226: i64 = select %225, %214, %224 !227..250
//= +  %227: ptr<private> = slot.addr slot2 !227..250
//= +  store %227, %226 !227..250
//= +  %228: i64 = zext %225 !227..250
//= +  %229: i64 = add %52, %228 !227..250
//= +  %230: ptr<private> = slot.addr slot3 !227..250
//= +  store %230, %229 !227..250
//= +  jump b1
//=  b3:
