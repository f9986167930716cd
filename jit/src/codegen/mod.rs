//! KIR in work-group form → machine code. `compile` is the way in: it legalises the entry function and everything it
//! calls (`legalize`), translates each to machine code by Cranelift (`function`) or our own generator
//! (`x64wide`); the result is an `object`, which is kept or put into memory (`image`).
//!
//! Start here, then `function` (blocks and values), `inst` and `memory` (ops). `isa` tells Cranelift of the host,
//! `helper` has the Rust functions that generated code calls, `icache` what AArch64 wants before code runs, `data` the
//! program-scope variables, `pressure` how registers are allocated, `dump` the texts a developer may ask for. Must not
//! know OpenCL C, HIR or kernels' metadata.

mod annotate;
mod data;
pub mod debug;
mod disassembly;
mod dump;
mod function;
mod helper;
#[cfg(target_arch = "aarch64")]
mod icache;
mod image;
mod inst;
mod isa;
mod memory;
mod object;
mod pressure;
#[cfg(target_arch = "x86_64")]
mod x64wide;

pub use crate::target::Backend;
pub use annotate::{Annotated, annotate};
pub use data::ProgramData;
pub use dump::{Stage, emit, emit_for, is_dumping};
pub use object::CodeObject;
pub use pressure::Effort;

use crate::error::CodeError;
use crate::ir::{Func, GlobalId, Module, Origin, SlotId};
use crate::launch::X_INNERMOST;
use crate::pipeline::{Legal, Runner};
use crate::{parallel, target};
use cranelift_codegen::binemit::Reloc as ClifReloc;
use cranelift_codegen::ir as clif;
use cranelift_codegen::{Context, FinalizedMachReloc, FinalizedRelocTarget, MachBufferFrameLayout};
use cranelift_frontend::FunctionBuilderContext;
use debug::{FrameLayout, LineTable};
use function::{DATA, GLOBAL, HELPER, KIR_FUNCTION, Scope};
use helper::Helper;
use image::{Blob, Reloc, RelocKind, Target};
use isa::Allocator;
use object::Symbol;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Scratch memory that work-group code expects at `Env::scratch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    /// Bytes whatever the size of the group.
    pub fixed: usize,
    /// Bytes for each work-item.
    pub per_item: usize,
}

/// With fewer instructions beside its largest function a kernel is not worth a second thread.
const SIDE_BY_SIDE: usize = 500;

/// Stack that one activation of an entry function may take in all, callees included, in bytes. Kernels of tens of
/// thousands of instructions take more than one MiB where they are made in a hurry.
pub const MAX_STACK: u64 = 3 << 20;

/// Stack that `Helper::Printf` takes, and those that report to the launch; that of the others is as nothing.
const PRINTF_STACK: u64 = 32 << 10;

/// Compiles the work-group function `root`, which calls functions of `module`, by a back end: its parameters are
/// argument block, `Env`, first and last linear group id (pointer, pointer, i64, i64), and it has no result.
/// `fallback` chooses the back end.
///
/// # Errors
/// `CodeError` for what the back end does not cover, or if this processor cannot run its code; never a panic.
pub fn compile(
    backend: Backend,
    module: &Module,
    root: &Func,
    scratch: Scratch,
    effort: Effort,
) -> Result<CodeObject, CodeError> {
    compile_for(backend, available(backend)?, module, root, scratch, effort)
}

/// The same for any target of the back end that this processor can run the code for.
///
/// # Errors
/// As of `compile`.
pub fn compile_for(
    backend: Backend,
    target: &'static target::Target,
    module: &Module,
    root: &Func,
    scratch: Scratch,
    effort: Effort,
) -> Result<CodeObject, CodeError> {
    let signature: Vec<u32> = root.params.iter().map(|ty| if ty.is_vector() { 0 } else { ty.elem.bits() }).collect();
    if signature != [64; 4] || root.ret.is_some() {
        return Err(CodeError::new(format!("`{}` is not a work-group function", root.name)));
    }
    let (legal, mut functions) = generate(backend, target, module, root, effort)?;
    dump::dump_all(module, &legal, &functions);
    let stack_bytes = stack_bytes(&legal, &functions)?;
    let lines = if wants_places(module) { line_tables(module, &legal, &mut functions) } else { Vec::new() };
    let variables = if module.is_debug { debug::program_variables(module) } else { Vec::new() };
    let is_hasty = functions.iter().any(|f| f.is_hasty);
    let blobs = functions.into_iter().map(|f| f.blob).collect();
    let (tracked, met, locals) = (root.tracked.clone(), root.met.clone(), root.locals.clone());
    let origins = if tracked.is_empty() && met.is_empty() { Default::default() } else { root.origins.clone() };
    let (remarks, loop_order) = (Vec::new(), X_INNERMOST);
    let (is_lanes, flushes_denormals, making) = (root.is_lanes, root.flushes_denormals, Duration::ZERO);
    Ok(CodeObject {
        blobs,
        scratch,
        stack_bytes,
        is_hasty,
        is_lanes,
        flushes_denormals,
        making,
        remarks,
        rivals: Vec::new(),
        loop_order,
        tracked,
        locals,
        met,
        origins,
        lines,
        variables,
    })
}

/// True if somebody wants to know where a module's machine code comes from.
fn wants_places(module: &Module) -> bool {
    module.is_debug || debug::is_wanted() || dump::wanted()
}

/// The tables of functions, in their order.
fn line_tables(module: &Module, legal: &Legal, functions: &mut [Compiled]) -> Vec<LineTable> {
    let bodies = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, func)| func));
    let table = |(func, made): (&Func, &mut Compiled)| {
        let mut table = LineTable::new(module, func, &made.places, made.code_bytes, std::mem::take(&mut made.layout));
        table.add_variables(module, func, &made.variables);
        table
    };
    bodies.zip(functions).map(table).collect()
}

/// The target of a back end whose code this processor can run.
fn available(backend: Backend) -> Result<&'static target::Target, CodeError> {
    let message = || format!("this processor cannot run what {} makes", backend.name());
    backend.is_available().then(|| backend.target()).ok_or_else(|| CodeError::new(message()))
}

/// The legal form of `root` and its callees, and their code in the same order.
fn generate(
    backend: Backend,
    target: &'static target::Target,
    module: &Module,
    root: &Func,
    effort: Effort,
) -> Result<(Legal, Vec<Compiled>), CodeError> {
    let legal = Runner::default().legal(module, root, target)?;
    let functions = match backend {
        Backend::Cranelift => compile_all(&legal, wants_places(module), effort)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 | Backend::Avx512 => compile_wide(target, &legal, wants_places(module), effort)?,
        #[cfg(not(target_arch = "x86_64"))]
        Backend::Avx2 | Backend::Avx512 => {
            return Err(CodeError::new(format!("{} is for another architecture", backend.name())));
        }
    };
    Ok((legal, functions))
}

/// Code of the root and its callees by our own generator.
#[cfg(target_arch = "x86_64")]
fn compile_wide(
    target: &target::Target,
    legal: &Legal,
    with_places: bool,
    effort: Effort,
) -> Result<Vec<Compiled>, CodeError> {
    let emitted = guarded(&legal.root.name, || x64wide::compile(target, legal, dump::wanted(), with_places, effort))?;
    Ok(emitted
        .into_iter()
        .map(|f| Compiled {
            blob: f.blob,
            is_hasty: f.is_hasty,
            frame_bytes: f.frame_bytes,
            clif: None,
            asm: f.listing,
            places: f.places,
            code_bytes: f.code_bytes,
            blocks: Vec::new(),
            layout: f.layout,
            variables: Vec::new(),
        })
        .collect())
}

/// A panic in a code generator is an error of the build.
fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T, CodeError>) -> Result<T, CodeError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown reason");
        Err(CodeError::new(format!("code generation of `{name}` failed: {what}")))
    })
}

/// One compiled function and its texts, if asked for.
struct Compiled {
    blob: Blob,
    /// See `CodeObject::is_hasty`.
    is_hasty: bool,
    frame_bytes: u64,
    clif: Option<String>,
    asm: Option<String>,
    /// From which offset on code comes from where, if that was wanted.
    places: Vec<(u32, Origin)>,
    /// Bytes of instructions, which constants follow.
    code_bytes: u32,
    /// Where blocks begin, if texts are wanted and Cranelift made the code.
    blocks: Vec<u32>,
    layout: FrameLayout,
    /// Where slots that debuggers know as variables are, in bytes from the frame pointer.
    variables: Vec<(SlotId, i64)>,
}

impl Compiled {
    /// Stack that the helpers take which it calls.
    fn helper_bytes(&self) -> u64 {
        let deep = [Helper::Printf, Helper::Device, Helper::CheckReport, Helper::Track]
            .map(|helper| Symbol::Helper(helper).into());
        if self.blob.relocs.iter().any(|reloc| deep.contains(&reloc.target)) { PRINTF_STACK } else { 0 }
    }
}

thread_local! {
    /// Cranelift's working memory, reused from function to function.
    static CONTEXT: RefCell<Option<Box<(Context, FunctionBuilderContext)>>> = const { RefCell::new(None) };
}

/// Compiles the root and its callees, in this order.
fn compile_all(legal: &Legal, with_places: bool, effort: Effort) -> Result<Vec<Compiled>, CodeError> {
    let call_conv = isa::for_host(Allocator::Backtracking)?.default_call_conv();
    let callees: FxHashMap<_, _> = (1u32..)
        .zip(&legal.callees)
        .map(|(number, (id, func))| (*id, (number, function::signature(func, call_conv))))
        .collect();
    let scope = Scope { callees: &callees, call_conv, with_places };
    each_function(legal, |number, func| compile_function(&scope, func, number, effort))
}

/// What `compile` makes of the root, which is number 0, and its callees; side by side if they are large.
fn each_function<T: Send>(
    legal: &Legal,
    compile: impl Fn(u32, &Func) -> Result<T, CodeError> + Sync,
) -> Result<Vec<T>, CodeError> {
    let all = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, func)| func));
    let all: Vec<(u32, &Func)> = (0..).zip(all).collect();
    let sizes = || all.iter().map(|(_, func)| func.n_live_insts());
    let is_small = sizes().sum::<usize>() - sizes().max().unwrap_or(0) < SIDE_BY_SIDE;
    // Only this thread knows that texts are wanted.
    if is_small || dump::wanted() {
        return all.into_iter().map(|(number, func)| compile(number, func)).collect();
    }
    // As it would be one after the other, the first error counts: what is behind it need not be made.
    let failed = AtomicU32::new(u32::MAX);
    let made = parallel::map(all, |(number, func)| {
        if failed.load(Relaxed) < number {
            return Err(CodeError::new(String::new()));
        }
        compile(number, func).inspect_err(|_| _ = failed.fetch_min(number, Relaxed))
    });
    made.into_iter().collect()
}

fn compile_function(scope: &Scope<'_>, func: &Func, number: u32, effort: Effort) -> Result<Compiled, CodeError> {
    // Taken out while in use: after a panic the broken state is gone. A thread that is ending has none any more.
    let mut context = CONTEXT
        .try_with(|c| c.borrow_mut().take())
        .ok()
        .flatten()
        .unwrap_or_else(|| Box::new((Context::new(), FunctionBuilderContext::new())));
    let (cx, builder) = &mut *context;
    let result = guarded(&func.name, || compile_with(scope, func, number, effort, cx, builder));
    if result.is_ok() {
        cx.clear();
        let _ = CONTEXT.try_with(|c| *c.borrow_mut() = Some(context));
    }
    result
}

fn compile_with(
    scope: &Scope<'_>,
    func: &Func,
    number: u32,
    effort: Effort,
    cx: &mut Context,
    builder: &mut FunctionBuilderContext,
) -> Result<Compiled, CodeError> {
    let (allocator, is_hasty) = pressure::allocator(func, effort);
    let texts = dump::wanted();
    let told = if texts { Some(isa::that_tells(allocator)?) } else { None };
    let isa = match &told {
        Some(isa) => isa,
        None => isa::for_host(allocator)?,
    };
    let origins = function::translate(scope, func, number, &mut cx.func, builder, isa.frontend_config())?;
    let clif = texts.then(|| cx.func.display().to_string());
    cx.set_disasm(texts);
    let names = cx.func.params.user_named_funcs().clone();
    let code = cx
        .compile(&**isa, &mut Default::default())
        .map_err(|e| CodeError::new(format!("code generation of `{}` failed: {}", func.name, e.inner)))?;
    let align = (code.buffer.alignment as usize).max(isa.function_alignment().preferred as usize);
    let relocs = code.buffer.relocs().iter().map(|r| relocation(r, &names)).collect::<Result<_, _>>()?;
    // Return address and saved frame pointer come on top.
    let frame_bytes = code.buffer.frame_layout().map_or(0, |f| u64::from(f.frame_to_fp_offset)) + 16;
    let variables = code.buffer.frame_layout().map_or_else(Vec::new, |frame| variables(func, frame));
    let asm = code.vcode.clone();
    let place = |n: clif::SourceLoc| origins.get(n.bits() as usize).copied().unwrap_or(Origin::UNKNOWN);
    let rows = code.buffer.get_srclocs_sorted();
    let places = rows.iter().map(|row| (row.start, place(row.loc))).collect();
    let bytes = code.code_buffer().to_vec();
    // All instructions are in a row; constants are not.
    let code_bytes = rows.iter().map(|row| row.end).max().unwrap_or(bytes.len() as u32);
    let blocks = code.bb_starts.clone();
    let (blob, layout) = (Blob { code: bytes, align, relocs }, FrameLayout::default());
    Ok(Compiled { blob, is_hasty, frame_bytes, clif, asm, places, code_bytes, blocks, layout, variables })
}

/// Where a function's variables are, in bytes from the frame pointer. Of slots for which Cranelift does not align
/// enough, code looks for a place within.
fn variables(func: &Func, frame: &MachBufferFrameLayout) -> Vec<(SlotId, i64)> {
    let slots = frame.stackslots.values().filter_map(|slot| Some((SlotId(slot.key?.bits() as u32), slot.offset)));
    slots
        .filter(|&(id, _)| func.slots.get(id).is_some_and(|slot| slot.variable.is_some() && slot.align <= 16))
        .map(|(id, offset)| (id, i64::from(offset) - i64::from(frame.frame_to_fp_offset)))
        .collect()
}

type Names = cranelift_codegen::entity::PrimaryMap<clif::UserExternalNameRef, clif::UserExternalName>;

fn relocation(reloc: &FinalizedMachReloc, names: &Names) -> Result<Reloc, CodeError> {
    let unknown = |what: String| CodeError::new(format!("generated code refers to {what}"));
    let kind = match reloc.kind {
        ClifReloc::Abs8 => RelocKind::Abs8,
        ClifReloc::X86CallPCRel4 | ClifReloc::X86PCRel4 => RelocKind::Rel4,
        ClifReloc::Arm64Call => RelocKind::Arm64Call,
        other => return Err(unknown(format!("something by {other:?}"))),
    };
    let target = match &reloc.target {
        FinalizedRelocTarget::ExternalName(clif::ExternalName::User(name)) => {
            let name = &names[*name];
            match (name.namespace, Helper::ALL.get(name.index as usize)) {
                (KIR_FUNCTION, _) => Target::Blob(name.index as usize),
                (HELPER, Some(helper)) => Symbol::Helper(*helper).into(),
                (GLOBAL, _) => Symbol::Global(GlobalId(name.index)).into(),
                (DATA, _) if name.index == 0 => Symbol::DataStart.into(),
                (DATA, _) => Symbol::DataEnd.into(),
                _ => return Err(unknown(format!("{name:?}"))),
            }
        }
        FinalizedRelocTarget::ExternalName(clif::ExternalName::LibCall(call)) => {
            Symbol::Helper(Helper::of_libcall(*call).ok_or_else(|| unknown(format!("{call:?}")))?).into()
        }
        other => return Err(unknown(format!("{other:?}"))),
    };
    Ok(Reloc { offset: reloc.offset as usize, kind, target, addend: reloc.addend })
}

/// Bytes of stack that the deepest call chain takes. Refuses code that takes more than there is, and recursion, which
/// has no deepest chain.
fn stack_bytes(legal: &Legal, functions: &[Compiled]) -> Result<usize, CodeError> {
    let numbers: FxHashMap<_, _> = legal.callees.iter().enumerate().map(|(n, (id, _))| (*id, n + 1)).collect();
    let bodies: Vec<&Func> = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, f)| f)).collect();
    let calls: Vec<Vec<usize>> = bodies
        .iter()
        .map(|func| {
            let insts = func.layout.iter().flat_map(|&b| &func.blocks[b].insts);
            let mut calls: Vec<usize> = insts
                .filter_map(|&i| match func.insts[i].imm {
                    crate::ir::Imm::Func(id) => numbers.get(&id).copied(),
                    _ => None,
                })
                .collect();
            calls.sort_unstable();
            calls.dedup();
            calls
        })
        .collect();
    // Depth-first: 0 = not seen, 1 = on the path, 2 = done.
    let mut state = vec![0u8; bodies.len()];
    let mut need = vec![0u64; bodies.len()];
    let mut path = vec![(0usize, 0usize)];
    state[0] = 1;
    while let Some(&mut (at, ref mut next)) = path.last_mut() {
        if let Some(&callee) = calls[at].get(*next) {
            *next += 1;
            match state[callee] {
                0 => {
                    state[callee] = 1;
                    path.push((callee, 0));
                }
                1 => return Err(CodeError::new(format!("`{}` calls itself", bodies[callee].name))),
                _ => {}
            }
            continue;
        }
        let deepest = calls[at].iter().map(|&c| need[c]).max().unwrap_or(0);
        need[at] = functions[at].frame_bytes + deepest.max(functions[at].helper_bytes());
        state[at] = 2;
        path.pop();
    }
    if need[0] > MAX_STACK {
        let message =
            format!("`{}` needs {} KiB of stack, more than {}", legal.root.name, need[0] >> 10, MAX_STACK >> 10);
        return Err(CodeError::too_large(message));
    }
    Ok(need[0] as usize)
}
