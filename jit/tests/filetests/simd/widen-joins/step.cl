// width: 8
// local: 64 1 1
// The index that the branch chooses is made of ids either way.
kernel void k(global const int *in, global int *out, int n) {
    int i = get_global_id(0);
    if (n > 3) { out[i] = in[i]; i += n; }
    out[i + 64] = in[i];
}
//= @@ -29,3 +29,4 @@
//=    %27: i32 = trunc %26 {nsw nuw} !182..198
//= -  br %19, b4, b5(%27)
//= +  %45: i64 = sext %27
//= +  br %19, b4, b5(%27, %45)
//=  b4:
//= @@ -36,8 +37,9 @@
//=    %31: i32 = add %27, %14 {nsw} !233..239
//= -  jump b5(%31)
//= -b5(%32: i32):
//= +  %46: i64 = sext %31
//= +  jump b5(%31, %46)
//= +b5(%32: i32, %44: i64):
//=    %33: i64 = sext %32 !247..258
//= -  %34: ptr<global> = ptr.add %12, %33 * 4 + 0 !247..258
//= +  %34: ptr<global> = ptr.add %12, %44 * 4 + 0 !247..258
//=    %35: ptr<global> = ptr.off %34, 256 !247..258
//= -  %36: ptr<global> = ptr.add %10, %33 * 4 + 0 !261..266
//= +  %36: ptr<global> = ptr.add %10, %44 * 4 + 0 !261..266
//=    %37: i32 = load %36 !261..266
