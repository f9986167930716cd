//! Rows of memory, one for each lane, along which a loop goes: instead of gathers, each lane loads 16 bytes of its row
//! at once, and the vectors are turned to have an element of all rows each; instead of scatters, vectors are turned to
//! have neighbours of one row, which each lane stores at once. Where a turn accesses one element, as many turns as
//! there are elements in 16 bytes are done at once (unrolling by a constant factor, with the old loop for what is
//! left).
//!
//! ```text
//! for k: s += gather f32 a, row * n + k
//!   → for k, k + 4, ..: r(0) .. r(15) = load f32x4 a + row(lane) * n + k
//!       s += column 0 of r; .. s += column 3 of r
//!     for k: s += gather f32 a, row * n + k
//! ```
//! A line of memory is then read by few instructions close together, before other rows that have its place in the cache
//! push it out. All lanes go round the loop equally often, and its gathers and scatters grow by the same number of
//! bytes in each turn (`Growth`); elements at small constant distances from each other share loads and stores.
//!
//! Loads come before what earlier ones of the turns store, and stores behind what later ones load. They must be of
//! different memory (`alias`), or known to lie apart (`order`). Takes SSA form in lanes.

use super::Config;
use super::access::LaneAddress;
use crate::interp::value::signed;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{
    Attr, Block, Builder, Copies, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Target, Term, Type, Value,
};
use crate::loops::count::Count;
use crate::loops::simplify::preheader;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;

/// Bytes of a row that are loaded at once.
pub(super) const CHUNK: i64 = 16;
/// Numbers of turns that are done at once.
const TURNS: [i64; 3] = [1, 2, 4];
/// Furthest from each other, in bytes, that elements of a row lie which share loads.
const REACH: u64 = 256;
/// Most instructions made for a loop.
const MAX_INSTS: usize = 800;

/// Rewrites the loops that go along rows; true if there were any. With `barriers` there may have been some in loops, so
/// that lanes read what others have written.
pub(crate) fn run(func: &mut Func, config: Config, barriers: bool) -> bool {
    let (cfg, dom, loops) = Loops::of_func(func);
    let (mut any, mut made) = (false, FxHashMap::default());
    for id in loops.innermost() {
        if let Some(rows) = Rows::find(func, (&cfg, &dom), &loops.loops[id], config, barriers) {
            rows.rewrite(func, &mut made);
            any = true;
        }
    }
    if !made.is_empty() {
        for block in func.layout.clone() {
            func.map_uses(block, |v| made.get(&v).copied().unwrap_or(v));
        }
    }
    any
}

/// By how much values grow from one turn of a loop to the next, as exact numbers.
struct Growth<'a> {
    func: &'a Func,
    homes: Vec<Option<Block>>,
    /// What the header's parameters are in the next turn.
    next: FxHashMap<Value, Value>,
    count: Option<Count>,
    found: RefCell<FxHashMap<Value, Option<i64>>>,
}

impl Growth<'_> {
    fn is_inside(&self, v: Value) -> bool {
        self.homes[v.index()].is_some()
    }

    fn of(&self, v: Value) -> Option<i64> {
        if !self.is_inside(v) {
            return Some(0);
        }
        if let Some(&known) = self.found.borrow().get(&v) {
            return known;
        }
        let grows = self.next.get(&v).map_or_else(|| self.of_result(v), |&next| self.of_param(v, next));
        self.found.borrow_mut().insert(v, grows);
        grows
    }

    fn of_param(&self, v: Value, next: Value) -> Option<i64> {
        let data = self.func.def_inst(next)?;
        let is_signed = self.count.is_some_and(|c| c.counter == v && c.signed);
        match (data.op, &data.args[..], &data.imm) {
            (Op::Add, &[a, b], _) if self.is_exact(next) || is_signed => match (a == v, b == v) {
                (true, false) => self.constant(b),
                (false, true) => self.constant(a),
                _ => None,
            },
            (Op::PtrOff, &[a], &Imm::Disp(by)) if a == v => Some(by),
            _ => None,
        }
    }

    fn of_result(&self, v: Value) -> Option<i64> {
        let data = self.func.def_inst(v)?;
        let is_exact = self.is_exact(v);
        match (data.op, &data.args[..], &data.imm) {
            (Op::PtrToInt, &[a], _) if self.func.ty(v).elem == Scalar::I64 => self.of(a),
            (Op::Splat | Op::Sext | Op::PtrOff | Op::AsCast | Op::IntToPtr, &[a], _) => self.of(a),
            (Op::Zext, &[a], _) => self.count.filter(|c| c.counter == a && c.unsigned).map(|c| c.step),
            (Op::Add, &[a, b], _) if is_exact => self.of(a)?.checked_add(self.of(b)?),
            (Op::Sub, &[a, b], _) if is_exact => self.of(a)?.checked_sub(self.of(b)?),
            (Op::Mul, &[a, b], _) if is_exact => self.of(a)?.checked_mul(self.constant(b)?),
            (Op::Shl, &[a, b], _) if is_exact => {
                self.of(a)?.checked_mul(1 << self.constant(b).filter(|b| (0..32).contains(b))?)
            }
            (Op::PtrAdd, &[a, b], &Imm::Scale { scale, .. }) => {
                self.of(a)?.checked_add(self.of(b)?.checked_mul(scale.into())?)
            }
            _ => None,
        }
    }

    /// By how much the sum of a row and the counter, without a sign, grows while it does not wrap.
    fn of_sum_without_sign(&self, sum: Value) -> Option<i64> {
        let count = self.count.filter(|count| count.step == 1)?;
        let data = self.func.def_inst(sum).filter(|data| data.op == Op::Add)?;
        let turn = match data.args[..] {
            [a, b] if !self.is_inside(a) => b,
            [a, b] if !self.is_inside(b) => a,
            _ => return None,
        };
        let turn = self.func.def_inst(turn).filter(|data| data.op == Op::Splat)?.args[0];
        (turn == count.counter && self.func.ty(turn) == Type::I32).then_some(count.step)
    }

    /// True for sums of as many bits as addresses have, which may wrap as these do, and those that do not wrap as
    /// signed numbers.
    fn is_exact(&self, v: Value) -> bool {
        let nsw = || self.func.def_inst(v).is_some_and(|data| data.attr.flags.contains(Flags::NSW));
        self.func.ty(v).elem == Scalar::I64 || nsw()
    }

    fn constant(&self, v: Value) -> Option<i64> {
        Some(signed(self.func.const_bits(v)?, self.func.ty(v).elem.bits()))
    }
}

/// A gather or scatter of an element of each row.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    block: Block,
    /// Bytes behind the group's first one.
    at: i64,
}

/// Gathers or scatters whose lanes access elements of the same rows, so many bytes further from turn to turn.
struct Group {
    is_store: bool,
    /// The first member's.
    address: LaneAddress,
    ty: Type,
    flags: Flags,
    stride: i64,
    /// The index is a 32-bit number without a sign, made from this sum, which may wrap.
    wraps: Option<Value>,
    /// In the order in which they are run.
    members: Vec<Member>,
    /// Where loads for all turns that are done at once begin, in bytes behind the first member of the first turn. None
    /// if they do not pay.
    chunks: Vec<i64>,
}

impl Group {
    /// What so many turns read, in order.
    fn offsets(&self, turns: i64) -> Vec<i64> {
        let turn = |n: i64| self.members.iter().map(move |member| n * self.stride + member.at);
        let mut offsets: Vec<i64> = (0..turns).flat_map(turn).collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }

    /// Loads of what so many turns read, and of nothing outside; none if most of that would not be used. Stores of what
    /// they store, once each, and nothing else.
    fn chunks(&self, turns: i64) -> Vec<i64> {
        let size = i64::from(self.ty.elem.bytes());
        let offsets = self.offsets(turns);
        if self.is_store {
            let is_dense = offsets.windows(2).all(|pair| pair[1] - pair[0] == size);
            let is_whole = offsets.len() as i64 * size % CHUNK == 0;
            let once = offsets.len() == self.members.len() * turns as usize;
            let firsts = offsets.iter().copied().step_by((CHUNK / size) as usize);
            return if is_dense && is_whole && once { firsts.collect() } else { Vec::new() };
        }
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return Vec::new() };
        let end = last + size;
        let mut chunks: Vec<i64> = Vec::new();
        let mut is_even = end - first >= CHUNK;
        for &at in &offsets {
            if chunks.last().is_none_or(|chunk| chunk + CHUNK < at + size) {
                chunks.push(at.min(end - CHUNK));
            }
            is_even &= chunks.last().is_some_and(|chunk| (at - chunk) % size == 0);
        }
        let is_used = 4 * size * offsets.len() as i64 >= 3 * CHUNK * chunks.len() as i64;
        if is_even && is_used { chunks } else { Vec::new() }
    }
}

/// A loop that goes along rows.
struct Rows<'a> {
    l: &'a Loop,
    before: Block,
    latch: Block,
    count: Option<Count>,
    /// Turns that are done at once.
    turns: i64,
    groups: Vec<Group>,
}

impl<'a> Rows<'a> {
    fn find(func: &Func, (cfg, dom): (&Cfg, &Dominators), l: &'a Loop, config: Config, barriers: bool) -> Option<Self> {
        let &[latch] = &l.latches[..] else { return None };
        let before = preheader(func, cfg, l)?;
        let Term::Jump(back) = &func.blocks[latch].term else { return None };
        let computes = |data: &InstData| match is_store(data) {
            Some(_) => !data.attr.flags.contains(Flags::VOLATILE),
            None => data.op.row().effects.is_empty() && data.result.is_some(),
        };
        if func.size_of(&l.blocks) > MAX_INSTS {
            return None;
        }
        let is_left_by_header =
            matches!(func.blocks[l.header].term, Term::Br { .. }) && l.exiting(func).all(|block| block == l.header);
        if !is_left_by_header || !func.data_of(&l.blocks).all(computes) {
            return None;
        }
        let next = func.blocks[l.header].params.iter().copied().zip(back.args.iter().copied()).collect();
        let count = Count::of(func, cfg, l);
        let growth = Growth { func, homes: func.homes(&l.blocks), next, count, found: RefCell::default() };
        let mut this = Self { l, before, latch, count, turns: 1, groups: Vec::new() };
        // What each turn does, in order.
        let mut blocks = l.blocks.clone();
        cfg.sort(&mut blocks);
        blocks.retain(|&block| block != l.header && dom.dominates(block, latch));
        for (block, inst) in func.insts_of(&blocks) {
            this.add(&growth, block, inst);
        }
        let may_move = !this.groups.is_empty() && order::is_kept(func, cfg, l, &this.groups, barriers);
        (may_move && this.choose(func, config)).then_some(this)
    }

    /// Adds a gather or scatter to the group of its rows.
    fn add(&mut self, growth: &Growth<'_>, block: Block, inst: Inst) -> Option<()> {
        let func = growth.func;
        let data = &func.insts[inst];
        let (address, flags, is_store) = (LaneAddress::of(func, data)?, data.attr.flags, data.op == Op::Scatter);
        let (ty, mask) = if is_store { (func.ty(data.args[2]), 3) } else { (func.ty(data.result?), 2) };
        let all = func.const_bits(data.args[mask]).is_some_and(|bits| bits & 1 == 1);
        if !all || !matches!(ty.elem.bytes(), 4 | 8) || !matches!(ty.lanes, 8 | 16 | 32) {
            return None;
        }
        let wraps = address.unsigned(func).map(|address| address.index).filter(|&index| growth.is_inside(index));
        let grows = match wraps {
            Some(sum) => growth.of_sum_without_sign(sum)?,
            None => growth.of(address.index)?,
        };
        let stride = growth.of(address.root)?.checked_add(grows.checked_mul(address.scale.into())?)?;
        if stride == 0 || stride.unsigned_abs() > REACH {
            return None;
        }
        let distance = |group: &Group| {
            let same = group.is_store == is_store && group.ty == ty && group.flags == flags;
            group.address.distance(address).filter(|at| same && at.unsigned_abs() <= REACH)
        };
        let group = self.groups.iter_mut().find_map(|group| Some((distance(group)?, group)));
        match group {
            Some((at, group)) => group.members.push(Member { inst, block, at }),
            None => {
                let members = vec![Member { inst, block, at: 0 }];
                self.groups.push(Group { is_store, address, ty, flags, stride, wraps, members, chunks: Vec::new() });
            }
        }
        Some(())
    }

    /// Decides how many turns to do at once, and which groups are loaded so; false if that is none.
    fn choose(&mut self, func: &Func, config: Config) -> bool {
        let size = func.size_of(&self.l.blocks);
        let mut most = 0;
        for turns in TURNS {
            if turns > 1 && self.count.is_none() || size * turns as usize > MAX_INSTS {
                continue;
            }
            // What is loaded for all turns takes half of the registers at most.
            let mut left = u32::from(config.target.vector_registers) / 2;
            let mut chunks = |group: &Group| {
                let columns = group.offsets(turns).len() as u32;
                let needed = columns * config.target.registers(group.ty.bytes());
                let found = group.chunks(turns);
                // With one turn after the other there is no other loop for what wraps.
                if found.is_empty() || needed > left || turns == 1 && group.wraps.is_some() {
                    return Vec::new();
                }
                left -= needed;
                found
            };
            let chunks: Vec<Vec<i64>> = self.groups.iter().map(&mut chunks).collect();
            let n = chunks.iter().filter(|chunks| !chunks.is_empty()).count();
            if n > most {
                (most, self.turns) = (n, turns);
                self.groups.iter_mut().zip(chunks).for_each(|(group, chunks)| group.chunks = chunks);
            }
        }
        self.groups.retain(|group| !group.chunks.is_empty());
        most > 0
    }

    /// Rewrites the loop. `made` is what values of its own become, which the caller puts in their place.
    fn rewrite(&self, func: &mut Func, made: &mut FxHashMap<Value, Value>) {
        match self.turns {
            1 => self.in_place(func, made),
            _ => self.unroll(func),
        }
    }

    /// Rewrites the loop's own blocks.
    fn in_place(&self, func: &mut Func, made: &mut FxHashMap<Value, Value>) {
        let entry = func.blocks[self.before].term.targets()[0].args.to_vec();
        let starts = self.starts(func, self.before, &entry);
        let offsets = self.offsets(func, self.l.header);
        self.hand_over(func, self.before, self.latch, &offsets);
        self.store(func, &[Copies::default()], &starts, &offsets);
        made.extend(self.load(func, &[Copies::default()], &starts, &offsets));
    }

    /// Makes a loop that does several turns at once, in front of the old one.
    fn unroll(&self, func: &mut Func) {
        let (header, latch) = (self.l.header, self.latch);
        let entry = func.blocks[self.before].term.targets()[0].args.to_vec();
        let copies: Vec<Copies> = (0..self.turns).map(|_| func.copy_blocks(&self.l.blocks)).collect();
        let front = func.add_block();
        func.layout.push(front);
        for (n, copy) in copies.iter().enumerate() {
            // There is a turn more, as is known from in front of the first.
            let block = copy.block(header);
            let Term::Br { then, els, .. } = func.blocks[block].term.clone() else { unreachable!("it is left here") };
            let goes_on = if copy.blocks().any(|copied| copied == then.block) { then } else { els };
            func.blocks[block].term = Term::Jump(goes_on);
            if let Some(next) = copies.get(n + 1) {
                func.redirect(copy.block(latch), block, next.block(header));
            }
        }
        let first = copies[0].block(header);
        let last = copies.last().expect("several turns").block(latch);
        let starts = self.starts(func, front, &entry);
        func.blocks[front].term = Term::Jump(Target { block: first, args: entry.iter().copied().collect() });
        let offsets = self.offsets(func, first);
        let now = func.blocks[last].term.targets()[0].args.to_vec();
        self.hand_over(func, front, last, &offsets);
        self.store(func, &copies, &starts, &offsets);
        let made = self.load(func, &copies, &starts, &offsets);
        for block in copies.iter().flat_map(Copies::blocks).collect::<Vec<_>>() {
            func.map_uses(block, |v| made.get(&v).copied().unwrap_or(v));
        }
        let again = func.blocks[last].term.targets()[0].args.to_vec();
        let now: Vec<Value> = now.iter().map(|v| made.get(v).copied().unwrap_or(*v)).collect();
        let exact = self.does_not_wrap(func, &entry);
        self.go_on(func, self.before, &entry, Target { block: front, args: SmallVec::new() }, exact);
        self.go_on(func, last, &now, Target { block: first, args: again.into_iter().collect() }, None);
    }

    /// Where each lane's row is read first, for each group, by these values of the header's parameters.
    fn starts(&self, func: &mut Func, block: Block, entry: &[Value]) -> Vec<Vec<Value>> {
        let homes = func.homes(&self.l.blocks);
        let mut first = self.at_entry(func, entry);
        let mut b = Builder::new(func, block);
        let starts = self.groups.iter().map(|group| {
            let (address, extend) = match group.wraps {
                Some(_) => (group.address.unsigned(b.func).expect("seen before"), Op::Zext),
                None => (group.address, Op::Sext),
            };
            let [root, index] = [address.root, address.index].map(|v| evaluate(&mut b, &homes, &mut first, v));
            let ty = b.func.ty(index);
            let start = |lane: u8| {
                let mut row = b.emit(Op::Extract, ty.lane(), &[index], Imm::Lane(lane));
                if ty.elem != Scalar::I64 {
                    row = b.convert(extend, Type::I64, row);
                }
                b.ptr_add(root, row, address.scale, address.disp)
            };
            (0..ty.lanes).map(start).collect()
        });
        starts.collect()
    }

    /// The header's parameters, and what they are where the loop is entered.
    fn at_entry(&self, func: &Func, entry: &[Value]) -> Copies {
        let mut first = Copies::default();
        func.blocks[self.l.header].params.iter().zip(entry).for_each(|(&param, &v)| first.set(param, v));
        first
    }

    /// How far rows have been read: a parameter of a header for each number of bytes by which that grows in a turn.
    fn offsets(&self, func: &mut Func, header: Block) -> Vec<(i64, Value)> {
        let mut offsets: Vec<(i64, Value)> = Vec::new();
        for group in &self.groups {
            if !offsets.iter().any(|&(stride, _)| stride == group.stride) {
                offsets.push((group.stride, func.add_param(header, Type::I64)));
            }
        }
        offsets
    }

    /// Hands over what they are at first, and in the next turns.
    fn hand_over(&self, func: &mut Func, front: Block, latch: Block, offsets: &[(i64, Value)]) {
        for &(stride, offset) in offsets {
            let zero = Builder::new(func, front).i64(0);
            let mut b = Builder::new(func, latch);
            let by = b.i64(self.turns * stride);
            let next = b.op(Op::Add, &[offset, by]);
            for (block, v) in [(front, zero), (latch, next)] {
                func.blocks[block].term.targets_mut()[0].args.push(v);
            }
        }
    }

    /// Loads what the gathers of all turns read, in the first of these copies: what each of them becomes.
    fn load(
        &self,
        func: &mut Func,
        copies: &[Copies],
        starts: &[Vec<Value>],
        offsets: &[(i64, Value)],
    ) -> FxHashMap<Value, Value> {
        let mut made = FxHashMap::default();
        for (group, starts) in self.groups.iter().zip(starts).filter(|(group, _)| !group.is_store) {
            let result = |func: &Func, member: &Member| func.insts[member.inst].result.expect("a gather has a result");
            let first = &group.members[0];
            let (block, v) = (copies[0].block(first.block), copies[0].value(result(func, first)));
            let place = func.blocks[block].insts.iter().position(|&inst| func.insts[inst].result == Some(v));
            let origin = func.insts[first.inst].origin;
            let mut b = Builder::at(func, block, place.expect("in its block")).with_origin(origin);
            let columns = group.columns(&mut b, group.offset(offsets), starts);
            for (n, copy) in (0..).zip(copies) {
                let column = |member: &Member| columns[&(n * group.stride + member.at)];
                made.extend(group.members.iter().map(|m| (copy.value(result(func, m)), column(m))));
            }
        }
        made
    }

    /// Stores what the scatters of all turns store, in the last of these copies, and takes the scatters out. Comes in
    /// front of `load`: as long as nothing has been put into a copy its instructions have the numbers of the originals.
    fn store(&self, func: &mut Func, copies: &[Copies], starts: &[Vec<Value>], offsets: &[(i64, Value)]) {
        let copied = |copy: &Copies, member: &Member| {
            let at = func.blocks[member.block].insts.iter().position(|&inst| inst == member.inst);
            func.blocks[copy.block(member.block)].insts[at.expect("in its block")]
        };
        let of_copy = |group: &Group, copy: &Copies| group.members.iter().map(|m| copied(copy, m)).collect();
        let of_group = |group: &Group| copies.iter().map(|copy| of_copy(group, copy)).collect();
        let stores = self.groups.iter().enumerate().filter(|(_, group)| group.is_store);
        let stores: Vec<(usize, Vec<Vec<Inst>>)> = stores.map(|(n, group)| (n, of_group(group))).collect();
        let last = copies.last().expect("at least one turn");
        for (n, scatters) in &stores {
            let (group, starts) = (&self.groups[*n], &starts[*n]);
            let mut columns = FxHashMap::default();
            for (n, turn) in (0..).zip(scatters) {
                let values = turn.iter().map(|&scatter| func.insts[scatter].args[2]);
                let places = group.members.iter().map(|member| n * group.stride + member.at);
                columns.extend(places.zip(values));
            }
            let end = last.block(group.members.last().expect("a member").block);
            let scatter = *scatters.last().and_then(|turn| turn.last()).expect("a turn with a member");
            let origin = func.insts[scatter].origin;
            let mut b = Builder::before(func, end, scatter).with_origin(origin);
            group.store(&mut b, group.offset(offsets), starts, &columns);
        }
        let gone: FxHashSet<Inst> = stores.into_iter().flat_map(|(_, scatters)| scatters).flatten().collect();
        if !gone.is_empty() {
            for block in copies.iter().flat_map(|copy| self.l.blocks.iter().map(|&block| copy.block(block))) {
                func.blocks[block].insts.retain(|inst| !gone.contains(inst));
            }
        }
    }

    /// Asks in front of the loop whether sums without a sign do not wrap in any turn.
    fn does_not_wrap(&self, func: &mut Func, entry: &[Value]) -> Option<Value> {
        let homes = func.homes(&self.l.blocks);
        let mut first = self.at_entry(func, entry);
        let count = self.count?;
        let mut b = Builder::new(func, self.before);
        self.groups.iter().filter_map(|group| group.wraps).fold(None, |all, sum| {
            let sum = evaluate(&mut b, &homes, &mut first, sum);
            let left = b.op(Op::Sub, &[count.limit, first.value(count.counter)]);
            let most = b.op(Op::Not, &[left]);
            let most = b.convert(Op::Splat, b.func.ty(sum), most);
            let exact = b.icmp(IntPred::ULe, sum, most);
            let exact = b.convert(Op::MaskAll, Type::I1, exact);
            Some(b.and(all, exact))
        })
    }

    /// Ends a block where the header's parameters would have these values: if there are as many turns more as are done
    /// at once, and `also` holds, it goes to `to`, else to the old loop.
    fn go_on(&self, func: &mut Func, block: Block, values: &[Value], to: Target, also: Option<Value>) {
        let count = self.count.expect("several turns are counted");
        let mut b = Builder::new(func, block);
        let more = count.has_more(&mut b, self.l.header, values, self.turns);
        let cond = b.and(also, more);
        let els = Target { block: self.l.header, args: values.iter().copied().collect() };
        b.end(Term::Br { cond, then: to, els });
    }
}

/// Makes a value of the loop by copies of its instructions; `known` are those that are there, and what is made.
fn evaluate(b: &mut Builder<'_>, homes: &[Option<Block>], known: &mut Copies, v: Value) -> Value {
    let is_inside = homes.get(v.index()).is_some_and(Option::is_some);
    if !is_inside || known.get(v).is_some() {
        return known.value(v);
    }
    let data = b.func.def_inst(v).expect("parameters are known").clone();
    let args: SmallVec<[Value; 4]> = data.args.iter().map(|&arg| evaluate(b, homes, known, arg)).collect();
    // The loop may not run at all.
    let attr = Attr { flags: data.attr.flags - Flags::VALUES, ..data.attr };
    let new = b.typed(data.op, b.func.ty(v), &args, data.imm, attr);
    known.set(v, new);
    new
}

impl Group {
    /// Vectors of what the lanes read, by their distances from the first member of the first turn.
    fn columns(&self, b: &mut Builder<'_>, offset: Value, starts: &[Value]) -> FxHashMap<i64, Value> {
        let size = self.ty.elem.bytes();
        let per_chunk = (CHUNK as u32 / size) as u8;
        let chunk_ty = self.ty.with_lanes(per_chunk);
        let attr = Attr { align: size as _, flags: self.flags, ..Attr::default() };
        let mut columns = FxHashMap::default();
        for &chunk in &self.chunks {
            let row = |b: &mut Builder<'_>, lane: u8| {
                let at = b.ptr_add(starts[usize::from(lane)], offset, 1, chunk);
                b.load(chunk_ty, at, attr)
            };
            let turned = turned(b, self.ty.lanes, per_chunk, row);
            columns.extend((0..).map(|k| chunk + k * i64::from(size)).zip(turned));
        }
        columns
    }

    /// Stores vectors that have an element of each lane's row, by their distances from the first member of the first
    /// turn.
    fn store(&self, b: &mut Builder<'_>, offset: Value, starts: &[Value], columns: &FxHashMap<i64, Value>) {
        let size = self.ty.elem.bytes();
        let per_chunk = (CHUNK as u32 / size) as u8;
        let attr = Attr { align: size as _, flags: self.flags, ..Attr::default() };
        for &chunk in &self.chunks {
            let parts: Vec<Value> =
                (0..per_chunk).map(|k| columns[&(chunk + i64::from(k) * i64::from(size))]).collect();
            let rows = turn(b, &parts);
            for (lane, &start) in (0..).zip(starts) {
                let row = rows[usize::from(lane % per_chunk)];
                let piece = shuffle(b, [row, row], per_chunk, |i| lane / per_chunk * per_chunk + i);
                let at = b.ptr_add(start, offset, 1, chunk);
                b.store(at, piece, attr);
            }
        }
    }

    /// How far its rows have been gone along.
    fn offset(&self, offsets: &[(i64, Value)]) -> Value {
        offsets.iter().find(|(stride, _)| *stride == self.stride).expect("one for each stride").1
    }
}

/// So many elements of each lane's row, which `row` loads, as vectors that have an element of all rows each. The lanes
/// are a multiple of the elements, which are two or four.
pub(super) fn turned(
    b: &mut Builder<'_>,
    lanes: u8,
    elements: u8,
    row: impl Fn(&mut Builder<'_>, u8) -> Value,
) -> Vec<Value> {
    // Each second or fourth row, one after the other in a vector.
    let rows = |b: &mut Builder<'_>, first: u8| {
        let mut parts: Vec<Value> = (first..lanes).step_by(elements.into()).map(|lane| row(b, lane)).collect();
        while let [x, y, ..] = parts[..] {
            let lanes = 2 * b.func.ty(x).lanes;
            parts.push(shuffle(b, [x, y], lanes, |lane| lane));
            parts.drain(..2);
        }
        parts[0]
    };
    let rows: Vec<Value> = (0..elements).map(|first| rows(b, first)).collect();
    turn(b, &rows)
}

/// Transposes squares: the lanes of two or four vectors of 8 or 4 bytes each, within each 16 bytes. What comes out in
/// the k-th vector was in the k-th lane of each square, that of the n-th vector in the n-th lane; twice is nothing.
fn turn(b: &mut Builder<'_>, rows: &[Value]) -> Vec<Value> {
    let (n, side) = (b.func.ty(rows[0]).lanes, rows.len() as u8);
    let pick = |b: &mut Builder<'_>, pair: [Value; 2], lanes: &[u8]| {
        let lane = |i: u8| {
            let lane = lanes[usize::from(i % side)];
            lane % side + i / side * side + if lane < side { 0 } else { n }
        };
        shuffle(b, pair, n, lane)
    };
    match rows[..] {
        [x, y] => [[0, 2], [1, 3]].map(|lanes| pick(b, [x, y], &lanes)).to_vec(),
        _ => {
            let halves =
                [[0, 4, 1, 5], [2, 6, 3, 7]].map(|lanes| [0, 2].map(|at| pick(b, [rows[at], rows[at + 1]], &lanes)));
            let quarters = |half| [[0, 1, 4, 5], [2, 3, 6, 7]].map(|lanes| pick(b, half, &lanes));
            halves.into_iter().flat_map(quarters).collect()
        }
    }
}

/// True for stores, false for loads, none for what does not access memory so.
fn is_store(data: &InstData) -> Option<bool> {
    match data.op {
        Op::Load | Op::LoadMasked | Op::Gather => Some(false),
        Op::Store | Op::StoreMasked | Op::Scatter => Some(true),
        _ => None,
    }
}

fn shuffle(b: &mut Builder<'_>, pair: [Value; 2], lanes: u8, pick: impl Fn(u8) -> u8) -> Value {
    let ty = b.func.ty(pair[0]).with_lanes(lanes);
    b.emit(Op::Shuffle, ty, &pair, Imm::Lanes((0..lanes).map(pick).collect()))
}

mod order;
#[cfg(test)]
mod tests;
