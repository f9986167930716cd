//! Buffers: flags, transfers of every kind against plain slices, maps, reference counts and destructor callbacks.

mod common;

use clift_runtime::memory::buffer::MemFlags;
use clift_runtime::memory::host::HostPtr;
use clift_runtime::memory::region::RectSide;
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, QueueFlags, WantEvent};
use clift_runtime::{Context, Error, Mem, Obj, Queue, Result, Status};
use common::{context, queue};
use std::sync::{Arc, Mutex};

#[allow(unsafe_code, reason = "pointers to vectors that outlive the blocking command")]
fn host(bytes: &mut [u8]) -> HostPtr {
    // SAFETY: the tests pass slices of the size that they name to the command.
    unsafe { HostPtr::new(bytes.as_mut_ptr()) }.expect("not null")
}

fn run(queue: &Obj<Queue>, command: Result<Command>) -> Result<()> {
    queue.enqueue(command?, &[], Blocking::Yes, WantEvent::No).map(drop)
}

fn read(queue: &Obj<Queue>, buffer: &Obj<Mem>) -> Vec<u8> {
    let mut out = vec![0; buffer.size()];
    run(queue, Command::read_buffer(buffer, 0, out.len(), host(&mut out))).expect("read");
    out
}

fn buffer(context: &Obj<Context>, bytes: &mut [u8]) -> Obj<Mem> {
    let flags = MemFlags::COPY_HOST_PTR.bits();
    Mem::create_buffer(context, flags, bytes.len(), Some(host(bytes)), Vec::new()).expect("buffer")
}

fn ramp(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 256) as u8).collect()
}

fn code<T>(result: Result<T>) -> Status {
    result.map(drop).expect_err("must be refused").status()
}

#[test]
fn transfers_of_all_sizes() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    for n in [1, 100, 5000, (9 << 20) + 77] {
        let mut data = ramp(n);
        let a = Mem::create_buffer(&context, 0, n, None, Vec::new()).expect("buffer");
        assert!(read(&queue, &a).iter().all(|&b| b == 0));
        run(&queue, Command::write_buffer(&a, 0, n, host(&mut data))).expect("write");
        assert!(read(&queue, &a) == data);
        let b = Mem::create_buffer(&context, 0, n + 3, None, Vec::new()).expect("buffer");
        run(&queue, Command::copy_buffer(&a, &b, 0, 3, n)).expect("copy");
        assert!(read(&queue, &b)[3..] == data);
        run(&queue, Command::fill_buffer(&a, &[9], 0, n)).expect("fill");
        assert!(read(&queue, &a).iter().all(|&b| b == 9));
    }
}

#[test]
fn fills_keep_to_their_region() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let mut data = ramp(1024);
    let b = buffer(&context, &mut data);
    for n in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let pattern: Vec<u8> = (0..n).map(|i| 200 + i as u8 % 50).collect();
        run(&queue, Command::fill_buffer(&b, &pattern, 256, 512)).expect("fill");
        for (i, byte) in data[256..768].iter_mut().enumerate() {
            *byte = pattern[i % n];
        }
        assert!(read(&queue, &b) == data);
    }
    assert_eq!(code(Command::fill_buffer(&b, &[1; 3], 0, 3)), Status::InvalidValue);
    assert_eq!(code(Command::fill_buffer(&b, &[1; 4], 2, 4)), Status::InvalidValue);
    assert_eq!(code(Command::fill_buffer(&b, &[], 0, 4)), Status::InvalidValue);
    assert_eq!(code(Command::fill_buffer(&b, &[1; 4], 1024, 4)), Status::InvalidValue);
}

#[test]
fn rectangles_agree_with_loops() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let mut data = ramp(4096);
    let a = buffer(&context, &mut data);
    let region = [5, 4, 3];
    let side = RectSide { origin: [3, 2, 1], row_pitch: 20, slice_pitch: 200 };
    let other = RectSide { origin: [1, 0, 2], row_pitch: 0, slice_pitch: 0 };
    let at = |x: usize, y: usize, z: usize| 200 * (1 + z) + 20 * (2 + y) + 3 + x;
    let packed = |x: usize, y: usize, z: usize| 20 * (2 + z) + 5 * y + 1 + x;
    let mut expected = vec![0u8; 200];
    for (x, y, z) in (0..3).flat_map(|z| (0..4).flat_map(move |y| (0..5).map(move |x| (x, y, z)))) {
        expected[packed(x, y, z)] = data[at(x, y, z)];
    }
    let mut out = vec![0u8; 200];
    run(&queue, Command::read_rect(&a, side, other, region, host(&mut out))).expect("read");
    assert_eq!(out, expected);
    let b = Mem::create_buffer(&context, 0, 200, None, Vec::new()).expect("buffer");
    run(&queue, Command::copy_rect(&a, &b, side, other, region)).expect("copy");
    assert_eq!(read(&queue, &b), expected);
    let c = Mem::create_buffer(&context, 0, 4096, None, Vec::new()).expect("buffer");
    run(&queue, Command::write_rect(&c, side, other, region, host(&mut out))).expect("write");
    let back = read(&queue, &c);
    for (i, &byte) in back.iter().enumerate() {
        let inside = (0..3).any(|z| (0..4).any(|y| (0..5).any(|x| at(x, y, z) == i)));
        assert_eq!(byte, if inside { data[i] } else { 0 });
    }
    assert_eq!(code(Command::copy_rect(&a, &a, side, side, region)), Status::MemCopyOverlap);
    assert_eq!(code(Command::read_rect(&b, side, other, region, host(&mut out))), Status::InvalidValue);
}

#[test]
fn overlaps_are_refused_through_sub_buffers_too() {
    let context = context();
    let b = Mem::create_buffer(&context, 0, 1024, None, Vec::new()).expect("buffer");
    let (left, right) = (Mem::create_sub_buffer(&b, 0, 0, 512), Mem::create_sub_buffer(&b, 0, 256, 512));
    let (left, right) = (left.expect("left"), right.expect("right"));
    assert_eq!(code(Command::copy_buffer(&b, &b, 0, 10, 11)), Status::MemCopyOverlap);
    assert!(Command::copy_buffer(&b, &b, 0, 10, 10).is_ok());
    assert_eq!(code(Command::copy_buffer(&left, &right, 256, 0, 16)), Status::MemCopyOverlap);
    assert!(Command::copy_buffer(&left, &right, 0, 0, 256).is_ok());
}

#[test]
fn sub_buffers_share_and_inherit() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let mut data = ramp(1024);
    let flags = (MemFlags::USE_HOST_PTR | MemFlags::HOST_READ_ONLY).bits();
    let b = Mem::create_buffer(&context, flags, 1024, Some(host(&mut data)), Vec::new()).expect("buffer");
    let s = Mem::create_sub_buffer(&b, MemFlags::READ_ONLY.bits(), 256, 128).expect("sub-buffer");
    assert_eq!(s.host_address(), b.host_address() + 256);
    assert_eq!(s.data_address(), b.data_address() + 256);
    assert_eq!(s.flags(), MemFlags::READ_ONLY | MemFlags::USE_HOST_PTR | MemFlags::HOST_READ_ONLY);
    assert_eq!(read(&queue, &s), ramp(1024)[256..384]);
    let mut byte = [0];
    assert_eq!(code(Command::write_buffer(&s, 0, 1, host(&mut byte))), Status::InvalidOperation);
    assert_eq!(code(Mem::create_sub_buffer(&b, 0, 100, 8)), Status::MisalignedSubBufferOffset);
    assert_eq!(code(Mem::create_sub_buffer(&b, 0, 1024, 128)), Status::InvalidValue);
    assert_eq!(code(Mem::create_sub_buffer(&b, 0, 0, 0)), Status::InvalidBufferSize);
    assert_eq!(code(Mem::create_sub_buffer(&s, 0, 0, 8)), Status::InvalidMemObject);
    assert_eq!(code(Mem::create_sub_buffer(&b, MemFlags::HOST_WRITE_ONLY.bits(), 0, 8)), Status::InvalidValue);
}

#[test]
fn creation_checks_its_arguments() {
    let context = context();
    let mut byte = [0];
    let create = |flags: MemFlags, size, ptr| Mem::create_buffer(&context, flags.bits(), size, ptr, Vec::new());
    assert_eq!(code(create(MemFlags::empty(), 0, None)), Status::InvalidBufferSize);
    assert_eq!(code(create(MemFlags::empty(), usize::MAX, None)), Status::InvalidBufferSize);
    assert_eq!(code(create(MemFlags::READ_ONLY | MemFlags::WRITE_ONLY, 1, None)), Status::InvalidValue);
    assert_eq!(code(create(MemFlags::HOST_READ_ONLY | MemFlags::HOST_NO_ACCESS, 1, None)), Status::InvalidValue);
    let both = MemFlags::USE_HOST_PTR | MemFlags::ALLOC_HOST_PTR;
    assert_eq!(code(create(both, 1, Some(host(&mut byte)))), Status::InvalidValue);
    assert_eq!(code(create(MemFlags::USE_HOST_PTR, 1, None)), Status::InvalidHostPtr);
    assert_eq!(code(create(MemFlags::READ_ONLY, 1, Some(host(&mut byte)))), Status::InvalidHostPtr);
    assert_eq!(code(Mem::create_buffer(&context, 1 << 40, 1, None, Vec::new())), Status::InvalidValue);
    assert_eq!(create(MemFlags::empty(), 1, None).map(|b| b.flags()), Ok(MemFlags::READ_WRITE));
}

#[test]
fn maps_are_zero_copy_and_counted() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let mut data = ramp(256);
    let b = Mem::create_buffer(&context, MemFlags::USE_HOST_PTR.bits(), 256, Some(host(&mut data)), Vec::new());
    let b = b.expect("buffer");
    let (command, address) = Command::map_buffer(&b, 3, 16, 32).expect("valid");
    assert_eq!(address, data.as_ptr().addr() + 16);
    assert_eq!(b.map_count(), 0);
    run(&queue, Ok(command)).expect("map");
    assert_eq!(b.map_count(), 1);
    assert_eq!(code(Command::unmap(&b, address + 1)), Status::InvalidValue);
    run(&queue, Command::unmap(&b, address)).expect("unmap");
    assert_eq!(b.map_count(), 0);
    assert_eq!(code(Command::unmap(&b, address)), Status::InvalidValue);
    assert_eq!(code(Command::map_buffer(&b, 1 | 4, 0, 1)), Status::InvalidValue);
    assert_eq!(code(Command::map_buffer(&b, 1, 256, 1)), Status::InvalidValue);
    let hidden = Mem::create_buffer(&context, MemFlags::HOST_NO_ACCESS.bits(), 8, None, Vec::new()).expect("buffer");
    assert_eq!(code(Command::map_buffer(&hidden, 1, 0, 1)), Status::InvalidOperation);
}

#[test]
fn destructor_callbacks_run_in_reverse_and_once() {
    let context = context();
    let queue = queue(&context, QueueFlags::empty());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let b = Mem::create_buffer(&context, 0, 64, None, Vec::new()).expect("buffer");
    let note = |i| {
        let seen = Arc::clone(&seen);
        Box::new(move || seen.lock().expect("no panic").push(i))
    };
    (0..3).for_each(|i| b.on_destroy(note(i)));
    context.on_destroy(note(100));
    let sub = Mem::create_sub_buffer(&b, 0, 0, 8).expect("sub-buffer");
    sub.on_destroy(note(10));
    let _ = Arc::clone(&b).into_handle();
    assert_eq!((b.reference_count(), sub.reference_count()), (1, 0));
    // A command holds the buffer until it is complete.
    let gate = clift_runtime::Event::create_user(&context).expect("event");
    let fill = Command::fill_buffer(&sub, &[1], 0, 8).expect("valid");
    queue.enqueue(fill, &[Arc::clone(&gate)], Blocking::No, WantEvent::No).expect("enqueued");
    assert_eq!(b.release(), Ok(()));
    assert_eq!(b.release().map_err(|e| e.status()), Err(Status::InvalidMemObject));
    drop((b, sub));
    assert!(seen.lock().expect("no panic").is_empty());
    gate.set_user_status(0).expect("set once");
    queue.finish().expect("there is memory");
    assert_eq!(*seen.lock().expect("no panic"), [10, 2, 1, 0]);
    drop((gate, queue, context));
    common::eventually("the context's callback", || seen.lock().expect("no panic").last() == Some(&100));
}

#[test]
fn alien_buffers_are_refused() {
    let (ours, theirs) = (context(), context());
    let queue = queue(&ours, QueueFlags::empty());
    let b = Mem::create_buffer(&theirs, 0, 64, None, Vec::new()).expect("buffer");
    let fill = Command::fill_buffer(&b, &[1], 0, 8);
    assert_eq!(run(&queue, fill), Err(Error::ContextMismatch));
}
