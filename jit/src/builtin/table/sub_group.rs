//! Sub-group functions: those of OpenCL C 3.0, of the `cl_khr_subgroup_…` extensions, and of `cl_intel_subgroups` and
//! what builds on it.

use crate::builtin::{Accesses, Attrs, Body, Elem, Elems, Pat, Quals, Row, Spaces, Special, SubGroupFn, Widths};
use crate::image::ImageShape;
use crate::ir::{CollectiveOp, IntPred, Op};

const T: Pat = Pat::T;
const INT: Pat = Pat::S(Elem::Int);
const UINT: Pat = Pat::S(Elem::UInt);
const BALLOT: Pat = Pat::V(Elem::UInt, 4);
/// Elements of OpenCL C 3.0; what `cl_khr_subgroup_extended_types` adds; both.
const CORE: Elems = Elems::INT.union(Elems::UINT).union(Elems::LONG).union(Elems::ULONG).union(Elems::FLOATS);
const SMALL: Elems = Elems::CHAR.union(Elems::UCHAR).union(Elems::SHORT).union(Elems::USHORT);
const ALL: Elems = Elems::ALL;

const fn row(name: &'static str, elems: Elems, widths: Widths, ret: Pat, params: &'static [Pat], f: SubGroupFn) -> Row {
    let body = Body::Special(Special::SubGroup(f));
    Row::new(name, elems, widths, ret, params, body).attr(Attrs::CONVERGENT)
}

/// A function of OpenCL C 3.0, which `cl_intel_subgroups` has for all versions.
const fn core(row: Row) -> Row {
    row.attr(Attrs::TOGETHER).feature("cl_intel_subgroups").cite("Subgroup Functions")
}

/// The same for types that `cl_khr_subgroup_extended_types` adds.
const fn extended(row: Row) -> Row {
    khr("cl_khr_subgroup_extended_types", row.attr(Attrs::TOGETHER))
}

const fn khr(feature: &'static str, row: Row) -> Row {
    row.feature(feature).cite("Subgroup Functions")
}

const fn plain(name: &'static str, ret: Pat, params: &'static [Pat], f: SubGroupFn) -> Row {
    row(name, Elems::INT, Widths::W1, ret, params, f)
}

const fn query(name: &'static str, op: Op) -> Row {
    Row::plain(name, UINT, &[], Body::Op(op)).pure().feature("cl_intel_subgroups").cite("Work-Item Functions")
}

/// Queries, barriers, votes and broadcasts.
pub static ROWS: &[Row] = &[
    query("get_sub_group_size", Op::SgSize),
    query("get_max_sub_group_size", Op::SgMax),
    query("get_num_sub_groups", Op::SgNum),
    query("get_enqueued_num_sub_groups", Op::SgEnum).since(200),
    query("get_sub_group_id", Op::SgId),
    query("get_sub_group_local_id", Op::SgLid),
    core(plain("sub_group_barrier", Pat::Void, &[UINT], SubGroupFn::Barrier)),
    core(plain("sub_group_barrier", Pat::Void, &[UINT, INT], SubGroupFn::Barrier)),
    core(plain("sub_group_all", INT, &[INT], SubGroupFn::All)),
    core(plain("sub_group_any", INT, &[INT], SubGroupFn::Any)),
    core(row("sub_group_broadcast", CORE, Widths::W1, T, &[T, UINT], SubGroupFn::Shuffle)),
    extended(row("sub_group_broadcast", SMALL, Widths::W1, T, &[T, UINT], SubGroupFn::Shuffle)),
    extended(row("sub_group_broadcast", ALL, Widths::VEC, T, &[T, UINT], SubGroupFn::Shuffle)),
    khr(VOTE, plain("sub_group_elect", INT, &[], SubGroupFn::Elect)),
    khr(VOTE, plain("sub_group_non_uniform_all", INT, &[INT], SubGroupFn::All)),
    khr(VOTE, plain("sub_group_non_uniform_any", INT, &[INT], SubGroupFn::Any)),
    khr(VOTE, row("sub_group_non_uniform_all_equal", ALL, Widths::W1, INT, &[T], SubGroupFn::AllEqual)),
];

const VOTE: &str = "cl_khr_subgroup_non_uniform_vote";
const BALLOTS: &str = "cl_khr_subgroup_ballot";
const ARITHMETIC: &str = "cl_khr_subgroup_non_uniform_arithmetic";
const CLUSTERED: &str = "cl_khr_subgroup_clustered_reduce";
const SHUFFLE: &str = "cl_khr_subgroup_shuffle";
const RELATIVE: &str = "cl_khr_subgroup_shuffle_relative";
const ROTATE: &str = "cl_khr_subgroup_rotate";

/// `cl_khr_subgroup_ballot`
pub static BALLOT_ROWS: &[Row] = &[
    ballot(row("sub_group_non_uniform_broadcast", ALL, Widths::ANY, T, &[T, UINT], SubGroupFn::Shuffle)),
    ballot(row("sub_group_broadcast_first", ALL, Widths::W1, T, &[T], SubGroupFn::BroadcastFirst)),
    ballot(plain("sub_group_ballot", BALLOT, &[INT], SubGroupFn::Ballot)),
    ballot(plain("sub_group_inverse_ballot", INT, &[BALLOT], SubGroupFn::InverseBallot)),
    ballot(plain("sub_group_ballot_bit_extract", INT, &[BALLOT, UINT], SubGroupFn::BitExtract)),
    ballot(plain("sub_group_ballot_bit_count", UINT, &[BALLOT], SubGroupFn::BitCount(None))),
    ballot(plain("sub_group_ballot_inclusive_scan", UINT, &[BALLOT], SubGroupFn::BitCount(Some(IntPred::ULe)))),
    ballot(plain("sub_group_ballot_exclusive_scan", UINT, &[BALLOT], SubGroupFn::BitCount(Some(IntPred::ULt)))),
    ballot(plain("sub_group_ballot_find_lsb", UINT, &[BALLOT], SubGroupFn::FindLsb)),
    ballot(plain("sub_group_ballot_find_msb", UINT, &[BALLOT], SubGroupFn::FindMsb)),
    ballot(plain("get_sub_group_eq_mask", BALLOT, &[], SubGroupFn::Mask(IntPred::Eq))),
    ballot(plain("get_sub_group_ge_mask", BALLOT, &[], SubGroupFn::Mask(IntPred::UGe))),
    ballot(plain("get_sub_group_gt_mask", BALLOT, &[], SubGroupFn::Mask(IntPred::UGt))),
    ballot(plain("get_sub_group_le_mask", BALLOT, &[], SubGroupFn::Mask(IntPred::ULe))),
    ballot(plain("get_sub_group_lt_mask", BALLOT, &[], SubGroupFn::Mask(IntPred::ULt))),
];

const fn ballot(row: Row) -> Row {
    khr(BALLOTS, row)
}

/// `cl_khr_subgroup_shuffle`, `cl_khr_subgroup_shuffle_relative` and `cl_khr_subgroup_rotate`
pub static SHUFFLES: &[Row] = &[
    khr(SHUFFLE, row("sub_group_shuffle", ALL, Widths::W1, T, &[T, UINT], SubGroupFn::Shuffle)),
    khr(SHUFFLE, row("sub_group_shuffle_xor", ALL, Widths::W1, T, &[T, UINT], SubGroupFn::ShuffleXor)),
    khr(RELATIVE, row("sub_group_shuffle_up", ALL, Widths::W1, T, &[T, UINT], SubGroupFn::ShuffleUp)),
    khr(RELATIVE, row("sub_group_shuffle_down", ALL, Widths::W1, T, &[T, UINT], SubGroupFn::ShuffleDown)),
    khr(ROTATE, row("sub_group_rotate", ALL, Widths::W1, T, &[T, INT], SubGroupFn::Rotate)),
    khr(ROTATE, row("sub_group_clustered_rotate", ALL, Widths::W1, T, &[T, INT, UINT], SubGroupFn::Rotate)),
];

const S: Elems = Elems::SINTS.intersection(CORE);
const U: Elems = Elems::UINTS.intersection(CORE);
const SMALL_S: Elems = Elems::SINTS.intersection(SMALL);
const SMALL_U: Elems = Elems::UINTS.intersection(SMALL);
const SMALL_INTS: Elems = SMALL;
const ALL_S: Elems = Elems::SINTS;
const ALL_U: Elems = Elems::UINTS;
const INTS: Elems = Elems::INTS;
const FLOATS: Elems = Elems::FLOATS;
const CORE_INTS: Elems = S.union(U);

const fn arithmetic(name: &'static str, elems: Elems, params: &'static [Pat], op: Op, how: CollectiveOp) -> Row {
    row(name, elems, Widths::W1, T, params, SubGroupFn::Arithmetic(op, how))
}

const fn logical(name: &'static str, params: &'static [Pat], op: Op, how: CollectiveOp) -> Row {
    row(name, Elems::INT, Widths::W1, INT, params, SubGroupFn::Logical(op, how))
}

/// Expands to the rows of one reduction or scan of OpenCL C 3.0, with those for small types.
macro_rules! uniform {
    ($name:literal, $op:ident) => {
        [
            core(arithmetic(concat!($name, "_add"), CORE_INTS, &[T], Op::$op, CollectiveOp::Add)),
            core(arithmetic(concat!($name, "_add"), FLOATS, &[T], Op::$op, CollectiveOp::Fadd)),
            core(arithmetic(concat!($name, "_min"), S, &[T], Op::$op, CollectiveOp::MinS)),
            core(arithmetic(concat!($name, "_min"), U, &[T], Op::$op, CollectiveOp::MinU)),
            core(arithmetic(concat!($name, "_min"), FLOATS, &[T], Op::$op, CollectiveOp::Fmin)),
            core(arithmetic(concat!($name, "_max"), S, &[T], Op::$op, CollectiveOp::MaxS)),
            core(arithmetic(concat!($name, "_max"), U, &[T], Op::$op, CollectiveOp::MaxU)),
            core(arithmetic(concat!($name, "_max"), FLOATS, &[T], Op::$op, CollectiveOp::Fmax)),
            extended(arithmetic(concat!($name, "_add"), SMALL_INTS, &[T], Op::$op, CollectiveOp::Add)),
            extended(arithmetic(concat!($name, "_min"), SMALL_S, &[T], Op::$op, CollectiveOp::MinS)),
            extended(arithmetic(concat!($name, "_min"), SMALL_U, &[T], Op::$op, CollectiveOp::MinU)),
            extended(arithmetic(concat!($name, "_max"), SMALL_S, &[T], Op::$op, CollectiveOp::MaxS)),
            extended(arithmetic(concat!($name, "_max"), SMALL_U, &[T], Op::$op, CollectiveOp::MaxU)),
        ]
    };
}

/// Expands to the rows that `cl_intel_subgroups_char` and `cl_intel_subgroups_short` name otherwise.
macro_rules! small {
    ($name:literal, $op:ident) => {
        [
            together(arithmetic(concat!($name, "_add"), SMALL_INTS, &[T], Op::$op, CollectiveOp::Add)),
            together(arithmetic(concat!($name, "_min"), SMALL_S, &[T], Op::$op, CollectiveOp::MinS)),
            together(arithmetic(concat!($name, "_min"), SMALL_U, &[T], Op::$op, CollectiveOp::MinU)),
            together(arithmetic(concat!($name, "_max"), SMALL_S, &[T], Op::$op, CollectiveOp::MaxS)),
            together(arithmetic(concat!($name, "_max"), SMALL_U, &[T], Op::$op, CollectiveOp::MaxU)),
        ]
    };
}

/// Expands to the rows of one reduction or scan over those work-items that there are.
macro_rules! non_uniform {
    ($name:literal, $feature:ident, $op:ident, $params:expr, $truth:expr) => {
        [
            khr($feature, arithmetic(concat!($name, "_add"), INTS, $params, Op::$op, CollectiveOp::Add)),
            khr($feature, arithmetic(concat!($name, "_add"), FLOATS, $params, Op::$op, CollectiveOp::Fadd)),
            khr($feature, arithmetic(concat!($name, "_mul"), INTS, $params, Op::$op, CollectiveOp::Mul)),
            khr($feature, arithmetic(concat!($name, "_mul"), FLOATS, $params, Op::$op, CollectiveOp::Fmul)),
            khr($feature, arithmetic(concat!($name, "_min"), ALL_S, $params, Op::$op, CollectiveOp::MinS)),
            khr($feature, arithmetic(concat!($name, "_min"), ALL_U, $params, Op::$op, CollectiveOp::MinU)),
            khr($feature, arithmetic(concat!($name, "_min"), FLOATS, $params, Op::$op, CollectiveOp::Fmin)),
            khr($feature, arithmetic(concat!($name, "_max"), ALL_S, $params, Op::$op, CollectiveOp::MaxS)),
            khr($feature, arithmetic(concat!($name, "_max"), ALL_U, $params, Op::$op, CollectiveOp::MaxU)),
            khr($feature, arithmetic(concat!($name, "_max"), FLOATS, $params, Op::$op, CollectiveOp::Fmax)),
            khr($feature, arithmetic(concat!($name, "_and"), INTS, $params, Op::$op, CollectiveOp::And)),
            khr($feature, arithmetic(concat!($name, "_or"), INTS, $params, Op::$op, CollectiveOp::Or)),
            khr($feature, arithmetic(concat!($name, "_xor"), INTS, $params, Op::$op, CollectiveOp::Xor)),
            khr($feature, logical(concat!($name, "_logical_and"), $truth, Op::$op, CollectiveOp::And)),
            khr($feature, logical(concat!($name, "_logical_or"), $truth, Op::$op, CollectiveOp::Or)),
            khr($feature, logical(concat!($name, "_logical_xor"), $truth, Op::$op, CollectiveOp::Xor)),
        ]
    };
}

/// `sub_group_reduce_…`
pub static REDUCE: &[Row] = &uniform!("sub_group_reduce", SgReduce);
/// `sub_group_scan_inclusive_…`
pub static SCAN_INCLUSIVE: &[Row] = &uniform!("sub_group_scan_inclusive", SgScanInc);
/// `sub_group_scan_exclusive_…`
pub static SCAN_EXCLUSIVE: &[Row] = &uniform!("sub_group_scan_exclusive", SgScanExc);
/// `intel_sub_group_reduce_…`
pub static INTEL_REDUCE: &[Row] = &small!("intel_sub_group_reduce", SgReduce);
/// `intel_sub_group_scan_inclusive_…`
pub static INTEL_SCAN_INCLUSIVE: &[Row] = &small!("intel_sub_group_scan_inclusive", SgScanInc);
/// `intel_sub_group_scan_exclusive_…`
pub static INTEL_SCAN_EXCLUSIVE: &[Row] = &small!("intel_sub_group_scan_exclusive", SgScanExc);
/// `sub_group_non_uniform_reduce_…`
pub static NON_UNIFORM_REDUCE: &[Row] =
    &non_uniform!("sub_group_non_uniform_reduce", ARITHMETIC, SgReduce, &[T], &[INT]);
/// `sub_group_non_uniform_scan_inclusive_…`
pub static NON_UNIFORM_SCAN_INCLUSIVE: &[Row] =
    &non_uniform!("sub_group_non_uniform_scan_inclusive", ARITHMETIC, SgScanInc, &[T], &[INT]);
/// `sub_group_non_uniform_scan_exclusive_…`
pub static NON_UNIFORM_SCAN_EXCLUSIVE: &[Row] =
    &non_uniform!("sub_group_non_uniform_scan_exclusive", ARITHMETIC, SgScanExc, &[T], &[INT]);
/// `sub_group_clustered_reduce_…`; the size of the clusters comes last.
pub static CLUSTERED_REDUCE: &[Row] =
    &non_uniform!("sub_group_clustered_reduce", CLUSTERED, SgReduce, &[T, UINT], &[INT, UINT]);

/// Elements of `intel_sub_group_shuffle…`: with a vector of them, and alone.
const WIDE: Elems = Elems::INT.union(Elems::UINT).union(Elems::FLOAT).union(SMALL);
const ALONE: Elems = Elems::LONG.union(Elems::ULONG).union(Elems::HALF).union(Elems::DOUBLE);

const fn intel(row: Row) -> Row {
    khr("cl_intel_subgroups", row)
}

const fn together(row: Row) -> Row {
    intel(row.attr(Attrs::TOGETHER))
}

/// `intel_sub_group_shuffle…` of `cl_intel_subgroups`, and of those that add types.
pub static INTEL_SHUFFLES: &[Row] = &[
    together(row("intel_sub_group_broadcast", SMALL, Widths::W1, T, &[T, UINT], SubGroupFn::Shuffle)),
    intel(row("intel_sub_group_shuffle", WIDE, Widths::ANY, T, &[T, UINT], SubGroupFn::Shuffle)),
    intel(row("intel_sub_group_shuffle", ALONE, Widths::W1, T, &[T, UINT], SubGroupFn::Shuffle)),
    intel(row("intel_sub_group_shuffle_xor", WIDE, Widths::ANY, T, &[T, UINT], SubGroupFn::ShuffleXor)),
    intel(row("intel_sub_group_shuffle_xor", ALONE, Widths::W1, T, &[T, UINT], SubGroupFn::ShuffleXor)),
    intel(row("intel_sub_group_shuffle_up", WIDE, Widths::ANY, T, &[T, T, UINT], SubGroupFn::ShuffleUp)),
    intel(row("intel_sub_group_shuffle_up", ALONE, Widths::W1, T, &[T, T, UINT], SubGroupFn::ShuffleUp)),
    intel(row("intel_sub_group_shuffle_down", WIDE, Widths::ANY, T, &[T, T, UINT], SubGroupFn::ShuffleDown)),
    intel(row("intel_sub_group_shuffle_down", ALONE, Widths::W1, T, &[T, T, UINT], SubGroupFn::ShuffleDown)),
];

/// Expands to reads and writes of blocks of one type of elements, of one and of several widths: in memory and, by the
/// functions of this name, in images.
macro_rules! blocks {
    ($suffix:literal, $image:literal, $elem:ident, $($n:literal $number:literal $width:ident),*) => {
        [$(
            block_read(concat!("intel_sub_group_block_read", $suffix, $n), Elems::$elem, Widths::$width, FROM_GLOBAL),
            block_read(concat!("intel_sub_group_block_read", $suffix, $n), Elems::$elem, Widths::$width, FROM_LOCAL),
            block_write(concat!("intel_sub_group_block_write", $suffix, $n), Elems::$elem, Widths::$width, TO_GLOBAL),
            block_write(concat!("intel_sub_group_block_write", $suffix, $n), Elems::$elem, Widths::$width, TO_LOCAL),
            image_block(
                concat!("intel_sub_group_block_read", $suffix, $n), Elems::$elem, Widths::$width, T, FROM_IMAGE,
                concat!("block_read_", $image, $number),
            ),
            image_block(
                concat!("intel_sub_group_block_write", $suffix, $n), Elems::$elem, Widths::$width, Pat::Void, TO_IMAGE,
                concat!("block_write_", $image, $number),
            ),
        )*]
    };
}

const INT2: Pat = Pat::V(Elem::Int, 2);
const FROM_IMAGE: &[Pat] = &[Pat::Image(ImageShape::D2, Accesses::READ.union(Accesses::READ_WRITE)), INT2];
const TO_IMAGE: &[Pat] = &[Pat::Image(ImageShape::D2, Accesses::WRITE.union(Accesses::READ_WRITE)), INT2, T];

const fn image_block(
    name: &'static str,
    elems: Elems,
    widths: Widths,
    ret: Pat,
    params: &'static [Pat],
    function: &'static str,
) -> Row {
    intel(Row::new(name, elems, widths, ret, params, Body::Cl { file: "image/block.cl", function }))
}

const FROM_GLOBAL: &[Pat] = &[Pat::Ptr(&Pat::E, Spaces::GLOBAL, Quals::CONST)];
const FROM_LOCAL: &[Pat] = &[Pat::Ptr(&Pat::E, Spaces::LOCAL, Quals::CONST)];
const TO_GLOBAL: &[Pat] = &[Pat::Ptr(&Pat::E, Spaces::GLOBAL, Quals::empty()), T];
const TO_LOCAL: &[Pat] = &[Pat::Ptr(&Pat::E, Spaces::LOCAL, Quals::empty()), T];

const fn block_read(name: &'static str, elems: Elems, widths: Widths, from: &'static [Pat]) -> Row {
    together(row(name, elems, widths, T, from, SubGroupFn::BlockRead))
}

const fn block_write(name: &'static str, elems: Elems, widths: Widths, to: &'static [Pat]) -> Row {
    together(row(name, elems, widths, Pat::Void, to, SubGroupFn::BlockWrite))
}

/// Blocks of `uint`, by both names.
pub static BLOCKS: &[Row] = &blocks!("", "ui", UINT, "" "1" W1, "2" "2" W2, "4" "4" W4, "8" "8" W8);
/// The same, by the names of `cl_intel_subgroups_short`.
pub static BLOCKS_UINT: &[Row] = &blocks!("_ui", "ui", UINT, "" "1" W1, "2" "2" W2, "4" "4" W4, "8" "8" W8);
/// Blocks of `uchar`: `cl_intel_subgroups_char`.
pub static BLOCKS_UCHAR: &[Row] =
    &blocks!("_uc", "uc", UCHAR, "" "1" W1, "2" "2" W2, "4" "4" W4, "8" "8" W8, "16" "16" W16);
/// Blocks of `ushort`: `cl_intel_subgroups_short`.
pub static BLOCKS_USHORT: &[Row] =
    &blocks!("_us", "us", USHORT, "" "1" W1, "2" "2" W2, "4" "4" W4, "8" "8" W8, "16" "16" W16);
/// Blocks of `ulong`: `cl_intel_subgroups_long`.
pub static BLOCKS_ULONG: &[Row] = &blocks!("_ul", "ul", ULONG, "" "1" W1, "2" "2" W2, "4" "4" W4, "8" "8" W8);
