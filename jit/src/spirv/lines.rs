//! Where in the source instructions come from, for messages and for machine code: `OpLine`, and what the instruction
//! sets OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.100 say of lines, scopes, functions and variables. It is
//! gathered when somebody wants it first, in one pass. Debug information is never an error: whatever is wrong with
//! it is as if it were not there. Spec: SPIR-V, "Debug Instructions"; OpenCL.DebugInfo.100 and
//! NonSemantic.Shader.DebugInfo.100, "Lexical Scopes", "Location Information". Must not know what the rest of a module
//! means.

use super::function::is_terminator;
use super::texts::Texts;
use super::words::{Id, Inst, Words};
use crate::places::{Frame, Source};
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv::{NonsemanticShaderDebuginfo100Op as Debug, Op};
use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Most scopes in each other that are looked at: what is wrong may go in circles.
const MAX_DEPTH: usize = 256;

/// Most places named to which a function is inlined.
const MAX_INLINED: usize = 4;

/// A module's debug information, and the module, which is lent or kept.
pub(super) struct Lines<W> {
    words: W,
    /// Sets of debug instructions, and whether their numbers are ids of constants.
    sets: FxHashMap<Id, bool>,
    /// At which words strings, constants and debug instructions stand.
    defs: FxHashMap<Id, u32>,
    /// Debug instructions that describe functions and variables.
    descriptions: FxHashMap<Id, Id>,
    /// What holds from some words on, in order.
    changes: Vec<Change>,
    /// What lines say.
    texts: Texts,
}

/// What holds from a word on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Change {
    at: u32,
    /// Word of the `OpLine` or `DebugLine`, or 0.
    line: u32,
    /// Word of the `DebugScope`, or 0.
    scope: u32,
    /// The function, or 0.
    func: Id,
}

/// A module that machine code can be told in places of.
pub(super) struct IlSource {
    words: Arc<Words>,
    lines: OnceLock<Lines<Arc<Words>>>,
}

/// A place in the source.
struct Place {
    file: String,
    /// The id of the file's name.
    name: Id,
    line: u32,
    /// Unknown if it is 0.
    column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// The place at which a scope begins, and the function that it is in.
#[derive(Default)]
struct Scope {
    place: Option<Place>,
    function: Option<String>,
}

/// A debug instruction.
pub(super) struct DebugInst<'w> {
    /// Which.
    pub what: Debug,
    /// Its operands.
    pub operands: &'w [u32],
    /// Numbers are ids of constants.
    pub by_id: bool,
}

impl<W: Borrow<Words> + Clone> Lines<W> {
    /// Gathers a module's debug information.
    pub(super) fn of(words: W) -> Self {
        let (sets, defs, descriptions) = <(FxHashMap<_, _>, FxHashMap<_, _>, FxHashMap<_, _>)>::default();
        let texts = Texts::of(words.borrow());
        let mut lines = Self { words: words.clone(), sets, defs, descriptions, changes: Vec::new(), texts };
        let mut now = Change::default();
        for inst in words.borrow().insts() {
            let before = now;
            lines.note(&inst, &mut now);
            if now != before {
                lines.changes.push(Change { at: inst.at as u32, ..now });
            }
            if inst.op().is_some_and(is_terminator) && (now.line, now.scope) != (0, 0) {
                now = Change { at: 0, line: 0, scope: 0, ..now };
                lines.changes.push(Change { at: inst.end() as u32, ..now });
            }
        }
        lines
    }

    /// A message with the place in the source, if it is known, and the instruction.
    pub(super) fn located(&self, inst: &Inst, message: &str) -> String {
        let now = self.change_at(inst.at);
        let mut inlined = String::new();
        let place = self.line(now.line).or_else(|| self.own_place(inst));
        let place = match (place, self.debug_at(now.scope)) {
            (Some(place), _) => format!("{place}: "),
            (None, Some(DebugInst { operands: &[scope, ..], .. })) => within(self.scope(scope)),
            (None, _) => within(self.descriptions.get(&now.func).map_or_else(Scope::default, |&func| self.scope(func))),
        };
        if let Some(DebugInst { operands: &[_, to, ..], .. }) = self.debug_at(now.scope) {
            inlined = self.inlined(to);
        }
        format!("{place}{message} ({}{inlined})", inst.place())
    }

    /// Where an instruction comes from, innermost first.
    fn frames(&self, inst: &Inst) -> Vec<Frame> {
        let now = self.change_at(inst.at);
        let scope = match self.debug_at(now.scope) {
            Some(DebugInst { operands: &[scope, ..], .. }) => self.scope(scope),
            _ => self.descriptions.get(&now.func).map_or_else(Scope::default, |&func| self.scope(func)),
        };
        let place = self.line(now.line).or(scope.place).or_else(|| self.own_place(inst));
        let Some(place) = place else { return Vec::new() };
        let frame = |place: Place, function: Option<String>| Frame {
            function: function.unwrap_or_default(),
            file: place.file,
            line: place.line,
            column: place.column,
            text: self.texts.line(place.name, place.line),
            ..Frame::default()
        };
        let mut frames = vec![frame(place, scope.function)];
        let Some(DebugInst { operands: &[_, to, ..], .. }) = self.debug_at(now.scope) else { return frames };
        frames.extend(self.calls(to).into_iter().map(|(place, function)| frame(place, function)));
        frames
    }

    /// The scopes that instructions are in, and which these are: the first of each row, in order.
    pub(super) fn scopes(&self) -> impl Iterator<Item = (Id, Span)> {
        let ends = self.changes.iter().skip(1).map(|change| change.at).chain([u32::MAX]);
        self.changes.iter().zip(ends).filter_map(|(change, end)| {
            let &[scope, ..] = self.debug_at(change.scope)?.operands else { return None };
            // What only changes the line or the scope is in neither.
            let first = self.words.borrow().inst_at(change.at as usize)?.end() as u32;
            (first < end).then_some((scope, Span { lo: first, hi: end }))
        })
    }

    /// What holds at a word.
    fn change_at(&self, at: usize) -> Change {
        let n = self.changes.partition_point(|change| change.at as usize <= at);
        n.checked_sub(1).map_or_else(Change::default, |n| self.changes[n])
    }

    /// Notes what an instruction says.
    fn note(&mut self, inst: &Inst, now: &mut Change) {
        let at = inst.at as u32;
        match (inst.op(), inst.words) {
            (Some(Op::Line), _) => now.line = at,
            (Some(Op::NoLine), _) if self.debug_at(now.line).is_none() => now.line = 0,
            (Some(Op::Function), &[_, id, ..]) => now.func = id,
            (Some(Op::FunctionEnd), _) => *now = Change::default(),
            (Some(Op::String), &[id, ..]) | (Some(Op::Constant), &[_, id, _] | &[_, id, _, 0]) => {
                self.defs.insert(id, at);
            }
            (Some(Op::ExtInstImport), &[id, ..]) => {
                self.sets.extend(inst.text(1).ok().and_then(|name| numbers_are_ids(&name)).map(|by_id| (id, by_id)));
            }
            (Some(Op::ExtInst | Op::ExtInstWithForwardRefsKHR), &[_, id, ..]) => self.note_debug(id, inst, now),
            _ => self.texts.note(inst),
        }
    }

    /// Notes what a debug instruction says.
    fn note_debug(&mut self, id: Id, inst: &Inst, now: &mut Change) {
        let Some(debug) = self.debug(inst) else { return };
        self.defs.insert(id, inst.at as u32);
        let description = match (debug.what, debug.operands) {
            (Debug::DebugLine, _) => {
                now.line = inst.at as u32;
                None
            }
            (Debug::DebugNoLine, _) => {
                now.line = if self.debug_at(now.line).is_some() { 0 } else { now.line };
                None
            }
            (Debug::DebugScope, _) => {
                now.scope = inst.at as u32;
                None
            }
            (Debug::DebugNoScope, _) => {
                now.scope = 0;
                None
            }
            (Debug::DebugSource, &[file, ref text @ ..]) => {
                let text = text.first().and_then(|&text| self.string(text));
                let text = text.and_then(|at| self.words.borrow().inst_at(at));
                self.texts.begin(file, text.map(|string| (string, 1)));
                None
            }
            (Debug::DebugSourceContinued, &[text, ..]) => {
                let text = self.string(text).and_then(|at| self.words.borrow().inst_at(at));
                self.texts.go_on(text.map(|string| (string, 1)));
                None
            }
            // Name, type, source, line, column, parent, name for the linker; a variable, or flags, line and function.
            (Debug::DebugGlobalVariable, &[_, _, _, _, _, _, _, of, ..]) => Some((of, id)),
            (Debug::DebugFunction, &[_, _, _, _, _, _, _, _, _, of, ..]) if !debug.by_id => Some((of, id)),
            (Debug::DebugFunctionDefinition | Debug::DebugDeclare, &[description, of, ..]) => Some((of, description)),
            _ => None,
        };
        if let Some((of, description)) = description {
            self.descriptions.entry(of).or_insert(description);
        }
    }

    /// An instruction as a debug instruction.
    pub(super) fn debug<'w>(&self, inst: &Inst<'w>) -> Option<DebugInst<'w>> {
        let &[_, _, set, number, ref operands @ ..] = inst.words else { return None };
        if !matches!(inst.op(), Some(Op::ExtInst | Op::ExtInstWithForwardRefsKHR)) {
            return None;
        }
        let by_id = *self.sets.get(&set)?;
        // The older set ends where the newer one has a gap.
        let what = Debug::from_u32(number).filter(|&what| by_id || what <= Debug::DebugSource)?;
        Some(DebugInst { what, operands, by_id })
    }

    fn debug_at(&self, at: u32) -> Option<DebugInst<'_>> {
        if at == 0 { None } else { self.debug(&self.words.borrow().inst_at(at as usize)?) }
    }

    fn def(&self, id: Id) -> Option<Inst<'_>> {
        self.words.borrow().inst_at(*self.defs.get(&id)? as usize)
    }

    /// The debug instruction with this id.
    pub(super) fn debug_of(&self, id: Id) -> Option<DebugInst<'_>> {
        self.debug(&self.def(id)?)
    }

    /// A text that is a string's, or the name of a source's file.
    pub(super) fn text(&self, id: Id) -> Option<String> {
        let string = self.def(self.name_of(id))?;
        if string.op() == Some(Op::String) { string.text(1).ok() } else { None }
    }

    /// At which word a string stands.
    fn string(&self, id: Id) -> Option<usize> {
        self.def(id).filter(|inst| inst.op() == Some(Op::String)).map(|inst| inst.at)
    }

    /// The id of the name of a source's file, or that of a string itself.
    fn name_of(&self, id: Id) -> Id {
        match self.debug_of(id) {
            Some(DebugInst { what: Debug::DebugSource, operands: &[file, ..], .. }) => file,
            _ => id,
        }
    }

    /// A number of a debug instruction.
    pub(super) fn number(&self, word: u32, by_id: bool) -> Option<u32> {
        if !by_id {
            return Some(word);
        }
        let inst = self.def(word).filter(|inst| inst.op() == Some(Op::Constant))?;
        inst.words.get(2).copied()
    }

    /// A place; line 0 is none.
    fn place(&self, file: Id, line: u32, column: u32, by_id: bool) -> Option<Place> {
        let line = self.number(line, by_id).filter(|&line| line > 0)?;
        let column = self.number(column, by_id).unwrap_or(0);
        Some(Place { file: self.text(file)?, name: self.name_of(file), line, column })
    }

    /// The place that the `OpLine` or `DebugLine` at this word names.
    fn line(&self, at: u32) -> Option<Place> {
        match self.debug_at(at) {
            Some(DebugInst { operands: &[file, line, _, column, ..], by_id, .. }) => {
                self.place(file, line, column, by_id)
            }
            Some(_) => None,
            None => match self.words.borrow().inst_at(at as usize).filter(|inst| inst.op() == Some(Op::Line))?.words {
                &[file, line, column, ..] => self.place(file, line, column, false),
                _ => None,
            },
        }
    }

    /// Whether debug information describes a function.
    pub(super) fn describes(&self, function: Id) -> bool {
        self.descriptions.contains_key(&function)
    }

    /// The place of what an instruction declares, if debug information describes it.
    fn own_place(&self, inst: &Inst) -> Option<Place> {
        let id = match (inst.op()?, inst.words) {
            (Op::Function | Op::FunctionParameter | Op::Variable | Op::UntypedVariableKHR, &[_, id, ..]) => id,
            _ => return None,
        };
        match self.debug_of(*self.descriptions.get(&id)?)? {
            DebugInst {
                what: Debug::DebugFunction | Debug::DebugGlobalVariable | Debug::DebugLocalVariable,
                operands: &[_, _, file, line, column, ..],
                by_id,
            } => self.place(file, line, column, by_id),
            _ => None,
        }
    }

    /// The place of a scope, and the function that it is in.
    fn scope(&self, scope: Id) -> Scope {
        let (mut found, mut id) = (Scope::default(), scope);
        for _ in 0..MAX_DEPTH {
            let Some(DebugInst { what, operands, by_id }) = self.debug_of(id) else { break };
            match (what, operands) {
                (Debug::DebugLexicalBlock, &[file, line, column, parent, ..]) => {
                    found.place = found.place.or_else(|| self.place(file, line, column, by_id));
                    id = parent;
                }
                (Debug::DebugLexicalBlockDiscriminator, &[_, _, parent, ..]) => id = parent,
                (Debug::DebugFunction, &[name, _, file, line, column, ..]) => {
                    found.place = found.place.or_else(|| self.place(file, line, column, by_id));
                    found.function = self.text(name);
                    break;
                }
                _ => break,
            }
        }
        found
    }

    /// To where instructions are inlined, as a text behind their own place.
    fn inlined(&self, to: Id) -> String {
        let line = |(place, _)| format!(", inlined at {}", Place { column: 0, ..place });
        self.calls(to).into_iter().take(MAX_INLINED).map(line).collect()
    }

    /// The calls through which instructions came in, from the innermost on, each with the function that it is in.
    fn calls(&self, to: Id) -> Vec<(Place, Option<String>)> {
        let (mut calls, mut next) = (Vec::new(), Some(to));
        for _ in 0..MAX_DEPTH {
            let to = next.and_then(|id| self.debug_of(id));
            let Some(DebugInst { what: Debug::DebugInlinedAt, operands: &[line, scope, ref outer @ ..], by_id }) = to
            else {
                break;
            };
            let scope = self.scope(scope);
            if let (Some(line), Some(place)) = (self.number(line, by_id), scope.place) {
                calls.push((Place { line, column: 0, ..place }, scope.function));
            }
            next = outer.first().copied();
        }
        calls
    }
}

impl IlSource {
    pub(super) fn new(words: Words) -> Self {
        Self { words: Arc::new(words), lines: OnceLock::new() }
    }
}

impl fmt::Debug for IlSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a module of {} words", self.words.all().len())
    }
}

impl Source for IlSource {
    /// Spans are words of the module.
    fn frames(&self, span: Span) -> Vec<Frame> {
        let lines = self.lines.get_or_init(|| Lines::of(self.words.clone()));
        self.words.inst_at(span.lo as usize).map_or_else(Vec::new, |inst| lines.frames(&inst))
    }
}

/// A message with the place in the source, if it is known, and the instruction. Takes as long as the module is.
pub(super) fn located(words: &Words, inst: &Inst, message: &str) -> String {
    Lines::of(words).located(inst, message)
}

/// `located` for the instruction at a word.
pub(super) fn located_at(words: &Words, at: usize, message: &str) -> String {
    match words.inst_at(at) {
        Some(inst) => located(words, &inst, message),
        None => message.to_owned(),
    }
}

/// A scope in front of a message.
fn within(scope: Scope) -> String {
    let place = scope.place.map_or_else(String::new, |place| format!("{place}: "));
    let function = scope.function.map_or_else(String::new, |name| format!("in function '{name}': "));
    place + &function
}

/// For a set of debug instructions: whether numbers are ids of constants. `None` for other sets.
fn numbers_are_ids(set: &str) -> Option<bool> {
    match set {
        "OpenCL.DebugInfo.100" => Some(false),
        _ if set.starts_with("NonSemantic.Shader.DebugInfo") => Some(true),
        _ => None,
    }
}
