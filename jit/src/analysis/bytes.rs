//! Which byte of which other value each byte of an integer is: what GCC's bswap pass calls symbolic numbers. Shifts and
//! masks by whole bytes, sums of what does not overlap, and vectors of bytes only move bytes. Linear.

use crate::ir::{Func, Imm, InstData, Op, Scalar, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most bytes of an integer, or of a vector of integers.
const MAX: u32 = 8;

/// A byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// No bit is set.
    Zero,
    /// One of a value that nothing is known of, or of a constant, from the lowest.
    Of(Value, u32),
}

/// From the lowest.
pub type Bytes = SmallVec<[Byte; MAX as usize]>;

/// The bytes of a function's integers.
pub struct Sources {
    known: FxHashMap<Value, Bytes>,
}

impl Sources {
    /// Of a function whose blocks are in reverse postorder.
    pub fn new(func: &Func) -> Self {
        let mut this = Self { known: FxHashMap::default() };
        for (_, inst) in func.live_insts() {
            if let Some((v, bytes)) = this.made_of(func, &func.insts[inst]) {
                this.known.insert(v, bytes);
            }
        }
        this
    }

    /// The bytes of a value, if any of them is another's.
    pub fn moved(&self, v: Value) -> Option<&Bytes> {
        self.known.get(&v)
    }

    /// The bytes of a value of up to eight: its own, of one that nothing is known of.
    pub fn bytes(&self, func: &Func, v: Value) -> Option<Bytes> {
        if let Some(bytes) = self.known.get(&v) {
            return Some(bytes.clone());
        }
        let ty = func.ty(v);
        let is_whole = may_have(ty);
        let bits = func.const_bits(v).filter(|_| !ty.is_vector());
        let byte = |i: u32| match bits {
            Some(bits) if bits >> (8 * i) & 0xff == 0 => Byte::Zero,
            _ => Byte::Of(v, i),
        };
        is_whole.then(|| (0..ty.bytes()).map(byte).collect())
    }

    /// The result of an instruction whose bytes are others'.
    fn made_of(&self, func: &Func, data: &InstData) -> Option<(Value, Bytes)> {
        let v = data.result?;
        let ty = func.ty(v);
        if !may_have(ty) {
            return None;
        }
        let n = ty.bytes() as usize;
        let arg = |i: usize| self.bytes(func, data.args[i]);
        let size = ty.elem.bytes() as usize;
        let by = |i: usize| func.const_bits(data.args[i]).map(|bits| (bits % (8 * n as u64)) as usize);
        let whole_bytes = |i: usize| by(i).filter(|bits| bits % 8 == 0).map(|bits| bits / 8);
        let bytes: Bytes = match (data.op, &data.imm) {
            (Op::Bitcast, _) => arg(0)?,
            (Op::Build, _) => {
                let parts: Option<Vec<Bytes>> = (0..data.args.len()).map(arg).collect();
                parts?.into_iter().flatten().collect()
            }
            (Op::Shuffle, Imm::Lanes(picks)) => {
                let all: Vec<Byte> = [arg(0)?, arg(1)?].concat();
                picks.iter().flat_map(|&lane| all[usize::from(lane) * size..][..size].to_vec()).collect()
            }
            (Op::Extract, &Imm::Lane(lane)) => arg(0)?[usize::from(lane) * size..][..size].into(),
            _ if ty.is_vector() => return None,
            (Op::Zext, _) => arg(0)?.into_iter().chain(std::iter::repeat(Byte::Zero)).take(n).collect(),
            (Op::Trunci, _) => arg(0)?[..n].into(),
            (Op::Shl, _) => {
                let by = whole_bytes(1)?;
                std::iter::repeat_n(Byte::Zero, by).chain(arg(0)?).take(n).collect()
            }
            (Op::Lshr, _) => {
                let by = whole_bytes(1)?;
                arg(0)?.into_iter().skip(by).chain(std::iter::repeat_n(Byte::Zero, by)).collect()
            }
            (Op::Rotl, _) => {
                let (mut bytes, by) = (arg(0)?, whole_bytes(1)?);
                bytes.rotate_right(by);
                bytes
            }
            (Op::And, _) => {
                let (i, mask) = [1, 0].into_iter().find_map(|i| Some((1 - i, func.const_bits(data.args[i])?)))?;
                let masked = |(at, byte)| match mask >> (8 * at) & 0xff {
                    0 => Byte::Zero,
                    0xff => byte,
                    _ => Byte::Of(v, at),
                };
                (0..).zip(arg(i)?).map(masked).collect()
            }
            (Op::Or | Op::Xor | Op::Add, _) => {
                let both = |(at, (a, b))| match (a, b) {
                    (Byte::Zero, byte) | (byte, Byte::Zero) => byte,
                    _ => Byte::Of(v, at),
                };
                let bytes: Bytes = (0..).zip(arg(0)?.into_iter().zip(arg(1)?)).map(both).collect();
                // A carry may go into any.
                let mixes = bytes.iter().any(|byte| matches!(byte, Byte::Of(of, _) if *of == v));
                (data.op != Op::Add || !mixes).then_some(bytes)?
            }
            _ => return None,
        };
        debug_assert_eq!(bytes.len(), n);
        let is_itself = (0..).zip(&bytes).all(|(at, &byte)| byte == Byte::Of(v, at));
        (!is_itself).then_some((v, bytes))
    }
}

/// Vectors of three have a byte more than their components.
fn may_have(ty: Type) -> bool {
    ty.is_int() && ty.elem != Scalar::I1 && ty.bytes() <= MAX && ty.lanes != 3
}
