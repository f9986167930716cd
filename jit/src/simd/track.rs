//! One call for the tracked accesses (`crate::race`) of all lanes: their addresses are one and a stride, or lie in an
//! array.

use super::shape::Shape;
use super::widen::Widen;
use crate::ir::{Attr, Imm, InstData, Op, Type, Value};
use crate::launch::AddrSpace;
use crate::race::{Code, Form, MAX_STRIDE, Meeting};
use smallvec::SmallVec;

impl Widen<'_> {
    pub(super) fn track(&mut self, data: &InstData) {
        let [ptr, env, _, item, value, code] = data.args[..] else { unreachable!("in work-group form") };
        let code = Code::from_bits(self.func.const_bits(code).expect("a constant"));
        let is_line = |stride: &i64| stride.abs() < MAX_STRIDE;
        let (at, form) = match self.shape(ptr) {
            Shape::Uniform => (self.scalar(ptr), Form::Same),
            Shape::Affine(stride) if is_line(&stride) => (self.scalar(ptr), Form::Line(stride as i32)),
            _ => (self.addresses(ptr), Form::Table),
        };
        let (value, lanes) = match self.shape(value) {
            // All lanes store the same, or nothing.
            Shape::Uniform => (self.scalar(value), false),
            // In lanes that are apart by as much as they hold.
            Shape::Affine(stride) if stride == i64::from(code.value_bytes()) => (self.scalar(value), true),
            _ => (self.constant(Type::ptr(AddrSpace::Private), 0), false),
        };
        let mask = self.active();
        // Lanes are work-items with consecutive numbers.
        let (env, item) = (self.scalar(env), self.scalar(item));
        let code = self.i64(Code { form, lanes, ..code }.to_bits() as i64);
        self.push(Op::Track, None, &[at, env, mask, item, value, code], Imm::None, Attr::default());
    }

    /// Work-items meet, or, with their number as an operand, are about to enqueue.
    pub(super) fn meet(&mut self, data: &InstData) {
        let mut args: SmallVec<[Value; 4]> = data.args.iter().map(|&v| self.scalar(v)).collect();
        if self.func.const_bits(data.args[0]) == Some(Meeting::Enqueue.to_bits()) {
            args[3] = self.active();
        }
        self.push(Op::Meet, None, &args, Imm::None, data.attr);
    }

    /// The lanes' addresses in memory.
    fn addresses(&mut self, ptr: Value) -> Value {
        let lanes: SmallVec<[Value; 1]> = self.vector(ptr).into_iter().collect();
        let slot = self.slot(self.func.ty(lanes[0]));
        self.write(slot, lanes[0]);
        self.slot_addr(slot)
    }
}
