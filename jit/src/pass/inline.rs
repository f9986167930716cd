//! Inlining, callees before callers. Recursion has been refused by the front end.
//!
//! **Must**: callees that (themselves or through their own callees) query ids, address local memory, ask where a
//! pointer points or meet other work-items: the
//! work-group transformation wants all of that in the kernel. **Should**: small callees, callees with one call site,
//! and middle-sized ones that take private pointers (their slots can then become values); and all callees that
//! are not pure, if the caller stays of a bearable size with the whole tree of calls in it: work-items run in the lanes
//! of vectors only where no such call is left. Growth is capped for "should".
//!
//! What is to come in is decided from callees to callers, by sizes with all in them; what is more than middle-sized is
//! copied from callers to callees afterwards, into functions that are still called then, so that a long chain of calls
//! is not copied into each of its functions: linear in what comes out.

use crate::analysis::alias::is_pure_call;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, FuncId, Inst, InstData, Module, Op, Target, Term, Type, ValueDef};
use crate::launch::AddrSpace;
use rustc_hash::FxHashSet;

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
const WHOLE: usize = 130_000;

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
    let mut known = Known {
        n_sites: vec![0; n],
        must: vec![false; n],
        wanted: vec![false; n],
        size: vec![0; n],
        in_lanes: vec![false; n],
        later: vec![Vec::new(); n],
    };
    calls.iter().flatten().for_each(|f| known.n_sites[f.index()] += 1);
    let order: Vec<FuncId> = callees_first(&calls).into_iter().filter(|id| used[id.index()]).collect();
    known.find_in_lanes(module, &order);
    for &id in &order {
        let of_callees = |of: &[bool]| calls[id.index()].iter().any(|c| of[c.index()]);
        let func = &module.funcs[id];
        known.must[id.index()] = needs_kernel(func, |_| true) || of_callees(&known.must);
        known.wanted[id.index()] = is_wanted(func) || !func.is_builtin && of_callees(&known.wanted);
        inline_small(module, id, &mut known);
    }
    let has_kernels = module.funcs.values().any(|func| func.is_kernel);
    let mut called: Vec<bool> = module.funcs.values().map(|func| func.is_kernel || !has_kernels).collect();
    for &id in order.iter().rev() {
        if called[id.index()] {
            inline_large(module, id, &known);
            callees(&module.funcs[id]).into_iter().for_each(|c| called[c.index()] = true);
        }
    }
}

/// What is known of functions, by number.
struct Known {
    /// Calls.
    n_sites: Vec<usize>,
    /// True for those that must come into any function.
    must: Vec<bool>,
    /// True for those that must come into any function that is not the library's.
    wanted: Vec<bool>,
    /// Instructions with all that is to come in.
    size: Vec<usize>,
    /// True for kernels that may run in lanes with all in them that stops these, and for functions that then come in.
    in_lanes: Vec<bool>,
    /// Calls whose callees are to come in, but have not, by their places among the instructions.
    later: Vec<Vec<usize>>,
}

impl Known {
    /// The callee of an instruction of `caller` that is to come in, if it has `grown` to this size.
    fn wants(&self, module: &Module, caller: FuncId, func: &Func, inst: Inst, grown: usize) -> Option<FuncId> {
        let id = func.insts[inst].callee()?;
        let target = &module.funcs[id];
        let n = self.size[id.index()];
        let is_small = n <= SMALL || (n <= MIDDLE && (takes_private(target) || self.n_sites[id.index()] == 1));
        let all = || self.in_lanes[caller.index()] && stops_lanes(module, &func.insts[inst]).is_some();
        let limit = if self.must[id.index()] || n <= TINY || all() {
            HUGE
        } else if self.wanted[id.index()] && !func.is_builtin {
            CHECKED
        } else if is_small && !is_serial(target) {
            LARGE
        } else {
            0
        };
        (target.has_body() && grown + n <= limit).then_some(id)
    }

    /// Finds the kernels, and from them the functions, whose whole trees of calls are not too large. Where only parts
    /// of a kernel's tree could come in, it would be scalar all the same, and slower.
    fn find_in_lanes(&mut self, module: &Module, callees_first: &[FuncId]) {
        let has_kernels = module.funcs.values().any(|func| func.is_kernel);
        let mut whole = vec![0; module.funcs.len()];
        for &id in callees_first {
            let func = &module.funcs[id];
            let calls = func.live_insts().filter_map(|(_, i)| stops_lanes(module, &func.insts[i]));
            whole[id.index()] = calls.fold(n_insts(func), |sum: usize, id| sum.saturating_add(whole[id.index()]));
        }
        for &id in callees_first.iter().rev() {
            let func = &module.funcs[id];
            self.in_lanes[id.index()] |= (func.is_kernel || !has_kernels) && whole[id.index()] <= WHOLE;
            if self.in_lanes[id.index()] {
                callees(func).into_iter().for_each(|c| self.in_lanes[c.index()] = true);
            }
        }
    }
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

/// Inlines what is not more than middle-sized, and notes what else is to come in.
fn inline_small(module: &mut Module, caller: FuncId, known: &mut Known) {
    let mut func = std::mem::replace(&mut module.funcs[caller], Func::declaration("", Vec::new(), None));
    let mut grown = n_insts(&func);
    let mut later: FxHashSet<Inst> = FxHashSet::default();
    expand(&mut func, module, |func, inst| {
        let id = known.wants(module, caller, func, inst, grown)?;
        grown += known.size[id.index()];
        if known.size[id.index()] > MIDDLE {
            later.insert(inst);
            return None;
        }
        Some(id)
    });
    let sizes = later.iter().filter_map(|&inst| func.insts[inst].callee()).map(|id| known.size[id.index()]);
    known.size[caller.index()] = n_insts(&func) + sizes.sum::<usize>();
    let places = func.live_insts().enumerate().filter(|(_, (_, inst))| later.contains(inst));
    known.later[caller.index()] = places.map(|(place, _)| place).collect();
    module.funcs[caller] = func;
}

/// Inlines what has been noted, in what comes in as well, and of what that calls what this function wants.
fn inline_large(module: &mut Module, caller: FuncId, known: &Known) {
    let mut func = std::mem::replace(&mut module.funcs[caller], Func::declaration("", Vec::new(), None));
    let mut grown = known.size[caller.index()];
    let insts: Vec<Inst> = func.live_insts().map(|(_, inst)| inst).collect();
    let mut noted: FxHashSet<Inst> = known.later[caller.index()].iter().map(|&place| insts[place]).collect();
    expand(&mut func, module, |func, inst| {
        let id = if noted.contains(&inst) {
            func.insts[inst].callee()?
        } else {
            let id = known.wants(module, caller, func, inst, grown)?;
            grown += known.size[id.index()];
            id
        };
        // The copies of a body's instructions are numbered in its order.
        noted.extend(known.later[id.index()].iter().map(|&place| Inst::from_index(func.insts.len() + place)));
        Some(id)
    });
    module.funcs[caller] = func;
}

/// Inlines the calls of which `wants` gives the callee, those in what has come in as well. It is asked once of each
/// instruction, in the order of the layout, and right before the callee comes in.
fn expand(func: &mut Func, module: &Module, mut wants: impl FnMut(&Func, Inst) -> Option<FuncId>) {
    let mut todo = std::mem::take(&mut func.layout);
    let mut layout = Vec::with_capacity(todo.len());
    todo.reverse();
    while let Some(block) = todo.pop() {
        layout.push(block);
        let mut insts = func.blocks[block].insts.iter().enumerate();
        if let Some((n, id)) = insts.find_map(|(n, &inst)| Some((n, wants(func, inst)?))) {
            func.is_optimised = false;
            todo.extend(inline_call(func, block, n, module, id).into_iter().rev());
        }
    }
    func.layout = layout;
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

#[cfg(test)]
mod tests {
    use super::{MIDDLE, n_insts};
    use crate::ir::{Func, text};

    /// A function that calls the one before it, the last one a kernel: with ids, so that all must come in.
    fn link(k: usize, last: usize, insts: usize) -> String {
        let (name, end) = if k == last { ("k".to_owned(), "ret") } else { (format!("f{k}"), "ret %z") };
        let head = if k == last { "(i64) kernel" } else { "(i64) -> i64" };
        let body: String = (1..insts).map(|n| format!("  %y{n}: i64 = mul %y{}, %y0\n", n - 1)).collect();
        let z = if k == 0 { "gid 1".to_owned() } else { format!("call @f{}(%y{})", k - 1, insts - 1) };
        format!("func @{name}{head} {{\nb0(%x: i64):\n  %y0: i64 = gid 0\n{body}  %z: i64 = {z}\n  {end}\n}}\n")
    }

    #[test]
    fn a_chain_of_calls_is_copied_once() {
        const FUNCTIONS: usize = 200;
        const INSTS: usize = 20;
        let source: String = (0..FUNCTIONS).map(|k| link(k, FUNCTIONS - 1, INSTS)).collect();
        let mut module = text::parse(&source).expect("it parses");
        super::run(&mut module);
        let kernel = module.funcs.values().find(|func| func.is_kernel).expect("there is one");
        assert!(n_insts(kernel) >= FUNCTIONS * INSTS, "all is in the kernel: {}", n_insts(kernel));
        assert!(kernel.live_insts().all(|(_, i)| kernel.insts[i].callee().is_none()), "no call is left");
        let most = module.funcs.values().filter(|func| !func.is_kernel).map(Func::n_live_insts).max();
        assert!(most.is_some_and(|n| n <= MIDDLE + 2 * INSTS), "{most:?}");
    }
}
