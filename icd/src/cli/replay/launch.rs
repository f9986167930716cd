//! One recorded launch on one driver: memory objects and a kernel with its arguments, set once; then, any number of
//! times, contents in, run, contents out.

#![allow(unsafe_code, reason = "calls the C API")]

use super::driver::{Driver, Handle, call, create, run};
use super::memory::Pages;
use crate::cli::Result;
use clift_runtime::record::entry::{Image, Launch, MemoryKind, Value, View};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

const MEM_READ_WRITE: u64 = 1;
const MEM_USE_HOST_PTR: u64 = 1 << 3;
const BUFFER_CREATE_TYPE_REGION: u32 = 0x1220;
const KERNEL_EXEC_INFO_SVM_PTRS: u32 = 0x11B6;
const KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: u32 = 0x11B7;
const IMAGE_1D_ARRAY: u32 = 0x10F5;
const BLOCKING: u32 = 1;

/// What a launch needs that no driver makes.
pub struct Shared {
    /// The pages of memory that is known by its address; none if they cannot be there.
    pub pages: Option<Vec<Pages>>,
    /// Something in the launch looks like an address of such memory.
    pub holds_addresses: bool,
}

/// A launch that is ready to run.
pub struct Ready<'d> {
    driver: &'d Driver,
    queue: Handle,
    kernel: Handle,
    launch: &'d Launch,
    /// By the numbers of the launch's memories.
    places: Vec<Place>,
    /// Memory objects to be released, the last one first.
    objects: Vec<Handle>,
    samplers: Vec<Handle>,
    svm: Vec<*mut c_void>,
    context: Handle,
}

/// Where a memory of the launch is.
enum Place {
    Buffer(Handle),
    /// In memory of ours, which the last field keeps.
    HostBuffer(Handle, #[expect(dead_code, reason = "goes with the buffer")] Pages),
    Image(Handle, Image),
    /// At this address, which the host may use as it likes.
    Address(*mut u8),
    /// At this address, which takes commands.
    Svm(*mut u8),
}

impl<'d> Ready<'d> {
    /// Makes objects and sets arguments. `shared` outlives this value.
    pub fn new(
        driver: &'d Driver,
        (context, queue): (Handle, Handle),
        program: Handle,
        launch: &'d Launch,
        shared: &Shared,
    ) -> Result<Self> {
        let name = CString::new(launch.kernel.as_str()).map_err(|_| "a kernel's name with a zero byte in it")?;
        let kernel = create!(driver, create_kernel(program, name.as_ptr()))?;
        let (places, objects, samplers, svm) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut ready = Self { driver, queue, kernel, launch, places, objects, samplers, svm, context };
        for number in 0..launch.memories.len() {
            let place = ready.place(number, shared)?;
            ready.places.push(place);
        }
        let mut views: Vec<(&Value, Handle)> = Vec::new();
        for (index, arg) in launch.args.iter().enumerate() {
            let known = views.iter().find(|(value, _)| *value == &arg.value).map(|(_, handle)| *handle);
            let made = ready.set(index as u32, &arg.value, known);
            let made = made.map_err(|why| format!("argument {index} `{}`: {why}", arg.name))?;
            views.extend(made.map(|handle| (&arg.value, handle)));
        }
        ready.tell_svm();
        Ok(ready)
    }

    fn place(&mut self, number: usize, shared: &Shared) -> Result<Place> {
        let (driver, context) = (self.driver, self.context);
        let memory = &self.launch.memories[number];
        let size = usize::try_from(memory.size).map_err(|_| "no memory")?;
        match memory.kind {
            MemoryKind::Buffer => {
                let root = create!(driver, create_buffer(context, self.root_flags(number), size, null_mut()))?;
                self.objects.push(root);
                Ok(Place::Buffer(root))
            }
            MemoryKind::HostBuffer(behind) => {
                let pages = Pages::behind(behind as usize, size)?;
                let start = pages.start().wrapping_add(behind as usize).cast();
                let flags = MEM_USE_HOST_PTR | self.root_flags(number);
                let root = create!(driver, create_buffer(context, flags, size, start))?;
                self.objects.push(root);
                Ok(Place::HostBuffer(root, pages))
            }
            MemoryKind::Image => {
                let mut values = self.launch.args.iter().map(|arg| &arg.value);
                let found = values.find_map(|value| match value {
                    Value::Image(view, image) if view.memory as usize == number => Some((view, image)),
                    _ => None,
                });
                let (view, image) = found.ok_or("the memory of an image that no argument has")?;
                let handle = self.image(view, image, null_mut())?;
                Ok(Place::Image(handle, *image))
            }
            MemoryKind::Pointer(address) if shared.pages.is_some() && driver.has_system_svm => {
                Ok(Place::Address(std::ptr::with_exposed_provenance_mut(address as usize)))
            }
            MemoryKind::Pointer(address) if shared.holds_addresses => {
                Err(format!("its memory holds addresses and cannot lie at {address:#x} again"))
            }
            MemoryKind::Pointer(_) => {
                let start = call!(driver, svm_alloc(context, MEM_READ_WRITE, size, 0))?;
                if start.is_null() {
                    return Err(format!("clSVMAlloc returned no memory of {size} bytes"));
                }
                self.svm.push(start);
                Ok(Place::Svm(start.cast()))
            }
        }
    }

    /// What kernels may do with a buffer: as its only view says, else all.
    fn root_flags(&self, number: usize) -> u64 {
        let views = self.launch.args.iter().filter_map(|arg| match &arg.value {
            Value::Buffer(view) | Value::Image(view, _) if view.memory as usize == number => Some(view.flags),
            _ => None,
        });
        let mut flags: Vec<u64> = views.collect();
        flags.dedup();
        if let [only] = flags[..] { only } else { MEM_READ_WRITE }
    }

    /// The buffer of a view. For an image a larger one will do, and some drivers want no part of one.
    fn buffer(&mut self, view: &View, is_for_image: bool) -> Result<Handle> {
        let (driver, memory) = (self.driver, &self.launch.memories[view.memory as usize]);
        let (offset, size) = (view.offset as usize, view.size as usize);
        let is_whole = offset == 0 && (view.size == memory.size || is_for_image);
        match &self.places[view.memory as usize] {
            Place::Buffer(root) | Place::HostBuffer(root, _) if is_whole => Ok(*root),
            Place::Buffer(root) | Place::HostBuffer(root, _) => {
                let region = [offset, size];
                let flags = view.flags;
                let made = create!(driver, create_sub_buffer(*root, flags, BUFFER_CREATE_TYPE_REGION, &region))?;
                self.objects.push(made);
                Ok(made)
            }
            Place::Address(start) | Place::Svm(start) => {
                let start = start.wrapping_add(offset).cast();
                let flags = MEM_USE_HOST_PTR | view.flags;
                let made = create!(driver, create_buffer(self.context, flags, size, start))?;
                self.objects.push(made);
                Ok(made)
            }
            Place::Image(..) => Err("a buffer in the memory of an image".to_owned()),
        }
    }

    /// A new image, in the memory of a buffer if there is one.
    fn image(&mut self, view: &View, image: &Image, buffer: Handle) -> Result<Handle> {
        let driver = self.driver;
        let [width, height, depth, layers] = image.sizes.map(|size| size as usize);
        let is_flat = buffer.is_null() || image.mem_type != IMAGE_2D;
        let pitch = if is_flat { 0 } else { image.row_pitch as usize };
        let desc = [image.mem_type as usize, width, height, depth, layers, pitch, 0, 0, buffer.addr()];
        let format = [image.order, image.data_type];
        let made = create!(driver, create_image(self.context, view.flags, &format, &desc, null_mut()))?;
        self.objects.push(made);
        Ok(made)
    }

    /// Sets an argument; the object that was made for it, if one was, or is to be used again.
    fn set(&mut self, index: u32, value: &Value, known: Option<Handle>) -> Result<Option<Handle>> {
        let (driver, kernel) = (self.driver, self.kernel);
        let object = match value {
            Value::Bytes(bytes) => {
                return run!(driver, set_arg(kernel, index, bytes.len(), bytes.as_ptr().cast())).map(|()| None);
            }
            Value::Local(bytes) => {
                return run!(driver, set_arg(kernel, index, *bytes as usize, null())).map(|()| None);
            }
            Value::Pointer { memory, offset } => {
                let start = match &self.places[*memory as usize] {
                    Place::Address(start) | Place::Svm(start) => *start,
                    _ => return Err("an address of other memory".to_owned()),
                };
                let address = start.wrapping_add(*offset as usize).cast();
                return run!(driver, set_arg_pointer(kernel, index, address)).map(|()| None);
            }
            Value::Address(_) => return Err("an address of which nothing is known".to_owned()),
            Value::Null => null_mut(),
            Value::Buffer(view) => known.map_or_else(|| self.buffer(view, false), Ok)?,
            Value::Image(view, image) => match (known, &self.places[view.memory as usize]) {
                (Some(known), _) => known,
                (None, Place::Image(handle, _)) => *handle,
                (None, _) => {
                    let buffer = self.buffer(view, true)?;
                    self.image(view, image, buffer)?
                }
            },
            Value::Sampler(sampler) => match known {
                Some(known) => known,
                None => {
                    let (is_normalized, filter) = (u32::from(sampler.is_normalized), sampler.filter);
                    let addressing = sampler.addressing;
                    let context = self.context;
                    let made = create!(driver, create_sampler(context, is_normalized, addressing, filter))?;
                    self.samplers.push(made);
                    made
                }
            },
        };
        run!(driver, set_arg(kernel, index, size_of::<Handle>(), (&raw const object).cast()))?;
        Ok((!object.is_null()).then_some(object))
    }

    /// Tells the driver what memory the kernel may find by addresses in memory. Drivers that need not know may refuse.
    fn tell_svm(&self) {
        let pointers: Vec<*mut u8> = self
            .places
            .iter()
            .filter_map(|place| match place {
                Place::Address(start) | Place::Svm(start) => Some(*start),
                _ => None,
            })
            .collect();
        if pointers.is_empty() {
            return;
        }
        let is_system = u32::from(self.driver.has_system_svm);
        let (kernel, size) = (self.kernel, size_of_val(&pointers[..]));
        let place = (&raw const is_system).cast();
        let _ = run!(self.driver, set_exec_info(kernel, KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, place));
        let _ = run!(self.driver, set_exec_info(kernel, KERNEL_EXEC_INFO_SVM_PTRS, size, pointers.as_ptr().cast()));
    }

    /// Puts bytes into a memory of the launch.
    pub fn write(&self, number: usize, bytes: &[u8]) -> Result {
        let (driver, queue, size, from) = (self.driver, self.queue, bytes.len(), bytes.as_ptr());
        match &self.places[number] {
            Place::Buffer(root) | Place::HostBuffer(root, _) => {
                run!(driver, enqueue_write(queue, *root, BLOCKING, 0, size, from.cast(), 0, null(), null_mut()))
            }
            Place::Image(handle, image) => {
                let (region, row, slice) = texels(image);
                let queue = self.queue;
                run!(
                    driver,
                    enqueue_write_image(
                        queue,
                        *handle,
                        BLOCKING,
                        &[0; 3],
                        &region,
                        row,
                        slice,
                        from.cast(),
                        0,
                        null(),
                        null_mut()
                    )
                )
            }
            Place::Address(start) => {
                // SAFETY: the pages are there, and as large as the memory was.
                unsafe { std::ptr::copy_nonoverlapping(from, *start, size) };
                Ok(())
            }
            Place::Svm(start) => {
                let to = start.cast();
                run!(driver, enqueue_svm_copy(queue, BLOCKING, to, from.cast(), size, 0, null(), null_mut()))
            }
        }
    }

    /// Gets the bytes of a memory of the launch; those of an image that are no texels stay as they are.
    pub fn read(&self, number: usize, bytes: &mut [u8]) -> Result {
        let (driver, queue, size, to) = (self.driver, self.queue, bytes.len(), bytes.as_mut_ptr());
        match &self.places[number] {
            Place::Buffer(root) | Place::HostBuffer(root, _) => {
                run!(driver, enqueue_read(queue, *root, BLOCKING, 0, size, to.cast(), 0, null(), null_mut()))
            }
            Place::Image(handle, image) => {
                let (region, row, slice) = texels(image);
                run!(
                    driver,
                    enqueue_read_image(
                        queue,
                        *handle,
                        BLOCKING,
                        &[0; 3],
                        &region,
                        row,
                        slice,
                        to.cast(),
                        0,
                        null(),
                        null_mut()
                    )
                )
            }
            Place::Address(start) => {
                // SAFETY: the pages are there, and as large as the memory was.
                unsafe { std::ptr::copy_nonoverlapping(*start, to, size) };
                Ok(())
            }
            Place::Svm(start) => {
                let from = start.cast_const().cast();
                run!(driver, enqueue_svm_copy(queue, BLOCKING, to.cast(), from, size, 0, null(), null_mut()))
            }
        }
    }

    /// Runs it, and says how long that took, from enqueueing it to its end.
    pub fn run(&self) -> Result<Duration> {
        let Launch { dims, offset, global, local, .. } = self.launch;
        let narrow = |sizes: &[u64; 3]| sizes.map(|size| size as usize);
        let (offset, global, local) = (narrow(offset), narrow(global), local.as_ref().map(narrow));
        let local = local.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        let offset = if offset == [0; 3] { null() } else { offset.as_ptr() };
        let (driver, queue, kernel) = (self.driver, self.queue, self.kernel);
        let start = Instant::now();
        run!(driver, enqueue_kernel(queue, kernel, *dims, offset, global.as_ptr(), local, 0, null(), null_mut()))?;
        run!(driver, finish(queue))?;
        Ok(start.elapsed())
    }
}

impl Drop for Ready<'_> {
    fn drop(&mut self) {
        let driver = self.driver;
        // Nobody is left to tell.
        let _ = run!(driver, release_kernel(self.kernel));
        for object in self.objects.iter().rev() {
            let _ = run!(driver, release_mem(*object));
        }
        for sampler in &self.samplers {
            let _ = run!(driver, release_sampler(*sampler));
        }
        let _ = run!(driver, finish(self.queue));
        for start in &self.svm {
            let _ = call!(driver, svm_free(self.context, *start));
        }
    }
}

const IMAGE_2D: u32 = 0x10F1;

/// All texels of an image as a region, and the pitches of their bytes in a recording.
fn texels(image: &Image) -> ([usize; 3], usize, usize) {
    let [width, height, depth, layers] = image.sizes.map(|size| size as usize);
    let (row, slice) = (image.row_pitch as usize, image.slice_pitch as usize);
    match image.mem_type {
        IMAGE_1D_ARRAY => ([width, layers, 1], 0, slice),
        _ => ([width, height.max(1), depth.max(layers).max(1)], if height > 0 { row } else { 0 }, slice),
    }
}
