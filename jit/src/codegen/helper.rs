//! Rust functions that generated code calls for what takes too many instructions to inline. All are pure or touch only
//! the memory they are given; none panics.
#![allow(unsafe_code, reason = "memcpy and memset are given addresses by generated code; vectors are bytes")]

use crate::control;
use crate::ir::op::Rounding;
use crate::ir::softfloat::{self, F32, F64, Format};
use cranelift_codegen::ir::{AbiParam, LibCall, Signature, types};
use cranelift_codegen::isa::CallConv;
use serde::{Deserialize, Serialize};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m128i;

/// A function that generated code may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u32)]
pub enum Helper {
    /// `fmod` of f32.
    Fmod32,
    /// `fmod` of f64.
    Fmod64,
    /// Copies bytes: destination, source, count. The regions are disjoint or equal.
    Memcpy,
    /// Fills bytes: destination, byte, count.
    Memset,
    /// `printf`: format, types, packed arguments, where the program's data begins and ends.
    Printf,
    /// A function of `device`: the operands of `Op::Device`, and what is asked for.
    Device,
    /// The clock, in ns.
    Clock,
    /// A word about a pointer argument: its number, and which word.
    CheckArg,
    /// A word about the object at an address: the address, and which word.
    CheckObject,
    /// A mistake that a check has found: the words of `check::Finding`.
    CheckReport,
    /// An access to memory: the operands of `Op::Track`.
    Track,
    /// Work-items meet: the operands of `Op::Meet`.
    Meet,
    /// `ceil` of f32, on hosts that have no instruction for it.
    Ceil32,
    /// `ceil` of f64, on hosts that have no instruction for it.
    Ceil64,
    /// `floor` of f32, on hosts that have no instruction for it.
    Floor32,
    /// `floor` of f64, on hosts that have no instruction for it.
    Floor64,
    /// `trunc` of f32, on hosts that have no instruction for it.
    Trunc32,
    /// `trunc` of f64, on hosts that have no instruction for it.
    Trunc64,
    /// `rint` of f32, on hosts that have no instruction for it.
    Rint32,
    /// `rint` of f64, on hosts that have no instruction for it.
    Rint64,
    /// `fma` of f32, on hosts that have no instruction for it.
    Fma32,
    /// `fma` of f64, on hosts that have no instruction for it.
    Fma64,
    /// `pshufb`, on hosts that have no instruction for it: those without SSSE3.
    #[cfg(target_arch = "x86_64")]
    ShuffleBytes,
}

impl Helper {
    /// All, by number.
    pub const ALL: &[Helper] = &[
        Self::Fmod32,
        Self::Fmod64,
        Self::Memcpy,
        Self::Memset,
        Self::Printf,
        Self::Device,
        Self::Clock,
        Self::CheckArg,
        Self::CheckObject,
        Self::CheckReport,
        Self::Track,
        Self::Meet,
        Self::Ceil32,
        Self::Ceil64,
        Self::Floor32,
        Self::Floor64,
        Self::Trunc32,
        Self::Trunc64,
        Self::Rint32,
        Self::Rint64,
        Self::Fma32,
        Self::Fma64,
        #[cfg(target_arch = "x86_64")]
        Self::ShuffleBytes,
    ];

    /// Its address in this process.
    pub fn address(self) -> usize {
        match self {
            Self::Fmod32 => fmod32 as *const () as usize,
            Self::Fmod64 => fmod64 as *const () as usize,
            Self::Memcpy => copy_bytes as *const () as usize,
            Self::Memset => fill_bytes as *const () as usize,
            Self::Printf => crate::printf::output::call as *const () as usize,
            Self::Device => crate::device::call_words as *const () as usize,
            Self::Clock => crate::clock::now_ns as *const () as usize,
            Self::CheckArg => crate::check::arg_word as *const () as usize,
            Self::CheckObject => crate::check::object_word as *const () as usize,
            Self::CheckReport => crate::check::report_words as *const () as usize,
            Self::Track => crate::race::worker::track as *const () as usize,
            Self::Meet => crate::race::worker::meet as *const () as usize,
            Self::Ceil32 => ceil32 as *const () as usize,
            Self::Ceil64 => ceil64 as *const () as usize,
            Self::Floor32 => floor32 as *const () as usize,
            Self::Floor64 => floor64 as *const () as usize,
            Self::Trunc32 => trunc32 as *const () as usize,
            Self::Trunc64 => trunc64 as *const () as usize,
            Self::Rint32 => rint32 as *const () as usize,
            Self::Rint64 => rint64 as *const () as usize,
            Self::Fma32 => fma32 as *const () as usize,
            Self::Fma64 => fma64 as *const () as usize,
            #[cfg(target_arch = "x86_64")]
            Self::ShuffleBytes => shuffle_bytes as *const () as usize,
        }
    }

    /// The function behind a library call that Cranelift inserts on hosts without FMA, SSE4.1 or SSSE3.
    pub fn of_libcall(call: LibCall) -> Option<Self> {
        Some(match call {
            LibCall::CeilF32 => Self::Ceil32,
            LibCall::CeilF64 => Self::Ceil64,
            LibCall::FloorF32 => Self::Floor32,
            LibCall::FloorF64 => Self::Floor64,
            LibCall::TruncF32 => Self::Trunc32,
            LibCall::TruncF64 => Self::Trunc64,
            LibCall::NearestF32 => Self::Rint32,
            LibCall::NearestF64 => Self::Rint64,
            LibCall::FmaF32 => Self::Fma32,
            LibCall::FmaF64 => Self::Fma64,
            #[cfg(target_arch = "x86_64")]
            LibCall::X86Pshufb => Self::ShuffleBytes,
            _ => return None,
        })
    }

    /// Its signature.
    pub fn signature(self, call_conv: CallConv) -> Signature {
        let (params, ret): (&[types::Type], _) = match self {
            Self::Fmod32 => (&[types::F32; 2], Some(types::F32)),
            Self::Fmod64 => (&[types::F64; 2], Some(types::F64)),
            Self::Memcpy => (&[types::I64; 3], None),
            Self::Memset => (&[types::I64, types::I8, types::I64], None),
            Self::Printf => (&[types::I64; 5], Some(types::I32)),
            Self::Device => (&[types::I64; 5], Some(types::I64)),
            Self::Clock => (&[], Some(types::I64)),
            Self::CheckArg | Self::CheckObject => (&[types::I64; 2], Some(types::I64)),
            Self::CheckReport => (&[types::I64; crate::check::FINDING_WORDS], None),
            Self::Track => (&[types::I64; 6], None),
            Self::Meet => (&[types::I64; 4], None),
            Self::Ceil32 | Self::Floor32 | Self::Trunc32 | Self::Rint32 => (&[types::F32], Some(types::F32)),
            Self::Ceil64 | Self::Floor64 | Self::Trunc64 | Self::Rint64 => (&[types::F64], Some(types::F64)),
            Self::Fma32 => (&[types::F32; 3], Some(types::F32)),
            Self::Fma64 => (&[types::F64; 3], Some(types::F64)),
            #[cfg(target_arch = "x86_64")]
            Self::ShuffleBytes => (&[types::I8X16; 2], Some(types::I8X16)),
        };
        let mut signature = Signature::new(call_conv);
        signature.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
        signature.returns.extend(ret.map(AbiParam::new));
        signature
    }
}

extern "C" fn fmod32(a: f32, b: f32) -> f32 {
    a % b
}
extern "C" fn fmod64(a: f64, b: f64) -> f64 {
    a % b
}
extern "C" fn ceil32(a: f32) -> f32 {
    a.ceil()
}
extern "C" fn ceil64(a: f64) -> f64 {
    a.ceil()
}
extern "C" fn floor32(a: f32) -> f32 {
    a.floor()
}
extern "C" fn floor64(a: f64) -> f64 {
    a.floor()
}
extern "C" fn trunc32(a: f32) -> f32 {
    a.trunc()
}
extern "C" fn trunc64(a: f64) -> f64 {
    a.trunc()
}
extern "C" fn rint32(a: f32) -> f32 {
    a.round_ties_even()
}
extern "C" fn rint64(a: f64) -> f64 {
    a.round_ties_even()
}
extern "C" fn fma32(a: f32, b: f32, c: f32) -> f32 {
    let result = a.mul_add(b, c);
    let is_flushed = softfloat::is_tiny(F32, result.to_bits().into()) && control::is_flushing();
    if is_flushed { f32::from_bits(flushed(F32, [a, b, c].map(|v| v.to_bits().into())) as u32) } else { result }
}
extern "C" fn fma64(a: f64, b: f64, c: f64) -> f64 {
    let result = a.mul_add(b, c);
    let is_flushed = softfloat::is_tiny(F64, result.to_bits()) && control::is_flushing();
    if is_flushed { f64::from_bits(flushed(F64, [a, b, c].map(f64::to_bits))) } else { result }
}
/// a * b + c where that may be denormal, and such are zeros.
fn flushed(format: Format, [a, b, c]: [u64; 3]) -> u64 {
    softfloat::fma(format.flushing(true), a, b, c, Rounding::Rte)
}
/// Of each byte of `index` the byte that its low four bits name, or 0 if its highest bit is set.
#[cfg(target_arch = "x86_64")]
#[allow(improper_ctypes_definitions, reason = "the call is as for a vector of C's")]
extern "C" fn shuffle_bytes(bytes: __m128i, index: __m128i) -> __m128i {
    // SAFETY: all bits are numbers.
    let [bytes, index] = [bytes, index].map(|v| unsafe { std::mem::transmute::<__m128i, [u8; 16]>(v) });
    let picked = index.map(|n| if n < 128 { bytes[usize::from(n & 15)] } else { 0 });
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[u8; 16], __m128i>(picked) }
}
extern "C" fn copy_bytes(to: *mut u8, from: *const u8, count: u64) {
    // SAFETY: the kernel's author vouches for the regions; equal ones are fine for `copy`.
    unsafe { std::ptr::copy(from, to, count as usize) }
}
extern "C" fn fill_bytes(to: *mut u8, byte: u8, count: u64) {
    // SAFETY: the kernel's author vouches for the region.
    unsafe { std::ptr::write_bytes(to, byte, count as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three numbers, the product of two and the third in place of the last.
    unsafe extern "C" fn compute(args: *const u8, _env: *const (), _g0: u64, _g1: u64) {
        // SAFETY: the test passes such.
        let numbers = unsafe { &mut *args.cast_mut().cast::<([f64; 4], [f32; 4])>() };
        let ([x, y, z, double], [a, b, c, single]) = numbers;
        (*double, *single) = (fma64(*x, *y, *z), fma32(*a, *b, *c));
    }

    #[test]
    fn fused_products_are_flushed_as_processors_do() {
        for flushes in [false, control::CAN_FLUSH] {
            for n in 0..100_000_u64 {
                let bits = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                // About the least normal number; the third operand is now and then denormal.
                let doubles =
                    [(500 + bits % 3) << 52 | bits >> 12, 523 << 52 | bits >> 13, (bits % 4) << 52 | bits >> 14];
                let singles = [62 << 23 | bits >> 41, 65 << 23 | bits >> 42, (bits % 4) << 23 | bits >> 43];
                let mut numbers = ([0.0; 4], [0.0; 4]);
                for at in 0..3 {
                    numbers.0[at] = f64::from_bits(doubles[at]);
                    numbers.1[at] = f32::from_bits(singles[at] as u32) * if at == 2 && n % 2 == 0 { -1.0 } else { 1.0 };
                }
                let before = numbers;
                // SAFETY: there is room for the results.
                unsafe { control::call(compute, (&raw mut numbers).cast(), &(), [0, 1], flushes) };
                let ([x, y, z, double], [a, b, c, single]) = numbers;
                let wanted = |f: Format, args: [u64; 3]| {
                    softfloat::fma(f.flushing(flushes), args[0], args[1], args[2], Rounding::Rte)
                };
                assert_eq!(double.to_bits(), wanted(F64, [x, y, z].map(f64::to_bits)), "{before:?}");
                assert_eq!(
                    u64::from(single.to_bits()),
                    wanted(F32, [a, b, c].map(|v| v.to_bits().into())),
                    "{before:?}"
                );
            }
        }
    }
}
