//! What a module says of a kernel from outside: arguments, and sizes from execution modes. Spec: OpenCL SPIR-V
//! Environment, "Validation Rules"; OpenCL API, "Kernel Object Queries", where attributes are only for OpenCL C.

use super::module::{Function, Mode, Module};
use super::ty::{Kind, Ty};
use super::words::Id;
use crate::ir::Scalar;
use crate::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo};
use crate::target::SUB_GROUP_SIZES;
use spirv::{Decoration, ExecutionMode, FunctionParameterAttribute};

/// Bytes of arguments that a kernel may have: far more than `CL_DEVICE_MAX_PARAMETER_SIZE` promises.
const MAX_ARG_BYTES: usize = 1 << 20;

/// A kernel's metadata.
///
/// # Errors
/// A parameter or an execution mode that kernels do not have.
pub fn info(module: &Module, func: &Function, name: &str) -> Result<KernelInfo, String> {
    let types = written(module, "kernel_arg_type", name);
    let quals = written(module, "kernel_arg_type_qual", name);
    let mut info = KernelInfo { name: name.to_owned(), ..KernelInfo::default() };
    for (n, &(id, ty)) in func.params.iter().enumerate() {
        let (kind, object) = argument(module, id, ty)?;
        let of = module.ty(object)?;
        let offset = info.arg_block_bytes.next_multiple_of(of.align as usize);
        let size = of.size as usize;
        info.arg_block_bytes = offset.saturating_add(size);
        if info.arg_block_bytes > MAX_ARG_BYTES {
            return Err(format!("the arguments of kernel '{name}' take more than {MAX_ARG_BYTES} bytes"));
        }
        let has = |word: &str| quals.get(n).is_some_and(|quals| quals.split(' ').any(|q| q == word));
        let attribute = |attribute| module.has_attribute(id, attribute);
        let is_pointer = matches!(kind, ArgKind::Buffer { .. } | ArgKind::Local);
        let is_constant = kind == ArgKind::Buffer { space: AddrSpace::Constant };
        info.args.push(ArgInfo {
            name: module.names.get(&id).cloned().unwrap_or_default(),
            type_name: types.get(n).map_or_else(|| type_name(module, ty), |&name| name.to_owned()),
            kind,
            offset,
            size,
            is_const: is_pointer && (has("const") || is_constant || attribute(FunctionParameterAttribute::NoWrite)),
            is_restrict: is_pointer && (has("restrict") || attribute(FunctionParameterAttribute::NoAlias)),
            is_volatile: is_pointer && (has("volatile") || module.decoration(id, Decoration::Volatile).is_some()),
            streamed_bytes: 0,
        });
    }
    for mode in module.modes.get(&func.id).map_or(&[][..], |modes| modes) {
        attribute(module, mode, &mut info)?;
    }
    Ok(info)
}

/// What the host passes for a parameter, and the type of what is in the argument block.
fn argument(module: &Module, id: Id, ty: Id) -> Result<(ArgKind, Id), String> {
    let of = module.ty(ty)?;
    let kind = match of.kind {
        Kind::Pointer { space: Some(AddrSpace::Private), pointee: Some(pointee) } => {
            module.by_value(id, ty).ok_or("a kernel's private pointer is no struct by value")?;
            return Ok((ArgKind::Value, pointee));
        }
        Kind::Pointer { space: Some(AddrSpace::Local), .. } => ArgKind::Local,
        Kind::Pointer { space: Some(space @ (AddrSpace::Global | AddrSpace::Constant)), .. } => {
            ArgKind::Buffer { space }
        }
        Kind::Image { shape, access } => ArgKind::Image { shape, access },
        Kind::Sampler => ArgKind::Sampler,
        Kind::Pipe { access } => ArgKind::Pipe { access },
        Kind::Queue => ArgKind::Queue,
        Kind::Int | Kind::Float | Kind::Vector { .. } | Kind::Struct { .. } | Kind::Array { .. }
            if of.scalar() != Some(Scalar::I1) =>
        {
            ArgKind::Value
        }
        _ => return Err("kernels have no parameters of this type".into()),
    };
    Ok((kind, ty))
}

/// The list that front ends leave in a string: `what.kernel.int*,float,`.
fn written<'m>(module: &'m Module, what: &str, kernel: &str) -> Vec<&'m str> {
    let prefix = format!("{what}.{kernel}.");
    let list = module.descriptions.range(prefix.clone()..).next().and_then(|text| text.strip_prefix(&prefix));
    let list = list.map(|list| list.strip_suffix(',').unwrap_or(list));
    list.map_or_else(Vec::new, |list| list.split(',').collect())
}

/// The name of a type in OpenCL C; SPIR-V's integers have no sign.
fn type_name(module: &Module, ty: Id) -> String {
    let Some(Ty { kind, value, .. }) = module.types.get(&ty) else { return String::new() };
    let scalar = |scalar: Option<Scalar>| match scalar {
        Some(Scalar::I1) => "bool",
        Some(Scalar::I8) => "char",
        Some(Scalar::I16) => "short",
        Some(Scalar::I32) => "int",
        Some(Scalar::I64) => "long",
        Some(Scalar::F16) => "half",
        Some(Scalar::F32) => "float",
        Some(Scalar::F64) => "double",
        _ => "void",
    };
    match kind {
        Kind::Pointer { pointee: Some(pointee), .. } => match module.types.get(pointee).map(|ty| &ty.kind) {
            // One level: forward pointers make circles.
            Some(Kind::Pointer { .. }) => "void**".into(),
            _ => format!("{}*", type_name(module, *pointee)),
        },
        Kind::Pointer { .. } => "void*".into(),
        Kind::Vector { lanes, .. } => format!("{}{lanes}", scalar(value.map(|ty| ty.elem))),
        Kind::Image { shape, .. } => shape.name().into(),
        Kind::Sampler => "sampler_t".into(),
        Kind::Queue => "queue_t".into(),
        Kind::Struct { .. } | Kind::Array { .. } => {
            module.names.get(&ty).map_or("struct", |name| name.trim_start_matches("struct.")).to_owned()
        }
        _ => scalar(value.map(|ty| ty.elem)).to_owned(),
    }
}

/// Three sizes, given as numbers or as constants.
fn sizes(module: &Module, mode: &Mode) -> Result<[u64; 3], String> {
    let &[x, y, z] = &mode.operands[..] else { return Err("a size has three dimensions".into()) };
    let size = |word: u32| if mode.is_id { module.int(word) } else { Ok(u64::from(word)) };
    let sizes = [size(x)?, size(y)?, size(z)?];
    if sizes.contains(&0) { Err("a work-group size is zero".into()) } else { Ok(sizes) }
}

fn attribute(module: &Module, mode: &Mode, info: &mut KernelInfo) -> Result<(), String> {
    match ExecutionMode::from_u32(mode.mode) {
        Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) => {
            info.reqd_work_group_size = Some(sizes(module, mode)?);
        }
        Some(ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId) => {
            info.work_group_size_hint = Some(sizes(module, mode)?);
        }
        Some(ExecutionMode::SubgroupSize) => {
            let size = mode.operands.first().copied().unwrap_or(0);
            let size = u8::try_from(size).ok().filter(|size| SUB_GROUP_SIZES.contains(size));
            let size = size.ok_or_else(|| format!("sub-groups have one of the sizes {SUB_GROUP_SIZES:?}"))?;
            info.reqd_sub_group_size = Some(size);
        }
        Some(ExecutionMode::Initializer | ExecutionMode::Finalizer) => {
            return Err("initializer and finalizer kernels are not supported".into());
        }
        Some(ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupsPerWorkgroupId) => {
            return Err("a number of sub-groups for each work-group is not supported".into());
        }
        // The others are read where functions are translated, or are hints.
        _ => {}
    }
    Ok(())
}
