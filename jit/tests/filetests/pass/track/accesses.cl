// options: -clift-check=races,values
// Each access to memory that other work-items reach is told of: of a store also what it stores.
kernel void accesses(global const int *a, global int *b, local int *t) {
    t[0] = a[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(b);
    b[2] = t[0];
}
//= @@ -3,3 +3,7 @@
//=    %3: ptr<global> = ptr.off %0, 4 !246..250
//= +  %9: i64 = const 3530822107858468868 !246..250
//= +  track %3, %9 !246..250
//=    %4: i32 = load %3 !246..250
//= +  %10: i64 = const 3530822108143685636 !239..250
//= +  track %2, %10, %4 !239..250
//=    store %2, %4 !239..250
//= @@ -7,5 +11,11 @@
//=    %5: i32 = const 1 !290..303
//= +  %11: i64 = const 3530822108043026436 !290..303
//= +  track %1, %11 !290..303
//=    %6: i32 = atomic.rmw.add %1, %5 {relaxed} !290..303
//=    %7: ptr<global> = ptr.off %1, 8 !309..313
//= +  %12: i64 = const 2377900603520069636 !316..320
//= +  track %2, %12 !316..320
//=    %8: i32 = load %2 !316..320
//= +  %13: i64 = const 3530822107875262468 !309..320
//= +  track %7, %13, %8 !309..320
//=    store %7, %8 !309..320
