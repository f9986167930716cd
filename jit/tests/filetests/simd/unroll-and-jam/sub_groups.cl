// target: avx2
// options: -cl-std=CL3.0
// local: 128 1 1
// Reductions of several sub-groups share steps.
kernel __attribute__((intel_reqd_sub_group_size(16))) void k(global const float *x, global float *sums) {
    float sum = sub_group_reduce_add(x[get_global_id(0)]);
    if (get_sub_group_local_id() == 0) sums[get_group_id(0) * 16 + get_sub_group_id()] = sum;
}
//= @@ -26,2 +26,8 @@
//=  b3(%24: i64):
//= +  %38: i64 = const 16
//= +  %39: i64 = add %24, %38 {nsw nuw}
//= +  %40: i64 = const 32
//= +  %41: i64 = add %24, %40 {nsw nuw}
//= +  %42: i64 = const 48
//= +  %43: i64 = add %24, %42 {nsw nuw}
//=    %25: i64 = add %22, %24
//= @@ -30,2 +36,14 @@
//=    %28: f32 = reduce.tree.fadd %27 !246..287
//= +  %44: i64 = add %22, %39
//= +  %45: ptr<global> = ptr.add %10, %44 * 4 + 0 !267..286
//= +  %46: f32x16 = load %45 !267..286
//= +  %47: f32 = reduce.tree.fadd %46 !246..287
//= +  %48: i64 = add %22, %41
//= +  %49: ptr<global> = ptr.add %10, %48 * 4 + 0 !267..286
//= +  %50: f32x16 = load %49 !267..286
//= +  %51: f32 = reduce.tree.fadd %50 !246..287
//= +  %52: i64 = add %22, %43
//= +  %53: ptr<global> = ptr.add %10, %52 * 4 + 0 !267..286
//= +  %54: f32x16 = load %53 !267..286
//= +  %55: f32 = reduce.tree.fadd %54 !246..287
//=    %29: i64 = lshr %24, %16 !356..374
//= @@ -34,5 +52,27 @@
//=    store %31, %28 !328..381
//= +  %56: i64 = lshr %39, %16 !356..374
//= +  %57: i64 = add %23, %56 !333..374
//= +  %58: ptr<global> = ptr.add %12, %57 * 4 + 0 !328..375
//= +  store %58, %47 !328..381
//= +  %59: i64 = lshr %41, %16 !356..374
//= +  %60: i64 = add %23, %59 !333..374
//= +  %61: ptr<global> = ptr.add %12, %60 * 4 + 0 !328..375
//= +  store %61, %51 !328..381
//= +  %62: i64 = lshr %43, %16 !356..374
//= +  %63: i64 = add %23, %62 !333..374
//= +  %64: ptr<global> = ptr.add %12, %63 * 4 + 0 !328..375
//= +  store %64, %55 !328..381
//=    %32: i64 = add %24, %17 !328..381
//= +  %65: i64 = add %39, %17 !328..381
//= +  %66: i64 = add %41, %17 !328..381
//= +  %67: i64 = add %43, %17 !328..381
//=    %33: i1 = icmp.ult %32, %8 !328..381
//= -  br %33, b3(%32), b4
//= +  %68: i1 = icmp.ult %65, %8 !328..381
//= +  %69: i1 = icmp.ult %66, %8 !328..381
//= +  %70: i1 = icmp.ult %67, %8 !328..381
//= +  %71: i64 = const 64
//= +  %72: i64 = const 128
//= +  %73: i64 = add %24, %71
//= +  %74: i1 = icmp.ult %73, %72
//= +  br %74, b3(%73), b4
//=  b4:
