// target: v128
// width: 4
// local: 4 1 1
// Four floats a register; a minimum of OpenCL's is a comparison and a selection.
kernel void k(global float *x, global const float *y) {
    size_t i = get_global_id(0);
    x[i] = fmin(sqrt(x[i]), y[i] / 3) + x[i] * y[i];
}
//= machine code by Cranelift
//= function u0:0(i64, i64, i64, i64) system_v {
//=     region0 = 0 "constant"
//=     region1 = 1 "global"
//=     region2 = 2 "local"
//=     region3 = 3 "private"
//=     const0 = 0x40400000404000004040000040400000
//=
//=                                 block0(v0: i64, v1: i64, v2: i64, v3: i64):
//= @0000                               v6 = iconst.i64 1
//= @0000                               v7 = iconst.i64 0
//= @0000                               v8 = iconst.i64 2
//= @0000                               v9 = vconst.f32x4 const0
//= @0000                               v10 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v11 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v12 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v13 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               v14 = icmp eq v11, v7  ; v7 = 0
//= @0000                               v15 = select v14, v6, v11  ; v6 = 1
//= @0000                               v16 = udiv v2, v15
//= @0000                               v17 = select v14, v7, v16  ; v7 = 0
//= @0000                               v18 = imul v17, v11
//= @0000                               v19 = isub v2, v18
//= @0000                               v20 = iconst.i64 2
//= @0000                               v21 = ishl v10, v20  ; v20 = 2
//= @0000                               v22 = iadd v12, v21
//= @0000                               v23 = iconst.i64 2
//= @0000                               v24 = ishl v10, v23  ; v23 = 2
//= @0000                               v25 = iadd v13, v24
//= @0000                               v26 = icmp ult v2, v3
//= @0000                               brif v26, block1(v19, v2), block2
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v27 = ishl v4, v8  ; v8 = 2
//= @0001                               v28 = iconst.i64 2
//= @0001                               v29 = ishl v27, v28  ; v28 = 2
//= @0001                               v30 = iadd.i64 v22, v29
//= @0002                               v31 = load.f32x4 notrap region1 v30
//= @0003                               v32 = iconst.i64 2
//= @0003                               v33 = ishl v27, v32  ; v32 = 2
//= @0003                               v34 = iadd.i64 v25, v33
//= @0003                               v35 = load.f32x4 notrap region1 v34
//= @0004                               v36 = sqrt v31
//= @0005                               v37 = fdiv v35, v9  ; v9 = const0
//= @0006                               v38 = fcmp lt v36, v37
//= @0006                               v39 = bitcast.f32x4 little v38
//= @0006                               v40 = bitselect v39, v36, v37
//= @0006                               v41 = fcmp eq v37, v37
//= @0006                               v42 = bitcast.i32x4 little v40
//= @0006                               v43 = bitcast.i32x4 little v36
//= @0006                               v44 = bitselect v41, v42, v43
//= @0006                               v45 = bitcast.f32x4 little v44
//= @0007                               v46 = fma v31, v35, v45
//= @0008                               store notrap region1 v46, v30
//= @0008                               v47 = iadd v5, v6  ; v6 = 1
//= @0008                               v48 = iadd v4, v6  ; v6 = 1
//= @0008                               v49 = icmp eq v48, v11
//= @0008                               v50 = select.i64 v49, v7, v48  ; v7 = 0
//= @0009                               v51 = icmp ult v47, v3
//= @0009                               brif v51, block1(v50, v47), block2
//=
//=                                 block2:
//= @0009                               return
//= }
