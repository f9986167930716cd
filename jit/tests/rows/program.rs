//! Random programs with their arguments, and for which target and launches they are compiled: random KIR, random
//! OpenCL C, and the kernels of `kernels/`, which are there for passes that hardly any random program needs. Those are
//! OpenCL C; their first lines say what may vary, `name: choice choice …`:
//!
//! | name | is |
//! |---|---|
//! | one in upper case | a macro |
//! | `options` | an option of the compiler |
//! | an argument's | its value, or `low..high` for what its buffer holds |
//! | `local`, `groups` | `16` or `8x2`: work-items of a group, groups |
//! | `target` | `scalar`, `v128`, `neon`, `avx2`, `avx512` |
//! | `width` | lanes, or `any` for as many as pay |
//! | `tails` | `scalar`, `masked`, `last` |
//! | `images` | `RGBA,FLOAT`: the format of all images |
//! | `exact`, `disjoint`, `known`, `large` | `yes` or `no`: what the launch is known to be |
//!
//! Kernels must be defined and free of races for all of the choices, and keep to the first `BUFFER` bytes.

use crate::random;
use crate::rng::Rng;
use clift_jit::image::format::{data_type, layout, order};
use clift_jit::image::{Fact, ImageDesc, channel, sampler};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::Module;
use clift_jit::launch::{ArgInfo, ArgKind, ArgValues, KernelInfo};
use clift_jit::lowered;
use clift_jit::simd::{Config, Tails};
use clift_jit::target::Target;
use clift_jit::wg::Sharing;
use std::path::Path;

/// Bytes of the buffers of a kernel of `kernels/`.
pub const BUFFER: usize = 1 << 14;
/// Bytes of its local arguments.
const LOCAL: u64 = 1 << 10;
/// Texels, rows and slices of an image.
const IMAGE: [i32; 3] = [16, 4, 2];

/// An argument.
#[derive(Clone, Debug)]
pub enum Given {
    Value(Vec<u8>),
    Buffer(Vec<u8>),
    Local(u64),
    /// An image, without the address of its texels, and these.
    Image(ImageDesc, Vec<u8>),
}

/// One program.
pub struct Program {
    /// Its number, text and all that was chosen, for messages.
    pub description: String,
    /// As it was lowered, with one kernel.
    pub module: Module,
    pub args: Vec<Given>,
    pub launch: Launch,
    /// Whether code is made for groups of exactly this size.
    pub exact: bool,
    pub disjoint: bool,
    /// Whether the launch's integers are known.
    pub known: bool,
    pub large: bool,
    /// Whether variables are filled with zeros first.
    pub zeroed: bool,
    /// Format of all images, if code is made for it.
    pub images: Fact,
    pub samplers: Fact,
    pub target: &'static Target,
    /// None for scalar code.
    pub lanes: Option<Config>,
    pub sharing: Sharing,
}

impl Program {
    /// The program with this number.
    pub fn new(seed: u64) -> Self {
        let rng = &mut Rng(seed);
        let mut program = match seed % 8 {
            0 => random_kir(rng),
            1 => random_source(seed, rng),
            n => {
                let files = kernels();
                let (name, text) = &files[(seed / 8 * 6 + n - 2) as usize % files.len()];
                from_file(name, text, rng)
            }
        };
        program.zeroed = rng.one_in(8);
        let Program { launch, exact, disjoint, known, large, lanes, sharing, .. } = &program;
        let lanes = lanes.map(|c| (c.target.register_bytes, c.min_width..=c.max_width, c.always, c.tails, c.rows));
        program.description = format!(
            "seed {seed}: {}\n{launch:?}, exact: {exact}, disjoint: {disjoint}, known: {known}, large: {large}, \
             {sharing:?}, target with {} bytes, lanes: {lanes:?}\n",
            program.description, program.target.register_bytes,
        );
        program
    }

    /// What the launch passes for integers, if that is known.
    pub fn values(&self, info: &KernelInfo) -> ArgValues {
        if !self.known {
            return ArgValues::default();
        }
        let mut block = vec![0; info.arg_block_bytes];
        for (given, arg) in self.args.iter().zip(&info.args) {
            if let Given::Value(bytes) = given {
                block[arg.offset..arg.offset + bytes.len()].copy_from_slice(bytes);
            }
        }
        ArgValues::of(info, &block)
    }

    /// The arguments in a machine, and the buffers among them.
    pub fn arguments(&self, machine: &mut Machine<'_>) -> (Vec<Arg>, Vec<u64>) {
        let mut buffers = Vec::new();
        let mut one = |given: &Given| match given {
            Given::Value(bytes) => Arg::Value(bytes.clone()),
            Given::Local(bytes) => Arg::Local(*bytes),
            Given::Buffer(bytes) => {
                buffers.push(machine.add_buffer(bytes.clone()));
                Arg::Buffer(buffers[buffers.len() - 1])
            }
            Given::Image(desc, texels) => {
                buffers.push(machine.add_buffer(texels.clone()));
                let desc = ImageDesc { data: buffers[buffers.len() - 1], ..*desc };
                Arg::Buffer(machine.add_buffer(descriptor(&desc)))
            }
        };
        (self.args.iter().map(&mut one).collect(), buffers)
    }
}

/// A descriptor as memory.
fn descriptor(desc: &ImageDesc) -> Vec<u8> {
    let sizes = [desc.width, desc.height, desc.depth, desc.layers].map(|n| n as u32);
    let format = [desc.data_type, desc.order, desc.texel_bytes, desc.channels];
    let words = [desc.data, desc.row_pitch, desc.slice_pitch].into_iter().flat_map(u64::to_le_bytes);
    let rest = sizes.into_iter().chain(format).chain(desc.offset).chain([desc.border_alpha, desc.fast]);
    let bytes = words.chain(rest.flat_map(u32::to_le_bytes)).chain(desc.levels.to_le_bytes());
    let bytes: Vec<u8> = bytes.collect();
    assert_eq!(bytes.len(), size_of::<ImageDesc>(), "all fields, in order");
    bytes
}

/// A program of which nothing is known, for a random target.
fn plain(description: String, module: Module, rng: &mut Rng) -> Program {
    let target = rng.of(&[&Target::V128, &Target::NEON, &Target::AVX2, &Target::AVX512]);
    let mut program = Program {
        description,
        module,
        args: Vec::new(),
        launch: Launch::linear(1, 1),
        exact: rng.one_in(2),
        disjoint: rng.one_in(2),
        known: rng.one_in(3),
        large: rng.one_in(4),
        zeroed: false,
        images: Fact::default(),
        samplers: Fact::default(),
        target,
        lanes: None,
        sharing: if rng.one_in(4) { Sharing::DispatchLoop } else { Sharing::Auto },
    };
    program.lanes = match rng.below(4) {
        0 => None,
        1 => Some(Config::new(target)),
        _ => {
            let rows = rng.of(&[None, Some(1), Some(2), Some(4)]);
            let tails = rng.of(&[Tails::Scalar, Tails::Masked, Tails::Last]);
            Some(Config { target, rows, tails, ..Config::always(rng.of(&[2, 4, 4, 8, 16])) })
        }
    };
    program
}

// ---- Random KIR

fn random_kir(rng: &mut Rng) -> Program {
    let module = random::module(rng);
    let mut program = plain(module.to_string(), module, rng);
    let items = if program.exact || rng.one_in(2) { 8 } else { 6 };
    program.launch = Launch { global_offset: [3, 0, 0], ..Launch::linear(items, random::GROUP) };
    let mut input: Vec<u8> = (0..random::IN_BYTES / 4)
        .flat_map(|_| ((rng.next() as i32 >> (rng.next() % 31)) as f32).to_le_bytes())
        .collect();
    input[..64].fill(0);
    program.args = vec![
        Given::Buffer(input),
        Given::Buffer(vec![0; 8 * random::OUT_BYTES as usize]),
        Given::Local(8 * random::GROUP),
        Given::Value(5i32.to_le_bytes().to_vec()),
        Given::Value(1.5f32.to_le_bytes().to_vec()),
    ];
    program
}

// ---- Random OpenCL C

fn random_source(seed: u64, rng: &mut Rng) -> Program {
    use crate::generate::{GROUP, ITEMS, TILE_BYTES, inputs, program};
    let source = program(seed);
    let module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("seed {seed}: {log}"));
    let mut program = plain(source, module, rng);
    program.launch = match rng.below(3) {
        0 if !program.exact => Launch::linear(ITEMS, GROUP),
        1 => Launch {
            work_dim: 2,
            global_size: [GROUP, 2 * GROUP, 1],
            local_size: [GROUP, GROUP, 1],
            global_offset: [0; 3],
        },
        _ => Launch::linear(ITEMS / GROUP * GROUP, GROUP),
    };
    program.args = vec![
        Given::Buffer(vec![0xa5; 8 * (2 * GROUP * GROUP) as usize]),
        Given::Buffer(inputs(seed).iter().flat_map(|x| x.to_le_bytes()).collect()),
        Given::Local(TILE_BYTES as u64),
    ];
    program
}

// ---- Kernels of the folder

/// Names and texts, in order of the names.
fn kernels() -> &'static [(String, String)] {
    static FILES: std::sync::OnceLock<Vec<(String, String)>> = std::sync::OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows/kernels");
        let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
        let mut files: Vec<_> = entries
            .map(|entry| {
                let text = std::fs::read_to_string(entry.path()).expect("it can be read");
                (entry.file_name().to_string_lossy().into_owned(), text)
            })
            .collect();
        files.sort();
        files
    })
}

/// What the first lines of a file leave open, decided: names and choices.
struct Choices(Vec<(String, String)>);

impl Choices {
    fn new(text: &str, rng: &mut Rng) -> Self {
        let lines = text.lines().map_while(|line| line.strip_prefix("// "));
        let named = lines.filter_map(|line| line.split_once(": ")).filter(|(name, _)| !name.contains(' '));
        let choose = |(name, choices): (&str, &str)| {
            let choices: Vec<&str> = choices.split_whitespace().collect();
            (name.to_owned(), rng.of(&choices).to_owned())
        };
        Self(named.map(choose).collect())
    }
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, choice)| choice.as_str())
    }
    fn is(&self, name: &str, otherwise: bool) -> bool {
        self.get(name).map_or(otherwise, |choice| choice == "yes")
    }
    fn sizes(&self, name: &str) -> [u64; 3] {
        let mut sizes = self.get(name).unwrap_or("1").split('x').map(|n| n.parse().expect("a size"));
        [(); 3].map(|()| sizes.next().unwrap_or(1))
    }
    fn macros(&self) -> String {
        let macros = self.0.iter().filter(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase()));
        macros.map(|(name, choice)| format!(" -D{name}={choice}")).collect()
    }
}

fn from_file(name: &str, text: &str, rng: &mut Rng) -> Program {
    let choices = Choices::new(text, rng);
    let options = format!("-cl-std=CL3.0 {}{}", choices.get("options").unwrap_or(""), choices.macros());
    let module = lowered(text.as_bytes(), &options).unwrap_or_else(|log| panic!("{name}: {options}\n{log}"));
    let mut program = plain(format!("{name}, {:?}\n{text}", choices.0), module, rng);
    if let Some(target) = choices.get("target") {
        program.target = match target {
            "avx512" => &Target::AVX512,
            "avx2" => &Target::AVX2,
            "neon" => &Target::NEON,
            _ => &Target::V128,
        };
        let anew = || Config::new(program.target);
        let config = Config { target: program.target, ..program.lanes.unwrap_or_else(anew) };
        program.lanes = (target != "scalar").then_some(config);
    }
    let tails = choices.get("tails").map(|tails| match tails {
        "masked" => Tails::Masked,
        "last" => Tails::Last,
        _ => Tails::Scalar,
    });
    program.lanes = program.lanes.filter(|_| choices.get("width") != Some("1")).map(|config| {
        let config = match choices.get("width") {
            None => config,
            Some("any") => Config::new(program.target),
            Some(width) => Config { target: program.target, ..Config::always(width.parse().expect("a width")) },
        };
        Config { tails: tails.unwrap_or(config.tails), ..config }
    });
    program.exact = choices.is("exact", program.exact);
    program.disjoint = choices.is("disjoint", program.disjoint);
    program.known = choices.is("known", program.known);
    program.large = choices.is("large", program.large);
    let (local, groups) = (choices.sizes("local"), choices.sizes("groups"));
    let mut global: [u64; 3] = std::array::from_fn(|d| local[d] * groups[d]);
    if !program.exact && rng.one_in(3) {
        // The last group has fewer.
        global[0] -= rng.next() % local[0];
    }
    program.launch = Launch { work_dim: 3, global_size: global, global_offset: [0; 3], local_size: local };
    if let Some(format) = choices.get("images") {
        let (channels, elements) = format.split_once(',').expect("order,type");
        let find = |names: &[(&str, u32)], name: &str| names.iter().find(|row| row.0 == name).expect("a format").1;
        program.images = Fact::image(find(order::NAMES, channels), find(data_type::NAMES, elements), true);
    }
    let bits = rng.of(&[sampler::NEAREST, sampler::LINEAR]) | rng.of(&[sampler::CLAMP_TO_EDGE, sampler::CLAMP]);
    if rng.one_in(2) {
        program.samplers = Fact::sampler(bits);
    }
    let format = choices.get("images").and_then(|format| format.split_once(','));
    let info = program.module.kernels[0].0.clone();
    program.args = info.args.iter().map(|arg| given(arg, &choices, format, bits, rng)).collect();
    program
}

fn given(arg: &ArgInfo, choices: &Choices, format: Option<(&str, &str)>, bits: u32, rng: &mut Rng) -> Given {
    let choice = choices.get(&arg.name);
    match arg.kind {
        ArgKind::Local => Given::Local(LOCAL),
        ArgKind::Sampler => Given::Value(bits.to_le_bytes().to_vec()),
        ArgKind::Queue => Given::Value(vec![0; 8]),
        ArgKind::Pipe { .. } => Given::Buffer(pipe(&arg.type_name, rng)),
        ArgKind::Image { .. } => image(format.expect("`images` is there"), rng),
        ArgKind::Value => {
            let value = choice.map_or_else(|| rng.next() as i64 % 16, |n| n.parse().expect("a number"));
            Given::Value(elements(&arg.type_name, arg.size, || value))
        }
        ArgKind::Buffer { .. } => {
            let (low, high) = choice
                .and_then(|range| range.split_once(".."))
                .map_or((-50, 50), |(low, high)| (low.parse().expect("a number"), high.parse().expect("a number")));
            Given::Buffer(elements(&arg.type_name, BUFFER, || low + rng.below((high - low) as usize) as i64))
        }
    }
}

/// A pipe that holds 20 of at most 36 packets, in the memory that `builtins/pipe/pipe.cl` describes.
fn pipe(type_name: &str, rng: &mut Rng) -> Vec<u8> {
    let [capacity, slots, held, records] = [36, 64, 20, 80usize];
    let bytes = match type_name {
        "char" => 1,
        "int" => 4,
        "long" => 8,
        "float4" => 16,
        other => panic!("no packets of type {other}"),
    };
    let mut words = vec![0u64; records + slots];
    words[..4].copy_from_slice(&[bytes, capacity, slots - 1, 8 * (records + slots)].map(|n| n as u64));
    // Taken and committed by those who write.
    (words[16], words[32]) = (held as u64, held as u64);
    let packets = elements(type_name, bytes * slots, || rng.below(100) as i64);
    words.iter().flat_map(|word| word.to_le_bytes()).chain(packets).collect()
}

/// Numbers of a type of OpenCL C.
fn elements(type_name: &str, bytes: usize, mut number: impl FnMut() -> i64) -> Vec<u8> {
    let name = type_name.trim_end_matches('*').trim_end_matches(|c: char| c.is_ascii_digit());
    let mut out = Vec::with_capacity(bytes + 8);
    while out.len() < bytes {
        let x = number();
        match name {
            "char" | "uchar" | "bool" => out.push(x as u8),
            "short" | "ushort" => out.extend((x as u16).to_le_bytes()),
            "half" => out.extend((0x3c00 + 0x20 * (x as u16 & 31)).to_le_bytes()),
            "long" | "ulong" | "size_t" => out.extend(x.to_le_bytes()),
            "float" => out.extend((x as f32 * 0.75).to_le_bytes()),
            "double" => out.extend((x as f64 * 0.75).to_le_bytes()),
            _ => out.extend((x as u32).to_le_bytes()),
        }
    }
    out.truncate(bytes);
    out
}

/// An image of this format whose floats are numbers.
fn image((channels, elements): (&str, &str), rng: &mut Rng) -> Given {
    let find = |names: &[(&str, u32)], name: &str| names.iter().find(|row| row.0 == name).expect("a format").1;
    let (order, data_type) = (find(order::NAMES, channels), find(data_type::NAMES, elements));
    let layout = layout(order, data_type);
    let [width, height, depth] = IMAGE;
    let row_pitch = width as u64 * u64::from(layout.texel_bytes);
    let bytes = (row_pitch * (height * depth) as u64) as usize;
    let texels = match elements {
        "FLOAT" => (0..bytes / 4).flat_map(|_| (rng.below(200) as f32 * 0.25 - 20.0).to_le_bytes()).collect(),
        "HALF_FLOAT" => (0..bytes / 2).flat_map(|_| (0x3000 + rng.below(0x2000) as u16).to_le_bytes()).collect(),
        _ => (0..bytes).map(|_| rng.next() as u8).collect(),
    };
    let desc = ImageDesc {
        data: 0,
        row_pitch,
        slice_pitch: row_pitch * height as u64,
        width,
        height,
        depth,
        layers: depth,
        data_type,
        order,
        texel_bytes: layout.texel_bytes,
        channels: layout.channels | channel::SMALL,
        offset: layout.offset,
        border_alpha: layout.border_alpha,
        fast: layout.fast,
        levels: 1,
    };
    Given::Image(desc, texels)
}
