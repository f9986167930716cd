// width: 8
// local: 64 1 1
// Eight work-items are done at once. What does not fill a vector has the old loop, which nothing reaches here.
kernel void k(global int *x) {
    x[get_global_id(0)] += 3;
}
//= @@ -1,2 +1,3 @@
//= -func @k(ptr<const>, ptr<const>, i64, i64) {
//= +func @k(ptr<const>, ptr<const>, i64, i64) lanes {
//= +  slot0 "" size 8 align 8
//=  b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):
//= @@ -20,3 +21,39 @@
//=    %19: i64 = add %18, %5
//= -  jump b3(%13)
//= +  %31: ptr<private> = slot.addr slot0
//= +  store %31, %13
//= +  %32: i64 = sub %8, %13
//= +  %33: i64 = const -8
//= +  %34: i64 = and %32, %33
//= +  %35: i64 = add %13, %34
//= +  %36: i64 = const 0
//= +  %37: i1 = icmp.ne %34, %36
//= +  br %37, b9, b3(%13)
//= +b9:
//= +  %38: ptr<private> = slot.addr slot0
//= +  %39: i64 = load %38
//= +  jump b10
//= +b10:
//= +  %40: i64 = add %19, %39
//= +  %41: ptr<global> = ptr.add %10, %40 * 4 + 0 !191..210
//= +  %42: i32x8 = load %41 !191..215
//= +  %43: i32x8 = const 3 !191..215
//= +  %44: i32x8 = add %42, %43 {nsw} !191..215
//= +  store %41, %44 !191..215
//= +  %45: i64 = add %39, %9 !191..215
//= +  %46: i64x8 = iota !191..215
//= +  %47: i64x8 = splat %45 !191..215
//= +  %48: i64x8 = add %47, %46 !191..215
//= +  %49: i64x8 = const 64 !191..215
//= +  %50: i1x8 = icmp.ult %48, %49 !191..215
//= +  %51: i64 = const 8 !191..215
//= +  %52: i64 = add %39, %51 !191..215
//= +  %53: ptr<private> = slot.addr slot0 !191..215
//= +  store %53, %52 !191..215
//= +  %54: i1 = icmp.ult %52, %35 !191..215
//= +  br %54, b9, b11
//= +b11:
//= +  %55: i1 = icmp.eq %35, %8 !191..215
//= +  br %55, b12, b3(%52)
//= +b12:
//= +  jump b8
//=  b3(%20: i64) items:
//= @@ -29,3 +66,5 @@
//=    %26: i1 = icmp.ult %25, %8 !191..215
//= -  br %26, b3(%25), b4
//= +  br %26, b3(%25), b8
//= +b8:
//= +  jump b4
//=  b4:
