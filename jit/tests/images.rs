//! Image functions in machine code against plain Rust: channel types and orders, addressing and filters, writes,
//! queries.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::image::{ImageDesc, channel, fast, sampler};
use kernel::{Buffer, Program};

const SNORM_INT8: u32 = 0x10D0;
const SNORM_INT16: u32 = 0x10D1;
const UNORM_INT8: u32 = 0x10D2;
const UNORM_INT16: u32 = 0x10D3;
const UNORM_SHORT_565: u32 = 0x10D4;
const SIGNED_INT8: u32 = 0x10D7;
const SIGNED_INT16: u32 = 0x10D8;
const SIGNED_INT32: u32 = 0x10D9;
const UNSIGNED_INT8: u32 = 0x10DA;
const UNSIGNED_INT16: u32 = 0x10DB;
const UNSIGNED_INT32: u32 = 0x10DC;
const HALF_FLOAT: u32 = 0x10DD;
const FLOAT: u32 = 0x10DE;

/// Bytes around the texels, which nothing may touch.
const GUARD: usize = 64;

/// An image in memory of the test.
struct Image {
    data: Buffer,
    sizes: [usize; 3],
    texel: usize,
}

/// Positions of r, g, b, a among the channels; none for those that are missing.
type Order = [Option<u32>; 4];
const RGBA: Order = [Some(0), Some(1), Some(2), Some(3)];
const BGRA: Order = [Some(2), Some(1), Some(0), Some(3)];
const R: Order = [Some(0), None, None, None];
const A: Order = [None, None, None, Some(0)];
const RG: Order = [Some(0), Some(1), None, None];

fn unit_bytes(data_type: u32) -> usize {
    match data_type {
        SNORM_INT8 | UNORM_INT8 | SIGNED_INT8 | UNSIGNED_INT8 => 1,
        SIGNED_INT32 | UNSIGNED_INT32 | FLOAT => 4,
        _ => 2,
    }
}

impl Image {
    /// An image with packed rows and these bytes, between guards.
    fn new(texel: usize, sizes: [usize; 3], fill: impl Fn(usize) -> u8) -> Self {
        let n = sizes.iter().product::<usize>() * texel;
        let mut bytes = vec![0xa5; GUARD];
        bytes.extend((0..n).map(fill));
        bytes.extend([0xa5; GUARD]);
        Self { data: Buffer::new(&bytes), sizes, texel }
    }

    /// The buffer that a kernel gets for it.
    fn desc(&self, data_type: u32, order: Order, extra: u32) -> Buffer {
        let unit = if data_type == UNORM_SHORT_565 { 0 } else { unit_bytes(data_type) as u32 };
        let mask = (0..4).filter(|&c| order[c].is_some()).fold(0, |mask, c| mask | 1 << c);
        let mut channels = mask << channel::READ_SHIFT | mask << channel::WRITE_SHIFT | extra;
        if order == RGBA {
            channels |= channel::RGBA;
        }
        let [width, height, depth] = self.sizes;
        let desc = ImageDesc {
            data: self.data.address() + GUARD as u64,
            row_pitch: (width * self.texel) as u64,
            slice_pitch: (width * height * self.texel) as u64,
            width: width as i32,
            height: height as i32,
            depth: depth as i32,
            layers: depth as i32,
            data_type,
            order: 0x10B5,
            texel_bytes: self.texel as u32,
            channels,
            offset: order.map(|at| at.unwrap_or(0) * unit),
            border_alpha: order[3].is_none().into(),
            fast: match (data_type, order == RGBA && extra == 0) {
                (UNORM_INT8, true) => fast::RGBA_UNORM8,
                (FLOAT, true) => fast::RGBA_FLOAT,
                _ => fast::NONE,
            },
            levels: 1,
        };
        // SAFETY: the struct is plain numbers without padding.
        Buffer::new(unsafe {
            std::slice::from_raw_parts((&raw const desc).cast::<u8>(), std::mem::size_of::<ImageDesc>())
        })
    }

    /// The texels, after a check that the guards are as they were.
    fn texels(&self) -> Vec<u8> {
        let bytes = self.data.bytes();
        let n = bytes.len();
        assert!(bytes[..GUARD].iter().chain(&bytes[n - GUARD..]).all(|&b| b == 0xa5), "bytes outside were written");
        bytes[GUARD..n - GUARD].to_vec()
    }
}

/// Bytes without a pattern.
fn noise(i: usize) -> u8 {
    ((i as u32 + 1).wrapping_mul(2_654_435_761) >> 13) as u8
}

fn floats(buffer: &Buffer) -> Vec<f32> {
    buffer.words().into_iter().map(f32::from_bits).collect()
}

fn half_to_f32(bits: u16) -> f32 {
    let (sign, exp, man) = (bits >> 15, i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match exp {
        0 => man * 2f32.powi(-24),
        31 if man == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + man / 1024.0) * 2f32.powi(exp - 15),
    };
    if sign == 1 { -size } else { size }
}

/// A stored channel as a number.
fn channel_value(data_type: u32, bytes: &[u8]) -> f32 {
    let i8_ = f32::from(bytes[0] as i8);
    let word = u16::from_le_bytes([bytes[0], bytes.get(1).copied().unwrap_or(0)]);
    match data_type {
        UNORM_INT8 => f32::from(bytes[0]) / 255.0,
        SNORM_INT8 => (i8_ / 127.0).max(-1.0),
        UNORM_INT16 => f32::from(word) / 65535.0,
        SNORM_INT16 => (f32::from(word as i16) / 32767.0).max(-1.0),
        HALF_FLOAT => half_to_f32(word),
        _ => f32::from_le_bytes(bytes.try_into().expect("four bytes")),
    }
}

/// The colour of a texel.
fn colour(data_type: u32, order: Order, texel: &[u8]) -> [f32; 4] {
    let unit = unit_bytes(data_type);
    std::array::from_fn(|c| match order[c] {
        Some(at) => channel_value(data_type, &texel[at as usize * unit..][..unit]),
        None => f32::from(u8::from(c == 3)),
    })
}

/// Equal up to some units in the last place; NaN is NaN.
fn close(a: f32, b: f32, ulps: f32) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= ulps * f32::EPSILON * b.abs().max(f32::MIN_POSITIVE)
}

#[test]
fn texels_of_every_type_become_floats() {
    let program = Program::new(
        "kernel void k(read_only image2d_t im, global float4 *out) {
             int i = get_global_id(0), w = get_image_width(im);
             out[i] = read_imagef(im, (int2)(i % w, i / w));
         }",
    );
    for data_type in [UNORM_INT8, SNORM_INT8, UNORM_INT16, SNORM_INT16, HALF_FLOAT, FLOAT] {
        for (order, n) in [(RGBA, 4), (BGRA, 4), (RG, 2), (R, 1), (A, 1)] {
            let texel = n * unit_bytes(data_type);
            let image = Image::new(texel, [37, 29, 1], noise);
            let (mut desc, mut out) = (image.desc(data_type, order, 0), Buffer::zeroed(37 * 29 * 16));
            program.run("k", 37 * 29, &mut [&mut desc, &mut out]);
            for (i, (got, texel)) in floats(&out).chunks(4).zip(image.texels().chunks(texel)).enumerate() {
                let want = colour(data_type, order, texel);
                assert!(
                    got.iter().zip(want).all(|(&g, w)| close(g, w, 1.5)),
                    "{data_type:x} {order:?} texel {i} {texel:?}: {got:?}, should be {want:?}"
                );
            }
        }
    }
}

#[test]
fn normalised_extremes_are_exact() {
    let source = "kernel void k(read_only image1d_t im, global float4 *out) {
             out[get_global_id(0)] = read_imagef(im, (int)get_global_id(0)); }";
    let program = Program::new(source);
    for (data_type, bytes) in [(UNORM_INT8, vec![0u8, 255]), (UNORM_INT16, vec![0, 0, 255, 255])] {
        let image = Image::new(unit_bytes(data_type), [2, 1, 1], |i| bytes[i]);
        let (mut desc, mut out) = (image.desc(data_type, R, 0), Buffer::zeroed(32));
        program.run("k", 2, &mut [&mut desc, &mut out]);
        assert_eq!(floats(&out), [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    }
    let image = Image::new(1, [4, 1, 1], |i| [0x80, 0x81, 0, 0x7f][i]);
    let (mut desc, mut out) = (image.desc(SNORM_INT8, R, 0), Buffer::zeroed(64));
    program.run("k", 4, &mut [&mut desc, &mut out]);
    let red: Vec<f32> = floats(&out).chunks(4).map(|c| c[0]).collect();
    assert_eq!(red, [-1.0, -1.0, 0.0, 1.0]);
}

#[test]
fn integers_are_read_and_written_with_the_sign_of_the_image() {
    let types = [
        (SIGNED_INT8, -0x80i64, 0x7f),
        (SIGNED_INT16, -0x8000, 0x7fff),
        (SIGNED_INT32, i64::from(i32::MIN), i64::from(i32::MAX)),
        (UNSIGNED_INT8, 0, 0xff),
        (UNSIGNED_INT16, 0, 0xffff),
        (UNSIGNED_INT32, 0, i64::from(u32::MAX)),
    ];
    for ((data_type, low, high), scalar) in types.into_iter().flat_map(|ty| ["int", "uint"].map(|scalar| (ty, scalar)))
    {
        let suffix = if scalar == "int" { "i" } else { "ui" };
        let program = Program::new(&format!(
            "kernel void k(read_write image2d_t im, global {scalar}4 *io) {{
                 int i = get_global_id(0); int2 at = (int2)(i % 3, i / 3);
                 write_image{suffix}(im, at, io[i]);
                 io[i] = read_image{suffix}(im, at);
             }}"
        ));
        for (order, n) in [(RGBA, 4), (BGRA, 4), (RG, 2), (A, 1)] {
            let values: Vec<u32> =
                (0..24u32).map(|i| [0, 1, 100, 200, 70_000, u32::MAX][i as usize % 6] ^ (i / 6)).collect();
            let image = Image::new(n * unit_bytes(data_type), [3, 2, 1], |_| 0);
            let mut io = Buffer::new(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
            program.run("k", 6, &mut [&mut image.desc(data_type, order, 0), &mut io]);
            for (i, (got, &given)) in io.words().iter().zip(&values).enumerate() {
                let wide = if low < 0 { i64::from(given as i32) } else { i64::from(given) };
                let want = match order[i % 4] {
                    Some(_) => wide.clamp(low, high) as u32,
                    None => u32::from(i % 4 == 3),
                };
                assert_eq!(*got, want, "{data_type:x} {order:?} component {i} of {given:#x}");
            }
            image.texels();
        }
    }
}

/// One coordinate's texels and the weight of the second, as the specification computes them; -1 or the size: outside.
fn axis(c: f64, size: i64, bits: u32) -> ([i64; 2], f64) {
    let n = size as f64;
    let mode = bits & 0xe;
    let linear = bits & sampler::LINEAR != 0;
    let u = match mode {
        sampler::REPEAT => (c - c.floor()) * n,
        sampler::MIRRORED_REPEAT => (c - 2.0 * (0.5 * c).round_ties_even()).abs() * n,
        _ if bits & sampler::NORMALIZED != 0 => c * n,
        _ => c,
    };
    let u = if linear { u - 0.5 } else { u };
    let i = u.floor() as i64;
    let fix = |i: i64| match mode {
        sampler::REPEAT => i.rem_euclid(size),
        sampler::CLAMP => i.clamp(-1, size),
        _ => i.clamp(0, size - 1),
    };
    if linear { ([fix(i), fix(i.saturating_add(1))], u - u.floor()) } else { ([fix(i); 2], 0.0) }
}

#[test]
fn addressing_and_filters_follow_the_specification() {
    const W: usize = 7;
    const H: usize = 5;
    let texel = |x: i64, y: i64| -> f64 {
        let inside = (0..W as i64).contains(&x) && (0..H as i64).contains(&y);
        if inside { 1.0 + (x * 3 + y * 11) as f64 } else { 0.0 }
    };
    let at = |i: usize| texel((i % W) as i64, (i / W) as i64);
    let red = Image::new(4, [W, H, 1], |i| (at(i / 4) as f32).to_le_bytes()[i % 4]);
    let all = Image::new(16, [W, H, 1], |i| (at(i / 16) as f32).to_le_bytes()[i % 4]);
    let bytes = Image::new(4, [W, H, 1], |i| at(i / 4) as u8);
    let images = [(&red, FLOAT, R, 1.0), (&all, FLOAT, RGBA, 1.0), (&bytes, UNORM_INT8, RGBA, 255.0)];
    let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 2e9, -2e9, 3e-39, -0.0];
    for address in [0, sampler::CLAMP_TO_EDGE, sampler::CLAMP, sampler::REPEAT, sampler::MIRRORED_REPEAT] {
        for filter in [sampler::NEAREST, sampler::LINEAR] {
            for normalised in [0, sampler::NORMALIZED] {
                if address >= sampler::REPEAT && normalised == 0 {
                    continue;
                }
                let bits = address | filter | normalised;
                let program = Program::new(&format!(
                    "constant sampler_t s = {bits};
                     kernel void k(read_only image2d_t im, global const float2 *c, global float *out) {{
                         int i = get_global_id(0);
                         out[i] = read_imagef(im, s, c[i]).x;
                     }}"
                ));
                // Points off the seams, where float and double agree, then those without a meaning.
                let scale = |n: usize| if normalised != 0 { 1.0 } else { n as f32 };
                let mut coords: Vec<[f32; 2]> = (0..400)
                    .map(|i| {
                        let (a, b) = (f32::from(noise(i)) / 50.0 - 2.0, f32::from(noise(i + 7777)) / 50.0 - 2.0);
                        [a * scale(W) + 0.0137, b * scale(H) + 0.0291]
                    })
                    .collect();
                if address == 0 {
                    coords.retain(|c| (0.0..scale(W)).contains(&c[0]) && (0.0..scale(H)).contains(&c[1]));
                }
                let sane = coords.len();
                coords.extend(strange.iter().flat_map(|&a| strange.map(|b| [a, b])));
                let mut input = Buffer::new(&coords.iter().flatten().flat_map(|c| c.to_le_bytes()).collect::<Vec<_>>());
                let mut out = Buffer::zeroed(coords.len() * 4);
                for (image, data_type, order, top_value) in images {
                    let mut desc = image.desc(data_type, order, 0);
                    program.run("k", coords.len() as u64, &mut [&mut desc, &mut input, &mut out]);
                    for (c, &got) in coords.iter().zip(&floats(&out)).take(sane) {
                        let ([x0, x1], a) = axis(c[0].into(), W as i64, bits);
                        let ([y0, y1], b) = axis(c[1].into(), H as i64, bits);
                        let top = (1.0 - a) * texel(x0, y0) + a * texel(x1, y0);
                        let got = f64::from(got) * top_value;
                        let want = (1.0 - b) * top + b * ((1.0 - a) * texel(x0, y1) + a * texel(x1, y1));
                        assert!((got - want).abs() < 1e-3, "sampler {bits:#x} at {c:?}: {got}, should be {want}");
                    }
                    image.texels();
                }
            }
        }
    }
}

#[test]
fn layers_and_slices_are_found() {
    let image = Image::new(1, [4, 3, 5], |i| i as u8);
    let program = Program::new(
        "kernel void k(read_only image2d_array_t im, global const float4 *c, global uint *out) {
             const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP | CLK_NORMALIZED_COORDS_FALSE;
             int i = get_global_id(0);
             out[i] = read_imageui(im, s, c[i]).x;
             if (i == 0) out[4] = (uint)get_image_array_size(im) + 10 * get_image_height(im) + 100 * get_image_width(im);
         }
         kernel void v(read_only image3d_t im, global const float4 *c, global uint *out) {
             const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP | CLK_NORMALIZED_COORDS_FALSE;
             int i = get_global_id(0);
             out[i] = read_imageui(im, s, c[i]).x;
             if (i == 0) out[4] = get_image_depth(im) + 10 * get_image_dim(im).y + 100 * get_image_dim(im).x;
         }
         kernel void a(write_only image1d_array_t im, global uint *out) {
             write_imageui(im, (int2)(1, 2), (uint4)(99));
             write_imageui(im, (int2)(1, 5), (uint4)(98));
             write_imageui(im, (int2)(-1, 0), (uint4)(97));
             out[0] = get_image_channel_data_type(im) == CLK_UNSIGNED_INT8 && get_image_channel_order(im) == CLK_RGBA;
         }",
    );
    // Layers are rounded and clamped, slices floored and bordered.
    let coords = [[1.5f32, 2.5, 2.6, 0.0], [0.0, 0.0, -7.0, 0.0], [3.0, 1.0, 99.0, 0.0], [4.0, 1.0, 1.0, 0.0]];
    let bytes: Vec<u8> = coords.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    let texel = |x: usize, y: usize, z: usize| ((z * 3 + y) * 4 + x) as u32;
    let mut desc = image.desc(UNSIGNED_INT8, R, 0);
    let (mut input, mut out) = (Buffer::new(&bytes), Buffer::zeroed(20));
    program.run("k", 4, &mut [&mut desc, &mut input, &mut out]);
    assert_eq!(out.words(), [texel(1, 2, 3), texel(0, 0, 0), texel(3, 1, 4), 0, 435]);
    program.run("v", 4, &mut [&mut desc, &mut input, &mut out]);
    assert_eq!(out.words(), [texel(1, 2, 2), 0, 0, 0, 435]);
    let before = image.texels();
    program.run("a", 1, &mut [&mut desc, &mut out]);
    let changed: Vec<usize> =
        before.iter().zip(image.texels()).enumerate().filter(|(_, (a, b))| *a != b).map(|x| x.0).collect();
    assert_eq!(changed, [texel(1, 0, 2) as usize]);
    assert_eq!(out.words()[0], 1);
}

#[test]
fn colours_are_rounded_and_saturated() {
    let program = Program::new(
        "kernel void k(write_only image1d_t im, global const float4 *in) {
             write_imagef(im, (int)get_global_id(0), in[get_global_id(0)]);
         }",
    );
    let values = [-3.0f32, -1.0, -0.5, -0.0, 0.1, 0.5, 0.999, 1.0, 7.0, f32::NAN, f32::INFINITY, 1e-9];
    let mut input = Buffer::new(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
    for (data_type, top, low) in [
        (UNORM_INT8, 255.0, 0.0),
        (SNORM_INT8, 127.0, -128.0),
        (UNORM_INT16, 65535.0, 0.0),
        (SNORM_INT16, 32767.0, -32768.0),
    ] {
        for order in [RGBA, BGRA] {
            let unit = unit_bytes(data_type);
            let image = Image::new(4 * unit, [3, 1, 1], |_| 0x33);
            program.run("k", 3, &mut [&mut image.desc(data_type, order, 0), &mut input]);
            for (i, texel) in image.texels().chunks(4 * unit).enumerate() {
                for (c, at) in order.iter().enumerate() {
                    let x = values[i * 4 + c];
                    let want = if x.is_nan() { 0.0 } else { (x * top).clamp(low, top).round_ties_even() };
                    let stored = &texel[at.expect("all four") as usize * unit..][..unit];
                    let got = match (data_type, stored) {
                        (UNORM_INT8, &[b]) => f32::from(b),
                        (SNORM_INT8, &[b]) => f32::from(b as i8),
                        (UNORM_INT16, &[a, b]) => f32::from(u16::from_le_bytes([a, b])),
                        (_, &[a, b]) => f32::from(i16::from_le_bytes([a, b])),
                        _ => unreachable!("one or two bytes"),
                    };
                    assert_eq!(got, want, "{data_type:x} of {x}");
                }
            }
        }
    }
}

#[test]
fn srgb_and_packed_texels_survive_a_round_trip() {
    let program = Program::new(
        "kernel void k(read_only image2d_t from, write_only image2d_t to) {
             int2 at = (int2)(get_global_id(0) % 256, get_global_id(0) / 256);
             write_imagef(to, at, read_imagef(from, at));
         }",
    );
    let from = Image::new(4, [256, 1, 1], |i| (i / 4 * (1 + i % 4 * 2)) as u8);
    let to = Image::new(4, [256, 1, 1], |_| 0);
    let srgb = channel::SRGB;
    program.run("k", 256, &mut [&mut from.desc(UNORM_INT8, RGBA, srgb), &mut to.desc(UNORM_INT8, RGBA, srgb)]);
    assert_eq!(from.texels(), to.texels());
    let from = Image::new(2, [256, 256, 1], |i| ((i / 2) >> (8 * (i % 2))) as u8);
    let to = Image::new(2, [256, 256, 1], |_| 0);
    let rgb: Order = [Some(0), Some(1), Some(2), None];
    let mut descs = [from.desc(UNORM_SHORT_565, rgb, 0), to.desc(UNORM_SHORT_565, rgb, 0)];
    let [a, b] = &mut descs;
    program.run("k", 65536, &mut [a, b]);
    assert_eq!(from.texels(), to.texels());
}

#[test]
fn halves_are_read_and_written() {
    let program = Program::new(
        "kernel void k(read_only image2d_t from, write_only image2d_t to, global half *out) {
             int i = get_global_id(0); int2 at = (int2)(i % 256, i / 256);
             half4 texel = read_imageh(from, at);
             write_imageh(to, at, texel);
             const sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
             out[i] = read_imageh(from, nearest, at).x;
         }",
    );
    let from = Image::new(2, [256, 256, 1], |i| ((i / 2) >> (8 * (i % 2))) as u8);
    let to = Image::new(2, [256, 256, 1], |_| 0);
    let mut out = Buffer::zeroed(2 * 65536);
    program.run("k", 65536, &mut [&mut from.desc(HALF_FLOAT, R, 0), &mut to.desc(HALF_FLOAT, R, 0), &mut out]);
    let written = to.texels();
    for (i, read) in out.bytes().chunks_exact(2).enumerate() {
        let want = i as u16;
        for got in [read, &written[2 * i..2 * i + 2]] {
            let got = u16::from_le_bytes([got[0], got[1]]);
            assert!(got == want || (half_to_f32(got).is_nan() && half_to_f32(want).is_nan()), "{want:#x}: {got:#x}");
        }
    }
}

#[test]
fn halves_are_floats_rounded_once() {
    let program = Program::new(
        "kernel void k(read_write image2d_t im, global ushort4 *out) {
             int2 at = (int2)(get_global_id(0), 0);
             out[at.x] = as_ushort4(read_imageh(im, at));
             write_imageh(im, at, read_imageh(im, at).wzyx);
         }",
    );
    let image = Image::new(4, [64, 1, 1], |i| i as u8);
    let before = image.texels();
    let mut out = Buffer::zeroed(64 * 8);
    program.run("k", 64, &mut [&mut image.desc(UNORM_INT8, RGBA, 0), &mut out]);
    for (bytes, &value) in out.bytes().chunks(2).zip(&before) {
        let (got, want) = (half_to_f32(u16::from_le_bytes([bytes[0], bytes[1]])), f32::from(value) / 255.0);
        assert!((got - want).abs() <= want * 2f32.powi(-11) + 1e-7, "{value}: {got}, should be {want}");
    }
    let turned: Vec<u8> = before.chunks(4).flat_map(|c| [c[3], c[2], c[1], c[0]]).collect();
    assert_eq!(image.texels(), turned);
}

#[test]
fn a_write_from_a_module_has_the_sign_of_the_image() {
    let built = clift_jit::build_il(include_bytes!("spirv/texels-22.spv"), &[], "");
    let program = Program::from(built.program.unwrap_or_else(|_| panic!("{}", built.log)));
    for (data_type, wanted) in [(UNSIGNED_INT8, [200, 100, 50, 25]), (SIGNED_INT8, [127, 100, 50, 25])] {
        let image = Image::new(4, [1, 1, 1], |_| 0);
        let mut desc = image.desc(data_type, RGBA, 0);
        program.run("texels", 1, &mut [&mut desc]);
        assert_eq!(image.texels(), wanted);
    }
}

#[test]
fn numbers_above_padding_and_packed_with_alpha_first() {
    const UNORM_INT_2_101010: u32 = 0x10E5;
    let program = Program::new(
        "kernel void f(read_write image2d_t im, global float4 *out) {
             int2 at = (int2)(get_global_id(0), 0);
             out[at.x] = read_imagef(im, at);
             write_imagef(im, at, out[at.x]);
         }
         kernel void u(read_write image2d_t im, global uint4 *out) {
             int2 at = (int2)(get_global_id(0), 0);
             out[at.x] = read_imageui(im, at);
             write_imageui(im, at, out[at.x] + (uint4)(0, 60000, 0, 0));
         }",
    );
    for (unorm, unsigned, bits) in [(0x10E1, 0x10E6, 10), (0x10E9, 0x10E7, 12), (0x10EA, 0x10E8, 14)] {
        let (top, pad) = ((1u32 << bits) - 1, 16 - bits);
        let image = Image::new(4, [64, 1, 1], noise);
        let before: Vec<u16> = image.texels().chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
        let mut out = Buffer::zeroed(64 * 16);
        program.run("f", 64, &mut [&mut image.desc(unorm, RG, 0), &mut out]);
        for (i, texel) in before.chunks(2).enumerate() {
            let want = [0, 1].map(|c| (u32::from(texel[c]) >> pad) as f32 / top as f32);
            let got = &floats(&out)[4 * i..4 * i + 4];
            assert!(close(got[0], want[0], 1.5) && close(got[1], want[1], 1.5) && got[2..] == [0.0, 1.0], "{got:?}");
        }
        // What is below the number is not kept.
        let kept: Vec<u16> = image.texels().chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
        let wanted: Vec<u16> = before.iter().map(|&word| word >> pad << pad).collect();
        assert_eq!(kept, wanted);
        program.run("u", 64, &mut [&mut image.desc(unsigned, RG, 0), &mut out]);
        for (i, texel) in before.chunks(2).enumerate() {
            let want = [u32::from(texel[0]) >> pad, u32::from(texel[1]) >> pad, 0, 1];
            assert_eq!(out.words()[4 * i..4 * i + 4], want);
        }
        for (i, texel) in image.texels().chunks(4).enumerate() {
            let [red, green] = [0, 2].map(|at| u16::from_le_bytes([texel[at], texel[at + 1]]));
            assert_eq!([red, green], [wanted[2 * i], (top << pad) as u16], "green is saturated");
        }
    }
    let abgr: Order = [Some(3), Some(2), Some(1), Some(0)];
    let image = Image::new(4, [64, 1, 1], noise);
    let before = image.texels();
    let mut desc = image.desc(UNORM_INT_2_101010, abgr, 0);
    let mut out = Buffer::zeroed(64 * 16);
    program.run("f", 64, &mut [&mut desc, &mut out]);
    for (texel, got) in before.chunks(4).zip(floats(&out).chunks(4)) {
        let word = u32::from_le_bytes(texel.try_into().expect("four bytes"));
        let want = [0, 10, 20].map(|shift| (word >> shift & 1023) as f32 / 1023.0);
        assert!(got.iter().zip(want).all(|(&g, w)| close(g, w, 1.5)), "{word:x}: {got:?}");
        assert!(close(got[3], (word >> 30) as f32 / 3.0, 1.5));
    }
    assert_eq!(image.texels(), before);
}
