// target: avx512
// local: 64 1 1
// A block that is copied and read at indices that the program finds.
typedef struct { uint w[8]; } block;
kernel void k(global const block *in, global const uchar *order, global uint *out) {
    size_t i = get_global_id(0);
    block b = in[i];
    uint x = 0;
    for (int j = 0; j < 8; j++) x = rotate(x, 5u) + b.w[order[j] & 7];
    out[i] = x;
}
//= @@ -32,3 +32,32 @@
//=    %29: ptr<global> = ptr.add %10, %28 * 32 + 0 !289..294
//= -  memcpy %18, %29, %19 !169..170
//= +  %106: i32 = load %29 {align 1} !169..170
//= +  %107: ptr<global> = ptr.off %29, 4 !169..170
//= +  %108: i32 = load %107 {align 1} !169..170
//= +  %109: ptr<global> = ptr.off %29, 8 !169..170
//= +  %110: i32 = load %109 {align 1} !169..170
//= +  %111: ptr<global> = ptr.off %29, 12 !169..170
//= +  %112: i32 = load %111 {align 1} !169..170
//= +  %113: ptr<global> = ptr.off %29, 16 !169..170
//= +  %114: i32 = load %113 {align 1} !169..170
//= +  %115: ptr<global> = ptr.off %29, 20 !169..170
//= +  %116: i32 = load %115 {align 1} !169..170
//= +  %117: ptr<global> = ptr.off %29, 24 !169..170
//= +  %118: i32 = load %117 {align 1} !169..170
//= +  %119: ptr<global> = ptr.off %29, 28 !169..170
//= +  %120: i32 = load %119 {align 1} !169..170
//= +  store %18, %106 !169..170
//= +  %121: ptr<private> = ptr.off %18, 4 !169..170
//= +  store %121, %108 !169..170
//= +  %122: ptr<private> = ptr.off %18, 8 !169..170
//= +  store %122, %110 !169..170
//= +  %123: ptr<private> = ptr.off %18, 12 !169..170
//= +  store %123, %112 !169..170
//= +  %124: ptr<private> = ptr.off %18, 16 !169..170
//= +  store %124, %114 !169..170
//= +  %125: ptr<private> = ptr.off %18, 20 !169..170
//= +  store %125, %116 !169..170
//= +  %126: ptr<private> = ptr.off %18, 24 !169..170
//= +  store %126, %118 !169..170
//= +  %127: ptr<private> = ptr.off %18, 28 !169..170
//= +  store %127, %120 !169..170
//=    %30: i8 = load %12 !368..376
