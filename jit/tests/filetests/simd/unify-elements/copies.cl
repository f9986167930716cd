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
//= -  memcpy %18, %29, %19 !289..294
//= +  %106: i32 = load %29 {align 1} !289..294
//= +  %107: ptr<global> = ptr.off %29, 4 !289..294
//= +  %108: i32 = load %107 {align 1} !289..294
//= +  %109: ptr<global> = ptr.off %29, 8 !289..294
//= +  %110: i32 = load %109 {align 1} !289..294
//= +  %111: ptr<global> = ptr.off %29, 12 !289..294
//= +  %112: i32 = load %111 {align 1} !289..294
//= +  %113: ptr<global> = ptr.off %29, 16 !289..294
//= +  %114: i32 = load %113 {align 1} !289..294
//= +  %115: ptr<global> = ptr.off %29, 20 !289..294
//= +  %116: i32 = load %115 {align 1} !289..294
//= +  %117: ptr<global> = ptr.off %29, 24 !289..294
//= +  %118: i32 = load %117 {align 1} !289..294
//= +  %119: ptr<global> = ptr.off %29, 28 !289..294
//= +  %120: i32 = load %119 {align 1} !289..294
//= +  store %18, %106 !289..294
//= +  %121: ptr<private> = ptr.off %18, 4 !289..294
//= +  store %121, %108 !289..294
//= +  %122: ptr<private> = ptr.off %18, 8 !289..294
//= +  store %122, %110 !289..294
//= +  %123: ptr<private> = ptr.off %18, 12 !289..294
//= +  store %123, %112 !289..294
//= +  %124: ptr<private> = ptr.off %18, 16 !289..294
//= +  store %124, %114 !289..294
//= +  %125: ptr<private> = ptr.off %18, 20 !289..294
//= +  store %125, %116 !289..294
//= +  %126: ptr<private> = ptr.off %18, 24 !289..294
//= +  store %126, %118 !289..294
//= +  %127: ptr<private> = ptr.off %18, 28 !289..294
//= +  store %127, %120 !289..294
//=    %30: i8 = load %12 !368..376
