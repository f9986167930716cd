//! The outer function: entry, group loop, and the control flow from region to region.

use super::collective::Gather;
use super::cuts::{Cut, CutKind, split, split_branches};
use super::geometry::{Group, ItemLoop, Launch};
use super::live::{Live, analyse};
use super::record::{Column, Record, layout};
use super::region::Plan;
use super::uniform::Uniformity;
use super::{LocalLayout, Sharing, WorkGroup};
use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, Slot, SlotId, Target, Term, Type, Value};
use crate::launch::{AddrSpace, KernelInfo, SpecKey};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// State of one assembly.
pub(super) struct Asm<'a> {
    /// The kernel, split at its cuts.
    pub old: &'a Func,
    pub cuts: &'a [Cut],
    pub live: &'a Live,
    pub uniformity: &'a Uniformity,
    pub record: Record,
    pub locals: &'a LocalLayout,
    pub key: SpecKey,
    /// Dimensions of the loops over work-items, the outermost first.
    pub nest: [usize; 3],
    /// The function being made.
    pub new: Func,
    /// Where instructions go.
    pub block: Block,
    pub span: Span,
    /// Copies of the kernel's slots for the region that is being made, where they are not in the record.
    pub slots: FxHashMap<SlotId, SlotId>,
    /// Group-wide results of collectives, by cut.
    pub results: FxHashMap<usize, SlotId>,
    /// What loops over work-items gather for convergent instructions.
    pub gathers: FxHashMap<Inst, Gather>,
    /// Values of the group's that live across cuts.
    pub shared: FxHashMap<Value, SlotId>,
    /// Addresses of the columns.
    columns: FxHashMap<Column, Value>,
    launch: Option<Launch>,
    group: Option<Group>,
}

/// Makes the work-group function of a kernel.
pub(super) fn assemble(
    kernel: &Func,
    info: &KernelInfo,
    locals: &LocalLayout,
    key: SpecKey,
    sharing: Sharing,
) -> WorkGroup {
    let mut old = kernel.clone();
    if key.small_ids {
        super::small::mark(&mut old, key.local_size);
    }
    let mut cuts = split(&mut old);
    let uniformity = Uniformity::new(&old, &cuts);
    let mut plan = Plan::new(&old, &cuts, &uniformity, sharing);
    if cuts.len() > 1 && !plan.resume {
        split_branches(&mut old, &mut cuts, &uniformity);
        plan = Plan::new(&old, &cuts, &uniformity, sharing);
    }
    let live = analyse(&old, &cuts, &uniformity);
    let record = layout(&old, &cuts, &live, plan.track_alive);
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut new = Func::new(kernel.name.clone(), vec![ptr, ptr, Type::I64, Type::I64], None);
    new.local_bytes = locals.bytes;
    let block = new.entry();
    let mut asm = Asm {
        old: &old,
        cuts: &cuts,
        live: &live,
        uniformity: &uniformity,
        record,
        locals,
        key,
        nest: super::along::nest(info, key),
        new,
        block,
        span: Span::DUMMY,
        slots: FxHashMap::default(),
        results: FxHashMap::default(),
        gathers: FxHashMap::default(),
        shared: FxHashMap::default(),
        columns: FxHashMap::default(),
        launch: None,
        group: None,
    };
    asm.launch = Some(asm.launch_values(&info.args));
    asm.make_columns();
    let groups = asm.open_groups();
    asm.group = Some(groups.values());
    asm.regions(&plan);
    asm.close_groups(&groups);
    let scratch_per_item = asm.record.bytes as usize;
    WorkGroup { func: asm.new, scratch_per_item }
}

impl Asm<'_> {
    pub(super) fn launch(&self) -> &Launch {
        self.launch.as_ref().expect("set before any region")
    }
    /// The address of the launch's `Env`.
    pub(super) fn env(&self) -> Value {
        self.new.blocks[self.new.entry()].params[1]
    }
    pub(super) fn group(&self) -> Group {
        self.group.expect("set before any region")
    }

    /// Computes where the columns lie.
    fn make_columns(&mut self) {
        let mut columns: Vec<Column> = self.record.columns().collect();
        columns.sort_unstable_by_key(|column| column.at);
        for column in columns {
            let (scratch, items) = (self.launch().scratch, self.launch().items);
            let at = self.i64(column.at as i64);
            let at = self.same(Op::Mul, &[items, at]);
            let ptr = self.new.ty(scratch);
            let address = self.emit(Op::PtrAdd, ptr, &[scratch, at], Imm::Scale { scale: 1, disp: 0 });
            self.columns.insert(column, address);
        }
    }

    /// A work-item's element of a column: base and index, and the scale between.
    pub(super) fn element(&self, column: Column, items: &ItemLoop) -> ([Value; 2], Imm) {
        let scale = u32::try_from(column.size).expect("private memory is limited");
        ([self.columns[&column], items.index], Imm::Scale { scale, disp: 0 })
    }

    /// The address of a work-item's element of a column.
    pub(super) fn kept(&mut self, column: Column, items: &ItemLoop) -> Value {
        let (args, imm) = self.element(column, items);
        self.emit(Op::PtrAdd, Type::ptr(AddrSpace::Private), &args, imm)
    }

    /// Emits all regions and cut handlers of a group; goes on behind the group's end.
    fn regions(&mut self, plan: &Plan) {
        let end = self.new.add_block();
        let starts: Vec<Block> = self.cuts.iter().map(|_| self.new.add_block()).collect();
        let handlers: Vec<Block> = self.cuts.iter().map(|_| self.new.add_block()).collect();
        let exit = self.slot_for(Type::I64);
        let first = self.new.add_block();
        if plan.resume {
            let zero = self.i64(0);
            self.write_slot(exit, zero);
        }
        self.jump(first);
        if plan.resume {
            // One region; the slot says where all work-items are.
            self.enter(first);
            let pc = self.read_slot(exit, Type::I64);
            // A work-item that returns leaves no number.
            let zero = self.i64(0);
            self.write_slot(exit, zero);
            let all: Vec<usize> = (0..self.cuts.len()).collect();
            self.region(&all, Some(pc), Some(exit), plan);
            self.dispatch(exit, 1..self.cuts.len(), &handlers, end);
        } else {
            for (k, &start) in starts.iter().enumerate() {
                if !plan.reachable[k] || self.cuts[k].kind == CutKind::Branch {
                    continue;
                }
                self.enter(if k == 0 { first } else { start });
                let exits = &plan.exits[k];
                match exits.cuts[..] {
                    [] => {
                        self.region(&[k], None, None, plan);
                        self.jump(end);
                    }
                    [only] if !exits.ret => {
                        self.region(&[k], None, None, plan);
                        self.jump(handlers[only]);
                    }
                    _ => {
                        let zero = self.i64(0);
                        self.write_slot(exit, zero);
                        self.region(&[k], None, Some(exit), plan);
                        self.dispatch(exit, exits.cuts.iter().copied(), &handlers, end);
                    }
                }
            }
        }
        for k in 1..self.cuts.len() {
            if !plan.reachable[k] {
                continue;
            }
            self.enter(handlers[k]);
            match self.cuts[k].kind {
                CutKind::Start => self.jump(starts[k]),
                CutKind::Convergent => {
                    self.meet(k);
                    self.jump(if plan.resume { first } else { starts[k] });
                }
                CutKind::Branch => self.group_branch(k, &handlers),
            }
        }
        self.enter(end);
    }

    /// Goes to the handler of the cut whose number is in `exit`, or to `end`.
    fn dispatch(&mut self, exit: SlotId, cuts: impl Iterator<Item = usize>, handlers: &[Block], end: Block) {
        let value = self.read_slot(exit, Type::I64);
        let cases = cuts.map(|k| (k as u64, Target::plain(handlers[k]))).collect();
        self.end(Term::Switch { value, cases, default: Target::plain(end) });
    }

    // ---- instructions

    pub(super) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.new.make_inst(op, ty, args, imm, attr, self.span);
        self.new.blocks[self.block].insts.push(inst);
        self.new.insts[inst].result
    }
    pub(super) fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.emit_attr(op, ty, args, imm, Attr::default())
    }
    pub(super) fn emit_attr(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("a type was given")
    }
    pub(super) fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.new.ty(args[0]);
        self.emit(op, ty, args, Imm::None)
    }
    pub(super) fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        self.emit(Op::Icmp, Type::I1, &[a, b], Imm::IntPred(pred))
    }
    pub(super) fn bits(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(Op::Const, ty, &[], Imm::Bits(bits))
    }
    pub(super) fn i64(&mut self, v: i64) -> Value {
        self.bits(Type::I64, v as u64)
    }
    pub(super) fn ptr_off(&mut self, ptr: Value, disp: i64) -> Value {
        if disp == 0 {
            return ptr;
        }
        let ty = self.new.ty(ptr);
        self.emit(Op::PtrOff, ty, &[ptr], Imm::Disp(disp))
    }
    pub(super) fn enter(&mut self, block: Block) {
        self.new.layout.push(block);
        self.block = block;
    }
    pub(super) fn end(&mut self, term: Term) {
        self.new.blocks[self.block].term = term;
    }
    pub(super) fn jump(&mut self, block: Block) {
        self.end(Term::Jump(Target::plain(block)));
    }
    pub(super) fn branch(&mut self, cond: Value, then: Block, els: Block) {
        self.end(Term::Br { cond, then: Target::plain(then), els: Target::plain(els) });
    }

    // ---- variables: private slots that `mem2reg` promotes

    /// A variable for values of this type.
    pub(super) fn slot_for(&mut self, ty: Type) -> SlotId {
        let size = u64::from(ty.bytes());
        let align = size.next_power_of_two().min(16) as u32;
        self.new.slots.push(Slot { size, align, name: String::new() })
    }
    /// The region's copy of a slot of the kernel's.
    pub(super) fn stack_slot(&mut self, slot: SlotId) -> SlotId {
        let (old, new) = (self.old, &mut self.new);
        *self.slots.entry(slot).or_insert_with(|| new.slots.push(old.slots[slot].clone()))
    }
    pub(super) fn slot_addr(&mut self, slot: SlotId) -> Value {
        self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot))
    }
    pub(super) fn read_slot(&mut self, slot: SlotId, ty: Type) -> Value {
        let ptr = self.slot_addr(slot);
        self.load(ptr, ty)
    }
    pub(super) fn write_slot(&mut self, slot: SlotId, v: Value) {
        let ptr = self.slot_addr(slot);
        self.store(ptr, v);
    }
    /// Loads a value of any type; booleans are bytes in memory.
    pub(super) fn load(&mut self, ptr: Value, ty: Type) -> Value {
        let mem = super::record::memory_type(ty);
        let v = self.emit(Op::Load, mem, &[ptr], Imm::None);
        if mem == ty {
            return v;
        }
        let zero = self.bits(mem, 0);
        self.emit(Op::Icmp, ty, &[v, zero], Imm::IntPred(IntPred::Ne))
    }
    /// Stores a value of any type.
    pub(super) fn store(&mut self, ptr: Value, v: Value) {
        let ty = self.new.ty(v);
        let mem = super::record::memory_type(ty);
        let v = if mem == ty { v } else { self.emit(Op::Zext, mem, &[v], Imm::None) };
        self.push(Op::Store, None, &[ptr, v], Imm::None, Attr::default());
    }
}

/// Values of the old function as values of the new one.
pub(super) struct ValueMap(pub Vec<Option<Value>>);

impl ValueMap {
    pub(super) fn new(func: &Func) -> Self {
        Self(vec![None; func.values.len()])
    }
    pub(super) fn set(&mut self, old: Value, new: Value) {
        self.0[old.index()] = Some(new);
    }
    pub(super) fn get(&self, old: Value) -> Option<Value> {
        self.0[old.index()]
    }
}
