//! How an input becomes another one: half of the time as libFuzzer does it, else by what its bytes mean. The pieces are
//! those of the random tests in `jit/tests/support`.

mod container;
#[path = "../../../../jit/tests/support/mutate.rs"]
mod mutate;
#[path = "../../../../jit/tests/support/mutate_il.rs"]
mod mutate_il;
#[path = "../../../../jit/tests/support/rng.rs"]
mod rng;

use libfuzzer_sys::fuzzer_mutate;
use rng::Rng;
use std::sync::LazyLock;
use std::{fs, path::Path};

/// Words of programs.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let texts = [
        KEYWORDS,
        include_str!("../../../../jit/tests/language/scalars.txt"),
        include_str!("../../../../jit/tests/language/vectors.txt"),
        include_str!("../../../../jit/tests/language/memory.txt"),
        include_str!("../../../../jit/tests/language/control.txt"),
        include_str!("../../../../jit/tests/language/builtins.txt"),
        include_str!("../../../../jit/tests/language/rounding.txt"),
    ];
    let names = clift_jit::builtin::table::PUBLIC.iter().flat_map(|rows| rows.iter()).map(|row| row.name);
    texts.iter().flat_map(|text| mutate::words(text)).chain(names).collect()
});

/// What the language's tests seldom have.
const KEYWORDS: &str = "generic private constant local global read_only write_only read_write pipe __attribute__ \
    reqd_work_group_size vec_type_hint work_group_size_hint packed aligned nosvm always_inline noinline \
    opencl_unroll_hint intel_reqd_sub_group_size image1d_t image1d_buffer_t image1d_array_t image2d_t \
    image2d_array_t image2d_depth_t image2d_array_depth_t image2d_msaa_t image3d_t sampler_t event_t queue_t \
    ndrange_t clk_event_t reserve_id_t atomic_int atomic_uint atomic_long atomic_float atomic_double atomic_flag \
    memory_order_relaxed memory_order_acq_rel memory_order_seq_cst memory_scope_work_group memory_scope_device \
    CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE typedef struct union enum static extern inline const volatile restrict \
    half half16 double double3 size_t ptrdiff_t intptr_t uintptr_t void ulong uchar ushort goto switch do while \
    #define #undef #if #elif #ifdef #ifndef #else #endif #pragma OPENCL EXTENSION FP_CONTRACT unroll #include #line \
    #error #warning ## __VA_ARGS__ _Pragma __LINE__ __FILE__ __COUNTER__ __OPENCL_VERSION__ _Static_assert typeof \
    offsetof sizeof _Alignof vec_step NAN INFINITY MAXFLOAT 0x1p-3f 1e400 0xffffffffffffffffUL 08 'a' \"s\" \\ \n";

/// Modules that instructions come from.
static MODULES: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jit/tests/spirv");
    let entries = fs::read_dir(folder).expect("the folder can be read").filter_map(Result::ok);
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "spv"));
    files.sort_unstable();
    files.into_iter().map(|file| mutate_il::words(&fs::read(file).expect("the file can be read"))).collect()
});

/// Words of strings of options.
const OPTIONS: [&str; 40] = [
    "-D",
    "-DA",
    "-DA=1",
    "-DB=",
    "-D B='2'",
    "-D\"A=x y\"",
    "-DA(x)=x",
    "-cl-std=CL1.0",
    "-cl-std=CL1.2",
    "-cl-std=CL2.0",
    "-cl-std=CL3.0",
    "-cl-std=CL3.1",
    "-cl-std=",
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    "-cl-kernel-arg-info",
    "-g",
    "-create-library",
    "-enable-link-options",
    "-clift-zero-private",
    "-clift-correctly-rounded",
    "-clift-check",
    "-clift-check=races",
    "-clift-check=memory,values",
    "-w",
    "-Werror",
    "-x",
    "cl",
    "-x clc",
    "\\ ",
];

/// Other bytes that mean something similar; nothing if these mean nothing.
type Mutator = fn(&[u8], &mut Rng) -> Option<Vec<u8>>;

/// OpenCL C: words of programs come, go and change places.
pub fn source(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    apply(data, size, max_size, seed, other_source)
}

/// SPIR-V: instructions come, go and change places, and their operands become others.
pub fn spirv(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    apply(data, size, max_size, seed, other_module)
}

/// Strings of options: whole options come, go and change places.
pub fn options(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    apply(data, size, max_size, seed, other_options)
}

/// Binaries: a unit's options, source or module become others, and the lengths in the container stay right.
pub fn binary(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    apply(data, size, max_size, seed, container::other)
}

fn other_source(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let changes = 1 + rng.below(3);
    Some(mutate::mutate(std::str::from_utf8(bytes).ok()?, &WORDS, changes, rng).into_bytes())
}

fn other_module(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let words = mutate_il::words(bytes);
    (words.len() > mutate_il::HEADER).then(|| mutate_il::mutant(&words, &MODULES, rng))
}

fn other_options(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let mut words: Vec<&str> = std::str::from_utf8(bytes).ok()?.split(' ').collect();
    let at = rng.below(words.len());
    match rng.below(3) {
        0 if words.len() > 1 => _ = words.remove(at),
        1 => words[at] = rng.of(&OPTIONS),
        _ => words.insert(at, rng.of(&OPTIONS)),
    }
    Some(words.join(" ").into_bytes())
}

/// Half of the time by `change`, if it can do something with the bytes, and else by libFuzzer. Replaces the first
/// `size` bytes of `data` by others, of which there are at most `max_size`: how many there are.
fn apply(data: &mut [u8], size: usize, max_size: usize, seed: u32, change: Mutator) -> usize {
    let mut rng = Rng(seed.into());
    if rng.one_in(2)
        && let Some(new) = change(&data[..size], &mut rng)
        && new.len() <= max_size
    {
        data[..new.len()].copy_from_slice(&new);
        return new.len();
    }
    fuzzer_mutate(data, size, max_size)
}
