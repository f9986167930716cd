//! Code made for images of known format and known samplers gives the same bits, texels and results, as code for any
//! image, which `images` checks against the specification; and it runs in vector lanes.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::image::format::{data_type as t, layout, order as o};
use clift_jit::image::{Fact, ImageDesc, ImageFacts, channel, sampler};
use clift_jit::{SpecKey, target};
use kernel::{Buffer, Program};

/// Bytes around the texels, which nothing may touch.
const GUARD: usize = 64;
/// Sizes in texels, rows, slices; also layers.
const SIZES: [usize; 3] = [13, 7, 5];
/// Work-items: groups and work-items of each.
const ITEMS: [u64; 2] = [3, 53];

/// Kernels that read with a sampler at floats, read at integers, and write, for a channel type and a shape.
fn kernels(shape: &str, coordinate: &str, swizzle: &str, suffix: &str, channel: &str) -> Program {
    Program::new(&format!(
        "kernel void sample(read_only image{shape} im, sampler_t s, global const float4 *at, global {channel}4 *out) {{
             int i = get_global_id(0);
             out[i] = read_image{suffix}(im, s, at[i].{swizzle});
         }}
         kernel void read(read_only image{shape} im, sampler_t s, global const float4 *at, global {channel}4 *out) {{
             int i = get_global_id(0);
             out[i] = read_image{suffix}(im, convert_{coordinate}_sat(at[i].{swizzle}));
         }}
         kernel void write(write_only image{shape} im, sampler_t s, global const float4 *at, global {channel}4 *in) {{
             int i = get_global_id(0);
             write_image{suffix}(im, convert_{coordinate}_sat(at[i].{swizzle}), in[i]);
         }}"
    ))
}

/// Without a pattern.
fn noise(i: usize) -> u32 {
    (i as u32 + 1).wrapping_mul(2_654_435_761) ^ (i as u32).wrapping_mul(40_503) >> 7
}

/// Runs a kernel with a key; the texels, after a check of the guards, and the last argument.
fn run(program: &Program, name: &str, key: SpecKey, desc: &ImageDesc, bits: u32, at: &[u8]) -> [Vec<u8>; 2] {
    let n = SIZES.iter().product::<usize>() * desc.texel_bytes as usize;
    let texels: Vec<u8> = (0..n + 2 * GUARD).map(|i| noise(i) as u8).collect();
    let texels = Buffer::new(&texels);
    let desc = ImageDesc { data: texels.address() + GUARD as u64, ..*desc };
    // SAFETY: the struct is plain numbers without padding.
    let desc = Buffer::new(unsafe {
        std::slice::from_raw_parts((&raw const desc).cast::<u8>(), std::mem::size_of::<ImageDesc>())
    });
    // Colours around the range of normalised ones, and integers.
    let colour = |i: usize| if i.is_multiple_of(3) { noise(i) } else { (noise(i) as f32 / 2e9 - 0.4).to_bits() };
    let items = ITEMS[0] * ITEMS[1];
    let io = Buffer::new(&(0..items as usize * 4).flat_map(|i| colour(i).to_le_bytes()).collect::<Vec<_>>());
    let at = Buffer::new(at);
    program.run_as(name, key, ITEMS, &[desc.address(), bits.into(), at.address(), io.address()]);
    let texels = texels.bytes();
    let is_guard = |i: usize| i < GUARD || i >= GUARD + n;
    assert!((0..texels.len()).all(|i| !is_guard(i) || texels[i] == noise(i) as u8), "bytes outside were written");
    [texels, io.bytes()]
}

/// Numbers, but NaN for every NaN: its bits are not the program's to know.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| u32::from_le_bytes(chunk.try_into().expect("four bytes"));
    bytes.chunks_exact(4).map(word).map(|bits| if f32::from_bits(bits).is_nan() { !0 } else { bits }).collect()
}

#[test]
fn known_formats_and_samplers_change_no_bit() {
    const SHAPES: [(&str, &str, &str, [usize; 3]); 5] = [
        ("1d_t", "int", "x", [13, 1, 1]),
        ("2d_t", "int2", "xy", [13, 7, 1]),
        ("1d_array_t", "int2", "xy", [13, 1, 5]),
        ("2d_array_t", "int4", "xyzw", [13, 7, 5]),
        ("3d_t", "int4", "xyzw", [13, 7, 5]),
    ];
    let floats = [t::UNORM_INT8, t::SNORM_INT8, t::UNORM_INT16, t::SNORM_INT16, t::HALF_FLOAT, t::FLOAT];
    let mut formats: Vec<(u32, u32)> = Vec::new();
    for order in [o::RGBA, o::BGRA, o::R, o::RG, o::A, o::RA, o::ABGR, o::INTENSITY, o::LUMINANCE] {
        formats.extend(floats.map(|data_type| (order, data_type)));
    }
    formats.extend([t::UNORM_SHORT_565, t::UNORM_SHORT_555, t::UNORM_INT_101010].map(|ty| (o::RGB, ty)));
    formats.extend([(o::RGBA, t::UNORM_INT_101010_2), (o::SRGBA, t::UNORM_INT8), (o::SBGRA, t::UNORM_INT8)]);
    formats.push((o::ABGR, t::UNORM_INT_2_101010_EXT));
    let padded = [t::UNSIGNED_INT10X6_EXT, t::UNSIGNED_INT12X4_EXT, t::UNSIGNED_INT14X2_EXT];
    for order in [o::RGBA, o::R, o::RG] {
        formats.extend([t::UNORM_INT10X6_EXT, t::UNORM_INT12X4_EXT, t::UNORM_INT14X2_EXT].map(|ty| (order, ty)));
        formats.extend(padded.map(|ty| (order, ty)));
    }
    let ints = [t::SIGNED_INT8, t::SIGNED_INT16, t::SIGNED_INT32];
    let mut uints = vec![t::UNSIGNED_INT8, t::UNSIGNED_INT16, t::UNSIGNED_INT32];
    for order in [o::RGBA, o::BGRA, o::R, o::RA] {
        formats.extend(ints.iter().chain(&uints).map(|&ty| (order, ty)));
    }
    uints.extend(padded);
    let mut samplers = Vec::new();
    for address in [0, sampler::CLAMP_TO_EDGE, sampler::CLAMP, sampler::REPEAT, sampler::MIRRORED_REPEAT] {
        let normalised: &[u32] =
            if address < sampler::REPEAT { &[0, sampler::NORMALIZED] } else { &[sampler::NORMALIZED] };
        let both = |&n: &u32| [sampler::LINEAR, sampler::NEAREST].map(|filter| address | n | filter);
        samplers.extend(normalised.iter().flat_map(both));
    }
    let strange = [f32::NAN, f32::INFINITY, -1e30, 2e9, -0.0, 2.5];
    for (s, (shape, coordinate, swizzle, sizes)) in SHAPES.into_iter().enumerate() {
        let programs = [("f", "float"), ("i", "int"), ("ui", "uint")]
            .map(|(suffix, channel)| kernels(shape, coordinate, swizzle, suffix, channel));
        // Every format in two shapes, with another sampler in each.
        for (i, &(order, data_type)) in formats.iter().enumerate().filter(|(i, _)| (i + s) % 5 < 2) {
            let bits = samplers[(i * 5 + s * 3) % samplers.len()];
            let program = match data_type {
                ty if ints.contains(&ty) => &programs[1],
                ty if uints.contains(&ty) => &programs[2],
                _ => &programs[0],
            };
            let layout = layout(order, data_type);
            let small = (i + s) % 4 != 0;
            let [row, slice] = [sizes[0], sizes[0] * sizes[1]].map(|n| n as u64 * u64::from(layout.texel_bytes));
            let desc = ImageDesc {
                data: 0,
                row_pitch: row,
                slice_pitch: slice,
                width: sizes[0] as i32,
                height: sizes[1] as i32,
                depth: if shape == "3d_t" { sizes[2] as i32 } else { 1 },
                layers: if shape == "3d_t" { 1 } else { sizes[2] as i32 },
                data_type,
                order,
                texel_bytes: layout.texel_bytes,
                channels: layout.channels | if small { channel::SMALL } else { 0 },
                offset: layout.offset,
                border_alpha: layout.border_alpha,
                fast: layout.fast,
                levels: 1,
            };
            let unit = bits & sampler::NORMALIZED != 0;
            let place = |i: usize, name: &str| match i % 29 {
                0 => strange[i / 29 % strange.len()],
                _ if unit && name == "sample" => noise(i) as f32 / 2e9 - 0.6,
                _ => noise(i) as f32 / 3e8 - 1.5,
            };
            let mut images = ImageFacts::default();
            images[0] = Fact::image(order, data_type, small);
            images[1] = Fact::sampler(bits);
            let local_size = (i % 2 == 0).then_some([ITEMS[1] as u32, 1, 1]);
            let plain = SpecKey { small_ids: true, ..SpecKey::default() };
            let special = SpecKey { local_size, images, ..plain };
            for name in ["sample", "read", "write"] {
                let n = 4 * ITEMS[0] * ITEMS[1];
                let at: Vec<u8> = (0..n as usize).flat_map(|i| place(i, name).to_le_bytes()).collect();
                let [a, b] = [plain, special].map(|key| run(program, name, key, &desc, bits, &at));
                let what = format!("{name} of {order:x} {data_type:x} {shape} with {bits:#x}");
                assert_eq!(a[0], b[0], "texels after {what}");
                assert_eq!(words(&a[1]), words(&b[1]), "results of {what}");
                let remarks = program.remarks(name, special);
                // No field of the descriptor is looked at on the way.
                let lanes = if data_type == t::UNORM_INT8 && (order == o::SRGBA || order == o::SBGRA) {
                    " lanes: "
                } else {
                    " lanes: 0 uniform"
                };
                // In registers of 128 bits they need not pay.
                if target::lanes().is_none_or(|target| target.register_bytes == 16) {
                    continue;
                }
                let regions = || remarks.iter().filter(|line| line.starts_with("work-item loop "));
                assert!(regions().count() > 0 && regions().all(|line| line.contains(lanes)), "{what}: {remarks:?}");
            }
        }
    }
}
