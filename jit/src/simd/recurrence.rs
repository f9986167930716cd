//! What one work-item of a loop hands to the next: parameters of the loop's header. Counters and addresses that grow by
//! a constant are affine; a parameter that keeps its value is uniform; all others are *chains*, of five kinds
//! (`Chain`). `recurrence_code` writes their code. Must not emit code.

use super::Reason;
use super::shape::Facts;
use crate::analysis::induction::Induction;
use crate::analysis::slice::dependents;
use crate::ir::cfg::reached;
use crate::ir::collective::CollectiveOp;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Inst, Op, Term, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The header's parameters, classified.
pub(super) struct Carried {
    kinds: Vec<Kind>,
    /// What the next work-item gets for each.
    next: Vec<Value>,
    /// Number of the parameter for each value of a chain that nobody looks at within the loop: it has no vector.
    hidden: FxHashMap<Value, usize>,
    /// What the instructions of chains do.
    updates: FxHashMap<Inst, Update>,
    /// Selections that are the places of updates.
    choices: FxHashMap<Inst, Choice>,
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
    /// `next = op(param, x)` for integers, maybe in some work-items only, and seen behind the loop only: each lane has
    /// its own sum until the loop ends.
    Free(CollectiveOp),
    /// `next = op(param, x)` for integers, maybe in some work-items only, and seen by the code behind: a scan.
    Prefix(CollectiveOp),
    /// `next = op(param, x)` for sums and products of floats, maybe in some work-items only, and seen behind the loop
    /// only: in the order of work-items (an in-order reduction).
    Ordered,
    /// `next` is the parameter or, in some work-items, a value that is the same for all of those, and seen behind the
    /// loop only: that value if one of them has it.
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
    /// Takes operands into the `Ordered` chain of this parameter.
    Accumulate(usize),
    /// Is done by the selection of its result.
    Chosen,
    /// Is part of the group of this number.
    Serial(usize),
}

/// An update that a selection takes or leaves: `select cond, update(chain, ..), chain`, or the other way round.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub update: Inst,
    pub cond: Value,
    /// It is taken if the condition is true.
    pub if_true: bool,
}

impl Choice {
    fn find(func: &Func, facts: &Facts, inst: Inst, members: &FxHashSet<Value>) -> Option<Self> {
        let data = &func.insts[inst];
        let &[cond, yes, no] = &data.args[..] else { return None };
        let takes = |update: Value, chain: Value| {
            let inst = def_inst(func, update)?;
            let at_once = facts.homes[update.index()] == facts.homes[data.result?.index()];
            let of_chain = members.contains(&chain) && func.insts[inst].args.contains(&chain);
            (of_chain && at_once && !members.contains(&cond)).then_some(inst)
        };
        let scalar = data.op == Op::Select && func.ty(yes).lanes == 1;
        let taken = takes(yes, no).map(|update| Self { update, cond, if_true: true });
        taken.or_else(|| Some(Self { update: takes(no, yes)?, cond, if_true: false })).filter(|_| scalar)
    }
}

fn def_inst(func: &Func, v: Value) -> Option<Inst> {
    match func.values[v].def {
        ValueDef::Inst(inst) => Some(inst),
        ValueDef::Param(..) => None,
    }
}

/// Parameters that depend on each other, and how the next values come about.
pub(super) struct Group {
    /// Numbers of the parameters.
    pub params: Vec<usize>,
    /// In an order in which they can be executed. The last one's place is where all are.
    pub insts: Vec<Inst>,
}

impl Carried {
    pub(super) fn find(func: &Func, facts: &Facts) -> Result<Self, Reason> {
        let (params, back) = (&func.blocks[facts.items.header].params, facts.back(func));
        let l = &facts.loops.loops[facts.number];
        let mut this = Self {
            kinds: Vec::new(),
            next: Vec::new(),
            hidden: FxHashMap::default(),
            updates: FxHashMap::default(),
            choices: FxHashMap::default(),
            groups: Vec::new(),
            latest: Vec::new(),
        };
        let mut kinds: Vec<Option<Kind>> = Vec::new();
        for (&param, &next) in params.iter().zip(back) {
            let step = Induction::of(func, l, param).and_then(|counter| counter.by(func));
            let constant = (param == next).then_some(Kind::Constant);
            kinds.push(constant.or(step.map(Kind::Step)));
        }
        let alone = made_alone(func, facts, &kinds);
        for (i, (&param, &next)) in params.iter().zip(back).enumerate().filter(|(i, _)| alone.contains(i)) {
            let chain = this.fold(func, facts, i, param, next);
            kinds[i] = chain.or_else(|| this.latest(func, facts, i, param, next)).map(Kind::Chain);
        }
        while let Some(i) = kinds.iter().position(Option::is_none) {
            let open = |q: usize| kinds[q].is_none();
            let group = group(func, facts, i, &open).ok_or(Reason::Carried)?;
            group.params.iter().for_each(|&q| kinds[q] = Some(Kind::Chain(Chain::Serial)));
            this.updates.extend(group.insts.iter().map(|&inst| (inst, Update::Serial(this.groups.len()))));
            this.groups.push(group);
        }
        this.kinds = kinds.into_iter().flatten().collect();
        this.next = back.to_vec();
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
    /// The selection at an update's place.
    pub(super) fn choice(&self, inst: Inst) -> Option<Choice> {
        self.choices.get(&inst).copied()
    }
    /// The instructions that take something into an `Ordered` chain.
    pub(super) fn accumulations(&self) -> impl Iterator<Item = Inst> {
        let updates = self.updates.iter().filter(|(_, update)| matches!(update, Update::Accumulate(_)));
        updates.map(|(&inst, _)| self.choice(inst).map_or(inst, |choice| choice.update))
    }
    /// True if some recurrence goes lane after lane.
    pub(super) fn is_serial(&self) -> bool {
        !self.groups.is_empty()
    }
    pub(super) fn group(&self, number: usize) -> &Group {
        &self.groups[number]
    }

    /// A parameter that one instruction updates: which chain that makes.
    fn fold(&mut self, func: &Func, facts: &Facts, number: usize, param: Value, next: Value) -> Option<Chain> {
        let (mut members, results) = joined(func, facts, param, next);
        members.extend(&results);
        let mut updates: Vec<Inst> = Vec::new();
        // Where small branches became selections, updates are made where they are chosen.
        let mut choices: Vec<(Inst, Choice)> = Vec::new();
        for &v in &results {
            let ValueDef::Inst(inst) = func.values[v].def else { return None };
            let choice = Choice::find(func, facts, inst, &members);
            if let Some(choice) = choice {
                members.extend(func.insts[choice.update].result);
                choices.push((inst, choice));
            }
        }
        for &v in &results {
            let ValueDef::Inst(place) = func.values[v].def else { return None };
            let choice = choices.iter().find(|(inst, _)| *inst == place);
            let update = choice.map_or(place, |(_, choice)| choice.update);
            let data = &func.insts[update];
            // One operand is of the chain before the update, others are not.
            let of_chain: SmallVec<[bool; 3]> = data.args.iter().map(|arg| members.contains(arg)).collect();
            let takes_one = match data.op {
                Op::Fma => of_chain[..] == [false, false, true],
                Op::Fsub => of_chain[..] == [true, false],
                _ => of_chain[..] == [true, false] || of_chain[..] == [false, true],
            };
            // In an inner loop the update could run more than once.
            let once = facts.homes[v.index()].is_some_and(|home| facts.inner_loop(home).is_none());
            let like_others = updates.first().is_none_or(|&u| func.insts[u].op == data.op) && !func.ty(v).is_vector();
            if !takes_one || !once || !like_others || data.args.contains(&v) {
                return None;
            }
            updates.push(update);
        }
        // All instructions of the chain, and where it is updated.
        let mut own = updates.clone();
        own.extend(choices.iter().map(|(inst, _)| *inst));
        let places: Vec<Inst> = results.iter().filter_map(|&v| def_inst(func, v)).collect();
        let is_unseen = |joins: &FxHashSet<Value>| is_unseen(func, facts, &own, joins, (param, next));
        let is_float = matches!(func.insts[*updates.first()?].op, Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma);
        if is_float && places.len() == 1 && is_unseen(&members) {
            self.hide(members, choices, number);
            self.updates.insert(places[0], Update::Accumulate(number));
            return Some(Chain::Ordered);
        }
        let how = accumulation(func.insts[*updates.first()?].op)?;
        if !are_exclusive(func, facts, &results) {
            return None;
        }
        if is_unseen(&members) {
            self.hide(members, choices, number);
            self.updates.extend(places.into_iter().map(|place| (place, Update::Fold(number, how))));
            return Some(Chain::Free(how));
        }
        let (&[update], &[result], []) = (&updates[..], &results[..], &choices[..]) else { return None };
        let seen = FxHashSet::from_iter([param, result]);
        let joins: FxHashSet<Value> = members.difference(&seen).copied().collect();
        let alone = func.insts[update].args.contains(&param)
            && (joins.is_empty() || self::is_unseen(func, facts, &[], &joins, (param, next)))
            && facts.back(func).iter().filter(|v| members.contains(v)).count() == 1;
        (alone && is_seen_behind(func, facts, &seen, &[update], &joins)).then_some(())?;
        // Work-items that do not come to the update hand on what they get.
        self.hidden.extend(joins.into_iter().map(|v| (v, number)));
        self.updates.insert(update, Update::Scan(number, how));
        Some(Chain::Prefix(how))
    }

    /// Makes values those that only a chain knows.
    fn hide(&mut self, members: FxHashSet<Value>, choices: Vec<(Inst, Choice)>, number: usize) {
        self.hidden.extend(members.into_iter().map(|v| (v, number)));
        self.updates.extend(choices.iter().map(|(_, choice)| (choice.update, Update::Chosen)));
        self.choices.extend(choices);
    }

    /// A parameter that joins replace by one other value.
    fn latest(&mut self, func: &Func, facts: &Facts, number: usize, param: Value, next: Value) -> Option<Chain> {
        let (joins, others) = joined(func, facts, param, next);
        let &[value] = &others[..] else { return None };
        let looped = facts.homes[value.index()].is_some_and(|b| facts.inner_loop(b).is_some());
        (value != next && !looped && is_unseen(func, facts, &[], &joins, (param, next))).then_some(())?;
        self.hidden.extend(joins.into_iter().map(|v| (v, number)));
        self.latest.push(value);
        Some(Chain::Latest)
    }
}

/// From the next value back to the parameter: joins outside inner loops, the parameter among them, and what else they
/// are handed.
fn joined(func: &Func, facts: &Facts, param: Value, next: Value) -> (FxHashSet<Value>, Vec<Value>) {
    let (mut joins, mut others) = (FxHashSet::from_iter([param]), Vec::new());
    let is_join = |b: Block| b != facts.items.header && facts.within(b) && facts.inner_loop(b).is_none();
    let mut work = vec![next];
    while let Some(v) = work.pop() {
        match func.values[v].def {
            _ if joins.contains(&v) || others.contains(&v) => {}
            ValueDef::Param(block, i) if is_join(block) => {
                joins.insert(v);
                work.extend(facts.cfg.handed(func, block, i as usize).map(|(_, v)| v));
            }
            _ => others.push(v),
        }
    }
    (joins, others)
}

/// True if no work-item executes two of the instructions that have these results.
fn are_exclusive(func: &Func, facts: &Facts, results: &[Value]) -> bool {
    let homes: Vec<Block> = results.iter().filter_map(|v| facts.homes[v.index()]).collect();
    let inside = |_, to: Block| to != facts.items.header && facts.within(to);
    homes.iter().enumerate().all(|(i, &home)| {
        let seen = reached(func, [home].into_iter(), inside);
        homes.iter().enumerate().all(|(j, other)| j == i || !seen.contains(other))
    })
}

/// True if nothing in the loop looks at a chain but its own updates and joins.
fn is_unseen(
    func: &Func,
    facts: &Facts,
    updates: &[Inst],
    members: &FxHashSet<Value>,
    (param, next): (Value, Value),
) -> bool {
    let items = &facts.items;
    items.blocks.iter().all(|&block| {
        let mut users = func.blocks[block].insts.iter().filter(|i| !updates.contains(i));
        let branches = matches!(&func.blocks[block].term, Term::Br { cond, .. } if members.contains(cond));
        let known = |(to, param_there, arg): (Block, Value, Value)| {
            let back = to == items.header && param_there == param && arg == next;
            let out = to == items.exit && arg == next;
            back || out || to != items.header && members.contains(&param_there)
        };
        !branches
            && !users.any(|&i| func.insts[i].args.iter().any(|arg| members.contains(arg)))
            && func.handed(block).filter(|(.., arg)| members.contains(arg)).all(known)
    })
}

/// True if all who use the values, but for `own` instructions and what is handed to `joins`, come after the last of
/// those instructions.
fn is_seen_behind(
    func: &Func,
    facts: &Facts,
    values: &FxHashSet<Value>,
    own: &[Inst],
    joins: &FxHashSet<Value>,
) -> bool {
    let Some(&last) = own.last() else { return false };
    let Some(home) = home(func, facts, last) else { return false };
    let place = func.blocks[home].insts.iter().position(|&i| i == last).expect("in its block");
    facts.items.blocks.iter().all(|&block| {
        let data = &func.blocks[block];
        let behind = |at: usize| if block == home { at > place } else { facts.dom.dominates(home, block) };
        let mut ends = false;
        data.term.for_each_value(|v| ends |= values.contains(&v));
        if ends && !joins.is_empty() {
            let asked = matches!(&data.term, Term::Br { cond, .. } if values.contains(cond));
            ends = asked || func.handed(block).any(|(_, to, arg)| values.contains(&arg) && !joins.contains(&to));
        }
        let mut users = data.insts.iter().enumerate().filter(|(_, inst)| !own.contains(inst));
        users.all(|(at, &inst)| behind(at) || !func.insts[inst].args.iter().any(|v| values.contains(v)))
            && (!ends || behind(usize::MAX))
    })
}

/// The block of an instruction of the loop that has a result.
fn home(func: &Func, facts: &Facts, inst: Inst) -> Option<Block> {
    facts.homes[func.insts[inst].result?.index()]
}

/// The parameters without a kind that are not made of another such one which is made of them: neither of two that are
/// could be first.
fn made_alone(func: &Func, facts: &Facts, kinds: &[Option<Kind>]) -> Vec<usize> {
    let items = &facts.items;
    let (params, back) = (&func.blocks[items.header].params, facts.back(func));
    let within = |b: Block| b != items.header && b != items.exit;
    let open: Vec<usize> = (0..params.len()).filter(|&q| kinds[q].is_none()).collect();
    let made_of = |&q: &usize| (q, dependents(func, &items.blocks, [params[q]], |_| true, within));
    let made_of: Vec<(usize, FxHashSet<Value>)> = open.iter().map(made_of).collect();
    let are_linked = |(a, of_a): &(usize, FxHashSet<Value>), (b, of_b): &(usize, FxHashSet<Value>)| {
        a != b && of_a.contains(&back[*b]) && of_b.contains(&back[*a])
    };
    made_of.iter().filter(|one| !made_of.iter().any(|other| are_linked(one, other))).map(|&(q, _)| q).collect()
}

/// The parameters that a recurrence takes in, beginning with one, and its instructions; none if they cannot be executed
/// together, in every work-item, ahead of all who use them.
fn group(func: &Func, facts: &Facts, first: usize, open: &dyn Fn(usize) -> bool) -> Option<Group> {
    let items = &facts.items;
    let (all, back) = (&func.blocks[items.header].params, facts.back(func));
    let within = |b: Block| b != items.header && b != items.exit;
    let mut params = vec![first];
    // What depends on other parameters that are not known yet belongs to the recurrence as well: it would ask for these
    // before they are there.
    let unknown = (0..all.len()).filter(|&q| q == first || open(q)).map(|q| all[q]);
    let tainted = dependents(func, &items.blocks, unknown, |_| true, within);
    let (insts, mut values) = loop {
        let (insts, values) = slice(func, items.header, params.iter().map(|&q| back[q]).collect(), &tainted)?;
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
    let mut placed = Vec::new();
    for inst in insts {
        let data = &func.insts[inst];
        let scalar = |v: Value| !func.ty(v).is_vector() && !func.ty(v).is_ptr();
        let block = home(func, facts, inst).filter(|&b| facts.is_in_every(b) && facts.inner_loop(b).is_none())?;
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
    (closed && is_seen_behind(func, facts, &values, &insts, &FxHashSet::default())).then_some(Group { params, insts })
}

/// The instructions among `tainted` values that lead to the given ones, and their results; none if joins are among
/// them.
fn slice(
    func: &Func,
    header: Block,
    mut work: Vec<Value>,
    tainted: &FxHashSet<Value>,
) -> Option<(Vec<Inst>, FxHashSet<Value>)> {
    let (mut insts, mut values) = (Vec::new(), FxHashSet::default());
    while let Some(v) = work.pop() {
        match func.values[v].def {
            _ if !tainted.contains(&v) || values.contains(&v) => {}
            ValueDef::Param(block, _) if block == header => {}
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

/// What chains that fold operands may consist of: operations on integers.
fn accumulation(op: Op) -> Option<CollectiveOp> {
    CollectiveOp::ALL.into_iter().find(|how| !how.is_float() && how.op() == op)
}
