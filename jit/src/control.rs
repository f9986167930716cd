//! The processor's floating-point control register while generated code runs: rounding to nearest, exceptions masked,
//! and denormal results kept, or zeros where a program's options permit that. What the calling thread had there comes
//! back: a host that was compiled with `-ffast-math`, or that rounds up, changes no result, and keeps its modes.
//! Must not know what the code computes.
#![allow(unsafe_code, reason = "the border to generated code, and the register has no other way")]

/// Whether denormal results can be zeros while denormal operands count, so that each operation is by itself either
/// exact or flushed. (AArch64 flushes operands, too.)
pub const CAN_FLUSH: bool = cfg!(target_arch = "x86_64");

/// See `launch::EntryPoint`.
type EntryPoint<E> = unsafe extern "C" fn(args: *const u8, env: *const E, g0: u64, g1: u64);

/// The register.
#[cfg(target_arch = "x86_64")]
mod register {
    /// All exceptions masked, rounding to nearest, denormals kept: MXCSR, "MXCSR Control and Status Register".
    pub const USUAL: u64 = 0x1f80;
    /// Which exceptions there were.
    pub const EXCEPTIONS: u64 = 0x3f;
    /// "Flush-To-Zero".
    pub const FLUSH: u64 = 1 << 15;

    pub fn read() -> u64 {
        let mut found = 0_u32;
        // SAFETY: the register is written to four bytes.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack, preserves_flags)) };
        found.into()
    }

    pub fn write(value: u64) {
        let value = value as u32;
        // SAFETY: exceptions are masked in all that is written here, or a thread has again what it had.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags)) };
    }
}

/// The register.
#[cfg(target_arch = "aarch64")]
mod register {
    /// Rounding to nearest, denormals kept: FPCR, "Floating-point Control Register".
    pub const USUAL: u64 = 0;
    /// They have a register of their own.
    pub const EXCEPTIONS: u64 = 0;
    /// See `CAN_FLUSH`.
    pub const FLUSH: u64 = 0;

    pub fn read() -> u64 {
        let found: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) found, options(nomem, nostack, preserves_flags)) };
        found
    }

    pub fn write(value: u64) {
        // SAFETY: no exception traps in what is written here, or a thread has again what it had.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags)) };
    }
}

/// While it lives, the register of the calling thread is as Rust code expects it, constant folding among that, and new
/// threads begin with it. Then the thread has again what it had.
#[must_use]
pub struct Usual {
    before: u64,
}

impl Usual {
    /// Changes the register if need be.
    pub fn enter() -> Self {
        let before = register::read();
        if before & !register::EXCEPTIONS != register::USUAL {
            register::write(register::USUAL);
        }
        Self { before }
    }
}

impl Drop for Usual {
    fn drop(&mut self) {
        if register::read() & !register::EXCEPTIONS != self.before & !register::EXCEPTIONS {
            register::write(self.before);
        }
    }
}

/// Whether denormal results are zeros now, for functions that do by integers what others do by instructions.
pub fn is_flushing() -> bool {
    register::read() & register::FLUSH != 0
}

/// Calls generated code. `flushes`: see `Func::flushes_denormals`.
///
/// # Safety
/// As of the entry point.
pub unsafe fn call<E>(entry: EntryPoint<E>, args: *const u8, env: &E, [g0, g1]: [u64; 2], flushes: bool) {
    let wanted = register::USUAL | if flushes { register::FLUSH } else { 0 };
    let env = std::ptr::from_ref(env);
    #[cfg(target_arch = "x86_64")]
    let mut found = 0_u32;
    // SAFETY: the register is as it was when the block is left; the stack is aligned for a call, and what a callee may
    // clobber is given up. The call is the caller's promise.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "stmxcsr [r12]",
            "ldmxcsr [r13]",
            "call rax",
            "ldmxcsr [r12]",
            in("r12") &raw mut found,
            in("r13") &raw const wanted,
            in("rax") entry,
            in("rdi") args,
            in("rsi") env,
            in("rdx") g0,
            in("rcx") g1,
            clobber_abi("C"),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "mrs x20, fpcr",
            "msr fpcr, {wanted}",
            "blr x8",
            "msr fpcr, x20",
            wanted = in(reg) wanted,
            in("x8") entry,
            in("x0") args,
            in("x1") env,
            in("x2") g0,
            in("x3") g1,
            out("x20") _,
            clobber_abi("C"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::op::Rounding;
    use crate::ir::softfloat::{self, F32, F64};
    use std::hint::black_box;

    /// Three operands, then what the operations make of them as `float` and `double`.
    #[derive(Clone, Copy, Debug, Default)]
    #[repr(C)]
    struct Numbers {
        operands: [f64; 3],
        singles: [f32; 5],
        doubles: [f64; 4],
        narrowed: f32,
    }

    unsafe extern "C" fn compute(args: *const u8, _env: *const (), _g0: u64, _g1: u64) {
        // SAFETY: the tests pass such.
        let numbers = unsafe { &mut *args.cast_mut().cast::<Numbers>() };
        let [x, y, z] = numbers.operands.map(black_box);
        // By their bits: a conversion would be one of the operations.
        let [a, b, c] = [x, y, z].map(|v| black_box(f32::from_bits(v.to_bits() as u32)));
        numbers.singles = [a + b, a - b, a * b, a / b, a.mul_add(b, c)];
        numbers.doubles = [x + y, x - y, x * y, x / y];
        numbers.narrowed = x as f32;
    }

    fn computed(operands: [f64; 3], flushes: bool) -> Numbers {
        let mut numbers = Numbers { operands, ..Numbers::default() };
        // SAFETY: there is room for the results.
        unsafe { call(compute, (&raw mut numbers).cast(), &(), [0, 1], flushes) };
        numbers
    }

    #[test]
    fn flushed_results_are_those_of_the_soft_format() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let mut n_flushed = 0;
        for round in 0..100_000 {
            // Numbers whose sums, products and quotients are often denormal; and as floats their lower halves.
            let exponent = [1, 1, 2, 510, 1020, 64][round % 6];
            let mut operand = |near: u64| {
                let (high, low) = (next(), next());
                let double = (near + high % 4) << 52 | high & (1 << 63) | high >> 12 & !0xffff_ffff;
                let of_float = [0, 1, 2, 62, 124, 100][round % 6] + low % 5;
                let float = (of_float << 23 | low >> 40 & 0x7f_ffff | low & (1 << 31)) & 0xffff_ffff;
                f64::from_bits(double & !0xffff_ffff | float)
            };
            let operands = [operand(exponent), operand([1, 1020, 3, 511][round % 4]), operand(1)];
            for flushes in [false, CAN_FLUSH] {
                let found = computed(operands, flushes);
                let [x, y, z] = operands.map(f64::to_bits);
                let [a, b, c] = [x, y, z].map(|v| v & 0xffff_ffff);
                let (f, d, rm) = (F32.flushing(flushes), F64.flushing(flushes), Rounding::Rte);
                let all = [softfloat::add, softfloat::sub, softfloat::mul, softfloat::div];
                let singles = all.map(|op| op(f, a, b, rm));
                let last = [softfloat::fma(f, a, b, c, rm), softfloat::convert(F64, f, x, rm)];
                let wanted: Vec<u64> = singles.into_iter().chain(last).collect();
                let bits: Vec<u64> =
                    found.singles.iter().chain([&found.narrowed]).map(|v| u64::from(v.to_bits())).collect();
                let is_number = |v: &&u64| **v & 0x7fff_ffff <= 0x7f80_0000;
                assert_eq!(
                    bits.iter().filter(is_number).collect::<Vec<_>>(),
                    wanted.iter().filter(is_number).collect::<Vec<_>>(),
                    "{a:x} {b:x} {c:x}"
                );
                for (got, op) in found.doubles.iter().zip(all) {
                    let want = op(d, x, y, rm);
                    assert!(got.is_nan() || got.to_bits() == want, "{x:x} {y:x}: {got:e}, not {want:x}");
                    n_flushed += u32::from(flushes && want << 1 == 0);
                }
            }
        }
        assert!(!CAN_FLUSH || n_flushed > 10_000, "{n_flushed} results were flushed");
    }

    #[test]
    fn the_threads_own_state_comes_back() {
        assert!(!is_flushing());
        computed([1.0, 2.0, 3.0], CAN_FLUSH);
        assert!(!is_flushing());
        assert_eq!(black_box(f32::MIN_POSITIVE) / black_box(2.0), f32::MIN_POSITIVE / 2.0);
    }
}
