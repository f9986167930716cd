//! Runs KIR exactly as its op table says: the oracle for passes, the work-group transformation and the code generator.
//!
//! A `Machine` holds a module, its variables and the host's buffers. It runs kernels in kernel form (one activation per
//! work-item, with barriers, collectives and ids), plain functions, and work-group functions made by `wg`, also in
//! lanes and in legal form. Every memory access is checked; a broken rule (out of bounds, barrier not met by all, too
//! many steps) is an `Error` value. `undef` and fresh private memory are zero, fresh local memory is 0xa5 bytes.
//! Work-items run one after the other from barrier to barrier, in order of linear local id.
//!
//! Start with `machine`; `step` runs one work-item, `group` one work-group; `value` has the pure operations, with the
//! arithmetic of `softfloat`; `sub_group` what sub-groups do together; `memory` the address space, `lanes` its accesses
//! by vectors of work-items; `watch` lets others look on. `partial` follows a kernel of which less is known. Must not
//! know passes or Cranelift.

mod group;
mod lanes;
mod machine;
pub mod memory;
pub mod partial;
mod step;
mod sub_group;
pub mod value;
mod watch;

pub(crate) use lanes::addresses;
pub use machine::{Arg, Error, ErrorKind, Launch, Machine};
pub use watch::Watch;
