//! Runs one kernel over an NDRange in every way there is: in the interpreter, and as machine code for any and for the
//! exact group size, with a copy of each parallel region and with a dispatch loop, one work-item at a time and in
//! lanes. All must leave the same bytes; of code that does not, the stages are compared.
#![allow(dead_code, reason = "each test uses a part")]

#[path = "../lanes/guard.rs"]
mod guard;

use clift_jit::claims::{self, Setup};
use clift_jit::codegen::{self, Backend, Effort, ProgramData, Scratch};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::text::parse;
use clift_jit::ir::{Func, Module};
use clift_jit::launch::{ArgKind, Env, KernelCode, KernelInfo, LaneChoice, SpecKey};
use clift_jit::pipeline::{Runner, WorkGroup};
use clift_jit::simd::Tails;
use clift_jit::wg::{self, Sharing};
use clift_jit::{fallback, lowered, simd};
use guard::Guarded;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::{Debug, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Sizes of a launch, `[x, y, z]`.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub global: [u64; 3],
    pub local: [u64; 3],
}

impl Range {
    /// Local linear ids of a group are positions in these lists of global linear ids, group by group.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let [nx, ny, nz]: [u64; 3] = std::array::from_fn(|d| self.global[d].div_ceil(self.local[d]));
        let mut groups = Vec::new();
        for g in 0..nx * ny * nz {
            let id = [g % nx, g / nx % ny, g / nx / ny];
            let part = |d: usize| id[d] * self.local[d]..((id[d] + 1) * self.local[d]).min(self.global[d]);
            let mut group = Vec::new();
            for z in part(2) {
                for y in part(1) {
                    group.extend(part(0).map(|x| ((z * self.global[1] + y) * self.global[0] + x) as usize));
                }
            }
            groups.push(group);
        }
        groups
    }

    /// Work-items in all.
    pub fn items(&self) -> usize {
        self.global.iter().product::<u64>() as usize
    }

    fn launch(&self) -> Launch {
        Launch { work_dim: 3, global_size: self.global, global_offset: [0; 3], local_size: self.local }
    }

    fn is_uniform(&self) -> bool {
        (0..3).all(|d| self.global[d].is_multiple_of(self.local[d]))
    }
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Given {
    Buffer(Vec<u8>),
    Local(usize),
}

/// One kernel in kernel form and its machine code.
pub struct Kernel {
    /// Before any pass.
    plain: Module,
    module: Module,
    /// Machine code that takes any group size.
    generic: Vec<(Way, KernelCode)>,
    /// Machine code for groups of the sizes that were asked for.
    exact: RefCell<HashMap<[u64; 3], Rc<Exact>>>,
    /// Launches so far.
    runs: Cell<usize>,
}

/// Machine code for groups of one size.
type Exact = Vec<(SpecKey, Way, KernelCode)>;

/// How regions share code, how many work-items run side by side, and what runs those that do not fill a vector.
type Way = (Sharing, u8, Tails);

/// The test says how many lanes; 0: as many as estimates have it for this machine.
const WAYS: [Way; 8] = [
    (Sharing::Auto, 1, Tails::Scalar),
    (Sharing::DispatchLoop, 1, Tails::Scalar),
    (Sharing::Auto, super::LANES[0], Tails::Scalar),
    (Sharing::Auto, super::LANES[1], Tails::Scalar),
    (Sharing::Auto, super::LANES[1], Tails::Masked),
    (Sharing::DispatchLoop, super::LANES[1], Tails::Masked),
    (Sharing::Auto, super::LANES[0], Tails::Last),
    (Sharing::DispatchLoop, super::LANES[1], Tails::Last),
];

/// Claims are checked of launches with at most so many work-items, and of a kernel that is launched often in every
/// eighth launch, for time's sake.
const MAX_CHECKED: usize = 100;

impl Kernel {
    /// The kernel of an OpenCL C 3.0 source that has one.
    pub fn from_source(source: &str) -> Self {
        let module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
        Self::from_module(module)
    }

    /// What the interpreter leaves of a source's only kernel in the buffers.
    pub fn interpreted(source: &str, range: Range, given: &[Given]) -> Vec<Vec<u8>> {
        let module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
        Self::interpret_stage(&module, None, range, given).unwrap_or_else(|e| panic!("{e}\n{range:?}\n{source}"))
    }

    /// The kernel of this KIR text.
    pub fn from_kir(text: &str, info: KernelInfo) -> Self {
        let mut module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let id = module.funcs.iter().last().expect("a function").0;
        module.kernels = vec![(info, id)];
        Self::from_module(module)
    }

    fn from_module(plain: Module) -> Self {
        let mut module = plain.clone();
        Runner::default().program(&mut module);
        let generic = WAYS.iter().map(|&way| (way, machine_code(&module, any_size(), way))).collect();
        Self { plain, module, generic, exact: RefCell::default(), runs: Cell::new(0) }
    }

    /// Machine code for groups of a size.
    fn exact(&self, local: [u64; 3]) -> Rc<Exact> {
        let code = |&way: &Way| {
            let key = exact_size(local, way);
            (key, way, machine_code(&self.module, key, way))
        };
        let make = || Rc::new(WAYS.iter().map(code).collect());
        Rc::clone(self.exact.borrow_mut().entry(local).or_insert_with(make))
    }

    /// What the interpreter leaves in the buffers; everything else leaves the same.
    pub fn run(&self, range: Range, given: &[Given]) -> Vec<Vec<u8>> {
        self.run_as(range, given, &<[u8]>::to_vec)
    }

    /// The same with the buffers read as values of some type.
    pub fn run_as<T: PartialEq + Debug>(
        &self,
        range: Range,
        given: &[Given],
        read: &dyn Fn(&[u8]) -> Vec<T>,
    ) -> Vec<Vec<T>> {
        let values = |buffers: Vec<Vec<u8>>| -> Vec<Vec<T>> { buffers.iter().map(|bytes| read(bytes)).collect() };
        let want = values(self.interpret(range, given));
        let runs = self.runs.replace(self.runs.get() + 1);
        if range.items() <= MAX_CHECKED && (runs < 4 || runs.is_multiple_of(8)) {
            self.check_claims(range, given);
        }
        let difference = |got: Vec<Vec<u8>>| {
            want.iter().zip(values(got)).enumerate().find_map(|(n, (want, got))| {
                let at = want.iter().zip(&got).position(|(a, b)| a != b)?;
                Some(format!("buffer {n}[{at}] is {:x?}, not {:x?}", got[at], want[at]))
            })
        };
        let same = |code: &KernelCode, key: SpecKey, way: Way| {
            if let Some(text) = difference(self.native(code, range, given)) {
                let size = if key.local_size.is_some() { "exact" } else { "any" };
                let stages = self.stages(range, given, key, way, &difference);
                panic!("{text}: {range:?}, {size} size, {way:?}\n{}\n{stages}", self.module);
            }
        };
        for (way, code) in &self.generic {
            same(code, any_size(), *way);
        }
        if range.is_uniform() {
            for (key, way, code) in &*self.exact(range.local) {
                same(code, *key, *way);
            }
        }
        want
    }

    /// What analyses say of the kernel holds on these arguments.
    fn check_claims(&self, range: Range, given: &[Given]) {
        let args: Vec<claims::Given> = given
            .iter()
            .map(|arg| match arg {
                Given::Buffer(bytes) => claims::Given::Buffer(bytes.clone()),
                Given::Local(bytes) => claims::Given::Local(*bytes as u64),
            })
            .collect();
        let (lowered, module) = (&self.plain, &self.module);
        let widths: Vec<u8> = super::LANES.into_iter().filter(|&lanes| lanes > 1).collect();
        let setup =
            Setup { lowered, module, kernel: 0, args: &args, launch: range.launch(), steps: u64::MAX, widths: &widths };
        if let Ok(report) = claims::check(&setup) {
            assert!(report.violations.is_empty(), "{}{range:?}\n{}", report.told(), self.module);
        }
    }

    /// What machine code for any group size leaves in the buffers.
    pub fn run_native(&self, range: Range, given: &[Given]) -> Vec<Vec<Vec<u8>>> {
        self.generic.iter().map(|(_, code)| self.native(code, range, given)).collect()
    }

    /// Bytes of scratch memory that a work-item needs.
    pub fn scratch_per_item(&self) -> usize {
        Runner::default().group(&self.module, 0, any_size(), Sharing::Auto).scratch_per_item
    }

    /// What the kernel leaves at each stage on the way to code that leaves something else.
    fn stages(
        &self,
        range: Range,
        given: &[Given],
        key: SpecKey,
        (sharing, lanes, tails): Way,
        difference: &dyn Fn(Vec<Vec<u8>>) -> Option<String>,
    ) -> String {
        let same = |got: Result<Vec<Vec<u8>>, String>| match got {
            Ok(got) => difference(got).unwrap_or_else(|| "the same".into()),
            Err(error) => error,
        };
        let mut text = format!("kernel: {}\n", same(Self::interpret_stage(&self.module, None, range, given)));
        for (stage, lanes) in [("work-group function", 1), ("lanes", lanes)] {
            let (config, form) = way_of(&self.module, key, (sharing, lanes, tails));
            let WorkGroup { func, scratch_per_item: scratch } = form(config, true).0;
            let mut whole = self.module.clone();
            whole.funcs.push(func.clone());
            let _ = writeln!(text, "{stage}: {}", same(Self::interpret_stage(&whole, Some(scratch), range, given)));
            for backend in Backend::available() {
                let data = ProgramData::new(&self.module.globals).expect("no variables");
                let scratch = Scratch { fixed: 0, per_item: scratch };
                let code = codegen::compile(backend, &self.module, &func, scratch, Effort::Quick)
                    .and_then(|code| code.load(&data));
                let left = code.map(|code| self.native(&code, range, given)).map_err(|error| error.message);
                let _ = writeln!(text, "{stage} by {backend:?}: {}", same(left));
            }
        }
        text
    }

    fn interpret(&self, range: Range, given: &[Given]) -> Vec<Vec<u8>> {
        let left = Self::interpret_stage(&self.plain, None, range, given);
        left.unwrap_or_else(|e| panic!("{e}\n{range:?}\n{}", self.module))
    }

    /// What the interpreter leaves, running the module's kernel, or its last function as a work-group function with so
    /// much scratch memory per work-item.
    fn interpret_stage(
        module: &Module,
        scratch: Option<usize>,
        range: Range,
        given: &[Given],
    ) -> Result<Vec<Vec<u8>>, String> {
        let mut machine = Machine::new(module);
        machine.steps = u64::MAX;
        let args: Vec<Arg> = given
            .iter()
            .map(|arg| match arg {
                Given::Buffer(bytes) => Arg::Buffer(machine.add_buffer(bytes.clone())),
                Given::Local(bytes) => Arg::Local(*bytes as u64),
            })
            .collect();
        let launch = range.launch();
        let (info, kernel) = &module.kernels[0];
        let result = match scratch {
            None => machine.run_kernel(*kernel, &args, &launch),
            Some(scratch) => {
                let func = module.funcs.iter().last().expect("a function").0;
                let locals = wg::local_layout(module, *kernel).bytes;
                machine.run_work_group_func(func, info, &args, &launch, locals, scratch as u64)
            }
        };
        result.map_err(|e| e.to_string())?;
        let buffer = |arg: &Arg| match arg {
            Arg::Buffer(at) => Some(machine.buffer(*at).to_vec()),
            _ => None,
        };
        Ok(args.iter().filter_map(buffer).collect())
    }

    fn native(&self, code: &KernelCode, range: Range, given: &[Given]) -> Vec<Vec<u8>> {
        let info = &self.module.kernels[0].0;
        let items: u64 = range.local.iter().product();
        let mut local = wg::local_layout(&self.module, self.module.kernels[0].1).bytes.next_multiple_of(128) as usize;
        let mut block = vec![0u64; info.arg_block_bytes.div_ceil(8)];
        let mut buffers: Vec<Memory> = Vec::new();
        for (arg, given) in info.args.iter().zip(given) {
            block[arg.offset / 8] = match given {
                Given::Buffer(bytes) => {
                    assert!(matches!(arg.kind, ArgKind::Buffer { .. }));
                    // Vectors have the alignment of their elements, whose size divides the buffer's.
                    buffers.push(Memory::new(bytes, 1 << bytes.len().trailing_zeros().min(4)));
                    buffers.last_mut().map_or(0, |m| m.address() as u64)
                }
                Given::Local(bytes) => {
                    let at = local;
                    local += bytes.next_multiple_of(128);
                    at as u64
                }
            };
        }
        let (local_bytes, scratch_bytes) = (local, code.scratch_bytes(items));
        let mut local = Memory::new(&vec![0xa5; local_bytes], 128);
        let mut scratch = Memory::new(&vec![0xa5; scratch_bytes], 128);
        let num_groups: [u64; 3] = std::array::from_fn(|d| range.global[d].div_ceil(range.local[d]));
        let env = Env {
            global_size: range.global,
            global_offset: [0; 3],
            local_size: range.local,
            num_groups,
            work_dim: 3,
            local: local.address(),
            local_bytes: local_bytes as u64,
            scratch: scratch.address(),
            scratch_bytes: scratch_bytes as u64,
            races: std::ptr::null_mut(),
        };
        let n: u64 = num_groups.iter().product();
        // From the last two groups to the first: their order is nobody's business.
        for g in (0..n.div_ceil(2)).rev().map(|pair| 2 * pair) {
            // SAFETY: the block holds live buffers of the size that the kernel expects, local memory and scratch are as
            // large as asked for.
            unsafe { code.run(block.as_ptr().cast(), &env, g..(g + 2).min(n)) };
        }
        buffers.into_iter().map(|m| m.bytes()).collect()
    }
}

/// Calls a function for each of some inputs, on as many threads as there are processors.
pub fn side_by_side<T: Sync>(inputs: &[T], f: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || std::iter::from_fn(|| inputs.get(next.fetch_add(1, Relaxed))).for_each(&f);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
}

fn any_size() -> SpecKey {
    SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }
}

fn exact_size(local: [u64; 3], (.., tails): Way) -> SpecKey {
    SpecKey {
        local_size: Some(local.map(|n| n as u32)),
        // Each buffer has memory of its own.
        disjoint: u64::MAX,
        // What a launch of any size may do is right for small ones, too.
        streams: if tails == Tails::Scalar { 0 } else { u64::MAX },
        thorough: true,
        ..any_size()
    }
}

/// A work-group function, given how it is to be vectorised.
type Form<'a> = Box<dyn Fn(Option<simd::Config>, bool) -> (WorkGroup, Vec<simd::Remark>) + 'a>;

/// What a way asks for: the settings of lanes, and how the work-group function is made.
fn way_of(module: &Module, key: SpecKey, (sharing, lanes, tails): Way) -> (Option<simd::Config>, Form<'_>) {
    let config = match lanes {
        0 => simd::Config::of(LaneChoice::Estimated).map(|config| simd::Config { tails, ..config }),
        1 => None,
        _ => Some(simd::Config { tails, ..simd::Config::always(lanes) }),
    };
    (config, Box::new(move |config, told| Runner::telling(told).kernel(module, 0, key, sharing, config)))
}

/// As the driver makes it.
fn machine_code(module: &Module, key: SpecKey, way: Way) -> KernelCode {
    let data = ProgramData::new(&module.globals).expect("no variables");
    let (config, form) = way_of(module, key, way);
    let effort = if key.thorough { Effort::Thorough } else { Effort::Quick };
    let make = |backend, func: &Func, scratch| {
        codegen::compile(backend, module, func, scratch, effort).and_then(|code| code.load(&data))
    };
    let made = fallback::first(module, config, form, make);
    made.unwrap_or_else(|e| panic!("{}\n{module}", e.message)).0
}

/// Bytes with a border in front that must stay, and behind them at most `align` bytes before a page without access.
struct Memory {
    guarded: Guarded,
    len: usize,
}

const BORDER: usize = 128;
const FILL: u8 = 0x5a;

impl Memory {
    fn new(bytes: &[u8], align: usize) -> Self {
        let mut all = vec![FILL; BORDER + bytes.len().next_multiple_of(align)];
        all[BORDER..BORDER + bytes.len()].copy_from_slice(bytes);
        Self { guarded: Guarded::new(&all), len: bytes.len() }
    }

    fn address(&mut self) -> *mut u8 {
        self.guarded.bytes()[BORDER..].as_mut_ptr()
    }

    fn bytes(mut self) -> Vec<u8> {
        let (before, rest) = self.guarded.bytes().split_at(BORDER);
        let (bytes, after) = rest.split_at(self.len);
        assert!(before.iter().chain(after).all(|&b| b == FILL), "wrote beyond a buffer");
        bytes.to_vec()
    }
}
