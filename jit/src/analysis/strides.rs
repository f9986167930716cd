//! How values differ between neighbours: work-items next to each other in one dimension, or groups. A forward data-flow
//! analysis over a lattice of a few levels. A rough guide to what memory sees, not a proof: sums and products with
//! values that are the same for both count, wrapping does not, and a clamped, mirrored or masked index is taken for the
//! index.

use super::address::growth;
use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, Inst, InstData, Op, Value, ValueDef};
use smallvec::SmallVec;
use std::ops::BitOr;

/// Work-items that a group is taken to have in each dimension.
const GROUP: i64 = 16;

/// Whose values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// Work-items'.
    Items,
    /// Those of the same work-item of two groups.
    Groups,
}

/// How a value differs between neighbours in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Not seen yet.
    Unknown,
    /// By so much (bytes, for pointers); 0 if not at all.
    By(i64),
    /// Otherwise.
    Irregular,
}

impl Stride {
    fn times(self, n: i64) -> Self {
        match self {
            Self::By(by) => Self::By(by.wrapping_mul(n)),
            other => other,
        }
    }
}

/// The dimension that a query of ids asks for.
pub fn dim(data: &InstData) -> Option<u8> {
    match data.imm {
        Imm::Dim(d) => Some(d.min(2)),
        _ => None,
    }
}

/// The strides of all values of a function in kernel form.
pub struct Strides<'f> {
    func: &'f Func,
    neighbours: Neighbours,
    dim: u8,
    /// Arguments, by number, that are taken to be 1.
    ones: u64,
    of: Vec<Stride>,
}

impl<'f> Strides<'f> {
    /// Between neighbours in dimension `dim`.
    pub fn new(func: &'f Func, cfg: &Cfg, neighbours: Neighbours, dim: u8) -> Self {
        Self::with_ones(func, cfg, neighbours, dim, 0)
    }

    /// The same where these arguments, by number, are 1.
    pub fn with_ones(func: &'f Func, cfg: &Cfg, neighbours: Neighbours, dim: u8, ones: u64) -> Self {
        let mut this = Self { func, neighbours, dim, ones, of: vec![Stride::Unknown; func.values.len()] };
        for &param in &func.blocks[func.entry()].params {
            this.of[param.index()] = Stride::By(0);
        }
        // Facts only grow, so that this ends.
        while cfg.rpo().iter().filter(|&&block| this.visit(block)).count() > 0 {}
        this
    }

    /// Arguments, by number, by which something is multiplied that differs between neighbours by a fixed number.
    pub fn factors(&self) -> u64 {
        let is_fixed = |v: Value| matches!(self.of(v), Stride::By(by) if by != 0);
        let factors = |data: &InstData| match (data.op, &data.args[..]) {
            (Op::Mul, &[a, b]) => {
                [(a, b), (b, a)].into_iter().filter(|&(_, of)| is_fixed(of)).map(|(by, _)| by).collect()
            }
            _ => SmallVec::<[Value; 2]>::new(),
        };
        let of_inst =
            |(_, inst)| factors(&self.func.insts[inst]).into_iter().map(|v| self.argument(v)).fold(0, BitOr::bitor);
        self.func.live_insts().map(of_inst).fold(0, BitOr::bitor)
    }

    /// The bit of the argument that a value is, perhaps in another size; none beyond the first 64.
    fn argument(&self, mut v: Value) -> u64 {
        while let Some(data) = self.func.def_inst(v).filter(|d| matches!(d.op, Op::Sext | Op::Zext | Op::Trunci)) {
            v = data.args[0];
        }
        match self.func.values[v].def {
            ValueDef::Param(block, at) if block == self.func.entry() => 1_u64.checked_shl(at).unwrap_or(0),
            _ => 0,
        }
    }

    /// Of one value.
    pub fn of(&self, v: Value) -> Stride {
        self.of[v.index()]
    }

    fn visit(&mut self, block: Block) -> bool {
        let data = &self.func.blocks[block];
        let mut changed = false;
        for &inst in &data.insts {
            if let Some(result) = self.func.insts[inst].result {
                changed |= self.raise(result, self.inst(inst));
            }
        }
        for target in data.term.targets() {
            for (&param, &arg) in self.func.blocks[target.block].params.iter().zip(&target.args) {
                changed |= self.raise(param, self.of[arg.index()]);
            }
        }
        changed
    }

    fn raise(&mut self, v: Value, to: Stride) -> bool {
        let old = self.of[v.index()];
        let new = match (old, to) {
            (Stride::Unknown, new) => new,
            (old, Stride::Unknown) => old,
            (old, new) => either(old, new),
        };
        self.of[v.index()] = new;
        new != old
    }

    fn inst(&self, inst: Inst) -> Stride {
        use Stride::{By, Irregular, Unknown};
        let data = &self.func.insts[inst];
        let stride = |i: usize| self.of[data.args[i].index()];
        let strides = || data.args.iter().map(|v| self.of[v.index()]);
        if strides().any(|s| s == Unknown) {
            return Unknown;
        }
        let of_groups = self.neighbours == Neighbours::Groups;
        match (data.op, &data.imm) {
            (Op::Gid | Op::Lid | Op::Grp, _) => self.id(data),
            (op, _) if op != Op::Load && !op.is_pure() => Irregular,
            _ if strides().all(|s| s == By(0)) => By(0),
            (Op::Sext | Op::Zext, _) => stride(0),
            (Op::Mul, _) if self.argument(data.args[0]) & self.ones != 0 => stride(1),
            (Op::Mul, _) if self.argument(data.args[1]) & self.ones != 0 => stride(0),
            (Op::Mul, _) if of_groups && self.is_group_size(data.args[0]) => stride(1).times(GROUP),
            (Op::Mul, _) if of_groups && self.is_group_size(data.args[1]) => stride(0).times(GROUP),
            (Op::MinS | Op::MinU | Op::MaxS | Op::MaxU, _) => either(stride(0), stride(1)),
            (Op::Select, _) => either(stride(1), stride(2)),
            (Op::And | Op::RemS | Op::RemU | Op::DivS | Op::DivU | Op::Ashr | Op::Lshr, _) => match stride(0) {
                By(by) => self.quotient_or_remainder(data, by).map_or(Irregular, By),
                other => other,
            },
            _ => growth(self.func, data, |i| if let By(s) = stride(i) { Some(s) } else { None }).map_or(Irregular, By),
        }
    }

    /// How the quotient or the remainder of a division by a constant differs between most neighbours.
    fn quotient_or_remainder(&self, data: &InstData, by: i64) -> Option<i64> {
        let bits = self.func.const_bits(data.args[1]).and_then(|bits| i64::try_from(bits).ok())?;
        let divisor = match data.op {
            Op::And => bits.checked_add(1).filter(|n| n.count_ones() == 1)?,
            Op::Ashr | Op::Lshr => 1_i64.checked_shl(bits.try_into().ok()?)?,
            _ => bits,
        };
        match data.op {
            _ if divisor <= 0 => None,
            Op::And | Op::RemS | Op::RemU => Some(if by % divisor == 0 { 0 } else { by }),
            _ if by % divisor == 0 => Some(by / divisor),
            _ => (by.unsigned_abs() < divisor.unsigned_abs()).then_some(0),
        }
    }

    fn id(&self, data: &InstData) -> Stride {
        let by = match (self.neighbours, data.op) {
            (Neighbours::Items, Op::Gid | Op::Lid) | (Neighbours::Groups, Op::Grp) => 1,
            (Neighbours::Groups, Op::Gid) => GROUP,
            _ => 0,
        };
        Stride::By(if dim(data) == Some(self.dim) { by } else { 0 })
    }

    fn is_group_size(&self, v: Value) -> bool {
        self.func.def_inst(v).is_some_and(|data| match data.op {
            Op::Lsz | Op::Elsz => true,
            Op::Trunci | Op::Zext | Op::Sext => self.is_group_size(data.args[0]),
            _ => false,
        })
    }
}

/// The stride of one of two values, and of what is either: few indices are mirrored or clamped at a border, so that the
/// others count.
fn either(a: Stride, b: Stride) -> Stride {
    match (a, b) {
        (Stride::By(0), s) | (s, Stride::By(0)) => s,
        (a, b) if a == b => a,
        (Stride::By(a), Stride::By(b)) if a == b.wrapping_neg() => Stride::By(a.max(b)),
        _ => Stride::Irregular,
    }
}
