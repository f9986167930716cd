//! Atomic functions of OpenCL C 2.0 on objects of atomic types, with and without explicit memory order and scope.

use crate::builtin::{AtomicFn, Body, Elem, Elems, Pat, Quals, Row, Spaces, Special, Widths};
use crate::ir::op::{Op, RmwOp};

const T: Pat = Pat::T;
/// `volatile A *`
const A: Pat = Pat::Ptr(&Pat::Atomic, Spaces::ATOMIC, Quals::VOLATILE);
const FLAG: Pat = Pat::Ptr(&Pat::Flag, Spaces::ATOMIC, Quals::VOLATILE);
/// `C *expected`
const EXPECTED: Pat = Pat::Ptr(&T, Spaces::WRITABLE, Quals::empty());
/// `memory_order` and `memory_scope` are enumerations; their enumerators convert to `int`.
const E: Pat = Pat::S(Elem::Int);
const BOOL: Pat = Pat::S(Elem::Int);

const WORDS: Elems = Elems::INT.union(Elems::UINT).union(Elems::FLOAT);
const LONGS: Elems = Elems::LONG.union(Elems::ULONG).union(Elems::DOUBLE);
const SEQ_CST: &str = "__opencl_c_atomic_order_seq_cst";
const DEVICE: &str = "__opencl_c_atomic_scope_device";
const INT64: &str = "cl_khr_int64_extended_atomics";

/// Without explicit order: sequentially consistent, device scope.
const fn plain(name: &'static str, elems: Elems, ret: Pat, params: &'static [Pat], what: AtomicFn) -> Row {
    Row::new(name, elems, Widths::W1, ret, params, Body::Special(Special::Atomic(what)))
        .since(200)
        .feature(if is_long(elems) { INT64 } else { SEQ_CST })
        .cite("Atomic Functions")
}

/// With explicit order, without scope: device scope.
const fn ordered(name: &'static str, elems: Elems, ret: Pat, params: &'static [Pat], what: AtomicFn) -> Row {
    plain(name, elems, ret, params, what).feature(if is_long(elems) { INT64 } else { DEVICE })
}

/// With explicit order and scope.
const fn scoped(name: &'static str, elems: Elems, ret: Pat, params: &'static [Pat], what: AtomicFn) -> Row {
    let row = plain(name, elems, ret, params, what);
    if is_long(elems) { row } else { row.no_feature() }
}

const fn is_long(elems: Elems) -> bool {
    elems.intersects(LONGS)
}

macro_rules! rows {
    ($($elems:expr, $ret:expr, $name:literal, [$($param:expr),*], [$($order:expr),*], $what:expr;)*) => {
        &[$(
            plain($name, $elems, $ret, &[$($param),*], $what),
            ordered(concat!($name, "_explicit"), $elems, $ret, &[$($param,)* $($order),*], $what),
            scoped(concat!($name, "_explicit"), $elems, $ret, &[$($param,)* $($order,)* E], $what),
        )*]
    };
}

const fn rmw(op: RmwOp) -> AtomicFn {
    AtomicFn::Rmw(op)
}

const INT: Elems = Elems::INT;
const UINT: Elems = Elems::UINT;
const LONG: Elems = Elems::LONG;
const ULONG: Elems = Elems::ULONG;
const FLOAT: Elems = Elems::FLOAT;
const DOUBLE: Elems = Elems::DOUBLE;
const INTS: Elems = INT.union(UINT);
const LONG_INTS: Elems = LONG.union(ULONG);

/// `atomic_init`, which is not atomic and has no explicit form.
pub static INIT: &[Row] = &[
    plain("atomic_init", WORDS, Pat::Void, &[A, T], AtomicFn::Init).no_feature(),
    plain("atomic_init", LONGS, Pat::Void, &[A, T], AtomicFn::Init),
];

/// Rows.
pub static ROWS: &[Row] = rows! {
    WORDS, Pat::Void, "atomic_store", [A, T], [E], AtomicFn::Store;
    LONGS, Pat::Void, "atomic_store", [A, T], [E], AtomicFn::Store;
    WORDS, T, "atomic_load", [A], [E], AtomicFn::Load;
    LONGS, T, "atomic_load", [A], [E], AtomicFn::Load;
    WORDS, T, "atomic_exchange", [A, T], [E], rmw(RmwOp::Xchg);
    LONGS, T, "atomic_exchange", [A, T], [E], rmw(RmwOp::Xchg);
    WORDS, BOOL, "atomic_compare_exchange_strong", [A, EXPECTED, T], [E, E], AtomicFn::CompareExchange;
    LONGS, BOOL, "atomic_compare_exchange_strong", [A, EXPECTED, T], [E, E], AtomicFn::CompareExchange;
    WORDS, BOOL, "atomic_compare_exchange_weak", [A, EXPECTED, T], [E, E], AtomicFn::CompareExchange;
    LONGS, BOOL, "atomic_compare_exchange_weak", [A, EXPECTED, T], [E, E], AtomicFn::CompareExchange;
    INTS, T, "atomic_fetch_add", [A, T], [E], rmw(RmwOp::Add);
    LONG_INTS, T, "atomic_fetch_add", [A, T], [E], rmw(RmwOp::Add);
    INTS, T, "atomic_fetch_sub", [A, T], [E], rmw(RmwOp::Sub);
    LONG_INTS, T, "atomic_fetch_sub", [A, T], [E], rmw(RmwOp::Sub);
    INTS, T, "atomic_fetch_or", [A, T], [E], rmw(RmwOp::Or);
    LONG_INTS, T, "atomic_fetch_or", [A, T], [E], rmw(RmwOp::Or);
    INTS, T, "atomic_fetch_xor", [A, T], [E], rmw(RmwOp::Xor);
    LONG_INTS, T, "atomic_fetch_xor", [A, T], [E], rmw(RmwOp::Xor);
    INTS, T, "atomic_fetch_and", [A, T], [E], rmw(RmwOp::And);
    LONG_INTS, T, "atomic_fetch_and", [A, T], [E], rmw(RmwOp::And);
    INT, T, "atomic_fetch_min", [A, T], [E], rmw(RmwOp::MinS);
    UINT, T, "atomic_fetch_min", [A, T], [E], rmw(RmwOp::MinU);
    LONG, T, "atomic_fetch_min", [A, T], [E], rmw(RmwOp::MinS);
    ULONG, T, "atomic_fetch_min", [A, T], [E], rmw(RmwOp::MinU);
    INT, T, "atomic_fetch_max", [A, T], [E], rmw(RmwOp::MaxS);
    UINT, T, "atomic_fetch_max", [A, T], [E], rmw(RmwOp::MaxU);
    LONG, T, "atomic_fetch_max", [A, T], [E], rmw(RmwOp::MaxS);
    ULONG, T, "atomic_fetch_max", [A, T], [E], rmw(RmwOp::MaxU);
    // cl_ext_float_atomics.
    FLOAT, T, "atomic_fetch_add", [A, T], [E], rmw(RmwOp::Fadd);
    DOUBLE, T, "atomic_fetch_add", [A, T], [E], rmw(RmwOp::Fadd);
    FLOAT, T, "atomic_fetch_sub", [A, T], [E], AtomicFn::FloatSub;
    DOUBLE, T, "atomic_fetch_sub", [A, T], [E], AtomicFn::FloatSub;
    FLOAT, T, "atomic_fetch_min", [A, T], [E], AtomicFn::FloatMinMax(Op::Fmin);
    DOUBLE, T, "atomic_fetch_min", [A, T], [E], AtomicFn::FloatMinMax(Op::Fmin);
    FLOAT, T, "atomic_fetch_max", [A, T], [E], AtomicFn::FloatMinMax(Op::Fmax);
    DOUBLE, T, "atomic_fetch_max", [A, T], [E], AtomicFn::FloatMinMax(Op::Fmax);
    INT, BOOL, "atomic_flag_test_and_set", [FLAG], [E], AtomicFn::TestAndSet;
    INT, Pat::Void, "atomic_flag_clear", [FLAG], [E], AtomicFn::Clear;
};
