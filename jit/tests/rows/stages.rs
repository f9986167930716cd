//! One program through all phases, interpreted behind each pass that changes something.

use crate::program::{Given, Program};
use clift_jit::image::{Fact, ImageFacts};
use clift_jit::interp::Machine;
use clift_jit::ir::{FuncId, Module};
use clift_jit::launch::{ArgKind, KernelInfo, SpecKey};
use clift_jit::pipeline::{Change, Form, Runner, ZERO_PRIVATE};
use clift_jit::wg;

/// Instructions after which the interpreter gives a program up: in the source, and at any stage.
const STEPS: [u64; 2] = [1_000_000, 30_000_000];

/// What buffers hold in the end.
type Outcome = Result<Vec<Vec<u8>>, String>;

/// A program on its way.
struct Walk<'p> {
    program: &'p Program,
    want: Vec<Vec<u8>>,
    /// As far as it has come.
    module: Module,
    kernel: FuncId,
    /// The work-group function, if that is what is interpreted, and bytes of scratch and of local memory.
    group: Option<(FuncId, u64, u64)>,
    changed: Vec<&'static str>,
    /// Changes so far, for messages.
    row: usize,
}

/// The passes that change the program, or why the interpreter refuses it.
///
/// # Panics
/// If one of them changes what it computes.
pub fn check(program: &Program) -> Result<Vec<&'static str>, String> {
    let kernel = program.module.kernels[0].1;
    let want = interpret(program, &program.module, kernel, None, STEPS[0])?;
    let module = program.module.clone();
    let mut walk = Walk { program, want, module, kernel, group: None, changed: Vec::new(), row: 0 };
    let mut runner = Runner::watching("all");
    let mut module = program.module.clone();
    if program.zeroed {
        runner.module_pass(&ZERO_PRIVATE, &mut module);
    }
    runner.program(&mut module);
    walk.kernel_form(&runner.changes);
    runner.changes.clear();
    // What launches must know of kernels is there now.
    walk.module = module;
    let key = key(program, &walk.module.kernels[0].0);
    let (group, _) = runner.kernel(&walk.module, 0, key, program.sharing, program.lanes);
    let at = runner.changes.iter().position(|c| !c.form.contains(Form::KERNEL)).unwrap_or(runner.changes.len());
    let optimised = walk.module.clone();
    walk.kernel_form(&runner.changes[..at]);
    walk.module = optimised;
    let locals = wg::local_layout(&walk.module, kernel).bytes;
    let root = walk.module.funcs.push(walk.module.funcs[kernel].clone());
    walk.group = Some((root, group.scratch_per_item as u64, locals));
    for change in &runner.changes[at..] {
        walk.module.funcs[root] = change.code.clone();
        walk.see(change);
    }
    runner.changes.clear();
    walk.module.funcs[root] = group.func.clone();
    let legal = runner.legal(&walk.module, &group.func, program.target);
    let legal = legal.unwrap_or_else(|error| panic!("{}{}", program.description, error.message));
    // Functions in legal form call each other only: all of them change at once.
    walk.module.funcs[root] = legal.root.clone();
    for (id, callee) in &legal.callees {
        walk.module.funcs[*id] = callee.clone();
    }
    let ids: Vec<FuncId> = std::iter::once(root).chain(legal.callees.iter().map(|(id, _)| *id)).collect();
    let mut function = 0;
    for (n, change) in runner.changes.iter().enumerate() {
        function += usize::from(n > 0 && change.pass == "legalise");
        let last = std::mem::replace(&mut walk.module.funcs[ids[function]], change.code.clone());
        walk.see(change);
        walk.module.funcs[ids[function]] = last;
    }
    Ok(walk.changed)
}

impl Walk<'_> {
    /// Changes of functions in kernel form.
    fn kernel_form(&mut self, changes: &[Change]) {
        for change in changes {
            let id = self.module.funcs.iter().find(|(_, func)| func.name == change.func).map(|(id, _)| id);
            let id = id.unwrap_or_else(|| panic!("there is no function `{}`", change.func));
            self.module.funcs[id] = change.code.clone();
            self.see(change);
        }
    }

    /// A change that is in the module now.
    fn see(&mut self, change: &Change) {
        self.row += 1;
        if change.before == change.after {
            return;
        }
        if !self.changed.contains(&change.pass) {
            self.changed.push(change.pass);
        }
        let got = interpret(self.program, &self.module, self.kernel, self.group, STEPS[1]);
        let what = match got {
            Ok(got) if got == self.want => return,
            Ok(got) => difference(&self.want, &got),
            Err(error) => error,
        };
        let Change { pass, func, form, .. } = change;
        let description = &self.program.description;
        panic!(
            "{description}row {}, `{pass}` on `{func}`, which is {form:?} then: {what}\n{}",
            self.row,
            change.diff(3)
        );
    }
}

/// Where the first byte differs.
fn difference(want: &[Vec<u8>], got: &[Vec<u8>]) -> String {
    for (n, (want, got)) in want.iter().zip(got).enumerate() {
        let at: Vec<usize> = (0..want.len()).filter(|&i| want[i] != got[i]).take(16).collect();
        if let Some(&first) = at.first() {
            return format!("buffer {n} differs at bytes {at:?}: {:#x}, not {:#x}", got[first], want[first]);
        }
    }
    "no buffer differs".into()
}

fn key(program: &Program, info: &KernelInfo) -> SpecKey {
    let mut images = ImageFacts::default();
    let opaque = info.args.iter().filter(|arg| arg.kind.is_opaque());
    for (fact, arg) in images.iter_mut().zip(opaque) {
        *fact = if arg.kind == ArgKind::Sampler { program.samplers } else { program.images };
    }
    let known = program.images != Fact::default();
    let bytes = |arg: usize| if let Given::Value(bytes) = &program.args[arg] { &bytes[..] } else { &[] };
    SpecKey {
        local_size: program.exact.then(|| program.launch.local_size.map(|n| n as u32)),
        small_args: info.has_small_args(bytes),
        images: if known { images } else { ImageFacts::default() },
        streams: if program.large { u64::MAX } else { 0 },
        disjoint: if program.disjoint { info.pointers.separable } else { 0 },
        values: program.values(info),
        ..SpecKey::of_ids(program.launch.global_offset, program.launch.global_size)
    }
}

/// What the kernel, or a work-group function made of it, leaves in the buffers.
fn interpret(
    program: &Program,
    module: &Module,
    kernel: FuncId,
    group: Option<(FuncId, u64, u64)>,
    steps: u64,
) -> Outcome {
    let mut machine = Machine::new(module);
    machine.steps = steps;
    let (args, buffers) = program.arguments(&mut machine);
    let result = match group {
        None => machine.run_kernel(kernel, &args, &program.launch),
        Some((root, scratch, locals)) => {
            machine.run_work_group_func(root, &module.kernels[0].0, &args, &program.launch, locals, scratch)
        }
    };
    result.map_err(|error| error.to_string())?;
    Ok(buffers.iter().map(|&address| machine.buffer(address).to_vec()).collect())
}
