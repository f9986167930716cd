//! Vectors fall apart: constants, lane ops, reinterpretation, loads and stores.

use super::pieces::{cut, int_of};
use super::{Legalizer, is_volatile, legal_lane};
use crate::ir::entity::Entity;
use crate::ir::op::Effects;
use crate::ir::{Attr, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Vector loads that only feed a store, and so move in large pieces.
pub(super) type Copies = FxHashSet<Inst>;

/// Finds vector loads whose one use is the value of a store in the same block with no write in between.
pub(super) fn find_copies(func: &Func) -> Copies {
    let mut copies = Copies::default();
    let mut candidates: FxHashMap<Value, Inst> = FxHashMap::default();
    for &block in &func.layout {
        candidates.clear();
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            match (inst.op, inst.result) {
                (Op::Load, Some(result)) if func.ty(result).is_vector() && !is_volatile(inst) => {
                    candidates.insert(result, id);
                    continue;
                }
                (Op::Store, _) => {
                    if let Some(&load) = inst.args.get(1).and_then(|v| candidates.get(v))
                        && !is_volatile(inst)
                    {
                        copies.insert(load);
                    }
                }
                _ => {}
            }
            if inst.op.row().effects.intersects(Effects::WRITES | Effects::ORDERED) {
                candidates.clear();
            }
        }
    }
    if copies.is_empty() {
        return copies;
    }
    let uses = func.use_counts();
    copies.retain(|&load| func.insts[load].result.is_some_and(|r| uses[r.index()] == 1));
    copies
}

/// Types of the pieces in which `bytes` bytes move, largest first, each with its offset.
fn moved(bytes: u32) -> SmallVec<[(Type, u32); 4]> {
    cut(bytes, &[Type::I32.with_lanes(4), Type::I64, Type::I32, Type::I16, Type::I8])
}

impl Legalizer<'_> {
    pub(super) fn constant(&mut self, inst: &InstData) {
        let Some(result) = inst.result else { return };
        let ty = self.old.ty(result);
        let bits = if let Imm::Bits(bits) = inst.imm { bits } else { 0 };
        let lane = self.out.bits(legal_lane(ty), bits);
        let lanes: SmallVec<[Value; 16]> = SmallVec::from_elem(lane, usize::from(ty.lanes));
        self.set(result, &lanes);
    }

    pub(super) fn vector_op(&mut self, inst: &InstData) {
        let Some(result) = inst.result else { return };
        let n = usize::from(self.old.ty(result).lanes);
        let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
        match (inst.op, &inst.imm) {
            (Op::Build, _) => lanes.extend(inst.args.iter().map(|&a| self.scalar(a))),
            (Op::Splat, _) => lanes.resize(n, self.scalar(inst.args[0])),
            (Op::Extract, Imm::Lane(i)) => lanes.push(self.extract(inst.args[0], *i)),
            (Op::Insert, Imm::Lane(i)) => {
                lanes = SmallVec::from_slice(&self.lanes(inst.args[0]));
                lanes[usize::from(*i)] = self.scalar(inst.args[1]);
            }
            (Op::Shuffle, Imm::Lanes(picks)) => {
                let mut all = self.lanes(inst.args[0]);
                let more = self.lanes(inst.args[1]);
                all.extend(more);
                lanes.extend(picks.iter().map(|&i| all[usize::from(i) % all.len()]));
            }
            _ => {
                let all = self.lanes(inst.args[0]);
                let index = self.scalar(inst.args[1]);
                lanes.push(self.pick(&all, index));
            }
        }
        self.set(result, &lanes);
    }

    /// One component, without taking the whole vector apart.
    fn extract(&self, vector: Value, lane: u8) -> Value {
        let (start, _, width) = self.map[vector.index()];
        if width == 0 {
            return self.pool[start as usize + usize::from(lane)];
        }
        if self.old.ty(vector).elem == Scalar::I1 {
            return self.lanes(vector)[usize::from(lane)];
        }
        let per = self.layout(self.old.ty(vector), width).per;
        let part = self.pool[start as usize + usize::from(lane) / per];
        self.part_lane(part, usize::from(lane) % per)
    }

    /// The lane with a number known at run time only: a tree of selects on the number's bits.
    fn pick(&self, all: &[Value], index: Value) -> Value {
        let mut level: SmallVec<[Value; 16]> = SmallVec::from_slice(all);
        let mut bit = 1;
        while level.len() > 1 {
            let odd = self.out.icmpc(IntPred::Ne, self.out.op2c(Op::And, index, bit), 0);
            level = level
                .chunks(2)
                .map(|pair| if let [even, other] = *pair { self.out.select(odd, other, even) } else { pair[0] })
                .collect();
            bit <<= 1;
        }
        level[0]
    }

    pub(super) fn bitcast(&mut self, inst: &InstData) {
        let Some(result) = inst.result else { return };
        let (from, to) = (self.old.ty(inst.args[0]).elem.bits(), self.old.ty(result).elem.bits());
        let (narrow, wide) = (Type::scalar(int_of(from.min(to))), Type::scalar(int_of(from.max(to))));
        let target = legal_lane(self.old.ty(result));
        let source = self.lanes(inst.args[0]);
        let out = &self.out;
        let shifted =
            |op: Op, v: Value, i: usize| if i == 0 { v } else { out.op2c(op, v, u64::from(from.min(to)) * i as u64) };
        let lanes: SmallVec<[Value; 16]> = if from == to {
            source.iter().map(|&v| out.bitcast(target, v)).collect()
        } else if from > to {
            let parts = source.iter().flat_map(|&v| {
                let v = out.as_int(v);
                (0..(from / to) as usize).map(move |i| (v, i))
            });
            parts.map(|(v, i)| out.bitcast(target, out.convert(Op::Trunci, narrow, shifted(Op::Lshr, v, i)))).collect()
        } else {
            let part = |(i, &v): (usize, &Value)| shifted(Op::Shl, out.convert(Op::Zext, wide, out.as_int(v)), i);
            let whole = |group: &[Value]| group.iter().enumerate().map(part).reduce(|a, b| out.op2(Op::Or, a, b));
            source.chunks((to / from) as usize).filter_map(whole).map(|v| out.bitcast(target, v)).collect()
        };
        self.set(result, &lanes);
    }

    pub(super) fn load(&mut self, id: Inst, inst: &InstData) {
        let Some(result) = inst.result else { return };
        let ty = self.old.ty(result);
        let ptr = self.scalar(inst.args[0]);
        let lanes = if self.copies.contains(&id) {
            moved(ty.bytes())
                .into_iter()
                .map(|(piece, at)| {
                    let ptr = self.out.offset(ptr, at.into());
                    self.out.typed(Op::Load, piece, &[ptr], Imm::None, inst.attr)
                })
                .collect()
        } else {
            self.load_lanes(ty, ptr, inst.attr)
        };
        self.set(result, &lanes);
    }

    /// Loads a vector component by component.
    pub(super) fn load_lanes(&self, ty: Type, ptr: Value, attr: Attr) -> SmallVec<[Value; 16]> {
        (0..u64::from(ty.lanes))
            .map(|i| {
                let ptr = self.out.offset(ptr, i * u64::from(ty.elem.bytes()));
                self.out.typed(Op::Load, legal_lane(ty), &[ptr], Imm::None, attr)
            })
            .collect()
    }

    pub(super) fn store(&mut self, inst: &InstData) {
        let ptr = self.scalar(inst.args[0]);
        let ty = self.old.ty(inst.args[1]);
        let width = self.map[inst.args[1].index()].2;
        if width != 0 && ty.elem != Scalar::I1 && !is_volatile(inst) {
            let parts = self.parts(inst.args[1], width);
            self.store_parts(ty, ptr, &parts, inst.attr, width);
            return;
        }
        let lanes = self.lanes(inst.args[1]);
        let copied = match self.old.values[inst.args[1]].def {
            crate::ir::ValueDef::Inst(def) => self.copies.contains(&def),
            crate::ir::ValueDef::Param(..) => false,
        };
        if copied {
            for ((_, at), &piece) in moved(ty.bytes()).into_iter().zip(&lanes) {
                let ptr = self.out.offset(ptr, at.into());
                self.out.push(Op::Store, None, &[ptr, piece], Imm::None, inst.attr);
            }
        } else {
            self.store_lanes(ty, ptr, &lanes, inst.attr);
        }
    }

    /// Stores a vector component by component, each from the kind of register that it is in.
    pub(super) fn store_lanes(&self, ty: Type, ptr: Value, lanes: &[Value], attr: Attr) {
        for (i, &lane) in (0u64..).zip(lanes) {
            let cast = self.out.operand_of(lane, Op::Bitcast, &Imm::None);
            let lane = cast.filter(|&v| !self.out.ty(v).is_vector()).unwrap_or(lane);
            let ptr = self.out.offset(ptr, i * u64::from(ty.elem.bytes()));
            self.out.push(Op::Store, None, &[ptr, lane], Imm::None, attr);
        }
    }
}
