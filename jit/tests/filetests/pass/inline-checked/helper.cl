// options: -clift-check=memory
// A function that accesses memory by its pointer comes into the kernel, where the pointer's object is known.
__attribute__((noinline)) void put(global int *a, int n) {
    *a = n;
}
kernel void k(global int *a) {
    put(a, 1);
}
//= @@ -2,5 +2,11 @@
//=    slot0 "a" size 8 align 8
//= +  slot1 "a" size 8 align 8
//= +  slot2 "n" size 4 align 4
//=  b0(%0: ptr<global>):
//=    %4: i32 = const 1 !278..279
//= -  call @put(%0, %4) !271..280
//= +  jump b2(%0, %4)
//= +b2(%5: ptr<global>, %6: i32):
//= +  store %5, %6 !226..232
//= +  jump b1
//= +b1:
//=    ret
