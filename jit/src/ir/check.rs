//! What the checks in a module are about: places in the source and objects, by the numbers that `check.report` passes.
//! Made by `pass::check`; not part of the text. Must not know how reports are made.

use super::entity::FuncId;
use super::origin::Origin;
use crate::check::Kinds;

/// Checks of a module.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// What its code is to be checked for.
    pub kinds: Kinds,
    /// Where something can be found.
    pub sites: Vec<Site>,
    /// What the compiler knows of objects; number 0 is null.
    pub objects: Vec<Object>,
}

/// A check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function that the place is in.
    pub func: FuncId,
    /// Where the checked operation stands.
    pub at: Origin,
    /// What is checked.
    pub what: Checked,
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// An access to memory.
    Access {
        /// It writes; else it reads.
        writes: bool,
        /// It is an atomic operation.
        is_atomic: bool,
        /// What its address must be a multiple of.
        align: u64,
    },
    /// An access to an element that an array within an object does not have; of a finding, the limit is the index.
    Element {
        /// It writes; else it reads.
        writes: bool,
        /// How many elements the array has.
        count: u64,
    },
    /// An access to an image: of a finding, the object is the address of its descriptor; offset, limit and bytes are x
    /// and y, z and width, height and depth of 32 bits each.
    Texel {
        /// It writes; else it reads.
        writes: bool,
        /// How many coordinates count.
        dims: u8,
        /// Number of the image, by its name.
        object: u32,
    },
    /// A read of a private variable that may not have been written.
    Unwritten,
    /// A conversion of a float to an integer type that does not hold it.
    Conversion,
    /// A call of `printf` that gives -1.
    Printf,
    /// An operation or function that makes NaN of numbers.
    Nan,
    /// A shift by as many bits as the type has, or more: of a finding, the offset is the amount, unless it is a vector.
    Shift {
        /// How many that are.
        bits: u32,
        /// Components are not told apart.
        is_vector: bool,
    },
    /// An integer division: of a finding, the offset is 1 if the divisor is 0, else the quotient is too large.
    Division {
        /// Its remainder is wanted.
        is_remainder: bool,
    },
}

/// An object that the compiler knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub what: ObjectKind,
    /// As the source calls it; may be empty.
    pub name: String,
    /// Bytes; of arguments only the launch knows.
    pub size: u64,
}

/// Kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// What a null pointer points to.
    Null,
    /// What a kernel's argument of this number points to.
    Arg(u32),
    /// A private variable.
    Private,
    /// A local variable.
    Local,
    /// A variable at program scope.
    Variable,
    /// An image, by the name of the parameter that it was passed in.
    Image,
}
