//! What a command costs apart from its work. Times are per iteration; "10k" rows are for 10,000 commands.

use clift_runtime::memory::host::HostPtr;
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, QueueFlags, WantEvent};
use clift_runtime::{Context, Event, Mem, Obj, Platform, Queue};
use criterion::{Criterion, criterion_group, criterion_main};

fn queue(flags: QueueFlags) -> (Obj<Context>, Obj<Queue>) {
    let context = Context::create(Platform::get().devices(), Vec::new(), None).expect("context");
    let queue = Queue::create(&context, &context.devices()[0], flags, Vec::new(), 0).expect("queue");
    (context, queue)
}

fn empty() -> Command {
    Command::native(Box::new(|| {}), Vec::new())
}

fn enqueue(queue: &Obj<Queue>, waits: &[Obj<Event>], want: WantEvent) -> Option<Obj<Event>> {
    queue.enqueue(empty(), waits, Blocking::No, want).expect("enqueued")
}

fn benches(c: &mut Criterion) {
    let (context, ordered) = queue(QueueFlags::empty());
    let (_other, free) = queue(QueueFlags::OUT_OF_ORDER);
    c.bench_function("enqueue+finish", |b| {
        b.iter(|| {
            enqueue(&ordered, &[], WantEvent::No);
            ordered.finish().expect("there is memory");
        });
    });
    for (name, queue) in [("in order 10k", &ordered), ("out of order 10k", &free)] {
        c.bench_function(name, |b| {
            b.iter(|| {
                (0..10_000).for_each(|_| drop(enqueue(queue, &[], WantEvent::No)));
                queue.finish().expect("there is memory");
            });
        });
    }
    c.bench_function("chain of events 10k", |b| {
        b.iter(|| {
            let mut last: Vec<Obj<Event>> = Vec::new();
            for _ in 0..10_000 {
                last = enqueue(&free, &last, WantEvent::Yes).into_iter().collect();
            }
            free.finish().expect("there is memory");
        });
    });
    let buffer = Mem::create_buffer(&context, 0, 4096, None, Vec::new()).expect("buffer");
    let mut word = [0u8; 4];
    // SAFETY: the reads are blocking and `word` outlives them.
    #[allow(unsafe_code, reason = "the pointer of a blocking read")]
    let target = unsafe { HostPtr::new(word.as_mut_ptr()) }.expect("not null");
    c.bench_function("blocking read of 4 bytes", |b| {
        b.iter(|| {
            let command = Command::read_buffer(&buffer, 0, 4, target).expect("valid");
            ordered.enqueue(command, &[], Blocking::Yes, WantEvent::No).expect("read")
        });
    });
    c.bench_function("enqueue+flush+wait", |b| {
        b.iter(|| {
            let event = enqueue(&ordered, &[], WantEvent::Yes).expect("event");
            ordered.flush();
            Event::wait_all(&[event]).expect("complete");
        });
    });
}

criterion_group!(all, benches);
criterion_main!(all);
