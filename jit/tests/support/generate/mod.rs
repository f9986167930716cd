//! Random OpenCL C programs with one kernel, `k(global ulong *out, global const int *in, local uint *tile)`. Each
//! work-item uses its place in `out` as a variable and leaves a hash of all there. Whatever a program does is defined,
//! so that every implementation must leave the same: no overflow of signed scalars, no bits of a NaN, no order of side
//! effects, barriers in uniform control flow. `expr` has expressions, `stmt` statements and the frame, `loops` loops,
//! `together` what work-items do together and what not every OpenCL has. Must not know anything of the compiler.
#![allow(dead_code, reason = "each test uses a part")]

mod expr;
mod loops;
#[path = "../rng.rs"]
pub mod rng;
mod stmt;
mod together;

use rng::Rng;

/// Work-items of a launch.
pub const ITEMS: u64 = 10;
/// Work-items of a group; the last group has fewer. In two dimensions, a row of a group, which has as many.
pub const GROUP: u64 = 4;
/// Ints of `in`.
pub const INPUTS: usize = 64;
/// Bytes of `tile`.
pub const TILE_BYTES: usize = 64;
/// Indices within each other: each may have two more, so that there would be no end to some.
const NESTED_INDICES: usize = 4;

/// What a program may need that not every OpenCL has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// `cl_khr_fp16`.
    Halves,
    /// Collective functions of work-groups.
    Collectives,
    /// Sub-groups, of any size.
    SubGroups,
    /// A fourth argument, `read_only image2d_t img`: 8 by 8 texels of four `uchar`, the bytes of `in`.
    Images,
    /// Rounding modes of compound statements.
    Rounding,
}

/// The program with this number, of what the compiler's own tests give arguments for.
pub fn program(seed: u64) -> String {
    with_needs(seed, has_halves(seed).then_some(Need::Halves).into_iter().collect())
}

/// The program with this number, with all that it `needs`.
pub fn wide_program(seed: u64) -> String {
    with_needs(seed, needs(seed))
}

/// What `wide_program` needs.
pub fn needs(seed: u64) -> Vec<Need> {
    let mut rng = Rng(seed ^ 0x6e65_6564);
    let others = [Need::Collectives, Need::SubGroups, Need::Images, Need::Rounding];
    let mut all: Vec<Need> = has_halves(seed).then_some(Need::Halves).into_iter().collect();
    all.extend(others.into_iter().filter(|_| rng.one_in(6)));
    all
}

fn with_needs(seed: u64, needs: Vec<Need>) -> String {
    let mut generator = Generator {
        rng: Rng(seed),
        scope: Vec::new(),
        functions: Vec::new(),
        text: String::new(),
        indent: 0,
        n_names: 0,
        budget: 0,
        in_kernel: false,
        loops: 0,
        indices: 0,
        halves: has_halves(seed),
        small: is_small(seed),
        needs,
    };
    generator.whole();
    generator.text
}

/// Whether the program with this number has few statements. The others take most of the time.
pub fn is_small(seed: u64) -> bool {
    !seed.is_multiple_of(3)
}

/// Whether the program with this number needs `cl_khr_fp16`.
pub fn has_halves(seed: u64) -> bool {
    seed.is_multiple_of(4)
}

/// The values of `in` for the program with this number.
pub fn inputs(seed: u64) -> Vec<i32> {
    let mut rng = Rng(!seed);
    (0..INPUTS).map(|_| rng.next() as i32 >> rng.below(32)).collect()
}

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elem {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

use Elem::{Char, Double, Float, Half, Int, Long, Short, UChar, UInt, ULong, UShort};

const INTS: [Elem; 8] = [Char, UChar, Short, UShort, Int, UInt, Long, ULong];
const ELEMS: [Elem; 12] = [Char, UChar, Short, UShort, Int, Int, UInt, UInt, Long, ULong, Float, Double];

impl Elem {
    fn name(self) -> &'static str {
        match self {
            Char => "char",
            UChar => "uchar",
            Short => "short",
            UShort => "ushort",
            Int => "int",
            UInt => "uint",
            Long => "long",
            ULong => "ulong",
            Half => "half",
            Float => "float",
            Double => "double",
        }
    }

    fn bytes(self) -> usize {
        match self {
            Char | UChar => 1,
            Short | UShort | Half => 2,
            Int | UInt | Float => 4,
            Long | ULong | Double => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Half | Float | Double)
    }

    fn is_signed(self) -> bool {
        matches!(self, Char | Short | Int | Long)
    }

    /// The integer of this size.
    fn int(self, signed: bool) -> Elem {
        INTS[2 * self.bytes().trailing_zeros() as usize + usize::from(!signed)]
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ty {
    elem: Elem,
    lanes: usize,
}

impl Ty {
    fn scalar(elem: Elem) -> Self {
        Self { elem, lanes: 1 }
    }

    fn with(self, elem: Elem) -> Self {
        Self { elem, ..self }
    }

    fn name(self) -> String {
        if self.lanes == 1 { self.elem.name().into() } else { format!("{}{}", self.elem.name(), self.lanes) }
    }
}

/// Something in scope that can be read.
#[derive(Clone, Debug)]
enum Place {
    /// An lvalue.
    Variable { text: String, ty: Ty, writable: bool, addressable: bool },
    /// An array of `len`, a power of two, elements: `text[…]`.
    Array { text: String, ty: Ty, len: usize, writable: bool },
}

/// A helper function: a pure one, or one that also writes through its last argument.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    result: Ty,
    params: Vec<Ty>,
    /// What its last argument points to.
    pointee: Option<Ty>,
}

struct Generator {
    rng: Rng,
    scope: Vec<Place>,
    functions: Vec<Function>,
    text: String,
    indent: usize,
    n_names: usize,
    /// Statements that may still come.
    budget: usize,
    in_kernel: bool,
    /// Loops around this place.
    loops: usize,
    /// Indices of arrays around this place.
    indices: usize,
    /// Whether there are halves.
    halves: bool,
    /// Whether few statements are enough.
    small: bool,
    /// What there may be.
    needs: Vec<Need>,
}

impl Generator {
    fn ty(&mut self) -> Ty {
        let lanes = self.rng.of(&[1, 1, 1, 1, 1, 2, 3, 4, 4, 8, 16]);
        let elem = if self.halves && self.rng.one_in(5) { Half } else { self.rng.of(&ELEMS) };
        Ty { elem, lanes }
    }

    /// Some floating type.
    fn float_elem(&mut self) -> Elem {
        if self.halves && self.rng.one_in(2) { Half } else { self.rng.of(&[Float, Double]) }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }
}
