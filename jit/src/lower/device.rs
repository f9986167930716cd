//! Calls of the functions of `crate::device`: their words are packed in a slot, and so is what a block captures, as its
//! kernel's argument block has it.

use super::emit::Emitter;
use super::func::FuncCx;
use crate::device::{DeviceFn, RANGE_WORDS};
use crate::hir::{ExprId, FnId, Ty, TyKind, Types};
use crate::ir::{Attr, Imm, IntPred, Op, Type, Value};
use crate::launch::{AddrSpace, ArgKind};

const GENERIC: Type = Type::ptr(AddrSpace::Generic);
const PRIVATE: Type = Type::ptr(AddrSpace::Private);

impl Emitter<'_> {
    /// Asks for something, about the kernel of this number: with words, the pointers to events that are waited for and
    /// to where one goes, and to a block's arguments. `None` if nothing is wanted.
    pub(crate) fn ask(
        &mut self,
        (what, kernel): (DeviceFn, u32),
        words: &[Value],
        events: [Option<Value>; 2],
        block: Option<Value>,
        ret: Option<Type>,
    ) -> Option<Value> {
        let words = match words.is_empty() {
            true => self.bits(PRIVATE, 0),
            false => self.pack_words(words),
        };
        let [waits, event] = events.map(|ptr| match ptr {
            Some(ptr) => self.cast_pointer(ptr, GENERIC),
            None => self.bits(GENERIC, 0),
        });
        let block = block.unwrap_or_else(|| self.bits(PRIVATE, 0));
        let word = self.emit(Op::Device, Type::I64, &[words, waits, event, block], Imm::Device(what, kernel));
        Some(match ret? {
            Type::I64 => word,
            Type::I1 => {
                let zero = self.bits(Type::I64, 0);
                self.emit(Op::Icmp, Type::I1, &[word, zero], Imm::IntPred(IntPred::Ne))
            }
            ty => self.emit(Op::Trunci, ty, &[word], Imm::None),
        })
    }

    /// The address of these values in a slot, 8 bytes each.
    fn pack_words(&mut self, words: &[Value]) -> Value {
        let slot = self.slot("", 8 * words.len() as u64, 8);
        let base = self.slot_ptr(slot, 8);
        for (n, &word) in (0..).zip(words) {
            let word = match self.func.ty(word).is_ptr() {
                true => self.emit(Op::PtrToInt, Type::I64, &[word], Imm::None),
                false => word,
            };
            let at = self.ptr_off(base, 8 * n);
            self.push(Op::Store, None, &[at, word], Imm::None, Attr::default());
        }
        base
    }
}

impl FuncCx<'_, '_> {
    pub(super) fn call_device(
        &mut self,
        what: DeviceFn,
        block: Option<FnId>,
        args: &[ExprId],
        ret: Ty,
    ) -> Option<Value> {
        let values: Vec<Value> = args.iter().map(|&arg| self.value(arg)).collect();
        let (mut words, mut waits, mut event, mut captures) = (Vec::new(), None, None, None);
        match (what, block) {
            (DeviceFn::Enqueue, Some(block)) => {
                let (fixed, more) = values.split_at(7.min(values.len()));
                let &[queue, flags, range, number, list, out, tells] = fixed else { return None };
                let n_captures = self.n_captures(block);
                let (captured, sizes) = more.split_at(n_captures.min(more.len()));
                let bytes = self.unit.funcs[block].kernel.as_ref().map_or(0, |info| info.arg_block_bytes);
                words.extend([sizes.len() as u64, bytes as u64].map(|n| self.bits(Type::I64, n)));
                words.extend([queue, flags, number, tells]);
                self.range_words(range, &mut words);
                words.extend(sizes);
                captures = Some(self.pack_captures(block, captured));
                (waits, event) = (Some(list), Some(out));
            }
            (DeviceFn::Marker, _) => {
                let &[queue, number, list, out, tells] = values.as_slice() else { return None };
                words.extend([queue, number, tells]);
                (waits, event) = (Some(list), Some(out));
            }
            (DeviceFn::SubGroupCount | DeviceFn::MaxSubGroupSize, _) => self.range_words(*values.first()?, &mut words),
            _ => words = values,
        }
        let kernel = block.and_then(|block| self.out.kernels.get(&block).copied()).unwrap_or(0);
        let ret = (ret != Types::VOID).then(|| self.value_type(ret));
        self.ask((what, kernel), &words, [waits, event], captures, ret)
    }

    fn n_captures(&self, block: FnId) -> usize {
        let args = self.unit.funcs[block].kernel.as_ref().map_or(&[][..], |info| &info.args);
        args.iter().filter(|arg| arg.kind != ArgKind::Local).count()
    }

    fn range_words(&mut self, range: Value, words: &mut Vec<Value>) {
        for n in 0..RANGE_WORDS as i64 {
            let at = self.ptr_off(range, 8 * n);
            words.push(self.emit(Op::Load, Type::I64, &[at], Imm::None));
        }
    }

    /// The address of an argument block in a slot.
    fn pack_captures(&mut self, block: FnId, captured: &[Value]) -> Value {
        let unit = self.unit;
        let func = &unit.funcs[block];
        let Some(info) = &func.kernel else { return self.bits(Type::ptr(AddrSpace::Private), 0) };
        let align = func.locals.values().take(captured.len()).map(|local| self.align_of(local.ty)).max().unwrap_or(1);
        let slot = self.slot("", info.arg_block_bytes as u64, align);
        let base = self.slot_ptr(slot, align);
        for ((arg, local), &value) in info.args.iter().zip(func.locals.values()).zip(captured) {
            let at = self.ptr_off(base, arg.offset as i64);
            self.store_to(at, local.ty, value, Attr::default());
        }
        base
    }

    fn align_of(&self, ty: Ty) -> u32 {
        debug_assert!(!matches!(self.types().kind(ty), TyKind::Array { .. }), "arrays decay");
        self.types().size_align(ty).map_or(1, |(_, align)| align)
    }
}
