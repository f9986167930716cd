//! Aggressive dead code elimination (Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently Computing Static Single
//! Assignment Form and the Control Dependence Graph"): nothing is needed, branches included, but effects, what they are
//! computed from, and the branches that decide whether they happen. A branch that nothing depends on becomes a jump to
//! where its ways meet, and with it goes a loop that only computes what nobody reads.
//!
//! ```text
//! for (j = 0; j < n; j++) s += f(j);   *p = 1;     →     *p = 1;
//! ```
//! A loop goes only if it is known to end: in each turn a counter is compared with an invariant bound that it reaches.
//! Functions from some block of which no way leads to the end, and irreducible ones, are left to `dce`. Needs SSA form.
//! Linear but for the control dependences, whose number is bounded.

use super::dce;
use crate::analysis::induction::{Counted, tests};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops, Postdominators};
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, IntPred, Target, Term, Value, ValueDef};

/// Most control dependences, for each block of the function.
const MAX_CONTROLS: usize = 16;

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let is_branch = |block: &Block| func.blocks[*block].term.n_targets() > 1;
    if !func.layout.iter().any(is_branch) {
        return dce::run(func);
    }
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let postdom = Postdominators::new(func, &cfg);
    let Some(controls) = control_dependences(func, &cfg, &dom, &postdom) else { return dce::run(func) };
    let needs = Needs::find(func, &cfg, &dom, controls);
    let dead = func.layout.iter().filter(|b| is_branch(b) && !needs.branches[b.index()]);
    let dead: Vec<(Block, Option<Block>)> = dead.map(|&b| (b, postdom.of(b))).collect();
    let live = needs.values;
    for (block, meets) in dead {
        // What the parameters get there does not matter: a live one would need this branch.
        let meets = meets.expect("ways that end apart are needed");
        let args = func.blocks[meets].params.iter().copied().collect();
        func.blocks[block].term = Term::Jump(Target { block: meets, args });
    }
    dce::sweep(func, &live);
    func.remove_unreachable();
}

/// For each block those whose branches decide whether it runs; none if a way may have no end that is seen here, or if
/// there are too many.
fn control_dependences(func: &Func, cfg: &Cfg, dom: &Dominators, postdom: &Postdominators) -> Option<Vec<Vec<Block>>> {
    let mut controls = vec![Vec::new(); func.blocks.len()];
    let mut left = MAX_CONTROLS * func.layout.len();
    for &block in cfg.rpo() {
        let term = &func.blocks[block].term;
        for target in term.targets() {
            let goes_back = cfg.number(target.block) <= cfg.number(block);
            if goes_back && !dom.dominates(target.block, block) {
                return None;
            }
            let mut at = Some(target.block).filter(|_| term.n_targets() > 1);
            while let Some(b) = at.filter(|_| at != postdom.of(block)) {
                left = left.checked_sub(1)?;
                controls[b.index()].push(block);
                at = postdom.of(b);
            }
        }
    }
    let mut reaches_end = vec![false; func.blocks.len()];
    let mut work: Vec<Block> = func.layout.iter().copied().filter(|&b| func.blocks[b].term.n_targets() == 0).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reaches_end[block.index()], true) {
            work.extend(cfg.preds(block));
        }
    }
    func.layout.iter().all(|b| reaches_end[b.index()]).then_some(controls)
}

/// True if a loop ends after some turns, whatever else it does: a counter with a constant step reaches the bound, or
/// would wrap where it must not.
fn ends(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop) -> bool {
    tests(func, dom, l).any(|test| {
        Counted::by_test(func, cfg, l, test).is_some_and(|counted| {
            use IntPred::{Ne, SGt, SLt, UGt, ULt};
            let hits_it = match counted.step {
                1 => matches!(counted.bound.pred, SLt | ULt | Ne),
                -1 => matches!(counted.bound.pred, SGt | UGt | Ne),
                _ => false,
            };
            hits_it || counted.counter.no_wrap(func).is_some() || counted.turns(func).is_some()
        })
    })
}

/// What is needed, found from effects backwards.
struct Needs<'a> {
    func: &'a Func,
    controls: Vec<Vec<Block>>,
    /// By the number of a block's parameter: what it gets, and from where.
    feeds: Vec<Vec<(Block, Value)>>,
    homes: Vec<Option<Block>>,
    /// By the number of the value.
    values: Vec<bool>,
    /// By the number of the block: its branch is needed.
    branches: Vec<bool>,
    /// By the number of the block: something in it is needed.
    blocks: Vec<bool>,
    work: Vec<Value>,
}

impl<'a> Needs<'a> {
    fn find(func: &'a Func, cfg: &'a Cfg, dom: &Dominators, controls: Vec<Vec<Block>>) -> Self {
        let n = func.blocks.len();
        let mut needs = Self {
            func,
            controls,
            feeds: vec![Vec::new(); func.values.len()],
            homes: func.homes(&func.layout),
            values: vec![false; func.values.len()],
            branches: vec![false; n],
            blocks: vec![false; n],
            work: func.blocks[func.entry()].params.clone(),
        };
        for &block in &func.layout {
            func.blocks[block].term.for_each_target(|target| {
                for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                    needs.feeds[param.index()].push((block, arg));
                }
            });
        }
        needs.roots();
        let loops = Loops::new(func, cfg, dom).loops;
        for l in loops.iter().filter(|l| !ends(func, cfg, dom, l)) {
            l.blocks.iter().for_each(|&block| needs.branch(block));
        }
        while let Some(v) = needs.work.pop() {
            if !std::mem::replace(&mut needs.values[v.index()], true) {
                needs.value(v);
            }
        }
        needs
    }

    /// Effects, and the ends of the function.
    fn roots(&mut self) {
        let func = self.func;
        for &block in &func.layout {
            let insts = func.blocks[block].insts.iter().map(|&inst| &func.insts[inst]);
            for inst in insts.filter(|inst| !dce::is_removable(inst)) {
                self.work.extend(&inst.args);
                self.block(block);
            }
            let term = &func.blocks[block].term;
            if term.n_targets() == 0 {
                term.for_each_value(|v| self.work.push(v));
                self.block(block);
            }
        }
    }

    /// A value is needed: what it is computed from, and that its block runs; for a parameter also that the blocks run
    /// which decide what it gets.
    fn value(&mut self, v: Value) {
        let func = self.func;
        if let Some(home) = self.homes[v.index()] {
            self.block(home);
        }
        match func.values[v].def {
            ValueDef::Inst(inst) => self.work.extend(&func.insts[inst].args),
            ValueDef::Param(..) => {
                for (from, arg) in std::mem::take(&mut self.feeds[v.index()]) {
                    self.work.push(arg);
                    self.branch(from);
                }
            }
        }
    }

    /// Something in a block is needed: so are the branches that decide whether it runs.
    fn block(&mut self, block: Block) {
        if !std::mem::replace(&mut self.blocks[block.index()], true) {
            for control in std::mem::take(&mut self.controls[block.index()]) {
                self.branch(control);
            }
        }
    }

    /// The end of a block is needed, and with it the block.
    fn branch(&mut self, block: Block) {
        if std::mem::replace(&mut self.branches[block.index()], true) {
            return;
        }
        match &self.func.blocks[block].term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => self.work.push(*v),
            _ => {}
        }
        self.block(block);
    }
}
