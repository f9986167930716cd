//! What a compiled kernel looks like from outside: its metadata, its argument block, and how a range of work-groups is
//! run. The runtime knows kernels only through this file and `Program`. Must not know OpenCL objects or queues.

use crate::control;
use crate::image::{ImageAccess, ImageFacts, ImageShape};
use crate::own::Footprint;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Address spaces of OpenCL C. Spec: OpenCL C, "Address Space Qualifiers".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum AddrSpace {
    /// One work-item's own memory.
    Private,
    /// Shared by one work-group.
    Local,
    /// Buffers and program-scope variables.
    Global,
    /// Read-only for kernels.
    Constant,
    /// Private, local or global, known at run time only.
    Generic,
}

impl AddrSpace {
    /// Its name in texts of KIR and HIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Local => "local",
            Self::Global => "global",
            Self::Constant => "const",
            Self::Generic => "generic",
        }
    }
}

/// The end of a global range (offset plus size) in any dimension is at most this. Code generation relies on it: ids and
/// sizes are not negative as signed numbers, nor are sums of two of them.
pub const MAX_WORK_ITEM_ID: u64 = 1 << 62;

/// Most work-items of a group that any device may have; code generation relies on it.
pub const MAX_LOCAL_SIZE: u64 = 1 << 16;

/// How one kernel argument is set by the host and where it lies in the argument block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArgInfo {
    /// Name as written, e.g. `out`.
    pub name: String,
    /// Canonical type name as `CL_KERNEL_ARG_TYPE_NAME` reports it, e.g. `float4*`.
    pub type_name: String,
    /// What the host passes.
    pub kind: ArgKind,
    /// Byte offset in the argument block; a multiple of the argument's alignment.
    pub offset: usize,
    /// Bytes that the argument takes in the argument block (8 for pointers of any kind and for local sizes).
    pub size: usize,
    /// Written `const` (on the pointee for pointers), `restrict`, `volatile`.
    pub is_const: bool,
    /// See `is_const`.
    pub is_restrict: bool,
    /// See `is_const`.
    pub is_volatile: bool,
    /// Bytes that a work-item stores through the argument, if these stores may go past the caches: see
    /// `SpecKey::streams`.
    pub streamed_bytes: u32,
}

/// What the host passes to `clSetKernelArg` for an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgKind {
    /// `size` bytes, copied into the block.
    Value,
    /// A buffer or null; the block holds its host address.
    Buffer {
        /// `Global` or `Constant`.
        space: AddrSpace,
    },
    /// A size in bytes; the block holds the byte offset of this argument's memory from `Env::local`, which the caller
    /// lays out after the kernel's own `local_bytes`, each aligned to 128 bytes.
    Local,
    /// An image; the block holds the address of its `ImageDesc`.
    Image {
        /// Its type.
        shape: ImageShape,
        /// Its qualifier.
        access: ImageAccess,
    },
    /// A pipe; the block holds its address.
    Pipe {
        /// Its qualifier: never `read_write`.
        access: ImageAccess,
    },
    /// A sampler; the block holds its `image::sampler` bits.
    Sampler,
    /// A device queue; the block holds its number (see `device`).
    Queue,
}

impl ArgKind {
    /// True for images and samplers, of which a launch knows facts.
    pub fn is_opaque(self) -> bool {
        matches!(self, Self::Image { .. } | Self::Sampler)
    }
}

/// A kernel's metadata, known as soon as its program is built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Function name.
    pub name: String,
    /// Arguments in order.
    pub args: Vec<ArgInfo>,
    /// Bytes of the argument block.
    pub arg_block_bytes: usize,
    /// `reqd_work_group_size`.
    pub reqd_work_group_size: Option<[u64; 3]>,
    /// `intel_reqd_sub_group_size`; else sub-groups are of the size that the target wants (`target::sub_group_size`).
    pub reqd_sub_group_size: Option<u8>,
    /// For debuggers, which show one work-item after the other, each is a sub-group by itself.
    pub has_single_sub_groups: bool,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u64; 3]>,
    /// `intel_vec_len_hint`: so many work-items side by side, 1 for scalar code, 0 for as many as pay. Sub-groups that
    /// the code uses have a size of their own.
    pub vec_len_hint: u8,
    /// Attributes as `CL_KERNEL_ATTRIBUTES` spells them, blank-separated.
    pub attributes: String,
    /// Bytes of `__local` variables declared in the kernel and its callees (static part).
    pub local_bytes: usize,
    /// Bytes of private memory one work-item needs, for `CL_KERNEL_PRIVATE_MEM_SIZE`.
    pub private_bytes: usize,
    /// True if no barrier, local memory or collective makes group boundaries matter and the kernel does not ask for
    /// group sizes or numbers: the runtime may then choose non-uniform groups whatever the language version.
    pub group_agnostic: bool,
    /// True if a work-item may wait for what those of other groups do to memory: groups must be able to run side by
    /// side, as many as there are threads, and none is begun before those that come before it.
    pub may_wait: bool,
    /// True for a block that is enqueued: programs do not see it as a kernel.
    pub is_block: bool,
    /// True if work-items may enqueue blocks, or ask for anything else that `device` has.
    pub enqueues: bool,
    /// The dimension along which neighbours access memory side by side: groups should have rows of work-items there. 0
    /// (x) unless another is much better.
    pub vector_dim: u8,
    /// Another dimension that may turn out better (`LaneChoice::Interchanged`).
    pub rival_dim: Option<u8>,
    /// For each dimension, the arguments, by number, by which its ids are multiplied: in launches that pass 1 for all
    /// of them, `vector_dim` is this dimension. No bits where that would not make it so.
    pub unit_dims: [u64; 3],
    /// Of pointer arguments.
    pub pointers: Pointers,
    /// Arguments, by number, that are integers which the code asks for: what `SpecKey::values` may know.
    pub integers: u64,
    /// Those of them that are strides: launches that pass 1 have code of their own (`analysis::unit_strides`).
    pub strides: u64,
    /// For `SpecKey::apart`, in code that is checked for races.
    pub footprints: Vec<Footprint>,
}

/// What the code of a kernel says of its pointers to global memory: sets of arguments, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointers {
    /// What `SpecKey::disjoint` may name: empty where nothing is stored or there is no second one.
    pub separable: u64,
    /// Those whose memory the kernel may write, or of which it makes more than loads.
    pub stored: u64,
}

/// Alignment in bytes of each part of memory that a launch is given (`Env::local`, `Env::scratch`), and the most that a
/// slot or a variable in local memory may ask for: what needs more takes more bytes and finds its place among them.
pub const MEMORY_ALIGN: u32 = 128;

/// Geometry and memory of one launch, read by generated code. Byte offsets of the fields are part of the ABI
/// (`jit::codegen` uses `std::mem::offset_of!`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Env {
    /// Global work size `[x, y, z]`; 1 for unused dimensions.
    pub global_size: [u64; 3],
    /// Global work offset.
    pub global_offset: [u64; 3],
    /// Enqueued local size; trailing groups may be smaller.
    pub local_size: [u64; 3],
    /// Number of groups in each dimension, trailing ones included.
    pub num_groups: [u64; 3],
    /// 1, 2 or 3.
    pub work_dim: u64,
    /// Local memory of the calling worker: `local_bytes` plus local arguments, 128-byte aligned, with 128 bytes of
    /// slack at both ends.
    pub local: *mut u8,
    /// Bytes at `local` that belong to the launch.
    pub local_bytes: u64,
    /// Scratch of the calling worker for context arrays and private arrays: at least `KernelCode::scratch_bytes`,
    /// 128-byte aligned, with 128 bytes of slack at both ends.
    pub scratch: *mut u8,
    /// Bytes at `scratch` that belong to the launch.
    pub scratch_bytes: u64,
    /// Where accesses of the calling worker are tracked (`race::Worker::handle`); null if they are not.
    pub races: *mut core::ffi::c_void,
}

/// What machine code is made for. Equal keys share code. The default is for every launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SpecKey {
    /// Exact local size of every group, or `None` for code that takes any size (and non-uniform trailing groups).
    pub local_size: Option<[u32; 3]>,
    /// In every dimension offset + global size is below 2^31: an id or size as an `int` is the number it was.
    pub small_ids: bool,
    /// In every dimension the offset is a multiple of `ID_ALIGN`: a group's first id is a multiple of each power of two
    /// up to `ID_ALIGN` that divides the group's size.
    pub aligned_ids: bool,
    /// There are integer arguments of 64 bits that the code asks for, and they are from 0 to 2^31 - 1
    /// (`KernelInfo::has_small_args`).
    pub small_args: bool,
    /// What is known of image and sampler arguments.
    pub images: ImageFacts,
    /// Arguments, by number, through which the launch fills more memory than the caches hold: bits of those that have
    /// `ArgInfo::streamed_bytes`.
    pub streams: u64,
    /// Arguments, by number, whose memory no other pointer argument of the launch reaches, unless both are outside
    /// `Pointers::stored`: bits of `Pointers::separable`.
    pub disjoint: u64,
    /// Values of integer arguments.
    pub values: ArgValues,
    /// In checked code: arguments, by number, of whose memory every byte has been written.
    pub written: u64,
    /// In checked code: arguments, by number, on whose memory nothing races: no two work-items access the same byte
    /// (by `KernelInfo::footprints`), or none writes, and neither another argument nor another launch reaches it.
    pub apart: u64,
    /// Making the code may take many seconds: see `KernelCode::is_hasty`. It computes the same.
    pub thorough: bool,
    /// Which loops run in lanes. It computes the same.
    pub lanes: LaneChoice,
}

/// See `SpecKey::aligned_ids`.
pub const ID_ALIGN: u64 = 64;

impl SpecKey {
    /// What is known of the ids of a launch with this offset and global size, and nothing else.
    pub fn of_ids(offset: [u64; 3], global: [u64; 3]) -> Self {
        let small_ids = offset.iter().zip(global).all(|(offset, n)| offset.saturating_add(n) < 1 << 31);
        let aligned_ids = offset.iter().all(|offset| offset.is_multiple_of(ID_ALIGN));
        Self { small_ids, aligned_ids, ..Self::default() }
    }
}

/// Which loops run in lanes, of those that can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LaneChoice {
    /// Those for which lanes pay, as far as estimates know.
    #[default]
    Estimated,
    /// Only those for which there is no doubt.
    Fewer,
    /// Also those for which there is doubt.
    More,
    /// As estimated, but with neighbours in another dimension in the lanes (`KernelInfo::rival_dim`).
    Interchanged,
    /// As estimated, but in vectors of half as many lanes.
    Narrower,
}

impl LaneChoice {
    /// How many there are.
    pub const COUNT: usize = Self::Narrower as usize + 1;
}

/// Integer arguments whose values a launch's code may be made for: the first ones of `KernelInfo::integers`.
pub const MAX_VALUES: usize = 16;

/// What integer arguments of a kernel are known to be: of `KernelInfo::integers`, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArgValues {
    /// Bits of those that are known.
    known: u16,
    /// Values, with zeros above their types' bits, and where nothing is known.
    bits: [u64; MAX_VALUES],
}

impl ArgValues {
    /// All that an argument block says.
    pub fn of(info: &KernelInfo, block: &[u8]) -> Self {
        let mut this = Self::default();
        for (n, arg) in integers(info).enumerate() {
            let ArgInfo { offset, size, .. } = info.args[arg];
            let bytes = &block[offset..offset + size];
            // Most have four bytes or eight: a copy of a length that is not known is a call.
            let bits = match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>()) {
                (Some(&all), _) => u64::from_le_bytes(all),
                (_, Some(&half)) => u32::from_le_bytes(half).into(),
                _ => bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
            };
            this.set(n, bits);
        }
        this
    }

    /// Those of strides that are 1.
    pub fn unit_strides(&self, info: &KernelInfo) -> Self {
        let mut this = Self::default();
        for (n, arg) in integers(info).enumerate() {
            if info.strides >> arg & 1 != 0 && self.known >> n & 1 != 0 && self.bits[n] == 1 {
                this.set(n, 1);
            }
        }
        this
    }

    /// Those that another does not know.
    pub fn without(&self, other: &Self) -> Self {
        let mut this = Self::default();
        bits(u64::from(self.known & !other.known)).for_each(|n| this.set(n, self.bits[n]));
        this
    }

    /// These and another's.
    pub fn with(mut self, other: &Self) -> Self {
        bits(other.known.into()).for_each(|n| self.set(n, other.bits[n]));
        self
    }

    /// With the value of an argument by its name; false if there is none, or it is not among those that this is about.
    pub fn learn(&mut self, info: &KernelInfo, name: &str, value: i64) -> bool {
        let found = integers(info).enumerate().find(|&(_, arg)| info.args[arg].name == name);
        if let Some((n, arg)) = found {
            let unused = 64 - 8 * info.args[arg].size as u32;
            self.set(n, (value as u64) << unused >> unused);
        }
        found.is_some()
    }

    fn set(&mut self, n: usize, bits: u64) {
        self.known |= 1 << n;
        self.bits[n] = bits;
    }

    /// Those that are the same in another launch.
    pub fn common(&self, other: &Self) -> Self {
        let mut this = Self::default();
        let both = self.known & other.known;
        let same = (0..MAX_VALUES).filter(|&n| both >> n & 1 != 0 && self.bits[n] == other.bits[n]);
        same.for_each(|n| this.set(n, self.bits[n]));
        this
    }

    /// True if a launch of the values `all` is one of those that this is known of.
    pub fn holds_for(&self, all: &Self) -> bool {
        let is_same = |n: usize| self.bits[n] == all.bits[n];
        self.known & !all.known == 0 && bits(self.known.into()).all(is_same)
    }

    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known == 0
    }

    /// Numbers of arguments with what they are known to be.
    pub fn known(&self, info: &KernelInfo) -> impl Iterator<Item = (usize, u64)> {
        let is_known = |&(n, _): &(usize, usize)| self.known >> n & 1 != 0;
        integers(info).enumerate().filter(is_known).map(|(n, arg)| (arg, self.bits[n]))
    }
}

impl KernelInfo {
    /// The dimension along which neighbours access memory side by side in launches that pass these values.
    pub fn vector_dim_for(&self, values: &ArgValues) -> u8 {
        if self.unit_dims == [0; 3] {
            return self.vector_dim;
        }
        let ones = values.known(self).filter(|&(_, bits)| bits == 1).fold(0, |ones, (arg, _)| ones | 1_u64 << arg);
        let is_unit = |&d: &u8| {
            let needed = self.unit_dims[usize::from(d)];
            needed != 0 && needed & !ones == 0
        };
        (0..3).rev().find(is_unit).unwrap_or(self.vector_dim)
    }

    /// Numbers of the integer arguments of 64 bits that the code asks for.
    pub fn long_args(&self) -> impl Iterator<Item = usize> + '_ {
        bits(self.integers).filter(|&arg| self.args[arg].size == 8)
    }

    /// What `SpecKey::small_args` says of a launch whose arguments, by number, begin with these bytes.
    pub fn has_small_args<'a>(&self, bytes: impl Fn(usize) -> &'a [u8]) -> bool {
        let value = |arg: usize| bytes(arg).first_chunk::<8>().map(|&bytes| i64::from_le_bytes(bytes));
        let is_small = |arg: usize| value(arg).is_some_and(|value| (0..1 << 31).contains(&value));
        self.long_args().next().is_some() && self.long_args().all(is_small)
    }
}

/// Numbers of the arguments that `ArgValues` is about.
fn integers(info: &KernelInfo) -> impl Iterator<Item = usize> + use<> {
    bits(info.integers).take(MAX_VALUES)
}

/// Numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (n < u64::BITS).then_some(n as usize)
    })
}

/// Machine code of one kernel for one `SpecKey`. Code memory lives as long as it does.
pub struct KernelCode {
    /// Entry point: runs groups `[g0, g1)` in linear order (x fastest).
    pub(crate) entry: EntryPoint,
    /// Scratch bytes whatever the size of the group.
    pub(crate) scratch_fixed: usize,
    /// Scratch bytes per work-item (context and private arrays).
    pub(crate) scratch_per_item: usize,
    /// See `stack_bytes`.
    pub(crate) stack_bytes: usize,
    /// See `is_hasty`.
    pub(crate) is_hasty: bool,
    /// See `is_lanes`.
    pub(crate) is_lanes: bool,
    /// See `Func::flushes_denormals`.
    pub(crate) flushes_denormals: bool,
    /// See `making`.
    pub(crate) making: std::time::Duration,
    /// A line for each loop over work-items: see `remarks`.
    pub(crate) remarks: Vec<String>,
    /// See `rivals`.
    pub(crate) rivals: Vec<LaneChoice>,
    /// See `unpublished`.
    pub(crate) unpublished: Option<String>,
    /// See `loop_order`.
    pub(crate) loop_order: [u8; 3],
    /// See `race::Sites`.
    pub(crate) sites: Option<std::sync::Arc<dyn std::any::Any + Send + Sync>>,
    /// Keeps the code memory alive.
    pub(crate) _image: std::sync::Arc<dyn Send + Sync>,
}

/// The usual `KernelCode::loop_order`.
pub(crate) const X_INNERMOST: [u8; 3] = [2, 1, 0];

/// Type of the entry point of generated code: argument block, geometry, groups `[g0, g1)`.
pub type EntryPoint = unsafe extern "C" fn(args: *const u8, env: *const Env, g0: u64, g1: u64);

impl KernelCode {
    /// Wraps a function of this process, so that launching can be tested without a compiler.
    ///
    /// # Safety
    /// `entry` behaves as generated code does: it touches nothing but what its arguments lead to.
    #[allow(unsafe_code, reason = "the border to generated code")]
    pub unsafe fn from_entry(entry: EntryPoint, scratch_fixed: usize, scratch_per_item: usize) -> Self {
        let _image = std::sync::Arc::new(());
        Self {
            entry,
            scratch_fixed,
            scratch_per_item,
            stack_bytes: 0,
            is_hasty: false,
            is_lanes: false,
            flushes_denormals: false,
            making: std::time::Duration::ZERO,
            remarks: Vec::new(),
            rivals: Vec::new(),
            unpublished: None,
            loop_order: X_INNERMOST,
            sites: None,
            _image,
        }
    }

    /// For each loop over work-items: how many run side by side in vector lanes, or why not.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The same code, as if it had been made in a hurry.
    #[must_use]
    pub fn hastily_made(self) -> Self {
        Self { is_hasty: true, ..self }
    }

    /// True if registers were allocated in a hurry: code with `SpecKey::thorough` takes longer to make, and is likely
    /// to run faster.
    pub fn is_hasty(&self) -> bool {
        self.is_hasty
    }

    /// The same code, as if estimates were in doubt.
    #[must_use]
    pub fn with_rivals(self, rivals: &[LaneChoice]) -> Self {
        Self { rivals: rivals.to_vec(), ..self }
    }

    /// Code that may be faster: which loops are to run in lanes in it, as estimates were too close to be trusted.
    pub fn rivals(&self) -> &[LaneChoice] {
        &self.rivals
    }

    /// True if some loop over work-items runs in vector lanes.
    pub fn is_lanes(&self) -> bool {
        self.is_lanes
    }

    /// How long it took to make the code, be it in another process.
    pub fn making(&self) -> std::time::Duration {
        self.making
    }

    /// Why debuggers do not know the code, although they should.
    pub fn unpublished(&self) -> Option<&str> {
        self.unpublished.as_deref()
    }

    /// The dimensions of the loops over groups and work-items, the outermost first: the order in which groups have
    /// numbers.
    pub fn loop_order(&self) -> [u8; 3] {
        self.loop_order
    }

    /// Bytes of scratch that a group of `items` work-items needs.
    pub fn scratch_bytes(&self, items: u64) -> usize {
        let items = usize::try_from(items).unwrap_or(usize::MAX);
        self.scratch_per_item.saturating_mul(items).saturating_add(self.scratch_fixed)
    }

    /// Bytes of stack that `run` takes at most: frames of the deepest call chain, with the private arrays in them.
    pub fn stack_bytes(&self) -> usize {
        self.stack_bytes
    }

    /// Runs the groups with linear ids `groups` on the calling thread, whatever the state of its floating-point control
    /// register, which it has again afterwards.
    ///
    /// # Safety
    /// The thread has `stack_bytes` of stack left. `args` is an argument block as `KernelInfo::args` describes it, its
    /// pointers are null or valid for what the kernel does with them, and `env` meets its fields' documentation.
    #[allow(unsafe_code, reason = "the border to generated code")]
    pub unsafe fn run(&self, args: *const u8, env: &Env, groups: Range<u64>) {
        // On this frame, so that generated code knows its own frames, which lie below it, as private memory.
        let env = std::hint::black_box(*env);
        // SAFETY: the caller's promise is the entry point's.
        unsafe { control::call(self.entry, args, &env, [groups.start, groups.end], self.flushes_denormals) }
    }
}
