//! Addresses as sums, and by how much values grow where what they are made of grows.
//!
//! ```text
//! ptr.off (ptr.add (ptr.add root, y * 64), x * 4), 8    → root + y * 64 + x * 4 + 8
//! ```
//! All of it is modulo 2 to the number of bits, so that it holds whether or not anything wraps.

use crate::ir::{Builder, Func, Imm, InstData, Op, SlotId, Value};
use smallvec::SmallVec;

/// The address `root + index * scale + … + disp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Where address arithmetic starts.
    pub root: Value,
    /// Indices and what they are multiplied with, the last to be added first.
    pub terms: SmallVec<[(Value, u32); 1]>,
    /// Bytes.
    pub disp: i64,
}

impl Address {
    /// Of a pointer.
    pub fn of(func: &Func, ptr: Value) -> Self {
        Self::up_to(func, ptr, |_| false)
    }

    /// Of a pointer, from the first of those it is made of which is a root.
    pub fn up_to(func: &Func, ptr: Value, is_root: impl Fn(Value) -> bool) -> Self {
        let mut this = Self { root: ptr, terms: SmallVec::new(), disp: 0 };
        while let Some(data) = func.def_inst(this.root).filter(|_| !is_root(this.root)) {
            match (data.op, &data.imm) {
                (Op::PtrOff, &Imm::Disp(disp)) => this.disp = this.disp.wrapping_add(disp),
                (Op::PtrAdd, &Imm::Scale { scale, disp }) => {
                    this.terms.push((data.args[1], scale));
                    this.disp = this.disp.wrapping_add(disp);
                }
                _ => break,
            }
            this.root = data.args[0];
        }
        this
    }

    /// A pointer as another one and bytes behind that. Where `simplify` has been, addresses that differ in nothing but
    /// constants have the same one.
    pub fn offset(func: &Func, mut ptr: Value) -> (Value, i64) {
        let mut disp = 0i64;
        while let Some(data) = func.def_inst(ptr)
            && let (Op::PtrOff, &Imm::Disp(by)) = (data.op, &data.imm)
        {
            (ptr, disp) = (data.args[0], disp.wrapping_add(by));
        }
        (ptr, disp)
    }

    /// The private array or variable that it leads into, if it is made of the address of one.
    pub fn slot(&self, func: &Func) -> Option<SlotId> {
        match func.def_inst(self.root).map(|data| (data.op, &data.imm)) {
            Some((Op::SlotAddr, &Imm::Slot(slot))) => Some(slot),
            _ => None,
        }
    }

    /// How far another address is behind this one, if they differ in nothing else.
    pub fn distance(&self, other: &Self) -> Option<i64> {
        let is_near = self.root == other.root && self.terms == other.terms;
        is_near.then(|| other.disp.wrapping_sub(self.disp))
    }

    /// Makes the address.
    pub fn emit(&self, b: &mut Builder<'_>) -> Value {
        let mut ptr = self.root;
        for (n, &(index, scale)) in self.terms.iter().enumerate().rev() {
            ptr = b.ptr_add(ptr, index, scale, if n == 0 { self.disp } else { 0 });
        }
        if self.terms.is_empty() { b.ptr_off(ptr, self.disp) } else { ptr }
    }
}

/// By how much the result of a scalar operation grows where its operands grow by so much, as a signed number; none if
/// that is not the same everywhere.
pub fn growth(func: &Func, data: &InstData, of: impl Fn(usize) -> Option<i64>) -> Option<i64> {
    let ty = func.ty(data.result?);
    let bits = ty.elem.bits().min(64);
    let factor = |i: usize| func.const_bits(data.args[i]).map(|bits| bits as i64);
    let by = match (data.op, &data.imm) {
        (Op::Add, _) => of(0)?.wrapping_add(of(1)?),
        (Op::Sub, _) => of(0)?.wrapping_sub(of(1)?),
        (Op::Neg | Op::Not, _) => of(0)?.wrapping_neg(),
        (Op::Mul, _) => match (factor(0), factor(1)) {
            (_, Some(factor)) => of(0)?.wrapping_mul(factor),
            (Some(factor), _) => of(1)?.wrapping_mul(factor),
            _ => return None,
        },
        (Op::Shl, _) => of(0)?.wrapping_shl(factor(1)? as u32 & (bits - 1)),
        (Op::PtrAdd, &Imm::Scale { scale, .. }) => of(0)?.wrapping_add(of(1)?.wrapping_mul(i64::from(scale))),
        (Op::Trunci | Op::PtrOff | Op::AsCast | Op::PtrToInt | Op::IntToPtr, _) => of(0)?,
        _ => return None,
    };
    Some(by << (64 - bits) >> (64 - bits))
}
