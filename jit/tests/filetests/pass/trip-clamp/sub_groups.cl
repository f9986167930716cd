// target: avx2
// options: -cl-std=CL3.0
// local: 64 1 1
// Only the first sub-group does anything behind the barrier.
kernel void k(global const float *x, global float *sums) {
    local float part[64];
    part[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        float sum = sub_group_reduce_add(part[get_sub_group_local_id() * 8]);
        if (get_sub_group_local_id() == 0) sums[get_group_id(0)] = sum;
    }
}
//= @@ -45,6 +45,9 @@
//=    %95: ptr<global> = ptr.add %35, %119 * 4 + 0 !460..481
//= -  jump b14(%59)
//= +  %135: i64 = const 0
//= +  %136: i64 = min.u %131, %25
//= +  %137: i1 = icmp.ult %135, %136
//= +  br %137, b14(%59), b4
//=  b14(%123: i64) items:
//=    %132: i1 = icmp.ult %123, %131 !312..335
//= -  br %132, b17, b15
//= +  jump b17
//=  b17:
//= @@ -65,3 +68,4 @@
//=    %99: i1 = icmp.ult %97, %25 !460..487
//= -  br %99, b14(%97), b4
//= +  %138: i1 = icmp.ult %97, %136
//= +  br %138, b14(%97), b4
//=  b4:
