//! The texts of the body files, embedded in the library. The compiler parses a file when a program first calls into it.
//! Indentation and lines of comment are left out but for the first line; lines keep their numbers.

/// Expands to a lookup from path under `jit/builtins/` to embedded text; the list is the arms.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        /// Every embedded path.
        const PATHS: &[&str] = &[$($path),*];

        fn text(path: &str) -> Option<&'static str> {
            match path {
                $($path => {
                    const TEXT: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/builtins/", $path));
                    const DENSE: &[u8] = &dense::<{ dense_len(TEXT) }>(TEXT);
                    std::str::from_utf8(DENSE).ok()
                })*
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
    "image/block.cl",
    "image/mip_read_imagef.cl",
    "image/mip_read_imagei.cl",
    "image/mip_read_imageui.cl",
    "image/mip_write_imagef.cl",
    "image/mip_write_imagei.cl",
    "image/mip_write_imageui.cl",
    "image/query.cl",
    "image/read_imagef.cl",
    "image/read_imagei.cl",
    "image/read_imageui.cl",
    "image/write_imagef.cl",
    "image/write_imagei.cl",
    "image/write_imageui.cl",
    "include/bits.clh",
    "include/image.clh",
    "include/image_mip_read.clh",
    "include/image_mip_write.clh",
    "include/image_put.clh",
    "include/image_read.clh",
    "include/image_read_float.clh",
    "include/image_read_int.clh",
    "include/image_sample.clh",
    "include/image_write.clh",
    "include/image_write_float.clh",
    "include/image_write_int.clh",
    "include/log.clh",
    "include/norm.clh",
    "include/pow.clh",
    "include/reduce.clh",
    "include/rem.clh",
    "include/rounded.clh",
    "include/rounded_log.clh",
    "include/trig.clh",
    "integer/abs_diff.cl",
    "integer/bitfield.cl",
    "integer/clamp.cl",
    "integer/dot.cl",
    "integer/mad_hi.cl",
    "integer/mad_sat.cl",
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
    "math/rounded_asin.cl",
    "math/rounded_exp.cl",
    "math/rounded_log.cl",
    "math/rounded_pow.cl",
    "math/rounded_root.cl",
    "math/rounded_trig.cl",
    "math/rsqrt.cl",
    "math/select.cl",
    "math/sinh.cl",
    "math/trig.cl",
    "math/trigpi.cl",
    "pipe/pipe.cl",
    "relational/class.cl",
];

/// Where the part of a line from `start` that is kept begins: behind the indentation, and at the end if it is a
/// comment.
const fn kept_from(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    if start > 0 && at + 1 < text.len() && text[at] == b'/' && text[at + 1] == b'/' {
        while at < text.len() && text[at] != b'\n' {
            at += 1;
        }
    }
    at
}

/// Bytes of `dense`.
const fn dense_len(text: &[u8]) -> usize {
    let (mut at, mut len) = (kept_from(text, 0), 0);
    while at < text.len() {
        len += 1;
        at = if text[at] == b'\n' { kept_from(text, at + 1) } else { at + 1 };
    }
    len
}

/// A text without its indentation and comments.
const fn dense<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let (mut at, mut len) = (kept_from(text, 0), 0);
    while at < text.len() {
        out[len] = text[at];
        len += 1;
        at = if text[at] == b'\n' { kept_from(text, at + 1) } else { at + 1 };
    }
    out
}

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
