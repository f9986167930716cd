//! The scenarios: small programs of two to four threads. Each asserts what every schedule must end in; a lost wake-up
//! shows as a deadlock, because time passes only where a scenario says so.

use super::ends;
use crate::context::ContextFlags;
use crate::event::State;
use crate::exec::pool::Job;
use crate::primitives::{let_time_pass, thread};
use crate::queue::command::{Command, CommandType};
use crate::queue::{Blocking, QueueFlags, WantEvent};
use crate::semaphore::{Handle, Semaphore};
use crate::{Context, Device, Event, Obj, Object, Queue, Status};
use shuttle::sync::mpsc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};

/// Names and functions.
pub const ALL: &[(&str, fn())] = &[
    ("threads_submit_to_one_queue", threads_submit_to_one_queue),
    ("finish_while_another_submits", finish_while_another_submits),
    ("blocking_calls_meet", blocking_calls_meet),
    ("flushed_commands_need_no_waiter", flushed_commands_need_no_waiter),
    ("polling_is_enough", polling_is_enough),
    ("idle_workers_leave_nothing_behind", idle_workers_leave_nothing_behind),
    ("long_commands_hold_no_queue_up", long_commands_hold_no_queue_up),
    ("long_commands_hold_nothing_up_in_their_queue", long_commands_hold_nothing_up_in_their_queue),
    ("waiting_threads_hold_nothing_up", waiting_threads_hold_nothing_up),
    ("waiting_threads_run_no_strangers", waiting_threads_run_no_strangers),
    ("waiting_threads_run_what_they_need", waiting_threads_run_what_they_need),
    ("brisk_threads_hold_nothing_up", brisk_threads_hold_nothing_up),
    ("one_event_wakes_all", one_event_wakes_all),
    ("user_events_are_set_while_commands_join", user_events_are_set_while_commands_join),
    ("user_events_are_set_once", user_events_are_set_once),
    ("user_events_may_be_forgotten", user_events_may_be_forgotten),
    ("failures_travel", failures_travel),
    ("queues_wait_for_each_other", queues_wait_for_each_other),
    ("barriers_hold_out_of_order", barriers_hold_out_of_order),
    ("callbacks_run_once", callbacks_run_once),
    ("submission_is_told_once", submission_is_told_once),
    ("callbacks_may_wait", callbacks_may_wait),
    ("handles_go_while_commands_run", handles_go_while_commands_run),
    ("contexts_end_under_way", ends::contexts_end_under_way),
    ("semaphores_pair_up", semaphores_pair_up),
    ("semaphores_end_with_their_context", ends::semaphores_end_with_their_context),
    ("executions_end_with_their_context", ends::executions_end_with_their_context),
    ("memory_is_freed_after_its_use", ends::memory_is_freed_after_its_use),
    ("late_helpers_hold_nothing", late_helpers_hold_nothing),
    ("cancelled_commands_end_once", ends::cancelled_commands_end_once),
    ("executions_on_two_queues_end_once", ends::executions_on_two_queues_end_once),
];

/// One for all schedules: finding out about the machine takes long.
pub fn device() -> &'static Obj<Device> {
    static DEVICE: OnceLock<Obj<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| Object::new(Device::root()))
}

pub fn context() -> Obj<Context> {
    Context::create(std::slice::from_ref(device()), Vec::new(), None).expect("context")
}

/// One that may be terminated.
pub fn context_that_ends() -> Obj<Context> {
    let devices = std::slice::from_ref(device());
    Context::create_with(ContextFlags::TERMINABLE, devices, Vec::new(), None).expect("context")
}

pub fn queue(context: &Obj<Context>, flags: QueueFlags) -> Obj<Queue> {
    Queue::create(context, &context.devices()[0], flags, Vec::new(), 0).expect("queue")
}

/// Enqueues a closure as a native kernel.
pub fn call(queue: &Obj<Queue>, waits: &[Obj<Event>], function: impl FnOnce() + Send + 'static) -> Obj<Event> {
    let command = Command::native(Box::new(function), Vec::new());
    queue.enqueue(command, waits, Blocking::No, WantEvent::Yes).expect("enqueued").expect("event")
}

/// Enqueues a closure that passes for a kernel.
fn kernel(queue: &Obj<Queue>, waits: &[Obj<Event>], function: impl FnOnce() + Send + 'static) -> Obj<Event> {
    let command = Command::hook(CommandType::NdrangeKernel, Box::new(function));
    queue.enqueue(command, waits, Blocking::No, WantEvent::Yes).expect("enqueued").expect("event")
}

/// Counts calls.
#[derive(Clone, Default)]
pub struct Count(Arc<AtomicUsize>);

impl Count {
    pub fn up(&self) -> impl FnOnce() + Send + 'static {
        let count = self.clone();
        move || {
            count.0.fetch_add(1, SeqCst);
        }
    }

    pub fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
}

/// Notes numbers in the order in which commands ran.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<usize>>>);

impl Notes {
    fn note(&self, n: usize) -> impl FnOnce() + Send + 'static {
        let notes = self.clone();
        move || notes.0.lock().expect("no panic").push(n)
    }

    fn position(&self, n: usize) -> usize {
        self.0.lock().expect("no panic").iter().position(|&m| m == n).expect("it ran")
    }

    fn all(&self) -> Vec<usize> {
        self.0.lock().expect("no panic").clone()
    }
}

/// A thread of the program.
pub fn spawn(body: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(body)
}

pub fn join(threads: impl IntoIterator<Item = thread::JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

fn threads_submit_to_one_queue() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let count = Count::default();
    join([0, 1, 2].map(|_| {
        let (queue, count) = (Arc::clone(&queue), count.clone());
        spawn(move || {
            let event = call(&queue, &[], count.up());
            Event::wait_all(&[event]).expect("no error");
        })
    }));
    assert_eq!(count.get(), 3);
    // Events are complete a moment before their nodes.
    queue.finish().expect("there is memory");
    assert_eq!(context.scheduler().n_live(), 0);
}

fn finish_while_another_submits() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let notes = Notes::default();
    let (q, theirs) = (Arc::clone(&queue), notes.clone());
    let submitter = spawn(move || {
        for i in 0..3 {
            call(&q, &[], theirs.note(i));
            q.flush();
        }
    });
    let q = Arc::clone(&queue);
    let finisher = spawn(move || q.finish().expect("there is memory"));
    join([submitter, finisher]);
    queue.finish().expect("there is memory");
    assert_eq!(notes.all(), [0, 1, 2]);
}

fn blocking_calls_meet() {
    let context = context();
    let queues = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER].map(|flags| queue(&context, flags));
    let count = Count::default();
    join([0, 1, 2].map(|i| {
        let (queue, count) = (Arc::clone(&queues[i % 2]), count.clone());
        spawn(move || {
            let command = Command::native(Box::new(count.up()), Vec::new());
            queue.enqueue(command, &[], Blocking::Yes, WantEvent::No).expect("no error");
            assert!(count.get() >= 1);
        })
    }));
    assert_eq!(count.get(), 3);
}

/// Only background workers run these commands.
fn flushed_commands_need_no_waiter() {
    let context = context();
    let (done, all) = mpsc::channel();
    join([0, 1].map(|_| {
        let (queue, done) = (queue(&context, QueueFlags::empty()), done.clone());
        spawn(move || {
            for _ in 0..2 {
                let done = done.clone();
                call(&queue, &[], move || done.send(()).expect("main waits"));
                queue.flush();
            }
        })
    }));
    (0..4).for_each(|_| all.recv().expect("they run"));
}

fn polling_is_enough() {
    let context = context();
    let (done, ran) = mpsc::channel();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], move || done.send(()).expect("main waits"));
    let setter = spawn(move || gate.set_user_status(0).expect("set once"));
    assert!(event.execution_status() >= 0);
    ran.recv().expect("it runs");
    join([setter]);
}

fn idle_workers_leave_nothing_behind() {
    let context = context();
    let (done, all) = mpsc::channel();
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    let clock = spawn(|| {
        for _ in 0..3 {
            let_time_pass();
        }
    });
    for _ in 0..3 {
        let done = done.clone();
        call(&queue, &[], move || done.send(()).expect("main waits"));
        queue.flush();
        thread::yield_now();
    }
    (0..3).for_each(|_| all.recv().expect("they run"));
    join([clock]);
}

/// Lets time pass, on a thread of its own, until `until` says so.
fn clock(until: impl Fn() -> bool + Send + 'static) -> thread::JoinHandle<()> {
    spawn(move || {
        let mut n = 0;
        while !until() {
            n += 1;
            assert!(n < 5000, "nobody looks at the commands that are ready");
            let_time_pass();
            thread::yield_now();
        }
    })
}

/// Commands that each end only when the one after them has begun.
fn chained(n: usize) -> (impl Iterator<Item = Box<dyn FnOnce() + Send>>, Count) {
    let ended = Count::default();
    let (mut begun, first) = mpsc::channel();
    drop(first);
    let count = ended.clone();
    let commands = (0..n).map(move |i| {
        let (sender, next) = mpsc::channel();
        let before = std::mem::replace(&mut begun, sender);
        let end = count.up();
        let command = move || {
            // Nobody listens to the first one.
            let _ = before.send(());
            if i + 1 < n {
                next.recv().expect("the next one begins");
            }
            end();
        };
        Box::new(command) as Box<dyn FnOnce() + Send>
    });
    (commands, ended)
}

/// Queues are flushed one after the other, so that a thread may have begun a long command a moment before.
fn long_commands_hold_no_queue_up() {
    let context = context();
    let (commands, ended) = chained(3);
    let queues = [(); 3].map(|()| queue(&context, QueueFlags::empty()));
    for (queue, command) in queues.iter().zip(commands) {
        call(queue, &[], command);
        queue.flush();
    }
    let e = ended.clone();
    join([clock(move || e.get() == 3)]);
}

/// One flush for all commands of an out-of-order queue.
fn long_commands_hold_nothing_up_in_their_queue() {
    let context = context();
    let (commands, ended) = chained(3);
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    for command in commands {
        call(&queue, &[], command);
    }
    queue.flush();
    let e = ended.clone();
    join([clock(move || e.get() == 3)]);
}

/// A thread that waits runs a long command before another one that became ready with it.
fn waiting_threads_hold_nothing_up() {
    let context = context();
    let (mut commands, ended) = chained(2);
    let queues = [(); 3].map(|()| queue(&context, QueueFlags::empty()));
    let first = call(&queues[0], &[], || {});
    for queue in &queues[1..] {
        call(queue, &[Arc::clone(&first)], commands.next().expect("two"));
        queue.flush();
    }
    let e = ended.clone();
    let clock = clock(move || e.get() == 2);
    queues[1].finish().expect("there is memory");
    join([clock]);
}

/// A thread that waits does not run what it need not wait for: this may wait for it.
fn waiting_threads_run_no_strangers() {
    type Enqueue = fn(&Obj<Queue>, &[Obj<Event>], Box<dyn FnOnce() + Send>) -> Obj<Event>;
    let others: [Enqueue; 2] = [call, kernel];
    for (enqueue, flags) in others.into_iter().flat_map(|f| [(f, QueueFlags::empty()), (f, QueueFlags::OUT_OF_ORDER)]) {
        let context = context();
        let own = queue(&context, flags);
        let other = if flags.is_empty() { queue(&context, flags) } else { Arc::clone(&own) };
        let gate = Event::create_user(&context).expect("event");
        let (go, gone) = mpsc::channel();
        let event = call(&own, &[Arc::clone(&gate)], || {});
        let stranger = enqueue(&other, &[], Box::new(move || gone.recv().expect("main sends")));
        let setter = spawn(move || gate.set_user_status(0).expect("set once"));
        if flags.is_empty() {
            own.finish().expect("there is memory");
        }
        Event::wait_all(&[event]).expect("no error");
        go.send(()).expect("it listens");
        Event::wait_all(&[stranger]).expect("no error");
        join([setter]);
    }
}

/// What a target waits for in other queues runs on the thread that waits: no other one is asked for.
fn waiting_threads_run_what_they_need() {
    let context = context();
    let (ordered, free) = (queue(&context, QueueFlags::empty()), queue(&context, QueueFlags::OUT_OF_ORDER));
    let me = thread::current().id();
    let here = || move || assert_eq!(thread::current().id(), me);
    let first = kernel(&ordered, &[], here());
    let second = call(&free, &[first], here());
    let last = kernel(&ordered, &[second], here());
    Event::wait_all(&[last]).expect("no error");
    for event in [0, 1].map(|_| kernel(&free, &[], here())) {
        kernel(&ordered, &[event], here());
    }
    ordered.finish().expect("there is memory");
}

/// A thread that runs many small commands of its own, while the only worker is at a long one that waits for another.
fn brisk_threads_hold_nothing_up() {
    let context = context();
    let (commands, ended) = chained(2);
    let queues = [(); 3].map(|()| queue(&context, QueueFlags::empty()));
    for (queue, command) in queues.iter().zip(commands) {
        kernel(queue, &[], command);
        queue.flush();
    }
    for n in 0.. {
        if ended.get() == 2 {
            break;
        }
        assert!(n < 200, "nobody looks at the command that is ready");
        (0..70).for_each(|_| drop(kernel(&queues[2], &[], || {})));
        queues[2].finish().expect("there is memory");
        let_time_pass();
        thread::yield_now();
    }
}

fn one_event_wakes_all() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    let waiters = [0, 1].map(|_| {
        let event = Arc::clone(&event);
        spawn(move || Event::wait_all(&[event]).expect("no error"))
    });
    let theirs = Arc::clone(&gate);
    let own = spawn(move || Event::wait_all(&[theirs]).expect("no error"));
    gate.set_user_status(0).expect("set once");
    join(waiters);
    join([own]);
    assert_eq!(event.execution_status(), 0);
}

fn user_events_are_set_while_commands_join() {
    for status in [0, -7] {
        let context = context();
        let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
        let gate = Event::create_user(&context).expect("event");
        let count = Count::default();
        let theirs = Arc::clone(&gate);
        let setter = spawn(move || theirs.set_user_status(status).expect("set once"));
        let joiners = [0, 1].map(|_| {
            let (queue, gate, count) = (Arc::clone(&queue), Arc::clone(&gate), count.clone());
            spawn(move || {
                let event = call(&queue, &[gate], count.up());
                assert_eq!(Event::wait_all(&[Arc::clone(&event)]).is_ok(), status == 0);
                assert_eq!(event.execution_status(), status);
            })
        });
        join([setter]);
        join(joiners);
        assert_eq!(count.get(), if status == 0 { 2 } else { 0 });
    }
}

fn user_events_are_set_once() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    let winner = Arc::new(AtomicI32::new(1));
    let setters = [-1, -2].map(|status| {
        let (gate, winner) = (Arc::clone(&gate), Arc::clone(&winner));
        spawn(move || {
            if gate.set_user_status(status).is_ok() {
                assert_eq!(winner.swap(status, SeqCst), 1);
            }
        })
    });
    queue.finish().expect("there is memory");
    join(setters);
    assert_eq!(event.execution_status(), winner.load(SeqCst));
    assert_eq!(gate.execution_status(), winner.load(SeqCst));
}

/// The last reference to a user event goes while others wait for what waits for it.
fn user_events_may_be_forgotten() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    Arc::clone(&gate).into_handle();
    let event = call(&queue, &[Arc::clone(&gate)], || unreachable!("what it waits for fails"));
    let releaser = spawn(move || gate.release().expect("one reference"));
    let q = Arc::clone(&queue);
    let finisher = spawn(move || q.finish().expect("there is memory"));
    assert!(Event::wait_all(&[Arc::clone(&event)]).is_err());
    join([releaser, finisher]);
    assert!(event.execution_status() < 0);
}

fn failures_travel() {
    let context = context();
    let (ordered, free) = (queue(&context, QueueFlags::empty()), queue(&context, QueueFlags::OUT_OF_ORDER));
    let count = Count::default();
    let gate = Event::create_user(&context).expect("event");
    let first = call(&ordered, &[Arc::clone(&gate)], count.up());
    let after = call(&ordered, &[], count.up());
    let (q, f) = (Arc::clone(&free), Arc::clone(&first));
    let n = count.clone();
    let joiner = spawn(move || {
        let waits = call(&q, &[f], n.up());
        let last = call(&q, &[Arc::clone(&waits)], n.up());
        q.finish().expect("there is memory");
        assert_eq!((waits.execution_status(), last.execution_status()), (-9, -9));
    });
    let setter = spawn(move || gate.set_user_status(-9).expect("set once"));
    ordered.finish().expect("there is memory");
    join([joiner, setter]);
    assert_eq!((first.execution_status(), after.execution_status(), count.get()), (-9, 0, 1));
}

fn queues_wait_for_each_other() {
    let context = context();
    let queues = [0, 1].map(|_| queue(&context, QueueFlags::empty()));
    let notes = Notes::default();
    let a = call(&queues[0], &[], notes.note(0));
    let b = call(&queues[1], &[a], notes.note(1));
    let c = call(&queues[0], &[Arc::clone(&b)], notes.note(2));
    let finishers = queues.map(|queue| spawn(move || queue.finish().expect("there is memory")));
    let waiter = spawn(move || Event::wait_all(&[c, b]).expect("no error"));
    join(finishers);
    join([waiter]);
    assert_eq!(notes.all(), [0, 1, 2]);
}

fn barriers_hold_out_of_order() {
    let context = context();
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    let notes = Notes::default();
    let gate = Event::create_user(&context).expect("event");
    let (q, n, g) = (Arc::clone(&queue), notes.clone(), Arc::clone(&gate));
    let stranger = spawn(move || {
        let event = call(&q, &[g], n.note(9));
        Event::wait_all(&[event]).expect("no error");
    });
    let before = [0, 1].map(|i| call(&queue, &[], notes.note(i)));
    let marker = queue.enqueue(Command::marker(), &[], Blocking::No, WantEvent::Yes).expect("ok").expect("event");
    queue.enqueue(Command::barrier(), &before[..1], Blocking::No, WantEvent::No).expect("ok");
    let after = call(&queue, &[], notes.note(2));
    queue.flush();
    gate.set_user_status(0).expect("set once");
    Event::wait_all(&[marker]).expect("no error");
    assert!(before.iter().all(|event| event.execution_status() == 0), "the marker waits for them");
    Event::wait_all(&[after]).expect("no error");
    join([stranger]);
    queue.finish().expect("there is memory");
    assert!(notes.position(0) < notes.position(2));
    assert_eq!(notes.all().len(), 4);
}

fn callbacks_run_once() {
    for status in [0, -5] {
        let context = context();
        let queue = queue(&context, QueueFlags::empty());
        let gate = Event::create_user(&context).expect("event");
        let event = call(&queue, &[Arc::clone(&gate)], || {});
        let (told, calls) = mpsc::channel();
        let registrars = [State::Complete, State::Running].map(|state| {
            let (event, told) = (Arc::clone(&event), told.clone());
            spawn(move || {
                let callback = move |status| told.send((state, status)).expect("main waits");
                event.on_state(state, Box::new(callback)).expect("valid state");
            })
        });
        let setter = spawn(move || gate.set_user_status(status).expect("set once"));
        queue.finish().expect("there is memory");
        join(registrars);
        join([setter]);
        for _ in 0..2 {
            let (state, got) = calls.recv().expect("both run");
            assert_eq!(got, if status < 0 { status } else { state as i32 });
        }
        drop(told);
        assert!(calls.try_recv().is_err(), "a callback ran twice");
    }
}

fn submission_is_told_once() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    let (told, calls) = mpsc::channel();
    let e = Arc::clone(&event);
    let registrar = spawn(move || {
        let callback = move |status| told.send(status).expect("main waits");
        e.on_state(State::Submitted, Box::new(callback)).expect("valid state");
    });
    let flushers = [0, 1].map(|_| {
        let queue = Arc::clone(&queue);
        spawn(move || queue.flush())
    });
    assert_eq!(calls.recv(), Ok(State::Submitted as i32), "without the event having run");
    assert!(event.execution_status() > 0);
    gate.set_user_status(0).expect("set once");
    join(flushers);
    join([registrar]);
    queue.finish().expect("there is memory");
    assert!(calls.recv().is_err(), "a callback ran twice");
}

/// A callback waits for what another callback brings about.
fn callbacks_may_wait() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let (first, second, gate) = (
        Event::create_user(&context).expect("event"),
        Event::create_user(&context).expect("event"),
        Event::create_user(&context).expect("event"),
    );
    let (told, calls) = mpsc::channel();
    let (g, tell) = (Arc::clone(&gate), told.clone());
    let waits = move |_| {
        Event::wait_all(&[g]).expect("no error");
        tell.send(1).expect("main waits");
    };
    first.on_state(State::Complete, Box::new(waits)).expect("valid state");
    let (q, g) = (Arc::clone(&queue), Arc::clone(&gate));
    let opens = move |_| {
        let g = Arc::clone(&g);
        let event = call(&q, &[], move || g.set_user_status(0).expect("set once"));
        Event::wait_all(&[event]).expect("no error");
        told.send(2).expect("main waits");
    };
    second.on_state(State::Complete, Box::new(opens)).expect("valid state");
    join([first, second].map(|event| spawn(move || event.set_user_status(0).expect("set once"))));
    let mut got = [calls.recv().expect("runs"), calls.recv().expect("runs")];
    got.sort_unstable();
    assert_eq!(got, [1, 2]);
}

/// All handles are released while commands run; what they need stays until they are complete.
fn handles_go_while_commands_run() {
    let (done, all) = mpsc::channel();
    let context = context();
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    Arc::clone(&context).into_handle();
    Arc::clone(&queue).into_handle();
    let (c, q) = (Arc::clone(&context), Arc::clone(&queue));
    let releaser = spawn(move || {
        q.release().expect("one reference");
        c.release().expect("one reference");
    });
    for _ in 0..2 {
        let done = done.clone();
        let event = call(&queue, &[], move || done.send(()).expect("main waits"));
        Arc::clone(&event).into_handle();
        event.release().expect("one reference");
    }
    queue.flush();
    drop((context, queue));
    (0..2).for_each(|_| all.recv().expect("they run"));
    join([releaser]);
}

fn semaphores_pair_up() {
    let context = context();
    let semaphore = Semaphore::create(&context, None, Vec::new(), Handle::None).expect("one device");
    let queues = [0, 1].map(|_| queue(&context, QueueFlags::empty()));
    let notes = Notes::default();
    call(&queues[0], &[], notes.note(0));
    let (queue, signalled) = (Arc::clone(&queues[0]), Arc::clone(&semaphore));
    let signals = spawn(move || {
        queue.signal_semaphores(&[signalled], &[], WantEvent::No).expect("enqueued");
        queue.flush();
    });
    let (queue, awaited, n) = (Arc::clone(&queues[1]), Arc::clone(&semaphore), notes.clone());
    let waits = spawn(move || {
        queue.wait_semaphores(&[awaited], &[], WantEvent::No).expect("enqueued");
        call(&queue, &[], n.note(1));
        queue.finish().expect("there is memory");
    });
    join([signals, waits]);
    assert_eq!(notes.all(), [0, 1]);
    assert_eq!(semaphore.payload(), 0);
}

/// Whatever a job's closure holds is dropped when its maker goes on, on the maker's thread.
fn late_helpers_hold_nothing() {
    struct Held(thread::ThreadId, Count);
    impl Drop for Held {
        fn drop(&mut self) {
            assert_eq!(thread::current().id(), self.0);
            self.1.up()();
        }
    }
    let (dropped, claims, done) = (Count::default(), Count::default(), Count::default());
    let held = Held(thread::current().id(), dropped.clone());
    let (claimed, did) = (claims.clone(), done.clone());
    let job = Arc::new(Job::new(move || {
        let _held = &held;
        while claimed.0.fetch_add(1, SeqCst) < 3 {
            thread::yield_now();
            did.up()();
        }
    }));
    let helpers = [0, 1].map(|_| {
        let job = Arc::clone(&job);
        spawn(move || job.help())
    });
    job.finish();
    assert_eq!((done.get(), dropped.get()), (3, 1));
    join(helpers);
}
