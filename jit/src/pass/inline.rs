//! Inlining, callees before callers. Recursion has been refused by the front end.
//!
//! **Must**: callees that (themselves or through their own callees) query ids, address local memory, ask where a
//! pointer points or meet other work-items: the
//! work-group transformation wants all of that in the kernel. **Should**: small callees, callees with one call site,
//! and middle-sized ones that take private pointers (their slots can then become values); and all callees that
//! are not pure, if the caller stays of a bearable size with the whole tree of calls in it: work-items run in the lanes
//! of vectors only where no such call is left. Growth is capped for "should".

use crate::analysis::alias::is_pure_call;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, FuncId, InstData, Module, Op, Target, Term, Type, ValueDef};
use crate::launch::AddrSpace;

/// A callee this small takes no more room than its call, and is inlined into callers of any size.
const TINY: usize = 16;
/// A callee this small is inlined wherever it is called.
const SMALL: usize = 60;
/// A callee with one call site, or one that takes private pointers, is inlined up to this size.
const MIDDLE: usize = 400;
/// Callers stop growing by choice at this size.
const LARGE: usize = 8000;
/// A function that is no larger with its whole tree of calls gets all of it. Hash functions come to this size, and run
/// many times as fast in lanes; what is left after simplification is less than code generation's own limits.
const WHOLE: usize = 30_000;

/// Callers stop growing altogether at this size: calls of calls of calls, each twice, would never end. What should have
/// been inlined then stays a call, which code generation refuses with an error; `lift_queries` has seen to it that
/// functions that only ask for ids and sizes need not.
const HUGE: usize = 200_000;

/// Callers stop growing at this size for the sake of checks: to make larger ones takes long, and what is spilled there
/// may not fit into a stack frame.
const CHECKED: usize = 40_000;

/// Runs the pass over all functions that kernels reach. A function that has grown is no longer `is_optimised`.
pub fn run(module: &mut Module) {
    inline(module, |_| false);
}

/// Runs the pass so that checks can be made: what touches memory by pointers comes into kernels, too. That the library
/// does with its own memory stays there.
pub fn run_checked(module: &mut Module) {
    inline(module, super::check::is_wanted_in_callers);
}

fn inline(module: &mut Module, is_wanted: impl Fn(&Func) -> bool) {
    let n = module.funcs.len();
    let used = module.reachable();
    let calls: Vec<Vec<FuncId>> = module.funcs.values().map(callees).collect();
    let mut n_sites = vec![0usize; n];
    calls.iter().flatten().for_each(|f| n_sites[f.index()] += 1);
    let order = callees_first(&calls);
    let mut must = vec![false; n];
    let mut wanted = vec![false; n];
    let mut size = vec![0usize; n];
    let mut whole = vec![0usize; n];
    for id in order.into_iter().filter(|id| used[id.index()]) {
        must[id.index()] =
            needs_kernel(&module.funcs[id], |_| true) || calls[id.index()].iter().any(|c| must[c.index()]);
        let is_builtin = module.funcs[id].is_builtin;
        wanted[id.index()] =
            is_wanted(&module.funcs[id]) || !is_builtin && calls[id.index()].iter().any(|c| wanted[c.index()]);
        whole[id.index()] = whole_size(module, &module.funcs[id], &whole);
        inline_into(module, id, [&must, &wanted], &n_sites, &mut size, whole[id.index()] <= WHOLE);
        size[id.index()] = n_insts(&module.funcs[id]);
    }
}

/// The function's size with all calls inlined that stop lanes; `merge_compares` has the sizes of its callees.
fn whole_size(module: &Module, func: &Func, whole: &[usize]) -> usize {
    let calls = func.live_insts().filter_map(|(_, i)| stops_lanes(module, &func.insts[i]));
    calls.fold(n_insts(func), |sum, id| sum.saturating_add(whole[id.index()]))
}

/// The callee of a call that work-items cannot make side by side: one that may touch memory of others. Of the
/// library's, those that return something through a pointer: the others come in later, as far as images or lanes need
/// them.
fn stops_lanes(module: &Module, call: &InstData) -> Option<FuncId> {
    let id = call.callee()?;
    let callee = &module.funcs[id];
    let returns = |&ty: &Type| [AddrSpace::Private, AddrSpace::Generic].map(Type::ptr).contains(&ty);
    let stays = is_pure_call(call) || callee.is_builtin && !callee.params.iter().any(returns);
    (!stays).then_some(id)
}

/// True for functions of the library that lanes call one after the other anyway, since they have atomic operations:
/// in a loop over lanes each of these would be one, too.
fn is_serial(func: &Func) -> bool {
    func.is_builtin && func.live_insts().any(|(_, i)| matches!(func.insts[i].op, Op::AtomicRmw | Op::AtomicCas))
}

/// True if the function gets a private pointer.
fn takes_private(func: &Func) -> bool {
    func.params.contains(&Type::ptr(AddrSpace::Private))
}

pub(super) fn n_insts(func: &Func) -> usize {
    func.layout.iter().map(|&b| func.blocks[b].insts.len() + 1).sum()
}

/// The functions that a function calls, one for each call.
pub(super) fn callees(func: &Func) -> Vec<FuncId> {
    func.live_insts().filter_map(|(_, i)| func.insts[i].callee()).collect()
}

/// True if the function does what only a kernel body may do, by instructions that count.
pub(super) fn needs_kernel(func: &Func, counts: impl Fn(&InstData) -> bool) -> bool {
    func.live_insts().any(|(_, i)| {
        let op = func.insts[i].op;
        let needs = op.is_convergent()
            || op.is_sub_group()
            || op.is_query()
            || matches!(op, Op::LocalAddr | Op::IsLocal | Op::IsPrivate);
        needs && counts(&func.insts[i])
    })
}

/// Functions ordered so that callees come before callers.
pub(super) fn callees_first(calls: &[Vec<FuncId>]) -> Vec<FuncId> {
    let mut order = Vec::new();
    let mut seen = vec![false; calls.len()];
    for root in (0..calls.len()).map(FuncId::from_index) {
        let mut stack = vec![(root, 0)];
        while let Some((id, next)) = stack.last_mut() {
            if *next == 0 && std::mem::replace(&mut seen[id.index()], true) {
                stack.pop();
                continue;
            }
            match calls[id.index()].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !seen[callee.index()] {
                        stack.push((callee, 0));
                    }
                }
                None => {
                    order.push(*id);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// `must`: those that must come into any function, and those that must unless it is the library's. `all`: whatever
/// stops lanes, too.
fn inline_into(
    module: &mut Module,
    caller: FuncId,
    must: [&[bool]; 2],
    n_sites: &[usize],
    size: &mut [usize],
    all: bool,
) {
    let mut func = std::mem::replace(&mut module.funcs[caller], Func::declaration("", Vec::new(), None));
    let mut grown = n_insts(&func);
    let mut todo = std::mem::take(&mut func.layout);
    let mut layout = Vec::with_capacity(todo.len());
    todo.reverse();
    while let Some(block) = todo.pop() {
        layout.push(block);
        let found = func.blocks[block].insts.iter().position(|&i| {
            func.insts[i].callee().is_some_and(|id| {
                let target = &module.funcs[id];
                let n = size[id.index()];
                let wanted = !is_serial(target)
                    && (n <= SMALL || (n <= MIDDLE && (takes_private(target) || n_sites[id.index()] == 1)));
                let must_come = must[0][id.index()] || n <= TINY;
                let limit = if must_come || (all && stops_lanes(module, &func.insts[i]).is_some()) {
                    HUGE
                } else if must[1][id.index()] && !func.is_builtin {
                    CHECKED
                } else if wanted {
                    LARGE
                } else {
                    0
                };
                target.has_body() && grown + n <= limit
            })
        });
        if let Some(n) = found {
            let inst = func.blocks[block].insts[n];
            let id = func.insts[inst].callee().expect("just found");
            grown += size[id.index()];
            func.is_optimised = false;
            todo.extend(inline_call(&mut func, block, n, module, id).into_iter().rev());
        }
    }
    func.layout = layout;
    module.funcs[caller] = func;
}

/// Replaces instruction `n` of a block, a call of `callee`, by its body. What follows the call becomes a new block. The
/// blocks that are to follow in the layout: the body's, in its order, and that one.
pub(crate) fn inline_call(func: &mut Func, block: Block, n: usize, module: &Module, callee: FuncId) -> Vec<Block> {
    let call = func.blocks[block].insts[n];
    let rest = func.blocks[block].insts.split_off(n + 1);
    func.blocks[block].insts.pop();
    let after = func.add_block();
    func.blocks[after].insts = rest;
    func.blocks[after].term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
    if let Some(result) = func.insts[call].result {
        // The call's result becomes the parameter of the block behind it.
        func.blocks[after].params.push(result);
        func.values[result].def = ValueDef::Param(after, 0);
    }
    let mut new = func.copy_body(callee, &module.funcs[callee], func.insts[call].origin);
    for &block in &new {
        if let Term::Ret(v) = func.blocks[block].term {
            func.blocks[block].term = Term::Jump(Target { block: after, args: v.into_iter().collect() });
        }
    }
    func.blocks[block].term = Term::Jump(Target { block: new[0], args: func.insts[call].args.clone() });
    new.push(after);
    new
}
