//! Which values of an item loop are alike in all lanes, and which branches part the lanes.
//!
//! Facts grow from "unknown" over "uniform" and "affine" to "varying" until nothing changes. A branch on a varying value is
//! *divergent*: from its targets labels spread until its immediate postdominator; where two labels meet, lanes that took
//! different ways meet, and block parameters there vary. If a label gets round to the header of a loop around the branch, some
//! lanes go round again while others have left: the loop is divergent, and what it computes varies for those who use it
//! behind. Blocks with a label are *masked*: not all lanes need be there. Must not emit code.

use super::aligned::Aligned;
use super::interleave::Strided;
use super::loops::ItemLoop;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops, Postdominators};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, Inst, InstData, Op, Term, Type, Value, ValueDef};
use crate::pass::alias::is_pure_call;
use rustc_hash::FxHashSet;

/// Most operations of a sum that is known not to wrap.
const MAX_TERMS: u32 = 64;

/// How a value differs from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not seen yet.
    Unknown,
    /// The same in all lanes.
    Uniform,
    /// Lane i holds lane 0's value + i × this (bytes, for pointers; modulo the width of the type).
    Affine(i64),
    /// Anything.
    Varying,
}

/// What the control-flow graph says.
pub(super) struct Facts {
    pub cfg: Cfg,
    pub dom: Dominators,
    pub post: Postdominators,
    pub loops: Loops,
    /// Private arrays whose lanes lie side by side.
    pub woven: super::memory::Woven,
    /// Number of the item loop.
    pub items: usize,
    within: Vec<bool>,
    /// Whether something in the loop, or behind it, uses a value.
    pub used: Vec<bool>,
}

impl Facts {
    pub(super) fn new(func: &Func, items: &ItemLoop) -> Self {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let post = Postdominators::new(func, &cfg);
        let loops = Loops::new(func, &cfg, &dom);
        let mut within = vec![false; func.blocks.len()];
        items.blocks.iter().for_each(|b| within[b.index()] = true);
        let mut used = vec![false; func.values.len()];
        for &block in &items.blocks {
            let data = &func.blocks[block];
            data.insts.iter().flat_map(|&i| &func.insts[i].args).for_each(|v| used[v.index()] = true);
            data.term.for_each_value(|v| used[v.index()] = true);
        }
        let woven = super::memory::Woven::find(func, items);
        let items = loops.of(items.header).expect("a loop");
        Self { cfg, dom, post, loops, woven, items, within, used }
    }
    /// True for a block of the item loop.
    pub(super) fn within(&self, block: Block) -> bool {
        self.within[block.index()]
    }
    /// The innermost loop of a block, unless that is the item loop itself.
    pub(super) fn inner_loop(&self, block: Block) -> Option<usize> {
        self.loops.of(block).filter(|&l| l != self.items)
    }
    /// The loop around an inner loop, unless that is the item loop.
    pub(super) fn parent(&self, l: usize) -> Option<usize> {
        self.loops.loops[l].parent.filter(|&l| l != self.items)
    }
    pub(super) fn contains(&self, l: usize, block: Block) -> bool {
        self.loops.contains(l, block)
    }
}

/// Results of the analysis.
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// The block that defines each value of the loop.
    homes: Vec<Option<Block>>,
    divergent: Vec<bool>,
    masked: Vec<bool>,
    joins: Vec<bool>,
    divergent_loops: Vec<bool>,
    /// Header parameters that one work-item hands to the next, and what is computed from them: see `carry`.
    pub carried: super::carry::Carried,
    aligned: Aligned,
    /// Accesses at small strides.
    pub strided: Strided,
}

impl Shapes {
    /// Shapes that hold for up to `max_width` lanes.
    pub(super) fn analyse(func: &Func, items: &ItemLoop, facts: &Facts, max_width: u8) -> Result<Self, String> {
        let carried = super::carry::Carried::find(func, items, facts)?;
        let aligned = Aligned::find(func, items, facts, &carried, max_width);
        let mut this = Self {
            shapes: vec![Shape::Unknown; func.values.len()],
            homes: func.homes(&items.blocks),
            divergent: vec![false; func.blocks.len()],
            masked: vec![false; func.blocks.len()],
            joins: vec![false; func.blocks.len()],
            divergent_loops: vec![false; facts.loops.loops.len()],
            carried,
            aligned,
            strided: Strided::default(),
        };
        for (i, &param) in func.blocks[items.header].params.iter().enumerate() {
            this.shapes[param.index()] = match this.carried.step(i) {
                Some(step) => Shape::Affine(step),
                None if this.carried.is_constant(i) => Shape::Uniform,
                None => Shape::Varying,
            };
        }
        // Facts only grow, so that this ends.
        while items.blocks.iter().filter(|&&block| this.visit(func, items, facts, block)).count() > 0 {}
        this.strided = Strided::find(func, items, facts, &this);
        Ok(this)
    }

    /// True if lanes may go round a loop, while others have left it, until something in memory changes: the others could be
    /// the ones to change it, and in lockstep they wait. Work-items one after the other do not. A function that is called may
    /// hold such a loop. A loop that atomics are only counted in, and that a counter ends, waits for nobody.
    pub(super) fn may_wait(&self, func: &Func, items: &ItemLoop, facts: &Facts) -> bool {
        let calls = |inst: &Inst| func.insts[*inst].op == Op::Call && !is_pure_call(&func.insts[*inst]);
        if items.blocks.iter().any(|&block| func.blocks[block].insts.iter().any(calls)) {
            return true;
        }
        let looks = |inst: &Inst| {
            let data = &func.insts[*inst];
            let atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas);
            atomic || data.op == Op::Load && data.attr.flags.contains(Flags::VOLATILE)
        };
        let mut loops = (0..facts.loops.loops.len()).filter(|&l| self.divergent_loops[l]);
        loops.any(|l| {
            let mut blocks = facts.loops.loops[l].blocks.iter();
            blocks.any(|&block| func.blocks[block].insts.iter().any(looks)) && self.ends_by_signal(func, facts, l)
        })
    }

    /// True if what ends a loop may depend on memory: a backward slice from the conditions of its exits, as in
    /// `pass::waits`.
    fn ends_by_signal(&self, func: &Func, facts: &Facts, l: usize) -> bool {
        let data = &facts.loops.loops[l];
        let mut work: Vec<Value> = Vec::new();
        let mut seen = FxHashSet::default();
        // Branches within decide as well where they lead past an exit, or choose between values.
        let mut all = false;
        let condition = |b: Block| {
            let mut values = Vec::new();
            if func.blocks[b].term.n_targets() > 1 {
                func.blocks[b].term.for_each_value(|v| values.push(v));
            }
            values
        };
        for &b in &data.blocks {
            if func.blocks[b].term.targets().iter().any(|t| !facts.contains(l, t.block)) {
                work.extend(condition(b));
                all |= !data.latches.iter().all(|&latch| facts.dom.dominates(b, latch));
            }
        }
        loop {
            while let Some(v) = work.pop() {
                if !self.homes[v.index()].is_some_and(|b| facts.contains(l, b)) || !seen.insert(v) {
                    continue;
                }
                match func.values[v].def {
                    ValueDef::Inst(inst) if !func.insts[inst].op.is_pure() => return true,
                    ValueDef::Inst(inst) => work.extend(&func.insts[inst].args),
                    ValueDef::Param(block, i) => {
                        let preds = facts.cfg.preds(block).iter().filter(|&&b| facts.contains(l, b));
                        let edges = preds.flat_map(|&b| func.blocks[b].term.targets()).filter(|t| t.block == block);
                        let mut args: Vec<Value> = edges.map(|t| t.args[i as usize]).collect();
                        args.dedup();
                        all |= args.len() > 1;
                        work.extend(args);
                    }
                }
            }
            if !std::mem::take(&mut all) {
                return false;
            }
            work.extend(data.blocks.iter().flat_map(|&b| condition(b)));
            if work.iter().all(|v| seen.contains(v)) {
                return false;
            }
        }
    }

    /// Shape of a value where it is defined.
    pub(super) fn of(&self, v: Value) -> Shape {
        match self.homes[v.index()] {
            Some(_) => self.shapes[v.index()],
            None => Shape::Uniform,
        }
    }
    /// Shape of a value for a user in `block`.
    pub(super) fn at(&self, facts: &Facts, v: Value, block: Block) -> Shape {
        if self.left_loop(facts, v, block).is_some() { Shape::Varying } else { self.of(v) }
    }
    /// The innermost divergent loop that defines the value and that `block` is behind.
    pub(super) fn left_loop(&self, facts: &Facts, v: Value, block: Block) -> Option<usize> {
        let mut at = facts.inner_loop(self.homes[v.index()]?);
        while let Some(l) = at {
            if self.divergent_loops[l] && !facts.contains(l, block) {
                return Some(l);
            }
            at = facts.parent(l);
        }
        None
    }
    pub(super) fn home(&self, v: Value) -> Option<Block> {
        self.homes[v.index()]
    }
    /// True if lanes part at the end of the block.
    pub(super) fn is_divergent(&self, block: Block) -> bool {
        self.divergent[block.index()]
    }
    /// True if not all lanes need be in the block.
    pub(super) fn is_masked(&self, block: Block) -> bool {
        self.masked[block.index()]
    }
    pub(super) fn is_divergent_loop(&self, l: usize) -> bool {
        self.divergent_loops[l]
    }

    /// True for what has no lane form and is done for one active lane after the other.
    pub(super) fn is_serial(&self, facts: &Facts, block: Block, data: &InstData) -> bool {
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        match data.op {
            _ if data.result.is_some_and(|v| self.of(v) != Shape::Varying) => false,
            Op::Load | Op::Store => volatile,
            Op::Fence => false,
            Op::Memset | Op::Memcpy => !data.args.iter().all(|&v| self.at(facts, v, block) == Shape::Uniform),
            Op::IsLocal | Op::IsPrivate => true,
            op => !op.is_pure(),
        }
    }

    fn raise(&mut self, v: Value, to: Shape) -> bool {
        let old = self.shapes[v.index()];
        let new = match (old, to) {
            (Shape::Unknown, new) => new,
            (old, Shape::Unknown) => old,
            (Shape::Varying, _) => Shape::Varying,
            (Shape::Affine(_), Shape::Uniform) => Shape::Varying,
            (_, new) if new == old => old,
            (Shape::Uniform, Shape::Affine(s)) => Shape::Affine(s),
            _ => Shape::Varying,
        };
        self.shapes[v.index()] = new;
        new != old
    }

    fn visit(&mut self, func: &Func, items: &ItemLoop, facts: &Facts, block: Block) -> bool {
        let mut changed = false;
        if block != items.header {
            for i in 0..func.blocks[block].params.len() {
                let shape = self.param(func, facts, block, i);
                changed |= self.raise(func.blocks[block].params[i], shape);
            }
        }
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.insts[inst].result {
                let shape = self.inst(func, facts, block, inst);
                changed |= self.raise(result, shape);
            }
        }
        if let Term::Br { cond, then, els } = &func.blocks[block].term
            && block != items.latch
            && !self.divergent[block.index()]
            && then != els
            && matches!(self.at(facts, *cond, block), Shape::Varying | Shape::Affine(_))
        {
            self.divergent[block.index()] = true;
            self.part(func, facts, block);
            changed = true;
        }
        changed
    }

    fn param(&self, func: &Func, facts: &Facts, block: Block, i: usize) -> Shape {
        if self.carried.hidden(func.blocks[block].params[i]).is_some() {
            return Shape::Varying;
        }
        let mut joined = Shape::Unknown;
        let mut values: Option<Value> = None;
        let mut same = true;
        for &pred in facts.cfg.preds(block) {
            for target in func.blocks[pred].term.targets() {
                if target.block != block {
                    continue;
                }
                let arg = target.args[i];
                same &= *values.get_or_insert(arg) == arg;
                // Lanes that leave a loop do so each in its own iteration, be it one value that they bring.
                let shape = match self.left_loop(facts, arg, block) {
                    Some(_) => Shape::Varying,
                    None => self.at(facts, arg, pred),
                };
                joined = match (joined, shape) {
                    (Shape::Unknown, s) | (s, Shape::Unknown) => s,
                    (a, b) if a == b => a,
                    _ => Shape::Varying,
                };
            }
        }
        // Where lanes meet that came different ways, they bring different values.
        if self.joins[block.index()] && !same { Shape::Varying } else { joined }
    }

    fn inst(&self, func: &Func, facts: &Facts, block: Block, inst: Inst) -> Shape {
        use Shape::{Affine, Uniform, Unknown, Varying};
        let data = &func.insts[inst];
        if data.result.is_some_and(|v| self.carried.hidden(v).is_some()) {
            return Varying;
        }
        let shape = |i: usize| self.at(facts, data.args[i], block);
        let shapes = || data.args.iter().map(|&v| self.at(facts, v, block));
        if shapes().any(|s| s == Unknown) {
            return Unknown;
        }
        let uniform = shapes().all(|s| s == Uniform);
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        match data.op {
            Op::SlotAddr => return private_stride(func, facts, data),
            Op::Load if volatile => return Varying,
            Op::Load | Op::IsLocal | Op::IsPrivate => return if uniform { Uniform } else { Varying },
            Op::Call if data.attr.flags.contains(Flags::PURE) && uniform => return Uniform,
            op if !op.is_pure() => return Varying,
            _ if uniform => return Uniform,
            _ => {}
        }
        let constant = |i: usize| func.const_bits(data.args[i]).map(|bits| bits as i64);
        let ty = data.result.map_or(Type::I64, |v| func.ty(v));
        if ty.is_vector() {
            return Varying;
        }
        match (data.op, &data.imm) {
            (Op::Add | Op::Sub, _) => match (shape(0), shape(1)) {
                (Affine(s), Uniform) => Affine(s),
                (Uniform, Affine(s)) if data.op == Op::Add => Affine(s),
                (Uniform, Affine(s)) => Affine(s.wrapping_neg()),
                (Affine(s), Affine(t)) if data.op == Op::Add => stride(s.wrapping_add(t)),
                (Affine(s), Affine(t)) => stride(s.wrapping_sub(t)),
                _ => Varying,
            },
            (Op::Mul, _) => match (shape(0), shape(1), constant(0), constant(1)) {
                (Affine(s), _, _, Some(c)) | (_, Affine(s), Some(c), _) => stride(s.wrapping_mul(c)),
                _ => Varying,
            },
            (Op::Shl, _) => match (shape(0), constant(1)) {
                (Affine(s), Some(c)) => stride(s.wrapping_shl(c as u32 & (ty.elem.bits() - 1))),
                _ => Varying,
            },
            (Op::And, _) => match (shape(0), constant(1)) {
                (Affine(s), Some(mask)) => match self.aligned.extent(func, data.args[0], s) {
                    Some(extent) if mask.trailing_ones() >= extent => Affine(s),
                    Some(extent) if mask.trailing_zeros() >= extent => Uniform,
                    _ => Varying,
                },
                _ => Varying,
            },
            (Op::Lshr | Op::Ashr, _) => match (shape(0), constant(1)) {
                (Affine(s), Some(by)) => {
                    let extent = self.aligned.extent(func, data.args[0], s);
                    let by = by as u32 & (ty.elem.bits() - 1);
                    if extent.is_some_and(|extent| by >= extent) { Uniform } else { Varying }
                }
                _ => Varying,
            },
            (Op::Neg, _) => match shape(0) {
                Affine(s) => Affine(s.wrapping_neg()),
                _ => Varying,
            },
            (Op::Trunci, _) if ty.elem.bits() >= 32 => shape(0),
            (Op::Sext | Op::Zext, _) if ty == Type::I64 => match shape(0) {
                Affine(s) if self.is_exact(func, facts, block, data) => Affine(s),
                _ => Varying,
            },
            (Op::PtrAdd, Imm::Scale { scale, .. }) => match (shape(0), shape(1)) {
                // Elements side by side for all lanes: how far apart they are depends on how many lanes there are.
                (_, Affine(_)) if data.result.is_some_and(|v| facts.woven.elem(v).is_some()) => Varying,
                (Uniform, Affine(s)) => stride(s.wrapping_mul(i64::from(*scale))),
                (Affine(s), Uniform) => Affine(s),
                (Affine(s), Affine(t)) => stride(s.wrapping_add(t.wrapping_mul(i64::from(*scale)))),
                _ => Varying,
            },
            (Op::PtrOff | Op::AsCast | Op::PtrToInt | Op::IntToPtr, _) => shape(0),
            (Op::Icmp, &Imm::IntPred(pred)) => {
                let [a, b] = [data.args[0], data.args[1]];
                let same = match (shape(0), shape(1)) {
                    (Affine(s), Uniform) => self.aligned.agree(func, pred, a, s, b),
                    (Uniform, Affine(s)) => self.aligned.agree(func, pred.swapped(), b, s, a),
                    _ => false,
                };
                if same { Uniform } else { Varying }
            }
            _ => Varying,
        }
    }

    /// True if an extension to 64 bits is of a sum that does not wrap.
    fn is_exact(&self, func: &Func, facts: &Facts, block: Block, data: &InstData) -> bool {
        let is_uniform = &|v| self.at(facts, v, block) == Shape::Uniform;
        Exact { func, signed: data.op == Op::Sext, resolve: &|v| v, is_uniform }.range(data.args[0]).is_some()
    }

    /// Spreads labels from a divergent branch.
    fn part(&mut self, func: &Func, facts: &Facts, branch: Block) {
        let end = facts.post.of(branch);
        // A label is the number of a target, or, above those, the block where lanes have met.
        let mut labels: Vec<Option<u32>> = vec![None; func.blocks.len()];
        let mut work: Vec<Block> = Vec::new();
        let met = func.blocks.len() as u32;
        let mut arrivals: Vec<(Block, u32)> =
            func.blocks[branch].term.targets().into_iter().enumerate().map(|(i, t)| (t.block, i as u32)).collect();
        loop {
            for (block, label) in arrivals.drain(..).filter(|&(b, _)| facts.within(b)) {
                let old = labels[block.index()];
                let new = if old.is_none_or(|l| l == label) { label } else { met + block.0 };
                if old.is_some_and(|l| l != label) {
                    self.joins[block.index()] = true;
                }
                if old != Some(new) {
                    labels[block.index()] = Some(new);
                    work.push(block);
                }
            }
            let Some(block) = work.pop() else { break };
            if Some(block) == end {
                continue;
            }
            self.masked[block.index()] = true;
            // Round a loop: others have left it.
            let around = facts.inner_loop(block).filter(|&l| facts.loops.loops[l].header == block);
            if let Some(l) = around.filter(|&l| facts.contains(l, branch) && !self.divergent_loops[l]) {
                self.divergent_loops[l] = true;
                self.mark_loop(func, facts, l);
            }
            if block != branch
                && let Some(label) = labels[block.index()]
            {
                arrivals.extend(func.blocks[block].term.targets().into_iter().map(|t| (t.block, label)));
            }
        }
    }

    /// A divergent loop: its blocks are masked, and lanes meet where it is left.
    fn mark_loop(&mut self, func: &Func, facts: &Facts, l: usize) {
        for &block in &facts.loops.loops[l].blocks {
            self.masked[block.index()] = true;
            for target in func.blocks[block].term.targets() {
                if !facts.contains(l, target.block) {
                    self.joins[target.block.index()] = true;
                }
            }
        }
    }
}

/// Of which 32-bit values, read signed or unsigned, the sum that their operations say in unbounded integers is known to be the
/// value itself, since none of them wraps in a work-item that gets there. `widen::wide` computes that sum in 64 bits.
pub(super) struct Exact<'a> {
    pub func: &'a Func,
    pub signed: bool,
    /// What to take a value for.
    pub resolve: &'a dyn Fn(Value) -> Value,
    /// What all lanes share needs no sum.
    pub is_uniform: &'a dyn Fn(Value) -> bool,
}

impl Exact<'_> {
    /// The range of such a value; none for others.
    pub(super) fn range(&self, v: Value) -> Option<(i64, i64)> {
        self.range_within(v, &mut { MAX_TERMS })
    }

    fn range_within(&self, v: Value, left: &mut u32) -> Option<(i64, i64)> {
        let &Self { func, signed, .. } = self;
        let v = (self.resolve)(v);
        let full = if signed { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, i64::from(u32::MAX)) };
        if func.ty(v) != Type::I32 || *left == 0 {
            return None;
        }
        *left -= 1;
        if (self.is_uniform)(v) {
            let constant =
                func.const_bits(v).map(|bits| if signed { i64::from(bits as i32) } else { i64::from(bits as u32) });
            return Some(constant.map_or(full, |c| (c, c)));
        }
        let data = func.def_inst(v)?;
        let flag = if signed { Flags::NSW } else { Flags::NUW };
        if data.op == Op::Trunci {
            // The facts together: the value is not negative either way.
            let both = data.attr.flags.contains(Flags::NSW | Flags::NUW);
            return data.attr.flags.contains(flag).then_some(if both { (0, i64::from(i32::MAX)) } else { full });
        }
        if data.op == Op::And {
            // Of a number that is exact, and so in 64 bits the same there.
            let mask = func.const_bits(data.args[1]).map(|bits| i64::from(bits as i32)).filter(|&mask| mask >= 0)?;
            return self.range_within(data.args[0], left).map(|_| (0, mask));
        }
        if !matches!(data.op, Op::Add | Op::Sub | Op::Mul | Op::Shl) {
            return None;
        }
        let mut term = |i: usize| {
            let arg = data.args[i];
            // An unsigned addend with the highest bit set is a subtrahend.
            match func.const_bits(arg).filter(|_| data.op == Op::Add) {
                Some(bits) => Some((i64::from(bits as i32), i64::from(bits as i32))),
                None => self.range_within(arg, left),
            }
        };
        let (a, b) = (term(0)?, term(1)?);
        let ends = match data.op {
            Op::Add => [a.0 + b.0, a.1 + b.1, a.0 + b.0, a.1 + b.1],
            Op::Sub => [a.0 - b.1, a.1 - b.0, a.0 - b.1, a.1 - b.0],
            Op::Mul => [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.saturating_mul(y)),
            _ if b.0 != b.1 || b.0 > 31 => return None,
            _ => [a.0 << b.0, a.1 << b.0, a.0 << b.0, a.1 << b.0],
        };
        let (low, high) = (*ends.iter().min()?, *ends.iter().max()?);
        let fits = low >= full.0 && high <= full.1;
        match fits {
            true => Some((low, high)),
            false if data.attr.flags.contains(flag) => Some((low.max(full.0), high.min(full.1))),
            false => None,
        }
    }
}

/// The shape of a sum of strides.
fn stride(s: i64) -> Shape {
    if s == 0 { Shape::Uniform } else { Shape::Affine(s) }
}

/// Every lane has its own copy of private memory.
fn private_stride(func: &Func, facts: &Facts, data: &InstData) -> Shape {
    match data.imm {
        Imm::Slot(slot) => Shape::Affine(facts.woven.stride(slot, &func.slots[slot]) as i64),
        _ => Shape::Varying,
    }
}
