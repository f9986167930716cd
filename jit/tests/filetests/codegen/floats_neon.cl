// target: neon
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
//= @0000                               v10 = iconst.i64 1
//= @0000                               v11 = iconst.i64 0
//= @0000                               v12 = iconst.i64 2
//= @0000                               v13 = vconst.f32x4 const0
//= @0000                               v14 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v15 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v16 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v17 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               v18 = icmp eq v15, v11  ; v11 = 0
//= @0000                               v19 = select v18, v10, v15  ; v10 = 1
//= @0000                               v20 = udiv v2, v19
//= @0000                               v21 = select v18, v11, v20  ; v11 = 0
//= @0000                               v22 = imul v21, v15
//= @0000                               v23 = isub v2, v22
//= @0000                               jump block1(v2, v23)
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v24 = icmp ult v4, v3
//= @0000                               brif v24, block2(v5, v4), block5
//=
//=                                 block2(v6: i64, v7: i64):
//= @0000                               jump block3
//=
//=                                 block3:
//= @0000                               v25 = ishl.i64 v6, v12  ; v12 = 2
//= @0000                               v26 = iadd v25, v14
//= @0001                               v27 = iconst.i64 2
//= @0001                               v28 = ishl v26, v27  ; v27 = 2
//= @0001                               v29 = iadd.i64 v16, v28
//= @0002                               v30 = load.f32x4 notrap region1 v29
//= @0003                               v31 = iconst.i64 2
//= @0003                               v32 = ishl v26, v31  ; v31 = 2
//= @0003                               v33 = iadd.i64 v17, v32
//= @0003                               v34 = load.f32x4 notrap region1 v33
//= @0004                               v35 = sqrt v30
//= @0005                               v36 = fdiv v34, v13  ; v13 = const0
//= @0006                               v37 = fcmp lt v35, v36
//= @0006                               v38 = bitcast.f32x4 little v37
//= @0006                               v39 = bitselect v38, v35, v36
//= @0006                               v40 = fcmp eq v36, v36
//= @0006                               v41 = bitcast.i32x4 little v39
//= @0006                               v42 = bitcast.i32x4 little v35
//= @0006                               v43 = bitselect v40, v41, v42
//= @0006                               v44 = bitcast.f32x4 little v43
//= @0007                               v45 = fma v30, v34, v44
//= @0008                               store notrap region1 v45, v29
//= @0008                               v46 = iadd.i64 v7, v10  ; v10 = 1
//= @0008                               v47 = iadd.i64 v6, v10  ; v10 = 1
//= @0008                               v48 = icmp eq v47, v15
//= @0008                               v49 = select.i64 v48, v11, v47  ; v11 = 0
//= @0008                               jump block4(v46, v49)
//=
//=                                 block4(v8: i64, v9: i64):
//= @0009                               v50 = icmp ult v8, v3
//= @0009                               brif v50, block2(v9, v8), block5
//=
//=                                 block5:
//= @0009                               jump block6
//=
//=                                 block6:
//= @0009                               return
//= }
