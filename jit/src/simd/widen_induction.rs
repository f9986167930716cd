//! Counters of loops within an item loop that start at another number in each work-item and do not wrap: a 64-bit
//! counter beside them serves for addresses, so that neighbours are known to stay neighbours.
//!
//! ```text
//! head(j): … sext(a + j) …; j' = j + s (nsw)
//!   → head(j, k): … sext(a) + k …; k' = k + sext(s)    with k = sext(j) at first
//! ```
//! Indices that branches choose between, which is what becomes of a counter whose loop was unrolled, get 64-bit forms
//! as well.

use super::item_headers;
use crate::analysis::induction::{Induction, Step};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, Inst, InstData, IntPred, Op, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Levels of sums that hold a counter.
const DEPTH: u32 = 6;
/// Most values that a counter's first one may be made of.
const PARTS: u32 = 64;

/// The counters of a loop with one latch whose first value is made of the work-item's index by sums and products, in
/// the item loop that makes the values with a home. For others nothing is gained: lanes are no neighbours, and gathers
/// take 32 bits.
pub(super) fn find(func: &Func, cfg: &Cfg, l: &Loop, item_homes: &[Option<Block>]) -> Vec<Induction> {
    let linear = Linear { func, cfg, item_homes };
    let own = |v: Value| linear.grows(v) && linear.holds(v, &mut { PARTS });
    let counters = Induction::all(func, l).filter(|c| func.ty(c.now) == Type::I32);
    counters.filter(|c| c.starts(func, cfg, l).any(own)).collect()
}

/// Asks which values are made by sums and products of indices of work-items and of what is there before their loop.
struct Linear<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    item_homes: &'a [Option<Block>],
}

impl Linear<'_> {
    /// True if a value is not known to be the same in all work-items.
    fn grows(&self, v: Value) -> bool {
        self.item_homes[v.index()].is_some() && self.func.const_bits(v).is_none()
    }

    /// True for such values, and for those that a branch chooses between; `parts` more of these may be looked at.
    fn holds(&self, v: Value, parts: &mut u32) -> bool {
        if !self.grows(v) {
            return true;
        }
        if let ValueDef::Param(block, _) = self.func.values[v].def
            && (self.func.blocks[block].items || self.func.blocks[block].rows.is_some())
        {
            return true;
        }
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match self.func.values[v].def {
            ValueDef::Param(block, at) => {
                is_join(self.cfg, block)
                    && self.cfg.handed(self.func, block, at as usize).all(|(_, v)| self.holds(v, parts))
            }
            ValueDef::Inst(inst) => {
                let d = &self.func.insts[inst];
                let sum = matches!(d.op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Sext | Op::Zext | Op::Trunci);
                // The number in the sub-group.
                let low = d.op == Op::And && self.func.const_bits(d.args[1]).is_some_and(|c| (c + 1).is_power_of_two());
                (sum || low) && d.args.iter().all(|&v| self.holds(v, parts))
            }
        }
    }
}

/// True if no loop begins at a block.
fn is_join(cfg: &Cfg, block: Block) -> bool {
    cfg.preds(block).iter().all(|&b| cfg.number(b) < cfg.number(block))
}

/// True if a value is made of a counter by sums and products that do not wrap.
fn holds(func: &Func, v: Value, now: Value, flag: Flags, depth: u32) -> bool {
    let sum = || {
        func.def_inst(v)
            .filter(|d| depth > 0 && matches!(d.op, Op::Add | Op::Sub | Op::Mul) && d.attr.flags.contains(flag))
    };
    v == now || sum().is_some_and(|d| d.args.iter().any(|&v| holds(func, v, now, flag, depth - 1)))
}

/// True if a counter's 64-bit form is used in the loop, other than to increase it.
pub(super) fn is_extended(func: &Func, l: &Loop, counter: &Induction, flag: Flags) -> bool {
    let sum = func.def_inst(counter.next).map(|d| d.args[0]);
    let is_extension = |v: Value| match func.values[v].def {
        ValueDef::Inst(inst) => extends(func, inst, counter.now, flag),
        ValueDef::Param(..) => false,
    };
    let mut others = func.data_of(&l.blocks).filter(|data| data.result.is_none() || data.result != sum);
    others.any(|data| data.args.iter().any(|&v| is_extension(v)))
}

fn extension(flag: Flags) -> Op {
    if flag == Flags::NSW { Op::Sext } else { Op::Zext }
}

/// Gives the counters in loops over work-items their 64-bit forms.
pub(crate) fn counters(func: &mut Func) {
    item_headers(func).into_iter().for_each(|header| widen_counters(func, header));
}

fn widen_counters(func: &mut Func, header: Block) {
    let (cfg, _, loops) = Loops::of_func(func);
    let Some(items) = loops.loops.iter().find(|l| l.header == header) else { return };
    let item_homes = func.homes(&items.blocks);
    for l in loops.loops.iter().filter(|l| l.header != header && items.blocks.contains(&l.header)) {
        for counter in find(func, &cfg, l, &item_homes) {
            if let (Some(flag), Step::Value(step)) = (counter.no_wrap(func), counter.step)
                && is_extended(func, l, &counter, flag)
            {
                widen(func, &cfg, l, &counter, step, flag);
            }
        }
    }
}

/// Gives the counters of innermost loops, of code that has no lanes, their 64-bit forms: neighbouring turns access
/// neighbours. The header's test tells of counters that they do not wrap.
pub(crate) fn inner_counters(func: &mut Func) {
    let (cfg, dom, loops) = Loops::of_func(func);
    for l in loops.innermost().map(|n| &loops.loops[n]) {
        let counters: Vec<Induction> =
            Induction::all(func, l).filter(|c| func.ty(c.now) == Type::I32 && c.extension.is_none()).collect();
        for counter in counters {
            let Some(flags) = flags_by_test(func, &cfg, &dom, l, &counter) else { continue };
            if let ValueDef::Inst(next) = func.values[counter.next].def {
                func.insts[next].attr.flags |= flags;
            }
            let flags = func.def_inst(counter.next).map_or(Flags::empty(), |d| d.attr.flags);
            for flag in [Flags::NSW, Flags::NUW].into_iter().filter(|&flag| flags.contains(flag)) {
                if let Step::Value(step) = counter.step
                    && is_extended(func, l, &counter, flag)
                {
                    widen(func, &cfg, l, &counter, step, flag);
                }
            }
        }
    }
}

/// In which sense a counter's sum does not wrap for what the header asks before each turn; none if the counter does not
/// grow by a constant.
fn flags_by_test(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop, counter: &Induction) -> Option<Flags> {
    let (step, ValueDef::Inst(next)) = (counter.by(func)?, func.values[counter.next].def) else { return None };
    let mut flags = func.insts[next].attr.flags & (Flags::NSW | Flags::NUW);
    let first = counter.first(func, cfg, l).and_then(|v| func.const_bits(v)).map(|bits| bits as u32);
    let bound = counter.bound(func, l.header, |t| l.blocks.contains(&t.block));
    let home = l.blocks.iter().copied().find(|&b| func.blocks[b].insts.contains(&next))?;
    if let Some(bound) = bound.filter(|b| step == 1 && !b.is_next && home != l.header && dom.dominates(b.to, home)) {
        let than = func.const_bits(bound.than).map(|bits| bits as u32);
        match bound.pred {
            IntPred::SLt => {
                flags |= Flags::NSW;
                flags.set(Flags::NUW, flags.contains(Flags::NUW) || first.is_some_and(|bits| bits as i32 >= 0));
            }
            IntPred::ULt => {
                flags |= Flags::NUW;
                flags.set(Flags::NSW, flags.contains(Flags::NSW) || than.is_some_and(|bits| bits <= 1 << 31));
            }
            _ => {}
        }
    }
    // What grows from a number that is not negative, and stays an `int`, is one of both kinds.
    if step > 0 && flags.contains(Flags::NSW) && first.is_some_and(|bits| bits as i32 >= 0) {
        flags |= Flags::NUW;
    }
    Some(flags)
}

/// Gives indices that branches in loops over work-items choose between their 64-bit forms.
pub(crate) fn joins(func: &mut Func) {
    item_headers(func).into_iter().for_each(|header| widen_joins(func, header));
}

fn widen_joins(func: &mut Func, header: Block) {
    let (cfg, _, loops) = Loops::of_func(func);
    let Some(items) = loops.loops.iter().find(|l| l.header == header) else { return };
    Joins::widen(func, &cfg, &items.blocks);
}

/// Parameters of 32 bits, of blocks where ways meet, that are extended for addresses.
struct Joins<'a> {
    cfg: &'a Cfg,
    /// Extensions of sums that hold a parameter, and where they are, by the number of its block and its own, and how it
    /// is extended.
    users: BTreeMap<(usize, u32, bool), Vec<(Inst, Block)>>,
    /// What takes the place of their results.
    forms: FxHashMap<Value, Value>,
}

impl Joins<'_> {
    fn widen(func: &mut Func, cfg: &Cfg, blocks: &[Block]) {
        let item_homes = func.homes(blocks);
        let mut joins = Joins { cfg, users: BTreeMap::new(), forms: FxHashMap::default() };
        for &block in blocks {
            for inst in func.blocks[block].insts.clone() {
                joins.add(func, &item_homes, inst, block);
            }
        }
        // A parameter that is given another's sum comes before it.
        while let Some(((number, at, signed), users)) = joins.users.pop_last() {
            let block = cfg.rpo()[number];
            let linear = Linear { func, cfg, item_homes: &item_homes };
            let given = || cfg.handed(func, block, at as usize).map(|(_, v)| v);
            let gains = given().all(|v| linear.holds(v, &mut { PARTS })) && given().any(|v| linear.grows(v));
            if gains {
                joins.widen_one(func, &item_homes, (block, at), if signed { Flags::NSW } else { Flags::NUW }, users);
            }
        }
        let form = |v: Value| joins.forms.get(&v).copied().unwrap_or(v);
        for &block in blocks.iter().filter(|_| !joins.forms.is_empty()) {
            func.map_uses(block, form);
        }
    }

    /// Notes an extension under the parameter that its sum holds, if there is one.
    fn add(&mut self, func: &Func, item_homes: &[Option<Block>], inst: Inst, home: Block) {
        let data = &func.insts[inst];
        let flag = match data.op {
            Op::Sext => Flags::NSW,
            Op::Zext => Flags::NUW,
            _ => return,
        };
        if data.result.is_none_or(|v| func.ty(v) != Type::I64) || func.ty(data.args[0]) != Type::I32 {
            return;
        }
        let is_param = |v: Value| match func.values[v].def {
            ValueDef::Param(block, at) if item_homes.get(v.index()).is_some_and(|home| home.is_some()) => {
                is_join(self.cfg, block).then_some((self.cfg.number(block)?, at))
            }
            _ => None,
        };
        // The last one, so that forms made for it may hold the others.
        let within = |v: Value| is_param(v).filter(|_| holds(func, data.args[0], v, flag, DEPTH));
        if let Some((number, at)) = summands(func, data.args[0], flag).into_iter().filter_map(within).max() {
            self.users.entry((number, at, flag == Flags::NSW)).or_default().push((inst, home));
        }
    }

    fn widen_one(
        &mut self,
        func: &mut Func,
        item_homes: &[Option<Block>],
        (block, at): (Block, u32),
        flag: Flags,
        users: Vec<(Inst, Block)>,
    ) {
        let now = func.blocks[block].params[at as usize];
        let wide = add_wide(func, self.cfg, (block, at as usize), |b, _, _, v| {
            let old = b.func.insts.len();
            let v = extended(b, v, flag);
            self.add_since(b.func, item_homes, old, b.block);
            v
        });
        for (inst, home) in users {
            let old = func.insts.len();
            let form = form_of_extension(func, inst, home, (now, wide), flag);
            self.add_since(func, item_homes, old, home);
            self.forms.extend([form]);
        }
    }

    /// Notes the extensions among the instructions that have been made since there were `old`.
    fn add_since(&mut self, func: &Func, item_homes: &[Option<Block>], old: usize, home: Block) {
        (old..func.insts.len()).for_each(|n| self.add(func, item_homes, Entity::from_index(n), home));
    }
}

/// What a sum that does not wrap is made of.
fn summands(func: &Func, v: Value, flag: Flags) -> Vec<Value> {
    let mut found = vec![v];
    let mut at = 0;
    while at < found.len() && found.len() < PARTS as usize {
        let sum = |d: &&InstData| matches!(d.op, Op::Add | Op::Sub | Op::Mul) && d.attr.flags.contains(flag);
        found.extend(func.def_inst(found[at]).filter(sum).iter().flat_map(|d| &d.args));
        at += 1;
    }
    found
}

/// Gives a block's parameter a 64-bit one beside it. At the end of a block that leads there, `form` makes what is
/// handed over of the new parameter and of what the old one gets.
fn add_wide(
    func: &mut Func,
    cfg: &Cfg,
    (block, at): (Block, usize),
    mut form: impl FnMut(&mut Builder<'_>, Block, Value, Value) -> Value,
) -> Value {
    let wide = func.add_param(block, Type::I64);
    for (i, &pred) in cfg.preds(block).iter().enumerate() {
        if cfg.preds(block)[..i].contains(&pred) {
            continue;
        }
        let mut term = func.blocks[pred].term.clone();
        let mut b = Builder::new(func, pred);
        for target in term.targets_mut().into_iter().filter(|t| t.block == block) {
            let v = form(&mut b, pred, wide, target.args[at]);
            target.args.push(v);
        }
        b.end(term);
    }
    wide
}

/// Gives a counter its 64-bit form.
fn widen(func: &mut Func, cfg: &Cfg, l: &Loop, counter: &Induction, step: Value, flag: Flags) {
    let wide = add_wide(func, cfg, (l.header, counter.at), |b, pred, wide, v| {
        if !l.latches.contains(&pred) {
            return extended(b, v, flag);
        }
        let step = extended(b, step, flag);
        b.op(Op::Add, &[wide, step])
    });
    let is_user = |inst: Inst| extends(func, inst, counter.now, flag);
    let users: Vec<(Block, Inst)> = func.insts_of(&l.blocks).filter(|&(_, inst)| is_user(inst)).collect();
    let of = |(home, inst): (Block, Inst)| form_of_extension(func, inst, home, (counter.now, wide), flag);
    let forms: FxHashMap<Value, Value> = users.into_iter().map(of).collect();
    l.blocks.iter().for_each(|&block| func.map_uses(block, |v| forms.get(&v).copied().unwrap_or(v)));
}

/// True for an instruction that makes a 64-bit number of what holds a counter.
fn extends(func: &Func, inst: Inst, now: Value, flag: Flags) -> bool {
    let data = &func.insts[inst];
    data.op == extension(flag)
        && data.result.is_some_and(|v| func.ty(v) == Type::I64)
        && holds(func, data.args[0], now, flag, DEPTH)
}

/// The result of an extension of what holds a counter, and its form.
fn form_of_extension(func: &mut Func, inst: Inst, home: Block, counter: (Value, Value), flag: Flags) -> (Value, Value) {
    let (arg, result) = (func.insts[inst].args[0], func.insts[inst].result.expect("an extension"));
    (result, form(&mut Builder::before(func, home, inst), arg, counter, flag, DEPTH))
}

/// The 64-bit form of a value that holds a counter, whose own is the second of the two.
fn form(b: &mut Builder<'_>, v: Value, counter: (Value, Value), flag: Flags, depth: u32) -> Value {
    if v == counter.0 {
        return counter.1;
    }
    if !holds(b.func, v, counter.0, flag, depth) {
        return extended(b, v, flag);
    }
    let data = b.func.def_inst(v).expect("a sum").clone();
    let args: Vec<Value> = data.args.iter().map(|&arg| form(b, arg, counter, flag, depth - 1)).collect();
    b.emit(data.op, Type::I64, &args, Imm::None)
}

fn extended(b: &mut Builder<'_>, v: Value, flag: Flags) -> Value {
    if b.func.ty(v) == Type::I64 { v } else { b.convert(extension(flag), Type::I64, v) }
}
