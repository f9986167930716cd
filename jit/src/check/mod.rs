//! Checked code at run time: what kernels compiled with checks ask for and report, and who answers.
//!
//! # Design
//!
//! `pass::check` puts checks into kernel form. Each pointer has **companion values** that say which object it was made
//! from, as in SoftBound (Nagarakatte, Zhao, Martin and Zdancewic, "SoftBound: Highly Compatible and Complete Spatial
//! Memory Safety for C", PLDI 2009): so a pointer into one buffer that is used to reach another is found, not only one
//! that leaves all memory. Differences, and why:
//!
//! - Companions are (object, offset, bytes readable, bytes writable) in place of SoftBound's (base, bound). With an
//!   offset no address becomes an integer, which would make a pointer escape and take `noalias` facts and private
//!   variables' promotion from the passes that follow; and `offset <u bytes - size` is a comparison of an affine value
//!   with one that is the same for all work-items, which loop versioning removes from whole rows of work-items. Memory
//!   that may only be read is an object of which 0 bytes are writable: no check of its own.
//! - The pass runs behind SSA construction and after all functions that touch memory by pointers have come into their
//!   callers: companions are ordinary SSA values then, and need neither hidden parameters nor shadow memory. Reads
//!   whose values nobody uses are gone by then, and are not reported, since nothing is read.
//! - A pointer that was loaded from memory, or made from an integer, asks for the object at its address
//!   (`check.object`): the companions of what lies in memory are not kept. SoftBound keeps them in shadow space; here
//!   kernels that store pointers are rare, and a pointer that had left its object when it was stored is the only thing
//!   that is missed.
//! - A check is control flow: a branch to a cold block with `check.report`, from where a read goes on with zeros and a
//!   write is left out. Addresses stay as they are, so that accesses of neighbouring lanes stay whole vectors, under a
//!   mask.
//!
//! What the compiler knows of checks and objects is in `ir::check`, by number. Here are the launch's answers: a worker
//! enters a launch (`within`) before it calls the code, and the code calls back through helpers. Must not know KIR,
//! sources or OpenCL objects; texts are the caller's business.
#![allow(unsafe_code, reason = "a pointer to the launch that the thread runs, for calls from generated code")]

use bitflags::bitflags;
use std::cell::Cell;
use std::ptr::null;

bitflags! {
    /// What code is checked for.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Kinds: u8 {
        /// Accesses outside of objects.
        const MEMORY = 1;
        /// Accesses that nothing orders.
        const RACES = 1 << 1;
        /// Barriers and collectives that not all work-items reach alike.
        const BARRIERS = 1 << 2;
        /// Values that were never written, operations without a result.
        const VALUES = 1 << 3;
        /// NaN that is made of numbers.
        const NANS = 1 << 4;
        /// Shifts by as many bits as the type has, or more.
        const SHIFTS = 1 << 5;
    }
}

impl Kinds {
    /// What `all` means: NaN made on purpose is no mistake.
    pub const ALL: Self = Self::all().difference(Self::NANS);

    /// The kinds that a list with commas names, as `CLIFT_CHECK` has it; what is not of kernels is left out.
    pub fn parse(list: &str) -> Self {
        list.split(',').filter_map(|name| Self::named(name.trim())).fold(Self::empty(), Self::union)
    }

    /// The kinds that a word of such a list names; nothing if there are none of that name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "memory" => Self::MEMORY,
            "races" => Self::RACES,
            "barriers" => Self::BARRIERS,
            // Shifts are notes, for OpenCL C cuts their amount.
            "values" => Self::VALUES.union(Self::SHIFTS),
            "nans" => Self::NANS,
            "shifts" => Self::SHIFTS,
            "all" => Self::ALL,
            // What checks of calls look for has no code in kernels.
            "" | "api" => Self::empty(),
            _ => return None,
        })
    }

    /// What the process asks for.
    pub fn from_env() -> Self {
        static KINDS: once_cell::sync::OnceCell<Kinds> = once_cell::sync::OnceCell::new();
        *KINDS.get_or_init(|| crate::env::var("CLIFT_CHECK").map_or(Self::empty(), |list| Self::parse(&list)))
    }
}

/// Words of a finding, as `check.report` passes them.
pub const FINDING_WORDS: usize = 9;

/// Objects below this number are the compiler's (`ir::check::Object`); others are addresses.
pub const FIRST_ADDRESS: u64 = 1 << 32;

/// Bits of each coordinate of a work-item in `Finding::item`.
pub const ITEM_BITS: u32 = 21;

/// What `check.arg` and `check.object` ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Field {
    /// Of an argument: bytes from its object's first one to where it points. Of an address: the object's first byte, or
    /// the address itself if there is no object.
    Start,
    /// How many bytes from the first one on may be read.
    Readable,
    /// How many may be written.
    Writable,
}

/// What may be done where a pointer points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `Field::Start`.
    pub start: u64,
    /// `Field::Readable`.
    pub readable: u64,
    /// `Field::Writable`.
    pub writable: u64,
}

impl Bounds {
    pub(crate) fn word(self, field: u64) -> u64 {
        match field {
            0 => self.start,
            1 => self.readable,
            _ => self.writable,
        }
    }
}

/// A mistake, as generated code reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check, a number in the module's `ir::check::Checks::sites`.
    pub site: u32,
    /// The object: a number in the module's `ir::check::Checks::objects`, or an address from `FIRST_ADDRESS` on.
    pub object: u64,
    /// Bytes from its first one to where the access begins; negative in front of it.
    pub offset: i64,
    /// Bytes of it that the access might have gone to.
    pub limit: u64,
    /// Bytes of the access.
    pub bytes: u64,
    /// Local id.
    pub local: [u64; 3],
    /// Group id.
    pub group: [u64; 3],
}

impl Finding {
    /// From the words of `check.report`.
    pub fn of(words: [u64; FINDING_WORDS]) -> Self {
        let [site, object, offset, limit, bytes, item, x, y, z] = words;
        let local = [0, 1, 2].map(|d| item >> (d * ITEM_BITS) & ((1 << ITEM_BITS) - 1));
        Self { site: site as u32, object, offset: offset as i64, limit, bytes, local, group: [x, y, z] }
    }
}

/// Who answers and listens while a launch runs.
pub trait Listener: Sync {
    /// Of the pointer argument with this number.
    fn arg(&self, number: usize) -> Bounds;
    /// Of the object at an address; `here` is an address of the calling frame, below which there is no private memory
    /// of the work-item.
    fn object(&self, address: u64, here: u64) -> Bounds;
    /// Something was found. May be called very often.
    fn found(&self, finding: &Finding);
}

thread_local!(static LISTENER: Cell<*const dyn Listener> = const { Cell::new(null::<Nobody>()) });

/// Stands for no listener, by its type only.
struct Nobody;

impl Listener for Nobody {
    fn arg(&self, _: usize) -> Bounds {
        Bounds::default()
    }
    fn object(&self, _: u64, _: u64) -> Bounds {
        Bounds::default()
    }
    fn found(&self, _: &Finding) {}
}

/// Runs generated code with checks whose questions and reports go to `listener`.
pub fn within<R>(listener: &dyn Listener, run: impl FnOnce() -> R) -> R {
    struct Restore(*const dyn Listener);
    impl Drop for Restore {
        fn drop(&mut self) {
            LISTENER.set(self.0);
        }
    }
    // SAFETY: only the lifetime is forgotten; the pointer is taken back before this function ends.
    let listener = unsafe { std::mem::transmute::<*const dyn Listener, *const (dyn Listener + 'static)>(listener) };
    let _restore = Restore(LISTENER.replace(listener));
    run()
}

fn ask<R>(question: impl FnOnce(&dyn Listener) -> R) -> R {
    let listener = LISTENER.get();
    // SAFETY: `within` is running on this thread, and so the listener lives; else the pointer is null.
    match unsafe { listener.as_ref() } {
        Some(listener) => question(listener),
        None => question(&Nobody),
    }
}

/// `check.arg`.
pub(crate) extern "C" fn arg_word(number: u64, field: u64) -> u64 {
    ask(|listener| listener.arg(number as usize)).word(field)
}

/// `check.object`.
pub(crate) extern "C" fn object_word(address: u64, field: u64) -> u64 {
    let here = 0u8;
    let here = std::ptr::from_ref(std::hint::black_box(&here)).addr() as u64;
    ask(|listener| listener.object(address, here)).word(field)
}

/// `check.report`.
#[allow(clippy::too_many_arguments, reason = "generated code passes words")]
pub(crate) extern "C" fn report_words(
    site: u64,
    object: u64,
    offset: u64,
    limit: u64,
    bytes: u64,
    item: u64,
    x: u64,
    y: u64,
    z: u64,
) {
    let finding = Finding::of([site, object, offset, limit, bytes, item, x, y, z]);
    ask(|listener| listener.found(&finding));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Listen(Mutex<Vec<Finding>>);

    impl Listener for Listen {
        fn arg(&self, number: usize) -> Bounds {
            Bounds { start: 1, readable: number as u64, writable: 0 }
        }
        fn object(&self, address: u64, _: u64) -> Bounds {
            Bounds { start: address & !15, readable: 16, writable: 16 }
        }
        fn found(&self, finding: &Finding) {
            self.0.lock().unwrap().push(*finding);
        }
    }

    #[test]
    fn questions_go_to_the_launch_that_the_thread_runs() {
        let listen = Listen(Mutex::default());
        within(&listen, || {
            assert_eq!([0, 1, 2].map(|field| arg_word(7, field)), [1, 7, 0]);
            assert_eq!([0, 1, 2].map(|field| object_word(35, field)), [32, 16, 16]);
            let item = 5 | 6 << ITEM_BITS | 7 << (2 * ITEM_BITS);
            report_words(3, 1, -4i64 as u64, 16, 4, item, 8, 9, 10);
        });
        assert_eq!(arg_word(7, 1), 0, "nobody is asked outside");
        let found = listen.0.into_inner().unwrap();
        let expected =
            Finding { site: 3, object: 1, offset: -4, limit: 16, bytes: 4, local: [5, 6, 7], group: [8, 9, 10] };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn kinds_are_read_from_lists() {
        assert_eq!(Kinds::parse("memory, races,api"), Kinds::MEMORY | Kinds::RACES);
        assert_eq!(Kinds::parse("all"), Kinds::ALL);
        assert_eq!(Kinds::parse("values"), Kinds::VALUES | Kinds::SHIFTS);
        assert_eq!(Kinds::parse("shifts"), Kinds::SHIFTS);
        assert_eq!(Kinds::parse(""), Kinds::empty());
    }
}
