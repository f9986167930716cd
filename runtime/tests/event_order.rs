//! Order, failure and callbacks of events, over native commands.

mod common;

use clift_runtime::event::{Stamp, State};
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, QueueFlags, WantEvent};
use clift_runtime::{Error, Event, Status};
use common::{call, context, eventually, marker, queue};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

#[test]
fn in_order_queues_keep_their_order() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let seen = Arc::new(Mutex::new(Vec::new()));
    for i in 0..1000 {
        let seen = Arc::clone(&seen);
        call(&queue, &[], move || seen.lock().expect("no panic").push(i));
        if i == 500 {
            queue.flush();
        }
    }
    queue.finish().expect("there is memory");
    assert_eq!(*seen.lock().expect("no panic"), (0..1000).collect::<Vec<_>>());
}

#[test]
fn nothing_runs_before_a_user_event_and_all_after() {
    let context = context();
    let (first, second) = (queue(&context, QueueFlags::empty()), queue(&context, QueueFlags::OUT_OF_ORDER));
    let gate = Event::create_user(&context).expect("event");
    let n = Arc::new(AtomicUsize::new(0));
    let count = || {
        let n = Arc::clone(&n);
        move || {
            n.fetch_add(1, SeqCst);
        }
    };
    let a = call(&first, &[Arc::clone(&gate)], count());
    let b = call(&second, &[Arc::clone(&a)], count());
    let c = call(&second, &[], count());
    first.flush();
    second.flush();
    eventually("the free command runs", || c.execution_status() == 0);
    assert_eq!((n.load(SeqCst), a.execution_status(), b.execution_status()), (1, 2, 2));
    assert_eq!(gate.set_user_status(0), Ok(()));
    assert_eq!(gate.set_user_status(0).map_err(|e| e.status()), Err(Status::InvalidOperation));
    eventually("flushed commands run by themselves", || b.execution_status() == 0);
    assert_eq!(n.load(SeqCst), 3);
}

#[test]
fn failures_reach_dependants_through_wait_lists_only() {
    let context = context();
    let (ordered, free) = (queue(&context, QueueFlags::empty()), queue(&context, QueueFlags::OUT_OF_ORDER));
    let gate = Event::create_user(&context).expect("event");
    let ran = Arc::new(AtomicUsize::new(0));
    let mark = || {
        let ran = Arc::clone(&ran);
        move || {
            ran.fetch_add(1, SeqCst);
        }
    };
    let a = call(&ordered, &[Arc::clone(&gate)], mark());
    let after = call(&ordered, &[], mark());
    let b = call(&free, &[Arc::clone(&a)], mark());
    assert_eq!(gate.set_user_status(-777), Ok(()));
    assert_eq!(Event::wait_all(&[Arc::clone(&b)]), Err(Error::WaitedEventFailed { status: -777 }));
    ordered.finish().expect("there is memory");
    assert_eq!((a.execution_status(), b.execution_status(), after.execution_status()), (-777, -777, 0));
    assert_eq!(ran.load(SeqCst), 1);
    // A list with an event that has failed already.
    let late = marker(&free, &[b]);
    free.finish().expect("there is memory");
    assert_eq!(late.execution_status(), -777);
}

#[test]
fn a_panic_fails_its_event_only() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let bad = call(&queue, &[], || std::panic::resume_unwind(Box::new("on purpose")));
    let good = call(&queue, &[], || {});
    queue.finish().expect("there is memory");
    assert_eq!((bad.execution_status(), good.execution_status()), (Status::OutOfResources.code(), 0));
}

#[test]
fn chains_of_100_000_events() {
    let context = context();
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    for fails in [false, true] {
        let gate = Event::create_user(&context).expect("event");
        let mut last = Arc::clone(&gate);
        let mut all = Vec::new();
        for i in 0..100_000 {
            let next = marker(&queue, &[last]);
            if i % 2 == 0 {
                all.push(Arc::clone(&next));
            }
            last = next;
        }
        let status = if fails { -9 } else { 0 };
        assert_eq!(gate.set_user_status(status), Ok(()));
        queue.finish().expect("there is memory");
        assert_eq!(last.execution_status(), status);
        assert!(all.iter().all(|e| e.execution_status() == status));
    }
}

#[test]
fn chains_of_user_events_set_from_callbacks() {
    let context = context();
    let events: Vec<_> = (0..1000).map(|_| Event::create_user(&context).expect("event")).collect();
    for pair in events.windows(2) {
        let next = Arc::clone(&pair[1]);
        let set = move |status| next.set_user_status(status).expect("set once");
        pair[0].on_state(State::Complete, Box::new(set)).expect("valid state");
    }
    assert_eq!(events[0].set_user_status(0), Ok(()));
    assert_eq!(Event::wait_all(&events), Ok(()));
}

#[test]
fn callbacks_see_every_state_and_may_enqueue() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    for state in [State::Submitted, State::Running, State::Complete] {
        let seen = Arc::clone(&seen);
        let note = move |status| seen.lock().expect("no panic").push(status);
        event.on_state(state, Box::new(note)).expect("valid state");
    }
    assert_eq!(event.on_state(State::Queued, Box::new(|_| {})).map_err(|e| e.status()), Err(Status::InvalidValue));
    let again = Arc::new(AtomicUsize::new(0));
    let (theirs, q) = (Arc::clone(&again), Arc::clone(&queue));
    let enqueue = move |_| {
        let n = Arc::clone(&theirs);
        call(&q, &[], move || {
            n.fetch_add(1, SeqCst);
        });
        q.finish().expect("there is memory");
        theirs.fetch_add(1, SeqCst);
    };
    event.on_state(State::Complete, Box::new(enqueue)).expect("valid state");
    queue.flush();
    eventually("submitted", || *seen.lock().expect("no panic") == [2]);
    assert_eq!(gate.set_user_status(0), Ok(()));
    eventually("all states", || *seen.lock().expect("no panic") == [2, 1, 0]);
    eventually("the callback's own command", || again.load(SeqCst) == 2);
    // After the fact a callback still runs, and errors reach callbacks of every state.
    let late = Arc::new(AtomicUsize::new(0));
    let n = Arc::clone(&late);
    event.on_state(State::Running, Box::new(move |s| n.store(100 + s as usize, SeqCst))).expect("valid state");
    eventually("late callback", || late.load(SeqCst) == 101);
    let failed = Event::create_user(&context).expect("event");
    let status = Arc::new(std::sync::atomic::AtomicI32::new(0));
    let s = Arc::clone(&status);
    failed.on_state(State::Running, Box::new(move |v| s.store(v, SeqCst))).expect("valid state");
    assert_eq!(failed.set_user_status(-3), Ok(()));
    eventually("error callback", || status.load(SeqCst) == -3);
}

#[test]
fn submission_is_told_whoever_comes_first() {
    let context = context();
    let n = Arc::new(AtomicUsize::new(0));
    let rounds = 1000;
    let start = std::sync::Barrier::new(2);
    let current = Mutex::new(None);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..rounds {
                start.wait();
                let queue: clift_runtime::Obj<clift_runtime::Queue> =
                    current.lock().expect("no panic").take().expect("one per round");
                start.wait();
                queue.flush();
            }
        });
        for round in 1..=rounds {
            let (queue, gate) = (queue(&context, QueueFlags::empty()), Event::create_user(&context).expect("event"));
            let event = call(&queue, &[Arc::clone(&gate)], || {});
            *current.lock().expect("no panic") = Some(queue);
            let n_told = Arc::clone(&n);
            let tell = Box::new(move |_| {
                n_told.fetch_add(1, SeqCst);
            });
            start.wait();
            start.wait();
            event.on_state(State::Submitted, tell).expect("valid state");
            eventually("the flush is told", || n.load(SeqCst) == round);
            gate.set_user_status(0).expect("set once");
        }
    });
}

#[test]
fn abandoned_user_events_do_not_block() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let gate = Event::create_user(&context).expect("event");
    let event = call(&queue, &[Arc::clone(&gate)], || {});
    drop(gate);
    queue.finish().expect("there is memory");
    assert!(event.execution_status() < 0);
}

#[test]
fn released_queues_still_run() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let n = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&n);
    let handle = Arc::clone(&queue).into_handle();
    assert!(!handle.is_null());
    let command = Command::native(
        Box::new(move || {
            theirs.fetch_add(1, SeqCst);
        }),
        Vec::new(),
    );
    queue.enqueue(command, &[], Blocking::No, WantEvent::No).expect("enqueued");
    assert_eq!(queue.release(), Ok(()));
    drop(queue);
    eventually("the command runs without a flush", || n.load(SeqCst) == 1);
}

#[test]
fn eight_threads_enqueue_at_once() {
    let context = context();
    let flags = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER];
    let queues: Vec<_> = (0..4).map(|i| queue(&context, flags[i % 2])).collect();
    let n = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for t in 0..8 {
            let (queues, n) = (&queues, &n);
            scope.spawn(move || {
                let mut last: Option<clift_runtime::Obj<Event>> = None;
                for i in 0..2000 {
                    let queue = &queues[(t + i) % 4];
                    let n = Arc::clone(n);
                    let waits: Vec<_> = last.take_if(|_| i % 3 == 0).into_iter().collect();
                    let event = call(queue, &waits, move || {
                        n.fetch_add(1, SeqCst);
                    });
                    match i % 50 {
                        7 => queue.flush(),
                        23 => Event::wait_all(&[Arc::clone(&event)]).expect("complete"),
                        41 => queue.finish().expect("there is memory"),
                        _ => {}
                    }
                    last = Some(event);
                }
            });
        }
    });
    queues.iter().for_each(|q| q.finish().expect("there is memory"));
    assert_eq!(n.load(SeqCst), 16_000);
}

#[test]
fn out_of_order_really_is() {
    let context = context();
    let queue = queue(&context, QueueFlags::OUT_OF_ORDER);
    let gate = Event::create_user(&context).expect("event");
    let blocked = call(&queue, &[Arc::clone(&gate)], || {});
    let free = call(&queue, &[], || {});
    Event::wait_all(&[free]).expect("does not wait for its elder");
    assert!(blocked.execution_status() > 0);
    let barrier = queue.enqueue(Command::barrier(), &[], Blocking::No, WantEvent::Yes).expect("ok").expect("event");
    let after = call(&queue, &[], || {});
    queue.flush();
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert!(barrier.execution_status() > 0 && after.execution_status() > 0);
    gate.set_user_status(0).expect("set once");
    queue.finish().expect("there is memory");
    assert_eq!((barrier.execution_status(), after.execution_status()), (0, 0));
}

#[test]
fn profiling_times_rise() {
    let context = context();
    let queue = queue(&context, QueueFlags::PROFILING);
    let start = std::time::Instant::now();
    let event = call(&queue, &[], || std::thread::sleep(std::time::Duration::from_millis(2)));
    let early = event.profiling_ns(Stamp::Queued).map_err(|e| e.status());
    assert_eq!(early, Err(Status::ProfilingInfoNotAvailable));
    queue.finish().expect("there is memory");
    let longest = start.elapsed().as_nanos() as u64;
    let all = [Stamp::Queued, Stamp::Submit, Stamp::Start, Stamp::End, Stamp::Complete];
    let times: Vec<u64> = all.iter().map(|&s| event.profiling_ns(s).expect("complete")).collect();
    assert!(times[0] > 0 && times.is_sorted());
    assert!((2_000_000..=longest).contains(&(times[3] - times[2])));
    let plain = call(&common::queue(&context, QueueFlags::empty()), &[], || {});
    Event::wait_all(&[Arc::clone(&plain)]).expect("complete");
    assert!(plain.profiling_ns(Stamp::End).is_err());
}

#[test]
fn contexts_do_not_mix() {
    let (ours, theirs) = (context(), context());
    let queue = queue(&ours, QueueFlags::empty());
    let alien = Event::create_user(&theirs).expect("event");
    let refused = queue.enqueue(Command::marker(), &[Arc::clone(&alien)], Blocking::No, WantEvent::No);
    assert_eq!(refused.map(drop), Err(Error::ContextMismatch));
    assert_eq!(Event::wait_all(&[alien, Event::create_user(&ours).expect("event")]), Err(Error::ContextMismatch));
}

#[test]
fn many_threads_wait_for_one_event() {
    let context = context();
    let gate = Event::create_user(&context).expect("event");
    let woken = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                Event::wait_all(std::slice::from_ref(&gate)).expect("complete");
                woken.fetch_add(1, SeqCst);
            });
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(woken.load(SeqCst), 0);
        gate.set_user_status(0).expect("set once");
    });
    assert_eq!(woken.load(SeqCst), 8);
}
