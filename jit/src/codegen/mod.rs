//! KIR in work-group form → machine code. `compile` is the way in: it legalises the entry function and everything it
//! calls (`legalize`), translates each to Cranelift's IR (`function`), and puts the machine code into one image (`image`).
//!
//! Start here, then `function` (blocks and values), `inst` and `memory` (ops). `isa` knows the host, `helper` the Rust
//! functions that generated code calls, `data` the program-scope variables, `dump` the
//! texts a developer may ask for. Must not know OpenCL C, HIR or kernels' metadata.

mod data;
mod dump;
mod function;
mod helper;
mod image;
mod inst;
pub mod isa;
mod memory;
mod pressure;
#[cfg(target_arch = "x86_64")]
mod x64wide;

pub use data::ProgramData;
pub use dump::{Stage, emit, emit_by};

use crate::error::CodeError;
use crate::ir::{Func, FuncId, Imm, InstData, Module, Op, Rounding};
use crate::launch::{EntryPoint, KernelCode};
use crate::legalize::{Legal, Machine, legalize, works_on_wide_vectors};
use cranelift_codegen::binemit::Reloc as ClifReloc;
use cranelift_codegen::ir as clif;
use cranelift_codegen::{Context, FinalizedMachReloc, FinalizedRelocTarget};
use cranelift_frontend::FunctionBuilderContext;
use function::{HELPER, KIR_FUNCTION, Scope};
use helper::Helper;
use image::{Blob, Image, Reloc, RelocKind, Target};
use isa::Allocator;
pub use isa::{has_slow_gathers, register_bytes};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Scratch memory that work-group code expects at `Env::scratch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Bytes whatever the size of the group.
    pub fixed: usize,
    /// Bytes for each work-item.
    pub per_item: usize,
}

/// Beyond this many instructions (or an eighth of it in blocks) a function gets the linear-time register allocator.
const MANY_INSTS: usize = 20_000;

/// Stack that one activation of an entry function may take in all, callees included, in bytes.
pub const MAX_STACK: u64 = 768 << 10;

/// Stack that `Helper::Printf` takes; that of the others is as nothing.
const PRINTF_STACK: u64 = 32 << 10;

/// Compiles the work-group function `root`, which calls functions of `module`: its parameters are argument block, `Env`,
/// first and last linear group id (pointer, pointer, i64, i64), and it has no result.
///
/// # Errors
/// `CodeError` for what the code generator does not support; never a panic.
pub fn compile(
    module: &Module,
    root: &Func,
    data: &Arc<ProgramData>,
    scratch: Scratch,
) -> Result<KernelCode, CodeError> {
    let (mut code, remark) = by_choice(module, root, |backend| compile_by(backend, module, root, data, scratch))?;
    code.remarks.push(remark);
    Ok(code)
}

/// What `make` gives for the chosen back end or, if that does not cover the function, for Cranelift; and which one made it.
/// Lanes that are too large for the chosen one would be larger still, and slower than scalar code, by Cranelift.
fn by_choice<T>(
    module: &Module,
    root: &Func,
    make: impl Fn(Backend) -> Result<T, CodeError>,
) -> Result<(T, String), CodeError> {
    let chosen = choose(module, root);
    match make(chosen) {
        Ok(made) => Ok((made, format!("machine code by {}", chosen.name()))),
        Err(error) if chosen == Backend::Cranelift || (error.too_large && root.is_lanes) => Err(error),
        Err(error) => {
            let made = make(Backend::Cranelift)?;
            let (name, other) = (Backend::Cranelift.name(), chosen.name());
            Ok((made, format!("machine code by {name}, as {other} does not cover it: {}", error.message)))
        }
    }
}

/// As `compile`, by a given back end.
///
/// # Errors
/// As `compile`; also for what this back end does not cover.
pub fn compile_by(
    backend: Backend,
    module: &Module,
    root: &Func,
    data: &Arc<ProgramData>,
    scratch: Scratch,
) -> Result<KernelCode, CodeError> {
    let signature: Vec<u32> = root.params.iter().map(|ty| if ty.is_vector() { 0 } else { ty.elem.bits() }).collect();
    if signature != [64; 4] || root.ret.is_some() {
        return Err(CodeError::new(format!("`{}` is not a work-group function", root.name)));
    }
    let (legal, functions) = generate(backend, module, root, data)?;
    dump::dump_all(module, &legal, &functions);
    let stack_bytes = stack_bytes(&legal, &functions)?;
    let blobs: Vec<Blob> = functions.into_iter().map(|f| f.blob).collect();
    let image = Image::new(&blobs)?;
    let entry = entry_point(image.address(0));
    Ok(KernelCode {
        remarks: Vec::new(),
        entry,
        scratch_fixed: scratch.fixed,
        scratch_per_item: scratch.per_item,
        stack_bytes,
        _image: Arc::new((image, Arc::clone(data))),
    })
}

#[allow(unsafe_code, reason = "the border to generated code")]
fn entry_point(address: usize) -> EntryPoint {
    // SAFETY: the address is that of the root function, compiled with this signature and the C calling convention.
    unsafe { std::mem::transmute::<usize, EntryPoint>(address) }
}

/// Which code generator makes a kernel's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Cranelift: any host, 128-bit vectors.
    Cranelift,
    /// Our own, `x64wide`, on AVX2, FMA, F16C and BMI: 256 bits.
    Avx2,
    /// Our own, `x64wide`, on AVX-512: 512 bits.
    Avx512,
}

impl Backend {
    /// All whose code the host can run, narrow vectors first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Cranelift, Self::Avx2, Self::Avx512].into_iter().filter(|b| b.is_available())
    }

    /// True if the host can run this back end's code.
    pub fn is_available(self) -> bool {
        match self {
            Self::Cranelift => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x64wide::Isa::Avx2.is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x64wide::Isa::Avx512.is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// What remarks call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cranelift => "Cranelift",
            Self::Avx2 => "our generator for AVX2",
            Self::Avx512 => "our generator for AVX-512",
        }
    }

    /// What legalisation may use.
    fn machine(self) -> Machine {
        match self {
            Self::Cranelift => Machine::V128,
            Self::Avx2 => Machine::AVX2,
            Self::Avx512 => {
                let isa::HostFeatures { half_arithmetic, byte_permutes, .. } = isa::features();
                Machine { half_arithmetic, byte_permutes, ..Machine::AVX512 }
            }
        }
    }
}

/// The back end for a function: our own where it wins, which is where there are lanes of work-items or wide vectors or, if the
/// machine knows them, directed roundings.
fn choose(module: &Module, root: &Func) -> Backend {
    let widest = isa::backend();
    if isa::forced().is_some() || widest == Backend::Cranelift {
        return widest;
    }
    let directed = widest.machine().directed;
    let wins = |func: &Func| {
        func.is_lanes
            || works_on_wide_vectors(func)
            || (directed && func.live_insts().any(|(_, id)| rounds(&func.insts[id])))
    };
    if wins(root) || callees(module, root).into_iter().any(wins) { widest } else { Backend::Cranelift }
}

/// True for arithmetic and conversions with a directed rounding.
fn rounds(inst: &InstData) -> bool {
    let takes =
        matches!(inst.op, Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fma | Op::Fptrunc | Op::Sitofp | Op::Uitofp);
    takes && inst.attr.rm != Rounding::Rte
}

/// The functions that `root` calls, directly or not.
fn callees<'a>(module: &'a Module, root: &Func) -> Vec<&'a Func> {
    let calls = |func: &Func| -> Vec<FuncId> {
        let insts = func.live_insts().map(|(_, id)| &func.insts[id].imm);
        insts.filter_map(|imm| if let Imm::Func(id) = imm { Some(*id) } else { None }).collect()
    };
    let mut seen = rustc_hash::FxHashSet::default();
    let mut found = Vec::new();
    let mut todo = calls(root);
    while let Some(id) = todo.pop() {
        if let Some(func) = module.funcs.get(id)
            && seen.insert(id.0)
        {
            found.push(func);
            todo.extend(calls(func));
        }
    }
    found
}

/// The legal form of `root` and its callees, and their code in the same order.
fn generate(
    backend: Backend,
    module: &Module,
    root: &Func,
    data: &ProgramData,
) -> Result<(Legal, Vec<Compiled>), CodeError> {
    if !backend.is_available() {
        return Err(CodeError::new(format!("this processor cannot run what {} makes", backend.name())));
    }
    let legal = legalize(module, root, backend.machine())?;
    let functions = match backend {
        Backend::Cranelift => compile_all(&legal, data)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 => compile_wide(x64wide::Isa::Avx2, &legal, data)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512 => compile_wide(x64wide::Isa::Avx512, &legal, data)?,
        #[cfg(not(target_arch = "x86_64"))]
        Backend::Avx2 | Backend::Avx512 => unreachable!("not available here"),
    };
    Ok((legal, functions))
}

/// Code of the root and its callees by our own generator.
#[cfg(target_arch = "x86_64")]
fn compile_wide(isa: x64wide::Isa, legal: &Legal, data: &ProgramData) -> Result<Vec<Compiled>, CodeError> {
    let emitted = guarded(&legal.root.name, || x64wide::compile(isa, legal, data, dump::wanted()))?;
    Ok(emitted
        .into_iter()
        .map(|f| Compiled { blob: f.blob, frame_bytes: f.frame_bytes, clif: None, asm: f.listing })
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
    frame_bytes: u64,
    clif: Option<String>,
    asm: Option<String>,
}

impl Compiled {
    /// Stack that the helpers take which it calls.
    fn helper_bytes(&self) -> u64 {
        let printf = Target::Address(Helper::Printf.address());
        if self.blob.relocs.iter().any(|reloc| reloc.target == printf) { PRINTF_STACK } else { 0 }
    }
}

thread_local! {
    /// Cranelift's working memory, reused from function to function.
    static CONTEXT: RefCell<Option<Box<(Context, FunctionBuilderContext)>>> = const { RefCell::new(None) };
}

/// Compiles the root and its callees, in this order.
fn compile_all(legal: &Legal, data: &ProgramData) -> Result<Vec<Compiled>, CodeError> {
    let call_conv = isa::host(Allocator::Backtracking)?.default_call_conv();
    let callees: FxHashMap<_, _> = (1u32..)
        .zip(&legal.callees)
        .map(|(number, (id, func))| (*id, (number, function::signature(func, call_conv))))
        .collect();
    let scope = Scope { callees: &callees, data, call_conv };
    let all = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, func)| func));
    (0u32..).zip(all).map(|(number, func)| compile_function(&scope, func, number)).collect()
}

fn compile_function(scope: &Scope<'_>, func: &Func, number: u32) -> Result<Compiled, CodeError> {
    // Taken out while in use: after a panic the broken state is gone.
    let mut context = CONTEXT
        .with(|c| c.borrow_mut().take())
        .unwrap_or_else(|| Box::new((Context::new(), FunctionBuilderContext::new())));
    let (cx, builder) = &mut *context;
    let result = guarded(&func.name, || compile_with(scope, func, number, cx, builder));
    if result.is_ok() {
        cx.clear();
        CONTEXT.with(|c| *c.borrow_mut() = Some(context));
    }
    result
}

fn compile_with(
    scope: &Scope<'_>,
    func: &Func,
    number: u32,
    cx: &mut Context,
    builder: &mut FunctionBuilderContext,
) -> Result<Compiled, CodeError> {
    let insts: usize = func.layout.iter().map(|&b| func.blocks[b].insts.len()).sum();
    let large = insts > MANY_INSTS || func.layout.len() > MANY_INSTS / 8 || pressure::is_costly(func);
    let isa = isa::host(if large { Allocator::SinglePass } else { Allocator::Backtracking })?;
    function::translate(scope, func, number, &mut cx.func, builder, isa.frontend_config())?;
    let texts = dump::wanted();
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
    let asm = code.vcode.clone();
    Ok(Compiled { blob: Blob { code: code.code_buffer().to_vec(), align, relocs }, frame_bytes, clif, asm })
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
                (HELPER, Some(helper)) => Target::Address(helper.address()),
                _ => return Err(unknown(format!("{name:?}"))),
            }
        }
        FinalizedRelocTarget::ExternalName(clif::ExternalName::LibCall(call)) => {
            Target::Address(helper::libcall(*call).ok_or_else(|| unknown(format!("{call:?}")))?)
        }
        other => return Err(unknown(format!("{other:?}"))),
    };
    Ok(Reloc { offset: reloc.offset as usize, kind, target, addend: reloc.addend })
}

/// Bytes of stack that the deepest call chain takes. Refuses code that takes more than there is, and recursion, which has no
/// deepest chain.
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

#[cfg(test)]
mod tests {
    use super::{Backend, CodeError, by_choice, isa};
    use crate::ir::{Func, Module};

    #[test]
    fn remarks_say_who_made_the_code_and_why_not_another() {
        let mut func = Func::new("f", Vec::new(), None);
        func.is_lanes = true;
        let module = Module::default();
        let fails = |backend: Backend| match backend {
            Backend::Cranelift => Ok(()),
            _ => Err(CodeError::new("no code for `frem`")),
        };
        let remark = |make: &dyn Fn(Backend) -> Result<(), CodeError>| {
            by_choice(&module, &func, make).map(|(_, remark)| remark).expect("Cranelift makes it")
        };
        assert_eq!(remark(&|_| Ok(())), format!("machine code by {}", isa::backend().name()));
        let fallen = remark(&fails);
        assert!(fallen.starts_with("machine code by Cranelift"), "{fallen}");
        assert_eq!(isa::backend() != Backend::Cranelift, fallen.contains("does not cover it: no code for `frem`"));
    }
}
