//! What operations cost on a target: cycles of throughput in a mix of operations, and latencies. These are estimates
//! that choose between ways to write a loop, not a model of a pipeline.

use super::Target;
use crate::ir::{Op, Scalar, Type};

/// The cost table of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Operations begun in a cycle.
    pub issue_width: f64,
    /// Operations that the processor looks ahead: while a work-item waits for itself, those of the next that are among
    /// them run.
    pub window: f64,
    /// Operations on scalars.
    pub scalar: ScalarOps,
    /// The same for lanes.
    pub lanes: LaneOps,
    /// Cycles from operands to result.
    pub latency: Latency,
    /// Accesses and what they bring along.
    pub memory: Memory,
}

/// Cycles of throughput of operations on scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalarOps {
    /// Whatever has no row of its own.
    pub simple: f64,
    /// Conversions of integers.
    pub convert: f64,
    /// Minima, maxima and roundings of floats.
    pub round: f64,
    /// Division and square root of floats.
    pub float_divide: f64,
    /// Division of integers.
    pub divide: f64,
    /// Dot products of bytes, in a vector register.
    pub byte_dot: f64,
    /// Remainder of floats, by a call.
    pub float_remainder: f64,
    /// Arithmetic on halves.
    pub half: f64,
}

/// Cycles of throughput for lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// For each register of them.
    PerRegister(f64),
    /// For each lane: taken out, computed as scalars and put together.
    PerLane(f64),
}

/// What operations on lanes cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneOps {
    /// Whatever has no row of its own.
    pub simple: Rate,
    /// Comparisons and selections.
    pub compare: Rate,
    /// Minima and maxima of floats, and conversions that are not one instruction everywhere.
    pub extremum: Rate,
    /// Shifts and rotations by an amount of each lane's own.
    pub shift: Rate,
    /// Products of bytes, by way of words.
    pub byte_multiply: Rate,
    /// Dot products of bytes.
    pub byte_dot: Rate,
    /// Products of 64 bits and upper halves of products.
    pub long_multiply: Rate,
    /// Division of integers of up to 32 bits.
    pub divide: Rate,
    /// The same of all lanes by one number.
    pub divide_by_one: Rate,
    /// Division of 64-bit integers.
    pub long_divide: Rate,
    /// Division and square root of `float`.
    pub float_divide: Rate,
    /// Division and square root of `double`.
    pub double_divide: Rate,
    /// Remainder of floats, by calls.
    pub float_remainder: Rate,
    /// Counts of bits and zeros, and bits in reverse order.
    pub count_bits: Rate,
    /// A component at an index that only the program knows.
    pub extract: Rate,
    /// Arithmetic on halves, converted to `float` and back at most.
    pub half: Rate,
    /// The end of a block from which lanes go different ways.
    pub branch: f64,
    /// A shuffle of two registers.
    pub shuffle: f64,
    /// A shuffle that picks members of an interleaved group out of two registers: of elements of up to 16 bits, and of
    /// larger ones.
    pub deinterleave: [f64; 2],
}

/// Cycles from the operands of an operation to its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Integers.
    pub simple: f64,
    /// Sums and products of floats, and whatever else gives one.
    pub float: f64,
    /// Sums and products of halves, done in `float`.
    pub half: f64,
    /// Conversions between float formats.
    pub float_convert: f64,
    /// Division and square root of floats.
    pub float_divide: f64,
    /// Products of integers of up to 16 bits.
    pub short_multiply: f64,
    /// Products of larger ones.
    pub multiply: f64,
}

/// What accesses cost beyond one cycle for a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// A value that has no register: to read it, mostly as an operand.
    pub reload: f64,
    /// To put it there.
    pub spill: f64,
    /// A lane of a gather.
    pub gather: f64,
    /// A lane of a scatter.
    pub scatter: f64,
    /// A lane of a gather of all lanes.
    pub gather_of_all: f64,
    /// One of two neighbours there.
    pub paired_gather: f64,
    /// Bytes of a gather that takes no longer than one of half as many lanes.
    pub quick_gather_bytes: u32,
    /// How many times as long a lane of a gather or scatter takes where each work-item goes on along memory of its own
    /// from turn to turn: scalar code finds the next element in the line that it has, and the line after that is on its
    /// way; lanes need as many lines at once.
    pub walk: f64,
    /// The same where these are at distances of `way_bytes`.
    pub walk_on_pages: f64,
    /// A byte of a lane's, where lanes read rows of their own that are loaded in pieces and transposed.
    pub row_byte: f64,
    /// A register of what is taken out of elements of which three are gathered as one.
    pub taken_out: f64,
    /// Lines at this distance have one place in the first cache.
    pub way_bytes: i64,
    /// A lane of a scatter of more than 8 to lines that may all have one place there, which has room for no more than 8
    /// or 12.
    pub steep_scatter: f64,
    /// A masked access of an interleaved group, with the mask.
    pub masked_group: f64,
    /// What a masked store of work-items that do not fill a vector costs more: nothing is loaded near it, or at that
    /// place of another page, before it is done.
    pub masked_store: f64,
    /// What a vector of such work-items costs more if it accesses local memory, as loads wait for stores of other
    /// widths and for masked ones (no store forwarding): of few vectors, and of many, which are done in the meantime.
    pub no_forwarding: [f64; 2],
}

impl Target {
    /// Cycles of throughput of an operation on a scalar of type `ty`.
    pub fn scalar_op(&self, op: Op, ty: Type) -> f64 {
        let costs = &self.costs.scalar;
        match op {
            Op::Fdiv | Op::Sqrt => costs.float_divide,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => costs.divide,
            Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us => costs.byte_dot,
            Op::Frem => costs.float_remainder,
            Op::Const | Op::Undef => 0.0,
            Op::Trunci | Op::Sext | Op::Zext | Op::Bitcast => costs.convert,
            Op::Fmin | Op::Fmax | Op::Rint | Op::Floor | Op::Ceil | Op::Trunc => costs.round,
            _ if ty.elem == Scalar::F16 && ty.is_float() => costs.half,
            _ => costs.simple,
        }
    }

    /// Cycles of throughput of an operation on a register of lanes of type `ty`; shifts and divisions may be by one
    /// number for all.
    pub fn lane_op(&self, op: Op, ty: Type, by_one: bool) -> f64 {
        let costs = &self.costs.lanes;
        let long = ty.elem == Scalar::I64;
        let rate = match op {
            Op::Fdiv | Op::Sqrt if ty.elem == Scalar::F64 => costs.double_divide,
            Op::Fdiv | Op::Sqrt => costs.float_divide,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU if long => costs.long_divide,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU if by_one && ty.elem == Scalar::I32 => costs.divide_by_one,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => costs.divide,
            Op::Frem => costs.float_remainder,
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl if !by_one => costs.shift,
            Op::MulHiS | Op::MulHiU => costs.long_multiply,
            Op::Mul if long => costs.long_multiply,
            Op::Mul if ty.elem == Scalar::I8 => costs.byte_multiply,
            Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us => costs.byte_dot,
            Op::Clz | Op::Ctz | Op::Popcnt | Op::Bitrev => costs.count_bits,
            Op::Fmin | Op::Fmax | Op::Fptosi | Op::Fptoui | Op::Uitofp => costs.extremum,
            Op::Icmp | Op::Fcmp | Op::Select => costs.compare,
            Op::ExtractDyn => costs.extract,
            _ if ty.elem == Scalar::F16 && ty.is_float() => costs.half,
            _ => costs.simple,
        };
        match rate {
            Rate::PerRegister(cycles) => cycles,
            Rate::PerLane(cycles) => cycles * f64::from(u32::from(self.register_bytes) / ty.elem.bytes().max(1)),
        }
    }

    /// Cycles from the operands of an operation to its result of type `ty`.
    pub fn latency(&self, op: Op, ty: Type) -> f64 {
        let costs = &self.costs.latency;
        match op {
            Op::Build | Op::Extract | Op::Insert | Op::Shuffle | Op::Splat => 0.0,
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma if ty.elem == Scalar::F16 => costs.half,
            Op::Mul if ty.elem.bits() >= 32 => costs.multiply,
            Op::Mul | Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us => costs.short_multiply,
            Op::Fdiv | Op::Sqrt => costs.float_divide,
            Op::Fpext | Op::Fptrunc => costs.float_convert,
            _ if ty.is_float() => costs.float,
            _ => costs.simple,
        }
    }
}
