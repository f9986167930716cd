//! Device-side enqueue: instructions of OpenCL C's functions under other names (see `crate::device`). A block is a
//! function of the module with a pointer to what it captured, whose size is an operand; a kernel that copies that and
//! calls the function is made for each. Spec: SPIR-V, "Device-Side Enqueue Instructions".

use super::function::{Def, FuncCx};
use super::module::Module;
use super::ty::{Kind, Ty};
use super::words::{Id, Inst};
use super::{Places, lines, words::Words};
use crate::device::{DeviceFn, RANGE_WORDS};
use crate::ir::verify::verify_in;
use crate::ir::{Attr, Func, Imm, Op as Kir, Term, Type, Value};
use crate::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo};
use crate::lower::emit::{Emitter, Output};
use crate::source::Span;
use spirv::Op;

/// Bytes that a block may capture.
const MAX_CAPTURE_BYTES: u64 = 1 << 20;

/// A block that is enqueued or asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    function: Id,
    /// Of what it captures, in bytes.
    size: u64,
    align: u64,
}

impl Ty {
    /// An ND-range has the number of dimensions, then offset, global and local size of three each.
    fn is_range(&self) -> bool {
        matches!(&self.kind, Kind::Struct { offsets, .. } if offsets[..] == [0, 8, 32, 56])
    }
}

impl FuncCx<'_> {
    /// Instructions with a result; `None` for others.
    pub(super) fn device_result(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        let what = match op {
            Op::BuildNDRange => return self.build_range(inst, ty).map(Some),
            Op::EnqueueKernel => return self.enqueue(inst, ty).map(Some),
            Op::EnqueueMarker => {
                let (queue, number) = (self.handle(inst.word(2)?)?, self.word(inst.word(3)?)?);
                let [waits, event] = [self.generic(inst.word(4)?)?, self.generic(inst.word(5)?)?];
                let tells = self.e.bits(Type::I64, u64::from(self.places.tells_errors));
                let words = [queue, number, tells];
                let to = self.kir(ty)?;
                let value = self.e.ask((DeviceFn::Marker, 0), &words, [Some(waits), Some(event)], None, Some(to));
                return value.map(|value| Some(Def::Value(value))).ok_or_else(|| "a value is wanted".into());
            }
            Op::GetKernelWorkGroupSize => (DeviceFn::WorkGroupSize, 2),
            Op::GetKernelPreferredWorkGroupSizeMultiple => (DeviceFn::PreferredMultiple, 2),
            Op::GetKernelNDrangeSubGroupCount => (DeviceFn::SubGroupCount, 3),
            Op::GetKernelNDrangeMaxSubGroupSize => (DeviceFn::MaxSubGroupSize, 3),
            Op::CreateUserEvent => (DeviceFn::CreateUserEvent, 0),
            Op::IsValidEvent => (DeviceFn::IsValid, 0),
            Op::GetDefaultQueue => (DeviceFn::DefaultQueue, 0),
            _ => return Ok(None),
        };
        let (what, at) = what;
        let to = self.kir(ty)?;
        let mut words = Vec::new();
        let mut kernel = 0;
        if at > 0 {
            (kernel, _) = self.enqueued(inst, at)?;
            if at == 3 {
                self.range_words(inst.word(2)?, &mut words)?;
            }
        } else if what == DeviceFn::IsValid {
            words.push(self.handle(inst.word(2)?)?);
        }
        let value = self.e.ask((what, kernel), &words, [None; 2], None, Some(to));
        Ok(value.map(Def::Value))
    }

    /// Instructions without a result; false for others.
    pub(super) fn device_effect(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        let what = match op {
            Op::RetainEvent => DeviceFn::Retain,
            Op::ReleaseEvent => DeviceFn::Release,
            Op::SetUserEventStatus => DeviceFn::SetStatus,
            Op::CaptureEventProfilingInfo => DeviceFn::Capture,
            _ => return Ok(false),
        };
        let mut words = vec![self.handle(inst.word(0)?)?];
        if matches!(what, DeviceFn::SetStatus | DeviceFn::Capture) {
            words.push(self.word(inst.word(1)?)?);
        }
        if what == DeviceFn::Capture {
            let place = self.value(inst.word(2)?)?;
            if !self.e.func.ty(place).is_ptr() {
                return Err("the place of the times is no pointer".into());
            }
            words.push(place);
        }
        self.e.ask((what, 0), &words, [None; 2], None, None);
        Ok(true)
    }

    /// A queue or an event.
    fn handle(&mut self, id: Id) -> Result<Value, String> {
        match self.module.ty(self.type_of(id)?)?.kind {
            Kind::Queue | Kind::DeviceEvent => self.value(id),
            _ => Err(format!("%{id} is no queue or event of the device")),
        }
    }

    /// A number of 32 bits as a word.
    fn word(&mut self, id: Id) -> Result<Value, String> {
        let value = self.value(id)?;
        self.want(value, Type::I32)?;
        Ok(self.e.emit(Kir::Sext, Type::I64, &[value], Imm::None))
    }

    /// A pointer to events.
    fn generic(&mut self, id: Id) -> Result<Value, String> {
        let value = self.value(id)?;
        if !self.e.func.ty(value).is_ptr() {
            return Err(format!("%{id} is no pointer"));
        }
        Ok(self.cast(value, Type::ptr(AddrSpace::Generic)))
    }

    fn range_words(&mut self, id: Id, words: &mut Vec<Value>) -> Result<(), String> {
        let (range, ty) = self.memory(id)?;
        if !self.module.ty(ty)?.is_range() {
            return Err(format!("%{id} is no ND-range"));
        }
        let dims = self.e.emit(Kir::Load, Type::I32, &[range], Imm::None);
        words.push(self.e.emit(Kir::Zext, Type::I64, &[dims], Imm::None));
        for n in 1..RANGE_WORDS as i64 {
            let at = self.e.ptr_off(range, 8 * n);
            words.push(self.e.emit(Kir::Load, Type::I64, &[at], Imm::None));
        }
        Ok(())
    }

    /// `BuildNDRange`: global size, local size, offset, each a number or an array.
    fn build_range(&mut self, inst: &Inst, ty: Id) -> Result<Def, String> {
        if !self.module.ty(ty)?.is_range() {
            return Err("the result is no ND-range".into());
        }
        let range = self.temp(ty)?;
        let (zero, size) = (self.e.bits(Type::I8, 0), self.e.bits(Type::I64, 8 * RANGE_WORDS as u64));
        self.e.push(Kir::Memset, None, &[range, zero, size], Imm::None, Attr::default());
        let mut dims = 1;
        for (n, at) in [(2, 32), (3, 56), (4, 8)] {
            let id = inst.word(n)?;
            let place = self.e.ptr_off(range, at);
            match self.def(id)? {
                Def::Memory(from) => {
                    let of = self.module.ty(self.type_of(id)?)?;
                    let len = match of.kind {
                        Kind::Array { len: len @ 1..=3, .. } if of.size == 8 * len => len,
                        _ => return Err(format!("%{id} is no size of an ND-range")),
                    };
                    dims = len;
                    self.e.copy_bytes(place, from, 8 * len, Attr::default());
                }
                _ => {
                    let value = self.value(id)?;
                    self.want(value, Type::I64)?;
                    self.e.push(Kir::Store, None, &[place, value], Imm::None, Attr::default());
                }
            }
        }
        let dims = self.e.bits(Type::I32, dims);
        self.e.push(Kir::Store, None, &[range, dims], Imm::None, Attr::default());
        Ok(Def::Memory(range))
    }

    /// The kernel that an instruction's block is: its function, what it captured, size and alignment of that.
    fn enqueued(&mut self, inst: &Inst, at: usize) -> Result<(u32, Block), String> {
        let number = |n: usize| self.module.int(inst.word(at + n)?);
        let (function, size, align) = (inst.word(at)?, number(2)?, number(3)?.max(1));
        if size > MAX_CAPTURE_BYTES || align > 4096 || !align.is_power_of_two() {
            return Err("a block that captures so much is not supported".into());
        }
        if !self.module.func_of.contains_key(&function) {
            return Err(format!("%{function} is no function"));
        }
        let block = Block { function, size, align };
        let blocks = &mut self.places.blocks;
        let n = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        Ok(((self.module.kernels.len() + n) as u32, block))
    }

    fn enqueue(&mut self, inst: &Inst, ty: Id) -> Result<Def, String> {
        let queue = self.handle(inst.word(2)?)?;
        let (flags, number) = (self.word(inst.word(3)?)?, self.word(inst.word(5)?)?);
        let [waits, event] = [self.generic(inst.word(6)?)?, self.generic(inst.word(7)?)?];
        let (kernel, block) = self.enqueued(inst, 8)?;
        let param = self.value(inst.word(9)?)?;
        let sizes = inst.rest(12);
        let info = self.module.funcs[self.module.func_of[&block.function]].params.len();
        if sizes.len() + 1 != info {
            return Err("there is not one size for each local argument".into());
        }
        let bytes = arg_block(&block, sizes.len()).1;
        let place = self.e.slot("", bytes as u64, block.align as u32);
        let captured = self.e.slot_ptr(place, block.align as u32);
        self.e.copy_bytes(captured, param, block.size, Attr::default());
        let tells = u64::from(self.places.tells_errors);
        let [n_sizes, bytes, tells] = [sizes.len() as u64, bytes as u64, tells].map(|n| self.e.bits(Type::I64, n));
        let mut words = vec![n_sizes, bytes, queue, flags, number, tells];
        self.range_words(inst.word(4)?, &mut words)?;
        for &size in sizes {
            let value = self.value(size)?;
            self.want(value, Type::I32)?;
            words.push(self.e.emit(Kir::Zext, Type::I64, &[value], Imm::None));
        }
        let to = self.kir(ty)?;
        let asked = (DeviceFn::Enqueue, kernel);
        let value = self.e.ask(asked, &words, [Some(waits), Some(event)], Some(captured), Some(to));
        value.map(Def::Value).ok_or_else(|| "a value is wanted".into())
    }
}

/// Where the local arguments are in a block's argument block, behind what it captured, and how large that is.
fn arg_block(block: &Block, n_locals: usize) -> (usize, usize) {
    let first = (block.size as usize).next_multiple_of(8);
    (first, first + 8 * n_locals)
}

/// Makes the kernels of the blocks that functions use.
///
/// # Errors
/// A function that is no block's.
pub(super) fn kernels(words: &Words, module: &Module, places: &Places, out: &mut Output) -> Result<(), String> {
    for block in &places.blocks {
        let written = &module.funcs[module.func_of[&block.function]];
        let made = kernel(block, places, out).map_err(|message| lines::located_at(words, written.at, &message))?;
        let body = &out.module.funcs[made.1];
        verify_in(&out.module, body).map_err(|errors| super::broken(words, written, &errors))?;
        out.module.kernels.push(made);
    }
    Ok(())
}

fn kernel(block: &Block, places: &Places, out: &mut Output) -> Result<(KernelInfo, crate::ir::FuncId), String> {
    let callee = places.funcs[&block.function];
    let declared = &out.module.funcs[callee];
    let (name, params) = (format!("{}.block", declared.name), declared.params.clone());
    let Some((&first, locals)) = params.split_first() else { return Err("a block's function has a parameter".into()) };
    let fits = first.is_ptr() && locals.iter().all(|&ty| ty == Type::ptr(AddrSpace::Local));
    if !fits || declared.ret.is_some() || declared.is_kernel {
        return Err("this is no function of a block".into());
    }
    let (first_local, bytes) = arg_block(block, locals.len());
    let own = std::iter::once(Type::ptr(AddrSpace::Constant)).chain(locals.iter().copied()).collect();
    let mut func = Func::new(name.clone(), own, None);
    func.is_kernel = true;
    let entry = func.entry();
    let mut args = func.blocks[entry].params.clone();
    let mut e = Emitter::new(out, func, Span::DUMMY);
    let slot = e.slot("", block.size, block.align as u32);
    let copy = e.slot_ptr(slot, block.align as u32);
    e.copy_bytes(copy, args[0], block.size, Attr::default());
    args[0] = e.cast_pointer(copy, first);
    e.push(Kir::Call, None, &args, Imm::Func(callee), Attr::default());
    e.end(Term::Ret(None));
    let func = e.func;
    let arg = |kind, offset, size| ArgInfo {
        name: String::new(),
        type_name: String::new(),
        kind,
        offset,
        size,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: 0,
    };
    let of_locals = (0..locals.len()).map(|n| arg(ArgKind::Local, first_local + 8 * n, 8));
    let args = std::iter::once(arg(ArgKind::Value, 0, block.size as usize)).chain(of_locals).collect();
    let info = KernelInfo { name, args, arg_block_bytes: bytes, is_block: true, ..KernelInfo::default() };
    Ok((info, out.module.funcs.push(func)))
}
