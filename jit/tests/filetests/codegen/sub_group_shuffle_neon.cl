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
//= @0000                               jump block4(v13)  ; v13 = 0
//=
//=                                 block4(v8: i64):
//= @0000                               v28 = iadd.i64 v27, v8
//= @0001                               v29 = iconst.i64 2
//= @0001                               v30 = ishl v28, v29  ; v29 = 2
//= @0001                               v31 = iadd.i64 v18, v30
//= @0002                               v32 = load.i32x4 notrap region1 v31
//= @0002                               v33 = load.i32x4 notrap region1 v31+16
//= @0003                               v34 = iconst.i32 2
//= @0003                               v35 = ishl v32, v34  ; v34 = 2
//= @0003                               v36 = bitcast.i8x16 little v35
//= @0003                               v37 = bitcast.i8x16 little v35
//= @0003                               v38 = shuffle v36, v37, 0x0c0c0c0c080808080404040400000000
//= @0003                               v39 = vconst.i8x16 const0
//= @0003                               v40 = vconst.i8x16 const1
//= @0003                               v41 = iadd v38, v39  ; v39 = const0
//= @0003                               v42 = band v41, v40  ; v40 = const1
//= @0003                               v43 = vconst.i8x16 const2
//= @0003                               v44 = isub v42, v43  ; v43 = const2
//= @0003                               v45 = bitcast.i8x16 little v32
//= @0003                               v46 = bitcast.i8x16 little v33
//= @0003                               v47 = swizzle v45, v42
//= @0003                               v48 = swizzle v46, v44
//= @0003                               v49 = bor v47, v48
//= @0003                               v50 = bitcast.i32x4 little v49
//= @0003                               v51 = iconst.i32 2
//= @0003                               v52 = ishl v33, v51  ; v51 = 2
//= @0003                               v53 = bitcast.i8x16 little v52
//= @0003                               v54 = bitcast.i8x16 little v52
//= @0003                               v55 = shuffle v53, v54, 0x0c0c0c0c080808080404040400000000
//= @0003                               v56 = vconst.i8x16 const0
//= @0003                               v57 = vconst.i8x16 const1
//= @0003                               v58 = iadd v55, v56  ; v56 = const0
//= @0003                               v59 = band v58, v57  ; v57 = const1
//= @0003                               v60 = vconst.i8x16 const2
//= @0003                               v61 = isub v59, v60  ; v60 = const2
//= @0003                               v62 = bitcast.i8x16 little v32
//= @0003                               v63 = bitcast.i8x16 little v33
//= @0003                               v64 = swizzle v62, v59
//= @0003                               v65 = swizzle v63, v61
//= @0003                               v66 = bor v64, v65
//= @0003                               v67 = bitcast.i32x4 little v66
//= @0004                               v68 = bitcast.i8x16 little v33
//= @0004                               v69 = bitcast.i8x16 little v33
//= @0004                               v70 = shuffle v68, v69, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v71 = bitcast.i32x4 little v70
//= @0004                               v72 = bitcast.i8x16 little v32
//= @0004                               v73 = bitcast.i8x16 little v32
//= @0004                               v74 = shuffle v72, v73, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v75 = bitcast.i32x4 little v74
//= @0005                               v76 = iadd v50, v71
//= @0005                               v77 = iadd v67, v75
//= @0006                               store notrap region1 v76, v31
//= @0006                               store notrap region1 v77, v31+16
//= @0006                               v78 = iadd v8, v15  ; v15 = 8
//= @0006                               v79 = icmp ult v78, v11  ; v11 = 64
//= @0006                               brif v79, block4(v78), block5
//=
//=                                 block5:
//= @0006                               v80 = iadd.i64 v7, v12  ; v12 = 1
//= @0006                               v81 = iadd.i64 v6, v12  ; v12 = 1
//= @0006                               v82 = icmp eq v81, v17
//= @0006                               v83 = select.i64 v82, v13, v81  ; v13 = 0
//= @0006                               jump block6(v80, v83)
//=
//=                                 block6(v9: i64, v10: i64):
//= @0007                               v84 = icmp ult v9, v3
//= @0007                               brif v84, block2(v10, v9), block7
//=
//=                                 block7:
//= @0007                               jump block8
//=
//=                                 block8:
//= @0007                               return
//= }
