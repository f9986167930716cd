// local: 1 1 1
// options: -cl-std=CL3.0
kernel void alone(global int *a)
{
    size_t i = get_global_id(0);
    int sum = sub_group_reduce_add(a[i]);
    int before = sub_group_scan_exclusive_max(a[i]);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = sum + before + sub_group_any(a[i] > 3) + sub_group_broadcast(a[i], 0);
}
//= @@ -20,14 +20,11 @@
//=    %19: i32 = load %18 !160..164
//= -  %20: i32 = sg.reduce.add %19, cluster 0 !139..165
//= -  %21: i32 = sg.scan.exc.max.s %19 !184..218
//= -  sg.barrier !224..263
//= -  %22: i32 = add %20, %21 {nsw} !276..288
//= +  %35: i32 = const -2147483648
//= +  %22: i32 = add %19, %35 {nsw} !276..288
//=    %23: i32 = load %18 !305..309
//=    %24: i1 = icmp.sgt %23, %12 !305..313
//= -  %25: i64 = sg.ballot %24 !291..314
//= -  %26: i1 = icmp.ne %25, %11 !291..314
//= +  %36: i64 = zext %24
//= +  %26: i1 = icmp.ne %36, %11 !291..314
//=    %27: i32 = zext %26 !291..314
//=    %28: i32 = add %22, %27 {nsw} !276..314
//= -  %29: i32 = sg.shuffle %23, %13 !317..345
//= -  %30: i32 = add %28, %29 {nsw} !276..345
//= +  %30: i32 = add %28, %23 {nsw} !276..345
//=    store %18, %30 !269..345
