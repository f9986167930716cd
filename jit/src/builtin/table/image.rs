//! Image functions: reads with and without a sampler, writes, queries. Bodies under `image/` serve every access of a
//! shape.

use crate::builtin::{Accesses, Attrs, Body, Elem, Elems, Pat, Row, Widths};
use crate::image::ImageShape;

const READ: &str = "Built-in Image Read Functions";
const PLAIN: &str = "Built-in Image Sampler-less Read Functions";
const WRITE: &str = "Built-in Image Write Functions";
const QUERY: &str = "Built-in Image Query Functions";

const INT: Pat = Pat::S(Elem::Int);
const INT2: Pat = Pat::V(Elem::Int, 2);
const INT4: Pat = Pat::V(Elem::Int, 4);
const FLOAT: Pat = Pat::S(Elem::Float);
const FLOAT2: Pat = Pat::V(Elem::Float, 2);
const FLOAT4: Pat = Pat::V(Elem::Float, 4);
const UINT4: Pat = Pat::V(Elem::UInt, 4);
const SAMPLER: Pat = Pat::Sampler;

/// An image that is sampled.
const fn sampled(shape: ImageShape) -> Pat {
    Pat::Image(shape, Accesses::READ)
}

/// An image that is read without a sampler.
const fn readable(shape: ImageShape) -> Pat {
    Pat::Image(shape, Accesses::READ.union(Accesses::READ_WRITE))
}

const fn writable(shape: ImageShape) -> Pat {
    Pat::Image(shape, Accesses::WRITE.union(Accesses::READ_WRITE))
}

const fn any(shape: ImageShape) -> Pat {
    Pat::Image(shape, Accesses::all())
}

const fn row(name: &'static str, ret: Pat, params: &'static [Pat], file: &'static str) -> Row {
    Row::plain(name, ret, params, Body::Cl { file, function: name })
}

/// A function of halves, which the one of floats serves.
const fn half_row(name: &'static str, ret: Pat, params: &'static [Pat], file: &'static str) -> Row {
    let function = if matches!(ret, Pat::Void) { "write_imagef" } else { "read_imagef" };
    Row::new(name, Elems::HALF, Widths::W1, ret, params, Body::Cl { file, function })
        .attr(Attrs::HALF_VIA_FLOAT)
        .feature("cl_khr_fp16")
}

/// Expands to the reads and writes of one channel type for the shapes that hold colours.
macro_rules! colours {
    ($name:ident, $row:ident, $value:expr, $read:literal, $write:literal, $read_file:literal, $write_file:literal) => {
        /// Reads and writes of one channel type.
        pub static $name: &[Row] = &[
            $row($read, $value, &[sampled(ImageShape::D1), SAMPLER, INT], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D1), SAMPLER, FLOAT], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D1Array), SAMPLER, INT2], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D1Array), SAMPLER, FLOAT2], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D2), SAMPLER, INT2], $read_file).cite(READ),
            $row($read, $value, &[sampled(ImageShape::D2), SAMPLER, FLOAT2], $read_file).cite(READ),
            $row($read, $value, &[sampled(ImageShape::D2Array), SAMPLER, INT4], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D2Array), SAMPLER, FLOAT4], $read_file).cite(READ).since(120),
            $row($read, $value, &[sampled(ImageShape::D3), SAMPLER, INT4], $read_file).cite(READ),
            $row($read, $value, &[sampled(ImageShape::D3), SAMPLER, FLOAT4], $read_file).cite(READ),
            $row($read, $value, &[readable(ImageShape::D1), INT], $read_file).cite(PLAIN).since(120),
            $row($read, $value, &[readable(ImageShape::D1Buffer), INT], $read_file).cite(PLAIN).since(120),
            $row($read, $value, &[readable(ImageShape::D1Array), INT2], $read_file).cite(PLAIN).since(120),
            $row($read, $value, &[readable(ImageShape::D2), INT2], $read_file).cite(PLAIN).since(120),
            $row($read, $value, &[readable(ImageShape::D2Array), INT4], $read_file).cite(PLAIN).since(120),
            $row($read, $value, &[readable(ImageShape::D3), INT4], $read_file).cite(PLAIN).since(120),
            $row($write, Pat::Void, &[writable(ImageShape::D1), INT, $value], $write_file).cite(WRITE).since(120),
            $row($write, Pat::Void, &[writable(ImageShape::D1Buffer), INT, $value], $write_file).cite(WRITE).since(120),
            $row($write, Pat::Void, &[writable(ImageShape::D1Array), INT2, $value], $write_file).cite(WRITE).since(120),
            $row($write, Pat::Void, &[writable(ImageShape::D2), INT2, $value], $write_file).cite(WRITE),
            $row($write, Pat::Void, &[writable(ImageShape::D2Array), INT4, $value], $write_file).cite(WRITE).since(120),
            $row($write, Pat::Void, &[writable(ImageShape::D3), INT4, $value], $write_file).cite(WRITE),
        ];
    };
}

colours!(FLOATS, row, FLOAT4, "read_imagef", "write_imagef", "image/read_imagef.cl", "image/write_imagef.cl");
colours!(
    HALVES,
    half_row,
    Pat::EVec(4),
    "read_imageh",
    "write_imageh",
    "image/read_imagef.cl",
    "image/write_imagef.cl"
);
colours!(INTS, row, INT4, "read_imagei", "write_imagei", "image/read_imagei.cl", "image/write_imagei.cl");
colours!(UINTS, row, UINT4, "read_imageui", "write_imageui", "image/read_imageui.cl", "image/write_imageui.cl");

/// Expands to the reads and writes of one channel type at a level of detail, or by gradients.
macro_rules! levels {
    ($name:ident, $value:expr, $read:literal, $write:literal, $read_file:literal, $write_file:literal) => {
        /// Reads and writes of one channel type at a level of detail.
        pub static $name: &[Row] = &[
            mip_read($read, $value, &[sampled(ImageShape::D1), SAMPLER, FLOAT, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D1), SAMPLER, FLOAT, FLOAT, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D1Array), SAMPLER, FLOAT2, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D1Array), SAMPLER, FLOAT2, FLOAT, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D2), SAMPLER, FLOAT2, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D2), SAMPLER, FLOAT2, FLOAT2, FLOAT2], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D2Array), SAMPLER, FLOAT4, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D2Array), SAMPLER, FLOAT4, FLOAT2, FLOAT2], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D3), SAMPLER, FLOAT4, FLOAT], $read_file),
            mip_read($read, $value, &[sampled(ImageShape::D3), SAMPLER, FLOAT4, FLOAT4, FLOAT4], $read_file),
            mip_write($write, &[writable(ImageShape::D1), INT, INT, $value], $write_file),
            mip_write($write, &[writable(ImageShape::D1Array), INT2, INT, $value], $write_file),
            mip_write($write, &[writable(ImageShape::D2), INT2, INT, $value], $write_file),
            mip_write($write, &[writable(ImageShape::D2Array), INT4, INT, $value], $write_file),
            mip_write($write, &[writable(ImageShape::D3), INT4, INT, $value], $write_file),
        ];
    };
}

const fn mip_read(name: &'static str, ret: Pat, params: &'static [Pat], file: &'static str) -> Row {
    row(name, ret, params, file).cite(READ).since(120).feature("cl_khr_mipmap_image")
}

const fn mip_write(name: &'static str, params: &'static [Pat], file: &'static str) -> Row {
    row(name, Pat::Void, params, file).cite(WRITE).since(120).feature("cl_khr_mipmap_image_writes")
}

levels!(FLOAT_LEVELS, FLOAT4, "read_imagef", "write_imagef", "image/mip_read_imagef.cl", "image/mip_write_imagef.cl");
levels!(INT_LEVELS, INT4, "read_imagei", "write_imagei", "image/mip_read_imagei.cl", "image/mip_write_imagei.cl");
levels!(UINT_LEVELS, UINT4, "read_imageui", "write_imageui", "image/mip_read_imageui.cl", "image/mip_write_imageui.cl");

const MIP_READ: &str = "image/mip_read_imagef.cl";
const MIP_WRITE: &str = "image/mip_write_imagef.cl";

/// Depth images at a level of detail.
pub static DEPTH_LEVELS: &[Row] = &[
    mip_read("read_imagef", FLOAT, &[sampled(ImageShape::D2Depth), SAMPLER, FLOAT2, FLOAT], MIP_READ),
    mip_read("read_imagef", FLOAT, &[sampled(ImageShape::D2Depth), SAMPLER, FLOAT2, FLOAT2, FLOAT2], MIP_READ),
    mip_read("read_imagef", FLOAT, &[sampled(ImageShape::D2ArrayDepth), SAMPLER, FLOAT4, FLOAT], MIP_READ),
    mip_read("read_imagef", FLOAT, &[sampled(ImageShape::D2ArrayDepth), SAMPLER, FLOAT4, FLOAT2, FLOAT2], MIP_READ),
    mip_write("write_imagef", &[writable(ImageShape::D2Depth), INT2, INT, FLOAT], MIP_WRITE),
    mip_write("write_imagef", &[writable(ImageShape::D2ArrayDepth), INT4, INT, FLOAT], MIP_WRITE),
];

const fn read_depth(params: &'static [Pat]) -> Row {
    row("read_imagef", FLOAT, params, "image/read_imagef.cl").cite(READ).since(120)
}

const fn write_depth(params: &'static [Pat]) -> Row {
    row("write_imagef", Pat::Void, params, "image/write_imagef.cl").cite(WRITE).since(120)
}

/// Depth images: one float.
pub static DEPTH: &[Row] = &[
    read_depth(&[sampled(ImageShape::D2Depth), SAMPLER, INT2]),
    read_depth(&[sampled(ImageShape::D2Depth), SAMPLER, FLOAT2]),
    read_depth(&[readable(ImageShape::D2Depth), INT2]),
    read_depth(&[sampled(ImageShape::D2ArrayDepth), SAMPLER, INT4]),
    read_depth(&[sampled(ImageShape::D2ArrayDepth), SAMPLER, FLOAT4]),
    read_depth(&[readable(ImageShape::D2ArrayDepth), INT4]),
    write_depth(&[writable(ImageShape::D2Depth), INT2, FLOAT]),
    write_depth(&[writable(ImageShape::D2ArrayDepth), INT4, FLOAT]),
];

const fn query(name: &'static str, ret: Pat, params: &'static [Pat]) -> Row {
    row(name, ret, params, "image/query.cl").pure().cite(QUERY)
}

/// Expands to a query for each of some shapes.
macro_rules! queries {
    ($($name:literal: $ret:expr, [$($shape:ident),+];)+) => {
        /// Sizes and formats.
        pub static QUERIES: &[Row] = &[$($(query($name, $ret, &[any(ImageShape::$shape)]),)+)+];
    };
}

queries! {
    "get_image_width": INT, [D1, D1Buffer, D1Array, D2, D2Array, D2Depth, D2ArrayDepth, D3];
    "get_image_height": INT, [D2, D2Array, D2Depth, D2ArrayDepth, D3];
    "get_image_depth": INT, [D3];
    "get_image_channel_data_type": INT, [D1, D1Buffer, D1Array, D2, D2Array, D2Depth, D2ArrayDepth, D3];
    "get_image_channel_order": INT, [D1, D1Buffer, D1Array, D2, D2Array, D2Depth, D2ArrayDepth, D3];
    "get_image_dim": INT2, [D2, D2Array, D2Depth, D2ArrayDepth];
    "get_image_dim": INT4, [D3];
    "get_image_array_size": Pat::S(Elem::ULong), [D1Array, D2Array, D2ArrayDepth];
}

const fn level_query(shape: &'static [Pat]) -> Row {
    query("get_image_num_mip_levels", INT, shape).feature("cl_khr_mipmap_image")
}

/// The number of mip levels.
pub static LEVEL_QUERIES: &[Row] = &[
    level_query(&[any(ImageShape::D1)]),
    level_query(&[any(ImageShape::D1Array)]),
    level_query(&[any(ImageShape::D2)]),
    level_query(&[any(ImageShape::D2Array)]),
    level_query(&[any(ImageShape::D2Depth)]),
    level_query(&[any(ImageShape::D2ArrayDepth)]),
    level_query(&[any(ImageShape::D3)]),
];
