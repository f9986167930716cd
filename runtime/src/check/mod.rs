//! The checked mode: mistakes of programs that kernels compiled with checks, and the objects here, find while the
//! program runs.
//!
//! `report` has what a report says and counts those that repeat; `text` and `json` write them, `suppress` leaves
//! out those that the user knows, `sink` is where they go. `objects` knows live and freed memory by address,
//! `quarantine` keeps what was freed from being used again, `handles` knows the API's objects, `host` who called
//! us, `api` looks at calls, `ahead` at what a launch is going to access. `commands` finds commands that race, with
//! `clock` and `history`, and a host that touches their memory, with `guard`. What kernels do is checked by code
//! that the compiler makes. All of it sleeps unless `CLIFT_CHECK` names something or a program was built with
//! checks.

pub(crate) mod ahead;
pub(crate) mod api;
mod clock;
pub(crate) mod commands;
mod guard;
pub(crate) mod handles;
mod history;
pub mod host;
pub mod json;
pub mod kernel;
pub(crate) mod known;
pub(crate) mod now;
pub mod objects;
pub(crate) mod quarantine;
pub(crate) mod race;
pub mod report;
pub mod sink;
mod suppress;
mod table;
mod text;

use crate::config::Config;
pub use api::refused;
use bitflags::bitflags;
pub use handles::misused;
pub use report::{Item, Kind, Place, Report, Side, name_program};
pub use sink::{is_known, report};
pub use table::Site;

bitflags! {
    /// What can be asked for (`CLIFT_CHECK`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Kinds: u8 {
        /// Accesses outside of objects.
        const MEMORY = 1;
        /// Accesses that nothing orders, of work-items and of commands.
        const RACES = 1 << 1;
        /// Barriers, collectives and asynchronous copies that not all work-items reach alike.
        const BARRIERS = 1 << 2;
        /// Memory that was never written, operations without a result.
        const VALUES = 1 << 3;
        /// Mistakes of the host program in its calls.
        const API = 1 << 4;
        /// NaN that is made of numbers.
        const NANS = 1 << 5;
        /// Shifts by as many bits as the type has, or more.
        const SHIFTS = 1 << 6;
    }
}

impl Kinds {
    /// Names, as users write them.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("memory", Self::MEMORY),
        ("races", Self::RACES),
        ("barriers", Self::BARRIERS),
        ("values", Self::VALUES.union(Self::SHIFTS)),
        ("api", Self::API),
        ("nans", Self::NANS),
        ("shifts", Self::SHIFTS),
        ("all", Self::all().difference(Self::NANS)),
    ];

    /// The kinds of a list with commas; names that there are not are left out, with a line on stderr.
    pub fn parse(list: &str) -> Self {
        let mut kinds = Self::empty();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match Self::NAMES.iter().find(|row| row.0 == name) {
                Some(row) => kinds |= row.1,
                None => eprintln!("clift: CLIFT_CHECK: there is no kind `{name}`"),
            }
        }
        kinds
    }
}

/// Whether any of these kinds is on for the whole process.
pub fn enabled(kinds: Kinds) -> bool {
    Config::get().check.kinds.intersects(kinds)
}

/// Whether anything is: what must be done for any kind of check.
pub fn is_on() -> bool {
    !Config::get().check.kinds.is_empty()
}

/// How many of so many bytes memory objects may take, so that there is room for the shadow of all they are.
pub fn beside_shadow(bytes: u64, kinds: Kinds) -> u64 {
    // Two bytes of cells and one bit for each byte (`clift_jit::race::shadow`).
    let cells = if kinds.intersects(Kinds::RACES) { 16 } else { 0 };
    let bits = if kinds.intersects(Kinds::VALUES) { 1 } else { 0 };
    bytes / (8 + cells + bits) * 8
}

/// Whether reports may have to name calls of the API.
pub fn names_calls() -> bool {
    is_on() || objects::has_checked()
}
