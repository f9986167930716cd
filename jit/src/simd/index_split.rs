//! Index vectors of a loop as the sum of a scalar and a *pattern*: a vector that is the same in every turn.
//!
//! ```text
//! splat(x) + v         → x, v                     if v comes from outside the loop
//! (a + p) & m          → a & m, p & m             if a is a multiple of 2^k and all lanes of p are below 2^k
//! ```
//! so that `2 * l - (l & (gap - 1))`, with the work-item l in lanes and `gap` the same in all turns, has a pattern that
//! is known before the loop. Sums are of 32 bits and wrap. Parts are kept as expressions until somebody wants
//! instructions. Must not know memory.

use crate::analysis::induction::Induction;
use crate::analysis::range::{low_zeros, upper_bound};
use crate::ir::clone::rematerialise;
use crate::ir::dom::Loop;
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Copies, Func, Imm, Op, Scalar, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Levels of operations that are looked through.
const DEPTH: u32 = 12;

/// An expression, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Expr(usize);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Value(Value),
    Bits(u64),
    Binary(Op, Expr, Expr),
}

/// A vector as a sum.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// None for 0.
    pub scalar: Option<Expr>,
    /// None for 0 in all lanes.
    pub pattern: Option<Expr>,
    /// The scalar is a multiple of 2 to this.
    align: u32,
    /// All lanes of the pattern, read unsigned, are below this.
    below: u64,
}

/// Sums of vectors of one loop.
pub(super) struct Sums<'a> {
    l: &'a Loop,
    /// The block before the loop.
    before: Block,
    /// The block of each value.
    homes: &'a [Option<Block>],
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Expr>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(l: &'a Loop, before: Block, homes: &'a [Option<Block>]) -> Self {
        Self { l, before, homes, nodes: Vec::new(), numbers: FxHashMap::default() }
    }

    /// True if a value is there before the loop.
    pub(super) fn is_outside(&self, v: Value) -> bool {
        !self.inside(v)
    }

    fn inside(&self, v: Value) -> bool {
        self.homes[v.index()].is_some_and(|b| self.l.blocks.contains(&b))
    }

    fn node(&mut self, node: Node) -> Expr {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            Expr(self.nodes.len() - 1)
        })
    }

    /// `a op b`, where none is 0: fine for sums, and for what gives 0 if the first operand is 0.
    fn binary(&mut self, op: Op, a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
        match (op, a, b) {
            (Op::Add | Op::Or | Op::Xor, None, x) | (_, x, None) => x,
            (Op::Sub, None, Some(b)) => {
                let zero = self.node(Node::Bits(0));
                Some(self.node(Node::Binary(op, zero, b)))
            }
            (_, None, _) => None,
            (_, Some(a), Some(b)) => Some(self.node(Node::Binary(op, a, b))),
        }
    }

    /// The sum of a vector of 32-bit integers.
    pub(super) fn of(&mut self, func: &Func, v: Value) -> Option<Sum> {
        self.sum(func, v, DEPTH)
    }

    fn sum(&mut self, func: &Func, v: Value, depth: u32) -> Option<Sum> {
        if depth == 0 || func.ty(v).elem != Scalar::I32 {
            return None;
        }
        if !self.inside(v) {
            let below = upper_bound(func, v) + 1;
            let pattern = if below == 1 { None } else { Some(self.node(Node::Value(v))) };
            return Some(Sum { scalar: None, pattern, align: 32, below });
        }
        let data = func.def_inst(v)?.clone();
        if data.op == Op::Splat {
            let x = data.args[0];
            if !self.can_repeat(func, x, depth) {
                return None;
            }
            let scalar = Some(self.node(Node::Value(x)));
            return Some(Sum { scalar, pattern: None, align: self.align(func, x, depth), below: 1 });
        }
        if !matches!(data.op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::And | Op::Or | Op::Xor) {
            return None;
        }
        let [first, other] = match data.args[..] {
            [a, b] if data.op.is_commutative() && !self.inside(a) => [b, a],
            [a, b] => [a, b],
            _ => return None,
        };
        let a = self.sum(func, first, depth - 1)?;
        if matches!(data.op, Op::Add | Op::Sub) {
            let b = self.sum(func, other, depth - 1)?;
            let below = match (data.op, b.pattern) {
                (Op::Add, _) => (a.below + b.below - 1).min(1 << 32),
                (_, None) => a.below,
                _ => 1 << 32,
            };
            let scalar = self.binary(data.op, a.scalar, b.scalar);
            let pattern = self.binary(data.op, a.pattern, b.pattern);
            return Some(Sum { scalar, pattern, align: a.align.min(b.align), below });
        }
        // One operand is the same in all lanes and turns.
        let bits = func.const_bits(other);
        let scalar = match (bits, func.def_inst(other)) {
            (Some(bits), _) => Node::Bits(bits),
            (_, Some(d)) if d.op == Op::Splat && !self.inside(d.args[0]) => Node::Value(d.args[0]),
            _ => return None,
        };
        let [scalar, vector] = [scalar, Node::Value(other)].map(|node| Some(self.node(node)));
        let mut sum = Sum {
            scalar: self.binary(data.op, a.scalar, scalar),
            pattern: self.binary(data.op, a.pattern, vector),
            ..a
        };
        match data.op {
            Op::Mul => {
                sum.align = (a.align + bits.map_or(0, |b| b.trailing_zeros())).min(32);
                sum.below = bits.map_or(1 << 32, |b| ((a.below - 1).saturating_mul(b) + 1).min(1 << 32));
            }
            Op::Shl => {
                let by = bits.map(|b| b as u32 & 31);
                sum.align = (a.align + by.unwrap_or(0)).min(32);
                sum.below = by.map_or(1 << 32, |by| (((a.below - 1) << by) + 1).min(1 << 32));
            }
            // The lowest bits are the pattern's, the others the scalar's.
            _ if a.below > 1 << a.align => return None,
            Op::And => {}
            _ => {
                let low = self.node(Node::Bits((1 << a.align) - 1));
                let high = self.node(Node::Bits(!((1u64 << a.align) - 1) & 0xffff_ffff));
                let [high, low] = [(scalar, high), (vector, low)].map(|(m, part)| self.binary(Op::And, m, Some(part)));
                sum.scalar = self.binary(data.op, a.scalar, high);
                sum.pattern = self.binary(data.op, a.pattern, low);
                sum.below = 1 << a.align;
            }
        }
        Some(sum)
    }

    /// A scalar is a multiple of 2 to this.
    fn align(&self, func: &Func, v: Value, depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        match func.values[v].def {
            ValueDef::Inst(inst) => low_zeros(func, &func.insts[inst], |v| self.align(func, v, depth - 1)).min(32),
            // What goes round grows by a constant.
            ValueDef::Param(..) => {
                let counter = Induction::of(func, self.l, v).and_then(|c| Some((c.at, c.by(func)? as u64)));
                let start = func.blocks[self.before].term.only_target(self.l.header);
                let ends =
                    counter.zip(start).and_then(|((at, step), start)| Some((func.const_bits(start.args[at])?, step)));
                ends.map_or(0, |(first, step)| (first | step).trailing_zeros().min(32))
            }
        }
    }

    /// True if a scalar can be computed at the top of the loop.
    fn can_repeat(&self, func: &Func, v: Value, depth: u32) -> bool {
        if !self.inside(v) {
            return true;
        }
        match func.values[v].def {
            ValueDef::Param(block, _) => block == self.l.header,
            ValueDef::Inst(inst) => {
                let data = &func.insts[inst];
                data.op.is_pure() && depth > 0 && data.args.iter().all(|&a| self.can_repeat(func, a, depth - 1))
            }
        }
    }

    /// Makes instructions of an expression of type `ty`. `copies` has the values of the loop that exist there.
    pub(super) fn emit(&self, b: &mut Builder<'_>, ty: Type, expr: Option<Expr>, copies: &Copies) -> Value {
        match expr.map(|e| self.nodes[e.0]) {
            None => b.bits(ty, 0),
            Some(Node::Bits(bits)) => b.bits(ty, bits),
            Some(Node::Value(v)) => self.repeat(b, v, copies),
            Some(Node::Binary(op, left, right)) => {
                let operands = [left, right].map(|e| self.emit(b, ty, Some(e), copies));
                b.emit(op, ty, &operands, Imm::None)
            }
        }
    }

    fn repeat(&self, b: &mut Builder<'_>, v: Value, copies: &Copies) -> Value {
        rematerialise(b, v, &|_, v| if self.inside(v) { copies.get(v).ok_or(v) } else { Ok(v) })
    }
}
