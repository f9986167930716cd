//! Kernels: argument slots and metadata. Slots hold weak references, because the specification forbids that a kernel
//! keeps memory alive; a launch takes strong ones.

use crate::check::commands::{self, About, Access};
use crate::check::kernel::Watch;
use crate::check::{self, Kinds, ahead, api, known};
use crate::context::ContextFlags;
use crate::device::Device;
use crate::device::version::EMPTY_LOCAL_ARGS;
use crate::error::{Error, Result};
use crate::exec::geometry::{self, Geometry, GroupRules};
use crate::exec::meeting::Meeting;
use crate::exec::ndrange::Launch;
use crate::exec::printf::Output;
use crate::memory::buffer::Mem;
use crate::memory::image::{Image, access_fits};
use crate::memory::reach::{Reach, bit};
use crate::memory::stream::Stores;
use crate::object::{Body, Kind, Obj, Object};
use crate::program::executable::{Chosen, Executable};
use crate::program::{Attached, Program};
use crate::queue::Queue;
use crate::queue::command::WorkSizes;
use crate::queue::device::DeviceSide;
use crate::record::{self, Facts, Source, Taken};
use crate::sampler::Sampler;
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use clift_jit::image::{Fact, ImageAccess, ImageFacts};
use clift_jit::launch::ArgValues;
use clift_jit::simd::Force;
use clift_jit::{AddrSpace, ArgInfo, ArgKind, KernelInfo, SpecKey};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// What `set_arg` is given. Look at `Kernel::arg_kind` to know which variant to build.
pub enum ArgValue<'a> {
    /// The bytes of a by-value argument.
    Bytes(&'a [u8]),
    /// A memory object, or none for a null handle or a null `arg_value`; for `ArgKind::Buffer`, `Image`
    /// and `Pipe`.
    Mem(Option<&'a Obj<Mem>>),
    /// A sampler, for `ArgKind::Sampler`.
    Sampler(&'a Obj<Sampler>),
    /// A device queue, or none for a null `arg_value`; for `ArgKind::Queue`.
    Queue(Option<&'a Obj<Queue>>),
    /// Bytes of local memory, for `ArgKind::Local`.
    Local(usize),
}

/// What a slot holds.
#[derive(Clone)]
enum Slot {
    Unset,
    Value,
    Buffer(Weak<Object<Mem>>),
    Queue(Weak<Object<Queue>>),
    Null,
    Local(usize),
}

/// The argument block with the values set so far, and what each slot holds.
#[derive(Clone)]
struct Args {
    block: Vec<u8>,
    slots: Vec<Slot>,
}

/// Alignment of local arguments, as `ArgKind::Local` says.
pub(crate) const LOCAL_ALIGN: usize = 128;
/// Private memory that one group may take; bounds the group size of kernels with large private arrays.
const MAX_GROUP_PRIVATE: usize = 64 << 20;

/// What a launch of groups that are to run at the same time may find.
pub(crate) const TOO_MANY_GROUPS: Error = Error::spec(
    Status::InvalidValue,
    "the number of work-groups exceeds the maximum number of work-groups supported for concurrent dispatch",
);

/// A kernel.
pub struct Kernel {
    program: Obj<Program>,
    executable: Arc<Executable>,
    index: usize,
    args: Mutex<Args>,
    /// Tells the program that this kernel exists.
    attached: Attached,
    non_uniform: bool,
    /// `CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_CONCURRENT_INTEL`
    is_concurrent: AtomicBool,
}

impl Body for Kernel {
    const KIND: Kind = Kind::Kernel;
}

impl Kernel {
    /// A kernel with no argument set.
    pub(crate) fn new(
        program: &Obj<Program>,
        executable: Arc<Executable>,
        index: usize,
        attached: Attached,
        non_uniform: bool,
    ) -> Self {
        executable.prepare(index, program.context().devices()[0].pool());
        let info = &executable.source().kernels()[index];
        let args = Args { block: vec![0; info.arg_block_bytes], slots: vec![Slot::Unset; info.args.len()] };
        Self {
            program: Arc::clone(program),
            executable,
            index,
            args: Mutex::new(Rank::Kernel, args),
            attached,
            non_uniform,
            is_concurrent: AtomicBool::new(false),
        }
    }

    /// `CL_KERNEL_PROGRAM`.
    pub fn program(&self) -> &Obj<Program> {
        &self.program
    }

    /// Compiler's metadata: name, arguments, attributes, work-group sizes.
    pub fn info(&self) -> &KernelInfo {
        &self.executable.source().kernels()[self.index]
    }

    /// How argument `index` is set.
    ///
    /// # Errors
    /// `ArgIndex`.
    pub fn arg_kind(&self, index: u32) -> Result<ArgKind> {
        let args = &self.info().args;
        args.get(index as usize).map(|a| a.kind).ok_or(Error::ArgIndex { index, count: args.len() as u32 })
    }

    /// `clSetKernelArg`.
    ///
    /// # Errors
    /// `ArgIndex`, `ArgSize`, `ArgValue`; `ContextMismatch` ← a memory object of another context; `InvalidMemObject` ←
    /// the wrong kind of memory object; `InvalidSampler` ← of another context.
    ///
    /// Spec: OpenCL API, "Setting Kernel Arguments".
    pub fn set_arg(&self, index: u32, value: ArgValue<'_>) -> Result<()> {
        let _using = self.using(true);
        let kind = self.arg_kind(index)?;
        let arg = &self.info().args[index as usize];
        let check_context = |mem: &Mem| {
            // "the context associated with kernel and an OpenCL object pointed to by arg_value are not the same"
            ensure!(Arc::ptr_eq(mem.context(), self.program.context()), Error::ContextMismatch);
            Ok(())
        };
        let mut bytes = [0u8; 8];
        let slot = match (kind, &value) {
            (ArgKind::Value, ArgValue::Bytes(data)) => {
                // "arg_size does not match the size of the data type for an argument that is not a memory object"
                ensure!(data.len() == arg.size, Error::ArgSize { index, got: data.len(), want: arg.size });
                let mut args = self.args.lock();
                args.block[arg.offset..arg.offset + arg.size].copy_from_slice(data);
                args.slots[index as usize] = Slot::Value;
                return Ok(());
            }
            (ArgKind::Buffer { .. }, ArgValue::Mem(mem)) => {
                match mem {
                    Some(mem) => {
                        check_context(mem)?;
                        mem.check_buffer()?;
                        // Immutable memory is for pointers through which a kernel cannot write.
                        let reads_only = arg.is_const || kind == ArgKind::Buffer { space: AddrSpace::Constant };
                        ensure!(reads_only || mem.check_mutable().is_ok(), Error::ArgValue { index });
                        bytes = (mem.data_address() as u64).to_ne_bytes();
                        Slot::Buffer(Arc::downgrade(mem))
                    }
                    None => Slot::Null,
                }
            }
            (ArgKind::Local, ArgValue::Local(bytes)) => {
                // "if the kernel argument is a pointer to the local address space and arg_size is zero. This error
                // condition does not apply if the platform associated with kernel is OpenCL 3.1 or newer."
                ensure!(*bytes > 0 || EMPTY_LOCAL_ARGS, Error::ArgSize { index, got: 0, want: 1 });
                Slot::Local(*bytes)
            }
            (ArgKind::Image { shape, access }, ArgValue::Mem(mem)) => {
                const NO_IMAGE: Error = Error::spec(Status::InvalidMemObject, "arg_value is not a valid image object");
                let mem = mem.ok_or(NO_IMAGE)?;
                check_context(mem)?;
                let image = mem.image().ok_or(NO_IMAGE)?;
                // "the argument is an image declared with the read_only qualifier and arg_value refers to an image
                // object created with cl_mem_flags of CL_MEM_WRITE_ONLY", and its kin
                ensure!(image.fits(shape) && access_fits(mem.flags(), access), Error::ArgValue { index });
                bytes = (image.desc_address() as u64).to_ne_bytes();
                Slot::Buffer(Arc::downgrade(mem))
            }
            (ArgKind::Pipe { .. }, ArgValue::Mem(mem)) => {
                const NO_PIPE: Error = Error::spec(Status::InvalidMemObject, "arg_value is not a valid pipe object");
                let mem = mem.ok_or(NO_PIPE)?;
                check_context(mem)?;
                ensure!(mem.pipe().is_some(), NO_PIPE);
                bytes = (mem.data_address() as u64).to_ne_bytes();
                Slot::Buffer(Arc::downgrade(mem))
            }
            (ArgKind::Sampler, ArgValue::Sampler(sampler)) => {
                let ours = Arc::ptr_eq(sampler.context(), self.program.context());
                ensure!(ours, Error::spec(Status::InvalidSampler, "arg_value is of another context"));
                bytes = u64::from(sampler.bits()).to_ne_bytes();
                Slot::Value
            }
            (ArgKind::Queue, ArgValue::Queue(queue)) => {
                let rule = "arg_value is not a valid device queue object";
                let queue = queue.filter(|queue| queue.on_device().is_some());
                let queue = queue.ok_or(Error::spec(Status::InvalidDeviceQueue, rule))?;
                ensure!(Arc::ptr_eq(queue.context(), self.program.context()), Error::ContextMismatch);
                bytes = queue.device_handle().to_ne_bytes();
                Slot::Queue(Arc::downgrade(queue))
            }
            _ => return Err(Error::ArgValue { index }),
        };
        let mut args = self.args.lock();
        args.block[arg.offset..arg.offset + bytes.len()].copy_from_slice(&bytes);
        args.slots[index as usize] = slot;
        Ok(())
    }

    /// `clSetKernelArgSVMPointer`: the address goes to the kernel as it is.
    ///
    /// # Errors
    /// `ArgIndex`; `ArgValue` ← the argument is not a pointer to `global` or `constant` memory.
    pub fn set_arg_svm(&self, index: u32, address: usize) -> Result<()> {
        let _using = self.using(true);
        let ArgKind::Buffer { .. } = self.arg_kind(index)? else {
            return Err(Error::ArgValue { index });
        };
        let offset = self.info().args[index as usize].offset;
        let bytes = (address as u64).to_ne_bytes();
        let mut args = self.args.lock();
        args.block[offset..offset + bytes.len()].copy_from_slice(&bytes);
        args.slots[index as usize] = Slot::Value;
        Ok(())
    }

    /// `clSetKernelArgDevicePointerEXT`: an address as for `set_arg_svm`, and for `global` memory only.
    ///
    /// # Errors
    /// `ArgIndex`; `InvalidArgIndex` ← the argument is not a pointer to `global` memory.
    pub fn set_arg_device_pointer(&self, index: u32, address: usize) -> Result<()> {
        let is_global = matches!(self.arg_kind(index)?, ArgKind::Buffer { space: AddrSpace::Global });
        ensure!(is_global, Error::spec(Status::InvalidArgIndex, "the argument is not a pointer to global memory"));
        self.set_arg_svm(index, address)
    }

    /// For the checks: while the result lives, this thread sets an argument or takes all of them.
    fn using(&self, sets: bool) -> Option<api::Using> {
        api::Using::enter(std::ptr::from_ref(self).addr(), &self.info().name, sets)
    }

    /// `CL_KERNEL_LOCAL_MEM_SIZE` in bytes: static local memory plus local arguments set so far.
    pub fn local_mem_size(&self) -> u64 {
        let args = self.args.lock();
        let dynamic = args.slots.iter().map(|s| if let Slot::Local(size) = s { *size as u64 } else { 0 });
        dynamic.fold(self.info().local_bytes as u64, u64::saturating_add)
    }

    /// `CL_KERNEL_WORK_GROUP_SIZE`. A size that the source demands is granted as far as the device goes.
    pub fn max_work_group_size(&self, device: &Device) -> usize {
        max_work_group_size(self.info(), device)
    }

    /// `CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE`.
    pub fn preferred_work_group_size_multiple(&self, device: &Device) -> usize {
        device.caps().preferred_work_group_size_multiple
    }

    /// `CL_KERNEL_SPILL_MEM_SIZE_INTEL`: bytes of stack that the code for launches of any size takes, where what finds
    /// no register lies.
    ///
    /// # Errors
    /// `Internal` ← code generation failed.
    pub fn stack_bytes(&self) -> Result<usize> {
        Ok(self.executable.code(self.index, SpecKey::default())?.code.stack_bytes())
    }

    /// Has all groups of a launch run at the same time, or not. Spec: cl_intel_concurrent_dispatch.
    pub fn set_concurrent(&self, is_concurrent: bool) {
        self.is_concurrent.store(is_concurrent, Relaxed);
    }

    /// The groups of a launch with these sizes; `None` if there is nothing to do.
    ///
    /// # Errors
    /// `WorkSize` with the code of the broken limit; groups that are to run at the same time: `InvalidWorkGroupSize` ←
    /// no local size, or one that does not divide the global size; `InvalidValue` ← more of them than the device runs.
    pub(crate) fn geometry(&self, device: &Device, sizes: WorkSizes<'_>) -> Result<Option<Geometry>> {
        let geometry = self.any_geometry(device, sizes)?;
        if self.is_concurrent.load(Relaxed) {
            let rule =
                "the dispatch type is not the default, and local_work_size is NULL or does not divide global_work_size";
            let fits = sizes.local.is_some() && geometry.is_none_or(|geometry| geometry.uniform);
            ensure!(fits, Error::spec(Status::InvalidWorkGroupSize, rule));
            let n_groups = geometry.map_or(0, |geometry| geometry.n_groups);
            ensure!(n_groups <= u64::from(device.caps().max_compute_units), TOO_MANY_GROUPS);
        }
        Ok(geometry)
    }

    /// The same, whether groups are to run at the same time or not.
    pub(crate) fn any_geometry(&self, device: &Device, sizes: WorkSizes<'_>) -> Result<Option<Geometry>> {
        let info = self.info();
        let mut rules = group_rules(info, device, self.non_uniform);
        // Only what the runtime chooses depends on arguments.
        if sizes.local.is_none() && info.unit_dims != [0; 3] {
            rules.vector_dim = usize::from(info.vector_dim_for(&ArgValues::of(info, &self.args.lock().block)));
        }
        geometry::resolve(sizes, &rules)
    }

    /// Checks that a launch would find all arguments.
    ///
    /// # Errors
    /// `ArgUnset`.
    pub(crate) fn check_args(&self) -> Result<()> {
        let args = self.args.lock();
        let gone = |slot: &Slot| match slot {
            Slot::Unset => true,
            Slot::Buffer(buffer) => buffer.strong_count() == 0,
            Slot::Queue(queue) => queue.strong_count() == 0,
            Slot::Value | Slot::Null | Slot::Local(_) => false,
        };
        match args.slots.iter().position(gone) {
            Some(index) => {
                if let Slot::Buffer(buffer) = &args.slots[index] {
                    api::argument_is_gone(&self.info().name, &self.info().args[index].name, buffer.as_ptr().addr());
                }
                Err(Error::ArgUnset { index: index as u32 })
            }
            None => Ok(()),
        }
    }

    /// A launch with the arguments as they are now.
    ///
    /// # Errors
    /// `ArgUnset`; `OutOfResources` ← more local memory than the device has; `Internal` ← code generation.
    pub(crate) fn launch(&self, device: &Device, geometry: Geometry) -> Result<Launch> {
        let info = self.info();
        let max = device.caps().local_mem_size;
        let (mut buffers, mut queues) = (SmallVec::new(), SmallVec::new());
        let mut local_bytes = info.local_bytes;
        let mut facts = Vec::new();
        let (mut streams, mut written) = (0, 0);
        let mut reach = Reach::new(info.pointers);
        let items = geometry::items(geometry.global);
        let mut watch = Watch::new(&self.executable, &self.program, self.index, &geometry);
        let block = {
            let args = self.args.lock();
            let mut block = SmallVec::from_slice(&args.block);
            for (index, (slot, arg)) in args.slots.iter().zip(&info.args).enumerate() {
                match slot {
                    Slot::Buffer(buffer) => {
                        let buffer = buffer.upgrade().ok_or_else(|| {
                            api::argument_is_gone(&info.name, &arg.name, buffer.as_ptr().addr());
                            Error::ArgUnset { index: index as u32 }
                        })?;
                        if let ArgKind::Image { .. } = arg.kind {
                            facts.push(buffer.image().map_or(Fact::default(), Image::fact));
                        }
                        if fills(arg, items, buffer.size()) {
                            streams |= bit(index);
                        }
                        reach.add(index, buffer.data_address(), buffer.size());
                        if let Some(watch) = &mut watch {
                            watch.buffer(index, &buffer);
                            written |= if buffer.is_written() { bit(index) } else { 0 };
                        }
                        buffers.push(buffer);
                    }
                    Slot::Value if matches!(arg.kind, ArgKind::Buffer { .. }) => {
                        let address = block[arg.offset..].first_chunk().map_or(0, |&bits| usize::from_ne_bytes(bits));
                        reach.add_address(index, address, self.program.context());
                        if let Some(watch) = &mut watch {
                            written |= if watch.address(index, address) { bit(index) } else { 0 };
                        }
                    }
                    Slot::Value if arg.kind == ArgKind::Sampler => {
                        let bits = block[arg.offset..].first_chunk().map_or(0, |&bits| u32::from_ne_bytes(bits));
                        facts.push(Fact::sampler(bits));
                    }
                    Slot::Queue(queue) => {
                        queues.push(queue.upgrade().ok_or(Error::ArgUnset { index: index as u32 })?);
                    }
                    Slot::Unset => return Err(Error::ArgUnset { index: index as u32 }),
                    Slot::Local(size) => {
                        let start = local_bytes.next_multiple_of(LOCAL_ALIGN);
                        watch.iter_mut().for_each(|watch| watch.local(index, start, *size));
                        block[arg.offset..arg.offset + 8].copy_from_slice(&(start as u64).to_ne_bytes());
                        local_bytes = start.saturating_add(*size);
                        let rule = "local memory of kernel and arguments exceeds CL_DEVICE_LOCAL_MEM_SIZE";
                        ensure!(local_bytes as u64 <= max, Error::spec(Status::OutOfResources, rule));
                    }
                    Slot::Value | Slot::Null => {}
                }
            }
            block
        };
        let rule = "the kernel's local memory exceeds CL_DEVICE_LOCAL_MEM_SIZE";
        ensure!(local_bytes as u64 <= max, Error::spec(Status::OutOfResources, rule));
        let mut key = self.key(&geometry, &facts, streams, reach.disjoint());
        if let Some(watch) = watch.as_mut().filter(|watch| watch.is_checked()) {
            (key.written, key.apart) = (written, known::apart(info, &geometry, &block, key.disjoint));
            watch.assume(key);
        }
        let Chosen { code, trial, midway } = self.compiled(device, &geometry, key, &block)?;
        Ok(Launch {
            compiled: code,
            trial,
            midway: midway.filter(|_| watch.is_none()),
            args: block,
            buffers,
            geometry,
            local_bytes,
            output: Output::default(),
            zero_local: local_bytes > 0 && self.program.context().flags().contains(ContextFlags::ZERO_LOCAL),
            watch: watch.map(Arc::new),
            races: None,
            stop: self.program.context().stop_flag(),
            facts: None,
            about: None,
            device_side: info.enqueues.then(|| Box::new(self.device_side(device, queues))),
            meeting: self.is_concurrent.load(Relaxed).then(|| Arc::new(Meeting::new(geometry.n_groups))),
        })
    }

    fn device_side(&self, device: &Device, queues: SmallVec<[Obj<Queue>; 1]>) -> DeviceSide {
        let (program, executable) = (Arc::clone(&self.program), Arc::clone(&self.executable));
        let default = self.program.context().device_queues().default(device);
        DeviceSide { program, executable, non_uniform: self.non_uniform, queues, default, kin: None }
    }

    /// A launch of these sizes with the arguments as they are now; none if there is nothing to do.
    ///
    /// # Errors
    /// As `geometry` and `launch`.
    pub(crate) fn work(&self, device: &Device, sizes: WorkSizes<'_>) -> Result<Option<Box<Launch>>> {
        let _using = self.using(false);
        let Some(geometry) = self.geometry(device, sizes)? else { return Ok(None) };
        let mut launch = Box::new(self.launch(device, geometry)?);
        launch.watch = launch.watch.and_then(|watch| watch.ready(&geometry, &launch.args));
        if record::is_on() {
            launch.facts = Some(Box::new(self.facts(&launch, sizes.local_size())));
        }
        if commands::is_on() {
            launch.about = Some(Box::new(self.about(&launch)));
        }
        Ok(Some(launch))
    }

    /// What a recording says of a launch.
    fn facts(&self, launch: &Launch, local: Option<[u64; 3]>) -> Facts {
        let slots = self.args.lock().slots.clone();
        let mut buffers = launch.buffers.iter();
        let args = slots.iter().zip(&self.info().args).map(|(slot, arg)| {
            let bytes = &launch.args[arg.offset..arg.offset + arg.size];
            let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |&bytes| usize::from_ne_bytes(bytes));
            match (slot, arg.kind) {
                (Slot::Buffer(_), _) => buffers.next().map_or(Taken::Null, |mem| Taken::Mem(Arc::clone(mem))),
                (Slot::Local(size), _) => Taken::Local(*size),
                (Slot::Value, ArgKind::Buffer { .. }) => Taken::Address(number(bytes)),
                (Slot::Value, ArgKind::Sampler) => Taken::Sampler(number(bytes) as u32),
                (Slot::Value, _) => Taken::Bytes(bytes.to_vec()),
                (Slot::Null | Slot::Unset | Slot::Queue(_), _) => Taken::Null,
            }
        });
        Facts {
            args: args.collect(),
            executable: Arc::clone(&self.executable),
            index: self.index,
            source: Arc::clone(self.executable.recorded.get_or_init(|| Source::new(&self.program.recorded()))),
            context: Arc::clone(self.program.context()),
            geometry: launch.geometry,
            local,
            is_concurrent: launch.meeting.is_some(),
        }
    }

    /// What a launch touches, as far as the kernel's code and its arguments tell.
    fn about(&self, launch: &Launch) -> About {
        let (info, context) = (self.info(), self.program.context());
        let slots = self.args.lock().slots.clone();
        let mut buffers = launch.buffers.iter();
        let mut accesses = Vec::new();
        let watch = launch.watch.as_ref().filter(|_| check::enabled(Kinds::RACES));
        let certain = watch.map(|watch| ahead::certain(watch, &launch.geometry, &launch.args)).unwrap_or_default();
        for (index, (slot, arg)) in slots.iter().zip(&info.args).enumerate() {
            let stored = bit(index) & info.pointers.stored != 0;
            let (writes, is_pointer) = match arg.kind {
                ArgKind::Buffer { space } => (stored && !arg.is_const && space != AddrSpace::Constant, true),
                ArgKind::Image { access, .. } => (access != ImageAccess::Read, false),
                _ => continue,
            };
            let (start, range, shared) = match slot {
                Slot::Buffer(_) => {
                    let Some(mem) = buffers.next() else { continue };
                    (mem.data_address(), mem.data_address()..mem.data_address() + mem.size(), false)
                }
                Slot::Value if is_pointer => {
                    let bits = launch.args[arg.offset..].first_chunk();
                    let address = bits.map_or(0, |&bits| usize::from_ne_bytes(bits));
                    let svm = context.svm_allocation(address);
                    let shared =
                        if svm.is_some() { context.svm_is_fine(address) } else { !context.usm_is_of_device(address) };
                    let Some(range) = svm.or_else(|| context.usm_allocation(address)) else { continue };
                    (address, range, shared)
                }
                _ => continue,
            };
            let some = Access { all: false, argument: Some(index), shared, ..Access::of(range, writes) };
            if is_pointer && !shared {
                accesses.extend(some.certain(start, certain.iter().filter(|row| row.0 as usize == index)));
            }
            accesses.push(some);
        }
        let arguments = info.args.iter().map(|arg| arg.name.clone()).collect();
        About { kernel: info.name.clone(), program: self.program.number(), arguments, accesses, map: None }
    }

    /// Code for a launch, made at the first one that needs it, and where to tell how long it took.
    fn compiled(&self, device: &Device, geometry: &Geometry, key: SpecKey, block: &[u8]) -> Result<Chosen> {
        let (info, force, groups) = (self.info(), Force::from_env(), geometry.n_groups);
        if force.generic {
            return Ok(Chosen::new(&self.executable.code_for_launch(self.index, key, groups, device.pool())?));
        }
        let values = ArgValues::of(info, block);
        let small_args = info.has_small_args(|arg| &block[info.args[arg].offset..]);
        let key = SpecKey { small_args, ..key };
        if force.values {
            let key = SpecKey { values, ..key };
            return Ok(Chosen::new(&self.executable.code_for_launch(self.index, key, groups, device.pool())?));
        }
        let key = SpecKey { values: values.unit_strides(info), ..key };
        self.executable.code_for_values(self.index, key, &values, groups, device.pool())
    }

    /// What is known of a launch of these groups, images, and buffers that are large or disjoint, but for values.
    fn key(&self, geometry: &Geometry, facts: &[Fact], streams: u64, disjoint: u64) -> SpecKey {
        let mut images = ImageFacts::default();
        images.iter_mut().zip(facts).for_each(|(known, &fact)| *known = fact);
        let local_size = geometry.uniform.then(|| geometry.local.map(|l| l as u32));
        SpecKey { local_size, images, streams, disjoint, ..SpecKey::of_ids(geometry.offset, geometry.global) }
    }
}

/// `CL_KERNEL_WORK_GROUP_SIZE`. A size that the source demands is granted as far as the device goes.
pub(crate) fn max_work_group_size(info: &KernelInfo, device: &Device) -> usize {
    let fit = MAX_GROUP_PRIVATE / info.private_bytes.max(1);
    let required = info.reqd_work_group_size.map_or(1, geometry::items);
    let wanted = fit.max(usize::try_from(required).unwrap_or(usize::MAX));
    device.caps().max_work_group_size.min(wanted)
}

/// What group sizes a launch may have.
pub(crate) fn group_rules(info: &KernelInfo, device: &Device, non_uniform: bool) -> GroupRules {
    let caps = device.caps();
    GroupRules {
        max_items: max_work_group_size(info, device) as u64,
        max_sizes: caps.max_work_item_sizes.map(|s| s as u64),
        required: info.reqd_work_group_size,
        non_uniform,
        group_agnostic: info.group_agnostic,
        vector_dim: usize::from(info.vector_dim),
        threads: u64::from(caps.max_compute_units),
    }
}

/// True if so many work-items fill more of a buffer of this size, through an argument, than the caches hold.
fn fills(arg: &ArgInfo, items: u64, size: usize) -> bool {
    let stored = items.saturating_mul(u64::from(arg.streamed_bytes));
    Stores::suiting_launch(usize::try_from(stored).map_or(size, |stored| stored.min(size))) == Stores::Streaming
}

impl Object<Kernel> {
    /// `clCloneKernel`: a kernel with the same argument values.
    pub fn clone_kernel(&self) -> Obj<Kernel> {
        let args = self.args.lock().clone();
        Object::new(Kernel {
            program: Arc::clone(&self.program),
            executable: Arc::clone(&self.executable),
            index: self.index,
            args: Mutex::new(Rank::Kernel, args),
            attached: self.attached.clone(),
            non_uniform: self.non_uniform,
            is_concurrent: AtomicBool::new(self.is_concurrent.load(Relaxed)),
        })
    }
}
