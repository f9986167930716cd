//! Checks of memory accesses: inside the object that the pointer was made from, permitted there, and aligned; and,
//! where the pointer was made by indexing an array within it, one of the array's elements. What is known to be right
//! gets none. A bad read goes on with zeros, a bad write is left out, but those that are inside and lack the permission
//! are made, as they are without checks: programs that do so work, and what comes behind is looked at as it is.

use super::companions::Companions;
use super::copies;
use super::objects::{self, Root};
use super::site;
use crate::check::{FIRST_ADDRESS, ITEM_BITS};
use crate::ir::check::Checked;
use crate::ir::{
    Attr, Block, Builder, Flags, Func, FuncId, Imm, Inst, IntPred, Module, Op, Target, Term, Type, Value, ValueDef,
};
use crate::launch::{AddrSpace, ArgKind};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// How many bytes.
#[derive(Clone, Copy)]
pub(super) enum Bytes {
    Known(u64),
    Value(Value),
}

/// Memory that an instruction touches.
#[derive(Clone, Copy)]
pub(super) struct Touched {
    pub pointer: Value,
    pub bytes: Bytes,
    pub writes: bool,
    pub align: u64,
}

/// A check of an access.
enum Check {
    Object(InObject),
    Element(InArray),
}

/// What the check of an index compares.
struct InArray {
    writes: bool,
    object: Value,
    offset: Value,
    index: Value,
    count: u64,
}

/// What the check of an object compares.
pub(super) struct InObject {
    pub touched: Touched,
    object: Value,
    offset: Value,
    limit: Value,
    /// Bytes of what need not be permitted, if that may be more.
    inside: Option<Value>,
    /// Bytes, if the compiler knows them.
    known_limit: Option<u64>,
    is_aligned: bool,
    root: Root,
}

/// Checks a function of a module, from which it has been taken out.
pub(super) fn run(module: &mut Module, id: FuncId, func: &mut Func) {
    let kernel = module.kernels.iter().position(|(_, kernel)| *kernel == id);
    let kinds: Vec<ArgKind> =
        kernel.map_or_else(Vec::new, |k| module.kernels[k].0.args.iter().map(|arg| arg.kind).collect());
    let pointers = objects::pointers(func, &|n| kinds.get(n).is_some_and(|kind| kind.is_opaque()));
    // `#pragma CLIFT CHECK OFF`
    let is_checked = |inst: Inst| {
        let data = &func.insts[inst];
        !data.attr.flags.contains(Flags::IN_RANGE) && module.is_checked(func, data.origin)
    };
    let accesses: Vec<(Block, Inst)> = func.live_insts().filter(|&(_, inst)| is_checked(inst)).collect();
    let mut companions = Companions::new(func, module, kernel, pointers);
    let own = library_variables(&companions);
    let mut todo: Vec<(Block, Inst, SmallVec<[Check; 2]>)> = Vec::new();
    let mut copies: Vec<copies::Copy> = Vec::new();
    for (block, inst) in accesses {
        let mut checks: SmallVec<[Check; 2]> = SmallVec::new();
        for touched in touched(companions.func, inst) {
            if !is_right(&companions, &touched) && !is_library(&companions, &own, inst, &touched) {
                checks.push(Check::Object(InObject::new(&mut companions, touched)));
            }
            in_arrays(&mut companions, touched, &mut checks);
        }
        if !checks.is_empty() {
            todo.push((block, inst, checks));
        }
        if companions.func.insts[inst].op == Op::AsyncCopy {
            copies.push(copies::Copy::new(&mut companions, inst));
        }
    }
    companions.place();
    guard_all(module, id, func, todo);
    if func.is_kernel {
        copies::guard_all(module, id, func, copies);
    }
    forget_elements(func);
}

/// Adds checks of the indices that a pointer was made by, from the outermost array on.
fn in_arrays(companions: &mut Companions<'_>, touched: Touched, checks: &mut SmallVec<[Check; 2]>) {
    let mut found: SmallVec<[(Value, u64); 2]> = SmallVec::new();
    let mut at = touched.pointer;
    while let Some(data) = companions.func.def_inst(at)
        && matches!(data.op, Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element)
    {
        if data.op == Op::Element {
            found.push((data.args[1], companions.func.const_bits(data.args[2]).unwrap_or(u64::MAX)));
        }
        at = data.args[0];
    }
    for (index, count) in found.into_iter().rev() {
        let (object, offset) = (companions.whole(touched.pointer).object, companions.offset(touched.pointer));
        checks.push(Check::Element(InArray { writes: touched.writes, object, offset, index, count }));
    }
}

/// What has been checked is an address like any other.
fn forget_elements(func: &mut Func) {
    let insts: Vec<Inst> = func.live_insts().map(|(_, inst)| inst).collect();
    for inst in insts {
        let data = &mut func.insts[inst];
        if data.op == Op::Element {
            (data.op, data.imm) = (Op::PtrOff, Imm::Disp(0));
            data.args.truncate(1);
        }
    }
}

/// What an instruction touches, but for what is convergent.
fn touched(func: &Func, inst: Inst) -> SmallVec<[Touched; 2]> {
    let data = &func.insts[inst];
    let value = |n: usize, of: Value, writes: bool| {
        let ty = func.ty(of);
        let align = if data.attr.align == 0 { ty.elem.bytes().into() } else { u64::from(data.attr.align) };
        let bytes = Bytes::Known(ty.bytes().into());
        Touched { pointer: data.args[n], bytes, writes, align }
    };
    let block = |n: usize, count: Value, writes: bool| {
        let bytes = func.const_bits(count).map_or(Bytes::Value(count), Bytes::Known);
        Touched { pointer: data.args[n], bytes, writes, align: 1 }
    };
    match (data.op, data.result) {
        (Op::Load | Op::AtomicLoad, Some(result)) => [value(0, result, false)].into_iter().collect(),
        (Op::Store | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas, _) => {
            [value(0, data.args[1], true)].into_iter().collect()
        }
        (Op::Memset, _) => [block(0, data.args[2], true)].into_iter().collect(),
        (Op::Memcpy, _) => [block(0, data.args[2], true), block(1, data.args[2], false)].into_iter().collect(),
        _ => SmallVec::new(),
    }
}

/// True if an access needs no check.
fn is_right(companions: &Companions<'_>, touched: &Touched) -> bool {
    let pointer = companions.pointer(touched.pointer);
    if pointer.root == Root::Opaque {
        return true;
    }
    let (Some(at), Bytes::Known(bytes)) = (companions.known_offset(touched.pointer), touched.bytes) else {
        return matches!(touched.bytes, Bytes::Known(0));
    };
    let Some((readable, writable)) = companions.known_size(pointer.root) else { return false };
    let limit = if touched.writes { writable } else { readable };
    let aligned = at as u64 & (touched.align - 1) == 0;
    bytes == 0 || at >= 0 && aligned && (at as u64).checked_add(bytes).is_some_and(|end| end <= limit)
}

/// The variables that functions of the library have for themselves.
fn library_variables(companions: &Companions<'_>) -> FxHashSet<Root> {
    let (mut own, mut others) = (FxHashSet::default(), FxHashSet::default());
    for (_, inst) in companions.func.live_insts() {
        let root = match companions.func.insts[inst].imm {
            Imm::Slot(slot) => Root::Slot(slot),
            Imm::Global(var) => Root::Global(var),
            _ => continue,
        };
        if companions.is_library(inst) {
            own.insert(root)
        } else {
            others.insert(root)
        };
    }
    own.retain(|root| !others.contains(root));
    own
}

/// True for what the library does with memory of its own.
fn is_library(companions: &Companions<'_>, own: &FxHashSet<Root>, inst: Inst, touched: &Touched) -> bool {
    own.contains(&companions.pointer(touched.pointer).root) && companions.is_library(inst)
}

impl InObject {
    pub(super) fn new(companions: &mut Companions<'_>, touched: Touched) -> Self {
        let pointer = companions.pointer(touched.pointer);
        let whole = companions.whole(touched.pointer);
        let offset = companions.offset(touched.pointer);
        let known = companions.known_size(pointer.root);
        let is_constant = companions.func.ty(touched.pointer) == Type::ptr(AddrSpace::Constant);
        let other = if touched.writes { whole.readable } else { whole.writable };
        Self {
            touched,
            object: whole.object,
            offset,
            limit: if touched.writes { whole.writable } else { whole.readable },
            inside: (known.is_none() && !is_constant).then_some(other),
            known_limit: known.map(|(readable, writable)| if touched.writes { writable } else { readable }),
            is_aligned: touched.align <= 1 || touched.align.trailing_zeros() <= pointer.align,
            root: pointer.root,
        }
    }

    /// True at run time if the access is right.
    pub(super) fn condition(&self, b: &mut Builder<'_>) -> Value {
        self.is_within(b, self.limit)
    }

    /// True at run time if an access that is not right is made all the same.
    pub(super) fn excuse(&self, b: &mut Builder<'_>) -> Option<Value> {
        self.inside.map(|inside| self.is_within(b, inside))
    }

    /// True at run time if the access is aligned, and within so many bytes if the compiler knows no limit.
    fn is_within(&self, b: &mut Builder<'_>, limit: Value) -> Value {
        let inside = match (self.touched.bytes, self.known_limit) {
            (Bytes::Known(bytes), Some(limit)) => {
                let places = (limit + 1).saturating_sub(bytes);
                b.icmp_bits(IntPred::ULt, self.offset, places)
            }
            (Bytes::Known(1), None) => b.icmp(IntPred::ULt, self.offset, limit),
            (Bytes::Known(bytes), None) => {
                let places = b.op_bits(Op::SubSatU, limit, bytes - 1);
                b.icmp(IntPred::ULt, self.offset, places)
            }
            (Bytes::Value(bytes), _) => {
                let begins = b.icmp(IntPred::ULe, self.offset, limit);
                let room = b.op(Op::Sub, &[limit, self.offset]);
                let ends = b.icmp(IntPred::ULe, bytes, room);
                let inside = b.op(Op::And, &[begins, ends]);
                let nothing = b.icmp_bits(IntPred::Eq, bytes, 0);
                b.op(Op::Or, &[inside, nothing])
            }
        };
        if self.is_aligned {
            return inside;
        }
        // What the compiler numbers is aligned, what has an address is where that says.
        let place = match self.root {
            Root::Found(_) => b.op(Op::Add, &[self.object, self.offset]),
            Root::Joined(_) => {
                let is_address = b.icmp_bits(IntPred::UGe, self.object, FIRST_ADDRESS);
                let zero = b.i64(0);
                let start = b.op(Op::Select, &[is_address, self.object, zero]);
                b.op(Op::Add, &[start, self.offset])
            }
            _ => self.offset,
        };
        let low = b.op_bits(Op::And, place, self.touched.align - 1);
        let aligned = b.icmp_bits(IntPred::Eq, low, 0);
        b.op(Op::And, &[inside, aligned])
    }

    pub(super) fn report(&self, b: &mut Builder<'_>, number: u64) {
        let bytes = match self.touched.bytes {
            Bytes::Known(bytes) => b.i64(bytes as i64),
            Bytes::Value(bytes) => bytes,
        };
        report(b, number, [self.object, self.offset, self.limit, bytes]);
    }
}

impl Check {
    fn site(&self, is_atomic: bool) -> Checked {
        match self {
            Self::Object(InObject { touched: Touched { writes, align, .. }, .. }) => {
                Checked::Access { writes: *writes, is_atomic, align: *align }
            }
            Self::Element(InArray { writes, count, .. }) => Checked::Element { writes: *writes, count: *count },
        }
    }
    fn condition(&self, b: &mut Builder<'_>) -> Value {
        match self {
            Self::Object(check) => check.condition(b),
            Self::Element(check) => b.icmp_bits(IntPred::ULt, check.index, check.count),
        }
    }
    /// True at run time if an access that is not right is made all the same.
    fn excuse(&self, b: &mut Builder<'_>) -> Option<Value> {
        match self {
            Self::Object(check) => check.excuse(b),
            Self::Element(_) => None,
        }
    }
    fn report(&self, b: &mut Builder<'_>, number: u64) {
        match self {
            Self::Object(check) => check.report(b, number),
            Self::Element(InArray { object, offset, index, .. }) => {
                let nothing = b.i64(0);
                report(b, number, [*object, *offset, *index, nothing]);
            }
        }
    }
}

/// Reports a finding of the work-item.
pub(super) fn report(b: &mut Builder<'_>, number: u64, [object, offset, limit, bytes]: [Value; 4]) {
    let number = b.i64(number as i64);
    let mut args = vec![number, object, offset, limit, bytes];
    if b.func.is_kernel {
        let ask = |b: &mut Builder<'_>, op: Op, d: u8| b.emit(op, Type::I64, &[], Imm::Dim(d));
        let mut item = ask(b, Op::Lid, 0);
        for d in 1..3 {
            let lid = ask(b, Op::Lid, d);
            let high = b.op_bits(Op::Shl, lid, u64::from(d) * u64::from(ITEM_BITS));
            item = b.op(Op::Or, &[item, high]);
        }
        args.push(item);
        args.extend([0, 1, 2].map(|d| ask(b, Op::Grp, d)));
    } else {
        let nobody = b.i64(-1);
        args.extend([nobody; 4]);
    }
    b.push(Op::CheckReport, None, &args, Imm::None, Attr::default());
}

/// Puts accesses behind their checks.
fn guard_all(module: &mut Module, id: FuncId, func: &mut Func, todo: Vec<(Block, Inst, SmallVec<[Check; 2]>)>) {
    let mut todo = todo.into_iter().peekable();
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        let mut at = block;
        while let Some((_, inst, checks)) = todo.next_if(|next| next.0 == block) {
            let (new, rest) = guard(module, id, func, at, inst, &checks);
            layout.extend(new);
            at = rest;
        }
    }
    func.layout = layout;
}

/// Splits a block at an access. The new blocks in order, and that which has what came behind it.
fn guard(
    module: &mut Module,
    id: FuncId,
    func: &mut Func,
    block: Block,
    inst: Inst,
    checks: &[Check],
) -> (Vec<Block>, Block) {
    let place = func.blocks[block].insts.iter().position(|&i| i == inst).expect("in its block");
    let rest = func.blocks[block].insts.split_off(place + 1);
    func.blocks[block].insts.pop();
    let [good, after] = [0; 2].map(|_| func.add_block());
    func.blocks[after].insts = rest;
    func.blocks[after].term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
    func.blocks[good].insts.push(inst);
    let (origin, is_atomic) = (func.insts[inst].origin, is_atomic(func.insts[inst].op));
    let result = func.insts[inst].result;
    let mut handed: SmallVec<[Value; 4]> = SmallVec::new();
    if let Some(old) = result {
        let ty = func.ty(old);
        let made = func.values.push(crate::ir::func::ValueData { ty, def: ValueDef::Inst(inst) });
        func.insts[inst].result = Some(made);
        func.blocks[after].params.push(old);
        func.values[old].def = ValueDef::Param(after, 0);
        handed.push(made);
    }
    func.blocks[good].term = Term::Jump(Target { block: after, args: handed });
    let mut new = Vec::new();
    let mut at = block;
    for (n, check) in checks.iter().enumerate() {
        let number = site(module, id, origin, check.site(is_atomic));
        let bad = func.add_block();
        let next = if n + 1 == checks.len() { good } else { func.add_block() };
        let mut b = Builder::new(func, at).with_origin(origin);
        let ok = check.condition(&mut b);
        b.branch(ok, next, bad);
        let mut b = Builder::new(func, bad).with_origin(origin);
        check.report(&mut b, number);
        let zero: SmallVec<[Value; 1]> = result.map(|old| b.bits(b.func.ty(old), 0)).into_iter().collect();
        let refused = Target { block: after, args: zero.into_iter().collect() };
        let end = match check.excuse(&mut b) {
            Some(cond) => Term::Br { cond, then: Target::plain(next), els: refused },
            None => Term::Jump(refused),
        };
        b.end(end);
        new.extend([bad, next]);
        at = next;
    }
    new.push(after);
    (new, after)
}

fn is_atomic(op: Op) -> bool {
    matches!(op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas)
}
