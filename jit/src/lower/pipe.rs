//! Calls of the functions on pipes. A pipe is a pointer to what `builtins/pipe/pipe.cl` describes, whose functions
//! count and check; only packets are copied here, where their size is a constant.

use super::emit::Emitter;
use crate::builtin::{PipeBy, PipeEnd, PipeFn};
use crate::ir::{Attr, Imm, IntPred, Op, Type, Value};

impl Emitter<'_> {
    /// A call on a pipe whose packets have so many bytes.
    pub(crate) fn pipe(&mut self, what: PipeFn, bytes: u32, args: &[Value], ret: Type) -> Option<Value> {
        Some(match what {
            PipeFn::Move(end) => {
                let one = self.bits(Type::I32, 1);
                let id = self.reserve(PipeBy::Item, end, bytes, [args[0], one]);
                self.where_not_zero(id, |e| {
                    let first = e.bits(Type::I32, 0);
                    let place = e.packet(end, bytes, [args[0], id, first]);
                    e.move_packet(end, bytes, [args[0], place, args[1]]);
                    e.commit(PipeBy::Item, end, [args[0], id]);
                })
            }
            PipeFn::MoveReserved(end) => {
                let place = self.packet(end, bytes, [args[0], args[1], args[2]]);
                self.where_not_zero(place, |e| e.move_packet(end, bytes, [args[0], place, args[3]]))
            }
            PipeFn::Reserve(end, by) => self.reserve(by, end, bytes, [args[0], args[1]]),
            PipeFn::Commit(end, by) => {
                self.commit(by, end, [args[0], args[1]]);
                return None;
            }
            PipeFn::IsValid => {
                // Neither 0 nor all ones, which other compilers take for no reservation.
                let one = self.bits(Type::I64, 1);
                let next = self.same(Op::Add, &[args[0], one]);
                let valid = self.emit(Op::Icmp, Type::I1, &[next, one], Imm::IntPred(IntPred::UGt));
                self.bool_as(valid, ret)
            }
            PipeFn::NumPackets => return self.pipe_body("available.gu64", &[args[0]], Some(Type::I32)),
            PipeFn::MaxPackets => return self.pipe_body("capacity.gu64", &[args[0]], Some(Type::I32)),
        })
    }

    fn pipe_body(&mut self, symbol: &str, args: &[Value], ret: Option<Type>) -> Option<Value> {
        let params = args.iter().map(|&arg| self.func.ty(arg)).collect();
        let callee = self.out.library_func(PipeFn::FILE, symbol, params, ret);
        self.push(Op::Call, ret, args, Imm::Func(callee), Attr::default())
    }

    /// The id of a reservation, or 0.
    fn reserve(&mut self, by: PipeBy, end: PipeEnd, bytes: u32, [pipe, n]: [Value; 2]) -> Value {
        let symbol = format!("{}reserve.gu64.u32.u32.u32", by.prefix());
        let bytes = self.bits(Type::I32, u64::from(bytes));
        let end = self.bits(Type::I32, end as u64);
        self.pipe_body(&symbol, &[pipe, bytes, n, end], Some(Type::I64)).expect("it returns something")
    }

    fn commit(&mut self, by: PipeBy, end: PipeEnd, [pipe, id]: [Value; 2]) {
        let symbol = format!("{}commit.gu64.u64.u32", by.prefix());
        let end = self.bits(Type::I32, end as u64);
        self.pipe_body(&symbol, &[pipe, id, end], None);
    }

    /// Where a packet is, in bytes from the pipe's start; 0 if there is none.
    fn packet(&mut self, end: PipeEnd, bytes: u32, [pipe, id, index]: [Value; 3]) -> Value {
        let bytes = self.bits(Type::I32, u64::from(bytes));
        let end = self.bits(Type::I32, end as u64);
        let args = [pipe, bytes, id, index, end];
        self.pipe_body("packet.gu64.u32.u64.u32.u32", &args, Some(Type::I64)).expect("it returns something")
    }

    /// Copies a packet from memory into the pipe, or the other way.
    fn move_packet(&mut self, end: PipeEnd, bytes: u32, [pipe, place, memory]: [Value; 3]) {
        let packet = self.ptr_add(pipe, place, 1);
        let (dst, src) = match end {
            PipeEnd::Write => (packet, memory),
            PipeEnd::Read => (memory, packet),
        };
        match bytes {
            1 | 2 | 4 | 8 => {
                let value = self.emit(Op::Load, Type::int(bytes), &[src], Imm::None);
                self.push(Op::Store, None, &[dst, value], Imm::None, Attr::default());
            }
            _ => self.copy_bytes(dst, src, u64::from(bytes), Attr::default()),
        }
    }

    /// Does something where a value is not zero, and gives what `read_pipe` and `write_pipe` return: 0 there, else -1.
    fn where_not_zero(&mut self, value: Value, then: impl FnOnce(&mut Self)) -> Value {
        let [yes, end] = std::array::from_fn(|_| self.func.add_block());
        let zero = self.bits(Type::I64, 0);
        let cond = self.emit(Op::Icmp, Type::I1, &[value, zero], Imm::IntPred(IntPred::Ne));
        self.branch(cond, yes, end);
        self.enter(yes);
        then(self);
        self.jump(end);
        self.enter(end);
        let [good, bad] = [0, 0xffff_ffff].map(|bits| self.bits(Type::I32, bits));
        self.emit(Op::Select, Type::I32, &[cond, good, bad], Imm::None)
    }
}
