//! What accesses touch, as sums over ids (`crate::own`): of each argument, whether all accesses by it are at one sum;
//! of local memory, whether two accesses are. Takes kernel form. What is no sum, or may wrap where nobody can tell, has
//! none.

use super::address::Address;
use super::range::Ranges;
use crate::ir::{Func, Imm, Op, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use crate::own::{Footprint, Id, Narrow, Sum, Symbol};

/// How deep sums are looked into, and how many values of each are looked at.
const DEPTH: u32 = 24;
const MAX_STEPS: u32 = 256;

/// Accesses of a kernel's that are looked at.
const MAX_ACCESSES: usize = 256;

/// What a pointer is made of: where it starts, and how far it is from there.
#[derive(Clone, Debug)]
pub struct Place {
    /// The argument, or variable's address.
    pub root: Value,
    /// In bytes.
    pub sum: Sum,
    /// What the sum holds if.
    pub narrow: Vec<Narrow>,
}

impl Place {
    /// Of an access to so many bytes.
    pub fn of(func: &Func, ptr: Value, bytes: u32) -> Option<Self> {
        let mut find = Find { func, narrow: Vec::new(), steps: MAX_STEPS };
        let mut sum = Sum::number(0);
        let mut root = ptr;
        loop {
            let address = Address::of(func, root);
            for &(index, scale) in &address.terms {
                sum = sum.plus(&find.sum(index, DEPTH)?.scale(scale.into())?)?;
            }
            sum = sum.plus(&Sum::number(address.disp))?;
            root = address.root;
            match func.def_inst(root) {
                Some(data) if data.op == Op::AsCast => root = data.args[0],
                _ => break,
            }
        }
        sum.high = sum.high.checked_add(i64::from(bytes) - 1)?;
        Some(Self { root, sum, narrow: find.narrow })
    }

    /// This and another one, if they differ in their ranges only.
    pub fn join(mut self, other: &Self) -> Option<Self> {
        if self.root != other.root || self.sum.terms != other.sum.terms {
            return None;
        }
        self.sum.low = self.sum.low.min(other.sum.low);
        self.sum.high = self.sum.high.max(other.sum.high);
        for narrow in &other.narrow {
            if !self.narrow.contains(narrow) {
                self.narrow.push(narrow.clone());
            }
        }
        Some(self)
    }
}

/// Finds sums.
struct Find<'f> {
    func: &'f Func,
    narrow: Vec<Narrow>,
    /// Values that may still be looked at.
    steps: u32,
}

impl Find<'_> {
    /// What an integer is; of 32 bits and fewer, up to a multiple of what they can hold.
    fn sum(&mut self, v: Value, depth: u32) -> Option<Sum> {
        let func = self.func;
        self.steps = self.steps.checked_sub(1)?;
        let ty = func.ty(v);
        if !matches!(ty, Type::I32 | Type::I64) {
            return self.bounded(v);
        }
        if let Some(bits) = func.const_bits(v) {
            return Some(Sum::number(if ty == Type::I32 { i64::from(bits as i32) } else { bits as i64 }));
        }
        if let ValueDef::Param(block, n) = func.values[v].def
            && block == func.entry()
            && func.is_kernel
        {
            return Some(Sum::term(None, &[Symbol::Arg(n)]));
        }
        let data = func.def_inst(v).filter(|_| depth > 0)?;
        let of = |this: &mut Self, n: usize| this.sum(data.args[n], depth - 1);
        match (data.op, &data.imm) {
            (Op::Gid, &Imm::Dim(d)) => Some(Sum::term(Some(Id::Global(d)), &[])),
            (Op::Grp, &Imm::Dim(d)) => Some(Sum::term(Some(Id::Group(d)), &[])),
            (Op::Lid, &Imm::Dim(d)) => Some(Sum::term(Some(Id::Local(d)), &[])),
            (Op::Gsz, &Imm::Dim(d)) => Some(Sum::term(None, &[Symbol::GlobalSize(d)])),
            (Op::Lsz | Op::Elsz, &Imm::Dim(d)) => Some(Sum::term(None, &[Symbol::LocalSize(d)])),
            (Op::Ngrp, &Imm::Dim(d)) => Some(Sum::term(None, &[Symbol::Groups(d)])),
            (Op::Add, _) => of(self, 0)?.plus(&of(self, 1)?),
            (Op::Sub, _) => of(self, 0)?.plus(&of(self, 1)?.scale(-1)?),
            (Op::Neg, _) => of(self, 0)?.scale(-1),
            (Op::Mul, _) => of(self, 0)?.multiply(&of(self, 1)?),
            (Op::Shl, _) => {
                let by = func.const_bits(data.args[1]).filter(|&by| by < 31)?;
                of(self, 0)?.scale(1 << by)
            }
            (Op::Trunci, _) if func.ty(data.args[0]) == Type::I64 => of(self, 0),
            (Op::Sext | Op::Zext, _) if func.ty(data.args[0]) == Type::I32 => {
                let sum = of(self, 0)?;
                Some(self.narrow(sum, data.op == Op::Sext))
            }
            // The low half, zero-extended.
            (Op::And, _) if ty == Type::I64 && func.const_bits(data.args[1]) == Some(u32::MAX.into()) => {
                let sum = of(self, 0)?;
                Some(self.narrow(sum, false))
            }
            _ => self.bounded(v),
        }
    }

    /// A sum of which code has 32 bits.
    fn narrow(&mut self, sum: Sum, signed: bool) -> Sum {
        let narrow = Narrow { sum: sum.clone(), signed };
        if !self.narrow.contains(&narrow) {
            self.narrow.push(narrow);
        }
        sum
    }

    /// Any of the numbers that a value may be.
    fn bounded(&self, v: Value) -> Option<Sum> {
        let ranges = Ranges { func: self.func, signed: true, known: &|_| None };
        let range = ranges.of(v);
        let [low, high] = [range.least, range.most].map(|n| i64::try_from(n).ok());
        let (low, high) = (low?, high?);
        (high.checked_sub(low)? < 1 << 30).then_some(Sum { terms: Vec::new(), low, high })
    }
}

/// Of a kernel, the global memory of arguments that is accessed at one sum only, if all it accesses by pointers is
/// known to be an argument's or a variable's.
pub fn of_arguments(func: &Func) -> Vec<Footprint> {
    let params = &func.blocks[func.entry()].params;
    let mut found: Vec<Option<Option<Place>>> = vec![None; params.len()];
    let mut count = 0;
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let (accesses, bytes): (&[usize], _) = match (data.op, data.result) {
            (Op::Load, Some(result)) => (&[0], Some(func.ty(result).bytes())),
            (Op::Store, _) => (&[0], Some(func.ty(data.args[1]).bytes())),
            (Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas | Op::Memset, _) => (&[0], None),
            (Op::Memcpy | Op::AsyncCopy, _) => (&[0, 1], None),
            // What it gets may be anywhere.
            (Op::Call, _) => (&[], None),
            _ => continue,
        };
        if data.op == Op::Call && data.args.iter().any(|&v| may_be_global(func.ty(v))) {
            return Vec::new();
        }
        for &n in accesses {
            let ptr = data.args[n];
            let root = root(func, ptr);
            let arg = match func.values[root].def {
                ValueDef::Param(block, arg) if block == func.entry() => arg as usize,
                ValueDef::Inst(inst)
                    if matches!(func.insts[inst].op, Op::SlotAddr | Op::LocalAddr | Op::GlobalAddr) =>
                {
                    continue;
                }
                _ if !may_be_global(func.ty(root)) => continue,
                _ => return Vec::new(),
            };
            count += 1;
            let place = bytes.filter(|_| count <= MAX_ACCESSES).and_then(|bytes| Place::of(func, ptr, bytes));
            found[arg] = Some(match found[arg].take() {
                None => place,
                Some(known) => known.zip(place).and_then(|(known, place)| known.join(&place)),
            });
        }
    }
    let known = found.into_iter().zip(0..).filter_map(|(place, arg)| {
        let Place { sum, narrow, .. } = place??;
        Some(Footprint { arg, sum, narrow })
    });
    known.collect()
}

fn may_be_global(ty: Type) -> bool {
    ty == Type::ptr(AddrSpace::Global) || ty == Type::ptr(AddrSpace::Generic)
}

/// Where address arithmetic starts.
pub fn root(func: &Func, mut ptr: Value) -> Value {
    while let Some(data) = func.def_inst(ptr)
        && matches!(data.op, Op::PtrAdd | Op::PtrOff | Op::AsCast)
    {
        ptr = data.args[0];
    }
    ptr
}
