//! Atomic functions of OpenCL C 1.x: `atomic_*`, and `atom_*` from the extensions. Those of 2.0 are in `atomic_object`.

use crate::builtin::{Body, Elems, Pat, Quals, Row, Spaces, Special, Widths};
use crate::ir::op::RmwOp;

const T: Pat = Pat::T;
const AT: Pat = Pat::Ptr(&T, Spaces::ATOMIC, Quals::VOLATILE);
const WORD: Elems = Elems::INT.union(Elems::UINT);
const LONG: Elems = Elems::LONG.union(Elems::ULONG);
const BASE64: &str = "cl_khr_int64_base_atomics";
const EXT64: &str = "cl_khr_int64_extended_atomics";

const fn row(name: &'static str, elems: Elems, params: &'static [Pat], what: Special) -> Row {
    let body = Body::Special(what);
    Row::new(name, elems, Widths::W1, T, params, body).cite("Atomic Functions")
}

const fn rmw(op: RmwOp) -> Special {
    Special::AtomicRmw(op)
}

/// 32-bit forms: `atomic_*` since 1.1, `atom_*` for programs written against the 1.0 extensions.
const fn word(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    row(name, WORD, params, what)
}

const fn base(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    row(name, LONG, params, what).feature(BASE64)
}

const fn extended(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    row(name, LONG, params, what).feature(EXT64)
}

/// Rows.
pub static ROWS: &[Row] = &[
    word("atomic_add", &[AT, T], rmw(RmwOp::Add)).since(110),
    word("atomic_sub", &[AT, T], rmw(RmwOp::Sub)).since(110),
    word("atomic_xchg", &[AT, T], rmw(RmwOp::Xchg)).since(110),
    row("atomic_xchg", Elems::FLOAT, &[AT, T], rmw(RmwOp::Xchg)).since(110),
    word("atomic_inc", &[AT], rmw(RmwOp::Add)).since(110),
    word("atomic_dec", &[AT], rmw(RmwOp::Sub)).since(110),
    word("atomic_cmpxchg", &[AT, T, T], Special::AtomicCas).since(110),
    row("atomic_min", Elems::INT, &[AT, T], rmw(RmwOp::MinS)).since(110),
    row("atomic_min", Elems::UINT, &[AT, T], rmw(RmwOp::MinU)).since(110),
    row("atomic_max", Elems::INT, &[AT, T], rmw(RmwOp::MaxS)).since(110),
    row("atomic_max", Elems::UINT, &[AT, T], rmw(RmwOp::MaxU)).since(110),
    word("atomic_and", &[AT, T], rmw(RmwOp::And)).since(110),
    word("atomic_or", &[AT, T], rmw(RmwOp::Or)).since(110),
    word("atomic_xor", &[AT, T], rmw(RmwOp::Xor)).since(110),
    word("atom_add", &[AT, T], rmw(RmwOp::Add)),
    word("atom_sub", &[AT, T], rmw(RmwOp::Sub)),
    word("atom_xchg", &[AT, T], rmw(RmwOp::Xchg)),
    row("atom_xchg", Elems::FLOAT, &[AT, T], rmw(RmwOp::Xchg)),
    word("atom_inc", &[AT], rmw(RmwOp::Add)),
    word("atom_dec", &[AT], rmw(RmwOp::Sub)),
    word("atom_cmpxchg", &[AT, T, T], Special::AtomicCas),
    row("atom_min", Elems::INT, &[AT, T], rmw(RmwOp::MinS)),
    row("atom_min", Elems::UINT, &[AT, T], rmw(RmwOp::MinU)),
    row("atom_max", Elems::INT, &[AT, T], rmw(RmwOp::MaxS)),
    row("atom_max", Elems::UINT, &[AT, T], rmw(RmwOp::MaxU)),
    word("atom_and", &[AT, T], rmw(RmwOp::And)),
    word("atom_or", &[AT, T], rmw(RmwOp::Or)),
    word("atom_xor", &[AT, T], rmw(RmwOp::Xor)),
    base("atom_add", &[AT, T], rmw(RmwOp::Add)),
    base("atom_sub", &[AT, T], rmw(RmwOp::Sub)),
    base("atom_xchg", &[AT, T], rmw(RmwOp::Xchg)),
    base("atom_inc", &[AT], rmw(RmwOp::Add)),
    base("atom_dec", &[AT], rmw(RmwOp::Sub)),
    base("atom_cmpxchg", &[AT, T, T], Special::AtomicCas),
    row("atom_min", Elems::LONG, &[AT, T], rmw(RmwOp::MinS)).feature(EXT64),
    row("atom_min", Elems::ULONG, &[AT, T], rmw(RmwOp::MinU)).feature(EXT64),
    row("atom_max", Elems::LONG, &[AT, T], rmw(RmwOp::MaxS)).feature(EXT64),
    row("atom_max", Elems::ULONG, &[AT, T], rmw(RmwOp::MaxU)).feature(EXT64),
    extended("atom_and", &[AT, T], rmw(RmwOp::And)),
    extended("atom_or", &[AT, T], rmw(RmwOp::Or)),
    extended("atom_xor", &[AT, T], rmw(RmwOp::Xor)),
];
