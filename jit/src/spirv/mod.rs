//! The SPIR-V front end: a module becomes KIR, as OpenCL C does in `lower`, and meets it there.
//!
//! It goes straight to KIR, not through the HIR: both are control-flow graphs in SSA form whose operations say
//! themselves whether integers are signed, so that an instruction becomes an operation, a block a block and a phi a
//! block parameter; the HIR's expressions, places and conversions would be made up only to be taken apart again. What
//! both languages have in common is shared: instructions are made by `lower::emit`, builtin functions come from the
//! tables of `builtin` and are spelled out by `lower::builtin`.
//!
//! A module is not to be trusted. Whatever is wrong with it is an error with the instruction at fault; what the
//! translation itself does not look at (dominance, types of operands) the verifier of KIR finds, which every function
//! of a module passes through. Names of opcodes and enumerants are those of the `spirv` crate.
//!
//! Reading order: `words`, `lines`, `texts`, `ty`, `constant`, `late`, `module`, `function`, `inst`, `composite`,
//! `float_bits`, `memory`, `call`, `group`, `atomic`, `image`, `pipe`, `device`, `import`; `kernel` and `float` for
//! what entry points say; `text` is for people. Must not know HIR functions, passes or OpenCL objects.
//! Spec: SPIR-V; OpenCL SPIR-V Environment.

mod atomic;
mod call;
mod composite;
mod constant;
mod device;
mod float;
mod float_bits;
mod function;
mod group;
mod image;
mod import;
mod inst;
mod kernel;
mod late;
mod lines;
mod memory;
mod module;
mod pipe;
mod support;
mod text;
mod texts;
mod ty;
mod variables;
mod words;

pub use support::{CAPABILITIES, EXTENDED_SETS, EXTENSIONS, MAX_MINOR_VERSION};
pub use text::disassemble;

use crate::hir::Linkage;
use crate::ir::entity::Entity;
use crate::ir::op::Rounding;
use crate::ir::variable::{ProgramVariable, Variable};
use crate::ir::verify::{self, FuncErrors};
use crate::ir::{Func, FuncId, Global, GlobalId, Init, LocalVar, LocalVarId, Type};
use crate::launch::AddrSpace;
use crate::lower::emit::{Output, with_slack};
use crate::lower::{Extras, Lowered};
use crate::options::{OptionFlags, Options};
use crate::places::Sources;
use function::FloatMode;
use lines::{IlSource, Lines};
use module::{Function, Mode, Module, Var};
use rustc_hash::FxHashMap;
use spirv::{ExecutionMode, LinkageType, Op};
use std::sync::Arc;
use ty::Ty;
use variables::Variables;
use words::{Id, Words};

/// What is known of a module before it is built.
#[derive(Clone, Debug, Default)]
pub struct Il {
    spec_constants: Vec<(u32, usize)>,
}

impl Il {
    /// Specialisation constants: `SpecId`, and the size of a value in bytes, which is 1 for booleans.
    pub fn spec_constants(&self) -> &[(u32, usize)] {
        &self.spec_constants
    }
}

/// Looks at a module, in either byte order, without building it. Declarations that the device does not support are left
/// for the build to complain about.
///
/// # Errors
/// It is no SPIR-V, of a version that the device does not have, or broken off.
pub fn check(il: &[u8]) -> Result<Il, String> {
    let words = Words::new(il)?;
    let spec_constants = Module::read(&words, &[]).map_or_else(|_| Vec::new(), |module| module.spec_constants);
    Ok(Il { spec_constants })
}

/// True if these bytes begin as a module does, in either byte order.
pub fn is_module(il: &[u8]) -> bool {
    let first = il.first_chunk::<4>().map(|bytes| u32::from_ne_bytes(*bytes));
    first.is_some_and(|word| word == spirv::MAGIC_NUMBER || word.swap_bytes() == spirv::MAGIC_NUMBER)
}

/// Where a variable is in KIR.
#[derive(Clone, Copy, Debug)]
enum Place {
    Global(GlobalId),
    /// With the alignment that was asked for.
    Local(LocalVarId, u32),
}

/// Where things are in KIR.
#[derive(Default)]
struct Places {
    vars: FxHashMap<Id, Place>,
    funcs: FxHashMap<Id, FuncId>,
    constants: FxHashMap<Id, GlobalId>,
    /// Operands of constants that functions computed.
    late_work: usize,
    /// Blocks that functions enqueue or ask about: their kernels follow those of the module.
    blocks: Vec<device::Block>,
    /// What debuggers know of variables.
    variables: Variables,
    /// The program is told why it could not enqueue: with `-g`.
    tells_errors: bool,
}

/// A name that is used and not defined, with the message if nobody defines it.
type Undefined = (String, String);

/// What a module leaves undefined: each name, why the device does not have it, if there is more to say, and the word at
/// which it is declared. The messages name the first calls of functions.
fn undefined_names(words: &Words, names: Vec<(String, String, usize)>) -> Vec<Undefined> {
    if names.is_empty() {
        return Vec::new();
    }
    let (lines, mut calls) = (Lines::of(words), FxHashMap::default());
    for call in words.insts().filter(|inst| inst.op() == Some(Op::FunctionCall)) {
        call.word(2).into_iter().for_each(|callee| {
            calls.entry(callee).or_insert(call);
        });
    }
    let message = |(name, reason, at): (String, String, usize)| {
        let colon = if reason.is_empty() { "" } else { ": " };
        let mut message = format!("undefined reference to '{name}'{colon}{reason}");
        if let Some(declared) = words.inst_at(at) {
            let call = declared.word(1).ok().and_then(|id| calls.get(&id));
            message = lines.located(call.unwrap_or(&declared), &message);
        }
        (name, format!("error: {message}\n"))
    };
    names.into_iter().map(message).collect()
}

/// A module in KIR, with `constants` as values of specialisation constants, and what it leaves undefined; with what
/// debuggers know of its variables, if these are kept.
///
/// # Errors
/// The build log.
pub(crate) fn lower(
    il: &[u8],
    constants: &[(u32, Vec<u8>)],
    options: &Options,
    extras: Extras,
) -> Result<(Lowered, Vec<Undefined>), String> {
    translate(il, constants, options, extras).map_err(|message| format!("error: {message}\n"))
}

fn translate(
    il: &[u8],
    constants: &[(u32, Vec<u8>)],
    options: &Options,
    extras: Extras,
) -> Result<(Lowered, Vec<Undefined>), String> {
    let words = Words::new(il)?;
    let module = Module::read(&words, constants)?;
    let keeps_variables = extras.contains(Extras::VARIABLES);
    let variables = if keeps_variables { Variables::of(&words, &module.kernels) } else { Variables::default() };
    let mut unit = Unit {
        words: &words,
        module: &module,
        out: Output::new(extras),
        places: Places {
            variables,
            tells_errors: options.flags.contains(OptionFlags::DEBUG_INFO),
            ..Places::default()
        },
        undefined: Vec::new(),
    };
    let mut var_linkage = unit.variables()?;
    let mut func_linkage = unit.declare()?;
    let preserves = |mode: &Mode| mode.mode == ExecutionMode::DenormPreserve as u32;
    let preserves_denormals = module.modes.values().flatten().any(preserves);
    let program = float_mode(options);
    let modes = float::modes(&words, &module, program)?;
    let Unit { mut out, mut places, mut undefined, .. } = unit;
    for func in module.funcs.iter().filter(|func| !func.has_body) {
        let id = places.funcs[&func.id];
        match import::stand_in(&module, &mut places, &mut out, func, program) {
            Ok(body) => {
                verify::verify_in(&out.module, &body).map_err(|errors| broken(&words, func, &errors))?;
                out.module.funcs[id] = body;
                func_linkage[id.index()] = Linkage::Weak;
            }
            Err(reason) => undefined.push((out.module.funcs[id].name.clone(), reason, func.at)),
        }
    }
    for func in module.funcs.iter().filter(|func| func.has_body) {
        let id = places.funcs[&func.id];
        let float = modes.get(&func.id).copied().unwrap_or(program);
        out.module.funcs[id] = function::translate(&words, &module, &mut places, &mut out, func, float)?;
    }
    for (id, name) in &module.kernels {
        let func = module.func_of.get(id).map(|&n| &module.funcs[n]);
        let func = func.filter(|func| func.has_body).ok_or_else(|| format!("kernel '{name}' has no body"))?;
        let info = kernel::info(&module, func, name);
        let info = info.map_err(|message| lines::located_at(&words, func.at, &message))?;
        out.module.kernels.push((info, places.funcs[id]));
    }
    device::kernels(&words, &module, &places, &mut out)?;
    check_bodies(&words, &module, &places, &out)?;
    // Data that the translation made.
    var_linkage.resize(out.module.globals.len(), Some(Linkage::Internal));
    let Output { module, wanted, .. } = out;
    let undefined = undefined_names(&words, undefined);
    let mut unit = Lowered { module, wanted, func_linkage, var_linkage };
    unit.module.sources = Sources::one(Arc::new(IlSource::new(words)));
    unit.module.may_flush_denormals = options.flags.may_flush_denormals() && !preserves_denormals;
    Ok((unit, undefined))
}

/// Verifies the functions of a module, now that all kernels are there which they name.
fn check_bodies(words: &Words, module: &Module, places: &Places, out: &Output) -> Result<(), String> {
    for func in module.funcs.iter().filter(|func| func.has_body) {
        let body = &out.module.funcs[places.funcs[&func.id]];
        verify::verify_in(&out.module, body).map_err(|errors| broken(words, func, &errors))?;
    }
    Ok(())
}

/// What the options say of floating point.
fn float_mode(options: &Options) -> FloatMode {
    use crate::ir::Flags;
    let has = |flag| options.flags.contains(flag);
    let mut flags = Flags::empty();
    flags.set(Flags::CONTRACT, crate::features::has_fast_fma());
    flags.set(Flags::ARCP, has(OptionFlags::UNSAFE_MATH) && !has(OptionFlags::CORRECT_DIVIDE_SQRT));
    flags.set(Flags::NNAN, has(OptionFlags::FINITE_MATH));
    flags.set(Flags::NSZ, has(OptionFlags::NO_SIGNED_ZEROS));
    FloatMode { rm: [Rounding::Rte; 3], flags, precision: options.flags.precision() }
}

/// What the verifier found in a function, as a message with the instruction.
fn broken(words: &Words, func: &Function, errors: &FuncErrors<'_>) -> String {
    let Some(first) = errors.errors.first() else { return "the module is invalid".into() };
    let at = errors.span(first).map_or(0, |span| span.lo as usize);
    // Not all that is wrong is an instruction of the module's.
    let inst = words.insts().find(|inst| inst.at == at).or_else(|| words.inst_at(func.at));
    inst.map_or_else(|| first.message.clone(), |inst| lines::located(words, &inst, &first.message))
}

/// A module while its variables and functions are declared.
struct Unit<'m> {
    words: &'m Words,
    module: &'m Module,
    out: Output,
    places: Places,
    /// Name, reason, and word of the declaration.
    undefined: Vec<(String, String, usize)>,
}

impl Unit<'_> {
    /// Declares variables and fills them; who can use those that are not local.
    fn variables(&mut self) -> Result<Vec<Option<Linkage>>, String> {
        let (words, module) = (self.words, self.module);
        let mut linkage = Vec::new();
        for var in &module.vars {
            let declared = self.variable(var, &mut linkage);
            declared.map_err(|message| lines::located_at(words, var.at, &message))?;
        }
        for var in &module.vars {
            self.first_value(var).map_err(|message| lines::located_at(words, var.at, &message))?;
        }
        Ok(linkage)
    }

    fn variable(&mut self, var: &Var, linkage: &mut Vec<Option<Linkage>>) -> Result<(), String> {
        let module = self.module;
        let (Some(space), None) = (var.space, var.builtin) else { return Ok(()) };
        let ty = module.ty(var.ty)?;
        let name = module.linkage(var.id)?;
        let label = || module.names.get(&var.id).cloned().unwrap_or_default();
        let align = module.alignment(var.id, ty);
        let place = match space {
            AddrSpace::Local => {
                let (size, asked) = with_slack(ty.size, align);
                let mut local = LocalVar { name: label(), size, align: asked, variable: None };
                if let Some(described) = self.places.variables.module.remove(&var.id) {
                    let ProgramVariable { name, ty, declared, .. } = *described;
                    let declared = declared.into();
                    let variable = Variable::new(ty, declared);
                    (local.name, local.variable) = (name, Some(Box::new(variable)));
                }
                Place::Local(self.out.module.locals.push(local), align)
            }
            AddrSpace::Global | AddrSpace::Constant => {
                let is_import = matches!(&name, Some(link) if link.kind == LinkageType::Import);
                linkage.push(match &name {
                    Some(_) if is_import => None,
                    Some(link) if link.kind == LinkageType::Export => Some(Linkage::External),
                    _ => Some(Linkage::Internal),
                });
                let name = name.map_or_else(label, |link| link.name);
                if is_import {
                    self.undefined.push((name.clone(), String::new(), var.at));
                }
                let init = Init::default();
                let variable = self.places.variables.module.remove(&var.id);
                Place::Global(self.out.module.globals.push(Global {
                    name,
                    space,
                    size: ty.size,
                    align,
                    init,
                    variable,
                }))
            }
            _ => return Err(format!("%{} is no variable of a module: it is private", var.id)),
        };
        self.places.vars.insert(var.id, place);
        Ok(())
    }

    fn first_value(&mut self, var: &Var) -> Result<(), String> {
        let module = self.module;
        if let (Some(init), Some(&Place::Global(global))) = (var.init, self.places.vars.get(&var.id)) {
            // A variable stands for its address.
            let size = module.constants.get(&init).map_or(Ok(8), |init| module.ty(init.ty).map(|ty| ty.size))?;
            if size != self.out.module.globals[global].size {
                return Err(format!("%{init} does not have the type of the variable %{}", var.id));
            }
            self.out.module.globals[global].init = self.places.contents(module, init)?;
        }
        Ok(())
    }

    /// Declares functions; who can call them.
    fn declare(&mut self) -> Result<Vec<Linkage>, String> {
        let module = self.module;
        let mut linkage = Vec::with_capacity(module.funcs.len());
        let kernels: FxHashMap<Id, &String> = module.kernels.iter().map(|(id, name)| (*id, name)).collect();
        for func in &module.funcs {
            let kernel = kernels.get(&func.id).copied();
            // Front ends may export the function that a kernel of the same name wraps.
            let is_wrapped = |name: &str| module.kernel_names.contains(name);
            let link = module.linkage(func.id).map_err(|message| lines::located_at(self.words, func.at, &message))?;
            let link = link.filter(|link| !is_wrapped(&link.name));
            linkage.push(match (&kernel, &link) {
                (Some(_), _) => Linkage::External,
                (None, Some(link)) if link.kind == LinkageType::LinkOnceODR => Linkage::Inline,
                (None, Some(_)) => Linkage::External,
                (None, None) => Linkage::Internal,
            });
            let label = || module.names.get(&func.id).cloned().unwrap_or_else(|| format!("f{}", func.id));
            let name = kernel.cloned().or(link.map(|link| link.name)).unwrap_or_else(label);
            let (params, ret) = signature(module, func, kernel.is_some())
                .map_err(|message| lines::located_at(self.words, func.at, &message))?;
            let mut declared = Func::declaration(name, params, ret);
            declared.is_kernel = kernel.is_some();
            let id = self.out.module.funcs.push(declared);
            self.places.funcs.insert(func.id, id);
        }
        Ok(linkage)
    }
}

/// KIR's parameters and result of a function: as for OpenCL C, so that both can call each other.
fn signature(module: &Module, func: &Function, is_kernel: bool) -> Result<(Vec<Type>, Option<Type>), String> {
    let by_reference = Type::ptr(if is_kernel { AddrSpace::Constant } else { AddrSpace::Private });
    let ret = module.ty(func.ret)?;
    if is_kernel && (ret.value.is_some() || ret.is_aggregate()) {
        return Err("a kernel has no result".into());
    }
    let mut params = Vec::new();
    if ret.is_aggregate() {
        params.push(Type::ptr(AddrSpace::Private));
    } else if ret.value.is_none() && ret.size > 0 {
        return Err("functions have no results of this type".into());
    }
    for &(id, ty) in &func.params {
        let of = module.ty(ty)?;
        params.push(match of.value {
            _ if module.by_value(id, ty).is_some() || of.is_aggregate() => by_reference,
            Some(value) => value,
            None => return Err(format!("parameter %{id} has a type without values")),
        });
    }
    Ok((params, ret.value))
}

impl Places {
    /// A constant as the contents of a variable.
    fn contents(&self, module: &Module, id: Id) -> Result<Init, String> {
        let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
        module.bytes(id, 0, &mut bytes, &mut |at, to, add| addresses.push((at, to, add)))?;
        let mut relocs = Vec::with_capacity(addresses.len());
        for (at, to, add) in addresses {
            match self.vars.get(&to) {
                Some(&Place::Global(global)) => relocs.push((at, global, add)),
                _ => return Err(format!("the address of %{to} is no constant")),
            }
        }
        Ok(Init { bytes, relocs })
    }

    /// The variable that holds a struct or array constant.
    fn constant(&mut self, module: &Module, out: &mut Output, id: Id, ty: &Ty) -> Result<GlobalId, String> {
        if let Some(&known) = self.constants.get(&id) {
            return Ok(known);
        }
        let init = self.contents(module, id)?;
        let (space, size, align) = (AddrSpace::Constant, ty.size, ty.align);
        let global = out.module.globals.push(Global { name: String::new(), space, size, align, init, variable: None });
        self.constants.insert(id, global);
        Ok(global)
    }
}
