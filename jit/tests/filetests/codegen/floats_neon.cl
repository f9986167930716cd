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
//= @0000                               v24 = iconst.i64 2
//= @0000                               v25 = ishl v14, v24  ; v24 = 2
//= @0000                               v26 = iadd v16, v25
//= @0000                               v27 = iconst.i64 2
//= @0000                               v28 = ishl v14, v27  ; v27 = 2
//= @0000                               v29 = iadd v17, v28
//= @0000                               jump block1(v2, v23)
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v30 = icmp ult v4, v3
//= @0000                               brif v30, block2(v5, v4), block5
//=
//=                                 block2(v6: i64, v7: i64):
//= @0000                               jump block3
//=
//=                                 block3:
//= @0000                               v31 = ishl.i64 v6, v12  ; v12 = 2
//= @0001                               v32 = iconst.i64 2
//= @0001                               v33 = ishl v31, v32  ; v32 = 2
//= @0001                               v34 = iadd.i64 v26, v33
//= @0002                               v35 = load.f32x4 notrap region1 v34
//= @0003                               v36 = iconst.i64 2
//= @0003                               v37 = ishl v31, v36  ; v36 = 2
//= @0003                               v38 = iadd.i64 v29, v37
//= @0003                               v39 = load.f32x4 notrap region1 v38
//= @0004                               v40 = sqrt v35
//= @0005                               v41 = fdiv v39, v13  ; v13 = const0
//= @0006                               v42 = fcmp lt v40, v41
//= @0006                               v43 = bitcast.f32x4 little v42
//= @0006                               v44 = bitselect v43, v40, v41
//= @0006                               v45 = fcmp eq v41, v41
//= @0006                               v46 = bitcast.i32x4 little v44
//= @0006                               v47 = bitcast.i32x4 little v40
//= @0006                               v48 = bitselect v45, v46, v47
//= @0006                               v49 = bitcast.f32x4 little v48
//= @0007                               v50 = fma v35, v39, v49
//= @0008                               store notrap region1 v50, v34
//= @0008                               v51 = iadd.i64 v7, v10  ; v10 = 1
//= @0008                               v52 = iadd.i64 v6, v10  ; v10 = 1
//= @0008                               v53 = icmp eq v52, v15
//= @0008                               v54 = select.i64 v53, v11, v52  ; v11 = 0
//= @0008                               jump block4(v51, v54)
//=
//=                                 block4(v8: i64, v9: i64):
//= @0009                               v55 = icmp ult v8, v3
//= @0009                               brif v55, block2(v9, v8), block5
//=
//=                                 block5:
//= @0009                               jump block6
//=
//=                                 block6:
//= @0009                               return
//= }
