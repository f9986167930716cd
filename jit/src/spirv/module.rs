//! What a module declares outside its functions' bodies: names, decorations, entry points, types, constants, variables,
//! functions. One pass over all instructions; bodies are left for `function`. Spec: SPIR-V, "Logical Layout of a
//! Module". Must not know KIR functions.

use super::constant::{Const, Constant};
use super::ty::{Kind, Ty};
use super::words::{Id, Inst, Words};
use super::{CAPABILITIES, EXTENDED_SETS, EXTENSIONS, lines};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Capability, Decoration, ExecutionModel, FunctionParameterAttribute, LinkageType, Op};
use std::collections::BTreeSet;
use std::iter;

/// A module's declarations.
#[derive(Default)]
pub struct Module {
    /// Types by id.
    pub types: FxHashMap<Id, Ty>,
    /// Constants by id.
    pub constants: FxHashMap<Id, Constant>,
    /// Variables outside functions, in order.
    pub vars: Vec<Var>,
    /// Where a variable is in `vars`.
    pub var_of: FxHashMap<Id, usize>,
    /// Functions in order.
    pub funcs: Vec<Function>,
    /// Where a function is in `funcs`.
    pub func_of: FxHashMap<Id, usize>,
    /// Kernels in order: function and name.
    pub kernels: Vec<(Id, String)>,
    /// Execution modes of kernels: mode and operands, which are ids for `OpExecutionModeId`.
    pub modes: FxHashMap<Id, Vec<Mode>>,
    /// Names for people.
    pub names: FxHashMap<Id, String>,
    /// Strings in which front ends describe kernels, in order.
    pub descriptions: BTreeSet<String>,
    /// Whether `FPFastMathMode` says all about contraction.
    pub has_float_controls2: bool,
    /// Imported instruction sets.
    pub sets: FxHashMap<Id, Set>,
    /// Specialisation constants: `SpecId`, and bytes of the value.
    pub spec_constants: Vec<(u32, usize)>,
    /// Operands of each decoration of a result or of a group.
    decorations: FxHashMap<(Id, u32), Vec<Vec<u32>>>,
    /// Groups of decorations that a result has as well.
    groups: FxHashMap<Id, Vec<Id>>,
    /// Names of kernels.
    pub kernel_names: FxHashSet<String>,
    /// Pointer types that are announced.
    forward: FxHashSet<Id>,
    /// Parts of constants that insertions have copied.
    pub(super) parts_copied: u64,
    /// Whether there are constants that functions compute.
    pub(super) has_late: bool,
    /// Constants that the module has no ids for.
    pub(super) n_anonymous: u32,
    /// Nulls of types, among them.
    pub(super) nulls: FxHashMap<Id, Id>,
    /// Values that the program was given for specialisation constants, by `SpecId`.
    chosen: FxHashMap<u32, u64>,
}

/// An execution mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Number of the mode.
    pub mode: u32,
    /// Its operands.
    pub operands: Vec<u32>,
    /// True if the operands are ids of constants.
    pub is_id: bool,
}

/// An imported set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// `OpenCL.std`
    OpenCl,
    /// Instructions without a meaning for execution.
    NonSemantic,
}

/// What the implementation fills a variable with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// What SPIR-V's headers have.
    Known(BuiltIn),
    /// `DeviceBarrierValidINTEL`. Spec: SPV_INTEL_device_barrier.
    DeviceBarrierValid,
}

/// The number of `Filled::DeviceBarrierValid`.
const DEVICE_BARRIER_VALID: u32 = 6186;

/// A variable outside functions.
pub struct Var {
    /// Its id.
    pub id: Id,
    /// Type of the pointer to it.
    pub pointer: Id,
    /// Type of the object.
    pub ty: Id,
    /// Where it lies; none for variables that the implementation fills.
    pub space: Option<AddrSpace>,
    /// Id of its first value.
    pub init: Option<Id>,
    /// What the implementation fills it with.
    pub builtin: Option<Filled>,
    /// Word at which it is declared.
    pub at: usize,
}

/// A function.
pub struct Function {
    /// Its id.
    pub id: Id,
    /// Type of the result.
    pub ret: Id,
    /// Parameters: id and type.
    pub params: Vec<(Id, Id)>,
    /// Word at which the instruction behind the parameters begins.
    pub body: usize,
    /// True if there are blocks.
    pub has_body: bool,
    /// Word at which it is declared.
    pub at: usize,
}

/// A name that other modules see.
pub struct Linkage {
    /// The name.
    pub name: String,
    /// Whose definition it is.
    pub kind: LinkageType,
}

impl Module {
    /// Reads a module's declarations; `chosen` are values of specialisation constants by their `SpecId`.
    ///
    /// # Errors
    /// What is wrong, with the instruction.
    pub fn read(words: &Words, chosen: &[(u32, Vec<u8>)]) -> Result<Self, String> {
        let value = |bytes: &[u8]| bytes.iter().rev().take(8).fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        let chosen = chosen.iter().map(|(id, bytes)| (*id, value(bytes))).collect();
        let mut module = Self { chosen, ..Self::default() };
        let mut open = None;
        for inst in words.insts() {
            let known = match inst.ids().iter().find(|&&id| id == 0 || id >= words.bound()) {
                Some(id) => Err(format!("%{id} is not between 0 and the bound {}", words.bound())),
                None => Ok(()),
            };
            let read = known.and_then(|()| module.read_inst(&inst, &mut open));
            read.map_err(|message| lines::located(words, &inst, &message))?;
        }
        match open {
            Some(_) => Err("the module ends inside a function".into()),
            None => Ok(module),
        }
    }

    /// Reads an instruction. `open` is the function that it stands in: whether its body has begun.
    fn read_inst(&mut self, inst: &Inst, open: &mut Option<bool>) -> Result<(), String> {
        let Some(op) = inst.op() else { return Err("unknown instruction".into()) };
        match (op, &*open) {
            (Op::Function, None) => {
                let func = Function {
                    ret: inst.word(0)?,
                    id: inst.word(1)?,
                    params: Vec::new(),
                    body: inst.end(),
                    has_body: false,
                    at: inst.at,
                };
                inst.word(3)?;
                if self.func_of.insert(func.id, self.funcs.len()).is_some() {
                    return Err(format!("%{} is defined twice", func.id));
                }
                self.funcs.push(func);
                *open = Some(false);
            }
            (Op::FunctionParameter, Some(false)) => {
                let param = (inst.word(1)?, inst.word(0)?);
                let func = self.funcs.last_mut().ok_or("a parameter without a function")?;
                func.params.push(param);
                func.body = inst.end();
            }
            (Op::FunctionEnd, Some(_)) => *open = None,
            (Op::Label, Some(_)) => {
                *open = Some(true);
                if let Some(func) = self.funcs.last_mut() {
                    func.has_body = true;
                }
            }
            (Op::Line | Op::NoLine, _) => {}
            (_, Some(true)) => {}
            (_, Some(false)) => return Err("a function begins with a block".into()),
            (_, None) => self.declare(op, inst)?,
        }
        Ok(())
    }

    /// An instruction outside functions.
    fn declare(&mut self, op: Op, inst: &Inst) -> Result<(), String> {
        match op {
            Op::Capability => {
                let number = inst.word(0)?;
                if !CAPABILITIES.contains(&number) {
                    let name = spirv::Capability::from_u32(number).map_or(number.to_string(), |c| format!("{c:?}"));
                    return Err(format!("the device does not have capability {name}"));
                }
                self.has_float_controls2 |= number == Capability::FloatControls2 as u32;
            }
            Op::Extension => {
                let (name, _) = inst.string(0)?;
                if !EXTENSIONS.contains(&name.as_str()) {
                    return Err(format!("the device does not have extension {name}"));
                }
            }
            Op::ExtInstImport => {
                let (name, _) = inst.string(1)?;
                let set = match name.as_str() {
                    "OpenCL.std" => Set::OpenCl,
                    name if EXTENDED_SETS.contains(&name) || name.starts_with("NonSemantic.") => Set::NonSemantic,
                    _ => return Err(format!("the instruction set '{name}' is not supported")),
                };
                self.sets.insert(inst.word(0)?, set);
            }
            Op::MemoryModel => match (inst.word(0)?, inst.word(1)?) {
                (2, 2) => {}
                (0 | 1, 2) => return Err("the device has 64-bit addresses (Physical64)".into()),
                _ => return Err("kernels have the memory model OpenCL and physical addresses".into()),
            },
            Op::EntryPoint => {
                if ExecutionModel::from_u32(inst.word(0)?) != Some(ExecutionModel::Kernel) {
                    return Err("an entry point is no kernel".into());
                }
                let (name, _) = inst.string(2)?;
                if !self.kernel_names.insert(name.clone()) {
                    return Err(format!("kernel '{name}' is defined twice"));
                }
                self.kernels.push((inst.word(1)?, name));
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                let (mode, operands) = (inst.word(1)?, inst.rest(2).to_vec());
                let mode = Mode { mode, operands, is_id: op == Op::ExecutionModeId };
                self.modes.entry(inst.word(0)?).or_default().push(mode);
            }
            Op::String => {
                let text = inst.text(1)?;
                if text.starts_with("kernel_arg_type") {
                    self.descriptions.insert(text);
                }
            }
            Op::Name => {
                self.names.insert(inst.word(0)?, inst.text(1)?);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let key = (inst.word(0)?, inst.word(1)?);
                self.decorations.entry(key).or_default().push(inst.rest(2).to_vec());
            }
            Op::GroupDecorate => {
                let group = inst.word(0)?;
                for &target in inst.rest(1) {
                    self.groups.entry(target).or_default().push(group);
                }
            }
            Op::Variable | Op::UntypedVariableKHR => self.variable(op, inst)?,
            Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::MemberName
            | Op::MemberDecorate
            | Op::MemberDecorateString
            | Op::GroupMemberDecorate
            | Op::DecorationGroup
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL => {}
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR if self.sets.get(&inst.word(2)?) == Some(&Set::NonSemantic) => {
            }
            _ => match self.type_declared(op, inst)? {
                Some((id, ty)) => {
                    let is_pointer = matches!(ty.kind, Kind::Pointer { .. });
                    // What an announced pointer is in memory is known before it is declared.
                    let is_free = !self.types.contains_key(&id) || self.forward.remove(&id) && is_pointer;
                    if !is_free {
                        return Err(format!("%{id} is defined twice"));
                    }
                    self.types.insert(id, ty);
                    if op == Op::TypeForwardPointer {
                        self.forward.insert(id);
                    }
                }
                None => self.constant_declared(op, inst)?,
            },
        }
        Ok(())
    }

    /// The type that an instruction declares, if it declares one.
    fn type_declared(&self, op: Op, inst: &Inst) -> Result<Option<(Id, Ty)>, String> {
        let ty = match op {
            Op::TypeVoid => Ty::valueless(Kind::Void),
            Op::TypeBool => Ty::bool(),
            Op::TypeInt => Ty::int(inst.word(1)?)?,
            Op::TypeFloat => match inst.words.get(2) {
                None => Ty::float(inst.word(1)?)?,
                Some(_) => return Err("floats of other encodings than IEEE 754 are not supported".into()),
            },
            Op::TypeVector => Ty::vector(inst.word(1)?, self.ty(inst.word(1)?)?, inst.word(2)?)?,
            Op::TypeArray => {
                let elem = inst.word(1)?;
                Ty::array(elem, self.ty(elem)?, self.int(inst.word(2)?)?)?
            }
            Op::TypeStruct => {
                let members: Vec<Id> = inst.rest(1).to_vec();
                let types: Result<Vec<(Id, &Ty)>, String> =
                    members.iter().map(|&id| self.ty(id).map(|ty| (id, ty))).collect();
                Ty::record(&types?, self.decoration(inst.word(0)?, Decoration::CPacked).is_some())?
            }
            Op::TypePointer => Ty::pointer(inst.word(1)?, Some(inst.word(2)?))?,
            Op::TypeUntypedPointerKHR => Ty::pointer(inst.word(1)?, None)?,
            Op::TypeForwardPointer => Ty::pointer(inst.word(1)?, None)?,
            Op::TypeFunction => Ty::valueless(Kind::Function),
            Op::TypeImage => Ty::image(inst.rest(2))?,
            Op::TypeSampledImage => Ty::opaque(Kind::SampledImage),
            Op::TypeSampler => Ty::opaque(Kind::Sampler),
            Op::TypeEvent => Ty::opaque(Kind::Event),
            Op::TypePipe => Ty::pipe(inst.word(1)?)?,
            Op::TypeReserveId => Ty::opaque(Kind::ReserveId),
            Op::TypePipeStorage => return Err("pipes in program scope are not supported".into()),
            Op::TypeQueue => Ty::opaque(Kind::Queue),
            Op::TypeDeviceEvent => Ty::opaque(Kind::DeviceEvent),
            // Pointers may lead to it.
            Op::TypeOpaque => Ty::valueless(Kind::Void),
            Op::TypeRuntimeArray | Op::TypeMatrix | Op::TypeNamedBarrier => {
                return Err("kernels have no values of this type".into());
            }
            _ => return Ok(None),
        };
        Ok(Some((inst.word(0)?, ty)))
    }

    fn variable(&mut self, op: Op, inst: &Inst) -> Result<(), String> {
        let (id, pointer) = (inst.word(1)?, self.ty(inst.word(0)?)?);
        let Kind::Pointer { space, pointee } = pointer.kind else { return Err("no pointer type".into()) };
        let (ty, init) = match op {
            Op::UntypedVariableKHR => (inst.words.get(3).copied(), inst.words.get(4).copied()),
            _ => (pointee, inst.words.get(3).copied()),
        };
        let ty = ty.ok_or("a variable without a type")?;
        let size = self.object(ty)?.size;
        if size == 0 && !self.ty(ty)?.is_aggregate() {
            return Err("a variable of this type has no size".into());
        }
        // Whatever memory front ends put these variables into.
        let builtin = match self.decoration(id, Decoration::BuiltIn) {
            Some(&[DEVICE_BARRIER_VALID, ..]) => Some(Filled::DeviceBarrierValid),
            Some(&[number, ..]) => {
                Some(BuiltIn::from_u32(number).map(Filled::Known).ok_or("unknown built-in variable")?)
            }
            Some(_) => return Err("a built-in variable without a number".into()),
            None if space.is_none() => return Err("an input variable that is no built-in".into()),
            None => None,
        };
        if self.var_of.insert(id, self.vars.len()).is_some() {
            return Err(format!("%{id} is defined twice"));
        }
        self.vars.push(Var { id, pointer: inst.word(0)?, ty, space, init, builtin, at: inst.at });
        Ok(())
    }

    /// A constant, or an instruction that does not belong here.
    fn constant_declared(&mut self, op: Op, inst: &Inst) -> Result<(), String> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let mut value = self.constant_value(op, inst, ty)?;
        let lanes = self.ty(ty)?.value.map_or(0, |ty| usize::from(ty.lanes));
        if matches!(&value, Const::Lanes(found) if found.len() != lanes) {
            return Err("the value does not have the type of the result".into());
        }
        if matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
            && let Some(&[number, ..]) = self.decoration(id, Decoration::SpecId)
        {
            let (size, scalar) = (self.ty(ty)?.size, self.ty(ty)?.scalar());
            self.spec_constants.push((number, size as usize));
            if let (Some(&bits), Some(scalar)) = (self.chosen.get(&number), scalar) {
                let bits = if scalar.bits() == 1 { u64::from(bits & 0xff != 0) } else { bits };
                value = Const::scalar(scalar, bits);
            }
        }
        if self.constants.insert(id, Constant { ty, value }).is_some() {
            return Err(format!("%{id} is defined twice"));
        }
        Ok(())
    }

    /// A type.
    ///
    /// # Errors
    /// The id is none of a type declared so far.
    pub fn ty(&self, id: Id) -> Result<&Ty, String> {
        self.types.get(&id).ok_or_else(|| format!("%{id} is no type"))
    }

    /// The type of an object that is to have a place.
    ///
    /// # Errors
    /// It is no type, or too large a one.
    pub fn object(&self, id: Id) -> Result<&Ty, String> {
        let ty = self.ty(id)?;
        if ty.size > MAX_OBJECT_BYTES {
            return Err(format!("an object of {} bytes is too large", ty.size));
        }
        Ok(ty)
    }

    /// The operands of a decoration that a result has.
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&[u32]> {
        self.decorations_of(id, decoration).next()
    }

    /// The operands of each decoration of a kind that a result has.
    pub fn decorations_of(&self, id: Id, decoration: Decoration) -> impl Iterator<Item = &[u32]> {
        let groups = self.groups.get(&id).into_iter().flatten().copied();
        let lists = iter::once(id).chain(groups).filter_map(move |id| self.decorations.get(&(id, decoration as u32)));
        lists.flatten().map(|operands| &operands[..])
    }

    /// Whether the function parameter has an attribute.
    pub fn has_attribute(&self, param: Id, attribute: FunctionParameterAttribute) -> bool {
        self.decorations_of(param, Decoration::FuncParamAttr).any(|words| words.first() == Some(&(attribute as u32)))
    }

    /// For a parameter that is a struct handed over by value, behind a pointer of this type: the struct's type.
    pub fn by_value(&self, param: Id, ty: Id) -> Option<Id> {
        match self.types.get(&ty)?.kind {
            Kind::Pointer { space: Some(AddrSpace::Private), pointee }
                if self.has_attribute(param, FunctionParameterAttribute::ByVal) =>
            {
                pointee
            }
            _ => None,
        }
    }

    /// Alignment in bytes of a variable of this type: more than the type's where a decoration asks for it.
    pub fn alignment(&self, id: Id, ty: &Ty) -> u32 {
        let asked = self.decoration(id, Decoration::Alignment).and_then(|words| words.first().copied());
        let asked = asked.filter(|align| align.is_power_of_two() && *align <= MAX_ALIGN);
        ty.align.max(asked.unwrap_or(1))
    }

    /// The name under which other modules see a result.
    ///
    /// # Errors
    /// The decoration is malformed.
    pub fn linkage(&self, id: Id) -> Result<Option<Linkage>, String> {
        let Some(operands) = self.decoration(id, Decoration::LinkageAttributes) else { return Ok(None) };
        let (name, next) = Inst { at: 0, opcode: 0, words: operands }.string(0)?;
        let kind = operands.get(next).and_then(|&kind| LinkageType::from_u32(kind)).ok_or("unknown linkage")?;
        Ok(Some(Linkage { name, kind }))
    }
}

/// Bytes of the largest variable, as in OpenCL C.
const MAX_OBJECT_BYTES: u64 = 1 << 30;

/// Largest alignment that a variable gets.
const MAX_ALIGN: u32 = 4096;
