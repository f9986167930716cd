// target: scalar
// local: 1 1 1
// Division is total in KIR: a divisor of 0, and -1 below the smallest number, are made harmless first.
kernel void k(global int *x, global uint *y) {
    x[0] = x[1] / x[2] + (x[3] >> 5) * 7;
    y[0] = rotate(y[1], 9u) ^ popcount(y[2]) ^ clz(y[3]);
}
//= machine code by Cranelift
//= function u0:0(i64, i64, i64, i64) system_v {
//=     region0 = 0 "constant"
//=     region1 = 1 "global"
//=     region2 = 2 "local"
//=     region3 = 3 "private"
//=
//=                                 block0(v0: i64, v1: i64, v2: i64, v3: i64):
//= @0000                               v7 = iconst.i64 1
//= @0000                               v8 = iconst.i32 5
//= @0000                               v9 = iconst.i32 7
//= @0000                               v10 = iconst.i32 9
//= @0000                               v11 = iconst.i32 0
//= @0000                               v12 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v13 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               jump block1(v2)
//=
//=                                 block1(v4: i64):
//= @0000                               v14 = icmp ult v4, v3
//= @0000                               brif v14, block2(v4), block5
//=
//=                                 block2(v5: i64):
//= @0000                               jump block3
//=
//=                                 block3:
//= @0001                               v15 = load.i32 notrap region1 v12+4
//= @0002                               v16 = load.i32 notrap region1 v12+8
//= @0003                               v17 = icmp eq v16, v11  ; v11 = 0
//= @0003                               v18 = fcvt_from_sint.f64 v15
//= @0003                               v19 = fcvt_from_sint.f64 v16
//= @0003                               v20 = fdiv v18, v19
//= @0003                               v21 = fcvt_to_sint_sat.i64 v20
//= @0003                               v22 = ireduce.i32 v21
//= @0003                               v23 = select.i32 v17, v11, v22  ; v11 = 0
//= @0004                               v24 = load.i32 notrap region1 v12+12
//= @0005                               v25 = sshr v24, v8  ; v8 = 5
//= @0006                               v26 = imul v25, v9  ; v9 = 7
//= @0007                               v27 = iadd v23, v26
//= @0008                               store notrap region1 v27, v12
//= @0009                               v28 = load.i32 notrap region1 v13+4
//= @000a                               v29 = rotl v28, v10  ; v10 = 9
//= @000b                               v30 = load.i32 notrap region1 v13+8
//= @000c                               v31 = popcnt v30
//= @000d                               v32 = bxor v29, v31
//= @000e                               v33 = load.i32 notrap region1 v13+12
//= @000f                               v34 = clz v33
//= @0010                               v35 = bxor v32, v34
//= @0011                               store notrap region1 v35, v13
//= @0011                               v36 = iadd.i64 v5, v7  ; v7 = 1
//= @0011                               jump block4(v36)
//=
//=                                 block4(v6: i64):
//= @0012                               v37 = icmp ult v6, v3
//= @0012                               brif v37, block2(v6), block5
//=
//=                                 block5:
//= @0012                               jump block6
//=
//=                                 block6:
//= @0012                               return
//= }
