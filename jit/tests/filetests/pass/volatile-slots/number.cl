// The number of a work-item is read anew each time, as CLBlast writes it.
kernel void k(global const int *in, global int *out, int n) {
    volatile int own = get_local_id(0) + 8 * get_local_id(1);
    int sum = 0;
    for (int i = 0; i < n; i++) sum += in[i * 64 + own % 8] * (own / 8);
    out[own] = sum;
}
//= @@ -48,3 +48,3 @@
//=    %32: ptr<private> = slot.addr slot3 !282..285
//= -  %33: i32 = load %32 {volatile} !282..285
//= +  %33: i32 = load %32 !282..285
//=    %34: i32 = const 8 !288..289
//= @@ -56,3 +56,3 @@
//=    %40: ptr<private> = slot.addr slot3 !294..297
//= -  %41: i32 = load %40 {volatile} !294..297
//= +  %41: i32 = load %40 !294..297
//=    %42: i32 = const 8 !300..301
//= @@ -72,3 +72,3 @@
//=    %52: ptr<private> = slot.addr slot3 !312..315
//= -  %53: i32 = load %52 {volatile} !312..315
//= +  %53: i32 = load %52 !312..315
//=    %54: i64 = sext %53 !308..316
