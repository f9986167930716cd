//! The textual form of KIR: what dumps show, tests contain and `parse` reads back without loss.
//!
//! ```text
//! global g0 "table": const size 8 align 4 = x"0000803f"
//! local lv0 "tile" size 1024 align 16
//! info @saxpy block 24 { arg "a" "float" value offset 0 size 4; arg "x" "float*" buffer global offset 8 size 8 const }
//! func @saxpy(f32, ptr<global>) kernel {
//!   slot0 "tmp" size 4 align 4
//! b0(%0: f32, %1: ptr<global>):
//!   %2: i64 = gid 0
//!   %3: ptr<global> = ptr.add %1, %2 * 4 + 0
//!   %4: f32 = load %3 {align 4}
//!   %5: i32 = const 7
//!   %6: i1 = fcmp.olt %4, %0
//!   br %6, b1, b2(%4)
//! …
//! }
//! ```
//! `;` starts a comment. Values and blocks may have any names on input; they are numbered in order of appearance.
//! Numbers of globals, local variables and slots are their places in the list. Constants are decimal (signed) or `0x`
//! bits; floats are the shortest decimal that reads back exactly. A source span is `!lo..hi` at the end of an
//! instruction. Start with `write`; `parse` mirrors it.

pub mod lex;
pub mod parse;
pub mod write;

pub use parse::{ParseError, parse};

use super::collective::CollectiveOp;
use super::op::{Flags, FloatPred, IntPred, Order, RmwOp, Rounding, Scope};

/// Names of integer predicates.
const INT_PREDS: &[(IntPred, &str)] = &[
    (IntPred::Eq, "eq"),
    (IntPred::Ne, "ne"),
    (IntPred::SLt, "slt"),
    (IntPred::SLe, "sle"),
    (IntPred::SGt, "sgt"),
    (IntPred::SGe, "sge"),
    (IntPred::ULt, "ult"),
    (IntPred::ULe, "ule"),
    (IntPred::UGt, "ugt"),
    (IntPred::UGe, "uge"),
];

/// Names of float predicates.
const FLOAT_PREDS: &[(FloatPred, &str)] = &[
    (FloatPred::OEq, "oeq"),
    (FloatPred::ONe, "one"),
    (FloatPred::OLt, "olt"),
    (FloatPred::OLe, "ole"),
    (FloatPred::OGt, "ogt"),
    (FloatPred::OGe, "oge"),
    (FloatPred::Ord, "ord"),
    (FloatPred::UEq, "ueq"),
    (FloatPred::UNe, "une"),
    (FloatPred::ULt, "ult"),
    (FloatPred::ULe, "ule"),
    (FloatPred::UGt, "ugt"),
    (FloatPred::UGe, "uge"),
    (FloatPred::Uno, "uno"),
];

/// Names of read-modify-write operations.
const RMW_OPS: &[(RmwOp, &str)] = &[
    (RmwOp::Add, "add"),
    (RmwOp::Sub, "sub"),
    (RmwOp::And, "and"),
    (RmwOp::Or, "or"),
    (RmwOp::Xor, "xor"),
    (RmwOp::Xchg, "xchg"),
    (RmwOp::MinS, "min.s"),
    (RmwOp::MinU, "min.u"),
    (RmwOp::MaxS, "max.s"),
    (RmwOp::MaxU, "max.u"),
    (RmwOp::Fadd, "fadd"),
];

/// Names of collective operations.
const COLLECTIVES: &[(CollectiveOp, &str)] = &[
    (CollectiveOp::Add, "add"),
    (CollectiveOp::MinS, "min.s"),
    (CollectiveOp::MinU, "min.u"),
    (CollectiveOp::MaxS, "max.s"),
    (CollectiveOp::MaxU, "max.u"),
    (CollectiveOp::Fadd, "fadd"),
    (CollectiveOp::Fmin, "fmin"),
    (CollectiveOp::Fmax, "fmax"),
    (CollectiveOp::Mul, "mul"),
    (CollectiveOp::Fmul, "fmul"),
    (CollectiveOp::And, "and"),
    (CollectiveOp::Or, "or"),
    (CollectiveOp::Xor, "xor"),
];

/// Names of flags.
const FLAGS: &[(Flags, &str)] = &[
    (Flags::CONTRACT, "contract"),
    (Flags::THREE, "three"),
    (Flags::NNAN, "nnan"),
    (Flags::NSZ, "nsz"),
    (Flags::IN_RANGE, "range"),
    (Flags::ARCP, "arcp"),
    (Flags::NSW, "nsw"),
    (Flags::NUW, "nuw"),
    (Flags::VOLATILE, "volatile"),
    (Flags::INVARIANT, "inv"),
    (Flags::PURE, "pure"),
    (Flags::STREAM, "stream"),
    (Flags::DISJOINT, "disjoint"),
    (Flags::SHORT_S, "short.s"),
    (Flags::SHORT_U, "short.u"),
];

/// Names of rounding modes.
const ROUNDINGS: &[(Rounding, &str)] =
    &[(Rounding::Rte, "rte"), (Rounding::Rtz, "rtz"), (Rounding::Rtp, "rtp"), (Rounding::Rtn, "rtn")];

/// Names of memory orders.
const ORDERS: &[(Order, &str)] = &[
    (Order::Relaxed, "relaxed"),
    (Order::Acquire, "acquire"),
    (Order::Release, "release"),
    (Order::AcqRel, "acqrel"),
    (Order::SeqCst, "seqcst"),
];

/// Names of memory scopes.
const SCOPES: &[(Scope, &str)] = &[
    (Scope::WorkItem, "wi"),
    (Scope::SubGroup, "sg"),
    (Scope::WorkGroup, "wg"),
    (Scope::Device, "device"),
    (Scope::AllDevices, "all"),
];

/// The text name of a key; every variant has a row.
fn name_of<K: PartialEq>(table: &[(K, &'static str)], key: &K) -> &'static str {
    table.iter().find(|(k, _)| k == key).map_or("?", |(_, name)| name)
}

/// The key of a text name.
fn by_name<K: Copy>(table: &[(K, &'static str)], name: &str) -> Option<K> {
    table.iter().find(|(_, n)| *n == name).map(|(k, _)| *k)
}

#[cfg(test)]
mod tests {
    use super::parse;

    const ALL: &str = r#"global g0 "table": const size 24 align 8 = x"0102ff" { 8: g1 + 4, 16: g0 - 2 }
global g1 "": global size 4 align 4
local lv0 "tile" size 1024 align 16
info @k block 32 local 1024 private 16 reqd 8 4 1 hint 1 1 1 attributes "a \"b\"" agnostic {
  arg "x" "float*" buffer global offset 0 size 8 const restrict volatile
  arg "n" "int" value offset 8 size 4
  arg "l" "float*" local offset 16 size 8
  arg "c" "int*" buffer const offset 24 size 8
}
func @k(ptr<global>, i32, ptr<local>, ptr<const>) kernel lanes {
  slot0 "tmp" size 16 align 4
  slot1 "" size 8 align 8
b0(%0: ptr<global>, %1: i32, %2: ptr<local>, %3: ptr<const>):
  %4: i64 = gid 0
  %5: f32 = const 1.5
  %6: f64 = const 0x7ff8000000000000
  %7: f32x4 = const -0.0
  %8: i8 = const -1
  %9: i1 = const true
  %10: ptr<global> = ptr.add %0, %4 * 4 - 8
  %11: ptr<private> = slot.addr slot1
  %12: ptr<local> = local.addr lv0
  %13: ptr<const> = global.addr g0
  %14: f32 = load %10 {volatile align 4}
  %15: f32 = fadd %14, %5 {contract nnan rtz} !3..9
  %16: f16 = const 0.1
  %17: i1 = icmp.slt %1, %1
  %18: i32 = atomic.rmw.max.s %10, %1 {relaxed wg}
  %19: i32 = wg.scan.exc.add %1
  %20: f32x2 = shuffle %7, %7, [7 0]
  %21: f32 = extract %7, 3
  %22: ptr<private> = ptr.off %11, -4
  %23: i64 = call @"odd name"(%14, %4)
  barrier 3
  async.copy %12, %0, %4, %4, %4, %4, %4, %4, %4
  store %22, %15 {inv}
  %24: i32x64 = iota
  %25: i1x64 = icmp.slt %24, %24
  %26: i1 = mask.any %25
  %27: i1 = mask.all %25
  %28: i64 = mask.bits %25
  %29: i32 = reduce.add %24
  %30: i32x64 = load.masked %10, %25, %24
  store.masked %10, %30, %25 {align 4}
  %31: i32x64 = gather %10, %24, %25, %24 * 4 - 4
  scatter %10, %24, %31, %25 * 4 + 0
  switch %1, [1: b1(%15), 4294967295: b2], b1(%14)
b1(%32: f32):
  br %17, b1(%32), b2
b2:
  ret
}
declare @"odd name"(f32, i64) -> i64 builtin
func @g() -> f32 {
b0:
  jump b1(%1)
b1(%0: f32) rows:
  unreachable
b2 items:
  %1: f32 = const inf
  ret %1
}
"#;

    #[test]
    fn compact_drops_what_is_dead() {
        let mut module =
            parse("func @f(i32) -> i32 {\nb0(%a: i32):\n  %b: i32 = add %a, %a\n  %c: i32 = mul %a, %a\n  ret %c\n}\n")
                .unwrap();
        let func = module.funcs.values_mut().next().unwrap();
        func.blocks[super::super::Block(0)].insts.remove(0);
        func.compact();
        let want = "func @f(i32) -> i32 {\nb0(%0: i32):\n  %1: i32 = mul %0, %0\n  ret %1\n}\n";
        assert_eq!((func.to_string().as_str(), func.insts.len()), (want, 1));
    }

    #[test]
    fn round_trip() {
        let module = parse(ALL).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(module.to_string(), ALL);
        assert_eq!(parse(&module.to_string()).map(|m| m.to_string()), Ok(ALL.to_owned()));
    }

    #[test]
    fn errors_have_places() {
        for (text, want) in [
            ("func @f() {\nb0:\n  %1: i32 = nope\n  ret\n}\n", "3:13: unknown operation `nope`"),
            ("func @f() {\nb0:\n  %1: i32 = add %2, %2\n  ret\n}\n", "3:17: unknown value `%2`"),
            ("func @f() {\nb0:\n  jump b7\n}\n", "3:8: unknown block `b7`"),
            ("func @f() {\nb0:\n  ret\n", "4:1: expected `}`, found the end"),
            ("func @f() {\nb0:\n  %1: i32 = icmp.foo %1, %1\n", "3:13: unknown operation `icmp.foo`"),
            ("\n $", "2:2: expected a declaration, found `$`"),
            ("func @f() {\nb0:\n  call @g()\n ret }", "3:8: unknown function `g`"),
        ] {
            assert_eq!(parse(text).map(|m| m.to_string()).map_err(|e| e.to_string()), Err(want.to_owned()), "{text}");
        }
    }
}
