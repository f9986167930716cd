//! Commands on program-scope variables, which the host knows by their names. Spec: cl_intel_global_variable_access.
#![allow(unsafe_code, reason = "makes a pointer to a program's own memory")]

use super::command::{Command, CommandType, Work};
use crate::error::{Error, Result};
use crate::memory::host::{HostPtr, Storage};
use crate::memory::stream::Stores;
use crate::object::Obj;
use crate::program::Program;
use crate::status::Status;

impl Command {
    /// `clEnqueueReadGlobalVariableINTEL`.
    ///
    /// # Errors
    /// `InvalidProgramExecutable`; `InvalidArgValue` ← no such variable; `InvalidValue` ← the bytes are not its.
    pub fn read_variable(
        program: &Obj<Program>,
        name: &str,
        offset: usize,
        size: usize,
        target: HostPtr,
    ) -> Result<Self> {
        on_variable(CommandType::ReadGlobalVariableIntel, program, name, offset, size, move |variable| {
            variable.span().read_to(target, size, Stores::Cached);
        })
    }

    /// `clEnqueueWriteGlobalVariableINTEL`.
    ///
    /// # Errors
    /// As `read_variable`.
    pub fn write_variable(
        program: &Obj<Program>,
        name: &str,
        offset: usize,
        size: usize,
        source: HostPtr,
    ) -> Result<Self> {
        on_variable(CommandType::WriteGlobalVariableIntel, program, name, offset, size, move |variable| {
            variable.span().write_from(source, size, Stores::Cached);
        })
    }
}

/// A command that does `work` with `size` bytes of a variable from `offset` on.
fn on_variable(
    kind: CommandType,
    program: &Obj<Program>,
    name: &str,
    offset: usize,
    size: usize,
    work: impl FnOnce(&Storage) + Send + 'static,
) -> Result<Command> {
    let variable = program.variable(name)?;
    let rule = "the region specified by offset and size is not fully contained by the size of the global variable";
    let is_inside = offset.checked_add(size).is_some_and(|end| end <= variable.size);
    ensure!(is_inside, Error::spec(Status::InvalidValue, rule));
    let start = std::ptr::with_exposed_provenance_mut::<u8>(variable.address).wrapping_add(offset);
    // SAFETY: these bytes are the variable's, which the command keeps.
    let start = unsafe { HostPtr::new(start) };
    let function = Box::new(move || {
        if let Some(start) = start {
            work(&Storage::borrowed(start, size));
        }
        drop(variable);
        Ok(())
    });
    Ok(Command::of(kind, program.context(), Work::Native { function, objects: Vec::new() }))
}
