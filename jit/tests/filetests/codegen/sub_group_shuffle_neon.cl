// target: neon
// local: 64 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void exchange(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_shuffle(a[i], a[i]) + sub_group_shuffle_xor(a[i], 5);
}
//= machine code by Cranelift
//= function u0:0(i64, i64, i64, i64) system_v {
//=     region0 = 0 "constant"
//=     region1 = 1 "global"
//=     region2 = 2 "local"
//=     region3 = 3 "private"
//=     const0 = 0x03020100030201000302010003020100
//=     const1 = 0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f
//=     const2 = 0x10101010101010101010101010101010
//=
//=                                 block0(v0: i64, v1: i64, v2: i64, v3: i64):
//= @0000                               v11 = iconst.i64 64
//= @0000                               v12 = iconst.i64 1
//= @0000                               v13 = iconst.i64 0
//= @0000                               v14 = iconst.i64 6
//= @0000                               v15 = iconst.i64 8
//= @0000                               v16 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v17 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v18 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v19 = icmp eq v17, v13  ; v13 = 0
//= @0000                               v20 = select v19, v12, v17  ; v12 = 1
//= @0000                               v21 = udiv v2, v20
//= @0000                               v22 = select v19, v13, v21  ; v13 = 0
//= @0000                               v23 = imul v22, v17
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
//= @0000                               v27 = iadd v26, v16
//= @0000                               v28 = iconst.i64 2
//= @0000                               v29 = ishl v27, v28  ; v28 = 2
//= @0000                               v30 = iadd.i64 v18, v29
//= @0000                               jump block4(v13)  ; v13 = 0
//=
//=                                 block4(v8: i64):
//= @0001                               v31 = iconst.i64 2
//= @0001                               v32 = ishl v8, v31  ; v31 = 2
//= @0001                               v33 = iadd.i64 v30, v32
//= @0002                               v34 = load.i32x4 notrap region1 v33
//= @0002                               v35 = load.i32x4 notrap region1 v33+16
//= @0003                               v36 = iconst.i32 2
//= @0003                               v37 = ishl v34, v36  ; v36 = 2
//= @0003                               v38 = bitcast.i8x16 little v37
//= @0003                               v39 = bitcast.i8x16 little v37
//= @0003                               v40 = shuffle v38, v39, 0x0c0c0c0c080808080404040400000000
//= @0003                               v41 = vconst.i8x16 const0
//= @0003                               v42 = vconst.i8x16 const1
//= @0003                               v43 = iadd v40, v41  ; v41 = const0
//= @0003                               v44 = band v43, v42  ; v42 = const1
//= @0003                               v45 = vconst.i8x16 const2
//= @0003                               v46 = isub v44, v45  ; v45 = const2
//= @0003                               v47 = bitcast.i8x16 little v34
//= @0003                               v48 = bitcast.i8x16 little v35
//= @0003                               v49 = swizzle v47, v44
//= @0003                               v50 = swizzle v48, v46
//= @0003                               v51 = bor v49, v50
//= @0003                               v52 = bitcast.i32x4 little v51
//= @0003                               v53 = iconst.i32 2
//= @0003                               v54 = ishl v35, v53  ; v53 = 2
//= @0003                               v55 = bitcast.i8x16 little v54
//= @0003                               v56 = bitcast.i8x16 little v54
//= @0003                               v57 = shuffle v55, v56, 0x0c0c0c0c080808080404040400000000
//= @0003                               v58 = vconst.i8x16 const0
//= @0003                               v59 = vconst.i8x16 const1
//= @0003                               v60 = iadd v57, v58  ; v58 = const0
//= @0003                               v61 = band v60, v59  ; v59 = const1
//= @0003                               v62 = vconst.i8x16 const2
//= @0003                               v63 = isub v61, v62  ; v62 = const2
//= @0003                               v64 = bitcast.i8x16 little v34
//= @0003                               v65 = bitcast.i8x16 little v35
//= @0003                               v66 = swizzle v64, v61
//= @0003                               v67 = swizzle v65, v63
//= @0003                               v68 = bor v66, v67
//= @0003                               v69 = bitcast.i32x4 little v68
//= @0004                               v70 = bitcast.i8x16 little v35
//= @0004                               v71 = bitcast.i8x16 little v35
//= @0004                               v72 = shuffle v70, v71, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v73 = bitcast.i32x4 little v72
//= @0004                               v74 = bitcast.i8x16 little v34
//= @0004                               v75 = bitcast.i8x16 little v34
//= @0004                               v76 = shuffle v74, v75, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v77 = bitcast.i32x4 little v76
//= @0005                               v78 = iadd v52, v73
//= @0005                               v79 = iadd v69, v77
//= @0006                               store notrap region1 v78, v33
//= @0006                               store notrap region1 v79, v33+16
//= @0006                               v80 = iadd v8, v15  ; v15 = 8
//= @0006                               v81 = icmp ult v80, v11  ; v11 = 64
//= @0006                               brif v81, block4(v80), block5
//=
//=                                 block5:
//= @0006                               v82 = iadd.i64 v7, v12  ; v12 = 1
//= @0006                               v83 = iadd.i64 v6, v12  ; v12 = 1
//= @0006                               v84 = icmp eq v83, v17
//= @0006                               v85 = select.i64 v84, v13, v83  ; v13 = 0
//= @0006                               jump block6(v82, v85)
//=
//=                                 block6(v9: i64, v10: i64):
//= @0007                               v86 = icmp ult v9, v3
//= @0007                               brif v86, block2(v10, v9), block7
//=
//=                                 block7:
//= @0007                               jump block8
//=
//=                                 block8:
//= @0007                               return
//= }
