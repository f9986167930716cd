//! Device lists, options, headers and binaries of programs.

use crate::error::{Error, Result, Status, ensure, fail};
use clift_runtime::context::Context;
use clift_runtime::device::Device;
use clift_runtime::object::Obj;
use std::sync::Arc;

/// What a call does with a program: the codes for bad options differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `clBuildProgram`
    Build,
    /// `clCompileProgram`
    Compile,
    /// `clLinkProgram`
    Link,
}

impl Step {
    /// The runtime's answer with this step's code for bad options.
    pub fn adapt(self, error: Error) -> Error {
        let status = match self {
            Self::Build => return error,
            Self::Compile => Status::InvalidCompilerOptions,
            Self::Link => Status::InvalidLinkerOptions,
        };
        match error {
            Error::BuildOptions => Error::Spec { status, condition: "the options specified by options are invalid" },
            other => other,
        }
    }
}

/// "device_list is NULL and num_devices is greater than zero", and its mirror
pub fn device_list_shape(is_null: bool, n: usize) -> Result {
    ensure!(!is_null || n == 0, InvalidValue, "device_list is NULL and num_devices is greater than zero");
    ensure!(is_null || n > 0, InvalidValue, "device_list is not NULL and num_devices is zero");
    Ok(())
}

/// "any device in device_list is not in the list of devices associated with program" (or with the context)
pub fn device_members(list: &[Obj<Device>], known: &[Obj<Device>]) -> Result {
    let is_known = |device: &Obj<Device>| known.iter().any(|other| Arc::ptr_eq(other, device));
    ensure!(
        list.iter().all(is_known),
        InvalidDevice,
        "any device in device_list is not in the list of devices associated with program"
    );
    Ok(())
}

/// The options string: null means none.
pub fn options(bytes: Option<&[u8]>) -> Result<&str> {
    std::str::from_utf8(bytes.unwrap_or_default()).map_err(|_| Error::BuildOptions)
}

/// Spec: `clCompileProgram`.
pub fn header_lists(n: usize, programs_null: bool, names_null: bool) -> Result {
    let are_consistent = if n == 0 { programs_null && names_null } else { !programs_null && !names_null };
    ensure!(
        are_consistent,
        InvalidValue,
        "num_input_headers is zero and header_include_names or input_headers are not NULL, or the other way round"
    );
    Ok(())
}

/// "the context associated with program and programs in input_headers are not the same"
pub fn same_context(context: &Obj<Context>, others: impl IntoIterator<Item = Obj<Context>>) -> Result {
    let is_same = others.into_iter().all(|other| Arc::ptr_eq(context, &other));
    ensure!(is_same, InvalidContext, "the contexts of the programs are not the same");
    Ok(())
}

/// Spec: `clLinkProgram`.
pub fn input_programs(n: usize, is_null: bool) -> Result {
    ensure!(n > 0 && !is_null, InvalidValue, "num_input_programs is zero or input_programs is NULL");
    Ok(())
}

/// There are no built-in kernels.
pub fn built_in_kernels() -> Result {
    fail(
        Status::InvalidValue,
        "kernel_names contains a kernel name that is not supported by any of the devices in device_list",
    )
}
