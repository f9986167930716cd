//! Properties of command-buffers and of their commands. A list with an unknown name comes as `Some(None)`.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::command_buffer::CommandBufferFlags;
use clift_runtime::command_buffer::dispatch::MutableFields;

/// A property list as it was read: none, one with an unknown name, or its pairs.
pub type Pairs = Option<Option<Vec<(u64, u64)>>>;

const NOT_VALID: &str = "values specified in properties are not valid";

/// Names that `clCreateCommandBufferKHR` knows.
pub fn is_buffer_property(name: u64) -> bool {
    let names = [cl::CL_COMMAND_BUFFER_FLAGS_KHR, cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR];
    names.map(u64::from).contains(&name)
}

/// Names that `clCommandNDRangeKernelKHR` knows.
pub fn is_dispatch_property(name: u64) -> bool {
    let names = [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR];
    names.map(u64::from).contains(&name)
}

fn pairs(list: Pairs) -> Result<Vec<(u64, u64)>> {
    let Some(pairs) = list.unwrap_or(Some(Vec::new())) else {
        return fail(Status::InvalidValue, NOT_VALID);
    };
    super::distinct_names(&pairs, Status::InvalidValue)?;
    Ok(pairs)
}

fn value(pairs: &[(u64, u64)], name: cl::cl_uint) -> Option<u64> {
    pairs.iter().find(|pair| pair.0 == u64::from(name)).map(|pair| pair.1)
}

/// Whether the caller asserts that no update adds work-groups.
fn asserts_work_groups(pairs: &[(u64, u64)], name: cl::cl_uint) -> Result<bool> {
    let asserts = value(pairs, name).unwrap_or(0);
    let known = cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    ensure!(asserts & !known == 0, InvalidValue, "values specified in properties are not valid");
    Ok(asserts != 0)
}

/// The flags of a command-buffer. Spec: `clCreateCommandBufferKHR`.
pub fn buffer(list: Pairs) -> Result<CommandBufferFlags> {
    let pairs = pairs(list)?;
    asserts_work_groups(&pairs, cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR)?;
    match CommandBufferFlags::from_bits(value(&pairs, cl::CL_COMMAND_BUFFER_FLAGS_KHR).unwrap_or(0)) {
        Some(flags) => Ok(flags),
        None => fail(Status::InvalidValue, NOT_VALID),
    }
}

/// What of a kernel may be changed, if that is said. `buffer` are the command-buffer's properties. Spec:
/// `clCommandNDRangeKernelKHR`.
pub fn dispatch(list: Pairs, buffer: &[u64], has_local_size: bool) -> Result<Option<MutableFields>> {
    let pairs = pairs(list)?;
    let asserts = asserts_work_groups(&pairs, cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR)?;
    let name = u64::from(cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR);
    let buffer_asserts = buffer.chunks_exact(2).any(|pair| pair[0] == name && pair[1] != 0);
    ensure!(
        has_local_size || !(asserts || buffer_asserts),
        InvalidValue,
        "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR is set and local_work_size is NULL"
    );
    let fields = value(&pairs, cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR);
    match fields.map(MutableFields::from_bits) {
        Some(None) => fail(Status::InvalidValue, NOT_VALID),
        fields => Ok(fields.flatten()),
    }
}
