//! From source KIR to what the code generator takes: every pass there is, in the order in which it runs.
//!
//! A function goes through four **stages** (`Form`): kernel form (one activation is one work-item), work-group form
//! (one activation is a range of work-groups), lanes (the same, with work-items side by side in vectors) and legal form
//! (what the code generator translates one to one). `PROGRAM` runs once per program; `FORM`, `GROUP` and `FINISH` once
//! per kernel and kind of launch; `LEGAL` on each function of the machine code.
//!
//! ```text
//! lower → PROGRAM ─ kernel form → FORM, GROUP ─ work-group form → FINISH ─ work-group form or lanes → LEGAL → codegen
//! ```
//!
//! Each pass is a constant here: its name, its function, what it needs of the form and what it changes of that
//! (`Pass`). An order that matters follows from these needs, which `run` checks, or is a sentence above the constant.
//! Nothing else calls passes, but that `simd::item_loop` removes dead code where it has moved addresses. What is shared
//! by passes (`Alias`, `loops`, `inline::inline_call`, …) is no pass.
//!
//! Must not know Cranelift, OpenCL objects or the source language.

mod form;
mod run;
#[cfg(test)]
mod tests;
mod unit;

pub use form::Form;
pub use run::{Change, Legal, Pass, Runner, Timings, WorkGroup, is_verifying};
pub use unit::{Launch, Unit};

use crate::pass::*;
use crate::{loops, simd};

/// A step of a phase.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Runs a pass.
    Run(&'static Pass),
    /// Runs steps.
    All(&'static [Step]),
    /// Changes nothing, but counts as a change if this is true of the unit.
    Ask(fn(&Unit<'_>) -> bool),
    /// Runs steps if this is true of the unit.
    When(fn(&Unit<'_>) -> bool, &'static [Step]),
    /// Runs the first steps; the second ones if any of them changed something, else the third.
    Changed(&'static [Step], &'static [Step], &'static [Step]),
    /// Runs the first steps and, while any of them changed something, the second ones and all again, at most so many
    /// times.
    While(usize, &'static [Step], &'static [Step]),
    /// Runs the first steps and the second ones; then the third ones if any of the second changed something, and else
    /// puts the function back.
    Attempt(&'static [Step], &'static [Step], &'static [Step]),
    /// Runs the first steps. If they changed something, and this is true of the unit then, runs the second ones on the
    /// function as it was before; if these change nothing, what the first steps made stays.
    Rather(&'static [Step], fn(&Unit<'_>) -> bool, &'static [Step]),
}

/// A step of `PROGRAM`.
#[derive(Clone, Copy, Debug)]
pub enum Whole {
    /// Runs steps on each function that kernels reach and that has not been through `PROGRAM`.
    Each(&'static [Step]),
    /// Runs a pass over the module.
    Module(&'static ModulePass),
}

/// A pass over a module.
#[derive(Clone, Copy, Debug)]
pub struct ModulePass {
    /// Name in dumps and filetests.
    pub name: &'static str,
    /// The pass.
    pub run: fn(&mut crate::ir::Module),
}

use Step::{All, Ask, Attempt, Changed, Rather, When, While};
use Whole::{Each, Module};

// ---- Passes over modules ----

/// Of kernels that would become too large, functions that ask for ids and sizes get them as parameters.
pub const LIFT_QUERIES: ModulePass = ModulePass { name: "lift-queries", run: lift_queries::run };
/// The same where all functions that touch memory by pointers are to come in.
pub const LIFT_QUERIES_CHECKED: ModulePass =
    ModulePass { name: "lift-queries-checked", run: lift_queries::run_checked };
/// Bodies of small functions and of all that ask for work-items come into their callers.
pub const INLINE: ModulePass = ModulePass { name: "inline", run: inline::run };
/// For checks: all functions that touch memory by pointers, too.
pub const INLINE_CHECKED: ModulePass = ModulePass { name: "inline-checked", run: inline::run_checked };
/// Checks of values and of images' coordinates, on modules as lowered: every variable is still a slot.
pub const CHECK_LOWERED: ModulePass = ModulePass { name: "check-lowered", run: check::run_lowered };
/// Checks of what the program does, if it is built with any. Behind `inline-checked`, and what makes values of the
/// pointers that came in.
pub const CHECK: ModulePass = ModulePass { name: "check", run: check::run };
/// Calls of pure functions are marked, which the other passes then see through.
pub const SUMMARY: ModulePass = ModulePass { name: "summary", run: summary::run };
/// `-clift-zero-private`. On modules as lowered: every variable is still a slot.
pub const ZERO_PRIVATE: ModulePass = ModulePass { name: "zero-private", run: zero_private::run };
/// Functions of the library become something simpler for constants. On modules as lowered, since it decides about
/// results: it is part of what a program means.
pub const LIBRARY_CALLS: ModulePass = ModulePass { name: "library-calls", run: library_calls::run };

/// All passes over modules.
pub const MODULE_PASSES: &[&ModulePass] = &[
    &LIFT_QUERIES,
    &LIFT_QUERIES_CHECKED,
    &INLINE,
    &INLINE_CHECKED,
    &CHECK_LOWERED,
    &CHECK,
    &SUMMARY,
    &ZERO_PRIVATE,
    &LIBRARY_CALLS,
];

// ---- Passes over functions of any stage ----

/// Unreachable blocks go, chains of blocks are merged, branches on constants become jumps.
pub const SIMPLIFY_CFG: Pass = Pass::func("simplify-cfg", simplify_cfg::run).drops(Form::PREHEADERS);
/// Dead code elimination.
pub const DCE: Pass = Pass::func("dce", dce::run);
/// Branches and loops that nothing depends on go too (aggressive dead code elimination).
pub const ADCE: Pass = Pass::func("adce", adce::run).needs(Form::SSA).drops(Form::PREHEADERS);
/// Slots whose address stays put become values (SSA construction).
pub const MEM2REG: Pass = Pass::func("mem2reg", mem2reg::run).adds(Form::SSA);
/// The same for pointers that debuggers are told of, whose variables stay.
pub const VARIABLES_OF_POINTERS: Pass = Pass::func("variables-of-pointers", mem2reg::run_pointers);
/// Would take apart the shuffles that `interleave` and `transpose-rows` have arranged.
pub const SIMPLIFY: Pass = Pass::func("simplify", simplify::run).unless(Form::ARRANGED);
/// Global value numbering, loads included.
pub const GVN: Pass = Pass::func("gvn", gvn::run).needs(Form::SSA);
/// Where nothing is to have lanes any more: compare-and-swaps of local memory that expect what it holds are stores.
pub const KNOWN_CAS: Pass = Pass::tells("known-cas", known_cas::run).needs(Form::SSA).unless(Form::KERNEL);
/// Behind `gvn`, which forwards what was stored to those that load it.
pub const DEAD_SLOTS: Pass = Pass::func("dead-slots", gvn::dead_slots);
/// Behind `gvn` as well: a load that is left keeps the store before it.
pub const DEAD_STORES: Pass = Pass::func("dead-stores", dead_stores::run).needs(Form::KERNEL);
/// Behind `simplify`, which makes known indices distances in bytes.
pub const CONSTANT_LOADS: Pass =
    Pass::unit_tells("constant-loads", |unit| constant_loads::run(&mut unit.func, unit.module)).needs(Form::KERNEL);
/// When no index becomes known any more, which makes values of elements.
pub const CONSTANT_SLOTS: Pass =
    Pass::tells("constant-slots", constant_slots::run).needs(Form::KERNEL.union(Form::SSA));
/// Loop-invariant code motion.
pub const LICM: Pass = Pass::func("licm", licm::run).needs(Form::SSA).adds(Form::PREHEADERS);
/// Volatile private variables become ordinary ones, in front of `inline` and of what makes values of them.
pub const VOLATILE_SLOTS: Pass = Pass::func("volatile-slots", volatile_slots::run).needs(Form::KERNEL);
/// Scalar replacement of aggregates, in front of `mem2reg`.
pub const SROA: Pass = Pass::func("sroa", sroa::run);
/// Every loop gets a block in front of its header that leads nowhere else (part of the textbook's loop-simplify form).
pub const PREHEADERS: Pass =
    Pass::func("preheaders", |func| _ = loops::simplify::make_preheaders(func)).adds(Form::PREHEADERS);
/// Drops dead entries of the arenas and numbers the live ones anew.
pub const COMPACT: Pass = Pass::func("compact", crate::ir::Func::compact);

/// Behind all that compares indices: what loops do not change of them is added to pointers in front.
pub const INVARIANT_ADDRESSES: Pass = Pass::func("invariant-addresses", invariant_addresses::run).needs(Form::SSA);

// ---- Kernel form ----

/// Small branches become selections where that is cheaper than a branch that is often predicted wrongly.
pub const IFCONV_SCALAR: Pass = Pass::func("ifconv-scalar", ifconv::scalar).needs(Form::KERNEL);
/// Behind inlining, so that products and sums meet; once per function, so that none is fused that another pass has
/// made.
pub const CONTRACT: Pass = Pass::func("contract", contract::run).needs(Form::KERNEL.union(Form::SSA));
/// Behind `inline` and `mem2reg`: generic pointers get the address space that they can only lead to.
pub const INFER_ADDRESS_SPACES: Pass =
    Pass::tells("infer-address-spaces", infer_address_spaces::run).needs(Form::KERNEL.union(Form::SSA));
/// Full unrolling of loops with small constant trip counts.
pub const UNROLL: Pass = Pass::tells("unroll", unroll::unroll).needs(Form::SSA).drops(Form::SSA);
/// Behind `ifconv-scalar`: elementwise functions of the library are computed with whole vectors.
pub const REBUILD_VECTORS: Pass = Pass::func("rebuild-vectors", rebuild_vectors::run).needs(Form::SSA);
/// Integers put together of bytes become one load, or one reversal of bytes.
pub const MERGE_BYTES: Pass = Pass::func("merge-bytes", merge_bytes::run).needs(Form::KERNEL.union(Form::SSA));
/// Stores of one integer's parts become one store.
pub const MERGE_STORES: Pass = Pass::func("merge-stores", merge_stores::run).needs(Form::KERNEL.union(Form::SSA));
/// Stores of constants beside each other become one store: for scalar code.
pub const MERGE_CONSTANTS: Pass = Pass::func("merge-constants", merge_stores::run_constants).needs(Form::SSA);
/// Chains of comparisons of the components of vectors become one comparison.
pub const MERGE_COMPARES: Pass = Pass::func("merge-compares", merge_compares::run);
/// Behind `gvn`: what is compared is what is subtracted.
pub const CORRELATED_VALUES: Pass = Pass::func("correlated-values", correlated_values::run).needs(Form::SSA);
/// Edges into blocks that only ask what is known lead on.
pub const JUMP_THREADING: Pass = Pass::func("jump-threading", jump_threading::run).needs(Form::SSA);
/// Loops that would give back what they got are not entered.
pub const IDENTITY_LOOPS: Pass = Pass::func("identity-loops", identity_loops::run).needs(Form::SSA);
/// Variables of type `bool` are conditions, not bytes: for scalar code, as lanes know sums of bytes.
pub const NARROW_BOOLS: Pass = Pass::tells("narrow-bools", narrow_bools::run).needs(Form::SSA);
/// Integer arguments that the launch passes become constants.
pub const ARGUMENT_VALUES: Pass = Pass::unit("argument-values", unit::take_values).needs(Form::KERNEL);
/// What the launch's images and samplers are known to be becomes constants.
pub const IMAGE_FACTS: Pass = Pass::unit("image-facts", unit::take_image_facts).needs(Form::KERNEL);
/// Behind `simplify-cfg`: parameters of functions that came in are what they get.
pub const IMAGE_FIELDS: Pass = Pass::unit("image-fields", unit::replace_image_fields).needs(Form::KERNEL);
/// Bodies of functions that get an image come in; says whether there was one.
pub const INLINE_IMAGES: Pass = Pass::unit_tells("inline-images", unit::inline_images).needs(Form::KERNEL);
/// Stores to what the launch fills whole, beyond the caches, go past them.
pub const NONTEMPORAL: Pass = Pass::unit("nontemporal", |unit| {
    let streams = unit.launch().key.streams;
    nontemporal::mark(&mut unit.func, streams);
    Ok(())
})
.needs(Form::KERNEL);
/// The largest size of sub-groups becomes a constant, with which loops over distances unroll; variables of lanes are
/// nothing for debuggers.
pub const SUB_GROUP_SIZE: Pass = Pass::unit_tells("sub-group-size", unit::set_sub_group_size).needs(Form::KERNEL);
/// Grid-stride loops go round for all work-items of a group together.
pub const LOOP_BARRIERS: Pass =
    Pass::unit_tells("loop-barriers", unit::loop_barriers).needs(Form::KERNEL.union(Form::SSA));
/// Addresses and indices that would live across barriers are made of a counter of the group.
pub const BARRIER_INDUCTION: Pass =
    Pass::tells("barrier-induction", barrier_induction::run).needs(Form::KERNEL.union(Form::SSA));
/// Races and memory never written: behind all that removes accesses, in front of all that lets one stand for several
/// work-items'.
pub const TRACK: Pass = Pass::unit("track", unit::track).needs(Form::KERNEL);
/// The work-group transformation: values that live across barriers, and others, are variables in slots then.
pub const FORM_WORK_GROUP: Pass = Pass::unit("form-work-group", unit::form_work_group)
    .needs(Form::KERNEL)
    .drops(Form::KERNEL.union(Form::SSA).union(Form::PREHEADERS))
    .adds(Form::GROUP);

// ---- Work-group form ----

/// Behind `form-work-group`, which marks what fits 32 bits.
pub const RECOMPOSE: Pass = Pass::tells("recompose", recompose::run).needs(Form::SSA);
/// A round of innermost loops; says whether there were any.
pub const SCALAR_PROMOTION: Pass =
    Pass::unit_tells("scalar-promotion", |unit| scalar_promotion::promote_loops(&mut unit.func, &mut unit.promoted))
        .needs(Form::SSA.union(Form::PREHEADERS))
        .drops(Form::SSA.union(Form::PREHEADERS));
/// Loop load elimination: what the turn before has stored is handed on.
pub const CARRIED_LOADS: Pass = Pass::tells("carried-loads", carried_loads::run)
    .needs(Form::SSA.union(Form::PREHEADERS))
    .drops(Form::SSA.union(Form::PREHEADERS));
/// Loops whose body runs at most once, as the range of their counter says, are none.
pub const BREAK_BACKEDGES: Pass =
    Pass::tells("break-backedges", break_backedges::run).needs(Form::SSA).drops(Form::SSA.union(Form::PREHEADERS));
/// Loops over rows of work-items are for `trip-clamp-rows`.
pub const TRIP_CLAMP: Pass = Pass::unit("trip-clamp", |unit| {
    trip_clamp::run(&mut unit.func, unit.sub_group);
    Ok(())
})
.needs(Form::SSA)
.drops(Form::PREHEADERS);
/// Behind `versioning`, which does more for guards of rows.
pub const TRIP_CLAMP_ROWS: Pass =
    Pass::func("trip-clamp-rows", trip_clamp::run_in_rows).needs(Form::SSA).drops(Form::PREHEADERS);
/// Atomics whose results nobody wants are accumulated by each thread (reduction privatisation).
pub const PRIVATISE: Pass = Pass::unit("privatise", unit::privatise).needs(Form::GROUP.union(Form::SSA));
/// Conditional stores to local memory become unconditional ones of a selected value.
pub const IFCONV_STORES: Pass = Pass::func("ifconv-stores", ifconv_stores::run);

// ---- Work-group form on the way to lanes ----

/// In front of what asks whether indices wrap.
pub const INFER_NO_WRAP: Pass = Pass::tells("infer-no-wrap", infer_no_wrap::run).needs(Form::SSA);

/// Cycles with several entries get one, where lanes must not be refused.
pub const REDUCIBLE: Pass = Pass::tells("reducible", loops::reducible::make_reducible)
    .needs(Form::SSA)
    .drops(Form::SSA.union(Form::PREHEADERS));
/// Operations of sub-groups outside loops over work-items are those of the only work-item.
pub const SINGLE_SUB_GROUPS: Pass = Pass::func("single-sub-groups", simd::single_sub_groups::run).needs(Form::GROUP);
/// Bodies of functions that loops over work-items call come in, so that they run in lanes too.
pub const INLINE_IN_LOOPS: Pass = Pass::unit_tells("inline-in-loops", |unit| {
    let came_in = simd::inline_calls::inline_calls(unit.module, &mut unit.func);
    unit.lanes().has_grown |= came_in;
    came_in
})
.needs(Form::GROUP);
/// Small bodies of functions that loops of scalar code call come in.
pub const INLINE_IN_SCALAR: Pass =
    Pass::unit_tells("inline-in-scalar", |unit| simd::inline_calls::inline_in_scalar(unit.module, &mut unit.func))
        .needs(Form::GROUP.union(Form::SSA));
/// Pointers that walk through private arrays become indices into these.
pub const POINTER_CONVERSION: Pass = Pass::unit_tells("pointer-conversion", |unit| {
    let changed = simd::pointer_conversion::run(&mut unit.func);
    unit.lanes().has_grown |= changed;
    changed
})
.needs(Form::GROUP.union(Form::SSA));
/// Private arrays that are accessed in elements of several sizes get elements of one.
pub const UNIFY_ELEMENTS: Pass = Pass::unit_tells("unify-elements", |unit| {
    let changed = simd::unify_elements::run(&mut unit.func);
    unit.lanes().has_grown |= changed;
    changed
})
.needs(Form::GROUP);
/// Loops count from 0 up, and indices beside the counter are made of it.
pub const INDUCTION_SUBSTITUTION: Pass =
    Pass::tells("induction-substitution", simd::induction_substitution::run).needs(Form::GROUP.union(Form::SSA));
/// In front of `versioning` for first values that are asked about there, and behind it for counters that do not wrap in
/// its copies.
pub const WIDEN_INDUCTION: Pass =
    Pass::func("widen-induction", simd::widen_induction::counters).needs(Form::GROUP.union(Form::SSA));
/// Loops that are left when they find something look at everything, which `inner-loops` does in lanes.
pub const SEARCH_LOOPS: Pass = Pass::unit_tells("search-loops", |unit| {
    let width = unit.lanes().config.max_width;
    simd::search_loops::run(&mut unit.func, width)
})
.needs(Form::GROUP.union(Form::SSA));
/// In front of `inner-loops`, whose addresses are sums of 64 bits.
pub const WIDEN_INNER_COUNTERS: Pass =
    Pass::func("widen-inner-counters", simd::widen_induction::inner_counters).needs(Form::GROUP.union(Form::SSA));
/// In front of everything that makes lanes, and of `induction-substitution`, which leaves other counters.
pub const JAM_NESTS: Pass =
    Pass::tells("jam-nests", jam_nests::run).needs(Form::GROUP.union(Form::SSA)).drops(Form::PREHEADERS);
/// Where no loop over work-items has lanes: innermost loops whose turns do not depend on each other become loops over
/// items. True if there are any.
pub const INNER_LOOPS: Pass = Pass::unit_tells("inner-loops", |unit| {
    simd::inner_loops::run(&mut unit.func, unit.lanes.as_mut().expect("on the way to lanes"))
})
.needs(Form::GROUP.union(Form::SSA))
.drops(Form::PREHEADERS);
/// Behind `versioning`, which looks through these joins.
pub const WIDEN_JOINS: Pass =
    Pass::func("widen-joins", simd::widen_induction::joins).needs(Form::GROUP.union(Form::SSA));
/// Loop versioning: work-items away from edges, and indices that do not wrap, get loops of their own.
pub const VERSIONING: Pass = Pass::unit("versioning", |unit| {
    simd::version_loops(&mut unit.func, unit.lanes.as_mut().expect("on the way to lanes"));
    Ok(())
})
.needs(Form::GROUP.union(Form::SSA))
.drops(Form::PREHEADERS);
/// Small branches become selections, which lanes want.
pub const IFCONV: Pass = Pass::tells("ifconv", ifconv::run);
/// Integer arithmetic in elements as small as its users ask for.
pub const NARROW_ARITH: Pass = Pass::tells("narrow-arith", simd::narrow_arith::run).needs(Form::GROUP.union(Form::SSA));
/// The vectoriser proper; true if any loop over work-items is in lanes. Masks and what meets at joins are variables in
/// slots then.
pub const VECTORISE: Pass = Pass::unit_tells("vectorise", |unit| {
    simd::vectorise_loops(&mut unit.func, unit.lanes.as_mut().expect("on the way to lanes"));
    unit.func.is_lanes
})
.needs(Form::GROUP.union(Form::SSA))
.drops(Form::GROUP.union(Form::SSA).union(Form::PREHEADERS))
.adds(Form::LANES);

// ---- Lanes ----

const LANES_SSA: Form = Form::LANES.union(Form::SSA);

/// Opens loops that are known to run once: that is what is left of loops whose work-items fill one vector.
pub const OPEN_SINGLE: Pass = Pass::func("open-single-loops", unroll::once).needs(LANES_SSA);
/// Broadcasts of loaded scalars move next to what uses them where registers are short.
pub const SINK_LOADS: Pass = Pass::func("sink-loads", simd::sink_loads::run).needs(LANES_SSA);
/// Jump threading of tests whether some lane is left.
pub const MASK_THREADING: Pass =
    Pass::tells("mask-threading", simd::mask_threading::run).needs(LANES_SSA).drops(Form::PREHEADERS);
/// Gathers from local memory become loads of vectors and permutes where the launch's indices allow it.
pub const LOCAL_PERMUTE: Pass = Pass::unit_tells("local-permute", |unit| {
    let config = unit.lanes().config;
    simd::local_permute::run(&mut unit.func, config)
})
.needs(LANES_SSA.union(Form::PREHEADERS))
.drops(Form::PREHEADERS);
/// Behind `local-permute`, whose loads of whole vectors it counts.
pub const UNROLL_AND_JAM: Pass =
    Pass::unit_tells("unroll-and-jam", |unit| simd::jam_loops(&mut unit.func, unit.lanes.as_mut().expect("lanes")))
        .needs(LANES_SSA.union(Form::PREHEADERS))
        .drops(Form::PREHEADERS);
/// Index-set splitting of loops over vectors at the bound that lanes are compared with.
pub const INDEX_SET_SPLIT: Pass =
    Pass::tells("index-set-split", simd::index_set_split::run).needs(LANES_SSA).drops(Form::PREHEADERS);
/// In front of `interleave`, which would take single turns of such loops.
pub const TRANSPOSE_ROWS: Pass = Pass::unit_tells("transpose-rows", |unit| {
    let (config, barriers) = (unit.lanes().config, unit::has_barriers(unit));
    simd::transpose_rows::run(&mut unit.func, config, barriers)
})
.needs(LANES_SSA.union(Form::PREHEADERS))
.drops(Form::PREHEADERS)
.adds(Form::ARRANGED);
/// Accesses a few elements apart become whole loads, stores and shuffles.
pub const INTERLEAVE: Pass = Pass::unit_tells("interleave", |unit| {
    let config = unit.lanes().config;
    simd::interleave::run(&mut unit.func, config)
})
.needs(LANES_SSA)
.adds(Form::ARRANGED);
/// Gathers and scatters of neighbours become one of larger elements; behind `interleave`, which takes regular places.
pub const COALESCE: Pass = Pass::unit_tells("coalesce", |unit| {
    let config = unit.lanes().config;
    simd::coalesce::run(&mut unit.func, config)
})
.needs(LANES_SSA);
/// Elements taken out of larger ones and extended again stay where they are.
pub const KEEP_EXTENDED: Pass = Pass::tells("keep-extended", simd::coalesce::keep_extended).needs(LANES_SSA);
/// Behind `interleave` and `coalesce`: members of records that are computed with alike stay side by side.
pub const SINK_SHUFFLES: Pass = Pass::unit_tells("sink-shuffles", |unit| {
    let config = unit.lanes().config;
    simd::sink_shuffles::run(&mut unit.func, config)
})
.needs(LANES_SSA);
/// Behind `unroll-and-jam`: reductions of several vectors share their steps.
pub const EXPAND_REDUCTIONS: Pass = Pass::tells("expand-reductions", simd::expand_reductions::run).needs(LANES_SSA);
/// Behind `expand-reductions`: neighbours get what lanes of one vector hold.
pub const SLP: Pass = Pass::func("slp", simd::slp::run).needs(LANES_SSA);
/// Behind all that chooses how memory is accessed.
pub const PREFETCH: Pass = Pass::tells("prefetch", prefetch::run).needs(LANES_SSA);
/// When no more is asked about remainders: code generation for lanes finds no common subexpressions.
pub const DIV_REM_PAIRS: Pass = Pass::tells("div-rem-pairs", div_rem_pairs::run).needs(Form::SSA);

// ---- Legal form ----

/// Every value becomes scalars or registers of the machine.
pub const LEGALISE: Pass = Pass::unit("legalise", unit::legalise)
    .drops(Form::KERNEL.union(Form::GROUP).union(Form::LANES).union(Form::ARRANGED))
    .adds(Form::LEGAL);
/// Behind `legalise`: updates of memory one lane after the other have their addresses from memory.
pub const RELOAD_LANES: Pass = Pass::tells("reload-lanes", reload_lanes::run);
/// Behind `dce`: a header that is copied should hold nothing that nobody needs.
pub const ROTATE: Pass = Pass::func("rotate", loops::rotate::run).needs(Form::SSA).drops(Form::PREHEADERS);

/// Behind all that hoists, and in front of `rotate`, which looks at how long headers are.
pub const SINK: Pass = Pass::func("sink", sink::run).needs(Form::SSA);
/// Behind `rotate`: loops have more than one latch then.
pub const THREAD_LATCHES: Pass =
    Pass::func("thread-latches", jump_threading::run_late).needs(Form::SSA).drops(Form::PREHEADERS);

/// All passes over functions.
#[rustfmt::skip]
pub const PASSES: &[&Pass] = &[
    &SIMPLIFY_CFG, &DCE, &ADCE, &MEM2REG, &VARIABLES_OF_POINTERS, &SIMPLIFY, &GVN, &KNOWN_CAS, &DEAD_SLOTS,
    &DEAD_STORES, &CONSTANT_LOADS, &CONSTANT_SLOTS, &LICM, &VOLATILE_SLOTS, &SROA, &PREHEADERS, &COMPACT,
    &INVARIANT_ADDRESSES, &IFCONV_SCALAR, &CONTRACT, &INFER_ADDRESS_SPACES, &UNROLL, &REBUILD_VECTORS, &MERGE_BYTES,
    &MERGE_STORES, &MERGE_CONSTANTS, &MERGE_COMPARES, &CORRELATED_VALUES, &JUMP_THREADING, &IDENTITY_LOOPS,
    &NARROW_BOOLS, &ARGUMENT_VALUES, &IMAGE_FACTS, &IMAGE_FIELDS, &INLINE_IMAGES, &SUB_GROUP_SIZE, &NONTEMPORAL,
    &LOOP_BARRIERS, &BARRIER_INDUCTION, &TRACK, &FORM_WORK_GROUP, &RECOMPOSE, &SCALAR_PROMOTION, &CARRIED_LOADS,
    &BREAK_BACKEDGES, &TRIP_CLAMP, &TRIP_CLAMP_ROWS, &PRIVATISE, &IFCONV_STORES, &SINGLE_SUB_GROUPS, &REDUCIBLE,
    &INFER_NO_WRAP, &INLINE_IN_LOOPS, &INLINE_IN_SCALAR, &POINTER_CONVERSION, &UNIFY_ELEMENTS, &INDUCTION_SUBSTITUTION,
    &WIDEN_INDUCTION, &SEARCH_LOOPS, &WIDEN_INNER_COUNTERS, &JAM_NESTS, &INNER_LOOPS, &WIDEN_JOINS, &VERSIONING,
    &IFCONV, &NARROW_ARITH, &VECTORISE, &OPEN_SINGLE, &SINK_LOADS, &MASK_THREADING, &LOCAL_PERMUTE, &UNROLL_AND_JAM,
    &INDEX_SET_SPLIT, &TRANSPOSE_ROWS, &INTERLEAVE, &COALESCE, &KEEP_EXTENDED, &SINK_SHUFFLES, &EXPAND_REDUCTIONS, &SLP,
    &DIV_REM_PAIRS, &PREFETCH, &LEGALISE, &RELOAD_LANES, &SINK, &ROTATE, &THREAD_LATCHES,
];

// ---- Phases ----

/// Steps that run one pass each.
macro_rules! passes {
    ($($pass:ident)*) => { All(&[$(Step::Run(&$pass)),*]) };
}

/// Once per program.
pub const PROGRAM: &[Whole] = &[
    Each(&[EARLY]),
    Module(&SUMMARY),
    Module(&LIFT_QUERIES),
    Module(&INLINE),
    Each(&[passes![SIMPLIFY_CFG]]),
    Module(&SUMMARY),
    Each(&[INLINED, passes![CONTRACT], UNROLLING, LATE]),
];

/// In front of `PROGRAM` for programs that are built with checks: accesses are as they were written, but that variables
/// are values.
pub const CHECKED: &[Whole] = &[
    Module(&CHECK_LOWERED),
    Each(&[passes![VARIABLES_OF_POINTERS], EARLY]),
    Module(&SUMMARY),
    Module(&LIFT_QUERIES_CHECKED),
    Module(&INLINE_CHECKED),
    Each(&[EARLY]),
    Module(&CHECK),
];

/// Values instead of slots, so that sizes are honest when inlining asks for them.
const EARLY: Step =
    All(&[passes![SIMPLIFY_CFG VOLATILE_SLOTS SROA MEM2REG SIMPLIFY], LOADED, passes![SIMPLIFY_CFG DCE]]);
/// Constants from memory.
const LOADED: Step = Changed(&[passes![CONSTANT_LOADS]], &[passes![SIMPLIFY SIMPLIFY_CFG]], &[]);
/// After bodies of functions have come in.
const INLINED: Step = All(&[
    passes![SIMPLIFY_CFG SIMPLIFY SROA MEM2REG SIMPLIFY SIMPLIFY_CFG],
    LOADED,
    Changed(&[passes![INFER_ADDRESS_SPACES]], &[passes![SIMPLIFY]], &[]),
    passes![GVN IFCONV_SCALAR SIMPLIFY SIMPLIFY_CFG],
]);
/// Three levels of loops. Then, and if slots are left, constant indices may have made some promotable, and those again
/// some that have the first ones' elements for indices.
const UNROLLING: Step = Changed(
    &[
        Ask(unit::uses_slots),
        While(
            3,
            &[passes![UNROLL]],
            &[passes![SIMPLIFY_CFG MEM2REG SIMPLIFY SIMPLIFY_CFG], LOADED, passes![SIMPLIFY SIMPLIFY_CFG]],
        ),
    ],
    &[PROMOTED, When(unit::uses_slots, &[PROMOTED])],
    &[],
);
const PROMOTED: Step = All(&[passes![SROA MEM2REG SIMPLIFY_CFG SIMPLIFY], LOADED, passes![GVN]]);
/// With all constants known. Slots whose addresses dead code had, too, may be promotable without it.
const LATE: Step = All(&[
    passes![ADCE SIMPLIFY_CFG],
    When(unit::uses_slots, &[PROMOTED, passes![DCE CONSTANT_SLOTS]]),
    passes![
        REBUILD_VECTORS MERGE_BYTES MERGE_STORES MERGE_COMPARES CORRELATED_VALUES JUMP_THREADING SIMPLIFY_CFG LICM
        IDENTITY_LOOPS GVN DEAD_SLOTS DEAD_STORES DCE SIMPLIFY_CFG COMPACT
    ],
]);

/// For one kernel and kind of launch: kernel form → work-group form, whose variables are slots.
pub const FORM: &[Step] = &[
    When(unit::knows_values, &[passes![ARGUMENT_VALUES]]),
    When(unit::knows_images, &[SPECIALISE]),
    When(unit::knows_arguments, &[INLINED, UNROLLING, LATE]),
    When(unit::has_sub_groups, &[Changed(&[passes![SUB_GROUP_SIZE]], &[INLINED, UNROLLING, LATE], &[])]),
    When(unit::streams, &[passes![NONTEMPORAL]]),
    Changed(
        &[When(unit::may_reorder_items, &[passes![LOOP_BARRIERS]])],
        &[passes![SIMPLIFY SIMPLIFY_CFG GVN DCE]],
        &[],
    ),
    Changed(&[passes![BARRIER_INDUCTION]], &[passes![DCE]], &[]),
    When(unit::is_tracked, &[passes![TRACK]]),
    passes![FORM_WORK_GROUP],
];
/// Calls that get an image come in, from the outermost on.
const SPECIALISE: Step = All(&[
    passes![IMAGE_FACTS],
    While(usize::MAX, &[passes![SIMPLIFY_CFG IMAGE_FIELDS SIMPLIFY SIMPLIFY_CFG INLINE_IMAGES]], &[]),
]);
/// The work-group transformation's variables become values again.
pub const GROUP: &[Step] = &[
    passes![SIMPLIFY_CFG MEM2REG SIMPLIFY SIMPLIFY_CFG GVN SIMPLIFY],
    Changed(&[passes![RECOMPOSE]], &[passes![SIMPLIFY GVN SIMPLIFY DCE]], &[]),
    passes![LICM],
    When(unit::has_no_sub_groups, &[PROMOTING, CARRYING]),
    // Between two barriers work-items may have nothing to do.
    passes![DEAD_SLOTS ADCE SIMPLIFY_CFG],
    // A branch may be what bounds a loop over work-items.
    Changed(&[passes![BREAK_BACKEDGES]], &[passes![MEM2REG SIMPLIFY_CFG SIMPLIFY SIMPLIFY_CFG]], &[]),
    passes![PREHEADERS TRIP_CLAMP SIMPLIFY_CFG],
    passes![COMPACT],
];
/// Innermost loops first; tests in front of loops fold where they are known, so that what is behind them is seen to
/// happen. Then loads that stores in a loop held back may leave it.
const PROMOTING: Step = Changed(
    &[While(
        usize::MAX,
        &[passes![PREHEADERS SCALAR_PROMOTION]],
        &[passes![MEM2REG SIMPLIFY_CFG SIMPLIFY SIMPLIFY_CFG LICM]],
    )],
    &[passes![GVN SIMPLIFY SIMPLIFY_CFG LICM]],
    &[],
);

/// Behind what takes places that stay out of loops.
const CARRYING: Step = Changed(
    &[passes![PREHEADERS CARRIED_LOADS]],
    &[passes![MEM2REG SIMPLIFY_CFG SIMPLIFY SIMPLIFY_CFG GVN LICM DCE]],
    &[],
);

/// Work-group form → what is made legal: in lanes, if there is a loop over work-items for which they pay.
pub const FINISH: &[Step] = &[
    When(unit::has_sub_groups, &[passes![SINGLE_SUB_GROUPS]]),
    When(unit::may_privatise, &[passes![PRIVATISE]]),
    When(
        unit::has_no_sub_groups,
        &[Changed(&[passes![JAM_NESTS]], &[passes![SIMPLIFY_CFG SIMPLIFY GVN LICM DCE]], &[])],
    ),
    Changed(
        &[When(unit::may_have_lanes, &[Rather(&[LANES], unit::lanes_walk, &[IF_INNER_LANES])])],
        &[],
        &[Changed(&[IF_INNER_LANES], &[], &[SCALAR, INLINING_SCALAR, NARROWING, SWAP_ALONE]), passes![MERGE_CONSTANTS]],
    ),
    passes![IFCONV_STORES SIMPLIFY_CFG],
];
/// Retries after a swap that succeeds are dead.
const SWAP_ALONE: Step =
    When(unit::swaps_locally, &[Changed(&[passes![KNOWN_CAS]], &[passes![SIMPLIFY_CFG GVN DCE SIMPLIFY_CFG]], &[])]);
const INLINING_SCALAR: Step = Changed(
    &[passes![INLINE_IN_SCALAR]],
    &[passes![SIMPLIFY_CFG SROA MEM2REG SIMPLIFY SIMPLIFY_CFG GVN SIMPLIFY LICM DCE SIMPLIFY_CFG]],
    &[],
);
const NARROWING: Step =
    Changed(&[passes![NARROW_BOOLS]], &[passes![SIMPLIFY CORRELATED_VALUES SIMPLIFY SIMPLIFY_CFG DCE]], &[]);
const SCALAR: Step =
    When(unit::has_no_sub_groups, &[When(unit::has_rows, &[passes![PREHEADERS TRIP_CLAMP_ROWS SIMPLIFY_CFG]])]);
/// Work-group form → lanes, or as it was.
const LANES: Step = Attempt(
    BEFORE_LANES,
    &[passes![VECTORISE]],
    &[LANES_SSA_AGAIN, IMPROVE_LOOPS, SWAP_ALONE, IMPROVE_ACCESSES, SHARE_DIVISIONS, PREFETCHING],
);
const IF_INNER_LANES: Step = When(unit::may_have_inner_lanes, &[INNER_LANES]);
/// Work-group form with scalar loops over work-items → the same with lanes for innermost loops, or as it was.
const INNER_LANES: Step = Attempt(
    &[
        SCALAR,
        passes![SEARCH_LOOPS WIDEN_INNER_COUNTERS GVN LICM ROTATE SIMPLIFY_CFG SIMPLIFY SIMPLIFY_CFG],
        Changed(&[passes![INNER_LOOPS]], &[passes![SIMPLIFY DCE INLINE_IN_LOOPS], READY_FOR_LANES], &[]),
    ],
    &[passes![VECTORISE]],
    &[LANES_SSA_AGAIN, IMPROVE_LOOPS, IMPROVE_ACCESSES, SHARE_DIVISIONS, PREFETCHING],
);
/// What the vectoriser looks at.
pub const BEFORE_LANES: &[Step] = &[
    passes![INFER_NO_WRAP INLINE_IN_LOOPS POINTER_CONVERSION UNIFY_ELEMENTS],
    Changed(&[passes![INDUCTION_SUBSTITUTION]], &[passes![DCE]], &[]),
    passes![WIDEN_INDUCTION VERSIONING WIDEN_INDUCTION WIDEN_JOINS],
    SCALAR,
    READY_FOR_LANES,
    When(unit::has_sub_groups, &[Changed(&[passes![REDUCIBLE]], &[passes![MEM2REG]], &[]), passes![PREHEADERS]]),
];
/// Bodies that came in are simplified, small branches become selections.
const READY_FOR_LANES: Step = All(&[
    When(unit::has_grown, &[passes![SIMPLIFY_CFG SROA MEM2REG SIMPLIFY SIMPLIFY_CFG GVN SIMPLIFY LICM]]),
    passes![SIMPLIFY_CFG],
    // Branches within branches, up to four deep, if their arms are small.
    While(4, &[passes![IFCONV]], &[passes![SIMPLIFY_CFG]]),
    passes![SIMPLIFY SIMPLIFY_CFG DCE],
    Changed(&[passes![NARROW_ARITH]], &[passes![DCE]], &[]),
]);
const LANES_SSA_AGAIN: Step = passes![
    SIMPLIFY_CFG MEM2REG OPEN_SINGLE SIMPLIFY_CFG SIMPLIFY SIMPLIFY_CFG GVN SIMPLIFY LICM DEAD_SLOTS DCE SIMPLIFY_CFG
    COMPACT
];
const IMPROVE_LOOPS: Step = All(&[
    When(unit::broadcasts_loads, &[passes![SINK_LOADS]]),
    Changed(
        &[
            passes![MASK_THREADING],
            When(unit::gathers_locally, &[passes![PREHEADERS LOCAL_PERMUTE]]),
            When(unit::may_jam, &[passes![PREHEADERS UNROLL_AND_JAM]]),
        ],
        &[LANES_SSA_AGAIN],
        &[passes![SIMPLIFY_CFG]],
    ),
    Changed(&[passes![INDEX_SET_SPLIT]], &[LANES_SSA_AGAIN], &[]),
    Changed(&[passes![EXPAND_REDUCTIONS]], &[passes![SIMPLIFY GVN SLP GVN DCE]], &[]),
]);
const IMPROVE_ACCESSES: Step = All(&[
    Changed(
        &[When(unit::gathers, &[passes![PREHEADERS TRANSPOSE_ROWS]]), passes![INTERLEAVE]],
        &[passes![GVN LICM DCE SIMPLIFY_CFG COMPACT]],
        &[],
    ),
    Changed(&[passes![COALESCE]], &[passes![KEEP_EXTENDED DCE]], &[]),
    Changed(&[passes![SINK_SHUFFLES]], &[passes![GVN DCE]], &[]),
]);
const PREFETCHING: Step = When(unit::can_prefetch, &[passes![PREFETCH]]);
const SHARE_DIVISIONS: Step = Changed(&[passes![DIV_REM_PAIRS]], &[passes![GVN DCE]], &[]);

/// Any but legal form → legal form.
pub const LEGAL: &[Step] = &[
    passes![LEGALISE DCE RELOAD_LANES INVARIANT_ADDRESSES SIMPLIFY_CFG],
    // Vectors that are sunk leave all that they are made of in registers, of which lanes have none to spare.
    When(unit::is_scalar, &[passes![SINK]]),
    passes![ROTATE THREAD_LATCHES SIMPLIFY_CFG DCE],
];
