// width: 8
// local: 64 1 1
// In lockstep the lane that holds the lock would wait for those that want it. All that is left of the attempt, which is
// put back, is a block behind the loop.
kernel void k(volatile global int *lock, global int *count) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {}
    count[0] += count[get_global_id(0) + 1];
    atomic_xchg(lock, 0);
}
//= @@ -41,3 +41,5 @@
//=    %34: i1 = icmp.ult %33, %8 !364..384
//= -  br %34, b3(%33), b6
//= +  br %34, b3(%33), b10
//= +b10:
//= +  jump b6
//=  b6:
