//! What debuggers and profilers get to know of machine code: tables of lines, which both code generators leave where
//! somebody wants them, and from them DWARF (`dwarf`) in an ELF file in memory (`elf`), the files of `perf` (`perf`)
//! and the interface that gdb and lldb share (`publish`), and lines of faults (`fault`). Where nobody wants them
//! there is no table, and code is the same with one. Must not know how code is generated.

mod dwarf;
mod elf;
pub mod fault;
mod perf;
mod publish;
mod variables;

pub(super) use publish::publish;

use crate::ir::variable::{ProgramVariable, Variable, VariableType};
use crate::ir::{Func, Global, GlobalId, Module, Origin, SlotId};
use crate::places::Frame;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// What the environment asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Perf {
    /// Nothing.
    #[default]
    Off,
    /// `/tmp/perf-PID.map`, with the names of kernels.
    Map,
    /// `jit-PID.dump`, with names, code and lines.
    Jitdump,
}

/// What `CLIFT_PERF` asks for.
pub(super) fn perf() -> Perf {
    static PERF: OnceLock<Perf> = OnceLock::new();
    *PERF.get_or_init(|| match crate::env::var("CLIFT_PERF").as_deref() {
        Some("map") => Perf::Map,
        Some("jitdump") => Perf::Jitdump,
        _ => Perf::Off,
    })
}

/// True if the environment wants tables of all code; `-g` wants those of one program.
pub fn is_wanted() -> bool {
    perf() != Perf::Off || fault::is_wanted()
}

/// Keeps other threads from telling of code while the process forks.
pub fn hold() -> Vec<Box<dyn Any>> {
    let mut guards: Vec<Box<dyn Any>> = vec![Box::new(publish::hold())];
    guards.extend(perf::hold());
    guards
}

/// The child of a fork begins its own files for `perf`.
pub fn forked() {
    perf::forked();
}

/// A function's machine code in places of sources.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// The function's name.
    pub function: String,
    /// From which offset on which chain holds, in order. What belongs to no place belongs to the one before.
    pub rows: Vec<(u32, u32)>,
    /// Chains of places, innermost first.
    pub chains: Vec<Vec<Frame>>,
    /// Bytes of instructions.
    pub len: u32,
    /// How the frame is laid out.
    pub saved: FrameLayout,
    /// What can be shown of the source's variables.
    pub variables: Vec<Place>,
}

/// The part of a file that a block is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The file's name.
    pub file: String,
    /// Line and column of the first and the last code in it.
    pub places: [(u32, u32); 2],
}

/// A variable of the source, and where it is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// What the source says of it.
    pub variable: Variable,
    /// Where it was declared, and the calls through which its function came in, innermost first.
    pub declared: Vec<Frame>,
    /// From where it can be seen; nothing for its whole function.
    pub scope: Option<Scope>,
    /// Bytes from the frame pointer.
    pub offset: i64,
}

/// A variable of the program.
#[derive(Clone, Debug)]
pub struct ProgramPlace {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Arc<VariableType>,
    /// Where it was declared.
    pub declared: Frame,
}

/// The variables of a program that debuggers are told of: those whose names mean one thing in all of it.
pub(super) fn program_variables(module: &Module) -> Vec<(GlobalId, ProgramPlace)> {
    let mut names: FxHashMap<&str, u32> = FxHashMap::default();
    let all = module.globals.values().filter_map(|global| global.variable.as_ref());
    all.for_each(|variable| *names.entry(&variable.name).or_default() += 1);
    let place = |(id, global): (GlobalId, &Global)| {
        let ProgramVariable { name, ty, declared, origins } = &**global.variable.as_ref()?;
        if names[&**name] > 1 {
            return None;
        }
        let declared = module.frames_in("", origins, (*declared).into()).into_iter().next()?;
        Some((id, ProgramPlace { name: name.clone(), ty: ty.clone(), declared }))
    };
    module.globals.iter().filter_map(place).collect()
}

/// Where registers of the caller are, in a frame that begins with the caller's frame pointer.
#[derive(Clone, Debug, Default)]
pub struct FrameLayout {
    /// General registers by their number in the encoding: they are pushed behind the frame pointer, in this order.
    pub pushed: Vec<u8>,
    /// Offsets of the instructions behind which the caller's frame pointer is back, and where each of these ends the
    /// function.
    pub epilogues: Vec<(u32, u32)>,
}

impl LineTable {
    /// Of a function's code: `rows` are in order of offsets.
    pub(super) fn new(module: &Module, func: &Func, rows: &[(u32, Origin)], len: u32, saved: FrameLayout) -> Self {
        let function = func.name.split('(').next().unwrap_or_default().to_owned();
        let mut table = Self { function, len, saved, ..Self::default() };
        let mut known: FxHashMap<Origin, u32> = FxHashMap::default();
        for &(at, origin) in rows.iter().filter(|(at, origin)| *at < len && !origin.is_unknown()) {
            let chain = *known.entry(origin).or_insert_with(|| {
                table.chains.push(module.frames(func, origin));
                table.chains.len() as u32 - 1
            });
            match table.rows.last_mut() {
                Some(last) if last.1 == chain => {}
                Some(last) if last.0 == at => last.1 = chain,
                // What is in front of the first place prepares it.
                None => table.rows.push((0, chain)),
                _ => table.rows.push((at, chain)),
            }
        }
        table
    }

    /// Adds variables of the function, with their slots' places from the frame pointer.
    pub(super) fn add_variables(&mut self, module: &Module, func: &Func, slots: &[(SlotId, i64)]) {
        let mut names: FxHashMap<&str, u32> = FxHashMap::default();
        slots.iter().for_each(|(slot, _)| *names.entry(&func.slots[*slot].name).or_default() += 1);
        for &(slot, offset) in slots {
            let slot = &func.slots[slot];
            let Some(variable) = slot.variable.as_deref() else { continue };
            let frames = |span| module.frames(func, Origin { span, ..variable.declared });
            let declared: Vec<Frame> = frames(variable.declared.span).into_iter().filter(Frame::is_users).collect();
            // Code of macros is where these are used; other files that were included have blocks of their own.
            let spans = variable.scope.as_deref().filter(|_| names[&*slot.name] > 1).unwrap_or_default();
            let file = declared.first().map(|frame| frame.file.clone()).unwrap_or_default();
            let place = |span: &Span| frames(*span).into_iter().find(|frame| frame.file == file);
            let places: Vec<(u32, u32)> =
                spans.iter().filter_map(place).map(|frame| (frame.line, frame.column)).collect();
            let ends = places.iter().min().zip(places.iter().max());
            let scope = ends.map(|(&first, &last)| Scope { file, places: [first, last] });
            if !declared.is_empty() {
                let (name, variable) = (slot.name.clone(), variable.clone());
                self.variables.push(Place { name, variable, declared, scope, offset });
            }
        }
    }

    /// The places of the instruction at an offset, innermost first; empty if nobody knows.
    pub fn frames(&self, offset: u32) -> &[Frame] {
        let after = self.rows.partition_point(|&(at, _)| at <= offset);
        self.rows[..after].last().map_or(&[], |&(_, chain)| &self.chains[chain as usize])
    }

    /// Those of them that users have sources of.
    fn user_frames(&self, chain: u32) -> impl DoubleEndedIterator<Item = &Frame> {
        self.chains[chain as usize].iter().filter(|frame| frame.is_users())
    }
}
