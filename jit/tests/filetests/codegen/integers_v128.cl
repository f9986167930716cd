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
//= @0000                               v5 = iconst.i64 1
//= @0000                               v6 = iconst.i32 5
//= @0000                               v7 = iconst.i32 7
//= @0000                               v8 = iconst.i32 9
//= @0000                               v9 = iconst.i32 0
//= @0000                               v10 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v11 = load.i64 notrap readonly can_move region0 v0+8
//= @0000                               v12 = icmp ult v2, v3
//= @0000                               brif v12, block1(v2), block2
//=
//=                                 block1(v4: i64):
//= @0001                               v13 = load.i32 notrap region1 v10+4
//= @0002                               v14 = load.i32 notrap region1 v10+8
//= @0003                               v15 = icmp eq v14, v9  ; v9 = 0
//= @0003                               v16 = fcvt_from_sint.f64 v13
//= @0003                               v17 = fcvt_from_sint.f64 v14
//= @0003                               v18 = fdiv v16, v17
//= @0003                               v19 = fcvt_to_sint_sat.i64 v18
//= @0003                               v20 = ireduce.i32 v19
//= @0003                               v21 = select.i32 v15, v9, v20  ; v9 = 0
//= @0004                               v22 = load.i32 notrap region1 v10+12
//= @0005                               v23 = sshr v22, v6  ; v6 = 5
//= @0006                               v24 = imul v23, v7  ; v7 = 7
//= @0007                               v25 = iadd v21, v24
//= @0008                               store notrap region1 v25, v10
//= @0009                               v26 = load.i32 notrap region1 v11+4
//= @000a                               v27 = rotl v26, v8  ; v8 = 9
//= @000b                               v28 = load.i32 notrap region1 v11+8
//= @000c                               v29 = popcnt v28
//= @000d                               v30 = bxor v27, v29
//= @000e                               v31 = load.i32 notrap region1 v11+12
//= @000f                               v32 = clz v31
//= @0010                               v33 = bxor v30, v32
//= @0011                               store notrap region1 v33, v11
//= @0011                               v34 = iadd v4, v5  ; v5 = 1
//= @0012                               v35 = icmp ult v34, v3
//= @0012                               brif v35, block1(v34), block2
//=
//=                                 block2:
//= @0012                               return
//= }
