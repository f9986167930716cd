//! Atomic objects and the address spaces behind generic pointers.

use super::emit::Emitter;
use crate::builtin::AtomicFn;
use crate::ir::op::{Order, RmwOp, Scope};
use crate::ir::{Attr, Imm, IntPred, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;

impl Emitter<'_> {
    /// A function on an atomic object. Floats are exchanged and compared as bits.
    pub(crate) fn atomic_object(&mut self, what: AtomicFn, values: &[Value], ret: Type) -> Option<Value> {
        let attr = self.ordering(&values[what.n_operands()..], what.n_orders());
        let object = values[0];
        Some(match what {
            AtomicFn::Init => return self.push(Op::Store, None, &[object, values[1]], Imm::None, Attr::default()),
            AtomicFn::Load => {
                let bits = self.emit_attr(Op::AtomicLoad, as_bits(ret), &[object], Imm::None, attr);
                self.as_type(bits, ret)
            }
            AtomicFn::Store => {
                let bits = self.bits_of(values[1]);
                return self.push(Op::AtomicStore, None, &[object, bits], Imm::None, attr);
            }
            AtomicFn::Rmw(RmwOp::Fadd) => self.float_add(object, values[1], attr),
            AtomicFn::FloatSub => {
                let operand = self.same(Op::Fneg, &[values[1]]);
                self.float_add(object, operand, attr)
            }
            AtomicFn::FloatMinMax(op) => self.float_min_max(op, object, values[1], attr),
            AtomicFn::Rmw(op) => {
                let operand = self.bits_of(values[1]);
                let old = self.emit_attr(Op::AtomicRmw, as_bits(ret), &[object, operand], Imm::Rmw(op), attr);
                self.as_type(old, ret)
            }
            AtomicFn::CompareExchange => self.compare_exchange(object, values[1], values[2], attr),
            AtomicFn::TestAndSet => {
                let one = self.bits(Type::I32, 1);
                let old = self.emit_attr(Op::AtomicRmw, Type::I32, &[object, one], Imm::Rmw(RmwOp::Xchg), attr);
                self.is_true(old)
            }
            AtomicFn::Clear => {
                let zero = self.bits(Type::I32, 0);
                return self.push(Op::AtomicStore, None, &[object, zero], Imm::None, attr);
            }
        })
    }

    fn float_add(&mut self, object: Value, operand: Value, attr: Attr) -> Value {
        let ty = self.func.ty(operand);
        self.emit_attr(Op::AtomicRmw, ty, &[object, operand], Imm::Rmw(RmwOp::Fadd), attr)
    }

    /// Compares and exchanges until nobody comes in between.
    fn float_min_max(&mut self, op: Op, object: Value, operand: Value, attr: Attr) -> Value {
        let ty = self.func.ty(operand);
        let bits = as_bits(ty);
        let relaxed = Attr { order: Order::Relaxed, ..attr };
        let first = self.emit_attr(Op::AtomicLoad, bits, &[object], Imm::None, relaxed);
        let [again, end] = [self.func.add_block(), self.func.add_block()];
        let seen = self.func.add_param(again, bits);
        self.jump_with(again, first);
        self.enter(again);
        let old = self.as_type(seen, ty);
        let new = self.same(op, &[old, operand]);
        let new = self.bits_of(new);
        let found = self.emit_attr(Op::AtomicCas, bits, &[object, seen, new], Imm::None, attr);
        let done = self.emit(Op::Icmp, Type::I1, &[found, seen], Imm::IntPred(IntPred::Eq));
        let retry = self.func.add_block();
        self.branch(done, end, retry);
        self.enter(retry);
        self.jump_with(again, found);
        self.enter(end);
        old
    }

    /// What was expected is overwritten only if the exchange fails.
    fn compare_exchange(&mut self, object: Value, expected: Value, desired: Value, attr: Attr) -> Value {
        let desired = self.bits_of(desired);
        let ty = self.func.ty(desired);
        let want = self.emit(Op::Load, ty, &[expected], Imm::None);
        let old = self.emit_attr(Op::AtomicCas, ty, &[object, want, desired], Imm::None, attr);
        let same = self.emit(Op::Icmp, Type::I1, &[old, want], Imm::IntPred(IntPred::Eq));
        let [failed, end] = [self.func.add_block(), self.func.add_block()];
        self.branch(same, end, failed);
        self.enter(failed);
        self.push(Op::Store, None, &[expected, old], Imm::None, Attr::default());
        self.jump(end);
        self.enter(end);
        same
    }

    /// Memory order and scope from the arguments behind the operands: `n_orders` orders, a scope, or fewer. What is
    /// missing or not constant counts as the strongest.
    pub(crate) fn ordering(&mut self, args: &[Value], n_orders: usize) -> Attr {
        let constant = |cx: &Self, n: usize| args.get(n).and_then(|&v| cx.func.const_bits(v));
        let order = match constant(self, 0).filter(|_| n_orders > 0) {
            Some(0) => Order::Relaxed,
            Some(2) => Order::Acquire,
            Some(3) => Order::Release,
            Some(4) => Order::AcqRel,
            _ => Order::SeqCst,
        };
        let scope = match (args.len() > n_orders, constant(self, n_orders)) {
            (false, _) | (true, Some(2)) => Scope::Device,
            (true, Some(0)) => Scope::WorkItem,
            (true, Some(1)) => Scope::WorkGroup,
            (true, Some(4)) => Scope::SubGroup,
            (true, _) => Scope::AllDevices,
        };
        Attr { order, scope, ..Attr::default() }
    }

    fn bits_of(&mut self, value: Value) -> Value {
        let bits = as_bits(self.func.ty(value));
        self.as_type(value, bits)
    }

    /// Whether a pointer leads into a space: known from its type, or found out at run time.
    pub(crate) fn points_to(&mut self, ptr: Value, space: AddrSpace) -> Value {
        match self.func.ty(ptr).elem {
            Scalar::Ptr(AddrSpace::Generic) => {}
            elem => return self.bits(Type::I1, u64::from(elem == Scalar::Ptr(space))),
        }
        match space {
            AddrSpace::Local => self.emit(Op::IsLocal, Type::I1, &[ptr], Imm::None),
            AddrSpace::Private => self.emit(Op::IsPrivate, Type::I1, &[ptr], Imm::None),
            _ => {
                let local = self.emit(Op::IsLocal, Type::I1, &[ptr], Imm::None);
                let private = self.emit(Op::IsPrivate, Type::I1, &[ptr], Imm::None);
                let other = self.same(Op::Or, &[local, private]);
                self.same(Op::Not, &[other])
            }
        }
    }

    /// The pointer in `space` if it leads there, else null.
    pub(crate) fn in_space(&mut self, ptr: Value, space: AddrSpace) -> Value {
        let inside = self.points_to(ptr, space);
        let ty = Type::ptr(space);
        let here = self.cast_pointer(ptr, ty);
        let null = self.bits(ty, 0);
        self.emit(Op::Select, ty, &[inside, here, null], Imm::None)
    }
}

/// The integer type of the same size.
fn as_bits(ty: Type) -> Type {
    ty.with_elem(ty.elem.as_int())
}
