// options: -clift-check=barriers
// Copies are counted: the number is the event of those that are given none.
kernel void events(global int *a, local int *t, int n) {
    event_t e = async_work_group_copy(t, a, n, 0);
    e = async_work_group_copy(t, a, 16, e);
    wait_group_events(1, &e);
}
//= @@ -5,3 +5,7 @@
//=    slot3 "e" size 8 align 8
//= +  slot4 "" size 8 align 8
//=  b0(%0: ptr<global>, %1: ptr<local>, %2: i32):
//= +  %50: ptr<private> = slot.addr slot4
//= +  %51: i64 = const 0
//= +  store %50, %51
//=    %13: i64 = sext %2 !235..236
//= @@ -12,3 +16,10 @@
//=    %19: i64 = const 1 !207..240
//= -  %20: i64 = async.event %14 !207..240
//= +  %38: ptr<private> = slot.addr slot4
//= +  %39: i64 = load %38
//= +  %40: i64 = const 1
//= +  %41: i64 = add %39, %40
//= +  store %38, %41
//= +  %42: i64 = const 0
//= +  %43: i1 = icmp.eq %14, %42
//= +  %20: i64 = select %43, %41, %14 !207..240
//=    async.copy %1, %0, %17, %13, %17, %16, %19, %18, %18, %20 !207..240
//= @@ -19,3 +30,10 @@
//=    %33: i64 = const 1 !250..284
//= -  %34: i64 = async.event %20 !250..284
//= +  %44: ptr<private> = slot.addr slot4
//= +  %45: i64 = load %44
//= +  %46: i64 = const 1
//= +  %47: i64 = add %45, %46
//= +  store %44, %47
//= +  %48: i64 = const 0
//= +  %49: i1 = icmp.eq %20, %48
//= +  %34: i64 = select %49, %47, %20 !250..284
//=    async.copy %1, %0, %31, %26, %31, %30, %33, %32, %32, %34 !250..284
