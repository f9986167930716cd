// target: avx2
// local: 4 8 1
// Stores to one variable or argument in local memory leave what others hold alone: the sums and the bound are kept in
// registers, though indices may lead anywhere within their own arrays.
kernel void k(global const float *a, global float *o, local float *x, local int *sizes, int stride) {
    local float sums[8][4];
    int i = get_local_id(1), j = get_local_id(0);
    x[i * 4 + j] = a[i * 4 + j];
    if (i + j == 0) sizes[0] = a[100];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[i][j] = 0;
    for (int n = j; n < sizes[0]; n += 4) sums[i][j] += a[n * stride] * x[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i * 4 + j] = sums[i][3 - j];
}
//= @@ -12,2 +12,3 @@
//=    slot10 "" size 8 align 8
//= +  slot11 "" size 4 align 4
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= @@ -139,2 +140,7 @@
//=    store %127, %128 !528..542
//= +  %228: ptr<private> = slot.addr slot11
//= +  %229: ptr<local> = ptr.add %125, %209 * 16 + 0
//= +  %230: ptr<local> = ptr.add %229, %210 * 4 + 0
//= +  %231: f32 = load %230
//= +  store %228, %231
//=    jump b24(%118)
//= @@ -142,3 +148,3 @@
//=    %131: i1 = icmp.slt %124, %130 !564..576
//= -  br %131, b25, b22
//= +  br %131, b25, b37
//=  b25:
//= @@ -151,7 +157,11 @@
//=    %138: f32 = load %137 !616..620
//= -  %139: f32 = load %127 !586..596
//= +  %139: f32 = load %228 !586..596
//=    %140: f32 = fma %135, %138, %139 !586..620
//= -  store %127, %140 !586..620
//= +  store %228, %140 !586..620
//=    %141: i32 = add %124, %129 {nsw} !578..584
//=    jump b24(%141)
//= +b37:
//= +  %232: f32 = load %228
//= +  store %230, %232
//= +  jump b22
//=  b22:
