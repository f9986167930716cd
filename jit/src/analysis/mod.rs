//! What passes, work-group transformation and vectoriser ask about a function without changing it: inductions and trip
//! counts of loops (`induction`, `trip_count`), ranges and sums that do not wrap (`range`), addresses as sums
//! (`address`), lanes of constants (`lanes`), what depends on values (`slice`), what pointers that meet have in common
//! (`joins`), which bits integers are made of (`fields`), pointers into slots (`slots`), what accesses may touch
//! (`alias`), which vectors are read to be written back (`replaced`), how neighbours' values differ (`strides`), which
//! arguments are strides (`unit_strides`), by how much values grow from turn to turn of a loop (`turns`), whether
//! work-items may wait for each other (`waits`), how much lives how long (`live_area`). The textbook's name for the
//! first four is scalar evolution, after Bachmann, Wang, Zima, "Chains of Recurrences"; this is as small a part of it
//! as they need. Stands on `ir` alone, and on the interpreter's arithmetic. Must not change code, nor know what anybody
//! does with the answers.

pub mod address;
pub mod alias;
pub mod dependence;
pub(crate) mod fields;
pub mod footprint;
pub mod induction;
pub mod intervals;
pub(crate) mod joins;
pub mod lanes;
pub(crate) mod live_area;
pub mod range;
pub mod replaced;
pub mod slice;
pub mod slots;
pub mod strides;
pub mod trip_count;
pub(crate) mod turns;
pub(crate) mod unit_strides;
pub mod waits;
