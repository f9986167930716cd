// target: scalar
// local: 64 1 1
// disjoint
// Cranelift is given sums of addresses with the offset apart, which it folds.
kernel void k(global float *x, global const float *y) {
    size_t i = get_global_id(0);
    x[i + 3] = y[i + 1] + y[i + 100];
}
//= machine code by Cranelift
//= function u0:0(i64, i64, i64, i64) system_v {
//=     region0 = 0 "constant"
//=     region1 = 1 "global"
//=     region2 = 2 "local"
//=     region3 = 3 "private"
//=
//=                                 block0(v0: i64, v1: i64, v2: i64, v3: i64):
//= @0000                               v11 = iconst.i64 64
//= @0000                               v12 = iconst.i64 1
//= @0000                               v13 = iconst.i64 0
//= @0000                               v14 = iconst.i64 6
//= @0000                               v15 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v16 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v17 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v18 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               v19 = icmp eq v16, v13  ; v13 = 0
//= @0000                               v20 = select v19, v12, v16  ; v12 = 1
//= @0000                               v21 = udiv v2, v20
//= @0000                               v22 = select v19, v13, v21  ; v13 = 0
//= @0000                               v23 = imul v22, v16
//= @0000                               v24 = isub v2, v23
//= @0000                               jump block1(v2, v24)
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v25 = icmp ult v4, v3
//= @0000                               brif v25, block2(v5, v4), block7
//=
//=                                 block2(v6: i64, v7: i64):
//= @0000                               jump block3
//=
//=                                 block3:
//= @0000                               v26 = ishl.i64 v6, v14  ; v14 = 6
//= @0000                               v27 = iadd v26, v15
//= @0000                               v28 = iconst.i64 2
//= @0000                               v29 = ishl v27, v28  ; v28 = 2
//= @0000                               v30 = iadd.i64 v17, v29
//= @0000                               v31 = iconst.i64 2
//= @0000                               v32 = ishl v27, v31  ; v31 = 2
//= @0000                               v33 = iadd.i64 v18, v32
//= @0000                               jump block4(v13)  ; v13 = 0
//=
//=                                 block4(v8: i64):
//= @0001                               v34 = iconst.i64 2
//= @0001                               v35 = ishl v8, v34  ; v34 = 2
//= @0001                               v36 = iadd.i64 v30, v35
//= @0002                               v37 = iconst.i64 2
//= @0002                               v38 = ishl v8, v37  ; v37 = 2
//= @0002                               v39 = iadd.i64 v33, v38
//= @0002                               v40 = load.f32 notrap region1 v39+4
//= @0003                               v41 = load.f32 notrap region1 v39+400
//= @0004                               v42 = fadd v40, v41
//= @0005                               store notrap region1 v42, v36+12
//= @0005                               v43 = iadd v8, v12  ; v12 = 1
//= @0005                               v44 = icmp ult v43, v11  ; v11 = 64
//= @0005                               brif v44, block4(v43), block5
//=
//=                                 block5:
//= @0005                               v45 = iadd.i64 v7, v12  ; v12 = 1
//= @0005                               v46 = iadd.i64 v6, v12  ; v12 = 1
//= @0005                               v47 = icmp eq v46, v16
//= @0005                               v48 = select.i64 v47, v13, v46  ; v13 = 0
//= @0005                               jump block6(v45, v48)
//=
//=                                 block6(v9: i64, v10: i64):
//= @0006                               v49 = icmp ult v9, v3
//= @0006                               brif v49, block2(v10, v9), block7
//=
//=                                 block7:
//= @0006                               jump block8
//=
//=                                 block8:
//= @0006                               return
//= }
