// What lives across barriers is kept as what it is made of where that is smaller, also if what lies between the two is
// made behind another barrier or anew in each turn.
//@ options: -cl-std=CL3.0
//@ kernel: chains
//@ global: 80
//@ local: 40
//@ out: int = -20547 123924 -48269 90306 68605 -12141 123964 41922 -20483 -12109 65813 46561 98767 -14339 -14331 40202 124044 -48149 65877 -20395 13588 65901 71705 38770 65925 -35098 46312 98887 46328 76245 -11941 -48037 -20291 16307 124188 46779 111388 5098 -16325 76325 9664 -11276 7097 -26723 21422 13145 -44305 -8513 -8505 120187 38213 120203 33077 -1827 -31548 94823 24036 -8433 -53903 36600 38293 2449 62180 75080 33173 9864 7289 -8353 13329 26956 75136 38381 64565 1491 -18907 7361 33269 94999 66858 -1619
//@ in: int = 137 -239 259 -133 314 207 465 361 257 167 444 42 -471 360 -24 294 465 -245 164 -447 422 -340 -385 -120 -20 389 -248 -111 56 -396 87 -245 -487 248 -279 -83 -214 -314 438 388 284 -102 -337 280 316 -427 -358 132 132 -45 -371 -365 -499 495 392 -495 -286 292 -280 483 -331 393 -330 -204 -179 484 -297 52 397 194 140 -291 -314 463 491 207 -299 489 488 415
//@ value: int = 9
kernel void chains(global int *out, global const int *in, int n) {
    local int a[40], b[40];
    int l = get_local_id(0), g = get_global_id(0);
    int w = (in[g] & 0x3fffffff) % 40;
    a[l] = in[g] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    long wide = w * 5L + l;
    int sum = a[w];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = sum;
    long wider = wide * 7 + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 3; i++) {
        short part = (short)(sum + i);
        long twice = part * 2L;
        b[l] = (int)(twice + wider);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += b[(w + i) % 40] + a[39 - w] + (int)twice;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum + (int)wider + (int)wide;
}
