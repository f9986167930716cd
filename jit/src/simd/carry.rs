//! What one work-item of a loop hands to the next: parameters of the loop's header. Counters and addresses that grow by a
//! constant are affine; a parameter that keeps its value is uniform; all others are *chains*, of four kinds (`Chain`).
//! `chain` writes their code. Must not emit code.

use super::loops::ItemLoop;
use super::shape::Facts;
use crate::ir::collective::CollectiveOp;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, Inst, Op, Term, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The header's parameters, classified.
pub(super) struct Carried {
    kinds: Vec<Kind>,
    /// What the next work-item gets for each.
    next: Vec<Value>,
    /// Number of the parameter for each value of a chain that nobody looks at within the loop: it has no vector.
    hidden: FxHashMap<Value, usize>,
    /// What the instructions of chains do.
    updates: FxHashMap<Inst, Update>,
    groups: Vec<Group>,
    /// The values of `Latest` chains, which must be uniform.
    latest: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Step(i64),
    Constant,
    Chain(Chain),
}

/// How a chain is computed in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// `next = op(param, x)` for integers, maybe in some work-items only, and seen behind the loop only: each lane has its own
    /// sum until the loop ends.
    Free(CollectiveOp),
    /// `next = op(param, x)` for integers, in every work-item, and seen by the loop's code: a scan.
    Prefix(CollectiveOp),
    /// `next` is the parameter or, in some work-items, a value that is the same for all of those, and seen behind the loop only:
    /// that value if one of them has it.
    Latest,
    /// Any other recurrence: its instructions lane after lane.
    Serial,
}

/// What an instruction of a chain does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// Takes an operand into the `Free` chain of this parameter.
    Fold(usize, CollectiveOp),
    /// Takes an operand into the `Prefix` chain of this parameter.
    Scan(usize, CollectiveOp),
    /// Is part of the group of this number.
    Serial(usize),
}

/// Parameters that depend on each other, and how the next values come about.
pub(super) struct Group {
    /// Numbers of the parameters.
    pub params: Vec<usize>,
    /// In an order in which they can be executed. The last one's place is where all are.
    pub insts: Vec<Inst>,
}

impl Carried {
    pub(super) fn find(func: &Func, items: &ItemLoop, facts: &Facts) -> Result<Self, String> {
        let params = &func.blocks[items.header].params;
        let back = arguments(func, items.latch, items.header);
        let mut this = Self {
            kinds: Vec::new(),
            next: Vec::new(),
            hidden: FxHashMap::default(),
            updates: FxHashMap::default(),
            groups: Vec::new(),
            latest: Vec::new(),
        };
        let mut kinds: Vec<Option<Kind>> = Vec::new();
        for (i, (&param, &next)) in params.iter().zip(&back).enumerate() {
            let step = step(func, param, next);
            let constant = (param == next).then_some(Kind::Constant);
            let kind = constant.or(step.map(Kind::Step));
            let kind = kind.or_else(|| this.fold(func, items, facts, i, param, next).map(Kind::Chain));
            kinds.push(kind.or_else(|| this.latest(func, items, facts, i, param, next).map(Kind::Chain)));
        }
        while let Some(i) = kinds.iter().position(Option::is_none) {
            let open = |q: usize| kinds[q].is_none();
            let group = group(func, items, facts, i, &open).ok_or("a value goes from work-item to work-item")?;
            group.params.iter().for_each(|&q| kinds[q] = Some(Kind::Chain(Chain::Serial)));
            this.updates.extend(group.insts.iter().map(|&inst| (inst, Update::Serial(this.groups.len()))));
            this.groups.push(group);
        }
        this.kinds = kinds.into_iter().flatten().collect();
        this.next = back;
        Ok(this)
    }

    /// By how much a header parameter grows from work-item to work-item.
    pub(super) fn step(&self, param: usize) -> Option<i64> {
        match self.kinds[param] {
            Kind::Step(step) => Some(step),
            _ => None,
        }
    }
    pub(super) fn is_constant(&self, param: usize) -> bool {
        self.kinds[param] == Kind::Constant
    }
    /// What the next work-item gets for a header parameter.
    pub(super) fn next(&self, param: usize) -> Value {
        self.next[param]
    }
    pub(super) fn chain(&self, param: usize) -> Option<Chain> {
        match self.kinds[param] {
            Kind::Chain(chain) => Some(chain),
            _ => None,
        }
    }
    /// The chain of a value that only chains know.
    pub(super) fn hidden(&self, v: Value) -> Option<usize> {
        self.hidden.get(&v).copied()
    }
    /// What an instruction does in a chain.
    pub(super) fn update(&self, inst: Inst) -> Option<Update> {
        self.updates.get(&inst).copied()
    }
    /// Values that must be uniform.
    pub(super) fn shared(&self) -> &[Value] {
        &self.latest
    }
    /// True if some recurrence goes lane after lane.
    pub(super) fn is_serial(&self) -> bool {
        !self.groups.is_empty()
    }
    pub(super) fn group(&self, number: usize) -> &Group {
        &self.groups[number]
    }

    /// A parameter that one instruction updates: which chain that makes.
    fn fold(
        &mut self,
        func: &Func,
        items: &ItemLoop,
        facts: &Facts,
        number: usize,
        param: Value,
        next: Value,
    ) -> Option<Chain> {
        let (members, updates) = members(func, items, facts, param, next)?;
        let data = &func.insts[*updates.first()?];
        let how = accumulation(data.op)?;
        for &update in &updates {
            let data = &func.insts[update];
            facts.inner_loop(home(func, items, update)?).is_none().then_some(())?;
            // One operand is of the chain before the update, the other is not.
            let of_chain: Vec<bool> = data.args.iter().map(|arg| members.contains(arg)).collect();
            if of_chain != [true, false] && of_chain != [false, true] || data.args.contains(&data.result?) {
                return None;
            }
        }
        if !are_exclusive(func, items, &updates) {
            return None;
        }
        if is_unseen(func, items, &updates, &members, param, next) {
            self.hidden.extend(members.into_iter().map(|v| (v, number)));
            self.updates.extend(updates.into_iter().map(|update| (update, Update::Fold(number, how))));
            return Some(Chain::Free(how));
        }
        let &[update] = &updates[..] else { return None };
        let home = home(func, items, update)?;
        let alone = members.len() == 2
            && data.result == Some(next)
            && facts.dom.dominates(home, items.latch)
            && arguments(func, items.latch, items.header).iter().filter(|v| members.contains(v)).count() == 1;
        (alone && is_seen_behind(func, items, facts, &members, &[update])).then_some(())?;
        self.updates.insert(update, Update::Scan(number, how));
        Some(Chain::Prefix(how))
    }
}

impl Carried {
    /// A parameter that joins replace by one other value.
    fn latest(
        &mut self,
        func: &Func,
        items: &ItemLoop,
        facts: &Facts,
        number: usize,
        param: Value,
        next: Value,
    ) -> Option<Chain> {
        let joins = |v: Value| match func.values[v].def {
            ValueDef::Param(block, i) if block != items.header && facts.within(block) => {
                facts.inner_loop(block).is_none().then_some((block, i as usize))
            }
            _ => None,
        };
        joins(next)?;
        let mut members = FxHashSet::from_iter([param]);
        let mut value = None;
        let mut work = vec![next];
        while let Some(v) = work.pop() {
            if members.contains(&v) {
                continue;
            }
            let Some((block, i)) = joins(v) else {
                if value.is_some_and(|other| other != v) {
                    return None;
                }
                value = Some(v);
                continue;
            };
            members.insert(v);
            let terms = items.blocks.iter().map(|&b| &func.blocks[b].term);
            work.extend(terms.flat_map(|term| term.targets()).filter(|t| t.block == block).map(|t| t.args[i]));
        }
        let value = value?;
        let inside = |b: Block| facts.within(b) && facts.inner_loop(b).is_some();
        let looped = func.homes(&items.blocks)[value.index()].is_some_and(inside);
        (!looped && is_unseen(func, items, &[], &members, param, next)).then_some(())?;
        self.hidden.extend(members.into_iter().map(|v| (v, number)));
        self.latest.push(value);
        Some(Chain::Latest)
    }
}

/// What `from` passes to `to`.
fn arguments(func: &Func, from: Block, to: Block) -> Vec<Value> {
    let targets = func.blocks[from].term.targets();
    targets.into_iter().find(|t| t.block == to).expect("an edge").args.to_vec()
}

/// The block of an instruction of the loop.
fn home(func: &Func, items: &ItemLoop, inst: Inst) -> Option<Block> {
    items.blocks.iter().copied().find(|&b| func.blocks[b].insts.contains(&inst))
}

/// From the next value back to the parameter: the instructions that update, all of one kind, and joins of their results with
/// the old value.
fn members(
    func: &Func,
    items: &ItemLoop,
    facts: &Facts,
    param: Value,
    next: Value,
) -> Option<(FxHashSet<Value>, Vec<Inst>)> {
    let mut members = FxHashSet::default();
    members.insert(param);
    let mut updates: Vec<Inst> = Vec::new();
    let mut work = vec![next];
    while let Some(v) = work.pop() {
        if !members.insert(v) {
            continue;
        }
        match func.values[v].def {
            ValueDef::Param(block, i) => {
                // In an inner loop the update could run more than once.
                if block == items.header || !facts.within(block) || facts.inner_loop(block).is_some() {
                    return None;
                }
                for &b in &items.blocks {
                    for target in func.blocks[b].term.targets().into_iter().filter(|t| t.block == block) {
                        work.push(target.args[i as usize]);
                    }
                }
            }
            ValueDef::Inst(inst) => {
                let data = &func.insts[inst];
                let other = updates.first().is_some_and(|&u| func.insts[u].op != data.op);
                if other || accumulation(data.op).is_none() || func.ty(v).is_vector() {
                    return None;
                }
                updates.push(inst);
            }
        }
    }
    Some((members, updates))
}

/// True if no work-item executes two of the instructions.
fn are_exclusive(func: &Func, items: &ItemLoop, insts: &[Inst]) -> bool {
    let homes: Vec<Option<Block>> = insts.iter().map(|&inst| home(func, items, inst)).collect();
    homes.iter().enumerate().all(|(i, home)| {
        let Some(home) = *home else { return false };
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = vec![home];
        while let Some(block) = work.pop() {
            let next = func.blocks[block].term.targets().into_iter().map(|t| t.block);
            work.extend(next.filter(|&b| b != items.header && items.blocks.contains(&b) && seen.insert(b)));
        }
        let others = homes.iter().enumerate().filter(|&(j, _)| j != i);
        others.flat_map(|(_, other)| other).all(|other| *other != home && !seen.contains(other))
    })
}

/// True if nothing in the loop looks at a chain but its own updates and joins.
fn is_unseen(
    func: &Func,
    items: &ItemLoop,
    updates: &[Inst],
    members: &FxHashSet<Value>,
    param: Value,
    next: Value,
) -> bool {
    items.blocks.iter().all(|&block| {
        let mut users = func.blocks[block].insts.iter().filter(|i| !updates.contains(i));
        let term = &func.blocks[block].term;
        let branches = matches!(term, Term::Br { cond, .. } if members.contains(cond));
        let passed = term.targets().into_iter().flat_map(|target| {
            let params = &func.blocks[target.block].params;
            target.args.iter().zip(params).map(move |(arg, to)| (target.block, *arg, *to))
        });
        let known = |(block, arg, to): (Block, Value, Value)| {
            let back = block == items.header && to == param && arg == next;
            let out = block == items.exit && arg == next;
            back || out || block != items.header && members.contains(&to)
        };
        !branches
            && !users.any(|&i| func.insts[i].args.iter().any(|arg| members.contains(arg)))
            && passed.filter(|(_, arg, _)| members.contains(arg)).all(known)
    })
}

/// True if all who use the values, but for `own` instructions, come after the last of those.
fn is_seen_behind(func: &Func, items: &ItemLoop, facts: &Facts, values: &FxHashSet<Value>, own: &[Inst]) -> bool {
    let Some(&last) = own.last() else { return false };
    let Some(home) = home(func, items, last) else { return false };
    let place = func.blocks[home].insts.iter().position(|&i| i == last).expect("in its block");
    items.blocks.iter().all(|&block| {
        let data = &func.blocks[block];
        let behind = |at: usize| if block == home { at > place } else { facts.dom.dominates(home, block) };
        let mut ends = false;
        data.term.for_each_value(|v| ends |= values.contains(&v));
        let mut users = data.insts.iter().enumerate().filter(|(_, inst)| !own.contains(inst));
        users.all(|(at, &inst)| behind(at) || !func.insts[inst].args.iter().any(|v| values.contains(v)))
            && (!ends || behind(usize::MAX))
    })
}

/// The parameters that a recurrence takes in, beginning with one, and its instructions; none if they cannot be executed
/// together, in every work-item, ahead of all who use them.
fn group(func: &Func, items: &ItemLoop, facts: &Facts, first: usize, open: &dyn Fn(usize) -> bool) -> Option<Group> {
    let all = &func.blocks[items.header].params;
    let back = arguments(func, items.latch, items.header);
    let mut params = vec![first];
    let (insts, mut values) = loop {
        let tainted = dependents(func, items, params.iter().map(|&q| all[q]).collect());
        let (insts, values) = slice(func, items, params.iter().map(|&q| back[q]).collect(), &tainted)?;
        let used = |v: Value| insts.iter().any(|&inst| func.insts[inst].args.contains(&v));
        let linked = |q: usize| {
            let handed = |p: &usize| all[*p] == back[q] || back[*p] == all[q];
            used(all[q]) || values.contains(&back[q]) || params.iter().any(handed)
        };
        let more: Vec<usize> = (0..all.len()).filter(|&q| open(q) && !params.contains(&q) && linked(q)).collect();
        if more.is_empty() {
            break (insts, values);
        }
        params.extend(more);
    };
    values.extend(params.iter().map(|&q| all[q]));
    let every = |block: Block| facts.inner_loop(block).is_none() && facts.dom.dominates(block, items.latch);
    let mut placed = Vec::new();
    for inst in insts {
        let data = &func.insts[inst];
        let scalar = |v: Value| !func.ty(v).is_vector() && !func.ty(v).is_ptr();
        let block = home(func, items, inst).filter(|&b| every(b))?;
        if !data.op.is_pure() || data.op == Op::Call || !data.args.iter().chain(&data.result).all(|&v| scalar(v)) {
            return None;
        }
        let depth = items.blocks.iter().filter(|&&b| facts.dom.dominates(b, block)).count();
        let at = func.blocks[block].insts.iter().position(|&i| i == inst).expect("in its block");
        placed.push((depth, at, inst));
    }
    placed.sort_unstable();
    let insts: Vec<Inst> = placed.into_iter().map(|(.., inst)| inst).collect();
    let closed = params.iter().all(|&q| values.contains(&back[q]));
    (closed && is_seen_behind(func, items, facts, &values, &insts)).then_some(Group { params, insts })
}

/// All values of the loop that depend on the given ones.
fn dependents(func: &Func, items: &ItemLoop, mut values: FxHashSet<Value>) -> FxHashSet<Value> {
    loop {
        let before = values.len();
        for &block in &items.blocks {
            for data in func.blocks[block].insts.iter().map(|&i| &func.insts[i]) {
                if data.args.iter().any(|v| values.contains(v)) {
                    values.extend(data.result);
                }
            }
            for target in func.blocks[block].term.targets() {
                if target.block == items.header || target.block == items.exit {
                    continue;
                }
                let params = &func.blocks[target.block].params;
                let joined = params.iter().zip(&target.args).filter(|(_, arg)| values.contains(arg));
                let joined: Vec<Value> = joined.map(|(&param, _)| param).collect();
                values.extend(joined);
            }
        }
        if values.len() == before {
            return values;
        }
    }
}

/// The instructions among `tainted` values that lead to the given ones, and their results; none if joins are among them.
fn slice(
    func: &Func,
    items: &ItemLoop,
    mut work: Vec<Value>,
    tainted: &FxHashSet<Value>,
) -> Option<(Vec<Inst>, FxHashSet<Value>)> {
    let (mut insts, mut values) = (Vec::new(), FxHashSet::default());
    while let Some(v) = work.pop() {
        match func.values[v].def {
            _ if !tainted.contains(&v) || values.contains(&v) => {}
            ValueDef::Param(block, _) if block == items.header => {}
            ValueDef::Param(..) => return None,
            ValueDef::Inst(inst) => {
                values.insert(v);
                insts.push(inst);
                work.extend(&func.insts[inst].args);
            }
        }
    }
    Some((insts, values))
}

/// Growth of a parameter by a constant.
fn step(func: &Func, param: Value, next: Value) -> Option<i64> {
    let data = func.def_inst(next)?;
    match (data.op, &data.imm) {
        (Op::Add, _) if data.args[0] == param && !func.ty(param).is_vector() => {
            func.const_bits(data.args[1]).map(|bits| bits as i64)
        }
        (Op::PtrOff, Imm::Disp(disp)) if data.args[0] == param => Some(*disp),
        _ => None,
    }
}

/// What chains that fold operands may consist of: operations on integers.
fn accumulation(op: Op) -> Option<CollectiveOp> {
    CollectiveOp::ALL.into_iter().find(|how| !how.is_float() && how.op() == op)
}
