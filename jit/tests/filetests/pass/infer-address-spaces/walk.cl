// options: -cl-std=CL3.0
// A pointer that walks through a private array, and one of two into local memory.
kernel void k(global const int *in, global int *out, local int *tile, int n) {
    size_t i = get_global_id(0);
    int block[16];
    int *p = block;
    for (int j = n; j > 0; j--) *p++ = in[i + j];
    int *q = n & 1 ? tile : tile + n;
    *q = block[n];
    out[i] = *--p;
}
//= @@ -14,4 +14,6 @@
//=    %13: ptr<generic> = as.cast %12 !268..273
//= -  jump b1(%13, %3)
//= -b1(%72: ptr<generic>, %73: i32):
//= +  %77: ptr<private> = as.cast %13
//= +  jump b1(%3, %77)
//= +b1(%73: i32, %76: ptr<private>):
//= +  %78: ptr<generic> = as.cast %76
//=    %19: i32 = const 0 !299..300
//= @@ -20,3 +22,3 @@
//=  b2:
//= -  %23: ptr<generic> = ptr.off %72, 4 !308..311
//= +  %23: ptr<generic> = ptr.off %78, 4 !308..311
//=    %30: i64 = sext %73 !321..322
//= @@ -25,6 +27,7 @@
//=    %33: i32 = load %32 !314..323
//= -  store %72, %33 !307..323
//= +  store %78, %33 !307..323
//=    %74: i32 = const -1 !302..305
//=    %75: i32 = add %73, %74 {nsw} !302..305
//= -  jump b1(%23, %75)
//= +  %79: ptr<private> = as.cast %23
//= +  jump b1(%75, %79)
//=  b4:
//= @@ -46,3 +49,3 @@
//=    %67: ptr<global> = ptr.add %1, %10 * 4 + 0 !386..392
//= -  %70: ptr<generic> = ptr.off %72, -4 !396..399
//= +  %70: ptr<generic> = ptr.off %78, -4 !396..399
//=    %71: i32 = load %70 !395..399
