// width: 8
// local: 64 1 1
// A pointer that walks through an array of two-byte elements, and one that is compared with it.
kernel void k(global const ushort *in, global uint *out, int n) {
    size_t i = get_global_id(0);
    ushort block[16];
    ushort *p = block;
    for (int j = n; j > 0; j--) *p++ = in[i + j];
    uint sum = 0;
    for (ushort *q = block; q < p; q++) sum = sum * 31 + *q;
    out[i] = sum;
}
//= @@ -31,8 +31,13 @@
//=    %28: i64 = add %26, %27 {nsw nuw}
//= -  jump b4(%14, %18)
//= -b4(%29: i32, %30: ptr<private>):
//= +  %55: i32 = const 0
//= +  jump b4(%14, %55)
//= +b4(%29: i32, %53: i32):
//= +  %56: ptr<private> = slot.addr slot0
//= +  %57: i64 = sext %53
//= +  %58: ptr<private> = ptr.add %56, %57 * 2 + 0
//=    %31: i1 = icmp.sgt %29, %19 !305..310
//= -  br %31, b5, b6(%19, %18)
//= +  %59: i32 = const 0
//= +  br %31, b5, b6(%19, %59)
//=  b5:
//= -  %32: ptr<private> = ptr.off %30, 2 !318..321
//= +  %32: ptr<private> = ptr.off %58, 2 !318..321
//=    %33: i64 = sext %29 !331..332
//= @@ -41,15 +46,30 @@
//=    %36: i16 = load %35 !324..333
//= -  store %30, %36 !317..333
//= +  store %58, %36 !317..333
//=    %37: i32 = add %29, %20 {nsw} !312..315
//= -  jump b4(%37, %32)
//= -b6(%38: i32, %39: ptr<private>):
//= -  %40: i1 = icmp.ult %39, %30 !381..386
//= -  br %40, b7, b8
//= +  %60: i32 = const 1
//= +  %61: i32 = add %53, %60
//= +  jump b4(%37, %61)
//= +b6(%38: i32, %54: i32):
//= +  %62: ptr<private> = slot.addr slot0
//= +  %63: i64 = sext %54
//= +  %64: ptr<private> = ptr.add %62, %63 * 2 + 0
//= +  %65: i32 = const 0
//= +  %66: i32 = const 2
//= +  %67: i32 = mul %54, %66
//= +  %68: i32 = add %67, %65
//= +  %69: i32 = const 0
//= +  %70: i32 = const 2
//= +  %71: i32 = mul %53, %70
//= +  %72: i32 = add %71, %69
//= +  %73: i1 = icmp.slt %68, %72
//= +  br %73, b7, b8
//=  b7:
//=    %41: i32 = mul %38, %21 !399..407
//= -  %42: i16 = load %39 !410..412
//= +  %42: i16 = load %64 !410..412
//=    %43: i32 = zext %42 !410..412
//=    %44: i32 = add %41, %43 !399..412
//= -  %45: ptr<private> = ptr.off %39, 2 !388..391
//= -  jump b6(%44, %45)
//= +  %45: ptr<private> = ptr.off %64, 2 !388..391
//= +  %74: i32 = const 1
//= +  %75: i32 = add %54, %74
//= +  jump b6(%44, %75)
//=  b8:
