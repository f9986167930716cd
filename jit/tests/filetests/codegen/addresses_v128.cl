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
//= @0000                               v7 = iconst.i64 64
//= @0000                               v8 = iconst.i64 1
//= @0000                               v9 = iconst.i64 0
//= @0000                               v10 = iconst.i64 6
//= @0000                               v11 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v12 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v13 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v14 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               v15 = icmp eq v12, v9  ; v9 = 0
//= @0000                               v16 = select v15, v8, v12  ; v8 = 1
//= @0000                               v17 = udiv v2, v16
//= @0000                               v18 = select v15, v9, v17  ; v9 = 0
//= @0000                               v19 = imul v18, v12
//= @0000                               v20 = isub v2, v19
//= @0000                               v21 = icmp ult v2, v3
//= @0000                               brif v21, block1(v20, v2), block4
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v22 = ishl v4, v10  ; v10 = 6
//= @0000                               v23 = iadd v22, v11
//= @0000                               v24 = iconst.i64 2
//= @0000                               v25 = ishl v23, v24  ; v24 = 2
//= @0000                               v26 = iadd.i64 v13, v25
//= @0000                               v27 = iconst.i64 2
//= @0000                               v28 = ishl v23, v27  ; v27 = 2
//= @0000                               v29 = iadd.i64 v14, v28
//= @0000                               jump block2(v9)  ; v9 = 0
//=
//=                                 block2(v6: i64):
//= @0001                               v30 = iconst.i64 2
//= @0001                               v31 = ishl v6, v30  ; v30 = 2
//= @0001                               v32 = iadd.i64 v26, v31
//= @0002                               v33 = iconst.i64 2
//= @0002                               v34 = ishl v6, v33  ; v33 = 2
//= @0002                               v35 = iadd.i64 v29, v34
//= @0002                               v36 = load.f32 notrap region1 v35+4
//= @0003                               v37 = load.f32 notrap region1 v35+400
//= @0004                               v38 = fadd v36, v37
//= @0005                               store notrap region1 v38, v32+12
//= @0005                               v39 = iadd v6, v8  ; v8 = 1
//= @0005                               v40 = icmp ult v39, v7  ; v7 = 64
//= @0005                               brif v40, block2(v39), block3
//=
//=                                 block3:
//= @0005                               v41 = iadd.i64 v5, v8  ; v8 = 1
//= @0005                               v42 = iadd.i64 v4, v8  ; v8 = 1
//= @0005                               v43 = icmp eq v42, v12
//= @0005                               v44 = select.i64 v43, v9, v42  ; v9 = 0
//= @0006                               v45 = icmp ult v41, v3
//= @0006                               brif v45, block1(v44, v41), block4
//=
//=                                 block4:
//= @0006                               return
//= }
