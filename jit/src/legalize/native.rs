//! OpenCL vectors that stay vectors: which ones, and how ops work on their 128-bit parts.
//!
//! A vector of 32-bit lanes is held as parts of 4 lanes, one of 64-bit lanes as parts of 2; the last part may have lanes that
//! mean nothing. A vector of booleans that goes with them is held as parts of all-ones and all-zeros integers of their width.
//! `choose` groups values that ops connect into webs and weighs for each web what 128-bit ops save against what taking
//! vectors apart and putting them together costs; only webs that gain become native. Everything else falls apart into
//! components, and values change form where the two worlds meet.

use super::pieces::Pieces;
use super::{Legalizer, is_volatile};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, FloatPred, Func, Imm, Inst, InstData, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

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
    usize::from(lanes).div_ceil(per_part(width))
}

fn per_part(width: u8) -> usize {
    if width == 64 { 2 } else { 4 }
}

/// The type of one part; booleans become integers.
fn part_type(ty: Type, width: u8) -> Type {
    let elem = match (ty.elem, width) {
        (Scalar::I1, 64) => Scalar::I64,
        (Scalar::I1, _) => Scalar::I32,
        (elem, _) => elem,
    };
    Type::scalar(elem).with_lanes(per_part(width) as u8)
}

/// True if parts have an op for this instruction. `func` is the function before legalisation.
fn is_native(func: &Func, inst: &InstData) -> bool {
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
        Add | Sub | Neg => wide > 1,
        Mul | MinS | MinU | MaxS | MaxU | AbsS => wide == 32,
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
pub(super) fn choose(func: &Func, order: &[Block]) -> Choice {
    let n = func.values.len();
    let mut choice = vec![0u8; n];
    if !func.values.values().any(|v| width(v.ty) > 1) {
        return choice;
    }
    let mut webs = Webs::new(n);
    let able = |v: Value| width(func.ty(v)) > 0;
    for &block in order {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let Some(result) = inst.result.filter(|&r| able(r)) else { continue };
            let moves =
                matches!(inst.op, Op::Insert | Op::Shuffle) && func.ty(inst.args[0]).lanes == func.ty(result).lanes;
            if moves || is_native(func, inst) {
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
    let score = weigh(func, order, &mut webs);
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
fn weigh(func: &Func, order: &[Block], webs: &mut Webs) -> Vec<i64> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let mut score = vec![0i64; func.values.len()];
    let able = |v: Value| width(func.ty(v)) > 0;
    for &block in order {
        let depth = loops.of(block).map_or(0, |l| loops.loops[l].depth).min(5);
        let weight = 8i64.pow(depth);
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
                _ if is_native(func, inst) => {
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
    /// Lane width of a native value, 0 for one held as components.
    pub(super) fn native_width(&self, old: Value) -> u8 {
        self.choice[old.index()]
    }

    /// Tries to do an instruction on parts; false if it has to be done on components.
    pub(super) fn native(&mut self, id: Inst, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        // A comparison's web is that of its operands.
        let width = match inst.op {
            Op::Icmp | Op::Fcmp | Op::MaskAny | Op::MaskAll => self.native_width(inst.args[0]),
            _ => self.native_width(result),
        };
        if width == 0 {
            return false;
        }
        let ty = self.old.ty(result);
        match inst.op {
            Op::Const | Op::Undef => {
                let bits = if let Imm::Bits(bits) = inst.imm { bits } else { 0 };
                let bits = if ty.elem == Scalar::I1 { bits.wrapping_neg() } else { bits };
                let part = self.out.bits(part_type(ty, width), bits);
                let parts = Pieces::from_elem(part, n_parts(ty.lanes, width));
                self.set_parts(result, &parts, width);
                true
            }
            Op::Splat => {
                let scalar = self.scalar(inst.args[0]);
                let parts = self.put_together(&[scalar], ty, width);
                let parts = Pieces::from_elem(parts[0], n_parts(ty.lanes, width));
                self.set_parts(result, &parts, width);
                true
            }
            Op::Build => {
                let lanes: Pieces = inst.args.iter().map(|&a| self.scalar(a)).collect();
                let parts = self.put_together(&lanes, ty, width);
                self.set_parts(result, &parts, width);
                true
            }
            Op::Insert => {
                let Imm::Lane(lane) = inst.imm else { return false };
                let mut parts = self.parts(inst.args[0], width);
                let mut v = self.scalar(inst.args[1]);
                let (at, lane) = (usize::from(lane) / per_part(width), usize::from(lane) % per_part(width));
                let part = part_type(ty, width);
                if ty.elem == Scalar::I1 {
                    v = self.out.convert(Op::Sext, part.lane(), v);
                }
                parts[at] = self.out.typed(Op::Insert, part, &[parts[at], v], Imm::Lane(lane as u8), Attr::default());
                self.set_parts(result, &parts, width);
                true
            }
            Op::Shuffle => self.native_shuffle(inst, result, width),
            Op::Load if !self.copies.contains(&id) && !is_volatile(inst) && ty.elem != Scalar::I1 => {
                let ptr = self.scalar(inst.args[0]);
                let parts = self.load_parts(ty, ptr, inst.attr, width);
                self.set_parts(result, &parts, width);
                true
            }
            Op::MaskAny | Op::MaskAll => self.test_mask(inst),
            _ if is_native(self.old, inst) => self.native_op(inst, result, width),
            _ => false,
        }
    }

    fn native_shuffle(&mut self, inst: &InstData, result: Value, width: u8) -> bool {
        let Imm::Lanes(picks) = &inst.imm else { return false };
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        let per = per_part(width);
        if from.elem == Scalar::I1
            || self.native_width(inst.args[0]) != width
            || self.native_width(inst.args[1]) != width
        {
            return false;
        }
        let source_parts = n_parts(from.lanes, width);
        // Where a pick lies: part of both operands together, and lane within it.
        let place = |pick: u8| {
            let (operand, lane) = (usize::from(pick / from.lanes) % 2, usize::from(pick % from.lanes));
            (operand * source_parts + lane / per, lane % per)
        };
        let groups: Vec<Vec<(usize, usize)>> =
            picks.chunks(per).map(|chunk| chunk.iter().map(|&p| place(p)).collect()).collect();
        // Each part of the result comes from at most two parts.
        let sources: SmallVec<[SmallVec<[usize; 4]>; 4]> = groups
            .iter()
            .map(|g| {
                let mut s: SmallVec<[usize; 4]> = g.iter().map(|p| p.0).collect();
                s.sort_unstable();
                s.dedup();
                s
            })
            .collect();
        if sources.iter().any(|s| s.len() > 2) {
            return false;
        }
        let mut all = self.parts(inst.args[0], width);
        all.extend(self.parts(inst.args[1], width));
        let part = part_type(ty, width);
        let parts: Pieces = groups
            .iter()
            .zip(&sources)
            .map(|(group, sources)| {
                let (a, b) = (all[sources[0]], all[sources[sources.len() - 1]]);
                let mut lanes: SmallVec<[u8; 4]> =
                    group.iter().map(|&(s, lane)| (lane + if s == sources[0] { 0 } else { per }) as u8).collect();
                // Lanes that mean nothing: let them stay where they are.
                while lanes.len() < per {
                    lanes.push(lanes.len() as u8);
                }
                if lanes.iter().enumerate().all(|(i, &l)| usize::from(l) == i) {
                    return a;
                }
                self.out.typed(Op::Shuffle, part, &[a, b], Imm::Lanes(lanes.as_slice().into()), Attr::default())
            })
            .collect();
        self.set_parts(result, &parts, width);
        true
    }

    fn native_op(&mut self, inst: &InstData, result: Value, width: u8) -> bool {
        use Op::*;
        let ty = self.old.ty(result);
        let part = part_type(ty, width);
        let from = inst.args.first().map_or(ty, |&a| self.old.ty(a));
        let count = n_parts(ty.lanes, width);
        let mut operands: SmallVec<[Pieces; 3]> = SmallVec::new();
        for (n, &arg) in inst.args.iter().enumerate() {
            let pieces = match inst.op {
                // The amount is one scalar for all lanes.
                Shl | Lshr | Ashr | Rotl if n == 1 => {
                    let amount = self.lanes(arg)[0];
                    Pieces::from_elem(amount, count)
                }
                Select if n == 0 && !self.old.ty(arg).is_vector() => {
                    let mask = Type::I1.with_lanes(ty.lanes);
                    let scalar = self.scalar(arg);
                    let one = self.put_together(&[scalar], mask, width);
                    Pieces::from_elem(one[0], count)
                }
                Bitcast => self.parts(arg, self::width(from)),
                _ => self.parts(arg, width),
            };
            operands.push(pieces);
        }
        let mut parts = Pieces::new();
        for i in 0..count {
            let args: SmallVec<[Value; 3]> = operands.iter().map(|p| p[i]).collect();
            parts.push(self.native_part(inst, from, part, &args));
        }
        self.set_parts(result, &parts, width);
        true
    }

    /// One part of an op.
    fn native_part(&mut self, inst: &InstData, from: Type, part: Type, args: &[Value]) -> Value {
        use Op::*;
        let directed = inst.attr.rm != Rounding::Rte && !self.machine.directed;
        let rotates = self.machine.lane_rotates;
        let out = &mut self.out;
        match inst.op {
            // A mask is its own sign extension.
            Sext => args[0],
            Zext => out.op2c(And, args[0], 1),
            Bitcast => out.bitcast(part, args[0]),
            Rotl if !rotates || out.func.const_bits(args[1]).is_none() => out.rotate(args[0], args[1]),
            Copysign => {
                let int = part.with_elem(part.elem.as_int());
                let sign = out.bits(int, 1 << (part.elem.bits() - 1));
                let other = out.op1(Not, sign);
                let (a, b) = (out.bitcast(int, args[0]), out.bitcast(int, args[1]));
                let magnitude = out.op2(And, a, other);
                let sign = out.op2(And, b, sign);
                let both = out.op2(Or, magnitude, sign);
                out.bitcast(part, both)
            }
            Fptosi | Fptoui => {
                let v = match inst.attr.rm {
                    Rounding::Rtz => args[0],
                    Rounding::Rte => out.op1(Rint, args[0]),
                    Rounding::Rtp => out.op1(Ceil, args[0]),
                    Rounding::Rtn => out.op1(Floor, args[0]),
                };
                out.typed(inst.op, part, &[v], Imm::None, super::round::TRUNCATE)
            }
            Fcmp => {
                let compare = |out: &mut super::Out, p| out.typed(Fcmp, part, args, Imm::FloatPred(p), Attr::default());
                match inst.imm {
                    // Two predicates that Cranelift lacks for vectors.
                    Imm::FloatPred(FloatPred::ONe) => {
                        let ordered = compare(out, FloatPred::Ord);
                        let different = compare(out, FloatPred::UNe);
                        out.op2(And, ordered, different)
                    }
                    Imm::FloatPred(FloatPred::UEq) => {
                        let unordered = compare(out, FloatPred::Uno);
                        let same = compare(out, FloatPred::OEq);
                        out.op2(Or, unordered, same)
                    }
                    _ => out.typed(Fcmp, part, args, inst.imm.clone(), inst.attr),
                }
            }
            Sitofp | Uitofp if directed => self.int_to_rounded(inst.op, part.elem, args[0], inst.attr.rm),
            Fadd | Fsub | Fmul | Fdiv | Fma if directed => match self.rounded(inst.op, inst.attr.rm, args) {
                Some(part) => part,
                None => unreachable!("these are all that `rounded` knows"),
            },
            _ => {
                debug_assert!(from.lanes > 1 || inst.op == Select);
                out.typed(inst.op, part, args, inst.imm.clone(), inst.attr)
            }
        }
    }
}
