//! Partial linearisation (Moll and Hack, "Partial Control-Flow Linearization", PLDI 2018): the order in which the
//! blocks of an item loop are executed, and where each goes next. A divergent branch goes on to the first of its
//! targets; the others are *deferred*: some later block leads there. A branch that all lanes take together stays a
//! branch, unless something is deferred past it. Inner loops are collapsed to one node of the loop around them.
//! Deferred blocks run under masks that may be empty, so a *guard* in front of one that is not cheap, or not harmless,
//! skips it then. To assign a uniform value to a join is not harmless: that knows no mask.
//!
//! Blocks are taken in an order in which a block's dominance subtree is contiguous; a plain topological order is not
//! enough. Must not emit code.

use super::shape::{Facts, Shape, Shapes};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, InstData, Op, Term, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most instructions that run under a mask that may be empty.
const MAX_UNGUARDED: usize = 12;
/// What a load counts for there beyond one: under an empty mask its address may lie where no memory is, and to ignore
/// that takes the machine many times as long as a load.
const LOAD_UNGUARDED: usize = 2;

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// To a block, its guard first.
    Block(Block),
    /// To the end of an inner loop's pass.
    End(usize),
}

/// Which lanes are in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskOf {
    /// All.
    All,
    /// Those of another block, which comes first.
    Same(Block),
    /// Those that the edges to it have brought.
    Edges,
}

/// The linear program.
#[derive(Default)]
pub(super) struct Plan {
    /// Blocks in order; an inner loop's are contiguous, its header first.
    pub order: Vec<Block>,
    /// Next place for each way out of a block.
    pub next: FxHashMap<(Block, usize), Hop>,
    /// Where to go if no lane wants to enter a block.
    pub guards: FxHashMap<Block, Hop>,
    /// What comes behind a divergent loop.
    pub behind: FxHashMap<usize, Hop>,
    pub masks: FxHashMap<Block, MaskOf>,
}

struct Planner<'a> {
    func: &'a Func,
    facts: &'a Facts,
    shapes: &'a Shapes<'a>,
    /// Loads under a mask are instructions, for 32 and 64 bits.
    masked_loads: bool,
    plan: Plan,
    deferred: Vec<bool>,
}

/// Most blocks on the ways from a block to one that may have the same lanes.
const MAX_WALK: usize = 64;

/// Makes the plan; `masked_loads` says that the machine loads 32- and 64-bit lanes under a mask.
pub(super) fn plan(func: &Func, shapes: &Shapes, masked_loads: bool) -> Plan {
    let facts = shapes.facts;
    let deferred = vec![false; func.blocks.len()];
    let mut planner = Planner { func, facts, shapes, masked_loads, plan: Plan::default(), deferred };
    planner.scope(None, facts.items.header, &facts.items.blocks);
    planner.plan
}

/// Nodes of one scope and what is pending at each.
struct Scope {
    /// The loop; none for the item loop.
    id: Option<usize>,
    header: Block,
    index: FxHashMap<Block, usize>,
    pending: FxHashMap<Block, SmallVec<[Block; 4]>>,
}

impl Planner<'_> {
    /// The node of scope `l` that stands for a block: itself, or the header of the loop right in `l` that contains it.
    fn node(&self, l: Option<usize>, block: Block) -> Option<Block> {
        if self.facts.inner_loop(block) == l {
            return Some(block);
        }
        let inner = self.facts.loops_around(block).find(|&inner| self.facts.parent(inner) == l);
        inner.map(|inner| self.facts.loops.loops[inner].header)
    }

    fn scope(&mut self, id: Option<usize>, header: Block, blocks: &[Block]) {
        let nodes: Vec<Block> = blocks.iter().copied().filter(|&b| self.node(id, b) == Some(b)).collect();
        let mut children: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &node in nodes.iter().filter(|&&n| n != header) {
            let idom = self.facts.dom.idom(node).and_then(|d| self.node(id, d)).unwrap_or(header);
            children.entry(idom).or_default().push(node);
        }
        let mut order = Vec::new();
        let mut work = vec![header];
        while let Some(node) = work.pop() {
            order.push(node);
            let mut next = children.remove(&node).unwrap_or_default();
            self.facts.cfg.sort(&mut next);
            work.extend(next.iter().rev());
        }
        let index = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut scope = Scope { id, header, index, pending: FxHashMap::default() };
        for (i, &node) in order.iter().enumerate() {
            self.visit(&mut scope, node, &order[i..]);
        }
    }

    fn visit(&mut self, scope: &mut Scope, node: Block, rest: &[Block]) {
        let inner = self.facts.inner_loop(node).filter(|&l| Some(l) != scope.id);
        if node != scope.header || scope.id.is_none() {
            let mask = self.mask(node, inner);
            self.plan.masks.insert(node, mask);
            let masked = mask == MaskOf::Edges && node != self.facts.items.header;
            if masked && (inner.is_some() || !self.is_cheap(scope, node, rest)) {
                // Blocks that it dominates have no other lanes.
                let mut end = self.facts.post.of(node);
                while let Some(block) = end.filter(|&b| self.facts.dom.dominates(node, b)) {
                    end = self.facts.post.of(block);
                }
                let end = end.filter(|&b| self.facts.within(b));
                let hop = self.go(scope, node, end);
                self.plan.guards.insert(node, hop);
            }
        }
        match inner {
            Some(l) => self.visit_loop(scope, node, l),
            None => {
                self.plan.order.push(node);
                let targets: SmallVec<[Block; 2]> =
                    self.func.blocks[node].term.targets().iter().map(|t| t.block).collect();
                if node == self.facts.items.latch {
                    return;
                }
                if self.shapes.is_divergent(node) {
                    let hop = self.go(scope, node, targets.iter().copied());
                    (0..targets.len()).for_each(|k| _ = self.plan.next.insert((node, k), hop));
                } else {
                    for (k, &target) in targets.iter().enumerate() {
                        let hop = self.go(scope, node, Some(target));
                        self.plan.next.insert((node, k), hop);
                    }
                }
            }
        }
    }

    fn visit_loop(&mut self, scope: &mut Scope, node: Block, l: usize) {
        let blocks = self.facts.loops.loops[l].blocks.clone();
        if self.shapes.is_divergent_loop(l) {
            self.plan.masks.insert(node, MaskOf::Edges);
        }
        self.scope(Some(l), node, &blocks);
        let exits: Vec<(Block, usize, Block)> = blocks
            .iter()
            .flat_map(|&b| {
                self.func.blocks[b].term.targets().into_iter().enumerate().map(move |(k, t)| (b, k, t.block))
            })
            .filter(|&(_, _, to)| !self.facts.contains(l, to))
            .collect();
        if self.shapes.is_divergent_loop(l) {
            let hop = self.go(scope, node, exits.iter().map(|&(_, _, to)| to));
            self.plan.behind.insert(l, hop);
        } else {
            for (block, k, to) in exits {
                let hop = self.go(scope, node, Some(to));
                self.plan.next.insert((block, k), hop);
            }
        }
    }

    /// From `node` to the first of `targets` and of what is pending there; the others are pending where that leads.
    fn go(&mut self, scope: &mut Scope, node: Block, targets: impl IntoIterator<Item = Block>) -> Hop {
        let mut all: SmallVec<[Block; 4]> = scope.pending.get(&node).cloned().unwrap_or_default();
        for target in targets {
            let inside = scope.id.map_or(self.facts.within(target), |l| self.facts.contains(l, target));
            if let Some(local) =
                self.node(scope.id, target).filter(|&b| inside && b != scope.header && !all.contains(&b))
            {
                all.push(local);
            }
        }
        let Some(&first) = all.iter().min_by_key(|b| scope.index[*b]) else {
            return Hop::End(scope.id.unwrap_or(self.facts.number));
        };
        let pending = scope.pending.entry(first).or_default();
        for other in all.into_iter().filter(|&b| b != first) {
            self.deferred[other.index()] = true;
            if !pending.contains(&other) {
                pending.push(other);
            }
        }
        Hop::Block(first)
    }

    fn mask(&self, node: Block, inner: Option<usize>) -> MaskOf {
        if node == self.facts.items.header || !self.shapes.is_masked(node) {
            return MaskOf::All;
        }
        // A dominator that has the same lanes.
        let outer = inner.map_or(self.facts.loops.of(node), |l| self.facts.loops.loops[l].parent);
        let mut at = self.facts.dom.idom(node);
        for _ in 0..32 {
            let Some(block) = at.filter(|&b| self.facts.within(b)) else { break };
            let same = self.facts.loops.of(block) == outer && self.postdominates(node, block);
            if same && !self.goes_round(outer, block, node) {
                return MaskOf::Same(block);
            }
            at = self.facts.dom.idom(block);
        }
        // The only way here is one that all lanes take together.
        let inside = |b: Block| inner.is_some_and(|l| self.facts.contains(l, b));
        let preds: SmallVec<[Block; 4]> = self.facts.cfg.preds(node).iter().copied().filter(|&b| !inside(b)).collect();
        let &[pred] = &preds[..] else { return MaskOf::Edges };
        let targets = self.func.blocks[pred].term.targets();
        let k = targets.iter().position(|t| t.block == node).expect("a predecessor");
        let together = match self.func.blocks[pred].term {
            Term::Jump(_) => true,
            _ => !self.shapes.is_divergent(pred) && !self.deferred[node.index()],
        };
        if together && self.plan.next.get(&(pred, k)) == Some(&Hop::Block(node)) {
            return MaskOf::Same(pred);
        }
        MaskOf::Edges
    }

    fn postdominates(&self, node: Block, block: Block) -> bool {
        let next = |&b: &Block| self.facts.post.of(b).filter(|&b| self.facts.within(b));
        std::iter::successors(Some(block), next).skip(1).take(128).any(|b| b == node)
    }

    /// True if lanes may go from a block of a loop to another of its blocks by the loop's header only: in another
    /// iteration.
    fn goes_round(&self, l: Option<usize>, block: Block, node: Block) -> bool {
        let Some(l) = l.filter(|&l| l != self.facts.number) else { return false };
        let data = &self.facts.loops.loops[l];
        if data.latches.iter().all(|&latch| self.facts.dom.dominates(node, latch)) {
            return false;
        }
        let mut seen = vec![block];
        let mut at = 0;
        while at < seen.len() {
            for target in self.func.blocks[seen[at]].term.targets() {
                let to = target.block;
                if to == data.header || seen.len() > MAX_WALK {
                    return true;
                }
                if to != node && self.facts.contains(l, to) && !seen.contains(&to) {
                    seen.push(to);
                }
            }
            at += 1;
        }
        false
    }

    /// True for a join's parameter whose variable holds one value for all lanes.
    fn is_assigned_whole(&self, param: Value) -> bool {
        self.shapes.of(param) != Shape::Varying && self.shapes.carried.hidden(param).is_none()
    }

    /// True if the blocks that a node dominates may as well run for no lane at all.
    fn is_cheap(&self, scope: &Scope, node: Block, rest: &[Block]) -> bool {
        let mut insts = 0;
        for &block in rest.iter().take_while(|&&b| self.facts.dom.dominates(node, b)) {
            if self.facts.inner_loop(block) != scope.id {
                return false;
            }
            let data = &self.func.blocks[block];
            // Lanes side by side are loaded as fast as a mask is tested.
            let line = |d: &InstData| {
                let ty = d.result.map_or(Type::I8, |v| self.func.ty(v));
                let size = i64::from(ty.elem.bytes());
                d.op == Op::Load && size >= 4 && !ty.is_vector() && self.shapes.of(d.args[0]) == Shape::Affine(size)
            };
            let harmless = |d: &InstData| {
                (d.op.is_pure() || self.masked_loads && line(d)) && !d.attr.flags.contains(Flags::VOLATILE)
            };
            let loads = data.insts.iter().filter(|&&i| self.func.insts[i].op == Op::Load).count();
            insts += data.insts.len() + LOAD_UNGUARDED * loads;
            if insts > MAX_UNGUARDED || !data.insts.iter().all(|&i| harmless(&self.func.insts[i])) {
                return false;
            }
            // Back edges have lanes: whoever is in a loop goes round it.
            let leaves = |to: Block| to != scope.header && !self.facts.dom.dominates(node, to);
            let has_uniform = |to: Block| self.func.blocks[to].params.iter().any(|&v| self.is_assigned_whole(v));
            if data.term.targets().iter().any(|target| leaves(target.block) && has_uniform(target.block)) {
                return false;
            }
        }
        true
    }
}
