//! Addresses: index arithmetic moves into the scale, constant parts gather in one outermost displacement, so that
//! accesses near each other share the rest. Casts between address spaces move outwards, so that an access shows the
//! space it goes to.

use super::{Node, Simplify};
use crate::interp::value::signed;
use crate::ir::op::Flags;
use crate::ir::{Attr, Imm, Inst, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;

/// How many sums deep a constant is looked for.
const SUMS: u32 = 4;

impl Simplify<'_> {
    /// Lets an access use the pointer behind a cast: same address, better known space.
    pub(super) fn strip_casts(&mut self, inst: Inst) {
        let pointers = match self.b.func.insts[inst].op {
            Op::Load | Op::Store | Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas | Op::Memset => 1,
            Op::Memcpy => 2,
            _ => 0,
        };
        for n in 0..pointers {
            if let Some(behind) = self.operand_of(self.b.func.insts[inst].args[n], Op::AsCast) {
                self.b.func.insts[inst].args[n] = behind;
            }
        }
    }

    /// Where a pointer points, if its type or that of a pointer it was made from says so.
    fn space(&self, ptr: Value) -> Option<AddrSpace> {
        let behind = self.operand_of(ptr, Op::AsCast).unwrap_or(ptr);
        match self.b.func.ty(behind).elem {
            Scalar::Ptr(AddrSpace::Generic) => None,
            Scalar::Ptr(space) => Some(space),
            _ => None,
        }
    }

    /// True for the address of a private or local variable or of a part of one, which is not null.
    pub(super) fn is_variable(&self, mut ptr: Value) -> bool {
        while let Some(data) = self.def(ptr).filter(|data| matches!(data.op, Op::PtrOff | Op::AsCast)) {
            ptr = data.args[0];
        }
        self.def(ptr).is_some_and(|data| matches!(data.op, Op::SlotAddr | Op::LocalAddr))
    }

    pub(super) fn address(&mut self, node: &Node) -> Option<Value> {
        let ty = node.ty;
        let base = node.args[0];
        match (node.op, &node.imm) {
            (Op::IsLocal | Op::IsPrivate, _) => {
                let space = self.space(base)?;
                let asked = if node.op == Op::IsLocal { AddrSpace::Local } else { AddrSpace::Private };
                Some(self.b.bits(Type::I1, u64::from(space == asked)))
            }
            (Op::PtrOff | Op::PtrAdd, _) if self.operand_of(base, Op::AsCast).is_some() => {
                let behind = self.operand_of(base, Op::AsCast)?;
                let mut args = node.args.clone();
                args[0] = behind;
                let moved = self.make(node.op, self.b.func.ty(behind), &args, node.imm.clone(), node.attr);
                Some(self.plain(Op::AsCast, ty, &[moved]))
            }
            (Op::PtrOff, Imm::Disp(0)) => Some(base),
            (Op::PtrOff, Imm::Disp(disp)) => {
                let inner = self.def_op(base, Op::PtrOff)?;
                let Imm::Disp(more) = inner.imm else { return None };
                let (p, disp) = (inner.args[0], disp.wrapping_add(more));
                Some(self.make(Op::PtrOff, ty, &[p], Imm::Disp(disp), Attr::default()))
            }
            (Op::PtrAdd, Imm::Scale { scale, disp }) => self.ptr_add(node, *scale, *disp),
            (Op::PtrToInt, _) => self.operand_of(base, Op::IntToPtr),
            (Op::IntToPtr, _) => self.operand_of(base, Op::PtrToInt).filter(|p| self.b.func.ty(*p) == ty),
            (Op::AsCast, _) => {
                if self.b.func.ty(base) == ty {
                    return Some(base);
                }
                self.operand_of(base, Op::AsCast).map(|p| self.plain(Op::AsCast, ty, &[p]))
            }
            _ => None,
        }
    }

    fn ptr_add(&mut self, node: &Node, scale: u32, disp: i64) -> Option<Value> {
        let (ty, base, index) = (node.ty, node.args[0], node.args[1]);
        let wide = i64::from(scale);
        if let Some(n) = self.bits(index) {
            let disp = (n as i64).wrapping_mul(wide).wrapping_add(disp);
            return Some(self.make(Op::PtrOff, ty, &[base], Imm::Disp(disp), Attr::default()));
        }
        let again = |cx: &mut Self, base, index, scale, disp| {
            let whole = cx.make(Op::PtrAdd, ty, &[base, index], Imm::Scale { scale, disp: 0 }, Attr::default());
            Some(cx.make(Op::PtrOff, ty, &[whole], Imm::Disp(disp), Attr::default()))
        };
        if disp != 0 {
            return again(self, base, index, scale, disp);
        }
        if let Some(inner) = self.def_op(base, Op::PtrOff)
            && let Imm::Disp(more) = inner.imm
        {
            let base = inner.args[0];
            return again(self, base, index, scale, more);
        }
        let inner = self.def(index)?;
        let args = inner.args.clone();
        let c = args.get(1).and_then(|v| self.bits(*v));
        // All arithmetic is modulo 2^64, so it distributes over the scale.
        match (self.def(index)?.op, c) {
            (Op::Add, Some(c)) => again(self, base, args[0], scale, (c as i64).wrapping_mul(wide).wrapping_add(disp)),
            (Op::Add, None) => {
                let (index, c) = self.without_constant(index, SUMS)?;
                again(self, base, index, scale, (c as i64).wrapping_mul(wide))
            }
            (Op::Shl, Some(c)) => {
                let scale = u64::from(scale).checked_mul(1 << (c % 64)).and_then(|s| u32::try_from(s).ok())?;
                again(self, base, args[0], scale, disp)
            }
            (Op::Mul, Some(c)) => {
                let scale = u64::from(scale).checked_mul(c).and_then(|s| u32::try_from(s).ok())?;
                again(self, base, args[0], scale, disp)
            }
            (Op::Sext, _) => {
                let index = self.widened(index, args[0])?;
                again(self, base, index, scale, 0)
            }
            _ => None,
        }
    }

    /// A sum without the constant that is somewhere in it, and the constant.
    fn without_constant(&mut self, sum: Value, depth: u32) -> Option<(Value, u64)> {
        let inner = self.def_op(sum, Op::Add).filter(|_| depth > 0)?;
        let (ty, [a, b]) = (self.b.func.ty(sum), [inner.args[0], inner.args[1]]);
        if let Some(c) = self.bits(b) {
            return Some((a, c));
        }
        let (a, b, c) = match self.without_constant(a, depth - 1) {
            Some((a, c)) => (a, b, c),
            None => self.without_constant(b, depth - 1).map(|(b, c)| (a, b, c))?,
        };
        Some((self.plain(Op::Add, ty, &[a, b]), c))
    }

    /// An extended sum, product or shift by a constant as the same of the extended operand, if it does not wrap.
    fn widened(&mut self, wide: Value, narrow: Value) -> Option<Value> {
        let inner = self.def(narrow).filter(|d| d.attr.flags.contains(Flags::NSW))?;
        let (op, x, attr) = (inner.op, inner.args[0], inner.attr);
        let c = self.bits(*inner.args.get(1)?)?;
        let (ty, bits) = (self.b.func.ty(wide), self.b.func.ty(narrow).elem.bits());
        let c = match op {
            Op::Add | Op::Mul => signed(c, bits) as u64,
            Op::Shl if c < u64::from(bits) => c,
            _ => return None,
        };
        let (x, c) = (self.plain(Op::Sext, ty, &[x]), self.b.bits(ty, c));
        Some(self.make(op, ty, &[x, c], Imm::None, attr))
    }
}
