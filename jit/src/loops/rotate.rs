//! Loops that test at the top become loops that test at the bottom: one branch fewer per iteration, and a loop whose
//! header is its body's first block, which is what Cranelift's loop-invariant code motion recognises reliably.
//!
//! The header `H` stays as the test before the first iteration. A copy `T` of it takes the back edges. Values of `H`
//! that are used behind it reach the loop's body through parameters of a new block `B`, and the code after the loop
//! through parameters of a new block `X`:
//! ```text
//! H(p): …; br c, body, exit          H(p): …; br c, B(p…), X(p…)      B(…): jump body      X(…): jump exit
//!                                    T(p'): …; br c', B(p'…), X(p'…)
//! ```
//! Where the loop is also left from its middle (`while (a && b)`, `break`), values of `H` that are used behind it first
//! become parameters of the block behind it. A loop is left alone if its header is long, calls, or does not decide
//! whether the loop goes on, or if a value of the header is used where other ways join. Linear in the size of the
//! function.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::{Block, Builder, Copies, Func, Op, Target, Term, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A header longer than this is not worth copying.
const MAX_INSTS: usize = 16;

/// A loop to be rotated.
struct Candidate {
    header: Block,
    latches: Vec<Block>,
    body: Block,
    exit: Block,
    /// True if every other way into the block comes from what it dominates.
    body_dominates: bool,
    exit_dominates: bool,
    /// True if the exit is reached from the header and the loop's body only.
    exit_joins: bool,
    /// Values of the header used in the body and behind the loop.
    for_body: Vec<Value>,
    for_exit: Vec<Value>,
    eligible: bool,
}

/// Where a use of a header's value lies.
enum Side {
    Header,
    Body,
    Exit,
    Join,
}

/// Rotates all loops of a function that allow it.
pub fn run(func: &mut Func) {
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    if loops.loops.is_empty() {
        return;
    }
    let mut candidates = find(func, &cfg, &dom, &loops);
    if candidates.is_empty() {
        return;
    }
    // Which candidate's header defines a value.
    let mut owner: FxHashMap<Value, usize> = FxHashMap::default();
    for (n, c) in candidates.iter().enumerate() {
        for value in header_values(func, c.header) {
            owner.insert(value, n);
        }
    }
    close_exits(func, &cfg, &dom, &owner, &candidates);
    collect_uses(func, &dom, &owner, &mut candidates);
    // New blocks behave, as far as dominance goes, like the header they came from.
    let mut stands_for: FxHashMap<Block, Block> = FxHashMap::default();
    let mut body_values: Vec<FxHashMap<Value, Value>> = vec![FxHashMap::default(); candidates.len()];
    let mut exit_values: Vec<FxHashMap<Value, Value>> = vec![FxHashMap::default(); candidates.len()];
    let mut after: FxHashMap<Block, [Block; 3]> = FxHashMap::default();
    for (n, c) in candidates.iter().enumerate().filter(|(_, c)| c.eligible) {
        let blocks = rotate(func, c, &mut body_values[n], &mut exit_values[n]);
        blocks.iter().for_each(|&b| _ = stands_for.insert(b, c.header));
        after.insert(c.header, blocks);
    }
    if after.is_empty() {
        return;
    }
    let mut layout = Vec::with_capacity(func.layout.len() + 3 * after.len());
    for &block in &func.layout {
        layout.push(block);
        layout.extend(after.get(&block).into_iter().flatten());
    }
    func.layout = layout;
    for block in func.layout.clone() {
        let at = *stands_for.get(&block).unwrap_or(&block);
        let map = |v: Value| {
            let Some(&n) = owner.get(&v) else { return v };
            let c = &candidates[n];
            if !c.eligible || block == c.header {
                return v;
            }
            let side = match side(c, &dom, at) {
                Side::Body => &body_values[n],
                Side::Exit => &exit_values[n],
                Side::Header | Side::Join => return v,
            };
            side.get(&v).copied().unwrap_or(v)
        };
        func.map_uses(block, map);
    }
    // Reverse postorder again: the legal form promises definitions before uses.
    func.remove_unreachable();
}

fn header_values(func: &Func, header: Block) -> Vec<Value> {
    let block = &func.blocks[header];
    block.params.iter().copied().chain(block.insts.iter().filter_map(|&i| func.insts[i].result)).collect()
}

fn find(func: &Func, cfg: &Cfg, dom: &Dominators, loops: &Loops) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (id, l) in loops.loops.iter().enumerate() {
        let block = &func.blocks[l.header];
        let Term::Br { then, els, .. } = &block.term else { continue };
        let (body, exit) = match (loops.contains(id, then.block), loops.contains(id, els.block)) {
            (true, false) => (then.block, els.block),
            (false, true) => (els.block, then.block),
            _ => continue,
        };
        let calls = block.insts.iter().any(|&i| matches!(func.insts[i].op, Op::Call));
        if body == l.header || calls || block.insts.len() > MAX_INSTS || l.header == func.entry() {
            continue;
        }
        let dominates = |b: Block| {
            let mut from_header = 0;
            let rest = cfg.preds(b).iter().all(|&p| {
                from_header += usize::from(p == l.header);
                p == l.header || dom.dominates(b, p)
            });
            rest && from_header == 1
        };
        let body_dominates = dominates(body);
        let exit_dominates = dominates(exit);
        let joins = |&p: &Block| p == l.header || dom.dominates(exit, p) || body_dominates && dom.dominates(body, p);
        found.push(Candidate {
            exit_joins: !exit_dominates && cfg.preds(exit).iter().all(joins),
            header: l.header,
            latches: l.latches.clone(),
            body,
            exit,
            body_dominates,
            exit_dominates,
            for_body: Vec::new(),
            for_exit: Vec::new(),
            eligible: true,
        });
    }
    found
}

fn side(c: &Candidate, dom: &Dominators, at: Block) -> Side {
    if at == c.header {
        Side::Header
    } else if c.body_dominates && dom.dominates(c.body, at) {
        Side::Body
    } else if c.exit_dominates && dom.dominates(c.exit, at) {
        Side::Exit
    } else {
        Side::Join
    }
}

/// Values of a header that are used behind a loop with several ways out become parameters of the block behind it.
fn close_exits(
    func: &mut Func,
    cfg: &Cfg,
    dom: &Dominators,
    owner: &FxHashMap<Value, usize>,
    candidates: &[Candidate],
) {
    let behind = |v: Value, block: Block| {
        let n = *owner.get(&v)?;
        let c = &candidates[n];
        (c.exit_joins && block != c.header && dom.dominates(c.exit, block)).then_some(n)
    };
    let mut wanted: Vec<Vec<Value>> = vec![Vec::new(); candidates.len()];
    for &block in &func.layout {
        let mut note = |v: Value| {
            if let Some(n) = behind(v, block)
                && !wanted[n].contains(&v)
            {
                wanted[n].push(v);
            }
        };
        for &inst in &func.blocks[block].insts {
            func.insts[inst].args.iter().copied().for_each(&mut note);
        }
        func.blocks[block].term.for_each_value(&mut note);
    }
    if wanted.iter().all(Vec::is_empty) {
        return;
    }
    let mut params: FxHashMap<Value, Value> = FxHashMap::default();
    for (c, wanted) in candidates.iter().zip(&wanted) {
        for &v in wanted {
            let ty = func.ty(v);
            params.insert(v, func.add_param(c.exit, ty));
        }
        let mut preds: SmallVec<[Block; 4]> = SmallVec::from_slice(cfg.preds(c.exit));
        preds.sort_unstable();
        preds.dedup();
        for pred in preds {
            for t in func.blocks[pred].term.targets_mut() {
                if t.block == c.exit {
                    t.args.extend_from_slice(wanted);
                }
            }
        }
    }
    for block in func.layout.clone() {
        let map = |v: Value| match behind(v, block) {
            Some(_) => params.get(&v).copied().unwrap_or(v),
            None => v,
        };
        func.map_uses(block, map);
    }
}

/// Notes which values of each header are needed where; a use at a join makes the loop ineligible.
fn collect_uses(func: &Func, dom: &Dominators, owner: &FxHashMap<Value, usize>, candidates: &mut [Candidate]) {
    for &block in &func.layout {
        let mut note = |v: Value| {
            let Some(&n) = owner.get(&v) else { return };
            let c = &mut candidates[n];
            match side(c, dom, block) {
                Side::Header => {}
                Side::Body if !c.for_body.contains(&v) => c.for_body.push(v),
                Side::Exit if !c.for_exit.contains(&v) => c.for_exit.push(v),
                Side::Body | Side::Exit => {}
                Side::Join => c.eligible = false,
            }
        };
        for &inst in &func.blocks[block].insts {
            func.insts[inst].args.iter().copied().for_each(&mut note);
        }
        func.blocks[block].term.for_each_value(&mut note);
    }
    // Arguments on the header's own edges are passed on by the new blocks.
    for (n, c) in candidates.iter_mut().enumerate() {
        let Term::Br { then, els, .. } = &func.blocks[c.header].term else { continue };
        for t in [then, els] {
            let list = if t.block == c.body { &mut c.for_body } else { &mut c.for_exit };
            for &v in t.args.iter().filter(|v| owner.get(v) == Some(&n)) {
                if !list.contains(&v) {
                    list.push(v);
                }
            }
        }
    }
}

/// Makes the three new blocks of one loop: body entry, exit entry, bottom test.
fn rotate(
    func: &mut Func,
    c: &Candidate,
    body_values: &mut FxHashMap<Value, Value>,
    exit_values: &mut FxHashMap<Value, Value>,
) -> [Block; 3] {
    let Term::Br { cond, then, els } = func.blocks[c.header].term.clone() else {
        unreachable!("candidates end in a branch")
    };
    let (to_body, to_exit) = if then.block == c.body { (&then, &els) } else { (&els, &then) };
    let landing = |func: &mut Func, needed: &[Value], target: &Target, values: &mut FxHashMap<Value, Value>| {
        let block = func.add_block();
        for &v in needed {
            let ty: Type = func.ty(v);
            let param = func.add_param(block, ty);
            values.insert(v, param);
        }
        let args = target.args.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
        func.blocks[block].term = Term::Jump(Target { block: target.block, args });
        block
    };
    let body = landing(func, &c.for_body, to_body, body_values);
    let exit = landing(func, &c.for_exit, to_exit, exit_values);
    // The copy of the header.
    let mut copies = Copies::default();
    let test = copies.open(func, c.header);
    let mut b = Builder::new(func, test);
    for inst in b.func.blocks[c.header].insts.clone() {
        copies.inst(&mut b, inst);
    }
    let copied = |v: &Value| copies.value(*v);
    let edges = |value: &dyn Fn(&Value) -> Value| {
        let to_body = Target { block: body, args: c.for_body.iter().map(value).collect() };
        let to_exit = Target { block: exit, args: c.for_exit.iter().map(value).collect() };
        let cond = value(&cond);
        if then.block == c.body {
            Term::Br { cond, then: to_body, els: to_exit }
        } else {
            Term::Br { cond, then: to_exit, els: to_body }
        }
    };
    func.blocks[test].term = edges(&copied);
    func.blocks[c.header].term = edges(&|v| *v);
    for &latch in &c.latches {
        func.redirect(latch, c.header, test);
    }
    debug_assert!(
        func.blocks[test].params.iter().all(|&p| matches!(func.values[p].def, ValueDef::Param(b, _) if b == test))
    );
    [body, exit, test]
}
