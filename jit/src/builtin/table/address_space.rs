//! Functions on the address space that a generic pointer points into.

use crate::builtin::{Body, Elem, Pat, Quals, Row, Spaces, Special};
use crate::launch::AddrSpace;

const TITLE: &str = "Address Space Qualifier Functions";
/// A pointer to anything that converts to the generic address space.
const ANY: Pat = Pat::Ptr(&Pat::Void, Spaces::WRITABLE, Quals::CONST.union(Quals::VOLATILE));

const fn row(name: &'static str, ret: Pat, what: Special) -> Row {
    Row::plain(name, ret, &[ANY], Body::Special(what))
        .since(200)
        .feature("__opencl_c_generic_address_space")
        .cite(TITLE)
}

/// The result's pointee is that of the argument.
const fn to(name: &'static str, space: AddrSpace) -> Row {
    row(name, Pat::Ptr(&Pat::Void, Spaces::WRITABLE, Quals::empty()), Special::ToSpace(space))
}

/// Rows.
pub static ROWS: &[Row] = &[
    to("to_global", AddrSpace::Global),
    to("to_local", AddrSpace::Local),
    to("to_private", AddrSpace::Private),
    row("get_fence", Pat::S(Elem::UInt), Special::GetFence),
];
