//! Device queues, and the launches that kernels make. `graph` holds what a launch from the host and its descendants
//! wait for, as pure data; `family` runs them and answers what kernels ask (`clift_jit::device`).
//!
//! # Design
//!
//! A launch from the host whose kernel may enqueue is the head of a **family**: all that it and its children enqueue.
//! Its command runs until the family has ended, and its event has the first error in it. The thread that runs the
//! command runs ready children as soon as its own groups are done; workers of the device's pool begin earlier, where
//! there are any, and as many as there are. So children need no threads of their own, and an endless family keeps one
//! command busy as an endless kernel does: the scheduler gives other commands other threads.
//!
//! Everything that a child waits for is in the family: events belong to the family that made them, and are no events in
//! another. Hence it is known when nothing can go on any more, since user events were never set. Then these fail, and
//! what waits for them does, in place of waiting for ever; and so do children that wait for each other.
//!
//! Memory is bounded. A child that waits or is ready takes part of its queue's `CL_QUEUE_SIZE`, and gives it back when
//! it begins. Of a child that has run only what somebody may still see is kept, its event; a parent counts descendants,
//! not children, so that a chain of any length takes as much as its last link (see `graph`), unless each of its events
//! is released only after the next launch has ended: then they count as in use until the last has.
//!
//! Must not know how queues of the host order commands.

mod family;
mod graph;

use super::Queue;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};

pub(crate) use family::{DeviceSide, Ended, run};

/// `CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE`, in bytes.
pub const PREFERRED_SIZE: u32 = 16 << 20;
/// `CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE`, in bytes.
pub const MAX_SIZE: u32 = 64 << 20;
/// `CL_DEVICE_MAX_ON_DEVICE_QUEUES`. There may be more.
pub const MAX_QUEUES: u32 = 64;
/// `CL_DEVICE_MAX_ON_DEVICE_EVENTS`: of one family.
pub const MAX_EVENTS: u32 = 1 << 16;

/// In the upper half of what kernels know queues by: numbers of other things are no queues.
pub(super) const HANDLE_TAG: u64 = 0x7175_6575 << 32;

/// What a queue has that is on the device.
pub struct OnDevice {
    /// `CL_QUEUE_SIZE`, in bytes.
    pub size: u32,
    /// Bytes that children take which wait or are ready.
    used: AtomicUsize,
}

impl OnDevice {
    /// Of so many bytes.
    pub(super) fn new(size: u32) -> Arc<Self> {
        Arc::new(Self { size, used: AtomicUsize::new(0) })
    }

    /// Takes bytes, unless the queue is full.
    fn take(self: &Arc<Self>, bytes: usize) -> Option<Room> {
        let fits = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.size as usize);
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Room { queue: Arc::clone(self), bytes })
    }
}

/// What a child takes of its queue; given back when this is dropped.
struct Room {
    queue: Arc<OnDevice>,
    bytes: usize,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.queue.used.fetch_sub(self.bytes, Relaxed);
    }
}

/// A context's device queues by what kernels know them by.
pub struct DeviceQueues {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queues: HashMap<u64, Weak<Object<Queue>>>,
    /// Devices' addresses, and what their default queues are known by.
    defaults: Vec<(usize, u64)>,
}

impl DeviceQueues {
    /// None.
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(Rank::Memory, State::default()) }
    }

    /// Makes a queue known.
    pub(super) fn add(&self, queue: &Obj<Queue>) {
        let mut state = self.state.lock();
        state.queues.retain(|_, queue| queue.strong_count() > 0);
        state.queues.insert(queue.device_handle(), Arc::downgrade(queue));
    }

    /// The queue that kernels know by this number, if it still exists.
    pub(crate) fn find(&self, number: u64) -> Option<Obj<Queue>> {
        self.state.lock().queues.get(&number)?.upgrade()
    }

    /// What a device's default queue is known by; 0 if there is none.
    fn default_number(&self, device: &Device) -> u64 {
        let state = self.state.lock();
        let found = state.defaults.iter().find(|(address, _)| *address == address_of(device));
        let live = |number: &u64| state.queues.get(number).is_some_and(|queue| queue.strong_count() > 0);
        found.map(|&(_, number)| number).filter(live).unwrap_or(0)
    }

    /// A device's default queue.
    pub fn default(&self, device: &Device) -> Option<Obj<Queue>> {
        match self.default_number(device) {
            0 => None,
            number => self.find(number),
        }
    }

    /// `clSetDefaultDeviceCommandQueue`.
    ///
    /// # Errors
    /// `InvalidCommandQueue` ← not a device queue of this device.
    pub fn set_default(&self, device: &Device, queue: &Obj<Queue>) -> Result<()> {
        let is_ours = queue.on_device().is_some() && address_of(queue.device()) == address_of(device);
        let is_known = self.find(queue.device_handle()).is_some_and(|known| Arc::ptr_eq(&known, queue));
        let rule = "command_queue is not a valid command-queue for device";
        ensure!(is_ours && is_known, Error::spec(Status::InvalidCommandQueue, rule));
        let mut state = self.state.lock();
        state.defaults.retain(|(address, _)| *address != address_of(device));
        state.defaults.push((address_of(device), queue.device_handle()));
        Ok(())
    }
}

fn address_of(device: &Device) -> usize {
    std::ptr::from_ref(device).addr()
}
