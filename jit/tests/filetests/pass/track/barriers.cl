// options: -clift-check=barriers -cl-std=CL3.0
// What all work-items of a group have to reach is told of in front of it, accesses are not.
kernel void barriers(global int *a) {
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_local_id(0)] += work_group_reduce_add(a[0]);
}
//= @@ -6,2 +6,4 @@
//=    store %2, %3 !220..242
//= +  %8: i64 = const 4 !248..276
//= +  meet %8 !248..276
//=    barrier 1 !248..276
//= @@ -9,2 +11,4 @@
//=    %5: i32 = load %0 !326..330
//= +  %9: i64 = const 20 !304..331
//= +  meet %9 !304..331
//=    %6: i32 = wg.reduce.add %5 !304..331
