// target: v128
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
//=     const3 = 0x70707070707070707070707070707070
//=
//=                                 block0(v0: i64, v1: i64, v2: i64, v3: i64):
//= @0000                               v7 = iconst.i64 64
//= @0000                               v8 = iconst.i64 1
//= @0000                               v9 = iconst.i64 0
//= @0000                               v10 = iconst.i64 6
//= @0000                               v11 = iconst.i64 8
//= @0000                               v12 = load.i64 notrap readonly can_move region0 v1+24
//= @0000                               v13 = load.i64 notrap readonly can_move region0 v1+72
//= @0000                               v14 = load.i64 notrap readonly can_move region0 v0
//= @0000                               v15 = icmp eq v13, v9  ; v9 = 0
//= @0000                               v16 = select v15, v8, v13  ; v8 = 1
//= @0000                               v17 = udiv v2, v16
//= @0000                               v18 = select v15, v9, v17  ; v9 = 0
//= @0000                               v19 = imul v18, v13
//= @0000                               v20 = isub v2, v19
//= @0000                               v21 = icmp ult v2, v3
//= @0000                               brif v21, block1(v20, v2), block4
//=
//=                                 block1(v4: i64, v5: i64):
//= @0000                               v22 = ishl v4, v10  ; v10 = 6
//= @0000                               v23 = iadd v22, v12
//= @0000                               v24 = iconst.i64 2
//= @0000                               v25 = ishl v23, v24  ; v24 = 2
//= @0000                               v26 = iadd.i64 v14, v25
//= @0000                               jump block2(v9)  ; v9 = 0
//=
//=                                 block2(v6: i64):
//= @0001                               v27 = iconst.i64 2
//= @0001                               v28 = ishl v6, v27  ; v27 = 2
//= @0001                               v29 = iadd.i64 v26, v28
//= @0002                               v30 = load.i32x4 notrap region1 v29
//= @0002                               v31 = load.i32x4 notrap region1 v29+16
//= @0003                               v32 = iconst.i32 2
//= @0003                               v33 = ishl v30, v32  ; v32 = 2
//= @0003                               v34 = bitcast.i8x16 little v33
//= @0003                               v35 = bitcast.i8x16 little v33
//= @0003                               v36 = shuffle v34, v35, 0x0c0c0c0c080808080404040400000000
//= @0003                               v37 = vconst.i8x16 const0
//= @0003                               v38 = vconst.i8x16 const1
//= @0003                               v39 = iadd v36, v37  ; v37 = const0
//= @0003                               v40 = band v39, v38  ; v38 = const1
//= @0003                               v41 = vconst.i8x16 const2
//= @0003                               v42 = isub v40, v41  ; v41 = const2
//= @0003                               v43 = bitcast.i8x16 little v30
//= @0003                               v44 = bitcast.i8x16 little v31
//= @0003                               v45 = vconst.i8x16 const3
//= @0003                               v46 = iadd v40, v45  ; v45 = const3
//= @0003                               v47 = x86_pshufb v43, v46
//= @0003                               v48 = x86_pshufb v44, v42
//= @0003                               v49 = bor v47, v48
//= @0003                               v50 = bitcast.i32x4 little v49
//= @0003                               v51 = iconst.i32 2
//= @0003                               v52 = ishl v31, v51  ; v51 = 2
//= @0003                               v53 = bitcast.i8x16 little v52
//= @0003                               v54 = bitcast.i8x16 little v52
//= @0003                               v55 = shuffle v53, v54, 0x0c0c0c0c080808080404040400000000
//= @0003                               v56 = vconst.i8x16 const0
//= @0003                               v57 = vconst.i8x16 const1
//= @0003                               v58 = iadd v55, v56  ; v56 = const0
//= @0003                               v59 = band v58, v57  ; v57 = const1
//= @0003                               v60 = vconst.i8x16 const2
//= @0003                               v61 = isub v59, v60  ; v60 = const2
//= @0003                               v62 = bitcast.i8x16 little v30
//= @0003                               v63 = bitcast.i8x16 little v31
//= @0003                               v64 = vconst.i8x16 const3
//= @0003                               v65 = iadd v59, v64  ; v64 = const3
//= @0003                               v66 = x86_pshufb v62, v65
//= @0003                               v67 = x86_pshufb v63, v61
//= @0003                               v68 = bor v66, v67
//= @0003                               v69 = bitcast.i32x4 little v68
//= @0004                               v70 = bitcast.i8x16 little v31
//= @0004                               v71 = bitcast.i8x16 little v31
//= @0004                               v72 = shuffle v70, v71, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v73 = bitcast.i32x4 little v72
//= @0004                               v74 = bitcast.i8x16 little v30
//= @0004                               v75 = bitcast.i8x16 little v30
//= @0004                               v76 = shuffle v74, v75, 0x0b0a09080f0e0d0c0302010007060504
//= @0004                               v77 = bitcast.i32x4 little v76
//= @0005                               v78 = iadd v50, v73
//= @0005                               v79 = iadd v69, v77
//= @0006                               store notrap region1 v78, v29
//= @0006                               store notrap region1 v79, v29+16
//= @0006                               v80 = iadd v6, v11  ; v11 = 8
//= @0006                               v81 = icmp ult v80, v7  ; v7 = 64
//= @0006                               brif v81, block2(v80), block3
//=
//=                                 block3:
//= @0006                               v82 = iadd.i64 v5, v8  ; v8 = 1
//= @0006                               v83 = iadd.i64 v4, v8  ; v8 = 1
//= @0006                               v84 = icmp eq v83, v13
//= @0006                               v85 = select.i64 v84, v9, v83  ; v9 = 0
//= @0007                               v86 = icmp ult v82, v3
//= @0007                               brif v86, block1(v85, v82), block4
//=
//=                                 block4:
//= @0007                               return
//= }
