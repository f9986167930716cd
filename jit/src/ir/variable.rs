//! Variables of the source for debuggers: what a slot is called there, its type as the source has it, and where it was
//! declared. Only programs that are built with `-g -cl-opt-disable` have any. Must not know the source language, whose
//! types are described here as DWARF has them, or DWARF itself.

use super::entity::Inst;
use super::func::Func;
use super::op::{Flags, Op};
use super::origin::{Origin, Origins};
use super::ty::Type;
use crate::launch::AddrSpace;
use crate::source::Span;
use std::sync::Arc;

/// Variables of each kernel that has any: the ids of the work-item.
pub const IDS: [&str; 3] = ["__global_id", "__local_id", "__group_id"];

/// What a slot holds.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its type.
    pub ty: Arc<VariableType>,
    /// Where it was declared, in the function that it belongs to.
    pub declared: Origin,
    /// Where the code is that it can be seen from, in the order of places; nothing for the whole function.
    pub scope: Option<Arc<[Span]>>,
    /// It is a parameter of that function.
    pub is_parameter: bool,
    /// The slot holds the address of the current work-item's variable, not the variable.
    pub is_address: bool,
    /// Work-items that run side by side, each with a variable of its own.
    pub lanes: u8,
    /// Bytes from one of these to the next.
    pub stride: u64,
}

impl Variable {
    /// A variable of one work-item, which is seen in all of its function.
    pub fn new(ty: Arc<VariableType>, declared: Origin) -> Self {
        Self { ty, declared, scope: None, is_parameter: false, is_address: false, lanes: 1, stride: 0 }
    }
}

/// What a variable at program scope is called in the source, and where it was declared.
#[derive(Clone, Debug)]
pub struct ProgramVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Arc<VariableType>,
    /// Where it was declared.
    pub declared: Span,
    /// What that refers to.
    pub origins: Origins,
}

/// A type of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VariableType {
    /// A scalar; size in bytes.
    Base {
        /// As the source calls it.
        name: String,
        /// How its bits are read.
        encoding: Encoding,
        /// Bytes.
        size: u8,
    },
    /// A vector: elements side by side, those of three take the room of four.
    Vector {
        /// As the source calls it.
        name: String,
        /// Element.
        elem: Arc<Self>,
        /// Number of elements.
        lanes: u8,
        /// Bytes.
        size: u64,
    },
    /// An array.
    Array {
        /// Element.
        elem: Arc<Self>,
        /// Number of elements.
        len: u64,
    },
    /// A pointer of 8 bytes; nothing is said of what it points to for `void` and for records that are too deep within
    /// others.
    Pointer(Option<Arc<Self>>),
    /// A struct or union.
    Record {
        /// Tag; may be empty.
        name: String,
        /// All fields lie at its beginning.
        is_union: bool,
        /// Bytes.
        size: u64,
        /// Name (empty for anonymous ones), offset in bytes and type.
        fields: Vec<(String, u64, Arc<Self>)>,
    },
}

impl VariableType {
    /// Bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Base { size, .. } => u64::from(*size),
            Self::Vector { size, .. } | Self::Record { size, .. } => *size,
            Self::Array { elem, len } => elem.bytes() * len,
            Self::Pointer(_) => 8,
        }
    }
}

/// How the bits of a scalar are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two's complement.
    Signed,
    /// Of one byte, which is shown as a character, too.
    SignedChar,
    /// A natural number.
    Unsigned,
    /// Of one byte, likewise.
    UnsignedChar,
    /// 0 or 1.
    Boolean,
    /// IEEE 754.
    Float,
}

/// Leaves nothing for debuggers to see in a function: its variables are like any other memory. True if there were any.
pub fn forget(func: &mut Func) -> bool {
    let kept = func.slots.values_mut().filter_map(|slot| slot.variable.take()).count();
    let insts: Vec<Inst> = func.live_insts().map(|(_, inst)| inst).filter(|_| kept > 0).collect();
    for inst in insts {
        let data = &func.insts[inst];
        let is_access = matches!(data.op, Op::Load | Op::Store | Op::Memset | Op::Memcpy);
        if is_access && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private) {
            func.insts[inst].attr.flags -= Flags::VOLATILE;
        }
    }
    kept > 0
}
