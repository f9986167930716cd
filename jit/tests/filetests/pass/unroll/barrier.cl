// A tree reduction whose steps are known. Of the second one the first distance is not.
kernel void sum(global const float *in, global float *out) {
    local float part[32];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int s = 4; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) part[l] += part[l + s];
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void unknown(global const float *in, global float *out, int first) {
    local float part[32];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int s = first; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) part[l] += part[l + s];
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}
//= @@ -5,2 +5,3 @@
//=    slot3 "s" size 4 align 4
//= +  slot4 "" size 4 align 4
//=  b0(%0: ptr<global>, %1: ptr<global>):
//= @@ -18,2 +19,4 @@
//=    %23: i32 = const 0 !279..280
//= +  %67: ptr<private> = slot.addr slot4
//= +  store %67, %23
//=    %24: i1 = icmp.sgt %65, %23 !275..280
//= @@ -36,5 +39,7 @@
//=    %50: i32 = ashr %65, %49 !282..289
//= -  jump b1(%50)
//= +  jump b9(%50)
//=  b4:
//= -  %54: i1 = icmp.eq %7, %23 !388..394
//= +  %68: ptr<private> = slot.addr slot4
//= +  %69: i32 = load %68
//= +  %54: i1 = icmp.eq %7, %69 !388..394
//=    br %54, b7, b8
//= @@ -48,2 +53,73 @@
//=    ret
//= +b9(%70: i32):
//= +  %71: i32 = const 0 !279..280
//= +  %72: ptr<private> = slot.addr slot4
//= +  store %72, %71
//= +  %73: i1 = icmp.sgt %70, %71 !275..280
//= +  br %73, b10, b4
//= +b10:
//= +  barrier 1 !301..329
//= +  %74: i1 = icmp.slt %7, %70 !343..348
//= +  br %74, b11, b12
//= +b11:
//= +  %75: f32 = load %12 !350..372
//= +  %76: i32 = add %7, %70 {nsw} !366..371
//= +  %77: i64 = sext %76 !361..372
//= +  %78: ptr<local> = ptr.add %8, %77 * 4 + 0 !361..372
//= +  %79: f32 = load %78 !361..372
//= +  %80: f32 = fadd %75, %79 !350..372
//= +  store %12, %80 !350..372
//= +  jump b12
//= +b12:
//= +  %81: i32 = const 1 !288..289
//= +  %82: i32 = ashr %70, %81 !282..289
//= +  jump b13(%82)
//= +b13(%83: i32):
//= +  %84: i32 = const 0 !279..280
//= +  %85: ptr<private> = slot.addr slot4
//= +  store %85, %84
//= +  %86: i1 = icmp.sgt %83, %84 !275..280
//= +  br %86, b14, b4
//= +b14:
//= +  barrier 1 !301..329
//= +  %87: i1 = icmp.slt %7, %83 !343..348
//= +  br %87, b15, b16
//= +b15:
//= +  %88: f32 = load %12 !350..372
//= +  %89: i32 = add %7, %83 {nsw} !366..371
//= +  %90: i64 = sext %89 !361..372
//= +  %91: ptr<local> = ptr.add %8, %90 * 4 + 0 !361..372
//= +  %92: f32 = load %91 !361..372
//= +  %93: f32 = fadd %88, %92 !350..372
//= +  store %12, %93 !350..372
//= +  jump b16
//= +b16:
//= +  %94: i32 = const 1 !288..289
//= +  %95: i32 = ashr %83, %94 !282..289
//= +  jump b17(%95)
//= +b17(%96: i32):
//= +  %97: i32 = const 0 !279..280
//= +  %98: ptr<private> = slot.addr slot4
//= +  store %98, %97
//= +  %99: i1 = icmp.sgt %96, %97 !275..280
//= +  br %99, b18, b4
//= +b18:
//= +  barrier 1 !301..329
//= +  %100: i1 = icmp.slt %7, %96 !343..348
//= +  br %100, b19, b20
//= +b19:
//= +  %101: f32 = load %12 !350..372
//= +  %102: i32 = add %7, %96 {nsw} !366..371
//= +  %103: i64 = sext %102 !361..372
//= +  %104: ptr<local> = ptr.add %8, %103 * 4 + 0 !361..372
//= +  %105: f32 = load %104 !361..372
//= +  %106: f32 = fadd %101, %105 !350..372
//= +  store %12, %106 !350..372
//= +  jump b20
//= +b20:
//= +  %107: i32 = const 1 !288..289
//= +  %108: i32 = ashr %96, %107 !282..289
//= +  jump b21
//= +b21:
//= +  unreachable
//=  }
