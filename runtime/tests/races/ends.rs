//! Scenarios in which something is ended from outside while commands are under way: contexts that are terminated,
//! commands that are cancelled, memory that is freed.

use super::scenarios::{Count, call, context, context_that_ends, join, queue, spawn};
use crate::command_buffer::{CommandBuffer, CommandBufferFlags};
use crate::event::State;
use crate::memory::usm::Owner;
use crate::queue::command::Command;
use crate::queue::{Blocking, QueueFlags, WantEvent};
use crate::semaphore::{Handle, Semaphore};
use crate::{Event, Status};
use shuttle::sync::mpsc;
use std::sync::Arc;

pub fn contexts_end_under_way() {
    let context = context_that_ends();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    let q = Arc::clone(&queue);
    let submitter = spawn(move || {
        let command = Command::native(Box::new(|| {}), Vec::new());
        match q.enqueue(command, &[], Blocking::No, WantEvent::Yes) {
            Ok(late) => drop(Event::wait_all(&[late.expect("wanted")])),
            Err(error) => assert_eq!(error.status(), Status::ContextTerminatedKhr),
        }
    });
    let setter = spawn(move || {
        // Terminating does not set a user event's status.
        gate.set_user_status(0).expect("set once");
    });
    let terminator = spawn(move || context.terminate().expect("once"));
    queue.finish().expect("there is memory");
    let status = event.execution_status();
    assert!(status == 0 || status == Status::ContextTerminatedKhr.code(), "{status}");
    join([submitter, setter, terminator]);
}

/// The context is terminated while a signal that waits for an event and the wait that has met it are under way, and the
/// semaphore goes.
pub fn semaphores_end_with_their_context() {
    let context = context_that_ends();
    let semaphore = Semaphore::create(&context, None, Vec::new(), Handle::None).expect("one device");
    let queues = [0, 1].map(|_| queue(&context, QueueFlags::empty()));
    let gate = Event::create_user(&context).expect("event");
    let wait = queues[1].wait_semaphores(&[Arc::clone(&semaphore)], &[], WantEvent::Yes);
    let wait = wait.expect("enqueued").expect("event");
    let (queue, from) = (Arc::clone(&queues[0]), Arc::clone(&gate));
    let signaller = spawn(move || match queue.signal_semaphores(&[semaphore], &[from], WantEvent::No) {
        Ok(_) => queue.flush(),
        Err(error) => assert_eq!(error.status(), Status::ContextTerminatedKhr),
    });
    let setter = spawn(move || gate.set_user_status(0).expect("set once"));
    let terminator = spawn(move || context.terminate().expect("once"));
    queues[1].finish().expect("there is memory");
    let status = wait.execution_status();
    assert!(status <= 0, "it waits for ever: {status}");
    join([signaller, setter, terminator]);
    queues[0].finish().expect("there is memory");
    assert_eq!(wait.execution_status(), status, "an end is for good");
}

/// The context is terminated while a command-buffer that stands behind an event is executed.
pub fn executions_end_with_their_context() {
    let context = context_that_ends();
    let queue = queue(&context, QueueFlags::empty());
    let flags = CommandBufferFlags::empty();
    let buffer = CommandBuffer::create(&[Arc::clone(&queue)], flags, Vec::new()).expect("command-buffer");
    for _ in 0..2 {
        let place = buffer.place(None, &[]).expect("recording");
        buffer.record(Command::marker(), place).expect("recorded");
    }
    buffer.finalize().expect("recording");
    let gate = Event::create_user(&context).expect("event");
    let whole = buffer.enqueue(&[], &[Arc::clone(&gate)], WantEvent::Yes).expect("enqueued").expect("event");
    let waiter = {
        let whole = Arc::clone(&whole);
        spawn(move || drop(Event::wait_all(&[whole])))
    };
    let setter = spawn(move || gate.set_user_status(0).expect("set once"));
    let terminator = spawn(move || context.terminate().expect("once"));
    queue.finish().expect("there is memory");
    let status = whole.execution_status();
    assert!(status == 0 || status == Status::ContextTerminatedKhr.code(), "{status}");
    join([waiter, setter, terminator]);
    assert_eq!(whole.execution_status(), status, "an end is for good");
}

/// A blocking free comes after all commands that were enqueued before, on whatever thread they run.
pub fn memory_is_freed_after_its_use() {
    let context = context();
    let queues = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER].map(|flags| queue(&context, flags));
    let address = context.usm_alloc(Owner::Host, 0, 64, 0).expect("memory");
    let gate = Event::create_user(&context).expect("event");
    let uses = Count::default();
    for queue in &queues {
        let (context, up) = (Arc::clone(&context), uses.up());
        call(queue, &[Arc::clone(&gate)], move || {
            assert!(context.usm_info(address).is_some(), "it is gone");
            up();
        });
    }
    let setter = spawn(move || gate.set_user_status(0).expect("set once"));
    let queue = Arc::clone(&queues[0]);
    let flusher = spawn(move || queue.flush());
    context.usm_free_after_use(address).expect("known");
    assert_eq!(uses.get(), 2);
    assert!(context.usm_info(address).is_none());
    join([setter, flusher]);
}

/// A command is cancelled while its gate opens and somebody waits for it: it has run or is cancelled, never both.
pub fn cancelled_commands_end_once() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("memory");
    let (runs, after) = (Count::default(), Count::default());
    let event = call(&queue, &[Arc::clone(&gate)], runs.up());
    let last = call(&queue, &[], after.up());
    let (told, calls) = mpsc::channel();
    event.on_state(State::Complete, Box::new(move |status| told.send(status).expect("main waits"))).expect("valid");
    let waiter = {
        let event = Arc::clone(&event);
        spawn(move || drop(Event::wait_all(&[event])))
    };
    let canceller = {
        let event = Arc::clone(&event);
        spawn(move || Event::cancel_all(&[event]))
    };
    gate.set_user_status(0).expect("set once");
    join([waiter, canceller]);
    queue.finish().expect("there is memory");
    let status = event.execution_status();
    let want = if runs.get() == 1 { 0 } else { Status::CancelledImg.code() };
    assert_eq!((status, after.get(), last.execution_status()), (want, 1, 0));
    assert_eq!(calls.recv(), Ok(status));
    assert!(calls.recv().is_err(), "a callback ran twice");
}

/// A command-buffer on two queues is cancelled while somebody waits for it and both queues are emptied.
pub fn executions_on_two_queues_end_once() {
    let context = context();
    let queues = [queue(&context, QueueFlags::empty()), queue(&context, QueueFlags::OUT_OF_ORDER)];
    let buffer = CommandBuffer::create(&queues, CommandBufferFlags::empty(), Vec::new()).expect("command-buffer");
    for at in [0, 1, 1, 0] {
        let place = buffer.place(Some(&queues[at]), &[]).expect("recording");
        buffer.record(Command::marker(), place).expect("recorded");
    }
    buffer.finalize().expect("recording");
    let whole = buffer.enqueue(&[], &[], WantEvent::Yes).expect("enqueued").expect("event");
    let waiter = {
        let whole = Arc::clone(&whole);
        spawn(move || drop(Event::wait_all(&[whole])))
    };
    let canceller = {
        let whole = Arc::clone(&whole);
        spawn(move || Event::cancel_all(&[whole]))
    };
    queues[1].finish().expect("there is memory");
    let status = whole.execution_status();
    assert!(status == 0 || status == Status::CancelledImg.code(), "{status}");
    join([waiter, canceller]);
    queues[0].finish().expect("there is memory");
    assert_eq!(whole.execution_status(), status, "an end is for good");
}
