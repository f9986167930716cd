//! Puts `Op::Track` in front of each access to memory that other work-items reach, `Op::Meet` behind what orders
//! work-items, in front of what all work-items have to reach, and of what enqueues kernels, for `crate::race`: in
//! kernel form, when all is done that takes accesses away. The operations touch no memory that the program sees, so
//! that what follows makes of the accesses what it always makes.
//!
//! ```text
//! %3: f32 = load %2   →   track %2, code; %3: f32 = load %2
//! barrier 1           →   meet code; barrier 1
//! ```
//! Left out are private memory, constant memory, the packets of pipes, which the library's functions hand over, and
//! what is known to be right. For races that is arguments' memory that is only read or of which work-items have their
//! bytes to themselves (`SpecKey::apart`), and local memory where barriers or ids keep work-items apart
//! (`analysis::intervals`).
//! For memory never written it is that of arguments that all has been (`SpecKey::written`).
//!
//! A kernel that still calls functions which touch memory tells of nothing, since half of it would raise false alarms:
//! what it accesses is unknown. Linear, but for at most `intervals::MOST` accesses to a variable.

use crate::analysis::alias::is_pure_call;
use crate::analysis::footprint::root;
use crate::analysis::{intervals, replaced};
use crate::check::Kinds;
use crate::device::DeviceFn;
use crate::ir::op::{Flags, Order};
use crate::ir::origin::Origin;
use crate::ir::{
    Attr, Block, Builder, FENCE_WAIT, Func, Imm, Inst, InstData, Met, MetKind, Module, Op, Tracked, Type, Value,
    ValueDef,
};
use crate::launch::{AddrSpace, ArgKind, KernelInfo, SpecKey};
use crate::race::{self, Code, Form, MAX_BYTES, MAX_SITES, Meeting, Space};
use rustc_hash::FxHashSet;

/// True if code of a module is to say what it accesses, or where its work-items meet.
pub fn is_wanted(module: &Module) -> bool {
    module.checks.kinds.intersects(Kinds::RACES | Kinds::VALUES | Kinds::BARRIERS)
}

/// Runs the pass on a kernel of launches like `key`; `sub_group` is its size if the kernel asks for any.
pub fn run(func: &mut Func, module: &Module, info: &KernelInfo, key: &SpecKey, sub_group: Option<u8>) {
    let is_unknown = |data: &InstData| {
        let is_own = data.callee().is_some_and(|callee| !module.funcs[callee].is_builtin);
        data.op == Op::Call && is_own && !is_pure_call(data)
    };
    let kinds = module.checks.kinds;
    let is_half = func.live_insts().any(|(_, inst)| is_unknown(&func.insts[inst]));
    let copies =
        kinds.contains(Kinds::BARRIERS) && func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::AsyncCopy);
    let accesses = (kinds.intersects(Kinds::RACES | Kinds::VALUES) || copies) && !is_half;
    let is_parted = accesses && kinds.contains(Kinds::RACES);
    let ordered = if is_parted { intervals::ordered(func, key.local_size) } else { FxHashSet::default() };
    let written = key.written;
    let replaced = if accesses { replaced::find(func) } else { FxHashSet::default() };
    let mut pass = Track {
        module,
        info,
        quiet: key.apart,
        written,
        replaced,
        sub_group,
        copies,
        is_checked: true,
        is_ordered: false,
    };
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for inst in insts {
            let data = func.insts[inst].clone();
            pass.is_checked = pass.is_checked(func, data.origin);
            pass.is_ordered = ordered.contains(&inst);
            let mut b = Builder::new(func, block).with_origin(data.origin);
            if data.op == Op::SgMeet {
                if pass.is_checked {
                    b.place(inst);
                }
                continue;
            }
            if accesses {
                pass.in_front_of(&mut b, &data);
            }
            if kinds.contains(Kinds::BARRIERS) && data.op.is_convergent() {
                pass.arrive(&mut b, &data);
            }
            b.place(inst);
            if accesses {
                pass.behind(&mut b, &data);
            }
        }
    }
    number_sub_groups(func);
}

/// Numbers what work-items of sub-groups have to reach, behind what those of groups have to.
fn number_sub_groups(func: &mut Func) {
    let found: Vec<(Block, Inst)> = func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::SgMeet).collect();
    for (block, inst) in found {
        let (origin, site) = (func.insts[inst].origin, func.met.len() as u32);
        func.met.push(Met { origin, what: MetKind::SubGroup, is_checked: true });
        let code = Builder::before(func, block, inst).i64(Meeting::Come { site, first: 0 }.to_bits() as i64);
        func.insts[inst].args.push(code);
    }
}

struct Track<'a> {
    module: &'a Module,
    info: &'a KernelInfo,
    /// Arguments, by number, on whose memory nothing races.
    quiet: u64,
    /// Arguments whose memory has been written.
    written: u64,
    /// Vectors whose components need not have been written.
    replaced: FxHashSet<Value>,
    sub_group: Option<u8>,
    /// There are asynchronous copies, which may be under way.
    copies: bool,
    /// The source wants the current instruction checked; else it tells only of what it writes.
    is_checked: bool,
    /// Nothing races with the current instruction.
    is_ordered: bool,
}

/// What is accessed.
#[derive(Clone, Copy)]
struct Access {
    ptr: Value,
    bytes: u32,
    components: u32,
    kind: race::Kind,
    order: race::Order,
    /// A read-modify-write.
    reads: bool,
    /// What is stored.
    value: Option<Value>,
    /// What is read must have been written.
    needs_value: bool,
}

impl Access {
    fn plain(ptr: Value, ty: Type, writes: bool) -> Self {
        let components = u32::from(ty.lanes);
        let kind = race::Kind { writes, atomic: false };
        let order = race::Order::default();
        Self { ptr, bytes: ty.bytes(), components, kind, order, reads: false, value: None, needs_value: true }
    }
    /// Memory that is copied or filled.
    fn range(ptr: Value, bytes: u32, writes: bool) -> Self {
        let kind = race::Kind { writes, atomic: false };
        // As a vector, so that padding may be without contents.
        let order = race::Order::default();
        Self { ptr, bytes, components: 15, kind, order, reads: false, value: None, needs_value: true }
    }
}

impl Track<'_> {
    /// Unless the source says otherwise where an instruction, or the call of the library that it is of, stands.
    fn is_checked(&self, func: &Func, mut at: Origin) -> bool {
        while let Some(site) = func.origins.call(at.site)
            && self.module.funcs[site.callee].is_builtin
        {
            at = site.call;
        }
        self.module.is_checked(func, at)
    }

    fn in_front_of(&self, b: &mut Builder<'_>, data: &InstData) {
        let arg = |n: usize| data.args[n];
        let ty = |v: Option<Value>, b: &Builder<'_>| v.map_or(Type::I8, |v| b.func.ty(v));
        match data.op {
            Op::Load if !data.attr.flags.contains(Flags::INVARIANT) => {
                let needs_value = data.result.is_none_or(|v| !self.replaced.contains(&v));
                let ty = ty(data.result, b);
                self.add(b, Access { needs_value, ..Access::plain(arg(0), ty, false) });
            }
            Op::Store => {
                let ty = ty(Some(arg(1)), b);
                self.add(b, Access { value: Some(arg(1)), ..Access::plain(arg(0), ty, true) });
            }
            Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas => {
                let ty = ty(data.result.or(data.args.get(1).copied()), b);
                let (writes, reads) = (data.op != Op::AtomicLoad, data.op != Op::AtomicStore);
                let kind = race::Kind { writes, atomic: true };
                let order = ordering(data.attr.order, writes, reads);
                self.add(b, Access { kind, order, reads, ..Access::plain(arg(0), ty, writes) });
            }
            Op::Memcpy | Op::Memset => {
                let count = arg(2);
                if data.op == Op::Memcpy {
                    self.add_range(b, arg(1), count, false);
                }
                self.add_range(b, arg(0), count, true);
            }
            Op::AsyncCopy => self.add_copy(b, data),
            Op::Device if enqueues(data) => self.meet(b, Meeting::Enqueue),
            _ => {}
        }
    }

    /// All work-items have to reach the next instruction.
    fn arrive(&self, b: &mut Builder<'_>, data: &InstData) {
        let what = match (data.op, &data.imm) {
            (Op::Barrier, Imm::FenceFlags(flags)) if flags & FENCE_WAIT != 0 => MetKind::Wait,
            (Op::Barrier, _) => MetKind::Barrier,
            (Op::AsyncCopy, _) => MetKind::Copy,
            _ => MetKind::Collective,
        };
        let site = b.func.met.len() as u32;
        b.func.met.push(Met { origin: data.origin, what, is_checked: self.is_checked });
        self.meet(b, Meeting::Arrive { site });
    }

    fn behind(&self, b: &mut Builder<'_>, data: &InstData) {
        let meeting = match (data.op, self.sub_group) {
            (Op::Fence, _) => Meeting::Fence,
            (op, Some(items)) if op.is_sub_group() => Meeting::SubGroup { items: items.into() },
            _ => return,
        };
        self.meet(b, meeting);
    }

    fn meet(&self, b: &mut Builder<'_>, meeting: Meeting) {
        let code = b.i64(meeting.to_bits() as i64);
        b.push(Op::Meet, None, &[code], Imm::None, Attr::default());
    }

    /// A range of memory, in pieces that a `Code` can tell of; of any other it tells only that it is written.
    fn add_range(&self, b: &mut Builder<'_>, ptr: Value, count: Value, writes: bool) {
        const PIECE: u64 = 1024;
        const MOST: u64 = 16 * PIECE;
        match b.func.const_bits(count) {
            Some(0) => {}
            Some(bytes) if bytes <= MOST => {
                for at in (0..bytes).step_by(PIECE as usize) {
                    let piece = (bytes - at).min(PIECE) as u32;
                    if self.space(b.func, ptr).is_some() {
                        let ptr = b.ptr_off(ptr, at as i64);
                        self.add(b, Access::range(ptr, piece, writes));
                    }
                }
            }
            _ if writes => self.add(b, Access { value: Some(count), ..Access::range(ptr, 0, true) }),
            _ => {}
        }
    }

    /// The group's copy, up to the last byte that it writes.
    fn add_copy(&self, b: &mut Builder<'_>, data: &InstData) {
        let (to, bytes, lines, line) = (data.args[0], data.args[2], data.args[3], data.args[4]);
        let (planes, plane) = (data.args[6], data.args[7]);
        let step = b.op(Op::MaxU, &[line, bytes]);
        let whole = b.op(Op::Mul, &[lines, step]);
        let step = b.op(Op::MaxU, &[plane, whole]);
        let count = b.op(Op::Mul, &[planes, step]);
        self.add(b, Access { value: Some(count), ..Access::range(to, 0, true) });
    }

    /// Where a pointer may point, unless that is nobody else's business.
    fn space(&self, func: &Func, ptr: Value) -> Option<Space> {
        let ty = func.ty(root(func, ptr));
        let of = |space: AddrSpace| ty == Type::ptr(space);
        match () {
            () if of(AddrSpace::Private) || of(AddrSpace::Constant) => None,
            () if of(AddrSpace::Global) => Some(Space::Global),
            () if of(AddrSpace::Local) => Some(Space::Local),
            () => Some(Space::Generic),
        }
    }

    fn add(&self, b: &mut Builder<'_>, access: Access) {
        let Some(space) = self.space(b.func, access.ptr) else { return };
        let kinds = self.module.checks.kinds;
        let (object, arg) = self.object(b.func, access.ptr);
        if arg
            .is_some_and(|n| self.info.args.get(n as usize).is_some_and(|arg| matches!(arg.kind, ArgKind::Pipe { .. })))
        {
            return;
        }
        let is_in = |args: u64| space == Space::Global && arg.is_some_and(|n| n < 64 && args >> n & 1 != 0);
        let is_quiet = is_in(self.quiet) || self.is_ordered;
        let races = kinds.contains(Kinds::RACES) && access.bytes > 0 && !is_quiet && self.is_checked;
        let asks = self.is_checked && access.needs_value;
        let values = kinds.contains(Kinds::VALUES) && !is_in(self.written) && (access.kind.writes || asks);
        let meets_copies = self.copies && access.bytes > 0 && self.is_checked;
        if !races && !values && !meets_copies {
            return;
        }
        debug_assert!(access.bytes <= MAX_BYTES);
        let site = (b.func.tracked.len() % usize::from(MAX_SITES)) as u16;
        let Access { bytes, components, kind, order, .. } = access;
        let reads = access.reads && self.is_checked;
        let code =
            Code { bytes, site, kind, order, reads, space, form: Form::One, components, races, values, lanes: false };
        let (writes, atomic, origin) = (kind.writes, kind.atomic, b.origin);
        b.func.tracked.push(Tracked { origin, object, arg, writes, atomic, bytes });
        let code = b.i64(code.to_bits() as i64);
        let args: Vec<Value> = [access.ptr, code].into_iter().chain(access.value).collect();
        b.push(Op::Track, None, &args, Imm::None, Attr::default());
    }

    /// What a pointer was made from, if that has a name, and the number of the argument.
    fn object(&self, func: &Func, ptr: Value) -> (String, Option<u32>) {
        let root = root(func, ptr);
        match func.values[root].def {
            ValueDef::Param(block, n) if block == func.entry() => {
                let name = self.info.args.get(n as usize).map_or_else(String::new, |arg| arg.name.clone());
                (name, Some(n))
            }
            ValueDef::Inst(inst) => (self.variable(func, inst), None),
            ValueDef::Param(..) => (String::new(), None),
        }
    }

    fn variable(&self, func: &Func, inst: Inst) -> String {
        match func.insts[inst].imm {
            Imm::LocalVar(id) => self.module.locals[id].name.clone(),
            Imm::Global(id) => self.module.globals[id].name.clone(),
            _ => String::new(),
        }
    }
}

/// True for what another launch may wait for.
fn enqueues(data: &InstData) -> bool {
    matches!(data.imm, Imm::Device(DeviceFn::Enqueue | DeviceFn::SetStatus, _))
}

fn ordering(order: Order, writes: bool, reads: bool) -> race::Order {
    let releases = writes && matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
    let acquires = reads && matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst);
    race::Order { releases, acquires }
}
