//! Rows of memory, one for each lane, that a loop reads element by element: instead of a gather a turn, four turns are done at
//! once, for which each lane loads four elements of its row, and the four vectors are turned to have an element of all rows each.
//!
//! ```text
//! for k: s += gather f32 a, row * n + k           →   for k, k + 4, ..: r(0) .. r(15) = load f32x4 a + row(lane) * n + k
//!                                                       s += column 0 of r; .. s += column 3 of r
//!                                                     for k: s += gather f32 a, row * n + k
//! ```
//! A line of memory is then read by few instructions close together, before other rows that have its place in the cache push it
//! out. The loop counts by one to a limit, all lanes go round it equally often, and it writes nothing; the old loop
//! does what is left. Takes SSA form in lanes.

use super::split::push;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Target, Term, Type, Value, ValueDef};
use crate::pass::licm::make_preheaders;

/// Turns that are done at once, and elements of a row that are loaded.
const TURNS: usize = 4;
/// Most gathers of a loop; the addresses of rows need registers.
const MOST: usize = 2;
/// Half of the 32-bit numbers.
const HALF: u64 = 1 << 31;
/// Most instructions made for a loop.
const MAX_INSTS: usize = 400;

/// Rewrites the loops that read rows; true if there were any.
pub(super) fn run(func: &mut Func) -> bool {
    if !func.live_insts().any(|(_, i)| func.insts[i].op == Op::Gather) || !make_preheaders(func) {
        return false;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let mut any = false;
    for l in &loops.loops {
        if let Some(rows) = Rows::find(func, &cfg, l) {
            rows.rewrite(func);
            any = true;
        }
    }
    any
}

/// A gather whose lanes read `root + offset + rows * scale + disp + turn * 4`, where only `turn` changes in the loop, by 1.
struct Row {
    inst: Inst,
    root: Value,
    offset: i64,
    rows: Value,
    scale: u32,
    disp: i64,
    turn: Value,
    /// `rows` and `turn` are 32-bit numbers without a sign, whose sum may wrap.
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
        let mut outside = cfg.preds(header).iter().copied().filter(|&b| b != latch);
        let before = outside.next().filter(|_| outside.next().is_none())?;
        let (Term::Jump(_), Term::Jump(back)) = (&func.blocks[before].term, &func.blocks[body].term) else {
            return None;
        };
        let Term::Br { cond, then, els } = &func.blocks[header].term else { return None };
        let more_if = match (then.block == body, els.block == body) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
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
        let test = func.def_inst(*cond).filter(|data| data.op == Op::Icmp)?;
        let &Imm::IntPred(pred) = &test.imm else { return None };
        let (count, limit, pred) = match test.args[..] {
            [a, b] if !inside(b) => (a, b, pred),
            [a, b] if !inside(a) => (b, a, pred.swapped()),
            _ => return None,
        };
        let pred = if more_if { pred } else { pred.inverted() };
        let ValueDef::Param(home, at) = func.values[count].def else { return None };
        let next = *back.args.get(at as usize).filter(|_| home == header)?;
        let step = func.def_inst(next).filter(|data| data.op == Op::Add && data.args[0] == count)?;
        if func.const_bits(step.args[1]) != Some(1) {
            return None;
        }
        // What is left, `limit - count`, is then how often the loop goes round, or one less.
        let (signed, unsigned) = match pred {
            IntPred::SLt | IntPred::SLe => (true, false),
            IntPred::ULt | IntPred::ULe => (false, true),
            IntPred::Ne => (false, false),
            _ => return None,
        };
        let signed = signed || step.attr.flags.contains(Flags::NSW);
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
        let (Op::Gather, &Imm::Scale { scale, disp }) = (data.op, &data.imm) else { return None };
        let ty = func.ty(data.result?);
        let all = func.const_bits(data.args[2]).is_some_and(|bits| bits & 1 == 1);
        if !all || ty.elem.bytes() != 4 || !matches!(ty.lanes, 8 | 16) {
            return None;
        }
        let (mut root, rows) = (data.args[0], data.args[1]);
        let mut offset = 0i64;
        while let Some(InstData { op: Op::PtrOff, imm: Imm::Disp(more), args, .. }) = func.def_inst(root)
            && inside(root)
        {
            offset = offset.checked_add(*more)?;
            root = args[0];
        }
        if !inside(rows) {
            let base = func.def_inst(root).filter(|base| base.op == Op::PtrAdd && !inside(base.args[0]))?;
            let &Imm::Scale { scale: 4, disp: more } = &base.imm else { return None };
            let (root, turn) = (base.args[0], base.args[1]);
            let offset = offset.checked_add(more)?;
            return self.counts(func, inside, turn).then_some(Row {
                inst,
                root,
                offset,
                rows,
                scale,
                disp,
                turn,
                wraps: false,
            });
        }
        // An unsigned number as an index is a signed one less by half of all there are.
        let (sum, wraps) = match func.def_inst(rows)? {
            half if half.op == Op::Xor && is_half(func, half.args[1]) => (func.def_inst(half.args[0])?, true),
            sum => (sum, false),
        };
        let (rows, turn) = match sum.args[..] {
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
        let fits = exact && sum.op == Op::Add && scale == 4 && !inside(root);
        fits.then_some(Row { inst, root, offset, rows, scale, disp, turn, wraps })
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
        let place = func.layout.iter().position(|&b| b == self.header).expect("in the layout");
        let turn = func.add_block();
        func.layout.insert(place, turn);
        let front = func.add_block();
        func.layout.insert(place, front);
        let params = func.blocks[self.header].params.clone();
        let mut now = start.clone();
        for (&v, now) in params.iter().zip(&mut now) {
            let ty = func.ty(v);
            *now = func.add_param(turn, ty);
        }
        let starts: Vec<Vec<Value>> = self.found.iter().map(|row| row.addresses(func, front)).collect();
        func.blocks[front].term = Term::Jump(Target { block: turn, args: start.iter().copied().collect() });
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for n in 0..TURNS {
            let mut map = Map::new(func, &params, &now);
            map.copy(func, self.header, turn);
            for at in 0..func.blocks[self.body].insts.len() {
                let inst = func.blocks[self.body].insts[at];
                let Some(row) = self.found.iter().position(|row| row.inst == inst) else {
                    map.copy_inst(func, inst, turn);
                    continue;
                };
                if n == 0 {
                    let at = map.of(self.found[row].turn);
                    columns.push(self.found[row].columns(func, turn, at, &starts[row]));
                }
                map.set(func, inst, columns[row][n]);
            }
            now = back.iter().map(|&v| map.of(v)).collect();
        }
        self.go_on(func, self.before, front, &start, &[]);
        self.go_on(func, turn, turn, &now, &now);
    }

    /// Ends a block: if there are `TURNS` more turns, it goes to `to`, else to the old loop.
    fn go_on(&self, func: &mut Func, block: Block, to: Block, values: &[Value], args: &[Value]) {
        let params = func.blocks[self.header].params.clone();
        let mut map = Map::new(func, &params, values);
        map.copy(func, self.header, block);
        let count = map.of(self.count);
        let ty = func.ty(self.limit);
        let left = push(func, block, Op::Sub, ty, &[self.limit, count], Imm::None);
        let few = push(func, block, Op::Const, ty, &[], Imm::Bits(TURNS as u64 - 1));
        let many = push(func, block, Op::Icmp, Type::I1, &[left, few], Imm::IntPred(IntPred::UGt));
        let mut more = map.of(self.more);
        if !self.more_if {
            more = push(func, block, Op::Not, Type::I1, &[more], Imm::None);
        }
        let mut cond = push(func, block, Op::And, Type::I1, &[more, many], Imm::None);
        for row in self.found.iter().filter(|row| row.wraps) {
            let ty = func.ty(row.rows);
            let last = push(func, block, Op::Add, Type::I32, &[count, few], Imm::None);
            let last = push(func, block, Op::Splat, ty, &[last], Imm::None);
            let last = push(func, block, Op::Add, ty, &[row.rows, last], Imm::None);
            let lanes = ty.with_elem(Scalar::I1);
            let exact = push(func, block, Op::Icmp, lanes, &[last, row.rows], Imm::IntPred(IntPred::UGe));
            let exact = push(func, block, Op::MaskAll, Type::I1, &[exact], Imm::None);
            cond = push(func, block, Op::And, Type::I1, &[cond, exact], Imm::None);
        }
        let then = Target { block: to, args: args.iter().copied().collect() };
        let els = Target { block: self.header, args: values.iter().copied().collect() };
        func.blocks[block].term = Term::Br { cond, then, els };
    }
}

/// Values of the old loop as values of a copy of it, by their numbers; others are themselves.
struct Map(Vec<Value>);

impl Map {
    fn new(func: &Func, from: &[Value], to: &[Value]) -> Self {
        let mut this = Self(func.values.keys().collect());
        for (v, &new) in from.iter().zip(to) {
            this.0[v.index()] = new;
        }
        this
    }
    fn of(&self, v: Value) -> Value {
        self.0[v.index()]
    }
    fn set(&mut self, func: &Func, inst: Inst, new: Value) {
        let result = func.insts[inst].result.expect("a type was given");
        self.0[result.index()] = new;
    }
    /// Copies an instruction to the end of a block.
    fn copy_inst(&mut self, func: &mut Func, inst: Inst, block: Block) {
        let InstData { op, args, imm, attr, span, result } = func.insts[inst].clone();
        let args: Vec<Value> = args.iter().map(|&v| self.of(v)).collect();
        let ty = result.map(|v| func.ty(v));
        let new = func.make_inst(op, ty, &args, imm, attr, span);
        func.blocks[block].insts.push(new);
        self.set(func, inst, func.insts[new].result.expect("a type was given"));
    }
    /// Copies all instructions of a block to the end of another.
    fn copy(&mut self, func: &mut Func, from: Block, to: Block) {
        for inst in func.blocks[from].insts.clone() {
            self.copy_inst(func, inst, to);
        }
    }
}

impl Row {
    /// Each lane's `root + offset + rows * scale + disp`.
    fn addresses(&self, func: &mut Func, block: Block) -> Vec<Value> {
        let (ty, ptr) = (func.ty(self.rows), func.ty(self.root));
        let root = push(func, block, Op::PtrOff, ptr, &[self.root], Imm::Disp(self.offset));
        let mut rows = self.rows;
        if self.wraps {
            let half = push(func, block, Op::Const, ty, &[], Imm::Bits(HALF));
            rows = push(func, block, Op::Xor, ty, &[rows, half], Imm::None);
        }
        let address = |lane: u8| {
            let mut index = push(func, block, Op::Extract, ty.lane(), &[rows], Imm::Lane(lane));
            if ty.elem != Scalar::I64 {
                index = push(func, block, Op::Sext, Type::I64, &[index], Imm::None);
            }
            push(func, block, Op::PtrAdd, ptr, &[root, index], Imm::Scale { scale: self.scale, disp: self.disp })
        };
        (0..ty.lanes).map(address).collect()
    }

    /// Vectors of what the lanes read in this turn and the next ones.
    fn columns(&self, func: &mut Func, block: Block, turn: Value, starts: &[Value]) -> Vec<Value> {
        let data = func.insts[self.inst].clone();
        let ty = func.ty(data.result.expect("a type was given"));
        let mut turn = turn;
        if func.ty(turn) != Type::I64 {
            turn = push(func, block, Op::Sext, Type::I64, &[turn], Imm::None);
        }
        let load = |func: &mut Func, start: Value| {
            let ptr = func.ty(start);
            let at = push(func, block, Op::PtrAdd, ptr, &[start, turn], Imm::Scale { scale: 4, disp: 0 });
            let attr = Attr { align: 4, flags: data.attr.flags, ..Attr::default() };
            let inst = func.make_inst(Op::Load, Some(ty.with_lanes(4)), &[at], Imm::None, attr, data.span);
            func.blocks[block].insts.push(inst);
            func.insts[inst].result.expect("a type was given")
        };
        let shuffle = |func: &mut Func, pair: [Value; 2], n: u8, pick: &dyn Fn(u8) -> u8| {
            let lanes = Imm::Lanes((0..n).map(pick).collect());
            push(func, block, Op::Shuffle, ty.with_lanes(n), &pair, lanes)
        };
        let n = ty.lanes;
        // Each fourth row, one after the other in a vector.
        let quads: Vec<Value> = (0..TURNS)
            .map(|first| {
                let mut parts: Vec<Value> =
                    starts[first..].iter().step_by(TURNS).map(|&start| load(func, start)).collect();
                while let [a, b, ..] = parts[..] {
                    let lanes = 2 * func.ty(a).lanes;
                    parts.push(shuffle(func, [a, b], lanes, &|lane| lane));
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
            shuffle(func, pair, n, &lane)
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

/// True for lanes that are all `HALF`.
fn is_half(func: &Func, v: Value) -> bool {
    func.ty(v).elem == Scalar::I32 && func.const_bits(v).is_some_and(|bits| bits as u32 == HALF as u32)
}
