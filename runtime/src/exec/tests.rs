//! Launches with hand-made code: every work-item runs once, in groups of the right shape, with its own local memory and
//! scratch.
#![allow(unsafe_code, reason = "hand-made kernels read what generated code reads")]

use crate::context::Context;
use crate::device::version::EMPTY_LOCAL_ARGS;
use crate::error::Result;
use crate::kernel::{ArgValue, Kernel};
use crate::memory::buffer::{Mem, MemFlags};
use crate::memory::host::HostPtr;
use crate::memory::stream::Stores;
use crate::object::{Obj, Object};
use crate::platform::Platform;
use crate::program::Program;
use crate::program::executable::KernelSource;
use crate::queue::command::{Command, CommandType, WorkSizes};
use crate::queue::{Blocking, Queue, QueueFlags, WantEvent};
use crate::status::Status;
use clift_jit::launch::{EntryPoint, LaneChoice};
use clift_jit::{AddrSpace, ArgInfo, ArgKind, Env, KernelCode, KernelInfo, SpecKey};
use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts visits: `atomic_inc(&out[global linear id])`, after writing all of the group's local memory and scratch.
unsafe extern "C" fn count(args: *const u8, env: *const Env, g0: u64, g1: u64) {
    // SAFETY: called with the block and geometry of a launch: a buffer at 0, local memory's offset at 8, its size
    // at 16.
    unsafe {
        let (env, out) = (&*env, *args.cast::<*const AtomicU32>());
        let local = env.local.add(*args.add(8).cast::<u64>() as usize);
        assert!([args.addr(), local.addr(), env.scratch.addr()].iter().all(|at| at.is_multiple_of(128)));
        local.write_bytes(0xA5, *args.add(16).cast::<u64>() as usize);
        let items: u64 = env.local_size.iter().product();
        env.scratch.write_bytes(0x5A, 64 * items as usize);
        for group in g0..g1 {
            let at = [
                group % env.num_groups[0],
                group / env.num_groups[0] % env.num_groups[1],
                group / env.num_groups[0] / env.num_groups[1],
            ];
            let first: [u64; 3] = std::array::from_fn(|d| at[d] * env.local_size[d]);
            let end: [u64; 3] = std::array::from_fn(|d| (first[d] + env.local_size[d]).min(env.global_size[d]));
            for z in first[2]..end[2] {
                for y in first[1]..end[1] {
                    for x in first[0]..end[0] {
                        let id = (z * env.global_size[1] + y) * env.global_size[0] + x;
                        (*out.add(id as usize)).fetch_add(1, Relaxed);
                    }
                }
            }
        }
    }
}

/// Groups that meet: each adds one to `out[0]` and ends when two have come, or when it takes too long.
unsafe extern "C" fn meet(args: *const u8, _: *const Env, g0: u64, g1: u64) {
    // SAFETY: as in `count`.
    let out = unsafe { &**args.cast::<*const AtomicU32>() };
    for _ in g0..g1 {
        out.fetch_add(1, Relaxed);
        let start = Instant::now();
        while out.load(Relaxed) < 2 && start.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
    }
    // SAFETY: as in `count`; the buffer has two elements.
    let end = unsafe { &*std::ptr::from_ref(out).add(1) };
    end.fetch_max(out.load(Relaxed), Relaxed);
}

/// Takes a millisecond for each group, and notes in `out[0]` how large the value at 16 is.
unsafe extern "C" fn slow(args: *const u8, _: *const Env, g0: u64, g1: u64) {
    std::thread::sleep(Duration::from_millis(g1 - g0));
    // SAFETY: as in `count`.
    unsafe { (**args.cast::<*const AtomicU32>()).store(*args.add(16).cast::<u32>(), Relaxed) };
}

/// Takes a millisecond for each group, and counts in `out[0]` how many there were.
unsafe extern "C" fn patient(args: *const u8, _: *const Env, g0: u64, g1: u64) {
    std::thread::sleep(Duration::from_millis(g1 - g0));
    // SAFETY: as in `count`.
    unsafe { (**args.cast::<*const AtomicU32>()).fetch_add((g1 - g0) as u32, Relaxed) };
}

/// Takes a tenth of that for each, and counts in `out[1]`.
unsafe extern "C" fn quick(args: *const u8, _: *const Env, g0: u64, g1: u64) {
    std::thread::sleep(Duration::from_micros(100 * (g1 - g0)));
    // SAFETY: as in `count`; the buffer has two elements.
    unsafe { (*args.cast::<*const AtomicU32>().read().add(1)).fetch_add((g1 - g0) as u32, Relaxed) };
}

/// Does nothing.
unsafe extern "C" fn instant(_: *const u8, _: *const Env, _: u64, _: u64) {}

struct Made {
    entry: EntryPoint,
    /// Code that is made instead where it is to be thorough.
    better: OnceCell<EntryPoint>,
    /// Code that may turn out better, if there is such.
    rival: OnceCell<EntryPoint>,
    info: Vec<KernelInfo>,
    exact: AtomicUsize,
    any: AtomicUsize,
    /// Times that code was asked for whose stores go past the caches.
    streams: AtomicUsize,
    /// Times that code was asked for of which a value is known.
    values: AtomicUsize,
    /// What is not asked to be thorough is made in a hurry, and how often better code was asked for.
    is_hasty: AtomicBool,
    thorough: AtomicUsize,
    /// Milliseconds that it takes to make code.
    making: AtomicU64,
}

impl KernelSource for Made {
    fn kernels(&self) -> &[KernelInfo] {
        &self.info
    }
    fn code(&self, _: usize, key: SpecKey) -> Result<KernelCode> {
        std::thread::sleep(Duration::from_millis(self.making.load(Relaxed)));
        let is_hasty = self.is_hasty.load(Relaxed) && !key.thorough;
        let counter = match key.local_size {
            // Made whenever launches have taken long enough, on a busy machine sooner than on an idle one.
            _ if !key.values.is_empty() => &self.values,
            _ if key.thorough => &self.thorough,
            Some(_) => &self.exact,
            None => &self.any,
        };
        counter.fetch_add(1, Relaxed);
        self.streams.fetch_add(usize::from(key.streams == 1), Relaxed);
        // SAFETY: the entries keep to their arguments.
        let made = |entry| unsafe { KernelCode::from_entry(entry, 0, 64) };
        let entry = self.better.get().filter(|_| key.thorough).copied().unwrap_or(self.entry);
        let code = match (key.lanes, self.rival.get()) {
            (LaneChoice::More, Some(&rival)) => made(rival),
            (_, Some(_)) => made(entry).with_rivals(&[LaneChoice::More]),
            (_, None) => made(entry),
        };
        Ok(if is_hasty { code.hastily_made() } else { code })
    }
}

fn made(entry: EntryPoint, reqd: Option<[u64; 3]>) -> Arc<Made> {
    let arg = |name: &str, kind, offset| ArgInfo {
        name: name.into(),
        type_name: "uint*".into(),
        kind,
        offset,
        size: 8,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: if name == "out" { 4 } else { 0 },
    };
    let info = KernelInfo {
        name: "count".into(),
        args: vec![
            arg("out", ArgKind::Buffer { space: AddrSpace::Global }, 0),
            arg("tile", ArgKind::Local, 8),
            arg("tile_bytes", ArgKind::Value, 16),
        ],
        arg_block_bytes: 24,
        reqd_work_group_size: reqd,
        local_bytes: 40,
        integers: 0b100,
        ..KernelInfo::default()
    };
    Arc::new(Made {
        entry,
        better: OnceCell::new(),
        rival: OnceCell::new(),
        info: vec![info],
        exact: AtomicUsize::new(0),
        any: AtomicUsize::new(0),
        streams: AtomicUsize::new(0),
        values: AtomicUsize::new(0),
        is_hasty: AtomicBool::new(false),
        thorough: AtomicUsize::new(0),
        making: AtomicU64::new(0),
    })
}

struct Setup {
    context: Obj<Context>,
    queue: Obj<Queue>,
    kernel: Obj<Kernel>,
    made: Arc<Made>,
}

fn setup(options: &str, reqd: Option<[u64; 3]>) -> Setup {
    setup_with(count, options, reqd)
}

fn setup_with(entry: EntryPoint, options: &str, reqd: Option<[u64; 3]>) -> Setup {
    let device = &Platform::get().devices()[0];
    let context = Context::create(std::slice::from_ref(device), Vec::new(), None).expect("context");
    let queue = Queue::create(&context, device, QueueFlags::empty(), Vec::new(), 0).expect("queue");
    let made = made(entry, reqd);
    let source: Arc<dyn KernelSource> = made.clone();
    let program = Object::<Program>::from_kernels(&context, source, options);
    let kernel = program.create_kernel("count").expect("kernel");
    Setup { context, queue, kernel, made }
}

impl Setup {
    /// A buffer of zeros.
    fn buffer(&self, items: usize) -> Obj<Mem> {
        let mut zeros = vec![0u32; items];
        // SAFETY: there are as many bytes as are copied.
        let source = unsafe { HostPtr::new(zeros.as_mut_ptr().cast()) };
        let flags = MemFlags::COPY_HOST_PTR.bits();
        Mem::create_buffer(&self.context, flags, 4 * items, source, Vec::new()).expect("buffer")
    }

    fn set_args(&self, out: &Obj<Mem>) {
        self.kernel.set_arg(0, ArgValue::Mem(Some(out))).expect("buffer");
        self.kernel.set_arg(1, ArgValue::Local(1000)).expect("local");
        self.kernel.set_arg(2, ArgValue::Bytes(&1000u64.to_ne_bytes())).expect("value");
    }

    fn launch(&self, global: &[usize], local: Option<&[usize]>) -> Result<()> {
        let sizes = WorkSizes { dims: global.len() as u32, offset: None, global: Some(global), local };
        let command = Command::ndrange(&self.kernel, self.queue.device(), sizes)?;
        self.queue.enqueue(command, &[], Blocking::No, WantEvent::No).map(drop)
    }

    fn read(&self, buffer: &Obj<Mem>) -> Vec<u32> {
        let mut out = vec![0u32; buffer.size() / 4];
        // SAFETY: the read is blocking and `out` has the buffer's size.
        let target = unsafe { HostPtr::new(out.as_mut_ptr().cast()) }.expect("not null");
        let command = Command::read_buffer(buffer, 0, buffer.size(), target).expect("valid");
        self.queue.enqueue(command, &[], Blocking::Yes, WantEvent::No).expect("read");
        out
    }
}

#[test]
fn every_item_runs_once() {
    let s = setup("-cl-std=CL3.0", None);
    let shapes: &[(&[usize], Option<&[usize]>)] = &[
        (&[1], None),
        (&[1000], Some(&[64])),
        (&[1 << 18], None),
        (&[100_003], None),
        (&[37, 41], Some(&[8, 8])),
        (&[512, 512], Some(&[16, 16])),
        (&[7, 11, 13], Some(&[4, 4, 4])),
        (&[31, 17, 29], None),
    ];
    for (global, local) in shapes {
        let items: usize = global.iter().product();
        let out = s.buffer(items);
        s.set_args(&out);
        for _ in 0..3 {
            s.launch(global, *local).expect("launch");
        }
        assert!(s.read(&out).iter().all(|&n| n == 3), "{global:?} {local:?}");
    }
}

#[test]
fn non_uniform_launches_use_code_for_any_size_and_many_sizes_do_too() {
    let s = setup("-cl-std=CL3.0", None);
    let out = s.buffer(5040);
    s.set_args(&out);
    s.launch(&[5040], Some(&[32])).expect("launch");
    assert_eq!((s.made.exact.load(Relaxed), s.made.any.load(Relaxed)), (0, 1));
    for local in (1..).filter(|local| 5040 % local == 0).take(36) {
        for _ in 0..2 {
            s.launch(&[5040], Some(&[local])).expect("launch");
        }
    }
    assert_eq!((s.made.exact.load(Relaxed), s.made.any.load(Relaxed)), (32, 1));
    assert!(s.read(&out).iter().all(|&n| n == 73));
}

#[test]
fn two_groups_of_unknown_cost_run_side_by_side() {
    let s = setup_with(meet, "", None);
    if s.queue.device().pool().threads() < 2 {
        return;
    }
    let out = s.buffer(2);
    s.set_args(&out);
    s.launch(&[2], Some(&[1])).expect("launch");
    assert_eq!(s.read(&out), [2, 2]);
}

#[test]
fn values_that_launches_keep_passing_get_code() {
    let s = setup_with(slow, "", None);
    if s.queue.device().pool().threads() < 2 {
        return;
    }
    let out = s.buffer(1);
    s.set_args(&out);
    let start = Instant::now();
    while s.made.values.load(Relaxed) == 0 && start.elapsed() < Duration::from_secs(20) {
        s.launch(&[4], Some(&[1])).expect("launch");
        assert_eq!(s.read(&out), [1000]);
    }
    assert_eq!(s.made.values.load(Relaxed), 1);
    assert!(start.elapsed() > Duration::from_millis(5), "not before it was worth it");
    // Another value.
    s.kernel.set_arg(2, ArgValue::Bytes(&999u64.to_ne_bytes())).expect("value");
    s.launch(&[4], Some(&[1])).expect("launch");
    assert_eq!(s.read(&out), [999]);
    assert_eq!((s.made.exact.load(Relaxed), s.made.any.load(Relaxed)), (1, 0));
}

#[test]
fn code_made_in_a_hurry_is_made_again_when_it_has_run_for_long() {
    for (is_hasty, times) in [(true, 1), (false, 0)] {
        let s = setup_with(slow, "", None);
        if s.queue.device().pool().threads() < 2 {
            return;
        }
        s.made.is_hasty.store(is_hasty, Relaxed);
        let out = s.buffer(1);
        let start = Instant::now();
        for n in 0..40 {
            s.set_args(&out);
            // Other values each time, for which there is no code.
            s.kernel.set_arg(2, ArgValue::Bytes(&(n as u64).to_ne_bytes())).expect("value");
            s.launch(&[4], Some(&[1])).expect("launch");
            assert_eq!(s.read(&out), [n]);
        }
        while s.made.thorough.load(Relaxed) < times && start.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert_eq!((s.made.thorough.load(Relaxed), s.made.exact.load(Relaxed)), (times, 1));
    }
}

#[test]
fn one_launch_that_takes_long_has_the_faster_code_for_most_groups() {
    // The rival is ten times as fast, and ten times as slow.
    for (first, rival) in [(patient as EntryPoint, quick as EntryPoint), (quick, patient)] {
        let s = setup_with(first, "", None);
        s.made.rival.set(rival).expect("once");
        let out = s.buffer(2);
        s.set_args(&out);
        // As long, however many threads there are.
        let groups = 300 * s.queue.device().pool().threads();
        s.launch(&[groups], Some(&[1])).expect("launch");
        let [slow, fast] = s.read(&out)[..] else { panic!("two counts") };
        assert_eq!((slow + fast) as usize, groups, "each group once");
        assert!(fast > slow, "{fast} groups with the faster code");
        assert!(slow > 0, "{slow} groups with the other one");
    }
}

#[test]
fn better_code_stays_where_rivals_are_not_decided() {
    // Long enough for code that was made in a hurry to be made again, not for rivals.
    let s = setup_with(patient, "", None);
    if s.queue.device().pool().threads() < 2 {
        return;
    }
    s.made.rival.set(quick).expect("once");
    s.made.is_hasty.store(true, Relaxed);
    s.made.better.set(instant).expect("once");
    let out = s.buffer(2);
    let start = Instant::now();
    while s.made.thorough.load(Relaxed) == 0 && start.elapsed() < Duration::from_secs(20) {
        s.set_args(&out);
        s.launch(&[4], Some(&[1])).expect("launch");
        s.read(&out);
    }
    // It may not have been kept yet.
    let in_a_hurry = || {
        let before = s.read(&out)[0];
        s.set_args(&out);
        s.launch(&[4], Some(&[1])).expect("launch");
        s.read(&out)[0] - before
    };
    let ends = std::iter::repeat_with(in_a_hurry).take(20).last();
    assert_eq!(ends, Some(0), "groups with the code that was made in a hurry");
}

#[test]
fn scalar_code_that_takes_long_to_make_is_made_for_any_size() {
    for (making, made) in [(60, (2, 1)), (0, (4, 0))] {
        let s = setup("", None);
        s.made.making.store(making, Relaxed);
        let out = s.buffer(64);
        // Of groups of one work-item nobody knows whether there would be lanes.
        for local in [1, 8, 16, 32, 8] {
            s.set_args(&out);
            s.launch(&[64], Some(&[local])).expect("launch");
        }
        assert_eq!((s.made.exact.load(Relaxed), s.made.any.load(Relaxed)), made, "{making} ms");
        assert!(s.read(&out).iter().all(|&n| n == 5));
    }
}

#[test]
fn kernels_of_a_program_share_their_code() {
    let mut s = setup("", None);
    let out = s.buffer(1000);
    for n in 1..=3 {
        s.set_args(&out);
        s.launch(&[1000], Some(&[10])).expect("launch");
        assert_eq!(s.made.exact.load(Relaxed), 1, "kernel {n}");
        s.kernel = s.kernel.program().create_kernel("count").expect("kernel");
    }
    assert!(s.read(&out).iter().all(|&n| n == 3));
}

#[test]
fn kernels_that_name_their_size_have_code_before_a_launch() {
    let s = setup("", Some([4, 1, 1]));
    // It is made in the background if there is one.
    if s.queue.device().pool().threads() > 1 {
        let start = Instant::now();
        while s.made.exact.load(Relaxed) == 0 && start.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        assert_eq!(s.made.exact.load(Relaxed), 1);
    }
    let out = s.buffer(4);
    s.set_args(&out);
    s.launch(&[4], None).expect("launch");
    assert_eq!((s.made.exact.load(Relaxed), s.made.any.load(Relaxed)), (1, 0));
    assert!(s.read(&out).iter().all(|&n| n == 1));
}

#[test]
fn threads_that_want_the_same_code_make_it_once() {
    let s = setup("", None);
    let out = s.buffer(1000);
    s.set_args(&out);
    let launches = || (0..40).for_each(|n| s.launch(&[1000], Some(&[[1, 2, 4, 5, 8][n % 5]])).expect("launch"));
    std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(launches))));
    assert_eq!(s.made.exact.load(Relaxed), 5);
    assert!(s.read(&out).iter().all(|&n| n == 320));
}

#[test]
fn launches_that_fill_more_than_the_caches_have_code_of_their_own() {
    let s = setup("", None);
    let large = 16 << 20;
    let out = s.buffer(large);
    for (buffer, items, n) in [(&out, large, 1), (&out, large, 1), (&out, 1 << 20, 1), (&s.buffer(1 << 20), 1 << 20, 1)]
    {
        s.set_args(buffer);
        s.launch(&[items], Some(&[64])).expect("launch");
        assert_eq!(s.made.streams.load(Relaxed), if Stores::CAN_STREAM { n } else { 0 });
    }
    assert_eq!(s.made.exact.load(Relaxed), if Stores::CAN_STREAM { 2 } else { 1 });
    assert!(s.read(&out).iter().enumerate().all(|(i, &n)| n == if i < 1 << 20 { 3 } else { 2 }));
}

#[test]
fn uniform_programs_refuse_what_does_not_divide() {
    let s = setup("", None);
    let out = s.buffer(1000);
    s.set_args(&out);
    let error = s.launch(&[1000], Some(&[64])).expect_err("1.2 has uniform groups");
    assert_eq!(error.status(), Status::InvalidWorkGroupSize);
    s.launch(&[1000], None).expect("a divisor is chosen");
    assert!(s.read(&out).iter().all(|&n| n == 1));
}

#[test]
fn arguments_are_checked_and_weak() {
    let s = setup("", Some([4, 1, 1]));
    let code = |r: Result<()>| r.expect_err("must be refused").status();
    assert_eq!(code(s.launch(&[4], None)), Status::InvalidKernelArgs);
    assert_eq!(code(s.kernel.set_arg(3, ArgValue::Local(8))), Status::InvalidArgIndex);
    let empty = s.kernel.set_arg(1, ArgValue::Local(0)).map_err(|error| error.status());
    assert_eq!(empty, if EMPTY_LOCAL_ARGS { Ok(()) } else { Err(Status::InvalidArgSize) });
    assert_eq!(code(s.kernel.set_arg(2, ArgValue::Bytes(&[0; 4]))), Status::InvalidArgSize);
    let out = s.buffer(4);
    s.set_args(&out);
    assert_eq!(s.kernel.local_mem_size(), 1040);
    assert_eq!(code(s.launch(&[4], Some(&[2]))), Status::InvalidWorkGroupSize);
    s.launch(&[4], None).expect("reqd_work_group_size is used");
    s.kernel.set_arg(1, ArgValue::Local(1 << 20)).expect("too large only for a launch");
    assert_eq!(code(s.launch(&[4], None)), Status::OutOfResources);
    let copy = s.kernel.clone_kernel();
    assert_eq!(copy.local_mem_size(), 40 + (1 << 20));
    s.queue.finish().expect("there is memory");
    drop(out);
    assert_eq!(code(s.launch(&[4], None)), Status::InvalidKernelArgs);
    // "there are kernel objects attached to program"
    assert_eq!(code(s.kernel.program().build(b"", None)), Status::InvalidOperation);
}

#[test]
fn empty_ranges_are_commands_too() {
    let s = setup("", None);
    let out = s.buffer(4);
    s.set_args(&out);
    let sizes = WorkSizes { dims: 1, offset: None, global: None, local: None };
    let command = Command::ndrange(&s.kernel, s.queue.device(), sizes).expect("valid");
    let event = s.queue.enqueue(command, &[], Blocking::No, WantEvent::Yes).expect("enqueued").expect("event");
    assert_eq!(event.command_type(), CommandType::NdrangeKernel);
    s.queue.finish().expect("there is memory");
    assert_eq!(event.execution_status(), 0);
    assert!(s.read(&out).iter().all(|&n| n == 0));
}
