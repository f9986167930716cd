//! The handler of faults. What touches memory that checks have closed is theirs, and goes on. With `CLIFT_FAULT=1` a
//! fault in a kernel is told of on stderr before the process dies of it, or before a handler that the program had
//! installed gets it: the line, the kernel, the work-group, the address and what memory is nearest. Groups then run one
//! by one, and code has tables of lines. Must not know what may be done about such a fault: nothing is.

#![allow(unsafe_code, reason = "signal handlers")]

#[cfg(any(test, target_arch = "aarch64"))]
mod aarch64;

use super::ndrange::Launch;
use crate::check::{commands, objects};
use crate::config::Config;
use clift_jit::codegen::debug::fault::with_place;
use clift_jit::places::Frame;
use clift_jit::stack;
use libc::{c_int, c_void, siginfo_t};
use std::cell::Cell;
use std::fmt::{self, Write};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// What kernels may die of.
const SIGNALS: [(c_int, &str); 4] =
    [(libc::SIGSEGV, "SIGSEGV"), (libc::SIGBUS, "SIGBUS"), (libc::SIGFPE, "SIGFPE"), (libc::SIGILL, "SIGILL")];

/// What the process did about them before, in the same order; nothing of those that are not handled.
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// The group that this thread runs.
#[derive(Clone, Copy)]
struct Running {
    launch: *const Launch,
    group: u64,
    /// Where the thread's stack ends.
    stack_end: usize,
}

thread_local!(static RUNNING: Cell<Option<Running>> = const { Cell::new(None) });

/// Whether faults are told of.
pub(super) fn is_wanted() -> bool {
    Config::get().fault
}

/// Installs the handler, once, if it is wanted.
pub(super) fn install() {
    if is_wanted() {
        SIGNALS.iter().zip(&BEFORE).for_each(|(of, before)| _ = before.get_or_init(|| handle(of.0)));
    }
}

/// Whether faults of memory come here first: the handler is installed, the program has not installed another since, and
/// this thread lets them in.
pub(crate) fn comes_here() -> bool {
    let segv = libc::SIGSEGV;
    SIGNALS
        .iter()
        .zip(&BEFORE)
        .filter(|(of, _)| of.0 == segv)
        .for_each(|(_, before)| _ = before.get_or_init(|| handle(segv)));
    // SAFETY: all zeros are an action and a set, and the calls are questions.
    unsafe {
        let (mut now, mut blocked): (libc::sigaction, libc::sigset_t) = std::mem::zeroed();
        libc::sigaction(segv, ptr::null(), &raw mut now);
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut blocked);
        now.sa_sigaction == handler() && libc::sigismember(&raw const blocked, segv) == 0
    }
}

/// Faults of memory get to the handler on this thread, which has inherited from a thread of the program what is
/// blocked. A fault that is would end the process at once.
pub(crate) fn let_in() {
    // SAFETY: the set is this function's own.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
    }
}

fn handler() -> usize {
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_fault;
    handler as usize
}

fn handle(signal: c_int) -> libc::sigaction {
    // SAFETY: all zeros is an action: the default one.
    let (mut action, mut before): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    // SAFETY: both are this function's own.
    unsafe { libc::sigaction(signal, ptr::null(), &raw mut before) };
    action.sa_sigaction = handler();
    // What a handler that there was relies on, as it will be called.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | before.sa_flags & libc::SA_NODEFER;
    action.sa_mask = before.sa_mask;
    // SAFETY: as above.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    before
}

/// Runs one group of a launch, so that a fault in it can be told of.
pub(super) fn during(launch: &Launch, group: u64, run: impl FnOnce()) {
    struct Before(Option<Running>);
    impl Drop for Before {
        fn drop(&mut self) {
            RUNNING.set(self.0);
        }
    }
    // A thread that is ending has none any more.
    let _ = HANDLERS_STACK.try_with(|_| {});
    let stack_end = stack::own().start;
    let _before = Before(RUNNING.replace(Some(Running { launch, group, stack_end })));
    run();
}

thread_local!(static HANDLERS_STACK: Option<HandlersStack> = HandlersStack::new());

/// A stack for the handler on this thread, whose own one may be what is exhausted, and what the thread had for signals
/// before.
struct HandlersStack(*mut c_void, libc::stack_t);

impl HandlersStack {
    /// As large as the stacks that handlers of the program's, which may run here as well, are used to.
    const BYTES: usize = 8 << 20;
    /// Below it, so that nothing is overwritten: a page, of whatever size pages are.
    const GUARD: usize = 64 << 10;
    /// A stack for signals that somebody else has made is large enough for the handler from so many bytes on. Those of
    /// Rust's programs have 8 KiB, of which the processor's registers take up to a half.
    const ENOUGH: usize = 64 << 10;

    /// None if the program has seen to it, or if the system gives no memory.
    fn new() -> Option<Self> {
        // SAFETY: all zeros is a value; the system fills it.
        let mut before: libc::stack_t = unsafe { std::mem::zeroed() };
        // SAFETY: a question, and a fresh mapping whose upper part becomes writable and then the handler's.
        unsafe {
            if libc::sigaltstack(ptr::null(), &raw mut before) != 0
                || before.ss_flags & libc::SS_DISABLE == 0 && before.ss_size >= Self::ENOUGH
            {
                return None;
            }
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let start = libc::mmap(ptr::null_mut(), Self::GUARD + Self::BYTES, libc::PROT_NONE, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            let this = Self(start, before);
            let stack = libc::stack_t { ss_sp: start.byte_add(Self::GUARD), ss_flags: 0, ss_size: Self::BYTES };
            let is_ready = libc::mprotect(stack.ss_sp, stack.ss_size, libc::PROT_READ | libc::PROT_WRITE) == 0
                && libc::sigaltstack(&raw const stack, ptr::null_mut()) == 0;
            is_ready.then_some(this)
        }
    }
}

impl Drop for HandlersStack {
    fn drop(&mut self) {
        // SAFETY: what `new` mapped, and the thread is not in the handler. A stack that the program has set since then
        // stays.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(ptr::null(), &raw mut now) == 0 && now.ss_sp == self.0.byte_add(Self::GUARD) {
                libc::sigaltstack(&raw const self.1, ptr::null_mut());
            }
            libc::munmap(self.0, Self::GUARD + Self::BYTES);
        }
    }
}

/// The thread whose fault is being told of, or has been; 0: none yet.
static TELLER: AtomicI32 = AtomicI32::new(0);
/// It has been.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Whether this thread is the one that is to tell of its fault. Others wait, so that the process does not die of theirs
/// before: for two seconds at most, as telling might hang.
fn is_first() -> bool {
    // SAFETY: a question.
    let own = unsafe { libc::gettid() };
    let Err(teller) = TELLER.compare_exchange(0, own, Relaxed, Relaxed) else { return true };
    for _ in 0..2000 {
        if teller == own || TOLD.load(Acquire) {
            break;
        }
        let millisecond = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        // SAFETY: a pause, which handlers of signals may make.
        unsafe { libc::nanosleep(&raw const millisecond, ptr::null_mut()) };
    }
    false
}

extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a valid one.
    let (is_fault, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
    let is_of_access = is_fault && signal == libc::SIGSEGV && commands::guards();
    if is_of_access && address != program_counter(context) {
        let errno = Errno::save();
        let is_ours = commands::touched(address, writes(context), program_counter(context));
        errno.restore();
        if is_ours {
            return;
        }
    }
    // A fault of an instruction, not a signal that somebody sent. This thread runs a kernel, so that it holds no lock
    // that is taken here.
    if let Some(running) = RUNNING.get().filter(|_| is_fault)
        && is_first()
    {
        // SAFETY: the launch lives while it runs.
        tell(signal, address, program_counter(context), unsafe { &*running.launch }, running);
        TOLD.store(true, Release);
    }
    pass_on(signal, is_fault, info, context);
}

/// To the handler that there was before, or to the system.
fn pass_on(signal: c_int, is_fault: bool, info: *mut siginfo_t, context: *mut c_void) {
    let before =
        SIGNALS.iter().zip(&BEFORE).find(|(of, _)| of.0 == signal).and_then(|(_, before)| before.get().copied());
    match before {
        Some(before) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction) => {
            // SAFETY: this is how the system would have called it.
            unsafe {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(c_int) = std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
        }
        Some(before) if before.sa_sigaction == libc::SIG_IGN && !is_fault => {}
        // The instruction runs again, and the process dies of the signal itself.
        _ => {
            // SAFETY: calls without arguments in memory.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                if !is_fault {
                    libc::raise(signal);
                }
            }
        }
    }
}

/// Where the thread was.
fn program_counter(context: *mut c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the system passes a valid one.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        return (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize;
        #[cfg(target_arch = "aarch64")]
        return (*context).uc_mcontext.pc as usize;
    }
}

/// What the last call of the C library said, which the program may yet ask for.
struct Errno(c_int);

impl Errno {
    fn save() -> Self {
        // SAFETY: the thread's own.
        Self(unsafe { *libc::__errno_location() })
    }

    fn restore(self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}

/// Whether the fault was of a write; none if nothing says so.
fn writes(context: *mut c_void) -> Option<bool> {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    {
        /// The bit of a page fault's error code that says so.
        const WRITE: i64 = 1 << 1;
        // SAFETY: the system passes a valid one.
        Some(unsafe { (*context).uc_mcontext.gregs[libc::REG_ERR as usize] } & WRITE != 0)
    }
    #[cfg(target_arch = "aarch64")]
    {
        // SAFETY: the system passes a valid one, at whose end the records are. It has read the instruction itself.
        unsafe {
            let machine = &raw const (*context).uc_mcontext;
            let records = machine.add(1).byte_sub(aarch64::RECORDS).cast();
            aarch64::writes(&*records, *((*machine).pc as *const u32))
        }
    }
}

/// Text in memory that is there already: the heap may be what the kernel has overwritten.
struct Text {
    bytes: [u8; 2048],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.len;
        let text = &text.as_bytes()[..text.len().min(room)];
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
        Ok(())
    }
}

impl Text {
    fn print(write_it: impl FnOnce(&mut Self) -> fmt::Result) {
        let mut text = Self { bytes: [0; 2048], len: 0 };
        let _ = write_it(&mut text);
        // SAFETY: writes bytes of this function's own.
        unsafe { libc::write(libc::STDERR_FILENO, ptr::from_ref(&text.bytes).cast(), text.len) };
    }
}

/// What is told.
struct Fault<'a> {
    signal: &'a str,
    kernel: &'a str,
    group: [u64; 3],
    /// Of memory, if it is about that.
    address: Option<usize>,
}

impl Fault<'_> {
    /// `frames` are the places of the instruction, innermost first.
    fn write(&self, out: &mut Text, frames: &[Frame]) -> fmt::Result {
        let mut frames = frames.iter().filter(|frame| !frame.is_library && frame.line > 0);
        match frames.next() {
            Some(frame) => write!(out, "{frame}: ")?,
            None => write!(out, "clift: ")?,
        }
        let Self { signal, kernel, group: [x, y, z], address } = self;
        write!(out, "fault: {signal} in kernel `{kernel}`, work-group ({x}, {y}, {z})")?;
        match address {
            // What the processor says of addresses that can be none, too.
            Some(0) => writeln!(out, ", at address 0 or one that cannot be")?,
            Some(address) => writeln!(out, ", at address {address:#x}")?,
            None => writeln!(out)?,
        }
        frames.try_for_each(|frame| writeln!(out, "  called from {frame} in `{}`", frame.function))
    }
}

fn tell(signal: c_int, address: usize, at: usize, launch: &Launch, running: Running) {
    let group = launch.geometry.group_id(running.group, launch.compiled.code.loop_order());
    let name = SIGNALS.iter().find(|of| of.0 == signal).map_or("a signal", |of| of.1);
    let is_of_memory = [libc::SIGSEGV, libc::SIGBUS].contains(&signal);
    let address = is_of_memory.then_some(address);
    let fault = Fault { signal: name, kernel: launch.compiled.name(), group, address };
    Text::print(|out| match with_place(at, |frames| fault.write(out, frames)) {
        Some(written) => written,
        // In a function that generated code calls.
        None => fault.write(out, &[]),
    });
    let Some(address) = address.filter(|&address| address > 0) else { return };
    match running.stack_end.checked_sub(address) {
        Some(below @ 1..=GUARD_BYTES) => below_stack(below),
        _ => nearest(address),
    }
}

/// What is so close below a stack is meant: guard pages of a thread are fewer, the system keeps as much free below a
/// process's first stack.
const GUARD_BYTES: usize = 1 << 20;

/// Private variables and frames are on stacks.
fn below_stack(bytes: usize) {
    let mut name = [0u8; 16];
    // SAFETY: the system writes up to 16 bytes, the last of which is zero.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr())
    };
    let name = name.split(|&byte| byte == 0).next().and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("");
    Text::print(|out| writeln!(out, "  stack: {bytes} bytes below that of thread `{name}`, in its guard pages"));
}

/// The object that is nearest.
fn nearest(address: usize) {
    if let Some(object) = objects::at(address) {
        return Text::print(|out| writeln!(out, "  object: {object}, at byte {}", address - object.address));
    }
    if let Some((object, distance)) = objects::nearest(address) {
        Text::print(|out| match distance {
            0.. => writeln!(out, "  nearest: {object}, {distance} bytes behind its end"),
            _ => writeln!(out, "  nearest: {object}, {} bytes in front of it", -distance),
        });
    }
}
