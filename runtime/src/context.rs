//! A context: devices, properties exactly as given, error notification, destructor callbacks.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::fork::Registry;
use crate::memory::map::Mapped;
use crate::memory::recycle::Recycler;
use crate::memory::svm::Allocations;
use crate::memory::usm::Usm;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::device::DeviceQueues;
use crate::queue::scheduler::Scheduler;
use crate::status::Status;
use crate::sync::{Mutex, Rank, assert_unlocked};
use crate::trace;
use bitflags::bitflags;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A callback that runs once.
pub type Callback = Box<dyn FnOnce() + Send>;
/// The context's error callback: message and private information.
pub type Notify = Box<dyn Fn(&str, &[u8]) + Send + Sync>;

bitflags! {
    /// What a context was asked for beyond its devices.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ContextFlags: u32 {
        /// Local memory is zero when a work-group starts. Spec: cl_khr_initialize_memory.
        const ZERO_LOCAL = 1;
        /// Private memory is zero when a work-item starts.
        const ZERO_PRIVATE = 1 << 1;
        /// It may be terminated. Spec: cl_khr_terminate_context.
        const TERMINABLE = 1 << 2;
    }
}

pub(crate) static ALL: Registry<Context> = Registry::new();

/// A context.
pub struct Context {
    devices: Vec<Obj<Device>>,
    flags: ContextFlags,
    terminated: Arc<AtomicBool>,
    properties: Vec<isize>,
    notify: Option<Notify>,
    on_destroy: Mutex<Vec<Callback>>,
    scheduler: Arc<Scheduler>,
    svm: Allocations,
    usm: Usm,
    recycler: Arc<Recycler>,
    mapped: Mapped,
    device_queues: DeviceQueues,
}

impl Body for Context {
    const KIND: Kind = Kind::Context;
    fn last_release(context: &Object<Self>) {
        context.mapped.leave();
    }
}

impl Context {
    /// A context for `devices` (duplicates are dropped). `properties` is the caller's list with its terminating zero,
    /// empty if the caller gave none; it is returned by queries as it is.
    ///
    /// # Errors
    /// `InvalidValue` ← no devices.
    ///
    /// Spec: OpenCL API, "Contexts".
    pub fn create(devices: &[Obj<Device>], properties: Vec<isize>, notify: Option<Notify>) -> Result<Obj<Self>> {
        Self::create_with(ContextFlags::empty(), devices, properties, notify)
    }

    /// As `create`, with what `flags` ask for.
    ///
    /// # Errors
    /// As `create`.
    pub fn create_with(
        flags: ContextFlags,
        devices: &[Obj<Device>],
        properties: Vec<isize>,
        notify: Option<Notify>,
    ) -> Result<Obj<Self>> {
        ensure!(!devices.is_empty(), Error::spec(Status::InvalidValue, "devices is NULL or num_devices is zero"));
        let mut unique: Vec<Obj<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| Arc::ptr_eq(d, device)) {
                unique.push(Arc::clone(device));
            }
        }
        let max_workers = unique.iter().map(|d| d.caps().max_compute_units as usize).sum();
        let memory_bytes = unique.iter().map(|d| d.caps().global_mem_size).max().unwrap_or(0);
        let recycler = Recycler::new(memory_bytes, Device::share_nodes(&unique));
        let context = Object::new(Self {
            devices: unique,
            flags,
            terminated: Arc::default(),
            properties,
            notify,
            on_destroy: Mutex::new(Rank::Memory, Vec::new()),
            scheduler: Scheduler::new(max_workers),
            svm: Allocations::new(),
            usm: Usm::new(),
            recycler,
            mapped: Mapped::new(),
            device_queues: DeviceQueues::new(),
        });
        ALL.add(&context);
        Ok(context)
    }

    /// Keeps its own lists as they are, for the time of a fork.
    #[allow(unsafe_code, reason = "guards for the time of a fork")]
    pub(crate) fn hold(&self) -> [Box<dyn Any>; 4] {
        // SAFETY: `fork` keeps the context for longer than this.
        unsafe {
            let on_destroy = Box::new(self.on_destroy.lock_for_fork());
            [on_destroy, self.svm.hold(), self.usm.hold(), self.mapped.hold()]
        }
    }

    /// Its devices.
    pub fn devices(&self) -> &[Obj<Device>] {
        &self.devices
    }

    /// What it was asked for.
    pub fn flags(&self) -> ContextFlags {
        self.flags
    }

    /// Checks that objects may be created and commands enqueued.
    ///
    /// # Errors
    /// `ContextTerminatedKhr`.
    pub fn check_alive(&self) -> Result<()> {
        let rule = "context has been terminated";
        ensure!(!self.is_terminated(), Error::spec(Status::ContextTerminatedKhr, rule));
        Ok(())
    }

    pub(crate) fn is_terminated(&self) -> bool {
        self.terminated.load(Relaxed)
    }

    /// What the launches of a context that may be terminated look at between groups.
    pub(crate) fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        self.flags.contains(ContextFlags::TERMINABLE).then(|| Arc::clone(&self.terminated))
    }

    /// `clTerminateContextKHR`: commands that have not started never do; those that run stop when the work-groups that
    /// are being executed end. Does not wait for that.
    ///
    /// # Errors
    /// `InvalidOperation` ← not created for it; `ContextTerminatedKhr` ← done before.
    pub fn terminate(&self) -> Result<()> {
        let rule = "context was not created with CL_CONTEXT_TERMINATE_KHR set to CL_TRUE";
        ensure!(self.flags.contains(ContextFlags::TERMINABLE), Error::spec(Status::InvalidOperation, rule));
        self.check_alive()?;
        self.terminated.store(true, Relaxed);
        self.scheduler.terminate(Status::ContextTerminatedKhr.code());
        self.report("the context has been terminated");
        Ok(())
    }

    /// Checks that a device is one of its devices.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn check_device(&self, device: &Obj<Device>) -> Result<()> {
        let is_ours = self.devices.iter().any(|d| Arc::ptr_eq(d, device));
        ensure!(is_ours, Error::spec(Status::InvalidDevice, "the device is not one of the context's"));
        Ok(())
    }

    /// A device, shared.
    pub(crate) fn own_device(&self, device: &Device) -> Option<Obj<Device>> {
        self.devices.iter().find(|own| std::ptr::eq::<Device>(&****own, device)).map(Arc::clone)
    }

    /// Its device queues.
    pub fn device_queues(&self) -> &DeviceQueues {
        &self.device_queues
    }

    /// The property list as given, with its terminator; empty if none was given.
    pub fn properties(&self) -> &[isize] {
        &self.properties
    }

    /// Bytes of the largest buffer that at least one device can have.
    pub fn max_alloc_bytes(&self) -> u64 {
        self.devices.iter().map(|d| d.caps().max_mem_alloc_size).max().unwrap_or(0)
    }

    /// Runs `callback` when the context goes away; the last one registered runs first.
    pub fn on_destroy(&self, callback: Callback) {
        self.on_destroy.lock().push(callback);
    }

    /// Tells the context's error callback, if there is one.
    pub fn report(&self, message: &str) {
        if let Some(notify) = &self.notify {
            assert_unlocked();
            notify(message, &[]);
        }
    }

    /// Its shared virtual memory.
    pub(crate) fn svm(&self) -> &Allocations {
        &self.svm
    }

    /// Its unified shared memory.
    pub(crate) fn usm(&self) -> &Usm {
        &self.usm
    }

    /// Where its memory objects get their memory.
    pub(crate) fn recycler(&self) -> &Arc<Recycler> {
        &self.recycler
    }

    /// Its memory objects that are mapped.
    pub(crate) fn mapped(&self) -> &Mapped {
        &self.mapped
    }

    /// The dependency graph and ready list of all its queues.
    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.scheduler
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.scheduler.close();
        for callback in std::mem::take(self.on_destroy.get_mut()).into_iter().rev() {
            callback();
        }
        // Processes that end without cleaning up have often done this much.
        trace::flush();
    }
}
