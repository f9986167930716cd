//! Predefined macros: one table. A row is lexed when its name is first met, so the table costs a build next to nothing.
//! Extension and feature macros come from `features`.

use super::macros::{Dynamic, Has};
use crate::features::{self, FEATURES, FeatureKind, feature, has_fast_fma};
use crate::intern::Interner;
use crate::options::{OptionFlags, Options, Std};
use crate::session::Session;
use crate::source::Text;
use std::sync::LazyLock;

/// What a predefined macro stands for.
pub(super) enum Body {
    /// Something that depends on the place.
    Dynamic(Dynamic),
    /// The text behind `#define`.
    Text(&'static str),
}

/// When a row is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// From this version of OpenCL C on.
    Since(Std),
    /// With the option.
    Flag(OptionFlags),
    /// With double.
    Double,
    /// With half arithmetic.
    Half,
    /// With images.
    Images,
    /// With sub-groups.
    SubGroups,
    /// With device-side enqueue.
    Enqueue,
    /// Where a fused multiply-add is one instruction.
    FastFma,
    /// In programs that are built with checks.
    Checked,
}

struct Row {
    name: &'static str,
    when: When,
    body: Body,
}

macro_rules! obj {
    ($name:literal, $when:expr, $body:literal) => {
        Row { name: $name, when: $when, body: Body::Text(concat!($name, " ", $body)) }
    };
}

macro_rules! fun {
    ($name:literal, $when:expr, $params:literal, $body:literal) => {
        Row { name: $name, when: $when, body: Body::Text(concat!($name, $params, " ", $body)) }
    };
}

const fn dynamic(name: &'static str, dynamic: Dynamic) -> Row {
    Row { name, when: When::Always, body: Body::Dynamic(dynamic) }
}

use When::{Always, Checked, Double, Enqueue, FastFma, Flag, Half, Images, Since, SubGroups};

const VERSION: &str = "__OPENCL_VERSION__";
const C_VERSION: &str = "__OPENCL_C_VERSION__";

/// `INFINITY` and its kin are names that become floating-point tokens after expansion (see `constant`): no literal
/// is infinite in every rounding mode.
static TABLE: &[Row] = &[
    // Preprocessor Directives and Macros.
    dynamic("__FILE__", Dynamic::File),
    dynamic("__LINE__", Dynamic::Line),
    dynamic("__COUNTER__", Dynamic::Counter),
    dynamic("__ROUNDING_MODE__", Dynamic::RoundingMode),
    // Clang's, not the specification's: programs that were written for drivers made of it ask.
    dynamic("__has_builtin", Dynamic::Has(Has::Builtin)),
    dynamic("__has_attribute", Dynamic::Has(Has::Attribute)),
    dynamic("__has_feature", Dynamic::Has(Has::Feature)),
    dynamic("__has_extension", Dynamic::Has(Has::Feature)),
    // The value is the device's version.
    obj!("__OPENCL_VERSION__", Always, ""),
    // The value is that of -cl-std.
    obj!("__OPENCL_C_VERSION__", Always, ""),
    obj!("CL_VERSION_1_0", Always, "100"),
    obj!("CL_VERSION_1_1", Always, "110"),
    obj!("CL_VERSION_1_2", Always, "120"),
    obj!("CL_VERSION_2_0", Always, "200"),
    obj!("CL_VERSION_3_0", Always, "300"),
    obj!("CL_VERSION_3_1", Since(Std::Cl3_1), "310"),
    obj!("__ENDIAN_LITTLE__", Always, "1"),
    obj!("__IMAGE_SUPPORT__", Images, "1"),
    obj!("__CLIFT_CHECK__", Checked, "1"),
    obj!("__FAST_RELAXED_MATH__", Flag(OptionFlags::FAST_RELAXED_MATH), "1"),
    obj!("__FINITE_MATH_ONLY__", Flag(OptionFlags::FINITE_MATH), "1"),
    fun!(
        "__kernel_exec",
        Always,
        "(X, typen)",
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"
    ),
    fun!(
        "kernel_exec",
        Always,
        "(X, typen)",
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"
    ),
    obj!("NULL", Always, "((void *)0)"),
    // Synchronization Functions.
    obj!("CLK_LOCAL_MEM_FENCE", Always, "1"),
    obj!("CLK_GLOBAL_MEM_FENCE", Always, "2"),
    obj!("CLK_IMAGE_MEM_FENCE", Since(Std::Cl2_0), "4"),
    // Atomic Functions.
    fun!("ATOMIC_VAR_INIT", Since(Std::Cl2_0), "(value)", "(value)"),
    obj!("ATOMIC_FLAG_INIT", Since(Std::Cl2_0), "0"),
    // Enumerators of memory_order and memory_scope, which are `int` here.
    obj!("memory_order_relaxed", Since(Std::Cl2_0), "0"),
    obj!("memory_order_acquire", Since(Std::Cl2_0), "2"),
    obj!("memory_order_release", Since(Std::Cl2_0), "3"),
    obj!("memory_order_acq_rel", Since(Std::Cl2_0), "4"),
    obj!("memory_order_seq_cst", Since(Std::Cl2_0), "5"),
    obj!("memory_scope_work_item", Since(Std::Cl2_0), "0"),
    obj!("memory_scope_work_group", Since(Std::Cl2_0), "1"),
    obj!("memory_scope_device", Since(Std::Cl2_0), "2"),
    obj!("memory_scope_all_svm_devices", Since(Std::Cl2_0), "3"),
    obj!("memory_scope_all_devices", Since(Std::Cl3_0), "3"),
    obj!("memory_scope_sub_group", SubGroups, "4"),
    // Pipe Functions.
    obj!("CLK_NULL_RESERVE_ID", Since(Std::Cl2_0), "((reserve_id_t)0)"),
    // Enqueuing Kernels: errors and states of the API.
    obj!("CLK_NULL_QUEUE", Enqueue, "((queue_t)0)"),
    obj!("CLK_NULL_EVENT", Enqueue, "((clk_event_t)0)"),
    obj!("CLK_ENQUEUE_FLAGS_NO_WAIT", Enqueue, "0"),
    obj!("CLK_ENQUEUE_FLAGS_WAIT_KERNEL", Enqueue, "1"),
    obj!("CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", Enqueue, "2"),
    obj!("CLK_PROFILING_COMMAND_EXEC_TIME", Enqueue, "1"),
    obj!("CLK_SUCCESS", Enqueue, "0"),
    obj!("CLK_ENQUEUE_FAILURE", Enqueue, "(-101)"),
    obj!("CLK_INVALID_QUEUE", Enqueue, "(-102)"),
    obj!("CLK_INVALID_NDRANGE", Enqueue, "(-160)"),
    obj!("CLK_INVALID_EVENT_WAIT_LIST", Enqueue, "(-57)"),
    obj!("CLK_DEVICE_QUEUE_FULL", Enqueue, "(-161)"),
    obj!("CLK_INVALID_ARG_SIZE", Enqueue, "(-51)"),
    obj!("CLK_EVENT_ALLOCATION_FAILURE", Enqueue, "(-100)"),
    obj!("CLK_OUT_OF_RESOURCES", Enqueue, "(-5)"),
    obj!("CL_COMPLETE", Enqueue, "0"),
    obj!("CL_RUNNING", Enqueue, "1"),
    obj!("CL_SUBMITTED", Enqueue, "2"),
    obj!("CL_QUEUED", Enqueue, "3"),
    // Samplers.
    obj!("CLK_ADDRESS_NONE", Images, "0"),
    obj!("CLK_ADDRESS_CLAMP_TO_EDGE", Images, "2"),
    obj!("CLK_ADDRESS_CLAMP", Images, "4"),
    obj!("CLK_ADDRESS_REPEAT", Images, "6"),
    obj!("CLK_ADDRESS_MIRRORED_REPEAT", Images, "8"),
    obj!("CLK_NORMALIZED_COORDS_FALSE", Images, "0"),
    obj!("CLK_NORMALIZED_COORDS_TRUE", Images, "1"),
    obj!("CLK_FILTER_NEAREST", Images, "0x10"),
    obj!("CLK_FILTER_LINEAR", Images, "0x20"),
    // Image Query Functions: the values of the API.
    obj!("CLK_SNORM_INT8", Images, "0x10D0"),
    obj!("CLK_SNORM_INT16", Images, "0x10D1"),
    obj!("CLK_UNORM_INT8", Images, "0x10D2"),
    obj!("CLK_UNORM_INT16", Images, "0x10D3"),
    obj!("CLK_UNORM_SHORT_565", Images, "0x10D4"),
    obj!("CLK_UNORM_SHORT_555", Images, "0x10D5"),
    obj!("CLK_UNORM_INT_101010", Images, "0x10D6"),
    obj!("CLK_SIGNED_INT8", Images, "0x10D7"),
    obj!("CLK_SIGNED_INT16", Images, "0x10D8"),
    obj!("CLK_SIGNED_INT32", Images, "0x10D9"),
    obj!("CLK_UNSIGNED_INT8", Images, "0x10DA"),
    obj!("CLK_UNSIGNED_INT16", Images, "0x10DB"),
    obj!("CLK_UNSIGNED_INT32", Images, "0x10DC"),
    obj!("CLK_HALF_FLOAT", Images, "0x10DD"),
    obj!("CLK_FLOAT", Images, "0x10DE"),
    obj!("CLK_UNORM_INT24", Images, "0x10DF"),
    obj!("CLK_UNORM_INT_101010_2", Images, "0x10E0"),
    obj!("CLK_UNORM_INT10X6_EXT", Images, "0x10E1"),
    obj!("CLK_UNORM_INT12X4_EXT", Images, "0x10E9"),
    obj!("CLK_UNORM_INT14X2_EXT", Images, "0x10EA"),
    // The description of the extension has these names, its table those above.
    obj!("CLK_UNORM_10X6_EXT", Images, "0x10E1"),
    obj!("CLK_UNORM_12X4_EXT", Images, "0x10E9"),
    obj!("CLK_UNORM_14X2_EXT", Images, "0x10EA"),
    obj!("CLK_UNSIGNED_INT_RAW10_EXT", Images, "0x10E3"),
    obj!("CLK_UNSIGNED_INT_RAW12_EXT", Images, "0x10E4"),
    obj!("CLK_UNORM_INT_2_101010_EXT", Images, "0x10E5"),
    obj!("CLK_UNSIGNED_INT10X6_EXT", Images, "0x10E6"),
    obj!("CLK_UNSIGNED_INT12X4_EXT", Images, "0x10E7"),
    obj!("CLK_UNSIGNED_INT14X2_EXT", Images, "0x10E8"),
    obj!("CLK_R", Images, "0x10B0"),
    obj!("CLK_A", Images, "0x10B1"),
    obj!("CLK_RG", Images, "0x10B2"),
    obj!("CLK_RA", Images, "0x10B3"),
    obj!("CLK_RGB", Images, "0x10B4"),
    obj!("CLK_RGBA", Images, "0x10B5"),
    obj!("CLK_BGRA", Images, "0x10B6"),
    obj!("CLK_ARGB", Images, "0x10B7"),
    obj!("CLK_INTENSITY", Images, "0x10B8"),
    obj!("CLK_LUMINANCE", Images, "0x10B9"),
    obj!("CLK_Rx", Images, "0x10BA"),
    obj!("CLK_RGx", Images, "0x10BB"),
    obj!("CLK_RGBx", Images, "0x10BC"),
    obj!("CLK_DEPTH", Images, "0x10BD"),
    obj!("CLK_DEPTH_STENCIL", Images, "0x10BE"),
    obj!("CLK_sRGB", Images, "0x10BF"),
    obj!("CLK_sRGBx", Images, "0x10C0"),
    obj!("CLK_sRGBA", Images, "0x10C1"),
    obj!("CLK_sBGRA", Images, "0x10C2"),
    obj!("CLK_ABGR", Images, "0x10C3"),
    // Integer Macros.
    obj!("CHAR_BIT", Always, "8"),
    obj!("CHAR_MAX", Always, "127"),
    obj!("CHAR_MIN", Always, "(-127 - 1)"),
    obj!("INT_MAX", Always, "2147483647"),
    obj!("INT_MIN", Always, "(-2147483647 - 1)"),
    obj!("LONG_MAX", Always, "0x7fffffffffffffffL"),
    obj!("LONG_MIN", Always, "(-0x7fffffffffffffffL - 1)"),
    obj!("SCHAR_MAX", Always, "127"),
    obj!("SCHAR_MIN", Always, "(-127 - 1)"),
    obj!("SHRT_MAX", Always, "32767"),
    obj!("SHRT_MIN", Always, "(-32767 - 1)"),
    obj!("UCHAR_MAX", Always, "255"),
    obj!("USHRT_MAX", Always, "65535"),
    obj!("UINT_MAX", Always, "0xffffffff"),
    obj!("ULONG_MAX", Always, "0xffffffffffffffffUL"),
    // Floating-Point Macros and Pragmas, Math Functions.
    obj!("FP_FAST_FMAF", FastFma, "1"),
    obj!("FP_FAST_FMA", FastFma, "1"),
    obj!("FP_ILOGB0", Always, "(-2147483647 - 1)"),
    obj!("FP_ILOGBNAN", Always, "2147483647"),
    obj!("MAXFLOAT", Always, "0x1.fffffep127f"),
    obj!("HUGE_VALF", Always, "__clift_inff"),
    obj!("INFINITY", Always, "__clift_inff"),
    obj!("NAN", Always, "__clift_nanf"),
    obj!("HUGE_VAL", Double, "__clift_inf"),
    obj!("FLT_DIG", Always, "6"),
    obj!("FLT_MANT_DIG", Always, "24"),
    obj!("FLT_MAX_10_EXP", Always, "+38"),
    obj!("FLT_MAX_EXP", Always, "+128"),
    obj!("FLT_MIN_10_EXP", Always, "-37"),
    obj!("FLT_MIN_EXP", Always, "-125"),
    obj!("FLT_RADIX", Always, "2"),
    obj!("FLT_MAX", Always, "0x1.fffffep127f"),
    obj!("FLT_MIN", Always, "0x1.0p-126f"),
    obj!("FLT_EPSILON", Always, "0x1.0p-23f"),
    obj!("DBL_DIG", Double, "15"),
    obj!("DBL_MANT_DIG", Double, "53"),
    obj!("DBL_MAX_10_EXP", Double, "+308"),
    obj!("DBL_MAX_EXP", Double, "+1024"),
    obj!("DBL_MIN_10_EXP", Double, "-307"),
    obj!("DBL_MIN_EXP", Double, "-1021"),
    obj!("DBL_RADIX", Double, "2"),
    obj!("DBL_MAX", Double, "0x1.fffffffffffffp1023"),
    obj!("DBL_MIN", Double, "0x1.0p-1022"),
    obj!("DBL_EPSILON", Double, "0x1.0p-52"),
    obj!("HALF_DIG", Half, "3"),
    obj!("HALF_MANT_DIG", Half, "11"),
    obj!("HALF_MAX_10_EXP", Half, "+4"),
    obj!("HALF_MAX_EXP", Half, "+16"),
    obj!("HALF_MIN_10_EXP", Half, "-4"),
    obj!("HALF_MIN_EXP", Half, "-13"),
    obj!("HALF_RADIX", Half, "2"),
    obj!("HALF_MAX", Half, "0x1.ffcp15h"),
    obj!("HALF_MIN", Half, "0x1.0p-14h"),
    obj!("HALF_EPSILON", Half, "0x1.0p-10h"),
    // Each correctly rounded.
    obj!("M_E_F", Always, "0x1.5bf0a8p+1f"),
    obj!("M_LOG2E_F", Always, "0x1.715476p+0f"),
    obj!("M_LOG10E_F", Always, "0x1.bcb7b2p-2f"),
    obj!("M_LN2_F", Always, "0x1.62e43p-1f"),
    obj!("M_LN10_F", Always, "0x1.26bb1cp+1f"),
    obj!("M_PI_F", Always, "0x1.921fb6p+1f"),
    obj!("M_PI_2_F", Always, "0x1.921fb6p+0f"),
    obj!("M_PI_4_F", Always, "0x1.921fb6p-1f"),
    obj!("M_1_PI_F", Always, "0x1.45f306p-2f"),
    obj!("M_2_PI_F", Always, "0x1.45f306p-1f"),
    obj!("M_2_SQRTPI_F", Always, "0x1.20dd76p+0f"),
    obj!("M_SQRT2_F", Always, "0x1.6a09e6p+0f"),
    obj!("M_SQRT1_2_F", Always, "0x1.6a09e6p-1f"),
    obj!("M_E", Double, "0x1.5bf0a8b145769p+1"),
    obj!("M_LOG2E", Double, "0x1.71547652b82fep+0"),
    obj!("M_LOG10E", Double, "0x1.bcb7b1526e50ep-2"),
    obj!("M_LN2", Double, "0x1.62e42fefa39efp-1"),
    obj!("M_LN10", Double, "0x1.26bb1bbb55516p+1"),
    obj!("M_PI", Double, "0x1.921fb54442d18p+1"),
    obj!("M_PI_2", Double, "0x1.921fb54442d18p+0"),
    obj!("M_PI_4", Double, "0x1.921fb54442d18p-1"),
    obj!("M_1_PI", Double, "0x1.45f306dc9c883p-2"),
    obj!("M_2_PI", Double, "0x1.45f306dc9c883p-1"),
    obj!("M_2_SQRTPI", Double, "0x1.20dd750429b6dp+0"),
    obj!("M_SQRT2", Double, "0x1.6a09e667f3bcdp+0"),
    obj!("M_SQRT1_2", Double, "0x1.6a09e667f3bcdp-1"),
    obj!("M_E_H", Half, "0x1.5cp+1h"),
    obj!("M_LOG2E_H", Half, "0x1.714p+0h"),
    obj!("M_LOG10E_H", Half, "0x1.bccp-2h"),
    obj!("M_LN2_H", Half, "0x1.63p-1h"),
    obj!("M_LN10_H", Half, "0x1.26cp+1h"),
    obj!("M_PI_H", Half, "0x1.92p+1h"),
    obj!("M_PI_2_H", Half, "0x1.92p+0h"),
    obj!("M_PI_4_H", Half, "0x1.92p-1h"),
    obj!("M_1_PI_H", Half, "0x1.46p-2h"),
    obj!("M_2_PI_H", Half, "0x1.46p-1h"),
    obj!("M_2_SQRTPI_H", Half, "0x1.20cp+0h"),
    obj!("M_SQRT2_H", Half, "0x1.6ap+0h"),
    obj!("M_SQRT1_2_H", Half, "0x1.6ap-1h"),
];

/// The names of all rows, in order, whether they are defined or not.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name).chain(FEATURES.iter().map(|row| row.name))
}

impl Session {
    /// A session for `clBuildProgram` options `options`. Mistakes in them are errors in `diags`: then the build must
    /// end with `BuildError::Options`.
    pub fn new(options: &str) -> Self {
        let mut session = Self { interner: interner(), ..Self::default() };
        session.options = Options::parse(options, &mut session.sources, &mut session.diags);
        session.diags.set_policy(session.options.warnings);
        session
    }
}

/// The words of `kw`, followed by `names`.
fn interner() -> Interner {
    static NAMES: LazyLock<Interner> = LazyLock::new(|| {
        let mut interner = Interner::new();
        for name in names() {
            interner.intern(name);
        }
        interner
    });
    NAMES.clone()
}

/// How many rows there are.
pub(super) fn count() -> usize {
    TABLE.len() + FEATURES.len()
}

/// Whether row `row` is defined under these options.
pub(super) fn is_defined(row: usize, options: &Options) -> bool {
    match TABLE.get(row) {
        Some(row) => match row.when {
            When::Always => true,
            When::Since(std) => options.std >= std,
            When::Flag(flag) => options.flags.contains(flag),
            When::Double => has("cl_khr_fp64"),
            When::Half => has("cl_khr_fp16"),
            When::Images => has("__opencl_c_images"),
            When::SubGroups => has("__opencl_c_subgroups"),
            When::Enqueue => options.std >= Std::Cl2_0 && has("__opencl_c_device_enqueue"),
            When::FastFma => has_fast_fma(),
            When::Checked => !options.check.is_empty(),
        },
        None => match FEATURES[row - TABLE.len()].kind {
            FeatureKind::Language => true,
            FeatureKind::Language2 => options.std >= Std::Cl2_0,
            FeatureKind::Feature => options.std >= Std::Cl3_0,
            FeatureKind::Device | FeatureKind::Platform => false,
        },
    }
}

/// What row `row` stands for.
pub(super) fn body(row: usize) -> Body {
    match TABLE.get(row) {
        Some(Row { body: Body::Dynamic(dynamic), .. }) => Body::Dynamic(*dynamic),
        Some(Row { body: Body::Text(text), .. }) => Body::Text(text),
        None => Body::Text(FEATURES[row - TABLE.len()].name),
    }
}

/// The text behind `#define` for a row with text `text`.
pub(super) fn line(row: usize, text: &'static str, options: &Options) -> Text {
    match TABLE.get(row) {
        Some(row) if row.name == VERSION => {
            let (major, minor) = features::VERSION;
            format!("{VERSION} {}", 100 * major + 10 * minor).into()
        }
        Some(row) if row.name == C_VERSION => format!("{C_VERSION} {}", options.std.number()).into(),
        Some(_) => text.into(),
        None => format!("{text} 1").into(),
    }
}

fn has(name: &str) -> bool {
    feature(name).is_some()
}
