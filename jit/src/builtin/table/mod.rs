//! The signature tables, one file per family of the specification. Rows are data: no logic here.

pub mod address_space;
pub mod async_copy;
pub mod atomic;
pub mod atomic_object;
pub mod common;
pub mod geometric;
pub mod image;
pub mod integer;
pub mod intrinsic;
pub mod math;
pub mod misc;
pub mod pipe;
pub mod relational;
pub mod sub_group;
pub mod sync;
pub mod vload;
pub mod work_group;
pub mod work_item;

use super::sig::{Body, Row};

/// Tables of the functions that programs may call.
pub static PUBLIC: &[&[Row]] = &[
    work_item::ROWS,
    math::ROWS,
    integer::ROWS,
    common::ROWS,
    geometric::ROWS,
    relational::ROWS,
    vload::LOAD,
    vload::STORE,
    vload::HALF,
    sync::ROWS,
    async_copy::ROWS,
    atomic::ROWS,
    atomic_object::INIT,
    atomic_object::ROWS,
    address_space::ROWS,
    work_group::ROWS,
    work_group::REDUCE,
    work_group::SCAN_INCLUSIVE,
    work_group::SCAN_EXCLUSIVE,
    sub_group::ROWS,
    sub_group::BALLOT_ROWS,
    sub_group::SHUFFLES,
    sub_group::REDUCE,
    sub_group::SCAN_INCLUSIVE,
    sub_group::SCAN_EXCLUSIVE,
    sub_group::NON_UNIFORM_REDUCE,
    sub_group::NON_UNIFORM_SCAN_INCLUSIVE,
    sub_group::NON_UNIFORM_SCAN_EXCLUSIVE,
    sub_group::CLUSTERED_REDUCE,
    sub_group::INTEL_REDUCE,
    sub_group::INTEL_SCAN_INCLUSIVE,
    sub_group::INTEL_SCAN_EXCLUSIVE,
    sub_group::INTEL_SHUFFLES,
    sub_group::BLOCKS,
    sub_group::BLOCKS_UINT,
    sub_group::BLOCKS_UCHAR,
    sub_group::BLOCKS_USHORT,
    sub_group::BLOCKS_ULONG,
    image::FLOATS,
    image::HALVES,
    image::INTS,
    image::UINTS,
    image::DEPTH,
    image::FLOAT_LEVELS,
    image::INT_LEVELS,
    image::UINT_LEVELS,
    image::DEPTH_LEVELS,
    image::LEVEL_QUERIES,
    image::QUERIES,
    pipe::ROWS,
    misc::ROWS,
];

/// Tables of the functions that only builtin bodies may call.
pub static INTRINSIC: &[&[Row]] = &[intrinsic::ROWS];

/// A body in OpenCL C.
const fn cl(file: &'static str, function: &'static str) -> Body {
    Body::Cl { file, function }
}
