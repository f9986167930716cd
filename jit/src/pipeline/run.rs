//! Runs the phases: checks what passes need, verifies what they leave, takes their times and, if asked to, keeps their
//! texts. Decides nothing about code.

use super::unit::Unit;
use super::{Form, Step, Whole};
use crate::check::Kinds;
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::text::write::FuncText;
use crate::ir::variable;
use crate::ir::verify::{verify_in, verify_legal};
use crate::ir::{Block, Func, FuncId, Module, Op};
use crate::launch::{KernelInfo, SpecKey};
use crate::target::Target;
use crate::{parallel, pass, reserve, simd, wg};
use once_cell::sync::OnceCell;
use std::time::{Duration, Instant};

/// With fewer instructions beside its largest function a module is not worth a second thread.
const SIDE_BY_SIDE: usize = 1000;

/// Whether steps changed anything that counts.
type Outcome = Result<bool, CodeError>;

/// How a pass is called.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// Does not tell whether it changed anything.
    Func(fn(&mut Func)),
    /// Tells.
    Tells(fn(&mut Func) -> bool),
    /// Needs more than the function; does not tell.
    Unit(fn(&mut Unit<'_>) -> Result<(), CodeError>),
    /// Needs more than the function; tells.
    UnitTells(fn(&mut Unit<'_>) -> bool),
}

/// A pass over one function.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name in dumps and filetests; that of its file, with hyphens, where it has one of its own.
    pub name: &'static str,
    call: Call,
    /// What the function's form must have.
    pub needs: Form,
    /// And must not have.
    pub unless: Form,
    /// What is true behind it and was not, if it changed anything or does not tell.
    pub adds: Form,
    /// What need not be true any more behind it, likewise.
    pub drops: Form,
}

impl Pass {
    const fn new(name: &'static str, call: Call) -> Self {
        let none = Form::empty();
        Self { name, call, needs: none, unless: none, adds: none, drops: none }
    }
    pub(super) const fn func(name: &'static str, run: fn(&mut Func)) -> Self {
        Self::new(name, Call::Func(run))
    }
    pub(super) const fn tells(name: &'static str, run: fn(&mut Func) -> bool) -> Self {
        Self::new(name, Call::Tells(run))
    }
    pub(super) const fn unit(name: &'static str, run: fn(&mut Unit<'_>) -> Result<(), CodeError>) -> Self {
        Self::new(name, Call::Unit(run))
    }
    pub(super) const fn unit_tells(name: &'static str, run: fn(&mut Unit<'_>) -> bool) -> Self {
        Self::new(name, Call::UnitTells(run))
    }
    pub(super) const fn needs(self, needs: Form) -> Self {
        Self { needs, ..self }
    }
    pub(super) const fn unless(self, unless: Form) -> Self {
        Self { unless, ..self }
    }
    pub(super) const fn adds(self, adds: Form) -> Self {
        Self { adds, ..self }
    }
    pub(super) const fn drops(self, drops: Form) -> Self {
        Self { drops, ..self }
    }
    /// A function's form behind the pass, if it changed anything or does not tell.
    pub fn leaves(&self, form: Form) -> Form {
        (form - self.drops) | self.adds
    }
    /// True if it tells whether it changed anything that counts.
    pub fn is_telling(&self) -> bool {
        matches!(self.call, Call::Tells(_) | Call::UnitTells(_))
    }
    /// True if this is a pass over any function, without a launch.
    pub fn is_plain(&self) -> bool {
        matches!(self.call, Call::Func(_) | Call::Tells(_))
    }
}

/// A kernel as a work-group function and the memory it needs.
#[derive(Clone, Debug)]
pub struct WorkGroup {
    /// `fn(args: ptr<const>, env: ptr<const>, g0: i64, g1: i64)`.
    pub func: Func,
    /// Scratch bytes for each work-item of a group: contexts and private arrays.
    pub scratch_per_item: usize,
}

/// What the code generator translates.
pub struct Legal {
    /// The root function.
    pub root: Func,
    /// The functions it calls, directly or not, each once.
    pub callees: Vec<(FuncId, Func)>,
}

/// Time spent in each pass, in the order of first use.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    /// Name and total.
    pub rows: Vec<(&'static str, Duration)>,
}

/// What one run of a pass changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The pass.
    pub pass: &'static str,
    /// The function.
    pub func: String,
    /// Its text before.
    pub before: String,
    /// And after.
    pub after: String,
    /// The function after, to be run.
    pub code: Func,
    /// Its form.
    pub form: Form,
}

impl Change {
    /// The difference in unified form, with `context` unchanged lines around what changed; empty if nothing did.
    pub fn diff(&self, context: usize) -> String {
        let diff = similar::TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff().context_radius(context).to_string()
    }
}

/// Runs phases.
#[derive(Debug)]
pub struct Runner {
    /// Times of all that ran.
    pub timings: Timings,
    /// What changed, if that was asked for.
    pub changes: Vec<Change>,
    /// The pass whose changes are kept, or `all`.
    watched: Option<String>,
    is_verifying: bool,
    /// Kernels have no variables for debuggers.
    forgets_variables: bool,
}

/// True if `CLIFT_VERIFY` asks for checks of all code.
pub fn is_verifying() -> bool {
    static VERIFY: OnceCell<bool> = OnceCell::new();
    *VERIFY.get_or_init(|| crate::env::var_os("CLIFT_VERIFY").is_some_and(|v| v == "1"))
}

impl Default for Runner {
    /// Verifies after every pass in debug builds and with `CLIFT_VERIFY=1`.
    fn default() -> Self {
        let is_verifying = cfg!(debug_assertions) || is_verifying();
        Self { timings: Timings::default(), changes: Vec::new(), watched: None, is_verifying, forgets_variables: false }
    }
}

impl Runner {
    /// Whose kernels have no variables for debuggers unless `is_told` is true.
    pub fn telling(is_told: bool) -> Self {
        Self { forgets_variables: !is_told, ..Self::default() }
    }

    /// Keeps what a pass changes, or all of them if that is its name.
    pub fn watching(pass: &str) -> Self {
        Self { watched: Some(pass.to_owned()), ..Self::default() }
    }
    /// Verifies after every pass, whatever the build.
    pub fn verifying() -> Self {
        Self { is_verifying: true, ..Self::default() }
    }

    /// `PROGRAM` on a module: once, before any kernel is made for a launch. What launches must know of kernels is in
    /// their `KernelInfo` then.
    ///
    /// # Panics
    /// If a pass breaks KIR's rules and that is checked.
    pub fn program(&mut self, module: &mut Module) {
        let checked: &[Whole] = if module.checks.kinds.is_empty() { &[] } else { super::CHECKED };
        for step in checked.iter().chain(super::PROGRAM) {
            match step {
                Whole::Module(pass) => self.module_pass(pass, module),
                Whole::Each(steps) => self.each(steps, module),
            }
        }
        let used = module.reachable();
        for (func, used) in module.funcs.values_mut().zip(used) {
            func.is_optimised |= used && func.has_body();
        }
        (0..module.kernels.len()).for_each(|kernel| describe(module, kernel));
    }

    /// `PROGRAM` on a module, then all that makes its kernels legal for a back end, for launches of which `key` is
    /// known.
    ///
    /// # Errors
    /// What legalisation does not support.
    pub fn everything(
        &mut self,
        module: &mut Module,
        key: impl Fn(&KernelInfo) -> SpecKey,
        lanes: Option<simd::Config>,
        target: &'static Target,
    ) -> Result<(), CodeError> {
        self.program(module);
        for (kernel, (info, _)) in module.kernels.iter().enumerate() {
            let (group, _) = self.kernel(module, kernel, key(info), wg::Sharing::Auto, lanes);
            self.legal(module, &group.func, target)?;
        }
        Ok(())
    }

    /// Runs a pass by its name on all functions of a module, which are in this form: a row of `PASSES` or
    /// `MODULE_PASSES` (one that goes round, with those that follow it there), or `all` for `PROGRAM`. False if there
    /// is none of that name.
    ///
    /// # Errors
    /// The pass's.
    ///
    /// # Panics
    /// As `run`.
    pub fn by_name(
        &mut self,
        module: &mut Module,
        name: &str,
        form: Form,
        lanes: Option<simd::Config>,
    ) -> Result<bool, CodeError> {
        if name == "all" {
            self.program(module);
        } else if let Some(pass) = super::MODULE_PASSES.iter().find(|pass| pass.name == name) {
            self.module_pass(pass, module);
        } else if let Some(pass) = super::PASSES.iter().find(|pass| pass.name == name) {
            for id in module.funcs.keys().filter(|&id| module.funcs[id].has_body()).collect::<Vec<_>>() {
                let mut unit = Unit::new(module, module.funcs[id].clone(), form);
                unit.lanes = lanes.map(simd::Lanes::new);
                if pass.needs.contains(Form::PREHEADERS) {
                    self.pass(&super::PREHEADERS, &mut unit)?;
                }
                match pass.name {
                    name if name == super::SCALAR_PROMOTION.name => self.run(&[super::PROMOTING], &mut unit)?,
                    _ => self.pass(pass, &mut unit)?,
                };
                module.funcs[id] = unit.func;
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// A pass over a module.
    pub fn module_pass(&mut self, pass: &super::ModulePass, module: &mut Module) {
        reserve::look();
        let texts = |this: &Self, module: &Module| -> Option<Vec<String>> {
            this.is_watched(pass.name).then(|| module.funcs.values().map(|func| text(module, func)).collect())
        };
        let before = texts(self, module);
        let start = Instant::now();
        (pass.run)(module);
        self.spent(pass.name, start.elapsed());
        if self.is_verifying {
            module
                .funcs
                .values()
                .filter(|func| func.has_body())
                .for_each(|func| check(module, func, Form::empty(), pass.name));
        }
        for (before, (after, func)) in
            before.into_iter().flatten().zip(texts(self, module).into_iter().flatten().zip(module.funcs.values()))
        {
            let (code, form) = (func.clone(), Form::KERNEL);
            self.changes.push(Change { pass: pass.name, func: func.name.clone(), before, after, code, form });
        }
    }

    /// Each function by itself, side by side: passes of `PROGRAM` look at no other.
    fn each(&mut self, steps: &[Step], module: &mut Module) {
        let used = module.reachable();
        let is_due = |func: &Func, id: FuncId| func.has_body() && !func.is_optimised && used[id.index()];
        let mut todo: Vec<(usize, FuncId)> = module
            .funcs
            .iter()
            .filter(|&(id, func)| is_due(func, id))
            .map(|(id, func)| (func.n_live_insts(), id))
            .collect();
        let size: usize = todo.iter().map(|(size, _)| size).sum();
        let largest = todo.iter().map(|&(size, _)| size).max().unwrap_or(0);
        // Nobody misses functions meanwhile.
        let mut take = |id: FuncId| {
            let func = &module.funcs[id];
            let away = Func::declaration(func.name.clone(), func.params.clone(), func.ret);
            (id, std::mem::replace(&mut module.funcs[id], away))
        };
        let is_large = size - largest >= SIDE_BY_SIDE;
        if is_large {
            // The largest first, so that no thread is left alone with it.
            todo.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        }
        let away: Vec<(FuncId, Func)> = todo.iter().map(|&(_, id)| take(id)).collect();
        let (module_now, watched, is_verifying) = (&*module, &self.watched, self.is_verifying);
        let run = |(id, func): (FuncId, Func)| {
            let mut runner = Self { watched: watched.clone(), is_verifying, ..Self::default() };
            let mut unit = Unit::new(module_now, func, Form::KERNEL);
            runner.run(steps, &mut unit).expect("no such pass fails");
            (id, unit.func, runner)
        };
        let mut done = if is_large { parallel::map(away, run) } else { away.into_iter().map(run).collect() };
        done.sort_by_key(|(id, ..)| id.index());
        for (id, func, runner) in done {
            module.funcs[id] = func;
            self.changes.extend(runner.changes);
            runner.timings.rows.into_iter().for_each(|(name, spent)| self.spent(name, spent));
        }
    }

    /// `FORM` and `GROUP` on a kernel.
    pub fn group(&mut self, module: &Module, kernel: usize, key: SpecKey, sharing: wg::Sharing) -> WorkGroup {
        let mut unit = Unit::of_kernel(module, kernel, key, sharing);
        self.run(super::FORM, &mut unit).expect("no such pass fails");
        self.run(super::GROUP, &mut unit).expect("no such pass fails");
        WorkGroup { func: unit.func, scratch_per_item: unit.scratch_per_item }
    }

    /// `FORM`, `GROUP` and `FINISH` on a kernel, in lanes if a configuration is given and they pay, and what became of
    /// its loops.
    pub fn kernel(
        &mut self,
        module: &Module,
        kernel: usize,
        key: SpecKey,
        sharing: wg::Sharing,
        lanes: Option<simd::Config>,
    ) -> (WorkGroup, Vec<simd::Remark>) {
        let mut unit = Unit::of_kernel(module, kernel, key, sharing);
        let lanes = match (unit.sub_group, module.kernels[kernel].0.vec_len_hint) {
            // In scalar code, too: legalisation takes them apart.
            (Some(size @ 2..), _) => {
                let target = lanes.map_or(&Target::V128, |config| config.target);
                Some(simd::Config::sub_groups(target, size))
            }
            (_, 0) => lanes,
            (_, 1) => None,
            (_, n) => lanes.map(|config| simd::Config { min_width: n, max_width: n, always: true, ..config }),
        };
        unit.lanes = lanes.map(simd::Lanes::new);
        let mut unit = self.formed(unit);
        // Scalar code is better with what a work-item works on side by side.
        if unit.is_interleaved && !unit.func.is_lanes {
            let mut again = Unit::of_kernel(module, kernel, key, sharing);
            (again.interleaves, again.lanes) = (false, lanes.map(simd::Lanes::new));
            unit = self.formed(again);
        }
        let remarks = unit.lanes.map_or_else(Vec::new, |lanes| lanes.remarks);
        (WorkGroup { func: unit.func, scratch_per_item: unit.scratch_per_item }, remarks)
    }

    /// A kernel behind `FORM`, `GROUP` and `FINISH`.
    fn formed<'m>(&mut self, mut unit: Unit<'m>) -> Unit<'m> {
        if self.forgets_variables {
            variable::forget(&mut unit.func);
        }
        for phase in [super::FORM, super::GROUP, super::FINISH] {
            self.run(phase, &mut unit).expect("no such pass fails");
        }
        unit
    }

    /// `FINISH` on a work-group function of which no launch is known, for tests.
    pub fn lanes(&mut self, module: &Module, func: &mut Func, config: simd::Config) -> Vec<simd::Remark> {
        let mut unit = Unit::of_group(module, func, config);
        self.run(super::FINISH, &mut unit).expect("no such pass fails");
        *func = unit.func;
        unit.lanes.map_or_else(Vec::new, |lanes| lanes.remarks)
    }

    /// `BEFORE_LANES` on a work-group function: it as the vectoriser looks at it, and the headers of loops over
    /// work-items.
    pub fn before_lanes(&mut self, module: &Module, func: &Func) -> (Func, Vec<Block>) {
        let mut unit = Unit::of_group(module, func, simd::Config::always(4));
        self.run(super::BEFORE_LANES, &mut unit).expect("no such pass fails");
        let headers = unit.lanes.as_ref().map_or_else(Vec::new, |lanes| lanes.headers(&unit.func));
        (unit.func, headers)
    }

    /// `LEGAL` on a work-group function and everything it calls. Vectors are those of `target` in functions in lane
    /// form or with wide vectors of their own, and of 128 bits elsewhere.
    ///
    /// # Errors
    /// `CodeError` for a callee without a body, or for what legalisation does not support.
    pub fn legal(&mut self, module: &Module, root: &Func, target: &'static Target) -> Result<Legal, CodeError> {
        let mut seen = vec![false; module.funcs.len()];
        let mut todo = Vec::new();
        let root = self.legal_func(module, root, target)?;
        find_callees(&root, &mut seen, &mut todo);
        let mut callees = Vec::new();
        while let Some(id) = todo.pop() {
            let func = module.funcs.get(id).filter(|f| f.has_body());
            let Some(func) = func else {
                let name = module.funcs.get(id).map_or("?", |f| &f.name);
                return Err(CodeError::new(format!("function `{name}` has no body")));
            };
            let legal = self.legal_func(module, func, target)?;
            find_callees(&legal, &mut seen, &mut todo);
            callees.push((id, legal));
        }
        Ok(Legal { root, callees })
    }

    fn legal_func(&mut self, module: &Module, func: &Func, target: &'static Target) -> Result<Func, CodeError> {
        let form = if func.is_lanes { Form::LANES } else { Form::GROUP };
        let mut unit = Unit::new(module, func.clone(), form | Form::SSA);
        unit.target = Some(target);
        self.run(super::LEGAL, &mut unit)?;
        Ok(unit.func)
    }

    /// Runs steps; whether any of them changed anything that counts.
    ///
    /// # Errors
    /// A pass's.
    ///
    /// # Panics
    /// If a pass runs on a form that it does not take, or breaks KIR's rules and that is checked.
    pub fn run(&mut self, steps: &[Step], unit: &mut Unit<'_>) -> Outcome {
        let mut any = false;
        for step in steps {
            any |= self.step(step, unit)?;
        }
        Ok(any)
    }

    fn step(&mut self, step: &Step, unit: &mut Unit<'_>) -> Outcome {
        match step {
            Step::Run(pass) => self.pass(pass, unit),
            Step::All(steps) => self.run(steps, unit),
            Step::Ask(is) => Ok(is(unit)),
            Step::When(is, steps) => Ok(is(unit) && self.run(steps, unit)?),
            Step::Changed(first, then, otherwise) => {
                let changed = self.run(first, unit)?;
                self.run(if changed { then } else { otherwise }, unit)?;
                Ok(changed)
            }
            Step::While(most, first, then) => {
                let mut any = false;
                for _ in 0..*most {
                    if !self.run(first, unit)? {
                        break;
                    }
                    any = true;
                    self.run(then, unit)?;
                }
                Ok(any)
            }
            Step::Attempt(first, second, then) => {
                let (func, form) = (unit.func.clone(), unit.form);
                self.run(first, unit)?;
                let changed = self.run(second, unit)?;
                if changed {
                    self.run(then, unit)?;
                } else {
                    (unit.func, unit.form) = (func, form);
                }
                Ok(changed)
            }
            Step::Rather(first, is, second) => {
                let (func, form) = (unit.func.clone(), unit.form);
                let changed = self.run(first, unit)?;
                if changed && is(unit) {
                    let made = std::mem::replace(&mut unit.func, func);
                    let made = (made, std::mem::replace(&mut unit.form, form));
                    if !self.run(second, unit)? {
                        (unit.func, unit.form) = made;
                    }
                }
                Ok(changed)
            }
        }
    }

    /// Runs one pass; whether it changed anything that counts.
    ///
    /// # Errors
    /// The pass's.
    ///
    /// # Panics
    /// As `run`.
    pub fn pass(&mut self, pass: &Pass, unit: &mut Unit<'_>) -> Outcome {
        reserve::look();
        let is_fine = unit.form.has(pass.needs) && !unit.form.intersects(pass.unless);
        assert!(is_fine, "`{}` does not take `{}`, which is {:?}", pass.name, unit.func.name, unit.form);
        let before = self.is_watched(pass.name).then(|| text(unit.module, &unit.func));
        let start = Instant::now();
        let changed = match pass.call {
            Call::Func(run) => {
                run(&mut unit.func);
                None
            }
            Call::Tells(run) => Some(run(&mut unit.func)),
            Call::Unit(run) => {
                run(unit)?;
                None
            }
            Call::UnitTells(run) => Some(run(unit)),
        };
        self.spent(pass.name, start.elapsed());
        if changed != Some(false) {
            unit.form = pass.leaves(unit.form);
        }
        if self.is_verifying {
            check(unit.module, &unit.func, unit.form, pass.name);
        }
        if let Some(before) = before {
            let after = text(unit.module, &unit.func);
            let (func, code, form) = (unit.func.name.clone(), unit.func.clone(), unit.form);
            self.changes.push(Change { pass: pass.name, func, before, after, code, form });
        }
        Ok(changed == Some(true))
    }

    fn is_watched(&self, pass: &str) -> bool {
        self.watched.as_deref().is_some_and(|name| name == pass || name == "all")
    }

    fn spent(&mut self, name: &'static str, spent: Duration) {
        match self.timings.rows.iter_mut().find(|(n, _)| *n == name) {
            Some((_, total)) => *total += spent,
            None => self.timings.rows.push((name, spent)),
        }
    }
}

fn text(module: &Module, func: &Func) -> String {
    FuncText { module: Some(module), func }.to_string()
}

/// Finds out what launches must know of a kernel.
fn describe(module: &mut Module, kernel: usize) {
    let id = module.kernels[kernel].1;
    let func = &module.funcs[id];
    let may_wait = crate::analysis::waits::may_wait(module, id);
    // Groups that wait for each other are not to be merged.
    let enqueues = enqueues(module, id);
    // What it enqueues may wait for a work-group.
    let group_agnostic = !may_wait && !enqueues && wg::is_group_agnostic(module, kernel);
    let local_bytes = wg::local_layout(module, id).bytes as usize;
    let private_bytes = func.slots.values().map(|slot| slot.size).sum::<u64>() as usize;
    let streamed = pass::nontemporal::find(func);
    let dims = wg::interchange::vector_dims(func);
    let pointers = crate::analysis::alias::pointers(func);
    let integers = pass::argument_values::find(func);
    let strides = integers & crate::analysis::unit_strides::find(func);
    let is_tracked = module.checks.kinds.contains(Kinds::RACES);
    let footprints = if is_tracked { crate::analysis::footprint::of_arguments(func) } else { Vec::new() };
    let has_single_sub_groups = module.is_scalar && module.kernels[kernel].0.reqd_sub_group_size.is_none();
    let info = &mut module.kernels[kernel].0;
    info.has_single_sub_groups = has_single_sub_groups;
    info.args.iter_mut().zip(streamed).for_each(|(arg, bytes)| arg.streamed_bytes = bytes);
    (info.local_bytes, info.private_bytes) = (local_bytes, private_bytes);
    (info.vector_dim, info.rival_dim) = (dims.vector, dims.rival);
    // Code and the choice of groups are to agree, and code knows only of strides.
    info.unit_dims = dims.unit.map(|ones| if ones & !strides == 0 { ones } else { 0 });
    (info.group_agnostic, info.may_wait) = (group_agnostic, may_wait);
    (info.pointers, info.enqueues) = (pointers, enqueues);
    (info.integers, info.strides) = (integers, strides);
    info.footprints = footprints;
}

/// True if a function, or one that it calls, asks the launch for something.
fn enqueues(module: &Module, root: FuncId) -> bool {
    let asks = |func: &Func| func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::Device);
    module.funcs.values().zip(module.reachable_from(vec![root])).any(|(func, used)| used && asks(func))
}

/// Callees that have not been seen yet.
fn find_callees(func: &Func, seen: &mut [bool], todo: &mut Vec<FuncId>) {
    for (_, inst) in func.live_insts() {
        if let Some(callee) = func.insts[inst].callee()
            && !seen.get_mut(callee.index()).is_some_and(|s| std::mem::replace(s, true))
        {
            todo.push(callee);
        }
    }
}

/// Panics with the annotated text if a pass has broken a rule: our bug, caught where it is asked for. Types are checked
/// up to legal form, which has its own.
fn check(module: &Module, func: &Func, form: Form, pass: &str) {
    let verify = if form.contains(Form::LEGAL) { verify_legal } else { verify_in };
    if let Err(errors) = verify(module, func) {
        panic!("the pass `{pass}` breaks KIR's rules:\n{errors}");
    }
    let stray = func.live_insts().map(|(_, i)| func.insts[i].op).find(|op| match () {
        () if form.contains(Form::KERNEL) => op.is_lane_op(),
        () if form.intersects(Form::GROUP | Form::LANES) => op.is_convergent() || op.is_query() || *op == Op::LocalAddr,
        () => false,
    });
    assert!(stray.is_none(), "behind the pass `{pass}`, `{}` has {stray:?}, but is {form:?}", func.name);
}
