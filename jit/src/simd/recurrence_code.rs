//! Code for chains: what one work-item hands to the next, see `recurrence`. A chain's state lies in a slot: what the
//! scalar loop would hold (`Serial`, `Ordered`, `Latest`), a sum per lane (`Free`), or the same in all lanes
//! (`Prefix`).

use super::recurrence::{Chain, Update};
use super::widen::{Lanes, Widen};
use crate::ir::collective::CollectiveOp;
use crate::ir::{Imm, Inst, InstData, IntPred, Op, Rounding, Scalar, SlotId, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

impl Widen<'_> {
    /// Sets up the chain of a header parameter, whose first value this is.
    pub(super) fn open_chain(&mut self, number: usize, chain: Chain, first: Value) {
        let ty = self.func.ty(first);
        let lanes = ty.with_lanes(self.width);
        let value = match chain {
            Chain::Serial | Chain::Ordered | Chain::Latest => first,
            Chain::Prefix(_) => self.splat(first),
            Chain::Free(how) => {
                let others = self.constant(lanes, how.neutral(ty.elem));
                self.emit(Op::Insert, lanes, &[others, first], Imm::Lane(0))
            }
        };
        let slot = self.slot(self.func.ty(value));
        self.write(slot, value);
        self.chains.insert(number, slot);
    }

    /// What the next work-item finds, when all vectors are done.
    pub(super) fn close_chain(&mut self, number: usize, chain: Chain, ty: Type) -> Value {
        let slot = self.chains[&number];
        match chain {
            Chain::Serial | Chain::Ordered | Chain::Latest => self.read(slot, ty),
            Chain::Prefix(_) => {
                let same = self.read(slot, ty.with_lanes(self.width));
                self.emit(Op::Extract, ty, &[same], Imm::Lane(0))
            }
            Chain::Free(how) => {
                let sums = self.read(slot, ty.with_lanes(self.width));
                self.emit(Op::Reduce, ty, &[sums], Imm::Collective(how))
            }
        }
    }

    /// An edge to a join of a `Latest` chain, which some lanes may take: the last one's value counts.
    pub(super) fn replace(&mut self, number: usize, value: Value, mask: Option<Value>) {
        let slot = self.chains[&number];
        let mut value = self.one_of_last_in(value, mask);
        let ty = self.func.ty(value);
        if let Some(mask) = mask {
            let any = self.emit(Op::MaskAny, Type::I1, &[mask], Imm::None);
            let old = self.read(slot, ty);
            value = self.emit(Op::Select, ty, &[any, value, old], Imm::None);
        }
        self.write(slot, value);
    }

    /// An instruction of a chain.
    pub(super) fn update(&mut self, inst: Inst, update: Update) {
        match update {
            Update::Fold(number, how) => self.fold(inst, number, how),
            Update::Scan(number, how) => self.scan(inst, number, how),
            Update::Accumulate(number) => self.accumulate(inst, number),
            Update::Chosen => {}
            Update::Serial(group) => {
                if self.shapes.carried.group(group).insts.last() == Some(&inst) {
                    self.serial_group(group);
                }
            }
        }
    }

    /// The update at a place, and the lanes in which it is made.
    fn taken(&mut self, inst: Inst) -> (InstData, Option<Value>) {
        let Some(choice) = self.shapes.carried.choice(inst) else {
            return (self.func.insts[inst].clone(), self.mask);
        };
        let mut cond = self.vector(choice.cond)[0];
        if !choice.if_true {
            cond = self.op(Op::Not, &[cond]);
        }
        let mask = self.and_mask(cond);
        (self.func.insts[choice.update].clone(), Some(mask))
    }

    /// Takes the active lanes of an operand into a chain.
    fn fold(&mut self, inst: Inst, number: usize, how: CollectiveOp) {
        let (data, mask) = self.taken(inst);
        let slot = self.chains[&number];
        let at = usize::from(self.shapes.carried.hidden(data.args[0]).is_some());
        let ty = self.func.ty(data.args[at]);
        let lanes = ty.with_lanes(self.width);
        let mut x = self.vector(data.args[at])[0];
        if let Some(mask) = mask {
            let neutral = self.constant(lanes, how.neutral(ty.elem));
            x = self.emit(Op::Select, lanes, &[mask, x, neutral], Imm::None);
        }
        let sums = self.read(slot, lanes);
        let sums = self.emit(data.op, lanes, &[sums, x], Imm::None);
        self.write(slot, sums);
    }

    /// Takes the active lanes of operands into a chain, the first one first. Lanes that are not active have operands
    /// that leave it as it is.
    fn accumulate(&mut self, inst: Inst, number: usize) {
        let (data, mask) = self.taken(inst);
        let slot = self.chains[&number];
        let is_chain = |cx: &Self, v: Value| cx.shapes.carried.hidden(v).is_some();
        let ty = self.func.ty(data.result.expect("an update has a result"));
        let lanes = ty.with_lanes(self.width);
        self.counts.serial += 1;
        let mut operands: SmallVec<[Option<Value>; 3]> = SmallVec::new();
        for (&v, bits) in data.args.iter().zip(unchanging(&data, ty.elem)) {
            if is_chain(self, v) {
                operands.push(None);
                continue;
            }
            let mut x = self.vector(v)[0];
            if let Some(mask) = mask {
                let neutral = self.constant(lanes, bits);
                x = self.emit(Op::Select, lanes, &[mask, x, neutral], Imm::None);
            }
            operands.push(Some(x));
        }
        let before = self.read(slot, ty);
        let mut now = before;
        for lane in 0..self.width {
            let mut args: SmallVec<[Value; 3]> = SmallVec::new();
            for &x in &operands {
                args.push(x.map_or(now, |x| self.emit(Op::Extract, ty, &[x], Imm::Lane(lane))));
            }
            now = self.emit_attr(data.op, ty, &args, data.imm.clone(), data.attr);
        }
        if let Some(mask) = mask {
            // A signalling NaN stays one if nobody takes anything in.
            let any = self.emit(Op::MaskAny, Type::I1, &[mask], Imm::None);
            now = self.op(Op::Select, &[any, now, before]);
        }
        self.write(slot, now);
    }

    /// A scan: lanes take in those 1, 2, 4 … before them, then what came before the vector.
    fn scan(&mut self, inst: Inst, number: usize, how: CollectiveOp) {
        let data = self.func.insts[inst].clone();
        let result = data.result.expect("an update has a result");
        let header = self.chain_param(number);
        let at = usize::from(data.args[0] == header);
        let ty = self.func.ty(result);
        let lanes = ty.with_lanes(self.width);
        let neutral = self.constant(lanes, how.neutral(ty.elem));
        let slot = self.chains[&number];
        let before = self.read(slot, lanes);
        let mut own = self.vector(data.args[at])[0];
        if let Some(mask) = self.mask {
            own = self.emit(Op::Select, lanes, &[mask, own, neutral], Imm::None);
        }
        let mut sums = own;
        let mut distance = 1;
        while distance < self.width {
            let moved = self.move_up(neutral, sums, distance);
            sums = self.emit(data.op, lanes, &[sums, moved], Imm::None);
            distance *= 2;
        }
        let inclusive = self.emit(data.op, lanes, &[sums, before], Imm::None);
        let after = self.shuffle(inclusive, inclusive, (0..self.width).map(|_| lanes.lanes - 1));
        self.write(slot, after);
        // Moving lanes takes longer than a subtraction.
        let exclusive = match how {
            CollectiveOp::Add => self.emit(Op::Sub, lanes, &[inclusive, own], Imm::None),
            CollectiveOp::Xor => self.emit(Op::Xor, lanes, &[inclusive, own], Imm::None),
            _ => self.move_up(before, inclusive, 1),
        };
        self.set_vector(header, Lanes::from_elem(exclusive, 1));
        self.set_vector(result, Lanes::from_elem(inclusive, 1));
    }

    /// Lanes moved up by a distance; the last ones of `below` come in.
    pub(super) fn move_up(&mut self, below: Value, v: Value, distance: u8) -> Value {
        let width = self.width;
        self.shuffle(below, v, (0..width).map(|lane| width - distance + lane))
    }

    /// A recurrence, lane after lane.
    fn serial_group(&mut self, group: usize) {
        let group = self.shapes.carried.group(group);
        self.counts.serial += 1;
        let insts: SmallVec<[InstData; 4]> = group.insts.iter().map(|&inst| self.func.insts[inst].clone()).collect();
        let params: SmallVec<[(Value, Value, SlotId); 2]> =
            group.params.iter().map(|&q| (self.chain_param(q), self.shapes.carried.next(q), self.chains[&q])).collect();
        let mut now: FxHashMap<Value, Value> = FxHashMap::default();
        for &(param, _, slot) in &params {
            let value = self.read(slot, self.func.ty(param));
            now.insert(param, value);
        }
        let mut all: FxHashMap<Value, SmallVec<[Value; 16]>> = FxHashMap::default();
        for lane in 0..self.width {
            for data in &insts {
                let args: SmallVec<[Value; 4]> = data
                    .args
                    .iter()
                    .map(|arg| now.get(arg).copied().unwrap_or_else(|| self.one_of(*arg, lane)))
                    .collect();
                let result = data.result.expect("pure");
                let value = self.emit_attr(data.op, self.func.ty(result), &args, data.imm.clone(), data.attr);
                now.insert(result, value);
            }
            for (&v, &value) in &now {
                all.entry(v).or_default().push(value);
            }
            // Lanes without a work-item hand on what they get.
            let left = self.left;
            let there = left.map(|left| {
                let lane = self.constant(Type::I32, lane.into());
                self.icmp(IntPred::SLt, lane, left)
            });
            let next: SmallVec<[Value; 2]> = params.iter().map(|(_, next, _)| now[next]).collect();
            for (&(param, ..), mut next) in params.iter().zip(next) {
                if let Some(there) = there {
                    next = self.op(Op::Select, &[there, next, now[&param]]);
                }
                now.insert(param, next);
            }
        }
        for &(param, _, slot) in &params {
            self.write(slot, now[&param]);
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_unstable_by_key(|(v, _)| *v);
        for (v, lanes) in all {
            let ty = self.func.ty(v).with_lanes(self.width);
            let vector = self.emit(Op::Build, ty, &lanes, Imm::None);
            self.set_vector(v, Lanes::from_elem(vector, 1));
        }
    }

    /// A parameter of the item loop's header.
    fn chain_param(&self, number: usize) -> Value {
        self.func.blocks[self.facts.items.header].params[number]
    }
}

/// Bits of operands with which an update of a float gives back what it gets: -0 is neutral in sums but where these are
/// rounded down, then it is +0.
fn unchanging(data: &InstData, elem: Scalar) -> [u64; 3] {
    let (minus, one): (u64, u64) = match elem {
        Scalar::F16 => (1 << 15, 0x3c00),
        Scalar::F32 => (1 << 31, u64::from(1f32.to_bits())),
        _ => (1 << 63, 1f64.to_bits()),
    };
    let zero = if data.attr.rm == Rounding::Rtn { 0 } else { minus };
    match data.op {
        Op::Fadd => [zero; 3],
        Op::Fsub => [zero ^ minus; 3],
        Op::Fma => [zero, one, zero],
        _ => [one; 3],
    }
}
