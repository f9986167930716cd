//! Binary semaphores. Those of this process alone: the n-th wait for a semaphore belongs to its n-th signal, whichever
//! was enqueued first: the two meet at a *gate*, a user event that the signal opens when it runs and that the wait has
//! in its wait list. Those with a handle (`cl_khr_external_semaphore`): `shared_semaphore`; a wait sleeps as a command,
//! like a native kernel that does.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::object::{Body, Kind, Obj, Object};
use crate::primitives::atomic::{AtomicBool, Ordering::SeqCst};
use crate::queue::command::{Command, CommandType};
use crate::queue::{Blocking, Queue, WantEvent};
use crate::shared_semaphore::Payload;
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// The two ends of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Signal,
    Wait,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Signal => Self::Wait,
            Self::Wait => Self::Signal,
        }
    }
}

struct State {
    /// Signals that have run less waits that have run: the payload.
    n_open: i64,
    /// Gates of which only one side has been enqueued, oldest first.
    gates: VecDeque<Obj<Event>>,
    /// That side.
    ahead: Side,
    /// Gates that open, or fail, when others do: these come first.
    joined: Vec<[Obj<Event>; 2]>,
    /// Signals of a shared payload that will not come, and that no wait has failed for yet.
    n_lost: u64,
}

/// What a property list says of handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handle {
    /// Nothing.
    #[default]
    None,
    /// Others may get one.
    Export,
    /// The semaphore is that of this descriptor, which belongs to it once it is made.
    Import(i32),
}

/// A binary semaphore.
pub struct Semaphore {
    context: Obj<Context>,
    devices: Vec<Obj<Device>>,
    properties: Vec<u64>,
    handle: Handle,
    /// Of those with a handle.
    shared: Option<Payload>,
    state: Mutex<State>,
}

impl Body for Semaphore {
    const KIND: Kind = Kind::Semaphore;
    fn last_release(semaphore: &Object<Self>) {
        // Nobody can signal any more what still waits: its gates fail when they are dropped.
        let abandoned = {
            let mut state = semaphore.state.lock();
            if state.ahead == Side::Wait { std::mem::take(&mut state.gates) } else { VecDeque::new() }
        };
        drop(abandoned);
    }
}

impl Semaphore {
    /// `clCreateSemaphoreWithPropertiesKHR`; `device` is the one of the device list, `properties` the caller's list
    /// with its terminator.
    ///
    /// # Errors
    /// `InvalidProperty` ← several devices in the context and none named, or the handle is none; `InvalidDevice` ← not
    /// one of the context's; `OutOfResources` ← no descriptor is left.
    pub fn create(
        context: &Obj<Context>,
        device: Option<&Obj<Device>>,
        properties: Vec<u64>,
        handle: Handle,
    ) -> Result<Obj<Self>> {
        let devices = match device {
            Some(device) => {
                context.check_device(device)?;
                vec![Arc::clone(device)]
            }
            None => {
                let rule = "context is a multiple device context and no device list is specified";
                ensure!(context.devices().len() == 1, Error::spec(Status::InvalidProperty, rule));
                context.devices().to_vec()
            }
        };
        let shared = match handle {
            Handle::None => None,
            Handle::Export => Some(Payload::new()?),
            Handle::Import(fd) => Some(Payload::import(fd)?),
        };
        let state = State { n_open: 0, gates: VecDeque::new(), ahead: Side::Signal, joined: Vec::new(), n_lost: 0 };
        let state = Mutex::new(Rank::Memory, state);
        Ok(Object::new(Self { context: Arc::clone(context), devices, properties, handle, shared, state }))
    }

    /// `CL_SEMAPHORE_CONTEXT_KHR`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR`.
    pub fn devices(&self) -> &[Obj<Device>] {
        &self.devices
    }

    /// `CL_SEMAPHORE_PROPERTIES_KHR`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// `CL_SEMAPHORE_PAYLOAD_KHR`: 1 if signalled.
    pub fn payload(&self) -> u64 {
        let is_open = || self.state.lock().n_open > 0;
        self.shared.as_ref().map_or_else(is_open, Payload::is_signalled).into()
    }

    /// What was said of handles.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// `clGetSemaphoreHandleForTypeKHR`: a descriptor of the same semaphore, for others.
    ///
    /// # Errors
    /// `InvalidDevice` ← not one of the semaphore's; `InvalidValue` ← it is not to be exported; `OutOfResources`.
    pub fn export(&self, device: &Obj<Device>) -> Result<OwnedFd> {
        let rule = "sema_object belongs to a context that is not associated with device, or is not shared with it";
        let is_ours = self.devices.iter().any(|ours| Arc::ptr_eq(ours, device));
        ensure!(is_ours, Error::spec(Status::InvalidDevice, rule));
        let payload = self.shared.as_ref().filter(|_| self.handle == Handle::Export);
        const RULE: &str = "handle_type was not specified when sema_object was created";
        payload.ok_or(Error::spec(Status::InvalidValue, RULE))?.export()
    }

    /// The gate of this side's next command.
    ///
    /// # Errors
    /// `OutOfHostMemory`.
    fn gate(&self, side: Side) -> Result<Obj<Event>> {
        let mut state = self.state.lock();
        if state.ahead != side
            && let Some(gate) = state.gates.pop_front()
        {
            return Ok(gate);
        }
        let gate = Event::create_user(&self.context)?;
        state.ahead = side;
        state.gates.push_back(Arc::clone(&gate));
        Ok(gate)
    }

    /// Takes it back, as the command was not enqueued: what has met it meets the next of this side.
    fn take_back(&self, side: Side, gate: Obj<Event>) {
        let mut state = self.state.lock();
        if state.ahead == side {
            if let Some(at) = state.gates.iter().position(|waiting| Arc::ptr_eq(waiting, &gate)) {
                state.gates.remove(at);
                return;
            }
            if let Some(next) = state.gates.pop_front() {
                // One has come in the meantime.
                let (first, then) = if side == Side::Signal { (next, gate) } else { (gate, next) };
                state.joined.push([Arc::clone(&first), then]);
                drop(state);
                self.pass_on(&first);
                return;
            }
        }
        state.ahead = side.other();
        state.gates.push_front(gate);
    }

    /// Sets a gate, which nobody else does.
    fn set(&self, gate: &Obj<Event>, status: i32) {
        // A terminated context may have ended it.
        let _ = gate.set_user_status(status);
        self.pass_on(gate);
    }

    /// Sets what is joined to a gate that is set. Who sets a gate, or joins something to one, calls this afterwards, so
    /// that the later one of both sees what the other has done.
    fn pass_on(&self, gate: &Obj<Event>) {
        let mut from = Arc::clone(gate);
        loop {
            let status = from.status();
            let mut state = self.state.lock();
            let Some(at) = state.joined.iter().position(|[first, _]| status <= 0 && Arc::ptr_eq(first, &from)) else {
                return;
            };
            let [_, then] = state.joined.swap_remove(at);
            drop(state);
            let _ = then.set_user_status(status);
            from = then;
        }
    }

    /// Takes a signal of a shared payload, once there is one.
    ///
    /// # Errors
    /// `WaitedEventFailed` ← a signal will not come; `ContextTerminatedKhr`; `OutOfResources` ← as `Payload::wait`.
    fn take(&self) -> Result<()> {
        let is_lost = || {
            ensure!(!self.context.is_terminated(), Error::spec(Status::ContextTerminatedKhr, "the context has ended"));
            let n_lost = &mut self.state.lock().n_lost;
            let is_any = *n_lost > 0;
            *n_lost -= u64::from(is_any);
            let status = Status::ExecStatusErrorForEventsInWaitList.code();
            if is_any { Err(Error::WaitedEventFailed { status }) } else { Ok(()) }
        };
        self.shared.as_ref().map_or(Ok(()), |payload| payload.wait(is_lost))
    }

    fn count(&self, change: i64) {
        self.state.lock().n_open += change;
    }
}

/// Those that go through the system, and those that do not.
fn apart(semaphores: &[Obj<Semaphore>]) -> (Vec<Obj<Semaphore>>, Vec<Obj<Semaphore>>) {
    semaphores.iter().map(Arc::clone).partition(|s| s.shared.is_some())
}

/// Signals to come. If their command does not run, because something that it waits for failed, the waits fail too: of a
/// shared payload a wait for the same object, since other processes cannot be told.
struct Signals {
    /// With their gates, none if the payload is shared.
    all: Vec<(Obj<Semaphore>, Option<Obj<Event>>)>,
    /// Nothing is left to do.
    is_done: AtomicBool,
}

impl Signals {
    fn new(semaphores: &[Obj<Semaphore>]) -> Result<Arc<Self>> {
        let mut signals = Self { all: Vec::new(), is_done: AtomicBool::new(false) };
        for semaphore in semaphores {
            let gate = semaphore.shared.is_none().then(|| semaphore.gate(Side::Signal)).transpose();
            match gate {
                Ok(gate) => signals.all.push((Arc::clone(semaphore), gate)),
                Err(error) => {
                    signals.take_back();
                    return Err(error);
                }
            }
        }
        Ok(Arc::new(signals))
    }

    fn send(&self) {
        self.is_done.store(true, SeqCst);
        for (semaphore, gate) in &self.all {
            match (gate, &semaphore.shared) {
                (Some(gate), _) => {
                    semaphore.count(1);
                    semaphore.set(gate, 0);
                }
                (None, shared) => shared.iter().for_each(Payload::signal),
            }
        }
    }

    /// As if they had never been.
    fn take_back(mut self) {
        self.is_done.store(true, SeqCst);
        let gates = self.all.drain(..).filter_map(|(semaphore, gate)| Some((semaphore, gate?)));
        gates.for_each(|(semaphore, gate)| semaphore.take_back(Side::Signal, gate));
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        if self.is_done.load(SeqCst) {
            return;
        }
        for (semaphore, gate) in &self.all {
            match gate {
                Some(gate) => semaphore.set(gate, Status::ExecStatusErrorForEventsInWaitList.code()),
                None => semaphore.state.lock().n_lost += 1,
            }
        }
    }
}

impl Object<Queue> {
    /// `clEnqueueSignalSemaphoresKHR`.
    ///
    /// # Errors
    /// `InvalidValue` ← no semaphores; `ContextMismatch`; `InvalidCommandQueue` ← the queue's device is not one of a
    /// semaphore's; `WaitedEventFailed`; `OutOfHostMemory`.
    pub fn signal_semaphores(
        self: &Arc<Self>,
        semaphores: &[Obj<Semaphore>],
        waits: &[Obj<Event>],
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        self.check_semaphores(semaphores, waits)?;
        let signals = Signals::new(semaphores)?;
        let theirs = Arc::clone(&signals);
        let send = Box::new(move || theirs.send());
        let enqueued = self.enqueue(Command::hook(CommandType::SemaphoreSignal, send), waits, Blocking::No, want);
        // A command that was refused is gone. The other may be, too, and its signals fail here then.
        if enqueued.is_err() {
            Arc::into_inner(signals).into_iter().for_each(Signals::take_back);
        }
        enqueued
    }

    /// `clEnqueueWaitSemaphoresKHR`.
    ///
    /// # Errors
    /// As `signal_semaphores`.
    pub fn wait_semaphores(
        self: &Arc<Self>,
        semaphores: &[Obj<Semaphore>],
        waits: &[Obj<Event>],
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        self.check_semaphores(semaphores, waits)?;
        let (shared, own) = apart(semaphores);
        let mut all: Vec<Obj<Event>> = waits.to_vec();
        let gates = own.iter().try_for_each(|semaphore| {
            all.push(semaphore.gate(Side::Wait)?);
            Ok(())
        });
        let theirs: Vec<Obj<Semaphore>> = own.iter().map(Arc::clone).collect();
        let take = Box::new(move || {
            theirs.iter().for_each(|s| s.count(-1));
            // One after the other: all of them have to come.
            shared.iter().try_for_each(|s| s.take())
        });
        let command = Command::try_hook(CommandType::SemaphoreWait, take);
        let enqueued = gates.and_then(|()| self.enqueue(command, &all, Blocking::No, want));
        if enqueued.is_err() {
            let gates = all.drain(waits.len()..);
            own.iter().zip(gates).for_each(|(semaphore, gate)| semaphore.take_back(Side::Wait, gate));
        }
        enqueued
    }

    fn check_semaphores(&self, semaphores: &[Obj<Semaphore>], waits: &[Obj<Event>]) -> Result<()> {
        ensure!(!semaphores.is_empty(), Error::spec(Status::InvalidValue, "num_sema_objects is 0"));
        let ours = |context: &Obj<Context>| Arc::ptr_eq(context, self.context());
        let same = semaphores.iter().all(|s| ours(&s.context)) && waits.iter().all(|e| ours(e.context()));
        ensure!(same, Error::ContextMismatch);
        let has_device = |s: &Obj<Semaphore>| s.devices.iter().any(|d| Arc::ptr_eq(d, self.device()));
        let rule = "the device associated with command_queue is not one of the devices of the semaphores";
        ensure!(semaphores.iter().all(has_device), Error::spec(Status::InvalidCommandQueue, rule));
        // "the execution status of any of the events in event_wait_list is a negative integer value"
        match waits.iter().map(|e| e.status()).find(|&s| s < 0) {
            Some(status) => Err(Error::WaitedEventFailed { status }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn semaphore() -> Obj<Semaphore> {
        let device = Object::new(Device::root());
        let context = Context::create(&[device], Vec::new(), None).expect("context");
        Semaphore::create(&context, None, Vec::new(), Handle::None).expect("one device")
    }

    /// A gate that one side has made and the other has met.
    fn met(semaphore: &Obj<Semaphore>, first: Side) -> Obj<Event> {
        let gate = semaphore.gate(first).expect("there is memory");
        let same = semaphore.gate(first.other()).expect("there is memory");
        assert!(Arc::ptr_eq(&gate, &same));
        gate
    }

    #[test]
    fn what_is_taken_back_has_never_been() {
        for side in [Side::Signal, Side::Wait] {
            let semaphore = semaphore();
            let alone = semaphore.gate(side).expect("there is memory");
            semaphore.take_back(side, alone);
            let gate = met(&semaphore, side.other());
            semaphore.take_back(side, Arc::clone(&gate));
            let next = semaphore.gate(side).expect("there is memory");
            assert!(Arc::ptr_eq(&gate, &next), "the next one meets what is there");
            // The other side, which has met it, may be taken back as well.
            semaphore.take_back(side.other(), Arc::clone(&gate));
            let next = semaphore.gate(side.other()).expect("there is memory");
            assert!(Arc::ptr_eq(&gate, &next));
        }
    }

    #[test]
    fn what_has_come_in_the_meantime_is_met() {
        for (side, is_set_before) in [(Side::Signal, false), (Side::Signal, true), (Side::Wait, false)] {
            let semaphore = semaphore();
            let gate = met(&semaphore, side.other());
            let next = semaphore.gate(side).expect("there is memory");
            let (signal, wait) = if side == Side::Signal { (&next, &gate) } else { (&gate, &next) };
            if is_set_before {
                semaphore.set(signal, -5);
            }
            semaphore.take_back(side, Arc::clone(&gate));
            assert_eq!(wait.status() < 0, is_set_before);
            semaphore.set(signal, -5);
            assert_eq!(wait.status(), -5);
            assert!(semaphore.state.lock().joined.is_empty() && semaphore.state.lock().gates.is_empty());
        }
    }
}
