//! A recorded kernel and its changes. The record has a kernel of its own, cloned from the caller's, whose argument
//! slots are the recorded arguments: recording, changing and launching go the ways of every kernel. A change is drafted
//! on a further clone and takes effect when all drafts of one update are found good.

use super::{CommandBuffer, CommandBufferFlags};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::Queue;
use crate::queue::command::{Work, WorkSizes};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use std::sync::{Arc, Weak};

bitflags! {
    /// `cl_mutable_dispatch_fields_khr`: what of a recorded kernel may be changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MutableFields: u64 {
        /// The global offset.
        const GLOBAL_OFFSET = 1;
        /// The global size.
        const GLOBAL_SIZE = 1 << 1;
        /// The local size.
        const LOCAL_SIZE = 1 << 2;
        /// Arguments.
        const ARGUMENTS = 1 << 3;
        /// What `clSetKernelExecInfo` sets.
        const EXEC_INFO = 1 << 4;
    }
}

/// How a kernel is recorded.
#[derive(Clone, Debug, Default)]
pub struct DispatchOptions {
    /// `CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR`; all if it was not given.
    pub fields: Option<MutableFields>,
    /// The caller's list with its terminator, empty if none was given.
    pub properties: Vec<u64>,
}

/// Work sizes of our own; dimensions not used are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// `work_dim`.
    pub dims: u32,
    /// Global offset.
    pub offset: [usize; 3],
    /// Global size; none: nothing to do.
    pub global: Option<[usize; 3]>,
    /// Local size; none: our choice.
    pub local: Option<[usize; 3]>,
}

impl Sizes {
    fn new(given: WorkSizes<'_>) -> Self {
        Self {
            dims: given.dims,
            offset: given.offset.map_or([0; 3], widen),
            global: given.global.map(widen),
            local: given.local.map(widen),
        }
    }

    fn as_given(&self) -> WorkSizes<'_> {
        let n = self.dims as usize;
        WorkSizes {
            dims: self.dims,
            offset: Some(&self.offset[..n]),
            global: self.global.as_ref().map(|sizes| &sizes[..n]),
            local: self.local.as_ref().map(|sizes| &sizes[..n]),
        }
    }

    /// Whether all groups have the same size; a local size of our choice is ours to change.
    fn is_uniform(&self) -> bool {
        match (self.global, self.local) {
            (Some(global), Some(local)) => {
                (0..self.dims as usize).all(|dim| local[dim] == 0 || global[dim].is_multiple_of(local[dim]))
            }
            _ => true,
        }
    }
}

fn widen(values: &[usize]) -> [usize; 3] {
    let mut wide = [0; 3];
    for (to, from) in wide.iter_mut().zip(values) {
        *to = *from;
    }
    wide
}

/// What a dispatch would launch.
#[derive(Clone)]
struct Setup {
    /// Not shared with anybody who could set its arguments.
    kernel: Obj<Kernel>,
    sizes: Sizes,
}

impl Setup {
    /// Checks the sizes, and everything else that a launch would find unless arguments are missing.
    fn check(&self, device: &Obj<Device>) -> Result<()> {
        let geometry = self.kernel.geometry(device, self.sizes.as_given())?;
        match geometry {
            Some(geometry) if self.kernel.check_args().is_ok() => self.kernel.launch(device, geometry).map(drop),
            _ => Ok(()),
        }
    }
}

/// A recorded kernel: what a `cl_mutable_command_khr` points to. It lives as long as its command-buffer.
pub struct Dispatch {
    buffer: Weak<Object<CommandBuffer>>,
    /// The number of its queue.
    queue: usize,
    /// The caller's.
    kernel: Obj<Kernel>,
    options: DispatchOptions,
    setup: Mutex<Setup>,
}

impl Body for Dispatch {
    const KIND: Kind = Kind::MutableCommand;
}

impl Dispatch {
    /// Takes the kernel's arguments as they are now.
    ///
    /// # Errors
    /// As `CommandBuffer::record_kernel`.
    pub(super) fn record(
        buffer: &Obj<CommandBuffer>,
        queue: usize,
        kernel: &Obj<Kernel>,
        sizes: WorkSizes<'_>,
        options: DispatchOptions,
    ) -> Result<Obj<Self>> {
        let setup = Setup { kernel: kernel.clone_kernel(), sizes: Sizes::new(sizes) };
        setup.check(buffer.queues()[queue].device())?;
        let may_lack_args = options.fields.is_some_and(|fields| fields.contains(MutableFields::ARGUMENTS))
            && buffer.flags().contains(CommandBufferFlags::MUTABLE);
        if !may_lack_args {
            setup.kernel.check_args()?;
        }
        let setup = Mutex::new(Rank::Dispatch, setup);
        Ok(Object::new(Self { buffer: Arc::downgrade(buffer), queue, kernel: Arc::clone(kernel), options, setup }))
    }

    /// The same in a copy of its command-buffer, on another queue.
    ///
    /// # Errors
    /// As `CommandBuffer::record_kernel`.
    pub(super) fn copy_for(&self, buffer: &Obj<CommandBuffer>, queue: usize) -> Result<Obj<Self>> {
        let now = self.setup.lock().clone();
        let setup = Setup { kernel: now.kernel.clone_kernel(), ..now };
        setup.check(buffer.queues()[queue].device())?;
        let setup = Mutex::new(Rank::Dispatch, setup);
        let (kernel, options) = (Arc::clone(&self.kernel), self.options.clone());
        Ok(Object::new(Self { buffer: Arc::downgrade(buffer), queue, kernel, options, setup }))
    }

    /// `CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR`.
    pub fn buffer(&self) -> Option<Obj<CommandBuffer>> {
        self.buffer.upgrade()
    }

    /// `CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR`.
    pub fn queue(&self) -> Option<Obj<Queue>> {
        self.buffer().map(|buffer| Arc::clone(&buffer.queues()[self.queue]))
    }

    /// `CL_MUTABLE_DISPATCH_KERNEL_KHR`.
    pub fn kernel(&self) -> &Obj<Kernel> {
        &self.kernel
    }

    /// `CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR`.
    pub fn properties(&self) -> &[u64] {
        &self.options.properties
    }

    /// The work sizes that the next enqueue will use.
    pub fn sizes(&self) -> Sizes {
        self.setup.lock().sizes
    }

    /// Whether all arguments are set.
    pub(super) fn is_complete(&self) -> bool {
        self.setup.lock().kernel.check_args().is_ok()
    }

    /// A launch as things are now.
    ///
    /// # Errors
    /// As `Command::ndrange`.
    pub(super) fn work(&self, device: &Obj<Device>) -> Result<Work> {
        let setup = self.setup.lock();
        Ok(setup.kernel.work(device, setup.sizes.as_given())?.map_or(Work::Nothing, Work::Launch))
    }

    /// Checks that a field may be changed.
    ///
    /// # Errors
    /// `InvalidOperation`.
    fn check_field(&self, field: MutableFields) -> Result<()> {
        let rule = "the property for this field was not set on command recording";
        let fields = self.options.fields.unwrap_or(MutableFields::all());
        ensure!(fields.contains(field), Error::spec(Status::InvalidOperation, rule));
        Ok(())
    }
}

/// An update in the making: nothing is seen of it before `commit`.
pub struct Update {
    buffer: Obj<CommandBuffer>,
    drafts: Vec<Draft>,
}

/// The changes of one recorded kernel.
pub struct Draft {
    dispatch: Obj<Dispatch>,
    setup: Setup,
}

impl Update {
    pub(super) fn new(buffer: &Obj<CommandBuffer>) -> Self {
        Self { buffer: Arc::clone(buffer), drafts: Vec::new() }
    }

    /// The draft for a recorded kernel, which has what earlier changes of this update did to it.
    ///
    /// # Errors
    /// `InvalidMutableCommandKhr` ← of another command-buffer.
    pub fn draft(&mut self, dispatch: &Obj<Dispatch>) -> Result<&mut Draft> {
        let is_ours = std::ptr::eq(dispatch.buffer.as_ptr(), Arc::as_ptr(&self.buffer));
        let rule = "command is not a valid mutable command object created from command_buffer";
        ensure!(is_ours, Error::spec(Status::InvalidMutableCommandKhr, rule));
        let at = match self.drafts.iter().position(|draft| Arc::ptr_eq(&draft.dispatch, dispatch)) {
            Some(at) => at,
            None => {
                let now = dispatch.setup.lock().clone();
                let setup = Setup { kernel: now.kernel.clone_kernel(), ..now };
                self.drafts.push(Draft { dispatch: Arc::clone(dispatch), setup });
                self.drafts.len() - 1
            }
        };
        Ok(&mut self.drafts[at])
    }

    /// Makes all changes, or none.
    ///
    /// # Errors
    /// `InvalidOperation` ← uniform work-groups became non-uniform, or the other way round; `WorkSize`.
    pub fn commit(self) -> Result<()> {
        for Draft { dispatch, setup } in &self.drafts {
            setup.check(self.buffer.queues()[dispatch.queue].device())?;
            let rule = "local_work_size and/or global_work_size result in a change to work-group uniformity";
            let is_same = setup.sizes.is_uniform() == dispatch.sizes().is_uniform();
            ensure!(is_same, Error::spec(Status::InvalidOperation, rule));
        }
        // No enqueue sees a part of the changes.
        let _recording = self.buffer.recording.lock();
        for Draft { dispatch, setup } in self.drafts {
            *dispatch.setup.lock() = setup;
        }
        Ok(())
    }
}

impl Draft {
    /// The kernel to set arguments of.
    ///
    /// # Errors
    /// `InvalidOperation` ← arguments may not be changed.
    pub fn kernel(&self) -> Result<&Obj<Kernel>> {
        self.dispatch.check_field(MutableFields::ARGUMENTS)?;
        Ok(&self.setup.kernel)
    }

    /// The kernel to make `clSetKernelExecInfo`'s settings of.
    ///
    /// # Errors
    /// `InvalidOperation` ← they may not be changed.
    pub fn exec_info(&self) -> Result<&Obj<Kernel>> {
        self.dispatch.check_field(MutableFields::EXEC_INFO)?;
        Ok(&self.setup.kernel)
    }

    /// Number of dimensions, which cannot be changed.
    pub fn dims(&self) -> u32 {
        self.setup.sizes.dims
    }

    /// Changes the sizes that are given.
    ///
    /// # Errors
    /// `InvalidOperation` ← another number of dimensions, or a size that may not be changed.
    pub fn set_sizes(&mut self, sizes: WorkSizes<'_>) -> Result<()> {
        let rule = "work_dim is not zero and different from the work_dim set on command recording";
        ensure!(sizes.dims == self.dims(), Error::spec(Status::InvalidOperation, rule));
        let now = &mut self.setup.sizes;
        if let Some(offset) = sizes.offset {
            self.dispatch.check_field(MutableFields::GLOBAL_OFFSET)?;
            now.offset = widen(offset);
        }
        if let Some(global) = sizes.global {
            self.dispatch.check_field(MutableFields::GLOBAL_SIZE)?;
            now.global = Some(widen(global));
        }
        if let Some(local) = sizes.local {
            self.dispatch.check_field(MutableFields::LOCAL_SIZE)?;
            now.local = Some(widen(local));
        }
        Ok(())
    }
}
