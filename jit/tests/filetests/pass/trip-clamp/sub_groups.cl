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
//= @@ -46,6 +46,9 @@
//=    %97: ptr<global> = ptr.add %35, %121 * 4 + 0 !460..481
//= -  jump b14(%59)
//= +  %137: i64 = const 0
//= +  %138: i64 = min.u %133, %25
//= +  %139: i1 = icmp.ult %137, %138
//= +  br %139, b14(%59), b4
//=  b14(%125: i64) items:
//=    %134: i1 = icmp.ult %125, %133 !312..335
//= -  br %134, b17, b15
//= +  jump b17
//=  b17:
//= @@ -66,3 +69,4 @@
//=    %101: i1 = icmp.ult %99, %25 !460..487
//= -  br %101, b14(%99), b4
//= +  %140: i1 = icmp.ult %99, %138
//= +  br %140, b14(%99), b4
//=  b4:
