//! Recordings of kernel launches: for reports of bugs, for comparing drivers, for measuring real programs' kernels.
//!
//! A process with `CLIFT_RECORD` writes a file (`format`) of programs, memory and launches (`entry`). Each launch
//! stands alone: it names its program, its arguments, and what was in all memory that it can reach before and after it,
//! so that it can be run again without the others (`clift replay`). What is the same is there once.
//!
//! One place sees every launch: `around` stands between a queue's command and `exec`. A launch that is recorded runs
//! with a lock held, so that no other one writes to memory while it is copied; what the command may reach was noted
//! when it was enqueued (`Facts`), since that is when arguments are read. `take` finds the memory. A process that is
//! not recorded pays for one look at its options per launch.
//!
//! What happened is in the file before the kernel starts: a launch that kills the process can be run again. `recording`
//! reads files, and trusts nothing in them.

pub mod entry;
pub mod format;
pub mod recording;
mod take;

use crate::config::{Config, Limits};
use crate::context::{Context, ContextFlags};
use crate::error::Result;
use crate::exec::geometry::Geometry;
use crate::fork;
use crate::memory::buffer::Mem;
use crate::object::Obj;
use crate::program::executable::Executable;
use crate::sync::{Mutex, Rank};
use clift_jit::stack;
use entry::{Entry, Launch, Memory, Outcome, Program};
use format::{Counter, Kind, N_COUNTERS, Writer};
use std::any::Any;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use take::Region;

/// What is known of a launch when it is enqueued.
pub struct Facts {
    /// Arguments in order.
    pub(crate) args: Vec<Taken>,
    /// The program's kernels.
    pub(crate) executable: Arc<Executable>,
    /// Which of them.
    pub(crate) index: usize,
    /// What the program was made of.
    pub(crate) source: Arc<Source>,
    /// Where it runs.
    pub(crate) context: Obj<Context>,
    /// Its sizes.
    pub(crate) geometry: Geometry,
    /// The local size that the caller asked for, which need not be that of `geometry`.
    pub(crate) local: Option<[u64; 3]>,
    /// Its groups run at the same time.
    pub(crate) is_concurrent: bool,
}

/// What an argument was set to.
pub(crate) enum Taken {
    /// Bytes.
    Bytes(Vec<u8>),
    /// A buffer or an image.
    Mem(Obj<Mem>),
    /// No buffer.
    Null,
    /// Bytes of local memory.
    Local(usize),
    /// A pointer.
    Address(usize),
    /// The bits of a sampler.
    Sampler(u32),
}

/// A program as it is recorded.
pub(crate) struct Source {
    bytes: Vec<u8>,
    digest: Digest,
}

impl Source {
    pub(crate) fn new(program: &Program) -> Arc<Self> {
        let bytes = program.to_bytes();
        Arc::new(Self { digest: Digest::of(&bytes), bytes })
    }
}

/// Tells contents apart: 128 bits, of which nobody chooses any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Digest(u64, u64);

impl Digest {
    fn of(bytes: &[u8]) -> Self {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write(bytes);
            hasher.finish()
        };
        Self(half(0), half(1))
    }
}

/// Native kernels that were enqueued.
static NATIVE: AtomicU64 = AtomicU64::new(0);

static STATE: Mutex<State> = Mutex::new(Rank::Record, State::None);

enum State {
    /// Nothing was recorded in this process.
    None,
    Open(Box<Recorder>),
    /// The file cannot be written.
    Failed,
}

/// A file that is being written.
struct Recorder {
    writer: Writer,
    /// `fork::count` of the process that it belongs to.
    forks: u32,
    programs: HashMap<Digest, u32>,
    contents: HashMap<Digest, u32>,
    /// How often each kernel was launched with these sizes.
    seen: HashMap<u64, u64>,
    launches: u32,
    /// Of all contents.
    bytes: u64,
    counters: [u64; N_COUNTERS],
}

/// Whether launches of this process are recorded.
pub(crate) fn is_on() -> bool {
    Config::get().record.is_some()
}

/// Counts a native kernel, of which nothing can be recorded.
pub(crate) fn note_native() {
    if is_on() {
        NATIVE.fetch_add(1, Relaxed);
    }
}

/// Keeps others from recording during a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    #[allow(unsafe_code, reason = "a guard without end for a fork")]
    Box::new(unsafe { STATE.lock_for_fork() })
}

/// Runs a launch and records it, if it is one of those that are wanted.
pub(crate) fn around<T>(facts: &Facts, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(limits) = &Config::get().record else { return run() };
    let mut state = STATE.lock();
    let state_now = &mut *state;
    let begun = on_large_stack(|| state_now.recorder(limits)?.begin(facts, limits));
    let (launch, regions) = match begun {
        Ok(Some(begun)) => begun,
        Ok(None) => {
            drop(state);
            return run();
        }
        Err(error) => {
            state.fail(limits, &error);
            drop(state);
            return run();
        }
    };
    let result = run();
    let state_now = &mut *state;
    let is_ok = result.is_ok();
    let ended = on_large_stack(|| match state_now {
        State::Open(recorder) if is_ok => recorder.end(launch, facts, &regions),
        _ => Ok(()),
    });
    ended.unwrap_or_else(|error| state.fail(limits, &error));
    drop(state);
    result
}

/// Runs what deflates: the thread is the program's and may have a small stack.
fn on_large_stack<T: Send>(work: impl FnOnce() -> std::io::Result<T> + Send) -> std::io::Result<T> {
    const BYTES: usize = 1 << 20;
    stack::with_room(BYTES, work)?
}

impl State {
    /// The recorder of this process. The child of a fork has a file of its own, and so has a process that finds a file
    /// of another one.
    fn recorder(&mut self, limits: &Limits) -> std::io::Result<&mut Recorder> {
        let forks = fork::count();
        if let Self::Open(recorder) = self
            && recorder.forks != forks
        {
            *self = Self::None;
        }
        if let Self::None = self {
            let writer = Writer::create(&limits.path).or_else(|_| Writer::create(&own_path(limits)))?;
            *self = Self::Open(Box::new(Recorder {
                writer,
                forks,
                programs: HashMap::new(),
                contents: HashMap::new(),
                seen: HashMap::new(),
                launches: 0,
                bytes: 0,
                counters: [0; N_COUNTERS],
            }));
        }
        match self {
            Self::Open(recorder) => Ok(recorder),
            Self::None | Self::Failed => Err(std::io::ErrorKind::Other.into()),
        }
    }

    /// Ends the recording, and says why; once.
    fn fail(&mut self, limits: &Limits, error: &std::io::Error) {
        if !matches!(self, Self::Failed) {
            eprintln!("clift: the recording {} ends here: {error}", limits.path.display());
            *self = Self::Failed;
        }
    }
}

/// `FILE.N` for process N.
fn own_path(limits: &Limits) -> PathBuf {
    let mut name = limits.path.clone().into_os_string();
    name.push(format!(".{}", std::process::id()));
    name.into()
}

impl Recorder {
    /// Writes a launch and what is in its memory; none if it is not to be recorded.
    fn begin(&mut self, facts: &Facts, limits: &Limits) -> std::io::Result<Option<(u32, Vec<Region>)>> {
        let native = NATIVE.load(Relaxed);
        if native != self.counters[Counter::Native as usize] {
            self.counters[Counter::Native as usize] = native;
            self.writer.set_counter(Counter::Native, native)?;
        }
        let info = &facts.executable.source().kernels()[facts.index];
        if !limits.kernels.is_empty() && !limits.kernels.contains(&info.name) {
            return self.leave_out(Counter::OtherKernels);
        }
        let seen = self.seen.entry(facts.key(&info.name)).or_default();
        *seen += 1;
        if *seen > limits.launches {
            return self.leave_out(Counter::Repeated);
        }
        let room = limits.bytes.saturating_sub(self.bytes);
        let Some(reach) = take::reach(facts, room) else { return self.leave_out(Counter::TooLarge) };
        let mut memories = Vec::with_capacity(reach.regions.len());
        for region in &reach.regions {
            // It was there a moment ago.
            let bytes = region.read(&facts.context).unwrap_or_else(|| vec![0; region.len()]);
            let before = self.contents(&bytes)?;
            memories.push(Memory { kind: region.kind(), size: bytes.len() as u64, before });
        }
        let program = self.program(&facts.source)?;
        let flags = facts.context.flags();
        let Geometry { dims, offset, global, local, .. } = facts.geometry;
        let launch = Launch {
            program,
            kernel: info.name.clone(),
            dims,
            offset,
            global,
            local: facts.local,
            chosen: local,
            zeros: (flags & (ContextFlags::ZERO_LOCAL | ContextFlags::ZERO_PRIVATE)).bits(),
            memories,
            args: reach.args,
            doubts: reach.doubts,
            gaps: reach.gaps,
        };
        self.writer.put(Kind::Launch, &launch.to_bytes())?;
        self.launches += 1;
        Ok(Some((self.launches - 1, reach.regions)))
    }

    /// Writes what a launch has left in its memory.
    fn end(&mut self, launch: u32, facts: &Facts, regions: &[Region]) -> std::io::Result<()> {
        let mut after = Vec::with_capacity(regions.len());
        for region in regions {
            let bytes = region.read(&facts.context);
            after.push(bytes.map(|bytes| self.contents(&bytes)).transpose()?);
        }
        self.writer.put(Kind::Outcome, &Outcome { launch, after }.to_bytes())
    }

    fn leave_out<T>(&mut self, why: Counter) -> std::io::Result<Option<T>> {
        let counter = &mut self.counters[why as usize];
        *counter += 1;
        self.writer.set_counter(why, *counter)?;
        Ok(None)
    }

    /// The number of such contents, which are written if they are new.
    fn contents(&mut self, bytes: &[u8]) -> std::io::Result<u32> {
        let (digest, number) = (Digest::of(bytes), self.contents.len() as u32);
        if let Some(&known) = self.contents.get(&digest) {
            return Ok(known);
        }
        self.writer.put(Kind::Contents, bytes)?;
        self.bytes += bytes.len() as u64;
        self.contents.insert(digest, number);
        Ok(number)
    }

    fn program(&mut self, source: &Source) -> std::io::Result<u32> {
        let number = self.programs.len() as u32;
        if let Some(&known) = self.programs.get(&source.digest) {
            return Ok(known);
        }
        self.writer.put(Kind::Program, &source.bytes)?;
        self.programs.insert(source.digest, number);
        Ok(number)
    }
}

impl Facts {
    /// The same for launches of the same kernel with the same sizes.
    fn key(&self, name: &str) -> u64 {
        let Geometry { dims, global, .. } = self.geometry;
        let mut hasher = DefaultHasher::new();
        (self.source.digest, name, dims, global, self.local).hash(&mut hasher);
        hasher.finish()
    }
}
