// target: scalar
// local: 64 1 1
// Nobody wants the sum before the end: each thread has one of its own, which it adds at the end of its groups.
kernel void k(global const int *in, global int *n) {
    if (in[get_global_id(0)] & 1) atomic_inc(n + 7);
}
//= @@ -16,2 +16,7 @@
//=    %17: i32 = const 0 !223..247
//= +  %37: ptr<const> = ptr.off %1, 120
//= +  %38: ptr<private> = load %37 {inv}
//= +  %39: i8 = const 0
//= +  %40: i64 = const 4
//= +  memset %38, %39, %40
//=    jump b1(%2, %13)
//= @@ -19,3 +24,3 @@
//=    %20: i1 = icmp.ult %18, %3
//= -  br %20, b2, b7
//= +  br %20, b2, b8
//=  b2:
//= @@ -33,3 +38,3 @@
//=    %29: ptr<global> = ptr.off %12, 28 !260..265
//= -  %30: i32 = atomic.rmw.add %29, %16 {relaxed} !249..266
//= +  %41: i32 = atomic.rmw.add %38, %16 {relaxed}
//=    jump b5
//= @@ -45,2 +50,21 @@
//=    jump b1(%33, %36)
//= +b8:
//= +  %43: i64 = const 0
//= +  jump b9(%43)
//= +b9(%42: i64):
//= +  %44: ptr<private> = ptr.add %38, %42 * 4 + 0
//= +  %45: i32 = load %44
//= +  %46: i32 = const 0
//= +  %47: i1 = icmp.ne %45, %46
//= +  br %47, b10, b11
//= +b10:
//= +  %48: ptr<global> = ptr.off %12, 28
//= +  %49: i32 = atomic.rmw.add %48, %45 {relaxed}
//= +  jump b11
//= +b11:
//= +  %50: i64 = const 1
//= +  %51: i64 = add %42, %50
//= +  %52: i64 = const 1
//= +  %53: i1 = icmp.ult %51, %52
//= +  br %53, b9(%51), b7
//=  b7:
