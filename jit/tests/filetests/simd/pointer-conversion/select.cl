// width: 8
// local: 64 1 1
// One of two places in an array.
kernel void k(global const int *in, global int *out, int n) {
    size_t i = get_global_id(0);
    int block[16];
    for (int j = 0; j < 16; j++) block[j] = in[i + j];
    int *p = in[i] > 0 ? block + 3 : block + n;
    *p = 7;
    out[i] = p[1] + block[n];
}
//= @@ -98,7 +98,16 @@
//=    %79: i1 = icmp.sgt %33, %18 !260..269
//= -  br %79, b4(%40), b4(%22)
//= -b4(%80: ptr<private>):
//= -  store %80, %20 !299..305
//= +  %93: i32 = const 3
//= +  %94: i32 = const 0
//= +  %95: i32 = trunc %21
//= +  %96: i32 = const 1
//= +  %97: i32 = mul %95, %96
//= +  %98: i32 = add %97, %94
//= +  br %79, b4(%93), b4(%98)
//= +b4(%92: i32):
//= +  %99: ptr<private> = slot.addr slot0
//= +  %100: i64 = sext %92
//= +  %101: ptr<private> = ptr.add %99, %100 * 4 + 0
//= +  store %101, %20 !299..305
//=    %81: ptr<global> = ptr.add %12, %31 * 4 + 0 !311..317
//= -  %82: ptr<private> = ptr.off %80, 4 !320..324
//= +  %82: ptr<private> = ptr.off %101, 4 !320..324
//=    %83: i32 = load %82 !320..324
