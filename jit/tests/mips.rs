//! Reads and writes at a level of detail: what they give is made of what the functions without one give of the level's
//! own descriptor, which `images` checks; in lanes, in scalar code, in code for the image's format, and in the
//! interpreter.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::image::format::{data_type as t, layout, order as o};
use clift_jit::image::{Fact, ImageDesc, ImageFacts, channel, sampler};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::{SpecKey, lowered};
use kernel::{Buffer, Program};

/// Texels, rows, slices or layers of the base level, of which there are as many as the width allows.
const SIZES: [i32; 3] = [13, 7, 5];
const LEVELS: usize = 4;
const ITEMS: u64 = 64;
/// Bytes before and behind the texels, which nothing may touch.
const GUARD: usize = 64;

/// Shape, type of coordinates, of gradients, and of texels, components of each; whether rows and slices count.
struct Shape {
    name: &'static str,
    at: &'static str,
    gradient: &'static str,
    texel: &'static str,
    sizes: [i32; 3],
    has_layers: bool,
}

const SHAPES: [Shape; 5] = [
    Shape { name: "1d_t", at: "x", gradient: "x", texel: "x", sizes: [13, 1, 1], has_layers: false },
    Shape { name: "1d_array_t", at: "xy", gradient: "x", texel: "xy", sizes: [13, 1, 5], has_layers: true },
    Shape { name: "2d_t", at: "xy", gradient: "xy", texel: "xy", sizes: [13, 7, 1], has_layers: false },
    Shape { name: "2d_array_t", at: "xyzw", gradient: "xy", texel: "xyzw", sizes: [13, 7, 5], has_layers: true },
    Shape { name: "3d_t", at: "xyzw", gradient: "xyzw", texel: "xyzw", sizes: SIZES, has_layers: false },
];

fn source(shape: &Shape, suffix: &str, ty: &str) -> String {
    let Shape { name, at, gradient, texel, .. } = shape;
    let int = if *texel == "x" { "int".into() } else { format!("int{}", texel.len()) };
    format!(
        "kernel void base(read_only image{name} im, sampler_t s, global const float4 *at, global {ty}4 *out) {{
             out[get_global_id(0)] = read_image{suffix}(im, s, at[get_global_id(0)].{at});
         }}
         kernel void level(read_only image{name} im, sampler_t s, global const float4 *at, global const float *lod,
                           global {ty}4 *out) {{
             int i = get_global_id(0);
             out[i] = read_image{suffix}(im, s, at[i].{at}, lod[i]);
         }}
         kernel void slope(read_only image{name} im, sampler_t s, global const float4 *at, global const float4 *d,
                           global {ty}4 *out) {{
             int i = get_global_id(0);
             out[i] = read_image{suffix}(im, s, at[i].{at}, d[2 * i].{gradient}, d[2 * i + 1].{gradient});
         }}
         kernel void put(write_only image{name} im, sampler_t s, global const float4 *at, global const int *lod,
                         global {ty}4 *out) {{
             int i = get_global_id(0);
             write_image{suffix}(im, convert_{int}_sat(at[i].{texel}), lod[i], out[i]);
         }}
         kernel void count(read_only image{name} im, sampler_t s, global const float4 *at, global const int *lod,
                           global {ty}4 *out) {{
             out[get_global_id(0)] = ({ty})get_image_num_mip_levels(im);
         }}"
    )
}

/// Without a pattern.
fn noise(i: usize) -> u32 {
    (i as u32 + 1).wrapping_mul(2_654_435_761) ^ (i as u32).wrapping_mul(40_503) >> 7
}

/// The descriptors of an image's levels, with offsets for addresses, and how many bytes there are.
fn levels(shape: &Shape, (order, data_type): (u32, u32)) -> (Vec<ImageDesc>, usize) {
    let layout = layout(order, data_type);
    let mut end = 0;
    let mut descs = Vec::new();
    for level in 0..LEVELS {
        let [width, height, depth] = shape.sizes.map(|size| (size >> level).max(1));
        let [depth, layers] = if shape.has_layers { [1, shape.sizes[2]] } else { [depth, 1] };
        let row_pitch = width as u64 * u64::from(layout.texel_bytes);
        let desc = ImageDesc {
            data: end as u64,
            row_pitch,
            slice_pitch: row_pitch * height as u64,
            width,
            height,
            depth,
            layers,
            data_type,
            order,
            texel_bytes: layout.texel_bytes,
            channels: layout.channels | channel::SMALL,
            offset: layout.offset,
            border_alpha: layout.border_alpha,
            fast: layout.fast,
            levels: LEVELS as u64,
        };
        end += (desc.slice_pitch * (depth * layers) as u64) as usize;
        end = end.next_multiple_of(64);
        descs.push(desc);
    }
    (descs, end)
}

fn bytes_of(descs: &[ImageDesc]) -> Vec<u8> {
    // SAFETY: the struct is plain numbers without padding.
    unsafe { std::slice::from_raw_parts(descs.as_ptr().cast(), size_of_val(descs)) }.to_vec()
}

/// A program and an image: what a kernel leaves in the texels and in its last argument.
struct World {
    program: Program,
    module: clift_jit::ir::Module,
    format: (u32, u32),
    descs: Vec<ImageDesc>,
    texels: Vec<u8>,
}

impl World {
    fn new(shape: &Shape, format: (u32, u32), suffix: &str, ty: &str) -> Self {
        let source = source(shape, suffix, ty);
        let (descs, n) = levels(shape, format);
        let value = |i: usize| match format.1 {
            t::FLOAT => (noise(i / 4) as f32 / 1e9).to_le_bytes()[i % 4],
            _ => noise(i) as u8,
        };
        let texels = (0..n + 2 * GUARD).map(value).collect();
        let module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{log}"));
        Self { program: Program::new(&source), module, format, descs, texels }
    }

    /// Runs `name` on the image whose levels begin with `level`, everywhere; gives what all ways agree on.
    fn run(&self, name: &str, level: usize, bits: u32, args: &[Vec<u8>]) -> [Vec<u8>; 2] {
        let plain = SpecKey { small_ids: true, ..SpecKey::default() };
        let mut images = ImageFacts::default();
        images[0] = Fact::image(self.format.0, self.format.1, true);
        images[1] = Fact::sampler(bits);
        let special = SpecKey { images, ..plain };
        let want = self.interpret(name, level, bits, args);
        for (key, groups) in [(plain, [ITEMS, 1]), (plain, [2, ITEMS / 2]), (special, [2, ITEMS / 2])] {
            let texels = Buffer::new(&self.texels);
            let descs = Buffer::new(&self.placed(level, texels.address()));
            let buffers: Vec<Buffer> = args.iter().map(|bytes| Buffer::new(bytes)).collect();
            let mut words = vec![descs.address(), bits.into()];
            words.extend(buffers.iter().map(Buffer::address));
            self.program.run_as(name, key, groups, &words);
            let out = buffers.last().expect("a result").bytes();
            assert_eq!(texels.bytes(), want[0], "{name} texels {groups:?}");
            assert_eq!(out, want[1], "{name} {bits:#x} level {level} {groups:?}");
        }
        want
    }

    fn placed(&self, level: usize, address: u64) -> Vec<u8> {
        let place = |desc: &ImageDesc| ImageDesc { data: desc.data + address + GUARD as u64, ..*desc };
        bytes_of(&self.descs[level..].iter().map(place).collect::<Vec<_>>())
    }

    fn interpret(&self, name: &str, level: usize, bits: u32, args: &[Vec<u8>]) -> [Vec<u8>; 2] {
        let mut machine = Machine::new(&self.module);
        let texels = machine.add_buffer(self.texels.clone());
        let descs = machine.add_buffer(self.placed(level, texels));
        let mut all = vec![Arg::Buffer(descs), Arg::Value(bits.to_le_bytes().to_vec())];
        let buffers: Vec<u64> = args.iter().map(|bytes| machine.add_buffer(bytes.clone())).collect();
        all.extend(buffers.iter().map(|&address| Arg::Buffer(address)));
        let kernel = self.module.kernels.iter().find(|(info, _)| info.name == name).expect("a kernel").1;
        machine.run_kernel(kernel, &all, &Launch::linear(ITEMS, 1)).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let read = |address| machine.buffer(address).to_vec();
        let found = read(texels);
        let is_guard = |i: usize| i < GUARD || i >= found.len() - GUARD;
        assert!((0..found.len()).all(|i| !is_guard(i) || found[i] == self.texels[i]), "bytes outside were written");
        [found, read(*buffers.last().expect("a result"))]
    }
}

fn packed<T: Copy, const N: usize>(values: impl IntoIterator<Item = T>, bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.into_iter().flat_map(bytes).collect()
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    packed(values, f32::to_le_bytes)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("four bytes"))).collect()
}

const FORMATS: [(u32, u32, &str, &str); 5] = [
    (o::RGBA, t::UNORM_INT8, "f", "float"),
    (o::RGBA, t::FLOAT, "f", "float"),
    (o::R, t::UNORM_INT10X6_EXT, "f", "float"),
    (o::RG, t::SIGNED_INT16, "i", "int"),
    (o::RGBA, t::UNSIGNED_INT12X4_EXT, "ui", "uint"),
];

/// The levels of detail of work-items: whole ones, halves, those between, and what is none.
fn lods() -> Vec<f32> {
    let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30, 3.0, 2.5, 0.5, 1.0, -0.0];
    (0..ITEMS as usize).map(|i| strange.get(i).copied().unwrap_or_else(|| noise(i) as f32 / 1e9)).collect()
}

fn places() -> Vec<u8> {
    floats((0..4 * ITEMS as usize).map(|i| noise(i + 7) as f32 / 3e9 - 0.2))
}

fn bits_with(mip: u32, low: f32, high: f32) -> u32 {
    let steps = |lod: f32| (lod * sampler::LOD_STEPS as f32) as u32;
    let limits = steps(low) << sampler::LOD_MIN_SHIFT | (sampler::LOD_TOP - steps(high)) << sampler::LOD_MAX_SHIFT;
    sampler::NORMALIZED | sampler::CLAMP_TO_EDGE | mip | limits
}

#[test]
fn samples_at_a_level_are_those_of_the_levels() {
    for shape in &SHAPES {
        for (order, data_type, suffix, ty) in FORMATS {
            let world = World::new(shape, (order, data_type), suffix, ty);
            let (at, out, lods) = (places(), vec![0; 16 * ITEMS as usize], lods());
            for (filter, mip, low, high) in [
                (sampler::NEAREST, 0, 0.0, 15.0),
                (sampler::LINEAR, sampler::MIP_LINEAR, 0.0, 15.0),
                (sampler::NEAREST, sampler::MIP_LINEAR, 0.75, 2.25),
            ] {
                let bits = bits_with(filter | mip, low, high);
                let bases: Vec<Vec<u32>> = (0..LEVELS)
                    .map(|level| words(&world.run("base", level, bits, &[at.clone(), out.clone()])[1]))
                    .collect();
                let lod_bytes = floats(lods.iter().copied());
                let got = words(&world.run("level", 0, bits, &[at.clone(), lod_bytes, out.clone()])[1]);
                for (i, (&got, &lod)) in got.iter().zip(lods.iter().flat_map(|lod| [lod; 4])).enumerate() {
                    let lod = if lod.is_nan() { low } else { lod.clamp(low, high.min(LEVELS as f32 - 1.0)) };
                    let [below, part] = [lod.floor(), lod - lod.floor()];
                    let want = if mip == 0 || ty != "float" {
                        bases[((lod + 0.5).ceil() - 1.0) as usize][i]
                    } else if part == 0.0 {
                        bases[below as usize][i]
                    } else {
                        let [a, b] = [0, 1].map(|n| f32::from_bits(bases[below as usize + n][i]));
                        ((1.0 - part) * a + part * b).to_bits()
                    };
                    // A contraction of the sum may round it once.
                    let close = |a: u32, b: u32| ty == "float" && a.abs_diff(b) <= 1;
                    let what = format!("{} {data_type:x} {bits:#x} component {i} at {lod}", shape.name);
                    assert!(got == want || close(got, want), "{what}: {got:#x}, should be {want:#x}");
                }
            }
        }
    }
}

#[test]
fn gradients_are_levels_of_detail() {
    for shape in &SHAPES {
        let world = World::new(shape, (o::RGBA, t::UNORM_INT8), "f", "float");
        let (at, out) = (places(), vec![0; 16 * ITEMS as usize]);
        let strange = [0.0, f32::NAN, f32::INFINITY, 1e-30, 1e30];
        let slopes: Vec<f32> = (0..8 * ITEMS as usize)
            .map(|i| match i / 8 {
                n if n < strange.len() => strange[n],
                n => (noise(i) as f32 / 2e9 - 1.0) * (1.0 + n as f32 / 8.0) / 13.0,
            })
            .collect();
        let n_used = if shape.gradient == "xyzw" { 3 } else { shape.gradient.len() };
        let lods = slopes.chunks(8).map(|pair| {
            let square = |d: &[f32]| (0..n_used).map(|c| (f64::from(d[c]) * f64::from(shape.sizes[c])).powi(2)).sum();
            let [x, y]: [f64; 2] = [square(&pair[..4]), square(&pair[4..])];
            (0.5 * x.max(y).log2()) as f32
        });
        let lods = floats(lods);
        let bits = bits_with(sampler::LINEAR | sampler::MIP_LINEAR, 0.0, 15.0);
        let want = words(&world.run("level", 0, bits, &[at.clone(), lods, out.clone()])[1]);
        let got = words(&world.run("slope", 0, bits, &[at, floats(slopes), out])[1]);
        for (i, (got, want)) in got.into_iter().zip(want).enumerate() {
            let [got, want] = [got, want].map(f32::from_bits);
            assert!((got - want).abs() < 1e-5, "{} component {i}: {got}, should be {want}", shape.name);
        }
    }
}

#[test]
fn writes_reach_their_level_and_no_other() {
    for shape in &SHAPES {
        for (order, data_type, suffix, ty) in FORMATS {
            let world = World::new(shape, (order, data_type), suffix, ty);
            // Each item its own texel, of all levels in turn and of two that there are not.
            let levels: Vec<i32> = (0..ITEMS as i32).map(|i| i % (LEVELS as i32 + 2) - 1).collect();
            let place = |i: usize| {
                let size = |c: usize| (shape.sizes[c] >> levels[i].clamp(0, 3)).max(1) as f32;
                let depth = if shape.has_layers { shape.sizes[2] as f32 } else { size(2) };
                let n = i as f32;
                let second = if shape.name == "1d_array_t" { n % shape.sizes[2] as f32 } else { n % size(1) };
                [n % size(0), second, n % depth, 0.0]
            };
            let at = floats((0..ITEMS as usize).flat_map(place));
            let colours = match ty {
                "float" => floats((0..4 * ITEMS as usize).map(|i| noise(i) as f32 / 4.3e9)),
                _ => packed((0..4 * ITEMS as usize).map(|i| noise(i) >> 18), u32::to_le_bytes),
            };
            let lods = packed(levels.iter().copied(), i32::to_le_bytes);
            // One item at a time, so that the order does not count where two write one texel.
            let [texels, _] = world.interpret("put", 0, 0, &[at.clone(), lods.clone(), colours.clone()]);
            let changed: Vec<usize> = (0..texels.len()).filter(|&i| texels[i] != world.texels[i]).collect();
            for (level, desc) in world.descs.iter().enumerate() {
                let start = desc.data as usize + GUARD;
                let end = start + desc.slice_pitch as usize * (desc.depth * desc.layers) as usize;
                assert!(changed.iter().any(|i| (start..end).contains(i)), "level {level} of {}", shape.name);
            }
            let out = vec![0; 16 * ITEMS as usize];
            let [_, count] = world.run("count", 0, 0, &[at, lods, out]);
            let four = if ty == "float" { (LEVELS as f32).to_bits() } else { LEVELS as u32 };
            assert!(words(&count).iter().all(|&n| n == four));
        }
    }
}
