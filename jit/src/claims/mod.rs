//! Checks at run time what analyses say of a kernel: the interpreter runs it at each stage on the way to lanes, and
//! somebody watches every value and every access. A wrong analysis shows even where the result happens to be right.
//!
//! | stage | runs | checked |
//! |---|---|---|
//! | lowered | kernel form before any pass | `facts`: is the program itself sound? races |
//! | kernel | kernel form, split at barriers | `facts`; `group`: what `wg` takes to be uniform; `certain` |
//! | group | work-group function before lanes | `facts`; `lanes`: shapes and masks that `simd` relies on |
//! | lanes | work-group function in lanes | `facts`; `Claim::Touched` |
//!
//! Buffers are compared from stage to stage. Programs whose behaviour is undefined prove nothing and are left out. For
//! tests; no part of a driver calls this.

mod access;
mod certain;
mod facts;
mod group;
mod lanes;
mod race;
#[cfg(test)]
mod tests;

use crate::interp::memory::Memory;
use crate::interp::{Arg, Error, Launch, Machine, Watch};
use crate::ir::text::write::FuncText;
use crate::ir::{Block, Func, FuncId, Inst, Module, Op, Value};
use crate::launch::SpecKey;
use crate::pipeline::Runner;
use crate::simd::{self, Config, Tails};
use crate::wg::{self, Sharing};
use certain::CertainWatch;
use facts::Facts;
use group::GroupWatch;
use lanes::LaneWatch;
use race::Races;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// Bits of each component.
type Lanes = SmallVec<[u64; 4]>;

/// Iteration numbers of the loops around a place, the outermost first.
type Key = SmallVec<[u32; 4]>;

/// Violations of one run that are told.
const MAX_TOLD: usize = 4;

/// Kinds of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Work-items of a vector agree on a value.
    LaneUniform,
    /// A value grows from lane to lane by a constant.
    LaneAffine,
    /// All lanes get to a block, or the same ones as to another.
    LanesPresent,
    /// Work-items of a group agree on a value.
    GroupUniform,
    /// All work-items of a group get to a block equally often.
    GroupTogether,
    /// The group keeps one value for all across a barrier.
    GroupKept,
    /// `Flags::NSW` and `NUW`, where anything depends on the result.
    Wrap,
    /// `Attr::align`, or the element's size.
    Alignment,
    /// What lies at an address is in the pointer's address space.
    Space,
    /// Classes of memory that are disjoint share no byte.
    Disjoint,
    /// Memory that is never written is not.
    Invariant,
    /// Calls marked `Flags::PURE` touch nothing but constants and their own.
    Pure,
    /// Lanes write no byte of memory that the work-items one by one do not touch, and load none, but in between those
    /// that lanes access a few elements apart.
    Touched,
    /// A work-item makes an access that `interp::partial` is certain of.
    Certain,
    /// The stage leaves in all buffers what the one before leaves.
    Result,
}

/// All kinds.
pub const CLAIMS: [Claim; 15] = [
    Claim::LaneUniform,
    Claim::LaneAffine,
    Claim::LanesPresent,
    Claim::GroupUniform,
    Claim::GroupTogether,
    Claim::GroupKept,
    Claim::Wrap,
    Claim::Alignment,
    Claim::Space,
    Claim::Disjoint,
    Claim::Invariant,
    Claim::Pure,
    Claim::Touched,
    Claim::Certain,
    Claim::Result,
];

/// A claim that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its kind.
    pub claim: Claim,
    /// Where, and what was found instead.
    pub text: String,
}

impl Violation {
    /// Says in front of the text where it was found.
    pub fn locate(&mut self, place: &str) {
        self.text = format!("{place}: {}", self.text);
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.claim, self.text)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// How often each of `CLAIMS` was checked.
    pub checked: [u64; CLAIMS.len()],
    /// What did not hold.
    pub violations: Vec<Violation>,
}

impl Report {
    fn hold(&mut self, claim: Claim, holds: bool, text: impl FnOnce() -> String) {
        self.checked[claim as usize] += 1;
        if !holds && self.violations.len() < MAX_TOLD {
            self.violations.push(Violation { claim, text: text() });
        }
    }

    /// Takes in what another found.
    pub fn add(&mut self, other: Self) {
        self.checked.iter_mut().zip(other.checked).for_each(|(a, b)| *a += b);
        self.violations.extend(other.violations);
    }

    /// What did not hold, one violation a line.
    pub fn told(&self) -> String {
        self.violations.iter().map(|violation| format!("{violation}\n")).collect()
    }
}

/// Why a kernel proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// It breaks a rule on these arguments, such as the bounds of a buffer.
    Broken(Error),
    /// It overflows, or relies on alignment that is not there.
    Undefined(String),
    /// What a work-item reads depends on when others write.
    Race(String),
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The bytes of a value.
    Value(Vec<u8>),
    /// What a buffer holds.
    Buffer(Vec<u8>),
    /// Bytes of local memory.
    Local(u64),
    /// The null pointer.
    Null,
    /// The buffer of an earlier argument.
    Again(usize),
}

/// A kernel and what to run it on.
pub struct Setup<'a> {
    /// As it was lowered.
    pub lowered: &'a Module,
    /// After `pipeline::PROGRAM`.
    pub module: &'a Module,
    /// Number of the kernel.
    pub kernel: usize,
    /// Its arguments.
    pub args: &'a [Given],
    /// Sizes.
    pub launch: Launch,
    /// Instructions after which a run is given up.
    pub steps: u64,
    /// Numbers of lanes.
    pub widths: &'a [u8],
}

/// Most bytes from one lane's element to the next where lanes load all in between.
const APART: u64 = 64;

/// Bytes of buffers, variables and local memory that were accessed.
#[derive(Default)]
struct Touched {
    all: FxHashSet<u64>,
    written: FxHashSet<u64>,
}

/// What a stage left.
struct Left {
    buffers: Vec<Vec<u8>>,
    touched: Touched,
}

/// Runs a kernel at every stage.
///
/// # Errors
/// `Skip` if it is not sound as it was lowered.
pub fn check(setup: &Setup<'_>) -> Result<Report, Skip> {
    let mut report = Report::default();
    let lowered = setup.lowered.kernels[setup.kernel].1;
    let mut checker = Checker::new(setup.lowered, lowered);
    checker.races = Some(Races::default());
    let left = setup.run(&mut checker, None).map_err(Skip::Broken)?;
    // Before any pass flags say what the program promises.
    let broken = |found: &&Violation| matches!(found.claim, Claim::Wrap | Claim::Alignment | Claim::Space);
    if let Some(found) = checker.report.violations.iter().find(broken) {
        return Err(Skip::Undefined(found.to_string()));
    }
    let races = checker.races.take().expect("set above");
    if let Some(text) = races.found {
        return Err(Skip::Race(text));
    }
    report.add(std::mem::take(&mut checker.report));
    let shared = setup.args.iter().enumerate().fold(0u64, |set, (at, arg)| match arg {
        Given::Again(n) => set | 1 << at | 1 << n,
        _ => set,
    });
    let (info, id) = &setup.module.kernels[setup.kernel];
    let bytes = |arg: usize| if let Given::Value(bytes) = &setup.args[arg] { &bytes[..] } else { &[] };
    let key = |exact: bool| SpecKey {
        local_size: exact.then(|| setup.launch.local_size.map(|n| n as u32)),
        small_args: info.has_small_args(bytes),
        disjoint: if exact { !shared } else { 0 },
        ..SpecKey::of_ids(setup.launch.global_offset, setup.launch.global_size)
    };
    let uniform = (0..3).all(|d| setup.launch.global_size[d].is_multiple_of(setup.launch.local_size[d]));
    // Sub-groups are vectors in work-group form: there is no work-item by itself.
    let keys: &[bool] = match () {
        () if wg::sub_group(&setup.module.funcs[*id], info).is_some() => &[],
        () if uniform => &[true, false],
        () => &[false],
    };
    // Addresses differ from stage to stage.
    let is_address = |func: &Func| func.live_insts().any(|(_, i)| func.insts[i].op == Op::PtrToInt);
    let same = !races.is_written_twice && !setup.lowered.funcs.values().any(is_address);
    let mut cx = Stages { setup, want: left, same, report };
    cx.kernel_form(key(false));
    for &exact in keys {
        cx.group_form(key(exact));
    }
    Ok(cx.report)
}

struct Stages<'a> {
    setup: &'a Setup<'a>,
    want: Left,
    /// Neither the order of work-items nor addresses matter to the result.
    same: bool,
    report: Report,
}

impl Stages<'_> {
    fn take(&mut self, stage: &str, checker: Checker<'_>, left: Result<Left, Error>) -> Option<Touched> {
        let mut found = checker.report;
        found.violations.iter_mut().for_each(|violation| violation.locate(stage));
        self.report.add(found);
        match left {
            Ok(left) => {
                if self.same {
                    let holds = left.buffers == self.want.buffers;
                    let first = || {
                        let mut pairs = left.buffers.iter().zip(&self.want.buffers).enumerate();
                        let differs = |(n, (a, b)): (usize, (&Vec<u8>, &Vec<u8>))| {
                            Some((n, a.iter().zip(b).position(|(a, b)| a != b)?))
                        };
                        format!("{stage}: buffer and byte {:?}", pairs.find_map(differs))
                    };
                    self.report.hold(Claim::Result, holds, first);
                }
                Some(left.touched)
            }
            Err(error) => {
                self.report.hold(Claim::Result, false, || format!("{stage}: {error}"));
                None
            }
        }
    }

    fn kernel_form(&mut self, key: SpecKey) {
        let setup = self.setup;
        let mut module = setup.module.clone();
        let id = module.kernels[setup.kernel].1;
        let claims = wg::claims::find(&module, setup.kernel, key);
        let watch = claims.map(|claims| {
            module.funcs[id] = claims.func.clone();
            GroupWatch::new(claims)
        });
        let mut checker = Checker::new(&module, id);
        checker.group = watch.flatten();
        checker.certain = Some(CertainWatch::default());
        let left = setup.run(&mut checker, None);
        if let Some(certain) = checker.certain.take().filter(|_| left.is_ok()) {
            certain.check(&module.funcs[id], setup, &mut checker.report);
        }
        self.take("kernel", checker, left);
    }

    fn group_form(&mut self, key: SpecKey) {
        let setup = self.setup;
        let exact = if key.local_size.is_some() { "exact" } else { "any size" };
        let group = Runner::default().group(setup.module, setup.kernel, key, Sharing::Auto);
        let mut module = setup.module.clone();
        let (mut prepared, headers) = Runner::default().before_lanes(&module, &group.func);
        let claims = simd::claims::find(&mut prepared, &headers, setup.widths);
        let watches = setup
            .widths
            .iter()
            .zip(claims)
            .filter_map(|(&width, loops)| (!loops.is_empty()).then(|| LaneWatch::new(&prepared, loops, width)));
        let watches: Vec<LaneWatch> = watches.flatten().collect();
        let id = module.funcs.push(prepared);
        let mut checker = Checker::new(&module, id);
        checker.lanes = watches;
        let left = setup.run(&mut checker, Some((id, group.scratch_per_item)));
        let touched = self.take(&format!("group, {exact}"), checker, left);
        let ways = |width| [Tails::Scalar, Tails::Masked, Tails::Last].map(|tails| (width, tails));
        for (&width, tails) in setup.widths.iter().flat_map(ways) {
            let mut func = group.func.clone();
            Runner::default().lanes(&module, &mut func, Config { tails, ..Config::always(width) });
            if !func.is_lanes {
                continue;
            }
            module.funcs[id] = func;
            let mut checker = Checker::new(&module, id);
            checker.facts.in_lanes = true;
            let left = setup.run(&mut checker, Some((id, group.scratch_per_item)));
            let stage = format!("{width} lanes, {exact}, tails {tails:?}");
            let more = self.take(&stage, checker, left);
            if let (Some(touched), Some(more)) = (&touched, more) {
                let between = |at: u64| {
                    let any = |mut bytes: Range<u64>| bytes.any(|at| touched.all.contains(&at));
                    any(at.saturating_sub(APART)..at) && any(at + 1..at + 1 + APART)
                };
                let extra = more
                    .all
                    .iter()
                    .find(|at| !touched.all.contains(at) && (more.written.contains(at) || !between(**at)));
                self.report.hold(Claim::Touched, extra.is_none(), || format!("{stage}: {extra:x?}"));
            }
        }
    }
}

impl Setup<'_> {
    /// Runs the kernel of the checker's module, or a work-group function with so much scratch memory.
    fn run(&self, checker: &mut Checker<'_>, group: Option<(FuncId, usize)>) -> Result<Left, Error> {
        let module = checker.module;
        let mut machine = Machine::new(module);
        machine.steps = self.steps;
        let mut args: Vec<Arg> = Vec::new();
        for arg in self.args {
            args.push(match arg {
                Given::Value(bytes) => Arg::Value(bytes.clone()),
                Given::Buffer(bytes) => Arg::Buffer(machine.add_buffer(bytes.clone())),
                Given::Local(bytes) => Arg::Local(*bytes),
                Given::Null => Arg::Buffer(0),
                Given::Again(n) => args[*n].clone(),
            });
        }
        let (info, id) = &module.kernels[self.kernel];
        if let Some(certain) = &mut checker.certain {
            certain.buffers =
                args.iter().map(|arg| if let Arg::Buffer(at @ 1..) = arg { Some(*at) } else { None }).collect();
        }
        machine.watch = Some(&mut *checker);
        match group {
            None => machine.run_kernel(*id, &args, &self.launch)?,
            Some((func, scratch)) => {
                let locals = wg::local_layout(module, *id).bytes;
                machine.run_work_group_func(func, info, &args, &self.launch, locals, scratch as u64)?;
            }
        }
        let buffers = args.iter().filter_map(|arg| match arg {
            Arg::Buffer(0) | Arg::Value(_) | Arg::Local(_) => None,
            Arg::Buffer(address) => Some(machine.buffer(*address).to_vec()),
        });
        let buffers = buffers.collect();
        drop(machine);
        Ok(Left { buffers, touched: std::mem::take(&mut checker.touched) })
    }
}

/// Watches one run.
struct Checker<'a> {
    module: &'a Module,
    top: FuncId,
    facts: Facts,
    races: Option<Races>,
    group: Option<GroupWatch>,
    lanes: Vec<LaneWatch>,
    certain: Option<CertainWatch>,
    touched: Touched,
    report: Report,
    item: usize,
    /// Functions that each work-item is in.
    stacks: Vec<Vec<FuncId>>,
}

impl<'a> Checker<'a> {
    fn new(module: &'a Module, top: FuncId) -> Self {
        Self {
            module,
            top,
            facts: Facts::default(),
            races: None,
            group: None,
            lanes: Vec::new(),
            certain: None,
            touched: Touched::default(),
            report: Report::default(),
            item: 0,
            stacks: vec![Vec::new()],
        }
    }

    fn func(&self) -> &'a Func {
        let id = self.stacks[self.item].last().copied().unwrap_or(self.top);
        &self.module.funcs[id]
    }
    fn is_top(&self) -> bool {
        self.stacks[self.item].len() == 1
    }
}

/// An instruction as text.
fn text(module: &Module, func: &Func, inst: Inst) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = FuncText { module: Some(module), func }.write_inst(&mut text, inst);
    format!("@{}: `{}`", func.name, text.trim())
}

impl Watch for Checker<'_> {
    fn group(&mut self, items: usize) {
        self.stacks = vec![Vec::new(); items];
        self.facts.group(items);
        if let Some(group) = &mut self.group {
            group.begin(items);
        }
        if let Some(certain) = &mut self.certain {
            certain.group();
        }
    }
    fn resume(&mut self, item: usize) {
        self.item = item;
    }
    fn meet(&mut self) {
        if let Some(races) = &mut self.races {
            races.meet();
        }
        if let Some(group) = &mut self.group {
            group.meet(&mut self.report);
        }
    }
    fn enter(&mut self, func: FuncId) {
        self.stacks[self.item].push(func);
        self.facts.enter(self.item, &self.module.funcs[func]);
    }
    fn leave(&mut self) {
        self.stacks[self.item].pop();
        self.facts.leave(self.item);
    }
    fn block(&mut self, from: Option<Block>, to: Block) {
        if let Some(from) = from {
            self.facts.go(self.item, self.func(), from, to, &mut self.report);
        }
        if !self.is_top() {
            return;
        }
        if let Some(group) = &mut self.group {
            group.block(self.item, to, &mut self.report);
        }
        self.lanes.iter_mut().for_each(|lanes| lanes.block(from, to, &mut self.report));
    }
    fn define(&mut self, v: Value, lanes: &[u64]) {
        if !self.is_top() || self.facts.is_wrong(self.item, v) {
            return;
        }
        let func = self.func();
        if let Some(group) = &mut self.group {
            group.define(self.item, func, v, lanes, &mut self.report);
        }
        self.lanes.iter_mut().for_each(|watch| watch.define(func, v, lanes, &mut self.report));
    }
    fn execute(&mut self, inst: Inst, args: &[Lanes], memory: &Memory) {
        let func = self.func();
        let accesses = access::of(func, inst, args);
        if let Some(races) = &mut self.races {
            races.execute(self.item, &func.insts[inst], &accesses, memory, || text(self.module, func, inst));
        }
        if self.stacks[self.item].len() == 1
            && let Some(certain) = &mut self.certain
        {
            certain.execute(self.item, inst, &accesses, memory);
        }
        for access in accesses.iter().filter(|a| race::is_shared(memory, a.address)) {
            self.touched.all.extend(access.bytes());
            if access.writes {
                self.touched.written.extend(access.bytes());
            }
        }
        self.facts.execute(self.item, self.module, func, inst, args, &accesses, memory, &mut self.report);
    }
}
