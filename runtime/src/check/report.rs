//! What a report says. Made by whoever finds a mistake, only when it is found for the first time at its site.

use super::objects::Object;
use crate::sync::{Mutex, Rank};
use clift_jit::places::Frame;
use std::collections::BTreeMap;
use std::hash::Hash;

/// The word behind `check:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An access outside of an object, or that the object does not permit.
    Memory,
    /// Two accesses that nothing orders.
    Race,
    /// Work-items of a group that reach different barriers or collectives.
    Barrier,
    /// A value that was never written or that an operation has no result for.
    Value,
    /// An asynchronous copy's event.
    Event,
    /// The host program's calls.
    Api,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Memory, Self::Race, Self::Barrier, Self::Value, Self::Event, Self::Api];

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Race => "race",
            Self::Barrier => "barrier",
            Self::Value => "value",
            Self::Event => "event",
            Self::Api => "api",
        }
    }
}

/// A place in a kernel's source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// As `#line` or `clift run` names it; empty: the program has no name, and is called by its number.
    pub file: String,
    /// From 1; 0: not known.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// How many characters are meant, from there on.
    pub width: u32,
    /// The line's text.
    pub text: String,
    /// The function in which it is, or was before it was inlined.
    pub function: String,
}

impl From<Frame> for Place {
    fn from(frame: Frame) -> Self {
        let Frame { file, line, column, text, function, .. } = frame;
        Self { file, line, column, width: 1, text: text.unwrap_or_default(), function }
    }
}

/// A work-item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// `get_global_id`.
    pub global: [u64; 3],
    /// `get_local_id`.
    pub local: [u64; 3],
    /// `get_group_id`.
    pub group: [u64; 3],
}

/// One of the two accesses of a race; all others have one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// What it does: `write of 4 bytes`; may be empty for the first side, whose message says it.
    pub label: String,
    /// Innermost first: where it stands, then the calls that were inlined there.
    pub places: Vec<Place>,
    /// Who does it; may be empty.
    pub items: Vec<Item>,
    /// For commands of the host: what was called, and from where.
    pub call: Option<super::host::Call>,
}

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What kind of mistake.
    pub kind: Kind,
    /// It is no mistake in this language, and does not count as one.
    pub is_note: bool,
    /// It is a race, and both sides write the same value.
    pub is_benign: bool,
    /// One line, starts in lower case, no full stop.
    pub message: String,
    /// The kernel's name; empty if there is none.
    pub kernel: String,
    /// Number of the program, see `objects::program_number`; 0: none.
    pub program: u32,
    /// The first is the one that the report is at; a race has two.
    pub sides: Vec<Side>,
    /// The memory, event or other object of which it is.
    pub object: Option<Object>,
    /// Where in it, in bytes from its start; may be negative.
    pub offset: Option<i64>,
    /// What helps to understand it, a line each.
    pub notes: Vec<String>,
}

impl Report {
    /// A report without anything else yet.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            is_note: false,
            is_benign: false,
            message: message.into(),
            kernel: String::new(),
            program: 0,
            sides: Vec::new(),
            object: None,
            offset: None,
            notes: Vec::new(),
        }
    }

    /// What stands behind `check:`, in all lines that have it.
    pub(super) fn word(&self) -> String {
        let note = if self.is_note { ": note" } else { "" };
        format!("{}{note}", self.kind.word())
    }

    /// The place that it is at.
    pub fn place(&self) -> Option<&Place> {
        self.sides.first()?.places.first()
    }

    /// All but work-items, objects and numbers; none of what has no place in a source, where different mistakes may
    /// look the same.
    pub(super) fn essence(&self) -> Option<impl Hash> {
        self.place().filter(|place| place.line > 0)?;
        let side = |side: &Side| {
            let places = side.places.iter().map(|place| (place.file.clone(), place.line, place.column));
            (side.label.clone(), places.collect::<Vec<_>>())
        };
        let sides: Vec<_> = self.sides.iter().map(side).collect();
        Some((self.kind.word(), self.program, self.kernel.clone(), self.message.clone(), sides))
    }

    /// `FILE:LINE:COLUMN`, `program N`, the call of the host, or `clift`: what a report begins with.
    pub fn head(&self) -> String {
        match (self.place(), self.sides.first().and_then(|side| side.call.as_ref())) {
            (Some(place), _) => position(place, self.program),
            (None, Some(call)) => call.name.to_owned(),
            (None, None) if self.program > 0 => format!("program {}", self.program),
            (None, None) => "clift".to_owned(),
        }
    }
}

/// What the compiler calls a program's own source, which has no name.
const NAMELESS: &str = "<kernel>";

/// Names of the sources of programs, by number.
static NAMES: Mutex<BTreeMap<u32, String>> = Mutex::new(Rank::Leaf, BTreeMap::new());

/// Says which file the source of a program is from.
pub fn name_program(number: u32, file: String) {
    NAMES.lock().insert(number, file);
}

/// Gives places in a program's own source, if it is another one than that of the report, its name or number.
pub(super) fn name_other_program(places: &mut [Place], program: u32) {
    let name = NAMES.lock().get(&program).cloned().unwrap_or_else(|| format!("program {program}"));
    places.iter_mut().filter(|place| place.file == NAMELESS).for_each(|place| place.file.clone_from(&name));
}

impl Report {
    /// Gives places in the program's own source its name; none if nobody said.
    pub(super) fn name_places(&mut self) {
        let name = NAMES.lock().get(&self.program).cloned().unwrap_or_default();
        let places = self.sides.iter_mut().flat_map(|side| &mut side.places);
        places.filter(|place| place.file == NAMELESS).for_each(|place| place.file.clone_from(&name));
    }
}

/// `FILE:LINE:COLUMN`, as far as they are known.
pub(super) fn position(place: &Place, program: u32) -> String {
    let mut text = if place.file.is_empty() { format!("program {program}") } else { place.file.clone() };
    for number in [place.line, place.column].into_iter().take_while(|&n| n > 0) {
        text += &format!(":{number}");
    }
    text
}
