//! The texts of the body files, embedded in the library. The compiler parses a file when a program first calls into it.

/// Expands to a lookup from path under `jit/builtins/` to embedded text; the list is the arms.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        /// Every embedded path.
        const PATHS: &[&str] = &[$($path),*];

        fn text(path: &str) -> Option<&'static str> {
            match path {
                $($path => Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/builtins/", $path))),)*
                _ => None,
            }
        }
    };
}

files![
    "common/angle.cl",
    "common/clamp.cl",
    "common/mix.cl",
    "common/sign.cl",
    "common/step.cl",
    "geometric/cross.cl",
    "geometric/dot.cl",
    "geometric/fast.cl",
    "geometric/length.cl",
    "geometric/normalize.cl",
    "image/query.cl",
    "image/read_imagef.cl",
    "image/read_imagei.cl",
    "image/read_imageui.cl",
    "image/write_imagef.cl",
    "image/write_imagei.cl",
    "image/write_imageui.cl",
    "include/bits.clh",
    "include/image.clh",
    "include/image_read.clh",
    "include/image_read_int.clh",
    "include/image_write.clh",
    "include/image_write_int.clh",
    "include/log.clh",
    "include/norm.clh",
    "include/pow.clh",
    "include/reduce.clh",
    "include/rem.clh",
    "include/trig.clh",
    "integer/abs_diff.cl",
    "integer/bitfield.cl",
    "integer/clamp.cl",
    "integer/dot.cl",
    "integer/mad_hi.cl",
    "integer/mad_sat.cl",
    "integer/mul24.cl",
    "integer/upsample.cl",
    "math/asin.cl",
    "math/asinh.cl",
    "math/atan.cl",
    "math/cbrt.cl",
    "math/erf.cl",
    "math/exp.cl",
    "math/expm1.cl",
    "math/fmod.cl",
    "math/gamma.cl",
    "math/hypot.cl",
    "math/log.cl",
    "math/log1p.cl",
    "math/native.cl",
    "math/nextafter.cl",
    "math/parts.cl",
    "math/pow.cl",
    "math/round.cl",
    "math/rsqrt.cl",
    "math/select.cl",
    "math/sinh.cl",
    "math/trig.cl",
    "math/trigpi.cl",
    "relational/class.cl",
];

/// Text of the body file that a row names, e.g. `math/exp.cl`; empty for a path that no row names.
pub fn source(file: &str) -> &'static str {
    text(file).unwrap_or("")
}

/// Every embedded path under `jit/builtins/`, sorted.
pub fn paths() -> &'static [&'static str] {
    PATHS
}

/// Text of a header that body files may include, e.g. `reduce.clh`.
pub fn include(name: &str) -> Option<&'static str> {
    let path = PATHS.iter().find(|path| path.strip_prefix("include/") == Some(name))?;
    text(path)
}

/// Names and texts of all headers that body files may include.
pub fn includes() -> impl Iterator<Item = (&'static str, &'static str)> {
    PATHS.iter().filter_map(|path| Some((path.strip_prefix("include/")?, text(path)?)))
}
