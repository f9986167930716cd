//! Counters of loops within an item loop that start at another number in each work-item and do not wrap: a 64-bit counter beside
//! them serves for addresses, so that neighbours are known to stay neighbours.
//!
//! ```text
//! head(j): … sext(a + j) …; j' = j + s (nsw)    → head(j, k): … sext(a) + k …; k' = k + sext(s)    with k = sext(j) at first
//! ```
//! Indices that branches choose between, which is what becomes of a counter whose loop was unrolled, get 64-bit forms
//! as well.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, Op, Type, Value, ValueDef};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Levels of sums that hold a counter.
const DEPTH: u32 = 6;
/// Most values that a counter's first one may be made of.
const PARTS: u32 = 64;

/// A 32-bit counter of a loop.
pub(super) struct Counter {
    pub now: Value,
    /// Which parameter of the header it is.
    at: usize,
    /// A sum of 32 bits, or one of 64 bits cut off.
    pub next: Value,
    /// What is added, of 32 or 64 bits.
    pub step: Value,
    /// How the counter is extended for a sum of 64 bits.
    extension: Option<Op>,
}

/// The counters of a loop with one latch whose first value is made of the work-item's index by sums and products, in the item
/// loop that makes the values with a home. For others nothing is gained: lanes are no neighbours, and gathers take 32 bits.
pub(super) fn find(func: &Func, cfg: &Cfg, l: &Loop, item_homes: &[Option<Block>]) -> Vec<Counter> {
    let &[latch] = &l.latches[..] else { return Vec::new() };
    let handed = |b: Block, at: usize| {
        func.blocks[b].term.targets().into_iter().find(|t| t.block == l.header).map(|t| t.args[at])
    };
    let linear = Linear { func, cfg, item_homes };
    let own = |v: Value| linear.grows(v) && linear.holds(v, &mut { PARTS });
    let mut found = Vec::new();
    for (at, &now) in func.blocks[l.header].params.iter().enumerate().filter(|&(_, &v)| func.ty(v) == Type::I32) {
        let mut entries = cfg.preds(l.header).iter().filter(|&&b| b != latch);
        if entries.any(|&b| handed(b, at).is_some_and(own))
            && let Some(next) = handed(latch, at)
            && let Some((step, extension)) = added(func, now, next)
        {
            found.push(Counter { now, at, next, step, extension });
        }
    }
    found
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
            && (self.func.blocks[block].items || self.func.blocks[block].rows)
        {
            return true;
        }
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match self.func.values[v].def {
            ValueDef::Param(block, at) => {
                is_join(self.cfg, block) && handed(self.func, self.cfg, block, at).iter().all(|&v| self.holds(v, parts))
            }
            ValueDef::Inst(inst) => {
                let d = &self.func.insts[inst];
                let sum = matches!(d.op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Sext | Op::Zext | Op::Trunci);
                sum && d.args.iter().all(|&v| self.holds(v, parts))
            }
        }
    }
}

/// True if no loop begins at a block.
fn is_join(cfg: &Cfg, block: Block) -> bool {
    cfg.preds(block).iter().all(|&b| cfg.number(b) < cfg.number(block))
}

/// What a block's parameter is given, by each edge.
fn handed(func: &Func, cfg: &Cfg, block: Block, at: u32) -> Vec<Value> {
    let targets = cfg.preds(block).iter().flat_map(|&b| func.blocks[b].term.targets());
    targets.filter(|t| t.block == block).map(|t| t.args[at as usize]).collect()
}

/// What `next` adds to `now`, and how that is extended for it.
fn added(func: &Func, now: Value, next: Value) -> Option<(Value, Option<Op>)> {
    let data = func.def_inst(next)?;
    let extension =
        |v: Value| func.def_inst(v).filter(|d| matches!(d.op, Op::Sext | Op::Zext) && d.args[0] == now).map(|d| d.op);
    match data.op {
        Op::Add => match data.args[..] {
            [a, b] if a == now => Some((b, None)),
            [a, b] if b == now => Some((a, None)),
            _ => None,
        },
        Op::Trunci => {
            let sum = func.def_inst(data.args[0]).filter(|d| d.op == Op::Add)?;
            let [a, b] = sum.args[..] else { return None };
            match (extension(a), extension(b)) {
                (Some(op), _) => Some((b, Some(op))),
                (_, Some(op)) => Some((a, Some(op))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// True if a value is made of a counter by sums and products that do not wrap.
fn holds(func: &Func, v: Value, now: Value, flag: Flags, depth: u32) -> bool {
    let sum = || {
        func.def_inst(v)
            .filter(|d| depth > 0 && matches!(d.op, Op::Add | Op::Sub | Op::Mul) && d.attr.flags.contains(flag))
    };
    v == now || sum().is_some_and(|d| d.args.iter().any(|&v| holds(func, v, now, flag, depth - 1)))
}

impl Counter {
    /// As what it does not wrap: `NSW` or `NUW`.
    pub fn flag(&self, func: &Func) -> Option<Flags> {
        let flags = func.def_inst(self.next)?.attr.flags;
        [Flags::NSW, Flags::NUW].into_iter().find(|&flag| flags.contains(flag) && self.is_extended_as(flag))
    }

    /// True if the sum, where it does not wrap in this sense, is one of the counter's extension in the same sense.
    pub fn is_extended_as(&self, flag: Flags) -> bool {
        self.extension.is_none_or(|op| op == extension(flag))
    }

    /// True if its 64-bit form is used in the loop, other than to increase it.
    pub fn is_extended(&self, func: &Func, l: &Loop, flag: Flags) -> bool {
        let sum = func.def_inst(self.next).map(|d| d.args[0]);
        let is_extension = |v: Value| {
            func.def_inst(v).is_some_and(|d| {
                d.op == extension(flag) && func.ty(v) == Type::I64 && holds(func, d.args[0], self.now, flag, DEPTH)
            })
        };
        l.blocks
            .iter()
            .flat_map(|&b| &func.blocks[b].insts)
            .map(|&i| &func.insts[i])
            .any(|data| (data.result.is_none() || data.result != sum) && data.args.iter().any(|&v| is_extension(v)))
    }
}

fn extension(flag: Flags) -> Op {
    if flag == Flags::NSW { Op::Sext } else { Op::Zext }
}

/// Gives the counters in the item loop of a header their 64-bit forms.
pub(super) fn widen_counters(func: &mut Func, header: Block) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let Some(items) = loops.loops.iter().find(|l| l.header == header) else { return };
    let item_homes = func.homes(&items.blocks);
    for l in loops.loops.iter().filter(|l| l.header != header && items.blocks.contains(&l.header)) {
        for counter in find(func, &cfg, l, &item_homes) {
            if let Some(flag) = counter.flag(func)
                && counter.is_extended(func, l, flag)
            {
                counter.widen(func, &cfg, l, flag);
            }
        }
    }
}

/// Gives indices that branches in the item loop of a header choose between their 64-bit forms. Not before `interior`
/// has seen them.
pub(super) fn widen_joins(func: &mut Func, header: Block) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
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
            let given = handed(func, cfg, block, at);
            let gains =
                given.iter().all(|&v| linear.holds(v, &mut { PARTS })) && given.iter().any(|&v| linear.grows(v));
            if gains {
                joins.widen_one(func, &item_homes, (block, at), if signed { Flags::NSW } else { Flags::NUW }, users);
            }
        }
        let form = |v: Value| joins.forms.get(&v).copied().unwrap_or(v);
        for &block in blocks.iter().filter(|_| !joins.forms.is_empty()) {
            for inst in func.blocks[block].insts.clone() {
                func.insts[inst].args.iter_mut().for_each(|v| *v = form(*v));
            }
            func.blocks[block].term.map_values(form);
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
        let wide = func.add_param(block, Type::I64);
        let mut made = Vec::new();
        for (i, &pred) in self.cfg.preds(block).iter().enumerate() {
            if self.cfg.preds(block)[..i].contains(&pred) {
                continue;
            }
            let term = &func.blocks[pred].term;
            let given: Vec<Value> =
                term.targets().into_iter().filter(|t| t.block == block).map(|t| t.args[at as usize]).collect();
            let wides: Vec<Value> = given.into_iter().map(|v| extended(func, v, flag, &mut made)).collect();
            made.iter().for_each(|&inst| self.add(func, item_homes, inst, pred));
            func.blocks[pred].insts.append(&mut made);
            let targets = func.blocks[pred].term.targets_mut().into_iter().filter(|t| t.block == block);
            targets.zip(wides).for_each(|(target, v)| target.args.push(v));
        }
        for (inst, home) in users {
            let arg = func.insts[inst].args[0];
            let form = form(func, arg, (now, wide), flag, DEPTH, &mut made);
            made.iter().for_each(|&inst| self.add(func, item_homes, inst, home));
            let at = func.blocks[home].insts.iter().position(|&i| i == inst).expect("in its block");
            func.blocks[home].insts.splice(at..at, made.drain(..));
            self.forms.insert(func.insts[inst].result.expect("an extension"), form);
        }
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

impl Counter {
    fn widen(&self, func: &mut Func, cfg: &Cfg, l: &Loop, flag: Flags) {
        let wide = func.add_param(l.header, Type::I64);
        for &pred in cfg.preds(l.header) {
            let before = func.blocks[pred].insts.len();
            let mut made = Vec::new();
            let handed =
                func.blocks[pred].term.targets().into_iter().find(|t| t.block == l.header).map(|t| t.args[self.at]);
            let next = if l.latches.contains(&pred) {
                let step = extended(func, self.step, flag, &mut made);
                make(func, Op::Add, &[wide, step], &mut made)
            } else {
                extended(func, handed.expect("an edge"), flag, &mut made)
            };
            func.blocks[pred].insts.splice(before.., made);
            for target in func.blocks[pred].term.targets_mut() {
                if target.block == l.header {
                    target.args.push(next);
                }
            }
        }
        // What the extensions are now.
        let mut forms: FxHashMap<Value, Value> = FxHashMap::default();
        for &block in &l.blocks {
            for inst in func.blocks[block].insts.clone() {
                let data = &func.insts[inst];
                let (op, arg, result) = (data.op, data.args.first().copied(), data.result);
                if let (Some(arg), Some(result)) = (arg, result)
                    && op == extension(flag)
                    && func.ty(result) == Type::I64
                    && holds(func, arg, self.now, flag, DEPTH)
                {
                    let mut made = Vec::new();
                    let form = form(func, arg, (self.now, wide), flag, DEPTH, &mut made);
                    let at = func.blocks[block].insts.iter().position(|&i| i == inst).expect("in its block");
                    func.blocks[block].insts.splice(at..at, made);
                    forms.insert(result, form);
                }
            }
        }
        let form = |v: Value| forms.get(&v).copied().unwrap_or(v);
        for &block in &l.blocks {
            for inst in func.blocks[block].insts.clone() {
                func.insts[inst].args.iter_mut().for_each(|v| *v = form(*v));
            }
            func.blocks[block].term.map_values(form);
        }
    }
}

/// The 64-bit form of a value that holds a counter, whose own is the second of the two.
fn form(func: &mut Func, v: Value, counter: (Value, Value), flag: Flags, depth: u32, made: &mut Vec<Inst>) -> Value {
    if v == counter.0 {
        return counter.1;
    }
    if !holds(func, v, counter.0, flag, depth) {
        return extended(func, v, flag, made);
    }
    let data = func.def_inst(v).expect("a sum").clone();
    let args: Vec<Value> = data.args.iter().map(|&arg| form(func, arg, counter, flag, depth - 1, made)).collect();
    make(func, data.op, &args, made)
}

fn extended(func: &mut Func, v: Value, flag: Flags, made: &mut Vec<Inst>) -> Value {
    match func.ty(v) == Type::I64 {
        true => v,
        false => make(func, extension(flag), &[v], made),
    }
}

fn make(func: &mut Func, op: Op, args: &[Value], made: &mut Vec<Inst>) -> Value {
    let inst = func.make_inst(op, Some(Type::I64), args, Imm::None, Attr::default(), Span::DUMMY);
    made.push(inst);
    func.insts[inst].result.expect("a type was given")
}
