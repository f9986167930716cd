//! Proves that operand and result types follow the op table and each op's own rule, that branch arguments match the
//! parameters of their blocks, and that calls and returns match signatures.

use super::List;
use crate::ir::entity::Inst;
use crate::ir::func::{Func, InstData, Term};
use crate::ir::module::Module;
use crate::ir::op::{Imm, Op, RmwOp, TypeRule};
use crate::ir::ty::{Scalar, Type};
use crate::launch::AddrSpace;
use rustc_hash::FxHashSet;

/// Checks instructions and terminators.
pub(super) fn func(module: &Module, func: &Func, out: &mut List) {
    let entry = &func.blocks[func.entry()].params;
    if entry.len() != func.params.len() || entry.iter().zip(&func.params).any(|(v, ty)| func.ty(*v) != *ty) {
        out.head("the entry block's parameters are not the function's");
    }
    for &b in &func.layout {
        for &p in &func.blocks[b].params {
            if let Err(message) = legal(func.ty(p)) {
                out.label(b, message);
            }
        }
        for &i in &func.blocks[b].insts {
            if let Err(message) = inst(module, func, i) {
                out.inst(i, message);
            }
        }
        let term = &func.blocks[b].term;
        match term {
            Term::Br { cond, .. } if func.ty(*cond) != Type::I1 => {
                out.term(b, format!("the condition is {}, not i1", func.ty(*cond)));
            }
            Term::Switch { value, cases, .. } => {
                let ty = func.ty(*value);
                let mut seen = FxHashSet::default();
                if !ty.is_int() || ty.is_vector() {
                    out.term(b, format!("switch on {ty}"));
                } else if let Some((bits, _)) = cases.iter().find(|(bits, _)| *bits & !mask(ty.elem) != 0) {
                    out.term(b, format!("case {bits} does not fit {ty}"));
                } else if let Some((bits, _)) = cases.iter().find(|(bits, _)| !seen.insert(*bits)) {
                    out.term(b, format!("case {bits} is there twice"));
                }
            }
            Term::Ret(v) => {
                let got = v.map(|v| func.ty(v));
                if got != func.ret {
                    out.term(b, format!("returns {}, not {}", name(got), name(func.ret)));
                }
            }
            _ => {}
        }
        term.for_each_target(|t| {
            let params = &func.blocks[t.block].params;
            if params.len() != t.args.len() {
                out.term(b, format!("{} takes {} arguments, not {}", t.block, params.len(), t.args.len()));
            }
            for (v, p) in t.args.iter().zip(params) {
                if func.ty(*v) != func.ty(*p) {
                    out.term(b, format!("{v} is {}, parameter {p} of {} is {}", func.ty(*v), t.block, func.ty(*p)));
                }
            }
        });
    }
}

type Check = Result<(), String>;

fn name(ty: Option<Type>) -> String {
    ty.map_or("nothing".into(), |ty| ty.to_string())
}

fn mask(elem: Scalar) -> u64 {
    if elem.bits() == 64 { u64::MAX } else { (1 << elem.bits()) - 1 }
}

fn ensure(ok: bool, message: impl FnOnce() -> String) -> Check {
    if ok { Ok(()) } else { Err(message()) }
}

/// A type that exists.
fn legal(ty: Type) -> Check {
    let lanes = matches!(ty.lanes, 1 | 2 | 3 | 4 | 8 | 16 | 32 | 64);
    ensure(lanes && !(ty.is_ptr() && ty.is_vector()), || format!("there is no type {ty}"))
}

fn inst(module: &Module, func: &Func, i: Inst) -> Check {
    let data = &func.insts[i];
    let args: Vec<Type> = data.args.iter().map(|v| func.ty(*v)).collect();
    let ret = data.result.map(|v| func.ty(v));
    if let Some(ty) = ret {
        legal(ty)?;
    }
    match data.op.row().rule {
        TypeRule::Same => {
            let ty = ret.unwrap_or(Type::I1);
            ensure(args.iter().all(|a| *a == ty), || format!("operands are not all {ty}"))?;
        }
        TypeRule::Compare => {
            ensure(args[0] == args[1], || format!("compares {} with {}", args[0], args[1]))?;
            let want = Type::I1.with_lanes(args[0].lanes);
            ensure(ret == Some(want), || format!("the result is not {want}"))?;
        }
        TypeRule::Select => {
            let ty = ret.unwrap_or(Type::I1);
            let cond = args[0].elem == Scalar::I1 && (args[0].lanes == 1 || args[0].lanes == ty.lanes);
            ensure(cond, || format!("the condition is {}", args[0]))?;
            ensure(args[1] == ty && args[2] == ty, || format!("operands are not both {ty}"))?;
        }
        TypeRule::None | TypeRule::Explicit => {}
    }
    own_rule(module, func, data, &args, ret)
}

/// The rule of each op beyond the table's.
fn own_rule(module: &Module, func: &Func, data: &InstData, args: &[Type], ret: Option<Type>) -> Check {
    // Rows without a result never look at it.
    let ty = ret.unwrap_or(Type::I1);
    let ptr_operand = |n: usize| ensure(args[n].is_ptr(), || format!("operand {n} is {}, not a pointer", args[n]));
    let want = |n: usize, t: Type| ensure(args[n] == t, || format!("operand {n} is {}, not {t}", args[n]));
    let result = |t: Type| ensure(ret == Some(t), || format!("the result is {}, not {t}", name(ret)));
    // The vectoriser's variables may be masks, and conditions that are the same in all lanes.
    let is_stored = |t: Type| t.elem != Scalar::I1 || func.is_lanes;
    let in_memory = |t: Type| ensure(is_stored(t), || format!("{t} is never in memory"));
    let vector = |t: Type| ensure(t.is_vector(), || format!("{t} is no vector"));
    let mask_operand = |n: usize, of: Option<Type>| {
        let ok = args[n].elem == Scalar::I1 && args[n].is_vector() && of.is_none_or(|t| t.lanes == args[n].lanes);
        ensure(ok, || {
            format!("operand {n} is {}, no mask{}", args[n], of.map_or(String::new(), |t| format!(" for {t}")))
        })
    };
    let index_operand = |n: usize, of: Type| {
        let ok = matches!(args[n].elem, Scalar::I32 | Scalar::I64) && args[n].lanes == of.lanes;
        ensure(ok, || format!("operand {n} is {}, no indices for {of}", args[n]))
    };
    let convert =
        |ok: bool| ensure(ok && args[0].lanes == ty.lanes, || format!("no conversion from {} to {ty}", args[0]));
    let width = |t: Type| t.elem.bits();
    match data.op {
        Op::Const => match data.imm {
            Imm::Bits(bits) => ensure(bits & !mask(ty.elem) == 0, || format!("the bits {bits:#x} do not fit {ty}")),
            _ => Ok(()),
        },
        Op::Undef => Ok(()),
        Op::SlotAddr => result(Type::ptr(AddrSpace::Private)),
        Op::LocalAddr => result(Type::ptr(AddrSpace::Local)),
        Op::GlobalAddr => match data.imm {
            Imm::Global(id) => result(Type::ptr(module.globals[id].space)),
            _ => Ok(()),
        },
        Op::And | Op::Or | Op::Xor | Op::Not => ensure(ty.is_int(), || format!("no such operation on {ty}")),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::MulHiS
        | Op::MulHiU
        | Op::DivS
        | Op::DivU
        | Op::RemS
        | Op::RemU
        | Op::Neg
        | Op::Shl
        | Op::Lshr
        | Op::Ashr
        | Op::Rotl
        | Op::Clz
        | Op::Ctz
        | Op::Popcnt
        | Op::Bitrev
        | Op::Bswap
        | Op::MinS
        | Op::MinU
        | Op::MaxS
        | Op::MaxU
        | Op::AbsS
        | Op::AddSatS
        | Op::AddSatU
        | Op::SubSatS
        | Op::SubSatU
        | Op::HaddS
        | Op::HaddU
        | Op::RhaddS
        | Op::RhaddU => ensure(ty.is_int() && ty.elem != Scalar::I1, || format!("no such operation on {ty}")),
        Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us | Op::Dot2S => {
            ensure(ty.elem == Scalar::I32, || format!("no such operation on {ty}"))
        }
        Op::Icmp => ensure(args[0].is_int() || args[0].is_ptr(), || format!("icmp on {}", args[0])),
        Op::Fadd
        | Op::Fsub
        | Op::Fmul
        | Op::Fdiv
        | Op::Frem
        | Op::Fma
        | Op::Fneg
        | Op::Fabs
        | Op::Copysign
        | Op::Apart
        | Op::Sqrt
        | Op::Ceil
        | Op::Floor
        | Op::Trunc
        | Op::Rint
        | Op::Fmin
        | Op::Fmax => ensure(ty.is_float(), || format!("no such operation on {ty}")),
        Op::Fcmp => ensure(args[0].is_float(), || format!("fcmp on {}", args[0])),
        Op::Trunci => convert(args[0].is_int() && ty.is_int() && width(ty) < width(args[0])),
        Op::Sext | Op::Zext => convert(args[0].is_int() && ty.is_int() && width(ty) > width(args[0])),
        Op::Fptrunc => convert(args[0].is_float() && ty.is_float() && width(ty) < width(args[0])),
        Op::Fpext => convert(args[0].is_float() && ty.is_float() && width(ty) > width(args[0])),
        Op::Fptosi | Op::Fptoui => convert(args[0].is_float() && ty.is_int() && ty.elem != Scalar::I1),
        Op::Sitofp | Op::Uitofp => convert(args[0].is_int() && args[0].elem != Scalar::I1 && ty.is_float()),
        Op::Bitcast => {
            let plain = |t: Type| (t.is_int() && t.elem != Scalar::I1) || t.is_float();
            let ok = plain(args[0]) && plain(ty) && args[0].bytes() == ty.bytes();
            ensure(ok, || format!("no bitcast from {} to {ty}", args[0]))
        }
        Op::PtrToInt => ptr_operand(0).and(result(Type::I64)),
        Op::IntToPtr => want(0, Type::I64).and(ensure(ty.is_ptr(), || format!("the result is {ty}, not a pointer"))),
        Op::Element => ptr_operand(0).and(want(1, Type::I64)).and(want(2, Type::I64)).and(result(args[0])),
        Op::AsCast => ptr_operand(0).and(ensure(ty.is_ptr(), || format!("the result is {ty}, not a pointer"))),
        Op::Select => Ok(()),
        Op::Build => {
            ensure(ty.is_vector() && args.len() == usize::from(ty.lanes), || {
                format!("{} operands for {ty}", args.len())
            })?;
            (0..args.len()).try_for_each(|n| want(n, ty.lane()))
        }
        Op::Splat => ensure(ty.is_vector(), || format!("splat to {ty}")).and(want(0, ty.lane())),
        Op::Extract => lane(data, args[0]).and(result(args[0].lane())),
        Op::Insert => lane(data, ty).and(want(0, ty)).and(want(1, ty.lane())),
        Op::Shuffle => {
            let Imm::Lanes(lanes) = &data.imm else { return Ok(()) };
            want(1, args[0])?;
            ensure(args[0].is_vector(), || format!("shuffle of {}", args[0]))?;
            result(args[0].with_lanes(ty.lanes))?;
            let ok = lanes.len() == usize::from(ty.lanes)
                && lanes.iter().all(|l| u16::from(*l) < 2 * u16::from(args[0].lanes));
            ensure(ok, || "lanes out of range".into())
        }
        Op::ExtractDyn => want(1, Type::I32).and(result(args[0].lane())),
        Op::Iota => ensure(ty.is_vector() && ty.is_int() && ty.elem != Scalar::I1, || format!("iota of {ty}")),
        Op::MaskAny | Op::MaskAll => mask_operand(0, None).and(result(Type::I1)),
        Op::MaskBits => mask_operand(0, None).and(result(Type::I64)),
        Op::Reduce | Op::ReduceTree => {
            let Imm::Collective(op) = data.imm else { return Ok(()) };
            let halves = data.op == Op::Reduce || args[0].lanes.is_power_of_two();
            ensure(halves, || format!("no halves of {}", args[0]))?;
            ensure(args[0].is_vector() && ty.elem != Scalar::I1 && ty.is_float() == op.is_float(), || {
                format!("no such operation on {}", args[0])
            })?;
            result(args[0].lane())
        }
        Op::Permute => {
            ensure(args[0].is_vector() && args[0].lanes.is_power_of_two(), || format!("permutation of {}", args[0]))?;
            let picked = Type { lanes: args[2].lanes, ..args[0] };
            ensure(picked.lanes <= args[0].lanes, || format!("{} picks from {}", args[2], args[0]))?;
            result(picked).and(want(1, args[0])).and(want(2, picked.with_elem(picked.elem.as_int())))
        }
        Op::Swizzle => {
            let blocks = ty.elem == Scalar::I8 && ty.lanes.is_multiple_of(16);
            ensure(blocks, || format!("swizzle of {ty}"))?;
            want(0, ty).and(want(1, ty))
        }
        Op::Narrow => {
            let halves = args[0].is_int() && args[0].lanes.checked_mul(2) == Some(ty.lanes);
            ensure(halves && ty.is_int() && ty.elem.bits() * 2 == args[0].elem.bits(), || {
                format!("no narrowing of {} to {ty}", args[0])
            })?;
            want(1, args[0])
        }
        Op::LoadMasked => {
            ptr_operand(0).and(vector(ty)).and(in_memory(ty)).and(mask_operand(1, Some(ty))).and(want(2, ty))
        }
        Op::StoreMasked => {
            ptr_operand(0).and(vector(args[1])).and(in_memory(args[1])).and(mask_operand(2, Some(args[1])))
        }
        Op::Gather => {
            ptr_operand(0).and(vector(ty)).and(in_memory(ty))?;
            index_operand(1, ty).and(mask_operand(2, Some(ty))).and(want(3, ty))
        }
        Op::Scatter => {
            ptr_operand(0).and(vector(args[2])).and(in_memory(args[2]))?;
            index_operand(1, args[2]).and(mask_operand(3, Some(args[2])))
        }
        Op::PtrAdd => ptr_operand(0).and(want(1, Type::I64)).and(result(args[0])),
        Op::PtrOff | Op::LocalBase => ptr_operand(0).and(result(args[0])),
        Op::IsLocal | Op::IsPrivate => {
            ensure(args.len() <= 2 && args.iter().all(|a| a.is_ptr()), || "operands are no pointers".into())?;
            result(Type::I1)
        }
        Op::Load => ptr_operand(0).and(in_memory(ty)),
        Op::Prefetch => ptr_operand(0),
        Op::Store => ptr_operand(0).and(in_memory(args[1])),
        Op::Memcpy => ptr_operand(0).and(ptr_operand(1)).and(want(2, Type::I64)),
        Op::Memset => ptr_operand(0).and(want(1, Type::I8)).and(want(2, Type::I64)),
        Op::AtomicLoad => ptr_operand(0).and(atomic(ty)),
        Op::AtomicStore => ptr_operand(0).and(atomic(args[1])),
        Op::AtomicRmw => {
            let float = matches!(data.imm, Imm::Rmw(RmwOp::Fadd));
            ensure(data.imm == Imm::Rmw(RmwOp::Xchg) || float == args[1].is_float(), || {
                format!("no such operation on {}", args[1])
            })?;
            ptr_operand(0).and(atomic(args[1])).and(result(args[1]))
        }
        Op::AtomicCas => ptr_operand(0).and(atomic(args[1])).and(want(2, args[1])).and(result(args[1])),
        Op::Fence | Op::SgBarrier | Op::SgMeet => Ok(()),
        Op::Barrier => (0..args.len()).try_for_each(|n| want(n, Type::I64)),
        Op::SgBallot => want(0, Type::I1).and(result(Type::I64)),
        Op::SgShuffle => {
            ensure(!ty.is_ptr() && ty.elem != Scalar::I1, || format!("shuffle of {ty}"))?;
            want(1, Type::I32).and(result(args[0]))
        }
        Op::SgReduce | Op::SgScanInc | Op::SgScanExc => {
            let op = match data.imm {
                Imm::Collective(op) => op,
                Imm::Cluster(op, n) if n == 0 || n.is_power_of_two() => op,
                _ => return Err("clusters of no power of two".into()),
            };
            ensure(!ty.is_ptr() && ty.elem != Scalar::I1 && ty.is_float() == op.is_float(), || {
                format!("no such operation on {ty}")
            })?;
            result(args[0])
        }
        Op::Lid | Op::Gid | Op::Grp | Op::Lsz | Op::Elsz | Op::Gsz | Op::Ngrp | Op::Goff => result(Type::I64),
        Op::WorkDim | Op::SgSize | Op::SgMax | Op::SgLid | Op::SgId | Op::SgNum | Op::SgEnum => result(Type::I32),
        Op::WgAll | Op::WgAny => want(0, Type::I1).and(result(Type::I1)),
        Op::WgBroadcast => want(1, Type::I64).and(result(args[0])),
        Op::WgReduce | Op::WgScanInc | Op::WgScanExc => {
            let Imm::Collective(op) = data.imm else { return Ok(()) };
            ensure(!ty.is_ptr() && !ty.is_vector() && ty.is_float() == op.is_float(), || {
                format!("no such operation on {ty}")
            })?;
            result(args[0])
        }
        Op::AsyncCopy => {
            ensure(matches!(args.len(), 9 | 10), || format!("{} operands", args.len()))?;
            ptr_operand(0).and(ptr_operand(1))?;
            (2..args.len()).try_for_each(|n| want(n, Type::I64))
        }
        Op::Printf => {
            let constant = Type::ptr(AddrSpace::Constant);
            want(0, constant).and(want(1, constant)).and(want(2, Type::ptr(AddrSpace::Private))).and(result(Type::I32))
        }
        Op::Device => {
            want(0, Type::ptr(AddrSpace::Private))?;
            want(1, Type::ptr(AddrSpace::Generic)).and(want(2, Type::ptr(AddrSpace::Generic)))?;
            want(3, Type::ptr(AddrSpace::Private)).and(result(Type::I64))
        }
        Op::Clock => result(Type::I64),
        Op::CheckArg => want(0, Type::I64).and(want(1, Type::I64)).and(result(Type::I64)),
        Op::CheckObject => ptr_operand(0).and(want(1, Type::I64)).and(result(Type::I64)),
        Op::AsyncEvent => want(0, Type::I64).and(result(Type::I64)),
        Op::Track => ptr_operand(0),
        Op::Meet => want(0, Type::I64),
        Op::CheckReport => {
            ensure(args.len() == crate::check::FINDING_WORDS, || format!("{} operands", args.len()))?;
            (0..args.len()).try_for_each(|n| want(n, Type::I64))
        }
        Op::Call => {
            let Imm::Func(id) = data.imm else { return Ok(()) };
            let callee = &module.funcs[id];
            ensure(callee.params == args, || {
                let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
                format!("`{}` takes ({}), not ({})", callee.name, list(&callee.params), list(args))
            })?;
            ensure(callee.ret == ret, || format!("`{}` returns {}, not {}", callee.name, name(callee.ret), name(ret)))?;
            ensure(!std::ptr::eq(callee, func), || "calls itself".into())
        }
    }
}

fn lane(data: &InstData, vector: Type) -> Check {
    let Imm::Lane(n) = data.imm else { return Ok(()) };
    ensure(n < vector.lanes, || format!("no lane {n} in {vector}"))
}

/// Types of atomic objects.
fn atomic(ty: Type) -> Check {
    ensure(!ty.is_vector() && matches!(ty.elem.bits(), 32 | 64), || format!("no atomic access to {ty}"))
}
