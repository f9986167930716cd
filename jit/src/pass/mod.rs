//! Passes over KIR. Each is one file: its header says what it needs, what it changes and what it keeps.
//!
//! `run_module` is what happens once per program ("phase A"); `run_work_group` is what happens to a work-group function before
//! code generation. All passes keep the order and number of convergent operations, respect each operation's rounding mode, and
//! leave every result as the interpreter computes it. Debug builds verify after every pass; release builds do with
//! `CLIFT_VERIFY=1`.
//!
//! Arenas only grow while passes run; `Func::compact` drops the dead at the end.

pub mod alias;
pub mod blend;
pub mod bound;
pub mod cleanup;
pub mod contract;
pub mod dce;
pub mod divide;
pub mod forward;
pub mod gvn;
pub mod identity;
pub mod ifconv;
pub mod inline;
pub mod jumps;
pub mod known;
pub mod licm;
pub mod mem2reg;
pub mod promote;
pub mod simplify;
pub mod specialise;
pub mod sroa;
pub mod stream;
pub mod summary;
pub mod unroll;
pub mod waits;
pub mod whole;
pub mod zero;

use crate::ir::entity::Entity;
use crate::ir::verify::verify_func;
use crate::ir::{Func, FuncId, Imm, Module, Op};
use once_cell::sync::OnceCell;
use std::time::{Duration, Instant};

/// A pass over one function.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name in dumps and filetests.
    pub name: &'static str,
    /// The pass.
    pub run: fn(&mut Func),
}

const BLEND: Pass = Pass { name: "blend", run: blend::run };
const BOUND: Pass = Pass { name: "bound", run: bound::run };
const CLEANUP: Pass = Pass { name: "cleanup", run: cleanup::run };
const CONTRACT: Pass = Pass { name: "contract", run: contract::run };
const DCE: Pass = Pass { name: "dce", run: dce::run };
const DEAD_SLOTS: Pass = Pass { name: "dead-slots", run: gvn::dead_slots };
const DIVIDE: Pass = Pass { name: "divide", run: |func| _ = divide::run(func) };
const GVN: Pass = Pass { name: "gvn", run: gvn::run };
const IDENTITY: Pass = Pass { name: "identity", run: identity::run };
const IFCONV: Pass = Pass { name: "ifconv", run: ifconv::run };
const IFCONV_SCALAR: Pass = Pass { name: "ifconv-scalar", run: ifconv::scalar };
const JUMPS: Pass = Pass { name: "jumps", run: jumps::run };
const LICM: Pass = Pass { name: "licm", run: licm::run };
const MEM2REG: Pass = Pass { name: "mem2reg", run: mem2reg::run };
const PROMOTE: Pass = Pass { name: "promote", run: promote_all };
const SIMPLIFY: Pass = Pass { name: "simplify", run: simplify::run };
const SROA: Pass = Pass { name: "sroa", run: sroa::run };
const ONCE: Pass = Pass { name: "once", run: unroll::once };
const UNROLL: Pass = Pass { name: "unroll", run: unroll::run };
const WHOLE: Pass = Pass { name: "whole", run: whole::run };

/// Function passes by name, in no particular order.
pub const PASSES: &[Pass] = &[
    BLEND,
    BOUND,
    CLEANUP,
    CONTRACT,
    DCE,
    DEAD_SLOTS,
    DIVIDE,
    GVN,
    IDENTITY,
    IFCONV,
    IFCONV_SCALAR,
    JUMPS,
    LICM,
    MEM2REG,
    ONCE,
    PROMOTE,
    SIMPLIFY,
    SROA,
    UNROLL,
    WHOLE,
];

/// Before inlining: values instead of slots, so that sizes are honest.
const EARLY: &[Pass] = &[CLEANUP, SROA, MEM2REG, SIMPLIFY, CLEANUP, DCE];
/// After inlining.
const MIDDLE: &[Pass] = &[CLEANUP, SIMPLIFY, SROA, MEM2REG, SIMPLIFY, CLEANUP, GVN, IFCONV_SCALAR, SIMPLIFY, CLEANUP];
/// After one level of loops has been unrolled.
const UNROLLED: &[Pass] = &[CLEANUP, MEM2REG, SIMPLIFY, CLEANUP, SIMPLIFY, CLEANUP];
/// After unrolling, or if slots are left: constant indices may have made them promotable.
const AGAIN: &[Pass] = &[SROA, MEM2REG, CLEANUP, SIMPLIFY, GVN];
/// With all constants known.
const LATE: &[Pass] = &[DCE, CLEANUP, WHOLE, JUMPS, CLEANUP, LICM, IDENTITY, GVN, DEAD_SLOTS, DCE, CLEANUP];
/// Most levels of loops that are unrolled.
const UNROLL_ROUNDS: usize = 3;
/// For a work-group function, whose variables are slots again.
const WORK_GROUP: &[Pass] =
    &[CLEANUP, MEM2REG, SIMPLIFY, CLEANUP, GVN, SIMPLIFY, LICM, PROMOTE, DEAD_SLOTS, DCE, CLEANUP, BOUND, CLEANUP];

/// After promotion: loads that stores in a loop held back may leave it.
const PROMOTED: &[Pass] = &[GVN, SIMPLIFY, CLEANUP, LICM];

fn promote_all(func: &mut Func) {
    if promote::promote(func) {
        PROMOTED.iter().for_each(|pass| (pass.run)(func));
    }
}

/// Time spent in each pass, in the order of first use.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    /// Name and total.
    pub rows: Vec<(&'static str, Duration)>,
}

impl Timings {
    fn time<R>(&mut self, name: &'static str, run: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = run();
        let spent = start.elapsed();
        match self.rows.iter_mut().find(|(n, _)| *n == name) {
            Some((_, total)) => *total += spent,
            None => self.rows.push((name, spent)),
        }
        result
    }
}

/// Runs a pass by its name on all functions: a row of `PASSES`, `inline`, `summary`, or `all` for phase A. False if there is none.
pub fn run_by_name(module: &mut Module, name: &str) -> bool {
    match name {
        "all" => _ = run_module(module),
        "inline" => inline::run(module),
        "summary" => summary::run(module),
        _ => {
            let Some(pass) = PASSES.iter().find(|p| p.name == name) else { return false };
            module.funcs.values_mut().filter(|f| f.has_body()).for_each(pass.run);
        }
    }
    true
}

/// Phase A: once per program, before any specialisation. Functions that have been through it, and that no kernel of a
/// module with kernels can reach, are left alone.
pub fn run_module(module: &mut Module) -> Timings {
    let mut cx = PhaseA { module, timings: Timings::default(), is_checked: is_verifying() };
    cx.all(PhaseA::early);
    cx.whole("summary", summary::run);
    cx.whole("inline", inline::run);
    cx.all(PhaseA::clean);
    cx.whole("summary", summary::run);
    cx.all(PhaseA::late);
    cx.timings
}

/// State of phase A.
struct PhaseA<'m> {
    module: &'m mut Module,
    timings: Timings,
    is_checked: bool,
}

impl PhaseA<'_> {
    fn all(&mut self, run: fn(&mut Self, FuncId)) {
        let used = reachable(self.module);
        for id in self.module.funcs.keys() {
            let func = &self.module.funcs[id];
            if func.has_body() && !func.is_optimised && used[id.index()] {
                run(self, id);
            }
        }
    }
    fn whole(&mut self, name: &'static str, run: fn(&mut Module)) {
        let module = &mut *self.module;
        self.timings.time(name, || run(module));
    }
    fn passes(&mut self, id: FuncId, passes: &[Pass]) {
        for pass in passes {
            let func = &mut self.module.funcs[id];
            self.timings.time(pass.name, || (pass.run)(func));
            if self.is_checked {
                check(self.module, id, pass.name);
            }
        }
    }

    fn early(&mut self, id: FuncId) {
        self.passes(id, EARLY);
    }
    fn clean(&mut self, id: FuncId) {
        self.passes(id, &[CLEANUP]);
    }
    fn late(&mut self, id: FuncId) {
        self.passes(id, MIDDLE);
        self.passes(id, &[CONTRACT]);
        let mut again = uses_slots(&self.module.funcs[id]);
        for _ in 0..UNROLL_ROUNDS {
            let func = &mut self.module.funcs[id];
            if !self.timings.time(UNROLL.name, || unroll::unroll(func)) {
                break;
            }
            again = true;
            self.passes(id, UNROLLED);
        }
        if again {
            self.passes(id, AGAIN);
        }
        self.passes(id, LATE);
        let func = &mut self.module.funcs[id];
        self.timings.time("compact", || func.compact());
        func.is_optimised = true;
    }
}

/// True if the function takes a slot's address anywhere.
fn uses_slots(func: &Func) -> bool {
    func.live_insts().any(|(_, i)| func.insts[i].op == Op::SlotAddr)
}

/// Functions that kernels can reach; all if there is no kernel.
fn reachable(module: &Module) -> Vec<bool> {
    let mut work: Vec<FuncId> = module.funcs.iter().filter(|(_, f)| f.is_kernel).map(|(id, _)| id).collect();
    if work.is_empty() {
        return vec![true; module.funcs.len()];
    }
    let mut used = vec![false; module.funcs.len()];
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut used[id.index()], true) {
            let func = &module.funcs[id];
            work.extend(func.live_insts().filter_map(|(_, i)| match func.insts[i].imm {
                Imm::Func(callee) => Some(callee),
                _ => None,
            }));
        }
    }
    used
}

/// In `specialise`: what phase A does after inlining.
fn run_specialised(func: &mut Func) {
    let passes = |func: &mut Func, list: &[Pass]| list.iter().for_each(|pass| (pass.run)(func));
    passes(func, MIDDLE);
    let mut again = uses_slots(func);
    for _ in 0..UNROLL_ROUNDS {
        if !unroll::unroll(func) {
            break;
        }
        again = true;
        passes(func, UNROLLED);
    }
    if again {
        passes(func, AGAIN);
    }
    passes(func, LATE);
    func.compact();
}

/// After `wg::build`: turns the variables it made into SSA form.
pub fn run_work_group(func: &mut Func) -> Timings {
    let mut timings = Timings::default();
    for pass in WORK_GROUP {
        timings.time(pass.name, || (pass.run)(func));
    }
    timings.time("compact", || func.compact());
    timings
}

/// After `simd::run`: turns its variables into SSA form.
const LANES: &[Pass] =
    &[CLEANUP, MEM2REG, ONCE, CLEANUP, SIMPLIFY, CLEANUP, GVN, SIMPLIFY, LICM, DEAD_SLOTS, DCE, CLEANUP];

/// Before lanes: small branches become selections.
const BEFORE_LANES: &[Pass] = &[CLEANUP, IFCONV, SIMPLIFY, CLEANUP, DCE];

/// In `simd::run`, before item loops are rewritten; `grown` if bodies of functions have come in.
pub fn run_before_lanes(func: &mut Func, grown: bool) {
    if grown {
        for pass in [CLEANUP, SROA, MEM2REG, SIMPLIFY, CLEANUP, GVN, SIMPLIFY, LICM] {
            (pass.run)(func);
        }
    }
    for pass in BEFORE_LANES {
        (pass.run)(func);
    }
}

/// On a work-group function that stays scalar.
pub fn run_scalar(func: &mut Func) {
    bound::run_in_rows(func);
}

/// The last of all on a work-group function, in lanes or not.
pub fn run_last(func: &mut Func) {
    blend::run(func);
    cleanup::run(func);
}

/// On a work-group function in lanes, when no more is asked about remainders: code generation for lanes finds no common
/// subexpressions.
pub fn share_divisions(func: &mut Func) {
    if divide::run(func) {
        gvn::run(func);
        dce::run(func);
    }
}

/// After `simd::run`.
pub fn run_lanes(func: &mut Func) -> Timings {
    let mut timings = Timings::default();
    for pass in LANES {
        timings.time(pass.name, || (pass.run)(func));
    }
    timings.time("compact", || func.compact());
    timings
}

/// On lanes of whole registers that are arranged as they should be: simplification would take shuffles apart.
pub fn run_arranged(func: &mut Func) {
    for pass in [GVN, LICM, DCE, CLEANUP] {
        (pass.run)(func);
    }
    func.compact();
}

fn is_verifying() -> bool {
    static VERIFY: OnceCell<bool> = OnceCell::new();
    cfg!(debug_assertions) || *VERIFY.get_or_init(|| crate::env::var_os("CLIFT_VERIFY").is_some_and(|v| v == "1"))
}

/// Panics with the annotated text if a pass has broken a rule: our bug, caught where it is asked for.
fn check(module: &Module, id: FuncId, pass: &str) {
    if let Err(errors) = verify_func(module, id) {
        panic!("the pass `{pass}` breaks KIR's rules:\n{errors}");
    }
}
