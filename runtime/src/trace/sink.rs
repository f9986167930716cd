//! Where events go: each thread has a buffer, which it appends to the file when it is full or some time has passed, in
//! one piece that ends with an event. So the file is an array of whole events that lacks nothing but its closing
//! bracket, which it gets when the process ends as it should. Bounds the file. Knows nothing of what is traced.
//!
//! A thread holds its own buffer's lock while it takes the file's; who goes the other way, at the end of the process,
//! waits for no lock for ever. A fork waits for the file's lock only: the child has a file of its own, and no use for
//! the buffers of its parent's threads.

#![allow(unsafe_code, reason = "registers a function with the C library")]

use super::json::Event;
use crate::config::{Config, TraceLimits};
use crate::fork;
use clift_jit::clock::now_ns;
use std::any::Any;
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A buffer of this size goes to the file.
const FULL: usize = 32 << 10;
/// A buffer that has not gone to the file for so long does with the next event.
const OLD_NS: u64 = 5_000_000;
/// Attempts, a millisecond each, at a lock when the process ends.
const ATTEMPTS: usize = 100;

/// Whether events are wanted. False for good once the file has ended.
static ON: AtomicBool = AtomicBool::new(false);

static STATE: Mutex<State> = Mutex::new(State::new());

struct State {
    file: Option<File>,
    written: u64,
    /// It has ended, or cannot be written.
    is_closed: bool,
    /// `fork::count` of the process that all this belongs to.
    forks: u32,
    /// Of threads that live.
    buffers: Vec<Arc<Mutex<Vec<u8>>>>,
    threads: u32,
    /// Numbers and names of threads that have ended: others of the same name go on in their place.
    ended: Vec<(u32, String)>,
}

impl State {
    const fn new() -> Self {
        Self { file: None, written: 0, is_closed: false, forks: 0, buffers: Vec::new(), threads: 0, ended: Vec::new() }
    }

    /// In the child of a fork nothing has been written yet.
    fn of_process(&mut self) -> &mut Self {
        if self.forks != fork::count() {
            *self = Self { forks: fork::count(), ..Self::new() };
        }
        self
    }

    /// Appends whole events.
    fn append(&mut self, events: &[u8]) {
        let Some(limits) = &Config::get().trace else { return };
        if self.is_closed || events.is_empty() {
            return;
        }
        if let Err(error) = self.try_append(events, limits) {
            eprintln!("clift: the trace {} ends here: {error}", limits.path.display());
            self.stop();
        }
    }

    fn try_append(&mut self, events: &[u8], limits: &TraceLimits) -> std::io::Result<()> {
        if self.file.is_none() {
            let mut file = create(limits)?;
            let first = head();
            file.write_all(&first)?;
            self.written = first.len() as u64;
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if self.written + events.len() as u64 > limits.bytes {
            let mut last = Vec::new();
            drop(Event::new(&mut last, 'i', "the trace is full", std::process::id(), 0, now_ns()).member("s", "g"));
            last.extend(b"\n]\n");
            file.write_all(&last)?;
            self.stop();
            return Ok(());
        }
        self.written += events.len() as u64;
        file.write_all(events)
    }

    fn stop(&mut self) {
        ON.store(false, Relaxed);
        (self.is_closed, self.file) = (true, None);
        self.buffers.clear();
    }
}

/// The file of this process: the one that was asked for if it is not there yet, else `FILE.N` for process N.
fn create(limits: &TraceLimits) -> std::io::Result<File> {
    let open = |path: &std::path::Path| OpenOptions::new().write(true).create_new(true).open(path);
    open(&limits.path).or_else(|_| {
        let mut name = limits.path.clone().into_os_string();
        name.push(format!(".{}", std::process::id()));
        open(name.as_ref())
    })
}

/// What the file begins with: an event that names the process.
fn head() -> Vec<u8> {
    let program = std::env::args_os().next().unwrap_or_default();
    let program = std::path::Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut event = Vec::new();
    Event::new(&mut event, 'M', "process_name", std::process::id(), 0, 0).text("name", &program);
    event[0] = b'[';
    event
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether events are wanted.
#[inline]
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// From now on events are wanted, if the process is to be traced.
pub fn start() {
    if Config::get().trace.is_none() || ON.swap(true, Relaxed) {
        return;
    }
    // SAFETY: `at_exit` is a function without captures that cannot unwind.
    unsafe { libc::atexit(at_exit) };
    clift_jit::phases::watch(super::phase);
}

/// Keeps the file as it is for the time of a fork.
pub fn hold() -> Box<dyn Any> {
    Box::new(state())
}

/// Writes what there is and ends the file. A signal's handler may have called `exit` in the middle of anything: what
/// is locked by then is left out, and the file lacks its end if that is the file itself.
extern "C" fn at_exit() {
    let Some(mut state) = attempt(&STATE) else { return };
    if state.forks != fork::count() || state.is_closed {
        return;
    }
    for buffer in std::mem::take(&mut state.buffers) {
        if let Some(mut events) = attempt(&buffer) {
            state.append(&events);
            events.clear();
        }
    }
    if let Some(file) = &mut state.file {
        // Nothing is left that could be done about a failure.
        let _ = file.write_all(b"\n]\n");
    }
    state.stop();
}

fn attempt<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    (0..ATTEMPTS).find_map(|i| {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        lock.try_lock().ok()
    })
}

/// Appends what all threads have in their buffers.
pub fn flush() {
    let buffers = state().of_process().buffers.clone();
    for buffer in buffers {
        let mut events = buffer.lock().unwrap_or_else(PoisonError::into_inner);
        state().of_process().append(&events);
        events.clear();
    }
}

/// What a thread knows of itself.
pub struct Thread {
    buffer: Arc<Mutex<Vec<u8>>>,
    forks: u32,
    process: u32,
    number: u32,
    name: String,
    /// When its buffer went to the file.
    flushed: u64,
}

/// This thread's name. Rust knows those of its own threads, and that a program's first thread is one only if the
/// program is in Rust.
fn name() -> String {
    // SAFETY: a query without arguments in memory.
    let is_first = || unsafe { libc::syscall(libc::SYS_gettid) } == i64::from(std::process::id());
    let known = std::thread::current().name().map(str::to_owned);
    known.unwrap_or_else(|| if cfg!(target_os = "linux") && is_first() { "main".into() } else { String::new() })
}

thread_local!(static THREAD: RefCell<Option<Thread>> = const { RefCell::new(None) });

impl Thread {
    fn new() -> Self {
        let (name, buffer) = (name(), Arc::default());
        let mut state = state();
        let state = state.of_process();
        let at = state.ended.iter().position(|(_, ended)| *ended == name);
        let number = at.map_or(state.threads + 1, |at| state.ended.swap_remove(at).0);
        state.buffers.push(Arc::clone(&buffer));
        let process = std::process::id();
        let this = Self { buffer, forks: state.forks, process, number, name, flushed: 0 };
        if at.is_none() {
            state.threads = number;
            let mut buffer = this.buffer.lock().unwrap_or_else(PoisonError::into_inner);
            let shown = if this.name.is_empty() { format!("thread {number}") } else { this.name.clone() };
            Event::new(&mut buffer, 'M', "thread_name", process, number, 0).text("name", &shown);
        }
        this
    }

    /// Whether it is one of ours, which has nothing else to do than our work.
    pub fn is_worker(&self) -> bool {
        self.name.starts_with("clift-")
    }

    /// Its number in the trace.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Writes an event of phase `ph` on this thread.
    pub fn put(&self, ph: char, name: &str, ns: u64, rest: impl FnOnce(Event<'_>)) {
        self.put_on(self.number, ph, name, ns, rest);
    }

    /// As `put`, on a thread of this number.
    pub fn put_on(&self, thread: u32, ph: char, name: &str, ns: u64, rest: impl FnOnce(Event<'_>)) {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        rest(Event::new(&mut buffer, ph, name, self.process, thread, ns));
    }

    /// After some events: appends them to the file if it is time to.
    pub fn tidy(&mut self, now: u64) {
        let mut events = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() >= FULL || now.saturating_sub(self.flushed) >= OLD_NS {
            state().of_process().append(&events);
            events.clear();
            self.flushed = now;
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if self.forks != fork::count() {
            return;
        }
        let mut events = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = state();
        let state = state.of_process();
        state.append(&events);
        events.clear();
        state.buffers.retain(|buffer| !Arc::ptr_eq(buffer, &self.buffer));
        state.ended.push((self.number, std::mem::take(&mut self.name)));
    }
}

/// Calls `work` with what this thread knows of itself; not at all at the end of its life.
pub fn with_thread<T>(work: impl FnOnce(&mut Thread) -> T) -> Option<T> {
    THREAD
        .try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            if thread.as_ref().is_none_or(|thread| thread.forks != fork::count()) {
                *thread = Some(Thread::new());
            }
            thread.as_mut().map(work)
        })
        .ok()?
}
