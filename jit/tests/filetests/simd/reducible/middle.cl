// local: 64 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(16))) void middle(global int *a)
{
    size_t i = get_global_id(0);
    int v = a[i], s = 0;
    if (v & 1) goto middle;
    do {
        s += v;
    middle:
        v -= 3;
    } while (v > 0);
    a[i] = sub_group_reduce_add(s);
}
//= @@ -1,2 +1,3 @@
//=  func @middle(ptr<const>, ptr<const>, i64, i64) {
//= +  slot0 "" size 4 align 4
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= @@ -29,12 +30,30 @@
//=    %27: i1 = icmp.ne %26, %14 !207..212
//= -  br %27, b5(%25, %14), b4(%25, %14)
//= +  %50: i32 = const 0
//= +  %51: i32 = undef
//= +  %52: i32 = undef
//= +  %53: i32 = const 1
//= +  %54: i32 = undef
//= +  %55: i32 = undef
//= +  br %27, b9(%50, %25, %14, %51, %52), b9(%53, %54, %55, %25, %14)
//=  b4(%28: i32, %29: i32):
//=    %30: i32 = add %29, %28 {nsw} !244..250
//= -  jump b5(%28, %30)
//= +  %56: i32 = const 0
//= +  %57: i32 = undef
//= +  %58: i32 = undef
//= +  jump b9(%56, %28, %30, %57, %58)
//= +b9(%45: i32, %46: i32, %47: i32, %48: i32, %49: i32):
//= +  switch %45, [1: b4(%48, %49)], b5(%46, %47)
//=  b5(%31: i32, %32: i32):
//= +  %42: ptr<private> = slot.addr slot0
//= +  store %42, %32
//=    %33: i32 = add %31, %16 {nsw} !272..278
//=    %34: i1 = icmp.sgt %33, %14 !293..298
//= -  br %34, b4(%33, %32), b6
//= +  %59: i32 = const 1
//= +  %60: i32 = undef
//= +  %61: i32 = undef
//= +  br %34, b9(%59, %60, %61, %33, %32), b6
//=  b6:
//= -  %35: i32 = sg.reduce.add %32, cluster 0 !312..335
//= +  %43: ptr<private> = slot.addr slot0
//= +  %44: i32 = load %43
//= +  %35: i32 = sg.reduce.add %44, cluster 0 !312..335
//=    store %24, %35 !305..335
