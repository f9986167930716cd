//! Waits on memory. OpenCL promises no progress among work-groups, but programs poll a flag that another group sets,
//! take locks, or build a barrier of all groups; a launch of such a kernel must run groups side by side, where those
//! of an ordinary kernel may run in any order. `may_wait` tells the two apart by a backward slice (Weiser, "Program
//! Slicing"): starting from the conditions of a loop's exits it follows operands, what blocks are passed, the
//! branches that decide which (control dependence), and local and private memory. A loop waits if the slice reaches
//! a *signal*: the result of an atomic operation or a volatile load of memory that other groups see, at an address
//! that stays the same while the loop runs.
//!
//! Plain loads are none, unless there is a fence or a barrier in the loop, which orders them, and the kernel writes
//! such memory: a compiler may read them once. A loop that tries again until its own compare-exchange succeeds does
//! not wait if each turn expects what was read last: alone, it ends in the second turn (lock-free). A lock looks
//! alike, but expects the same value for ever. Nor does a loop wait that counts up to such a value, or one through many
//! addresses, such as a search in a hash table.
//!
//! `waiting_loops` asks the same of the work-items of a group, which see its local memory.
//!
//! Needs kernel form after `PROGRAM`, or any for single loops; changes nothing. Costs the size of each loop that has a
//! signal, per loop.

use super::alias::{Alias, is_pure_call};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, FuncId, Imm, Inst, InstData, IntPred, Module, Op, Target, Term, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether work-items of this kernel may wait for what others do to memory.
pub fn may_wait(module: &Module, kernel: FuncId) -> bool {
    let mut reached = vec![kernel];
    let mut seen = FxHashSet::from_iter([kernel]);
    let mut calls = Vec::new();
    let mut at = 0;
    while let Some(&id) = reached.get(at) {
        at += 1;
        let func = &module.funcs[id];
        for callee in func.live_insts().filter_map(|(_, inst)| func.insts[inst].callee()) {
            calls.push((id, callee));
            if seen.insert(callee) {
                reached.push(callee);
            }
        }
    }
    let has_signal =
        |func: &Func| func.live_insts().any(|(_, inst)| signal(func, &func.insts[inst], Among::Groups).is_some());
    // Those that give signals on, after as many rounds as calls are deep.
    let own = reached.iter().copied().filter(|&id| has_signal(&module.funcs[id]));
    let mut signalling: FxHashSet<FuncId> = own.collect();
    let mut before = 0;
    while signalling.len() != before {
        before = signalling.len();
        let callers = calls.iter().filter(|(_, callee)| signalling.contains(callee)).map(|&(caller, _)| caller);
        signalling.extend(callers.collect::<Vec<_>>());
    }
    let has_fence = |func: &Func| func.live_insts().any(|(_, inst)| is_fence(&func.insts[inst]));
    // Functions of the library are lock-free, though their results are signals.
    let may = |id: &FuncId| {
        let func = &module.funcs[*id];
        !func.is_builtin && (signalling.contains(id) || has_fence(func))
    };
    reached.iter().filter(|id| may(id)).any(|&id| Waits::new(&module.funcs[id], &signalling).any())
}

/// The headers of loops of a work-group function that a work-item may go round until others of its group have done
/// something, which in lanes they may do behind the loop only; all loops if some have several entries.
pub fn waiting_loops(func: &Func) -> FxHashSet<Block> {
    let signalling = FxHashSet::default();
    let waits = Waits { among: Among::WorkItems, ..Waits::new(func, &signalling) };
    let loops = waits.loops.loops.iter().enumerate();
    loops.filter(|&(id, _)| waits.loops.is_irreducible() || waits.waits(id)).map(|(_, l)| l.header).collect()
}

/// Who may be waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Other groups: by global memory.
    Groups,
    /// Other work-items of a group: by local memory, too.
    WorkItems,
}

/// The address of a read that sees what others do meanwhile.
fn signal(func: &Func, data: &InstData, among: Among) -> Option<Value> {
    let is_read = match data.op {
        Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas => true,
        Op::Load => data.attr.flags.contains(Flags::VOLATILE),
        _ => false,
    };
    let address = *data.args.first()?;
    (is_read && is_shared(func, address, among)).then_some(address)
}

/// True for memory that others see.
fn is_shared(func: &Func, address: Value, among: Among) -> bool {
    let is_in = |space: AddrSpace| func.ty(address) == Type::ptr(space);
    is_in(AddrSpace::Global) || is_in(AddrSpace::Generic) || among == Among::WorkItems && is_in(AddrSpace::Local)
}

/// True for what keeps plain loads in their place. Old programs poll with `mem_fence`, whose scope is the group.
fn is_fence(data: &InstData) -> bool {
    matches!(data.op, Op::Fence | Op::Barrier)
}

/// Where a way through a loop comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// An edge that gives a parameter this argument.
    Gives(Value),
    /// A block from which ways to several such edges go.
    Parts(Block),
}

/// The loops of one function.
struct Waits<'a> {
    func: &'a Func,
    signalling: &'a FxHashSet<FuncId>,
    among: Among,
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
    /// Where values are made.
    homes: Vec<Option<Block>>,
}

impl<'a> Waits<'a> {
    fn new(func: &'a Func, signalling: &'a FxHashSet<FuncId>) -> Self {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(func, &cfg, &dom);
        Self { func, signalling, among: Among::Groups, homes: func.homes(cfg.rpo()), cfg, dom, loops }
    }

    fn any(&self) -> bool {
        self.loops.is_irreducible() || (0..self.loops.loops.len()).any(|id| self.waits(id))
    }

    fn contains(&self, id: usize, v: Value) -> bool {
        self.homes[v.index()].is_some_and(|block| self.loops.contains(id, block))
    }

    fn insts(&self, l: &Loop) -> impl Iterator<Item = &InstData> {
        l.blocks.iter().flat_map(|&b| &self.func.blocks[b].insts).map(|&inst: &Inst| &self.func.insts[inst])
    }

    /// Whether a loop may go on until others have done something.
    fn waits(&self, id: usize) -> bool {
        let l = &self.loops.loops[id];
        if !self.insts(l).any(|data| is_fence(data) || self.gives_signal(data)) || self.is_retry_loop(id) {
            return false;
        }
        let mut work = self.exit_conditions(id);
        let mut seen = FxHashSet::default();
        while let Some(v) = work.pop() {
            if !self.contains(id, v) || !seen.insert(v) {
                continue;
            }
            match self.func.values[v].def {
                ValueDef::Param(block, place) => {
                    for &pred in self.cfg.preds(block).iter().filter(|&&pred| self.loops.contains(id, pred)) {
                        let targets = self.func.blocks[pred].term.targets();
                        work.extend(targets.iter().filter(|t| t.block == block).map(|t| t.args[place as usize]));
                    }
                    work.extend(self.controls(id, block, place as usize));
                }
                ValueDef::Inst(inst) => {
                    let data = &self.func.insts[inst];
                    if self.is_signal(id, data) {
                        return true;
                    }
                    work.extend(self.sources(id, v, data));
                }
            }
        }
        false
    }

    fn signal(&self, data: &InstData) -> Option<Value> {
        signal(self.func, data, self.among)
    }

    fn is_shared(&self, address: Value) -> bool {
        is_shared(self.func, address, self.among)
    }

    /// Whether a value may be, or come from, a signal, seen from outside the function in which it is made.
    fn gives_signal(&self, data: &InstData) -> bool {
        self.signal(data).is_some() || data.callee().is_some_and(|callee| self.signalling.contains(&callee))
    }

    fn is_signal(&self, id: usize, data: &InstData) -> bool {
        match self.signal(data) {
            Some(address) => self.is_fixed(id, address),
            // Such a load may not leave the loop for the fence's sake.
            None if data.op == Op::Load => {
                let has_fence = || self.insts(&self.loops.loops[id]).any(is_fence);
                let is_fixed = self.is_shared(data.args[0]) && self.is_fixed(id, data.args[0]);
                is_fixed && has_fence() && self.may_change(data)
            }
            None => self.gives_signal(data),
        }
    }

    /// Whether this function may write what a plain load reads.
    fn may_change(&self, load: &InstData) -> bool {
        let alias = Alias::new(self.func);
        let Some(class) = alias.load_class(self.func, load) else { return false };
        let writes = |inst: Inst| alias.writes(self.func, &self.func.insts[inst]) & alias.overlaps(class) != 0;
        self.func.live_insts().any(|(_, inst)| self.func.insts[inst].op != Op::Barrier && writes(inst))
    }

    /// What an instruction of a loop has its result from.
    fn sources(&self, id: usize, result: Value, data: &InstData) -> Vec<Value> {
        if self.succeeds(result).is_some_and(|cas| self.is_reread(id, cas)) {
            return Vec::new();
        }
        match data.op {
            // A loop that counts comes to its end by itself, wherever that is.
            Op::Icmp if data.args.iter().any(|&v| self.counts(id, v)) => Vec::new(),
            // At one address of many.
            _ if self.signal(data).is_some() => Vec::new(),
            Op::Load | Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas if !self.is_shared(data.args[0]) => {
                let space = self.func.ty(data.args[0]);
                let is_store = |data: &&InstData| matches!(data.op, Op::Store | Op::AtomicStore | Op::AtomicRmw);
                let stores = self.insts(&self.loops.loops[id]).filter(is_store);
                stores.filter(|data| self.func.ty(data.args[0]) == space).map(|data| data.args[1]).collect()
            }
            Op::Load => Vec::new(),
            Op::Call if !is_pure_call(data) => Vec::new(),
            _ => data.args.to_vec(),
        }
    }

    /// Whether a value is a basic induction variable of a loop, or a linear function of one.
    fn counts(&self, id: usize, v: Value) -> bool {
        let step = |data: &InstData, of: Value| {
            let [a, b] = data.args[..] else { return false };
            let (other, is_step) = if a == of { (b, true) } else { (a, b == of && data.op == Op::Add) };
            is_step && matches!(data.op, Op::Add | Op::Sub) && self.is_fixed(id, other)
        };
        match self.func.values[v].def {
            ValueDef::Param(block, place) if block == self.loops.loops[id].header => {
                let inside = self.cfg.preds(block).iter().filter(|&&pred| self.loops.contains(id, pred));
                let mut edges = inside.flat_map(|&pred| self.func.blocks[pred].term.targets());
                let arg = |target: &Target| self.func.def_inst(target.args[place as usize]);
                edges.all(|target| target.block != block || arg(target).is_some_and(|data| step(data, v)))
            }
            ValueDef::Param(..) => false,
            ValueDef::Inst(inst) => {
                let data = &self.func.insts[inst];
                match data.op {
                    Op::Sext | Op::Zext | Op::Trunci => self.counts(id, data.args[0]),
                    Op::Add | Op::Sub => data.args.iter().any(|&a| step(data, a) && self.counts(id, a)),
                    _ => false,
                }
            }
        }
    }

    fn condition(&self, block: Block) -> Option<Value> {
        match self.func.blocks[block].term {
            Term::Br { cond, .. } => Some(cond),
            Term::Switch { value, .. } => Some(value),
            Term::Jump(_) | Term::Ret(_) | Term::Unreachable => None,
        }
    }

    /// The conditions of a loop's exits, and those that decide whether a turn comes to these.
    fn exit_conditions(&self, id: usize) -> Vec<Value> {
        let leaves = |b: Block| self.func.blocks[b].term.targets().iter().any(|t| !self.loops.contains(id, t.block));
        let mut work: Vec<Block> = self.loops.loops[id].blocks.iter().copied().filter(|&b| leaves(b)).collect();
        let mut seen = FxHashSet::from_iter(work.iter().copied());
        let mut found = Vec::new();
        while let Some(block) = work.pop() {
            found.extend(self.condition(block));
            work.extend(self.deciders(id, block).into_iter().filter(|&b| seen.insert(b)));
        }
        found
    }

    /// The blocks whose ends decide whether a turn of a loop comes to `block`: those that it is control-dependent on.
    fn deciders(&self, id: usize, block: Block) -> Vec<Block> {
        let l = &self.loops.loops[id];
        if block == l.header {
            return Vec::new();
        }
        // From these a turn may end without it.
        let mut around = FxHashSet::default();
        let mut work: Vec<Block> = l.latches.clone();
        while let Some(b) = work.pop() {
            if b != block && around.insert(b) && b != l.header {
                work.extend(self.cfg.preds(b).iter().filter(|&&pred| self.loops.contains(id, pred)));
            }
        }
        let passes = |to: Block| to == l.header || around.contains(&to);
        let decides = |b: Block| {
            let targets = self.func.blocks[b].term.targets();
            let inner = || targets.iter().map(|t| t.block).filter(|&to| self.loops.contains(id, to));
            inner().any(passes) && inner().any(|to| !passes(to))
        };
        l.blocks.iter().copied().filter(|&b| b != block && decides(b)).collect()
    }

    /// The conditions that decide which argument a parameter gets of a block where ways meet: those of branches from
    /// which the ways go on differently (control dependence on the edges that give different arguments).
    fn controls(&self, id: usize, block: Block, place: usize) -> Vec<Value> {
        let inside = |&&b: &&Block| self.loops.contains(id, b);
        let mut work: Vec<Block> = self.cfg.preds(block).iter().filter(inside).copied().collect();
        if work.len() < 2 {
            return Vec::new();
        }
        let header = self.loops.loops[id].header;
        let top = if block == header { header } else { self.dom.idom(block).unwrap_or(header) };
        let mut region = FxHashSet::default();
        while let Some(b) = work.pop() {
            if region.insert(b) && b != top && b != header {
                work.extend(self.cfg.preds(b).iter().filter(inside));
            }
        }
        // What follows is known first, but where an inner loop goes round.
        let mut ways: FxHashMap<Block, Way> = FxHashMap::default();
        let mut found = Vec::new();
        for &b in self.cfg.rpo().iter().rev().filter(|b| region.contains(b)) {
            let targets = self.func.blocks[b].term.targets();
            let mut next = targets.iter().filter_map(|target| match target.block {
                to if to == block => Some(Way::Gives(target.args[place])),
                to if region.contains(&to) && to != header => Some(ways.get(&to).copied().unwrap_or(Way::Parts(b))),
                _ => None,
            });
            let Some(first) = next.next() else { continue };
            let way = if next.all(|way| way == first) { first } else { Way::Parts(b) };
            if way == Way::Parts(b) {
                found.extend(self.condition(b));
            }
            ways.insert(b, way);
        }
        found
    }

    /// Whether a value is the same in each turn of a loop.
    fn is_fixed(&self, id: usize, v: Value) -> bool {
        let mut work = vec![v];
        let mut seen = FxHashSet::default();
        while let Some(v) = work.pop() {
            if !self.contains(id, v) || !seen.insert(v) {
                continue;
            }
            match self.func.def_inst(v) {
                Some(data) if data.op.is_pure() => work.extend_from_slice(&data.args),
                _ => return false,
            }
        }
        true
    }

    /// Whether a loop ends, whatever others do, as soon as its compare-exchange finds what the turn before read.
    fn is_retry_loop(&self, id: usize) -> bool {
        let l = &self.loops.loops[id];
        l.blocks.iter().any(|&block| {
            let Term::Br { cond, then, els } = &self.func.blocks[block].term else { return false };
            let leaves = [then, els].iter().any(|target| !self.loops.contains(id, target.block));
            let Some(cas) = self.succeeds(*cond).filter(|_| leaves) else { return false };
            let home = self.homes[cas.index()].filter(|&home| self.loops.of(home) == Some(id));
            let each_turn = home.is_some_and(|home| l.latches.iter().all(|&latch| self.dom.dominates(home, latch)));
            each_turn && self.is_reread(id, cas)
        })
    }

    /// The result of the compare-exchange of which this value tells whether it succeeded.
    fn succeeds(&self, v: Value) -> Option<Value> {
        let data = self.func.def_inst(v)?;
        match (data.op, &data.imm) {
            (Op::Not, _) => self.succeeds(data.args[0]),
            (Op::Icmp, Imm::IntPred(IntPred::Eq | IntPred::Ne)) => {
                let [a, b] = [self.bits_of(data.args[0]), self.bits_of(data.args[1])];
                [(a, b), (b, a)].into_iter().find_map(|(result, expected)| {
                    let cas = self.func.def_inst(result).filter(|data| data.op == Op::AtomicCas)?;
                    (self.bits_of(cas.args[1]) == expected).then_some(result)
                })
            }
            _ => None,
        }
    }

    /// Whether what a compare-exchange expects was read from its place in this turn of a loop or the one before.
    fn is_reread(&self, id: usize, result: Value) -> bool {
        let Some(cas) = self.func.def_inst(result).filter(|data| data.op == Op::AtomicCas) else { return false };
        let mut work = vec![cas.args[1]];
        let mut seen = FxHashSet::default();
        while let Some(v) = work.pop() {
            if !seen.insert(v) {
                continue;
            }
            if !self.contains(id, v) {
                return false;
            }
            match self.func.values[v].def {
                ValueDef::Param(block, place) => {
                    for &pred in self.cfg.preds(block).iter().filter(|&&pred| self.loops.contains(id, pred)) {
                        let targets = self.func.blocks[pred].term.targets();
                        work.extend(targets.iter().filter(|t| t.block == block).map(|t| t.args[place as usize]));
                    }
                }
                ValueDef::Inst(inst) => {
                    let data = &self.func.insts[inst];
                    match data.op {
                        Op::Bitcast => work.push(data.args[0]),
                        Op::Select => work.extend_from_slice(&data.args[1..]),
                        Op::Load | Op::AtomicLoad | Op::AtomicCas if self.same_address(data.args[0], cas.args[0]) => {}
                        _ => return false,
                    }
                }
            }
        }
        true
    }

    /// The value with these bits that is not made by `bitcast`.
    fn bits_of(&self, v: Value) -> Value {
        match self.func.def_inst(v) {
            Some(data) if data.op == Op::Bitcast => self.bits_of(data.args[0]),
            _ => v,
        }
    }

    fn same_address(&self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        match (self.func.def_inst(a), self.func.def_inst(b)) {
            (Some(data), _) if data.op == Op::AsCast => self.same_address(data.args[0], b),
            (_, Some(data)) if data.op == Op::AsCast => self.same_address(a, data.args[0]),
            (Some(a), Some(b)) => a.op.is_pure() && (a.op, &a.imm, &a.args) == (b.op, &b.imm, &b.args),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    /// Whether a kernel with this body may wait; `i` is the global id.
    fn waits(body: &str) -> bool {
        let head = "void lock(volatile global int *p) { while (atomic_cmpxchg(p, 0, 1) != 0) ; }
            kernel void k(volatile global int *v, global int *p, global atomic_int *a, global float *f,
                          global const int *restrict q, int n) {
            local int shared; int i = get_global_id(0), l = get_local_id(0);";
        let source = format!("{head} {body} }}");
        let built = crate::build(source.as_bytes(), "-cl-std=CL3.0", &[]);
        built.program.unwrap_or_else(|_| panic!("{}", built.log)).kernels()[0].may_wait
    }

    #[test]
    fn polls_and_locks_wait() {
        let bodies = [
            "while (v[0] == 0) ; p[i] = v[0];",
            "if (l == 0) while (atomic_load(a) < n) ; barrier(1); p[i] = 1;",
            "if (l == 0) { atomic_inc(v); while (v[0] < n) ; } barrier(1); p[i] = 1;",
            "while (atomic_add(p + 3, 0) != n) ;",
            "while (p[3] != n) mem_fence(CLK_GLOBAL_MEM_FENCE); p[3] = n + 1;",
            "while (1) { if (v[0] > 0) { if (i > n) break; else p[i]++; } }",
            "while (atomic_cmpxchg(p, 0, 1) != 0) ; p[1] += i; atomic_xchg(p, 0);",
            "lock(v); p[1] += i; atomic_xchg(v, 0);",
            "int done = 0; while (!done) { if (!atomic_xchg(p, 1)) { p[1] += i; atomic_xchg(p, 0); done = 1; } }",
            "int e = 0; while (!atomic_compare_exchange_strong(a, &e, 1)) e = 0; p[1] += i; atomic_store(a, 0);",
            "int s = 1; while (s) { if (q[i] > 3) { if (atomic_inc(p) > n) s = 0; else f[i]++; } }",
            "int s = 1; while (s) { int t = 0; if (q[i] > 3) { if (v[0] > n) { f[i]++; t = 1; } } s -= t; }",
            "do { if (l == 0) shared = v[0]; barrier(1); } while (shared == 0);",
            "int t = atomic_inc(p); while (v[1] != t) ; p[3] += i; v[1] = t + 1;",
            "for (int g = 0; g < n; g++) { while (v[g] == 0) ; p[i] += g; }",
            "int s; do { s = v[0]; } while (s <= 0 || atomic_cmpxchg(v, s, s - 1) != s); p[1] += i;",
            "int t; while ((t = atomic_inc(p)) < n) f[t] = t;",
            "do { barrier(CLK_GLOBAL_MEM_FENCE); } while (p[3] != n); p[3] = n + 1;",
        ];
        for body in bodies {
            assert!(waits(body), "{body}");
        }
    }

    #[test]
    fn what_ends_alone_does_not() {
        let bodies = [
            "p[i] = v[i];",
            "for (int j = 0; j < q[0]; j++) { shared = j; barrier(1); p[i] += shared + l; barrier(1); }",
            "for (int j = 0; j < n; j++) p[i] += v[j];",
            "while (p[0] == 0) ; p[i] = p[0];",
            "atomic_inc(p + (i & 63));",
            "for (int j = 0; j < n; j++) { atomic_inc(p + j); if (v[j] == 3) break; }",
            "union { uint u; float f; } old, new; volatile global float *s = f; do { old.f = *s; new.f = old.f + i; }
             while (atomic_cmpxchg((volatile global uint *)s, old.u, new.u) != old.u);",
            "int old = p[1], was; do { was = old; old = atomic_cmpxchg(p + 1, was, was + i); } while (old != was);",
            "int e = atomic_load(a); while (!atomic_compare_exchange_strong(a, &e, e + i)) ;",
            "int old = p[0]; while (i > old) { int was = old; old = atomic_cmpxchg(p, was, i);
             if (old == was) break; }",
            "for (int j = 0; j < v[0]; j++) p[i] += j;",
            "int j = 0; do { if (v[0] > 3) p[i] += j; } while (++j < n);",
            "for (int j = 0; j < n; j++) { int at = atomic_inc(p); if (at < n) f[at] = j; else f[i] += j; }",
            "int h = i % n; while (1) { int was = atomic_cmpxchg(p + h, -1, i); if (was == -1 || was == i) break;
             h = (h + 1) % n; }",
            "local int t[4]; if (l == 0) t[0] = 0; barrier(1); while (atomic_inc(t) < n) ;",
            // What ways that part come back together with does not say how many turns there are.
            "int s = 1; while (s) { s--; if (f[s] > 0) { int t = atomic_inc(p); if (t < n) f[t] = i; else f[i]++; }
             if (q[s] < 0) s += 2; }",
            "int todo[9], s = 1; todo[0] = i; while (s) { int at = todo[--s]; if (q[at] > 0) { if (at & 1) {
             int t = atomic_inc(p); if (t < n) f[t] = i; } else { todo[s++] = q[2 * at]; todo[s++] = q[at + 1]; } } }",
        ];
        for body in bodies {
            assert!(!waits(body), "{body}");
        }
    }
}
