//! Races inside a launch, reads of memory that nobody has written, work-items of a group that part, and asynchronous
//! copies that nothing waits for: what `CLIFT_CHECK=races,values,barriers` finds out by calls beside the code.
//!
//! `pass::track` puts an operation beside each access to memory that others reach, in kernel form, when all passes that
//! remove accesses are done. It stays beside the access on the way into lanes, where one operation speaks for all
//! lanes, and becomes a call (`worker`). That keeps **shadow memory** (`shadow`): for each four bytes a cell (`cell`)
//! of who accessed them last, as in ThreadSanitizer (Serebryany and Iskhodzhanov, 2009) and in detectors for GPUs
//! (Holey, Mekkat and Zhai, "HAccRG", 2013; Eizenberg et al., "BARRACUDA", 2017), and a bit for each byte that nobody
//! wrote. Cells compare names of work-items, not times: a race is found whichever of the two comes first, and whether
//! groups run side by side or one after the other. So are races between launches (`order`), also of those that a
//! kernel enqueues (`before`).
//!
//! Where work-items part, `wg::apart` finds out, and `worker` who they are.
//!
//! Operands of `Op::Track` are in kernel form the pointer, a constant (`Code`) and, of a store, what it stores; then
//! the pointer (or that of an array of such), `Env`, mask of lanes, the first one's work-item, address of what is
//! stored or null, and the constant. Those of `Op::Meet` are a constant (`Meeting`), then `Env` and two numbers, too.
//!
//! What is known to be right is not told of: `pass::track` says what that is.
//!
//! What is found goes to a `Sink`. Must not know how reports look, nor OpenCL objects.

pub mod before;
pub mod cell;
mod copies;
mod intents;
mod local;
mod now;
pub mod order;
pub mod shadow;
#[cfg(test)]
mod tests;
pub mod worker;

use crate::ir::{LocalPlace, Met, Origins, Tracked};
use crate::launch::KernelCode;
pub use cell::{Kind, SITES};
pub use worker::{Tracking, Worker};

/// What a kernel's code tells of.
pub struct Sites {
    /// The accesses, by number (`Code::site`).
    pub tracked: Vec<Tracked>,
    /// Where work-items meet, by number (`Meeting::Arrive`).
    pub met: Vec<Met>,
    /// Where the kernel's local variables are.
    pub locals: Vec<LocalPlace>,
    /// What the origins in it refer to, for `Program::frames`.
    pub origins: Origins,
}

impl Sites {
    /// Those of a kernel's code; none if it was not made to tell of anything.
    pub fn of(code: &KernelCode) -> Option<&Self> {
        code.sites.as_ref()?.downcast_ref()
    }
}

/// A work-item of a launch, by what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkItem {
    /// The group's number in the order of the loops over groups.
    pub group: Option<u64>,
    /// Its number in the group in the order of the loops over work-items.
    pub item: Option<u32>,
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it did.
    pub kind: Kind,
    /// Where: all of the number for the side that was seen, modulo `SITES` for that before; nothing if that is not
    /// known any more.
    pub site: Option<u16>,
    /// Who.
    pub who: WorkItem,
}

/// Two accesses to the same bytes, of which one writes, which nothing orders and which are not both atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Where the second one begins; in local memory, from its start.
    pub address: u64,
    /// How many bytes it accesses.
    pub bytes: u32,
    /// In the group's local memory.
    pub is_local: bool,
    /// The second one.
    pub here: Side,
    /// The first one.
    pub there: Side,
    /// It was this launch that made the first one.
    pub of_launch: bool,
    /// Or another launch: that is not known.
    pub is_anyone: bool,
    /// Both write, and write the same.
    pub benign: bool,
    /// The order of the loops over groups and work-items, the outermost dimension first.
    pub order: [u8; 3],
}

/// A read of memory that nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// Where, as in `Race`.
    pub address: u64,
    /// How many bytes.
    pub bytes: u32,
    /// In the group's local memory.
    pub is_local: bool,
    /// Where in the program.
    pub site: u16,
    /// Who.
    pub who: WorkItem,
    /// As in `Race`.
    pub order: [u8; 3],
}

/// Work-items of a group, or sub-group, that do not all come to a barrier, or to what else is for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Where some are, a number in `Sites::met`.
    pub site: u32,
    /// How many these are.
    pub arrived: u32,
    /// Work-items that should.
    pub items: u32,
    /// The first one that is there.
    pub who: WorkItem,
    /// The first one that is not.
    pub other: WorkItem,
    /// Where that one is.
    pub elsewhere: Elsewhere,
    /// As in `Race`.
    pub order: [u8; 3],
}

/// Work-items of a group, or sub-group, that pass different values to what takes one for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differ {
    /// Where, a number in `Sites::met`.
    pub site: u32,
    /// Which of the arguments that may differ.
    pub arg: u32,
    /// The first one.
    pub who: WorkItem,
    /// The first one that passes another value.
    pub other: WorkItem,
    /// As in `Race`.
    pub order: [u8; 3],
}

/// Where a work-item is that does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elsewhere {
    /// It waits there, a number in `Sites::met`.
    At(u32),
    /// It has left the kernel.
    Ended,
    /// It has taken another way.
    Unknown,
}

/// An asynchronous copy that is not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwaited {
    /// The copy, a number in `Sites::met`.
    pub copy: u32,
    /// The group, whose local memory it is.
    pub group: u64,
    /// Where, as in `Race`: what comes too early, or else where it copies to.
    pub address: u64,
    /// That is in the group's local memory.
    pub is_local: bool,
    /// What comes too early.
    pub by: Early,
    /// As in `Race`.
    pub order: [u8; 3],
}

/// What comes before the wait for an asynchronous copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// The group's end.
    End,
    /// An access to what is copied.
    Access {
        /// A number in `Sites::tracked`.
        site: u16,
        /// Whose it is.
        who: WorkItem,
    },
    /// Another copy, a number in `Sites::met`, of what is copied.
    Copy(u32),
}

/// Gets what is found, on the thread that found it, while the kernel runs; of each launch, each kind of place once.
pub trait Sink: Send + Sync {
    /// A race, and with which other launch, if it is one and still known.
    fn race(&self, race: &Race, other: Option<&order::Other>);
    /// A read of what was never written.
    fn unwritten(&self, unwritten: &Unwritten);
    /// Work-items that part.
    fn apart(&self, apart: &Apart);
    /// A copy that is not waited for.
    fn unwaited(&self, unwaited: &Unwaited);
    /// Work-items pass different values to what takes one for all of them.
    fn differ(&self, differ: &Differ);
}

/// The address space of a pointer, as far as tracking goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Buffers and variables of the program.
    Global,
    /// The group's.
    Local,
    /// Any.
    Generic,
}

/// How lanes' addresses are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// There is one work-item.
    One,
    /// All lanes access the same.
    Same,
    /// So many bytes from lane to lane.
    Line(i32),
    /// The address is that of an array of addresses.
    Table,
}

/// What an atomic operation orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Accesses before it.
    pub releases: bool,
    /// Accesses behind it.
    pub acquires: bool,
}

/// What generated code says of an access.
///
/// ```text
/// bits 0..12   bytes          bit  26      acquires            bits 28..30  space
/// bits 12..24  site           bit  27      reads what it writes bits 30..32  form
/// bit  24      writes         bits 32..56  bytes from lane to lane
/// bit  25      atomic         bits 56..60  components   bit 60 races   bit 61 values   bit 62 releases   bit 63 lanes
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Bytes of each access, fewer than 4096. 0: memory of any size is written by something else, and how many bytes
    /// that are lies where else the value does.
    pub bytes: u32,
    /// Which access of the kernel it is: below 4096.
    pub site: u16,
    /// What it does.
    pub kind: Kind,
    /// Of an atomic operation.
    pub order: Order,
    /// It reads, too: a read-modify-write.
    pub reads: bool,
    /// Where the pointer points.
    pub space: Space,
    /// How addresses are given.
    pub form: Form,
    /// Components of a vector of the program's, 1 to 15 (of 16, too).
    pub components: u32,
    /// Look for races.
    pub races: bool,
    /// Look for memory never written.
    pub values: bool,
    /// The value that is written is one of several lanes' that lie side by side; else it is that of all.
    pub lanes: bool,
}

/// Numbers of sites that a `Code` has.
pub const MAX_SITES: u16 = 1 << 12;
/// Most bytes of an access that a `Code` has.
pub const MAX_BYTES: u32 = (1 << 12) - 1;
/// Strides of a `Form::Line` are smaller.
pub const MAX_STRIDE: i64 = 1 << 23;

impl Code {
    /// Bytes of what lies at the address of the value.
    pub fn value_bytes(self) -> u32 {
        if self.bytes == 0 { 8 } else { self.bytes }
    }

    /// As a number.
    pub fn to_bits(self) -> u64 {
        let bit = |is: bool, at: u32| u64::from(is) << at;
        let (form, stride) = match self.form {
            Form::One => (0u64, 0),
            Form::Same => (1, 0),
            Form::Line(stride) => (2, stride),
            Form::Table => (3, 0),
        };
        let space = match self.space {
            Space::Global => 0u64,
            Space::Local => 1,
            Space::Generic => 2,
        };
        u64::from(self.bytes & MAX_BYTES)
            | u64::from(self.site % MAX_SITES) << 12
            | bit(self.kind.writes, 24)
            | bit(self.kind.atomic, 25)
            | bit(self.order.acquires, 26)
            | bit(self.reads, 27)
            | space << 28
            | form << 30
            | (stride as u64 & 0xff_ffff) << 32
            | u64::from(self.components.min(15)) << 56
            | bit(self.races, 60)
            | bit(self.values, 61)
            | bit(self.order.releases, 62)
            | bit(self.lanes, 63)
    }

    /// What `to_bits` made.
    #[inline]
    pub fn from_bits(bits: u64) -> Self {
        let bit = |at: u32| bits >> at & 1 != 0;
        let stride = ((bits << 8) as i64 >> 40) as i32;
        Self {
            bytes: bits as u32 & MAX_BYTES,
            site: (bits >> 12) as u16 % MAX_SITES,
            kind: Kind { writes: bit(24), atomic: bit(25) },
            order: Order { acquires: bit(26), releases: bit(62) },
            reads: bit(27),
            space: [Space::Global, Space::Local, Space::Generic, Space::Generic][(bits >> 28 & 3) as usize],
            form: [Form::One, Form::Same, Form::Line(stride), Form::Table][(bits >> 30 & 3) as usize],
            components: (bits >> 56 & 15) as u32,
            races: bit(60),
            values: bit(61),
            lanes: bit(63),
        }
    }
}

/// Where work-items meet, as generated code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// A group begins, whose number comes with it.
    Group {
        /// Of the loops over groups and work-items, the outermost dimension first.
        order: [u8; 3],
    },
    /// A barrier with these fences.
    Barrier {
        /// Of local memory.
        local: bool,
        /// Of global memory.
        global: bool,
        /// Asynchronous copies in front of it come before those behind it.
        copies: bool,
    },
    /// The work-items of a sub-group.
    SubGroup {
        /// As many as it has at most.
        items: u32,
    },
    /// A fence.
    Fence,
    /// In front of what all work-items have to reach, in kernel form only: its number in `Func::met`.
    Arrive {
        /// The number.
        site: u32,
    },
    /// The group goes on where not all of its work-items are (`wg::apart`): with it come how many work-items it has,
    /// and the place, one more than the number in `Func::met`.
    Apart,
    /// The group copies asynchronously: with it comes the event.
    Copy {
        /// As in `Arrive`.
        site: u32,
    },
    /// What the last copy touches: with it come the address, and bytes there if they lie side by side, or else 0.
    CopySide {
        /// It is copied to.
        writes: bool,
    },
    /// The group has waited for an event, which comes with it, or for all of them, if all bits are set.
    Wait,
    /// All work-items have come with an argument that has to be the same for all: with it come how many there are, and
    /// the address of their values, of 64 bits each.
    Compare {
        /// As in `Arrive`.
        site: u32,
        /// As in `Differ`, below 2^28.
        arg: u32,
    },
    /// A group ends.
    End,
    /// Work-items of a sub-group come where all of them have to; with it come bits of those, and of those that there
    /// are.
    Come {
        /// As in `Arrive`.
        site: u32,
        /// The number in the group of the sub-group's first one, of 28 bits; 0 but in lanes.
        first: u32,
    },
    /// As `Come`, but the bits are of those that come, and of those whose argument is not that of the first one.
    Disagree {
        /// As in `Arrive`.
        site: u32,
        /// As in `Come`.
        first: u32,
    },
    /// In front of what enqueues a kernel or sets an event: with it come the work-item's number, or that of lane 0's,
    /// and a mask of lanes.
    Enqueue,
}

/// Where the second number of a `Meeting` is.
pub const SECOND: u32 = 36;

impl Meeting {
    /// As a number.
    pub fn to_bits(self) -> u64 {
        match self {
            Self::Group { order: [a, b, c] } => u64::from(a) << 4 | u64::from(b) << 6 | u64::from(c) << 8,
            Self::Barrier { local, global, copies } => {
                1 | u64::from(local) << 4 | u64::from(global) << 5 | u64::from(copies) << 6
            }
            Self::SubGroup { items } => 2 | u64::from(items) << 4,
            Self::Fence => 3,
            Self::Arrive { site } => 4 | u64::from(site) << 4,
            Self::Apart => 5,
            Self::Copy { site } => 6 | u64::from(site) << 4,
            Self::Compare { site, arg } => 7 | u64::from(site) << 4 | u64::from(arg) << SECOND,
            Self::End => 8,
            Self::Come { site, first } => 9 | u64::from(site) << 4 | u64::from(first) << SECOND,
            Self::Disagree { site, first } => 10 | u64::from(site) << 4 | u64::from(first) << SECOND,
            Self::CopySide { writes } => 11 | u64::from(writes) << 4,
            Self::Wait => 12,
            Self::Enqueue => 13,
        }
    }

    /// What `to_bits` made.
    pub fn from_bits(bits: u64) -> Self {
        let dim = |at: u32| (bits >> at & 3) as u8;
        let (number, second) = ((bits >> 4) as u32, (bits >> SECOND) as u32);
        match bits & 15 {
            0 => Self::Group { order: [dim(4), dim(6), dim(8)] },
            1 => Self::Barrier { local: number & 1 != 0, global: number & 2 != 0, copies: number & 4 != 0 },
            2 => Self::SubGroup { items: number },
            3 => Self::Fence,
            4 => Self::Arrive { site: number },
            5 => Self::Apart,
            6 => Self::Copy { site: number },
            7 => Self::Compare { site: number, arg: second },
            9 => Self::Come { site: number, first: second },
            10 => Self::Disagree { site: number, first: second },
            11 => Self::CopySide { writes: number & 1 != 0 },
            12 => Self::Wait,
            13 => Self::Enqueue,
            _ => Self::End,
        }
    }
}
