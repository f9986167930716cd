//! Full unrolling of loops whose trip count follows from constants and is small. What it buys: indices of private
//! arrays become constant, so that the arrays become values; loops with others in them are for arrays only. The count
//! is found by running the loop's counter through `interp::value`. Loops with convergent operations stay. Values used
//! behind the loop go through slots, which `mem2reg` turns back; conditions fold in `simplify` and `cleanup`. Linear in
//! the code made.

use super::alias::is_pure_call;
use crate::interp::value::{self, Lanes};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, Func, Imm, Inst, Op, Slot, Target, Term, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most times a header may run.
const MAX_RUNS: usize = 33;
/// Most instructions made for one loop, constants aside.
const MAX_INSTS: usize = 400;
/// The same if a private array is indexed in the loop.
const MAX_INSTS_ARRAY: usize = 2000;
/// A function does not grow beyond this.
const MAX_FUNC: usize = 8000;

/// Runs the pass.
pub fn run(func: &mut Func) {
    unroll(func);
}

/// Runs the pass; true if it has unrolled a loop.
pub fn unroll(func: &mut Func) -> bool {
    rewrite(func, true)
}

/// Opens loops that are known to run once, whatever they do.
pub fn once(func: &mut Func) {
    rewrite(func, false);
}

fn rewrite(func: &mut Func, full: bool) -> bool {
    super::cleanup::remove_unreachable(func);
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let mut size = func.n_live_insts();
    let mut any = false;
    // Loops without others in them first; those around what has changed are for the next run.
    let mut changed: FxHashSet<Block> = FxHashSet::default();
    let mut children = vec![Vec::new(); loops.loops.len()];
    loops.loops.iter().enumerate().for_each(|(id, l)| l.parent.into_iter().for_each(|p| children[p].push(id)));
    let (innermost, nests): (Vec<usize>, Vec<usize>) = (0..children.len()).partition(|&id| children[id].is_empty());
    for id in innermost.into_iter().chain(nests) {
        let l = &loops.loops[id];
        let inside: FxHashSet<Block> = l.blocks.iter().copied().collect();
        let [latch] = l.latches[..] else { continue };
        let runs = header_runs(func, &cfg, &dom, &inside, l.header, latch);
        if runs == Some(1) {
            end_copies(func, latch, l.header);
            any = true;
            continue;
        }
        let is_same = !l.blocks.iter().any(|b| changed.contains(b));
        let Some(runs) = runs.filter(|_| full && is_same) else { continue };
        let within = children[id].iter().flat_map(|&child| &loops.loops[child].blocks);
        let Some(made) = made(func, &l.blocks, &within.copied().collect(), runs) else { continue };
        if size + made > MAX_FUNC {
            continue;
        }
        size += made;
        let blocks = l.blocks.clone();
        through_slots(func, &blocks, &inside);
        copy_body(func, &blocks, l.header, latch, runs);
        changed.extend(&blocks);
        any = true;
    }
    any
}

/// How many instructions so many copies of a loop have, if they may be made; `within`: blocks of loops in it.
fn made(func: &Func, blocks: &[Block], within: &FxHashSet<Block>, runs: usize) -> Option<usize> {
    let insts = |b: &Block| func.blocks[*b].insts.iter().copied();
    let own: Vec<Inst> = blocks.iter().filter(|b| !within.contains(b)).flat_map(insts).collect();
    let body: Vec<Inst> = blocks.iter().flat_map(insts).collect();
    let fixed = body.iter().any(|i| {
        let data = &func.insts[*i];
        data.op.is_convergent() || (data.op == Op::Call && !is_pure_call(data))
    });
    let indexes = indexes_array(func, &own);
    if fixed || !within.is_empty() && !indexes {
        return None;
    }
    let made = body.iter().filter(|i| func.insts[**i].op != Op::Const).count() * runs;
    let limit = if indexes { MAX_INSTS_ARRAY } else { MAX_INSTS };
    (made <= limit).then_some(made)
}

/// True if a private array is accessed at a place that is not constant.
fn indexes_array(func: &Func, body: &[Inst]) -> bool {
    body.iter().any(|i| {
        let data = &func.insts[*i];
        data.op == Op::PtrAdd && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private)
    })
}

/// How often the header runs when the loop is entered, if some exit test is known in every iteration.
pub(super) fn header_runs(
    func: &Func,
    cfg: &Cfg,
    dom: &Dominators,
    inside: &FxHashSet<Block>,
    header: Block,
    latch: Block,
) -> Option<usize> {
    let mut outside = cfg.preds(header).iter().filter(|p| !inside.contains(p));
    let before = *outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let edge =
        |from: Block| func.blocks[from].term.targets().into_iter().find(|t| t.block == header).map(|t| t.args.clone());
    let (first, next) = (edge(before)?, edge(latch)?);
    let params = &func.blocks[header].params;
    inside.iter().copied().filter(|b| dom.dominates(*b, latch)).find_map(|exit| {
        let Term::Br { cond, then, els } = &func.blocks[exit].term else { return None };
        let leave_if = match (inside.contains(&then.block), inside.contains(&els.block)) {
            (true, false) => false,
            (false, true) => true,
            _ => return None,
        };
        let mut state: FxHashMap<Value, Option<Lanes>> =
            params.iter().zip(&first).map(|(p, a)| (*p, constant(func, *a))).collect();
        for run in 1..=MAX_RUNS {
            let mut known = state.clone();
            let cond = evaluate(func, &mut known, *cond, 0)?;
            if (cond[0] & 1 == 1) == leave_if {
                return Some(run);
            }
            state = params.iter().zip(&next).map(|(p, a)| (*p, evaluate(func, &mut known, *a, 0))).collect();
        }
        None
    })
}

fn constant(func: &Func, v: Value) -> Option<Lanes> {
    let bits = func.const_bits(v)?;
    Some(SmallVec::from_elem(bits, usize::from(func.ty(v).lanes)))
}

/// A value in one iteration.
fn evaluate(func: &Func, known: &mut FxHashMap<Value, Option<Lanes>>, v: Value, depth: u32) -> Option<Lanes> {
    if let Some(lanes) = known.get(&v) {
        return lanes.clone();
    }
    if let Some(lanes) = constant(func, v) {
        return Some(lanes);
    }
    let result = func.def_inst(v).filter(|d| d.op.is_pure() && depth < 24).and_then(|data| {
        let args: Vec<Lanes> = data.args.iter().map(|a| evaluate(func, known, *a, depth + 1)).collect::<Option<_>>()?;
        let types: Vec<Type> = data.args.iter().map(|a| func.ty(*a)).collect();
        let slices: Vec<&[u64]> = args.iter().map(|a| a.as_slice()).collect();
        value::eval(data.op, &data.imm, &data.attr, func.ty(v), &types, &slices)
    });
    known.insert(v, result.clone());
    result
}

/// Passes values that are defined in the loop and used behind it through slots.
pub(super) fn through_slots(func: &mut Func, blocks: &[Block], inside: &FxHashSet<Block>) {
    let defined = func.homes(blocks);
    let mut escaping: Vec<Value> = Vec::new();
    let mut users: Vec<Block> = Vec::new();
    for &b in func.layout.iter().filter(|b| !inside.contains(b)) {
        let n = escaping.len();
        let mut visit = |v: Value| {
            if defined[v.index()].is_some() {
                escaping.push(v);
            }
        };
        func.blocks[b].insts.iter().for_each(|i| func.insts[*i].args.iter().for_each(|v| visit(*v)));
        func.blocks[b].term.for_each_value(&mut visit);
        if escaping.len() > n {
            users.push(b);
        }
    }
    escaping.sort_unstable();
    escaping.dedup();
    for v in escaping {
        let ty = func.ty(v);
        // Booleans are bytes in memory.
        let stored = if ty.elem.bits() == 1 { ty.with_elem(crate::ir::Scalar::I8) } else { ty };
        let size = u64::from(stored.bytes());
        let slot = func.slots.push(Slot { size, align: size.next_power_of_two().min(16) as u32, name: String::new() });
        store_after(func, blocks, v, slot, stored);
        for &b in &users {
            reload(func, b, v, slot, stored);
        }
    }
}

fn make(func: &mut Func, op: Op, ty: Option<Type>, args: &[Value], imm: Imm) -> Inst {
    func.make_inst(op, ty, args, imm, Attr::default(), Span::DUMMY)
}

fn result(func: &Func, inst: Inst) -> Value {
    func.insts[inst].result.expect("made with a type")
}

fn store_after(func: &mut Func, blocks: &[Block], v: Value, slot: crate::ir::SlotId, stored: Type) {
    let (block, at) = match func.values[v].def {
        ValueDef::Param(block, _) => (block, 0),
        ValueDef::Inst(inst) => {
            let block = blocks.iter().copied().find(|b| func.blocks[*b].insts.contains(&inst));
            let Some(block) = block else { return };
            let place = func.blocks[block].insts.iter().position(|i| *i == inst).unwrap_or(0);
            (block, place + 1)
        }
    };
    let ptr = make(func, Op::SlotAddr, Some(Type::ptr(AddrSpace::Private)), &[], Imm::Slot(slot));
    let mut new = vec![ptr];
    let mut bits = v;
    if func.ty(v) != stored {
        let wide = make(func, Op::Zext, Some(stored), &[v], Imm::None);
        new.push(wide);
        bits = result(func, wide);
    }
    let ptr = result(func, ptr);
    new.push(make(func, Op::Store, None, &[ptr, bits], Imm::None));
    let rest = func.blocks[block].insts.split_off(at);
    func.blocks[block].insts.extend_from_slice(&new);
    func.blocks[block].insts.extend_from_slice(&rest);
}

/// Loads the value at the start of a block and uses that there.
fn reload(func: &mut Func, block: Block, v: Value, slot: crate::ir::SlotId, stored: Type) {
    let uses = |func: &Func| {
        let mut found = func.blocks[block].insts.iter().any(|i| func.insts[*i].args.contains(&v));
        func.blocks[block].term.for_each_value(|u| found |= u == v);
        found
    };
    if !uses(func) {
        return;
    }
    let ptr = make(func, Op::SlotAddr, Some(Type::ptr(AddrSpace::Private)), &[], Imm::Slot(slot));
    let p = result(func, ptr);
    let load = make(func, Op::Load, Some(stored), &[p], Imm::None);
    let mut new = vec![ptr, load];
    let mut with = result(func, load);
    if func.ty(v) != stored {
        let ty = func.ty(v);
        let narrow = make(func, Op::Trunci, Some(ty), &[with], Imm::None);
        new.push(narrow);
        with = result(func, narrow);
    }
    let insts = func.blocks[block].insts.clone();
    for inst in insts {
        func.insts[inst].args.iter_mut().filter(|a| **a == v).for_each(|a| *a = with);
    }
    func.blocks[block].term.map_values(|u| if u == v { with } else { u });
    new.append(&mut func.blocks[block].insts);
    func.blocks[block].insts = new;
}

/// Makes `runs - 1` copies and chains them.
fn copy_body(func: &mut Func, blocks: &[Block], header: Block, latch: Block, runs: usize) {
    let (mut last, mut way_back) = (latch, header);
    let mut chain = Vec::new();
    for _ in 1..runs {
        let copies = func.copy_blocks(blocks);
        chain.push((copies.block(header), copies.block(latch)));
    }
    for (next, end) in chain {
        redirect(func, last, way_back, next);
        (last, way_back) = (end, next);
    }
    end_copies(func, last, way_back);
}

/// Leads the way back of the last copy nowhere.
fn end_copies(func: &mut Func, last: Block, header: Block) {
    let end = func.add_block();
    func.layout.push(end);
    for target in func.blocks[last].term.targets_mut() {
        if target.block == header {
            *target = Target::plain(end);
        }
    }
}

fn redirect(func: &mut Func, from: Block, old: Block, new: Block) {
    for target in func.blocks[from].term.targets_mut() {
        if target.block == old {
            target.block = new;
        }
    }
}
