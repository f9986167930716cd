//! What the runtime's tests share: a context, queues, native commands.

#![allow(dead_code, reason = "each test file uses a part")]

use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, QueueFlags, WantEvent};
use clift_runtime::{Context, Event, Obj, Platform, Queue};
use std::time::{Duration, Instant};

/// A context with the root device.
pub fn context() -> Obj<Context> {
    Context::create(Platform::get().devices(), Vec::new(), None).expect("context")
}

/// A queue.
pub fn queue(context: &Obj<Context>, flags: QueueFlags) -> Obj<Queue> {
    Queue::create(context, &context.devices()[0], flags, Vec::new(), 0).expect("queue")
}

/// Enqueues a closure as a native kernel.
pub fn call(queue: &Obj<Queue>, waits: &[Obj<Event>], function: impl FnOnce() + Send + 'static) -> Obj<Event> {
    let command = Command::native(Box::new(function), Vec::new());
    queue.enqueue(command, waits, Blocking::No, WantEvent::Yes).expect("enqueued").expect("event")
}

/// Enqueues a marker.
pub fn marker(queue: &Obj<Queue>, waits: &[Obj<Event>]) -> Obj<Event> {
    queue.enqueue(Command::marker(), waits, Blocking::No, WantEvent::Yes).expect("enqueued").expect("event")
}

/// Waits for a condition that another thread brings about.
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "never: {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}
