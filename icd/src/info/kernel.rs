//! `clGetKernelInfo`, `clGetKernelArgInfo` and `clGetKernelWorkGroupInfo`. Spec: "Kernel Object Queries".

use super::{InfoWriter, Written, info_rows};
use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_jit::image::ImageAccess;
use clift_jit::target::sub_group_size;
use clift_jit::{AddrSpace, ArgInfo, ArgKind};
use clift_runtime::device::Device;
use clift_runtime::kernel::Kernel;
use clift_runtime::object::{Obj, Object};

info_rows! {
    /// Every kernel query.
    ROWS: Object<Kernel>;
    CL_KERNEL_FUNCTION_NAME => |k, w| w.text(&k.info().name);
    CL_KERNEL_NUM_ARGS => |k, w| w.put(&(k.info().args.len() as u32));
    CL_KERNEL_REFERENCE_COUNT => |k, w| w.put(&k.reference_count());
    CL_KERNEL_CONTEXT => |k, w| w.object(k.program().context());
    CL_KERNEL_PROGRAM => |k, w| w.object(k.program());
    CL_KERNEL_ATTRIBUTES => |k, w| w.text(&k.info().attributes);
}

info_rows! {
    /// Every argument query.
    ARG_ROWS: ArgInfo;
    CL_KERNEL_ARG_ADDRESS_QUALIFIER => |a, w| w.put(&address_qualifier(a));
    CL_KERNEL_ARG_ACCESS_QUALIFIER => |a, w| w.put(&access_qualifier(a));
    CL_KERNEL_ARG_TYPE_NAME => |a, w| w.text(&a.type_name);
    CL_KERNEL_ARG_TYPE_QUALIFIER => |a, w| w.put(&type_qualifier(a));
    CL_KERNEL_ARG_NAME => |a, w| w.text(&a.name);
}

/// A kernel on a device.
pub struct OnDevice {
    /// The kernel.
    pub kernel: Obj<Kernel>,
    /// The device.
    pub device: Obj<Device>,
}

info_rows! {
    /// Every work-group query.
    WORK_GROUP_ROWS: OnDevice;
    CL_KERNEL_GLOBAL_WORK_SIZE => |_, _| fail(Status::InvalidValue, "param_name is CL_KERNEL_GLOBAL_WORK_SIZE and kernel is not a built-in kernel");
    CL_KERNEL_WORK_GROUP_SIZE => |k, w| w.put(&k.kernel.max_work_group_size(&k.device));
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE => compile_work_group_size;
    CL_KERNEL_LOCAL_MEM_SIZE => |k, w| w.put(&k.kernel.local_mem_size());
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => |k, w| {
        w.put(&k.kernel.preferred_work_group_size_multiple(&k.device))
    };
    CL_KERNEL_PRIVATE_MEM_SIZE => |k, w| w.put(&(k.kernel.info().private_bytes as u64));
    CL_KERNEL_SPILL_MEM_SIZE_INTEL => |k, w| w.put(&(k.kernel.stack_bytes()? as u64));
}

/// A query about a kernel's sub-groups on a device.
pub struct SubGroups {
    /// The kernel.
    pub kernel: Obj<Kernel>,
    /// The device.
    pub device: Obj<Device>,
    /// What the query is given: the local size, or a number of sub-groups.
    pub input: Vec<usize>,
    /// Dimensions of a local size that is asked for.
    pub dims: usize,
}

impl SubGroups {
    /// Most work-items of a sub-group.
    fn size(&self) -> usize {
        usize::from(sub_group_size(self.kernel.info()))
    }

    /// Work-items of a group of the given local size.
    fn items(&self) -> Result<usize> {
        ensure!(matches!(self.input.len(), 1..=3), InvalidValue, "input_value is no local size of 1 to 3 dimensions");
        Ok(self.input.iter().fold(1, |n, &size| n.saturating_mul(size)))
    }
}

info_rows! {
    /// Every query about sub-groups.
    SUB_GROUP_ROWS: SubGroups;
    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => |s, w| {
        s.items()?;
        w.put(&s.size())
    };
    CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => |s, w| w.put(&s.items()?.div_ceil(s.size()));
    CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => local_size_for_count;
    CL_KERNEL_MAX_NUM_SUB_GROUPS => |s, w| w.put(&s.kernel.max_work_group_size(&s.device).div_ceil(s.size()));
    CL_KERNEL_COMPILE_NUM_SUB_GROUPS => |_, w| w.put(&0usize);
    CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => |s, w| {
        w.put(&s.kernel.info().reqd_sub_group_size.map_or(0, usize::from))
    };
}

/// One row of work-items, whole sub-groups; zeros if no group has so many.
fn local_size_for_count(query: &SubGroups, writer: &mut InfoWriter) -> Result<Written> {
    let &[count] = &query.input[..] else {
        return fail(Status::InvalidValue, "input_value is not one size_t");
    };
    let items = count.saturating_mul(query.size());
    let required = query.kernel.info().reqd_work_group_size;
    let fits = items > 0
        && items <= query.kernel.max_work_group_size(&query.device)
        && required.is_none_or(|size| size == [items as u64, 1, 1]);
    let mut size = vec![usize::from(fits); query.dims];
    size[0] = if fits { items } else { 0 };
    writer.put(&size[..])
}

fn compile_work_group_size(on: &OnDevice, writer: &mut InfoWriter) -> Result<Written> {
    let size = on.kernel.info().reqd_work_group_size.unwrap_or([0; 3]);
    writer.put(&size.map(|n| n as usize)[..])
}

fn address_qualifier(arg: &ArgInfo) -> cl::cl_uint {
    match arg.kind {
        ArgKind::Buffer { space: AddrSpace::Constant } => cl::CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgKind::Buffer { .. } | ArgKind::Image { .. } | ArgKind::Pipe { .. } => cl::CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgKind::Local => cl::CL_KERNEL_ARG_ADDRESS_LOCAL,
        ArgKind::Value | ArgKind::Sampler | ArgKind::Queue => cl::CL_KERNEL_ARG_ADDRESS_PRIVATE,
    }
}

/// `CL_KERNEL_ARG_ACCESS_QUALIFIER`.
fn access_qualifier(arg: &ArgInfo) -> cl::cl_uint {
    match arg.kind {
        ArgKind::Image { access: ImageAccess::Read, .. } | ArgKind::Pipe { access: ImageAccess::Read } => {
            cl::CL_KERNEL_ARG_ACCESS_READ_ONLY
        }
        ArgKind::Image { access: ImageAccess::Write, .. } | ArgKind::Pipe { access: ImageAccess::Write } => {
            cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY
        }
        ArgKind::Image { access: ImageAccess::ReadWrite, .. } => cl::CL_KERNEL_ARG_ACCESS_READ_WRITE,
        _ => cl::CL_KERNEL_ARG_ACCESS_NONE,
    }
}

/// "CL_KERNEL_ARG_TYPE_NONE is returned for all parameters passed by value"; a pointer to `constant` is also const.
fn type_qualifier(arg: &ArgInfo) -> cl::cl_bitfield {
    let is_pointer = matches!(arg.kind, ArgKind::Buffer { .. } | ArgKind::Local);
    if matches!(arg.kind, ArgKind::Pipe { .. }) {
        return cl::CL_KERNEL_ARG_TYPE_PIPE;
    }
    if !is_pointer {
        return cl::CL_KERNEL_ARG_TYPE_NONE;
    }
    let is_constant = matches!(arg.kind, ArgKind::Buffer { space: AddrSpace::Constant });
    let qualifiers = [
        (arg.is_const || is_constant, cl::CL_KERNEL_ARG_TYPE_CONST),
        (arg.is_restrict, cl::CL_KERNEL_ARG_TYPE_RESTRICT),
        (arg.is_volatile, cl::CL_KERNEL_ARG_TYPE_VOLATILE),
    ];
    qualifiers.iter().filter(|(is_set, _)| *is_set).fold(0, |bits, (_, bit)| bits | *bit)
}
