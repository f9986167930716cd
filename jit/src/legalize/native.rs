//! OpenCL vectors that stay vectors: which ones. `lanes` then does their operations, on parts of 128 bits.
//!
//! A vector of 32-bit lanes is held as parts of 4 lanes, one of 64-bit lanes as parts of 2; the last part may have
//! lanes that mean nothing. A vector of booleans that goes with them is held as parts of all-ones and all-zeros
//! integers of their width. `choose` groups values that ops connect into webs and weighs for each web what 128-bit ops
//! save against what taking vectors apart and putting them together costs; only webs that gain become native.
//! Everything else falls apart into components, and values change form where the two worlds meet.

use super::{Legalizer, is_volatile, loop_weight};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Func, Inst, InstData, Op, Scalar, Type, Value};

/// Width in bits of a native web's lanes, by value; 0 for values held as components.
pub(super) type Choice = Vec<u8>;

/// Lane width in which a type may be native: 32, 64, 1 for booleans, 0 for none.
fn width(ty: Type) -> u8 {
    match ty.elem {
        _ if !ty.is_vector() => 0,
        Scalar::I1 => 1,
        Scalar::I32 | Scalar::F32 => 32,
        Scalar::I64 | Scalar::F64 => 64,
        _ => 0,
    }
}

/// Number of parts of a vector with lanes of this width.
fn n_parts(lanes: u8, width: u8) -> usize {
    usize::from(lanes).div_ceil(128 / usize::from(width))
}

/// True if parts have an op for this instruction. `func` is the function before legalisation.
fn has_parts(func: &Func, inst: &InstData) -> bool {
    use Op::*;
    let Some(result) = inst.result else { return false };
    let ty = func.ty(result);
    let from = inst.args.first().map_or(ty, |&a| func.ty(a));
    let (wide, source) = (width(ty), width(from));
    match inst.op {
        Fadd | Fsub | Fmul | Fdiv | Fma => ty.is_float() && wide > 1,
        Fneg | Fabs | Copysign | Sqrt | Ceil | Floor | Trunc | Rint | Fmin | Fmax => ty.is_float() && wide > 1,
        Fcmp => source > 1,
        Icmp => source > 1 && from.is_int(),
        And | Or | Xor | Not => wide > 0,
        Add | Sub | Neg | Bswap => wide > 1,
        Mul | MinS | MinU | MaxS | MaxU | AbsS => wide == 32,
        Dot4Uu | Dot4Ss | Dot4Us => wide == 32,
        Shl | Lshr | Ashr | Rotl => wide > 1 && uniform(func, inst.args[1]),
        Sext | Zext => source == 1 && wide > 1,
        Bitcast => wide > 1 && source > 1 && (wide == source || ty.bytes().is_multiple_of(16)),
        Sitofp | Uitofp => wide == 32 && source == 32,
        Fptosi | Fptoui => wide == 32 && source == 32,
        Select => wide > 0,
        MaskAny | MaskAll => source == 1,
        _ => false,
    }
}

/// True if all lanes of a vector are known to be one scalar.
fn uniform(func: &Func, v: Value) -> bool {
    func.def_inst(v).is_some_and(|d| matches!(d.op, Op::Const | Op::Splat))
}

/// Values connected by ops.
pub(super) struct Webs {
    parent: Vec<u32>,
}

impl Webs {
    /// Each value by itself.
    pub(super) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }
    pub(super) fn find(&mut self, v: Value) -> usize {
        let mut at = v.index();
        while self.parent[at] as usize != at {
            let up = self.parent[at] as usize;
            self.parent[at] = self.parent[up];
            at = self.parent[at] as usize;
        }
        at
    }
    pub(super) fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a] = b as u32;
    }
}

/// Decides which vectors are native.
pub(super) fn choose(func: &Func, cfg: &Cfg) -> Choice {
    let n = func.values.len();
    let mut choice = vec![0u8; n];
    if !func.values.values().any(|v| width(v.ty) > 1) {
        return choice;
    }
    let mut webs = Webs::new(n);
    let able = |v: Value| width(func.ty(v)) > 0;
    for &block in cfg.rpo() {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let Some(result) = inst.result.filter(|&r| able(r)) else { continue };
            let moves =
                matches!(inst.op, Op::Insert | Op::Shuffle) && func.ty(inst.args[0]).lanes == func.ty(result).lanes;
            if moves || has_parts(func, inst) {
                let operands = match inst.op {
                    Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl => &inst.args[..1],
                    // The parts are the same, whichever lanes they are seen as.
                    Op::Bitcast if width(func.ty(inst.args[0])) != width(func.ty(result)) => &[],
                    _ => &inst.args[..],
                };
                operands.iter().filter(|&&a| able(a)).for_each(|&a| webs.join(result, a));
            }
        }
        for t in func.blocks[block].term.targets() {
            for (&arg, &param) in t.args.iter().zip(&func.blocks[t.block].params) {
                if able(arg) {
                    webs.join(arg, param);
                }
            }
        }
    }
    let score = weigh(func, cfg, &mut webs);
    // A web has one lane width; booleans take that of their company.
    let mut widths = vec![0u8; n];
    for v in (0..n).map(Value::from_index) {
        let w = width(func.ty(v));
        let web = webs.find(v);
        if w > 1 {
            widths[web] = if widths[web] == 0 || widths[web] == w { w } else { u8::MAX };
        }
    }
    for v in (0..n).map(Value::from_index).filter(|&v| able(v)) {
        let web = webs.find(v);
        if score[web] > 0 && widths[web] != u8::MAX {
            choice[v.index()] = widths[web];
        }
    }
    choice
}

/// Instructions that each web saves if it is native, weighted by loop depth.
fn weigh(func: &Func, cfg: &Cfg, webs: &mut Webs) -> Vec<i64> {
    let loops = Loops::new(func, cfg, &Dominators::new(cfg));
    let mut score = vec![0i64; func.values.len()];
    let able = |v: Value| width(func.ty(v)) > 0;
    for &block in cfg.rpo() {
        let weight = loop_weight(&loops, block);
        let mut count = |v: Value, gain: i64| score[webs.find(v)] += gain * weight;
        let saved = |v: Value| {
            let ty = func.ty(v);
            i64::from(ty.lanes) - n_parts(ty.lanes, width(ty)) as i64
        };
        let lanes = |v: Value| i64::from(func.ty(v).lanes);
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            match inst.op {
                Op::Const | Op::Undef => {}
                Op::Load => {
                    if let Some(r) = inst.result.filter(|&r| able(r)) {
                        count(r, saved(r));
                    }
                }
                Op::Store if able(inst.args[1]) => count(inst.args[1], saved(inst.args[1])),
                Op::Splat | Op::Insert | Op::Shuffle | Op::Build => {
                    let Some(r) = inst.result.filter(|&r| able(r)) else { continue };
                    match inst.op {
                        Op::Build => count(r, -lanes(r)),
                        Op::Shuffle if func.ty(inst.args[0]).lanes == func.ty(r).lanes => {
                            count(r, -2 * n_parts(func.ty(r).lanes, width(func.ty(r))) as i64);
                        }
                        // Between vectors of different length: both sides fall apart.
                        Op::Shuffle => {
                            count(r, -lanes(r));
                            inst.args.iter().for_each(|&a| count(a, -lanes(r)));
                        }
                        _ => count(r, -1),
                    }
                }
                Op::Extract if able(inst.args[0]) => count(inst.args[0], -1),
                _ if has_parts(func, inst) => {
                    if let Some(r) = inst.result {
                        let v = if width(func.ty(r)) > 1 { r } else { inst.args[0] };
                        count(v, if able(v) { saved(v) } else { 0 });
                    }
                }
                // Anything else takes its operands apart and builds its result.
                _ => {
                    inst.args.iter().filter(|&&a| able(a)).for_each(|&a| count(a, -lanes(a)));
                    if let Some(r) = inst.result.filter(|&r| able(r)) {
                        count(r, -lanes(r));
                    }
                }
            }
        }
        if let crate::ir::Term::Ret(Some(v)) = &func.blocks[block].term
            && able(*v)
        {
            count(*v, -lanes(*v));
        }
    }
    score
}

impl Legalizer<'_> {
    /// True if an instruction is to be done on parts.
    pub(super) fn is_native(&self, id: Inst, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let width = |v: Value| self.choice[v.index()];
        // A comparison's web is that of its operands.
        let is_test = matches!(inst.op, Op::Icmp | Op::Fcmp | Op::MaskAny | Op::MaskAll);
        let held = width(if is_test { inst.args[0] } else { result });
        let is_mask = |v: Value| self.old.ty(v).elem == Scalar::I1;
        held != 0
            && match inst.op {
                Op::Const | Op::Undef | Op::Splat | Op::Build | Op::Insert => true,
                Op::Shuffle => !is_mask(inst.args[0]) && inst.args.iter().all(|&a| width(a) == held),
                Op::Load => !self.copies.contains(&id) && !is_volatile(inst) && !is_mask(result),
                _ => has_parts(self.old, inst),
            }
    }
}
