//! Rows of memory, one for each lane, that a loop reads element by element: instead of a gather a turn, four turns are
//! done at once, for which each lane loads four elements of its row, and the four vectors are turned to have an element
//! of all rows each.
//!
//! ```text
//! for k: s += gather f32 a, row * n + k
//!   → for k, k + 4, ..: r(0) .. r(15) = load f32x4 a + row(lane) * n + k
//!       s += column 0 of r; .. s += column 3 of r
//!     for k: s += gather f32 a, row * n + k
//! ```
//! A line of memory is then read by few instructions close together, before other rows that have its place in the cache
//! push it out. The loop counts by one to a limit, all lanes go round it equally often, and it writes nothing; the old
//! loop does what is left. Takes SSA form in lanes.

use super::access::LaneAddress;
use crate::analysis::induction::{Bound, Counted, Induction};
use crate::ir::Origin;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Copies, Func, Imm, Inst, IntPred, Op, Scalar, Target, Term, Type, Value};
use crate::loops::simplify::preheader;

/// Turns that are done at once, and elements of a row that are loaded.
const TURNS: usize = 4;
/// Most gathers of a loop; the addresses of rows need registers.
const MOST: usize = 2;
/// Most instructions made for a loop.
const MAX_INSTS: usize = 400;

/// Rewrites the loops that read rows; true if there were any.
pub(crate) fn run(func: &mut Func) -> bool {
    let (cfg, _, loops) = Loops::of_func(func);
    let mut any = false;
    for l in &loops.loops {
        if let Some(rows) = Rows::find(func, &cfg, l) {
            rows.rewrite(func);
            any = true;
        }
    }
    any
}

/// A gather whose lanes read elements of rows that are all at the same place in a turn, and one further in the next.
struct Row {
    inst: Inst,
    /// Where the rows begin; does not change in the loop.
    rows: LaneAddress,
    turn: Value,
    /// The index of `rows` and `turn` are 32-bit numbers without a sign, whose sum may wrap.
    wraps: bool,
}

/// A loop of two blocks that reads rows.
struct Rows {
    before: Block,
    header: Block,
    body: Block,
    /// Its counter, what it is compared with, and what tells in the header that there is a turn more.
    count: Value,
    limit: Value,
    more: Value,
    more_if: bool,
    /// The counter is exact as a signed and as an unsigned number.
    signed: bool,
    unsigned: bool,
    found: Vec<Row>,
}

impl Rows {
    fn find(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Self> {
        let (&[header, body], &[latch]) = (&l.blocks[..], &l.latches[..]) else { return None };
        let before = preheader(func, cfg, l)?;
        let Term::Jump(_) = &func.blocks[body].term else { return None };
        let Term::Br { cond, .. } = &func.blocks[header].term else { return None };
        let computes = |&inst: &Inst| {
            let data = &func.insts[inst];
            let reads = matches!(data.op, Op::Load | Op::Gather | Op::LoadMasked);
            let plain = reads && !data.attr.flags.contains(Flags::VOLATILE) || data.op.row().effects.is_empty();
            plain && data.result.is_some()
        };
        let [tests, turn] = [header, body].map(|b| &func.blocks[b].insts);
        if body != latch
            || !func.blocks[body].params.is_empty()
            || (tests.len() + turn.len()) * TURNS > MAX_INSTS
            || !tests.iter().all(computes)
            || !turn.iter().all(computes)
        {
            return None;
        }
        let homes = func.homes(&[header, body]);
        let inside = |v: Value| homes[v.index()].is_some();
        let counted = Counted::by_test(func, cfg, l, header).filter(|c| c.step == 1)?;
        let Bound { pred, than: limit, is_next, if_true: more_if, .. } = counted.bound;
        let Induction { now: count, next, .. } = counted.counter;
        if is_next || inside(limit) {
            return None;
        }
        // What is left, `limit - count`, is then how often the loop goes round, or one less.
        let (signed, unsigned) = match pred {
            IntPred::SLt | IntPred::SLe => (true, false),
            IntPred::ULt | IntPred::ULe => (false, true),
            IntPred::Ne => (false, false),
            _ => return None,
        };
        let signed = signed || func.def_inst(next).is_some_and(|sum| sum.attr.flags.contains(Flags::NSW));
        let mut this =
            Self { before, header, body, count, limit, more: *cond, more_if, signed, unsigned, found: Vec::new() };
        for &inst in turn {
            let row = this.row(func, &inside, inst);
            this.found.extend(row);
        }
        (1..=MOST).contains(&this.found.len()).then_some(this)
    }

    fn row(&self, func: &Func, inside: &dyn Fn(Value) -> bool, inst: Inst) -> Option<Row> {
        let data = &func.insts[inst];
        let (address, ty) = (LaneAddress::of(func, data)?, func.ty(data.result?));
        let all = func.const_bits(data.args[2]).is_some_and(|bits| bits & 1 == 1);
        if !all || ty.elem.bytes() != 4 || !matches!(ty.lanes, 8 | 16) {
            return None;
        }
        if !inside(address.index) {
            let base = func.def_inst(address.root).filter(|base| base.op == Op::PtrAdd && !inside(base.args[0]))?;
            let &Imm::Scale { scale: 4, disp } = &base.imm else { return None };
            let (root, turn) = (base.args[0], base.args[1]);
            let rows = LaneAddress { root, disp: address.disp.checked_add(disp)?, ..address };
            return self.counts(func, inside, turn).then_some(Row { inst, rows, turn, wraps: false });
        }
        let (address, wraps) = address.unsigned(func).map_or((address, false), |address| (address, true));
        let sum = func.def_inst(address.index).filter(|sum| sum.op == Op::Add)?;
        let (index, turn) = match sum.args[..] {
            [a, b] if !inside(a) => (a, b),
            [a, b] if !inside(b) => (b, a),
            _ => return None,
        };
        let turn = func.def_inst(turn).filter(|data| data.op == Op::Splat)?.args[0];
        let exact = match wraps {
            true => turn == self.count,
            false => {
                let exact = func.ty(turn) == Type::I64 || sum.attr.flags.contains(Flags::NSW);
                exact && self.counts(func, inside, turn)
            }
        };
        let rows = LaneAddress { index, ..address };
        (exact && rows.scale == 4 && !inside(rows.root)).then_some(Row { inst, rows, turn, wraps })
    }

    /// True if a number is greater by exactly one in the next turn, as a signed one.
    fn counts(&self, func: &Func, inside: &dyn Fn(Value) -> bool, v: Value) -> bool {
        if v == self.count {
            return self.signed || func.ty(v) == Type::I64;
        }
        let Some(data) = func.def_inst(v).filter(|_| inside(v)) else { return false };
        match (data.op, &data.args[..]) {
            (Op::Sext, &[a]) => func.ty(a) == Type::I32 && self.counts(func, inside, a),
            (Op::Zext, &[a]) => self.unsigned && a == self.count,
            (Op::Add, &[a, b]) => {
                let exact = func.ty(v) == Type::I64 || data.attr.flags.contains(Flags::NSW);
                let [a_counts, b_counts] = [(a, b), (b, a)].map(|(x, y)| !inside(y) && self.counts(func, inside, x));
                exact && (a_counts || b_counts)
            }
            _ => false,
        }
    }

    fn rewrite(&self, func: &mut Func) {
        let args_of = |func: &Func, block: Block| func.blocks[block].term.targets()[0].args.to_vec();
        let [start, back] = [self.before, self.body].map(|block| args_of(func, block));
        let [turn, front] = [(); 2].map(|()| func.add_block());
        func.insert_blocks(self.header, &[front, turn]);
        let params = func.blocks[self.header].params.clone();
        let mut now = start.clone();
        for (&v, now) in params.iter().zip(&mut now) {
            let ty = func.ty(v);
            *now = func.add_param(turn, ty);
        }
        let starts: Vec<Vec<Value>> =
            self.found.iter().map(|row| row.addresses(&mut Builder::new(func, front))).collect();
        func.blocks[front].term = Term::Jump(Target { block: turn, args: start.iter().copied().collect() });
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for n in 0..TURNS {
            let mut b = Builder::new(func, turn);
            let mut copies = self.tests(&mut b, &now);
            for inst in b.func.blocks[self.body].insts.clone() {
                let Some(at) = self.found.iter().position(|row| row.inst == inst) else {
                    copies.inst(&mut b, inst);
                    continue;
                };
                let row = &self.found[at];
                if n == 0 {
                    columns.push(row.columns(&mut b, copies.value(row.turn), &starts[at]));
                }
                copies.set(b.func.insts[inst].result.expect("a gather has a result"), columns[at][n]);
            }
            now = copies.values(&back).to_vec();
        }
        self.go_on(func, self.before, front, &start, &[]);
        self.go_on(func, turn, turn, &now, &now);
    }

    /// Copies the header's instructions, its parameters being these values.
    fn tests(&self, b: &mut Builder<'_>, values: &[Value]) -> Copies {
        let mut copies = Copies::default();
        let header = &b.func.blocks[self.header];
        header.params.iter().zip(values).for_each(|(&param, &v)| copies.set(param, v));
        header.insts.clone().into_iter().for_each(|inst| _ = copies.inst(b, inst));
        copies
    }

    /// Ends a block: if there are `TURNS` more turns, it goes to `to`, else to the old loop.
    fn go_on(&self, func: &mut Func, block: Block, to: Block, values: &[Value], args: &[Value]) {
        let mut b = Builder::new(func, block);
        let copies = self.tests(&mut b, values);
        let count = copies.value(self.count);
        let left = b.op(Op::Sub, &[self.limit, count]);
        let many = b.icmp_bits(IntPred::UGt, left, TURNS as u64 - 1);
        let mut more = copies.value(self.more);
        if !self.more_if {
            more = b.op(Op::Not, &[more]);
        }
        let mut cond = b.op(Op::And, &[more, many]);
        for row in self.found.iter().filter(|row| row.wraps) {
            let rows = row.rows.index;
            let last = b.op_bits(Op::Add, count, TURNS as u64 - 1);
            let last = b.convert(Op::Splat, b.func.ty(rows), last);
            let last = b.op(Op::Add, &[rows, last]);
            let exact = b.icmp(IntPred::UGe, last, rows);
            let exact = b.convert(Op::MaskAll, Type::I1, exact);
            cond = b.op(Op::And, &[cond, exact]);
        }
        let then = Target { block: to, args: args.iter().copied().collect() };
        let els = Target { block: self.header, args: values.iter().copied().collect() };
        b.end(Term::Br { cond, then, els });
    }
}

impl Row {
    /// How numbers of 32 bits become addresses.
    fn extend(&self) -> Op {
        if self.wraps { Op::Zext } else { Op::Sext }
    }

    /// Where each lane's row begins.
    fn addresses(&self, b: &mut Builder<'_>) -> Vec<Value> {
        let LaneAddress { root, index, scale, disp } = self.rows;
        let ty = b.func.ty(index);
        let address = |lane: u8| {
            let mut row = b.emit(Op::Extract, ty.lane(), &[index], Imm::Lane(lane));
            if ty.elem != Scalar::I64 {
                row = b.convert(self.extend(), Type::I64, row);
            }
            b.ptr_add(root, row, scale, disp)
        };
        (0..ty.lanes).map(address).collect()
    }

    /// Vectors of what the lanes read in this turn and the next ones.
    fn columns(&self, b: &mut Builder<'_>, turn: Value, starts: &[Value]) -> Vec<Value> {
        let data = b.func.insts[self.inst].clone();
        let ty = b.func.ty(data.result.expect("a type was given"));
        let mut turn = turn;
        if b.func.ty(turn) != Type::I64 {
            turn = b.convert(self.extend(), Type::I64, turn);
        }
        let load = |b: &mut Builder<'_>, start: Value| {
            let at = b.ptr_add(start, turn, 4, 0);
            let attr = Attr { align: 4, flags: data.attr.flags, ..Attr::default() };
            b.origin = data.origin;
            let loaded = b.load(ty.with_lanes(4), at, attr);
            b.origin = Origin::UNKNOWN;
            loaded
        };
        let shuffle = |b: &mut Builder<'_>, pair: [Value; 2], n: u8, pick: &dyn Fn(u8) -> u8| {
            let lanes = Imm::Lanes((0..n).map(pick).collect());
            b.emit(Op::Shuffle, ty.with_lanes(n), &pair, lanes)
        };
        let n = ty.lanes;
        // Each fourth row, one after the other in a vector.
        let quads: Vec<Value> = (0..TURNS)
            .map(|first| {
                let mut parts: Vec<Value> =
                    starts[first..].iter().step_by(TURNS).map(|&start| load(b, start)).collect();
                while let [x, y, ..] = parts[..] {
                    let lanes = 2 * b.func.ty(x).lanes;
                    parts.push(shuffle(b, [x, y], lanes, &|lane| lane));
                    parts.drain(..2);
                }
                parts[0]
            })
            .collect();
        // Of two vectors, quarter by quarter: lanes 0 to 3 of the first and 4 to 7 of the second.
        let mut pick = |pair: [Value; 2], lanes: [u8; 4]| {
            let lane = |i: u8| {
                let lane = lanes[usize::from(i % 4)];
                lane % 4 + i / 4 * 4 + if lane < 4 { 0 } else { n }
            };
            shuffle(b, pair, n, &lane)
        };
        let mut columns = Vec::new();
        for lanes in [[0, 4, 1, 5], [2, 6, 3, 7]] {
            let halves = [pick([quads[0], quads[1]], lanes), pick([quads[2], quads[3]], lanes)];
            for lanes in [[0, 1, 4, 5], [2, 3, 6, 7]] {
                columns.push(pick(halves, lanes));
            }
        }
        columns
    }
}
