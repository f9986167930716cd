//! A context: devices, properties exactly as given, error notification, destructor callbacks.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::svm::Allocations;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::scheduler::Scheduler;
use crate::status::Status;
use crate::sync::{Mutex, Rank, assert_unlocked};
use std::sync::Arc;

/// A callback that runs once.
pub type Callback = Box<dyn FnOnce() + Send>;
/// The context's error callback: message and private information.
pub type Notify = Box<dyn Fn(&str, &[u8]) + Send + Sync>;

/// A context.
pub struct Context {
    devices: Vec<Obj<Device>>,
    properties: Vec<isize>,
    notify: Option<Notify>,
    on_destroy: Mutex<Vec<Callback>>,
    scheduler: Arc<Scheduler>,
    svm: Allocations,
}

impl Body for Context {
    const KIND: Kind = Kind::Context;
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
        ensure!(!devices.is_empty(), Error::spec(Status::InvalidValue, "devices is NULL or num_devices is zero"));
        let mut unique: Vec<Obj<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| Arc::ptr_eq(d, device)) {
                unique.push(Arc::clone(device));
            }
        }
        let max_workers = unique.iter().map(|d| d.caps().max_compute_units as usize).sum();
        Ok(Object::new(Self {
            devices: unique,
            properties,
            notify,
            on_destroy: Mutex::new(Rank::Memory, Vec::new()),
            scheduler: Arc::new(Scheduler::new(max_workers)),
            svm: Allocations::new(),
        }))
    }

    /// Its devices.
    pub fn devices(&self) -> &[Obj<Device>] {
        &self.devices
    }

    /// Whether a device is one of its devices.
    pub fn has_device(&self, device: &Obj<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
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
    }
}
