//! The work-group function around the parallel regions: entry, loop over groups, and the control flow from region to
//! region.

use super::apart::Extremes;
use super::barriers::{BarrierKind, Barriers};
use super::collective::Accumulator;
use super::context::{Context, ContextArray, memory_type, natural_align};
use super::geometry::{Group, ItemLoop, Launch};
use super::live::Live;
use super::region::Regions;
use super::uniform::Uniformity;
use super::{Formed, Kernel, LocalLayout, context, track};
use crate::ir::{Attr, Block, Builder, Cfg, Func, Inst, IntPred, Op, Slot, SlotId, Target, Term, Type, Value};
use crate::launch::{AddrSpace, KernelInfo, SpecKey};
use rustc_hash::FxHashMap;

/// A work-group function that is being made.
pub(super) struct GroupBuilder<'a> {
    /// The kernel, split at its barriers.
    pub old: &'a Func,
    pub cfg: Cfg,
    pub barriers: &'a Barriers,
    pub live: &'a Live,
    pub uniformity: &'a Uniformity,
    pub regions: &'a Regions,
    /// Operands that have to be the same for all and may not be, by barrier.
    pub doubtful: &'a FxHashMap<usize, Vec<usize>>,
    pub context: Context,
    pub locals: &'a LocalLayout,
    pub key: SpecKey,
    /// Dimensions of the loops over work-items, the outermost first.
    pub loop_order: [usize; 3],
    /// Work-items of a sub-group, if the kernel asks for anything of those.
    pub sub_group: Option<u8>,
    /// The work-group function.
    pub b: Builder<'a>,
    /// Copies of the kernel's slots for the region that is being made, where they are not in the context.
    pub slots: FxHashMap<SlotId, SlotId>,
    /// What work-item loops accumulate for convergent instructions.
    pub accumulators: FxHashMap<Inst, Accumulator>,
    /// Variables of uniform values that live across barriers, and of results of collectives.
    pub uniform: FxHashMap<Value, SlotId>,
    /// Addresses of the context arrays.
    arrays: FxHashMap<ContextArray, Value>,
    launch: Option<Launch>,
    group: Option<Group>,
    /// For each of the kernel's variables, where its address is while a work-item runs.
    pub variables: FxHashMap<SlotId, SlotId>,
    /// Where work-items are, if they may part.
    pub extremes: Option<Extremes>,
    /// Accesses are tracked (`crate::race`).
    pub is_tracked: bool,
    /// It is checked whether copies are waited for.
    pub checks_copies: bool,
}

/// Makes the work-group function of a kernel.
pub(super) fn assemble(
    kernel: &Kernel,
    info: &KernelInfo,
    locals: &LocalLayout,
    key: SpecKey,
    interleaves: bool,
) -> Formed {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(kernel.func.name.clone(), vec![ptr, ptr, Type::I64, Type::I64], None);
    (func.local_bytes, func.origins) = (locals.bytes, kernel.func.origins.clone());
    func.tracked.clone_from(&kernel.func.tracked);
    func.met.clone_from(&kernel.func.met);
    func.locals.clone_from(&kernel.func.locals);
    func.flushes_denormals = kernel.func.flushes_denormals;
    let entry = func.entry();
    let sub_group = super::sub_group(&kernel.func, info);
    let mut this = GroupBuilder {
        old: &kernel.func,
        cfg: Cfg::new(&kernel.func),
        barriers: &kernel.barriers,
        live: &kernel.live,
        uniformity: &kernel.uniformity,
        regions: &kernel.regions,
        doubtful: &kernel.doubtful,
        context: Context::new(kernel, sub_group, key.local_size.filter(|_| interleaves)),
        locals,
        key,
        loop_order: super::interchange::loop_order(info, key),
        sub_group,
        b: Builder::new(&mut func, entry),
        slots: FxHashMap::default(),
        accumulators: FxHashMap::default(),
        uniform: FxHashMap::default(),
        arrays: FxHashMap::default(),
        launch: None,
        group: None,
        variables: FxHashMap::default(),
        extremes: None,
        is_tracked: track::is_tracked(kernel),
        checks_copies: track::checks_copies(kernel),
    };
    this.launch = Some(this.launch_values(&info.args));
    this.find_arrays();
    this.tell_of_local_variables();
    let groups = this.open_groups();
    this.group = Some(groups.values);
    this.begin_tracking(&groups);
    this.control_flow();
    this.end_tracking();
    this.close_groups(&groups);
    let (scratch_per_item, is_interleaved) = (this.context.bytes as usize, this.context.is_interleaved());
    Formed { func, scratch_per_item, is_interleaved }
}

impl GroupBuilder<'_> {
    pub(super) fn launch(&self) -> &Launch {
        self.launch.as_ref().expect("set before any region")
    }
    /// The address of the launch's `Env`.
    pub(super) fn env(&self) -> Value {
        self.b.func.blocks[self.b.func.entry()].params[1]
    }
    pub(super) fn group(&self) -> Group {
        self.group.expect("set before any region")
    }

    /// Computes where the context arrays lie.
    fn find_arrays(&mut self) {
        let mut arrays: Vec<ContextArray> = self.context.arrays().collect();
        arrays.sort_unstable_by_key(|array| array.at);
        for array in arrays {
            let (scratch, items) = (self.launch().scratch, self.launch().items);
            let at = self.b.i64(array.at as i64);
            let at = self.b.op(Op::Mul, &[items, at]);
            self.arrays.insert(array, self.b.ptr_add(scratch, at, 1, 0));
        }
    }

    /// The address of a work-item's element of a context array.
    pub(super) fn element(&mut self, array: ContextArray, items: &ItemLoop) -> Value {
        self.element_at(array, items.index)
    }
    /// The same by the work-item's number.
    pub(super) fn element_at(&mut self, array: ContextArray, index: Value) -> Value {
        let scale = u32::try_from(array.size).expect("private memory is limited");
        self.b.ptr_add(self.arrays[&array], index, scale, 0)
    }
    /// The address of the first element of a work-item's interleaved array.
    pub(super) fn first_element(&mut self, array: ContextArray, block: context::Block, index: Value) -> Value {
        let scale = |bytes: u64| u32::try_from(bytes).expect("private memory is limited");
        let base = self.arrays[&array];
        let Some(items) = block.items else { return self.b.ptr_add(base, index, scale(block.elem), 0) };
        let number = self.b.op_bits(Op::Lshr, index, u64::from(items.trailing_zeros()));
        let place = self.b.op_bits(Op::And, index, items - 1);
        let base = self.b.ptr_add(base, number, scale(items * array.size), 0);
        self.b.ptr_add(base, place, scale(block.elem), 0)
    }
    pub(super) fn load_element(&mut self, array: ContextArray, items: &ItemLoop, ty: Type) -> Value {
        let ptr = self.element(array, items);
        self.load(ptr, ty)
    }
    pub(super) fn store_element(&mut self, array: ContextArray, items: &ItemLoop, v: Value) {
        let ptr = self.element(array, items);
        self.store(ptr, v);
    }

    /// Emits all regions of a group, and behind each barrier its handler: what the group does there once. Goes on
    /// behind the group's end.
    fn control_flow(&mut self) {
        if self.context.places.is_some() {
            return self.control_flow_apart();
        }
        let new_blocks =
            |this: &mut Self| -> Vec<Block> { this.barriers.list().iter().map(|_| this.b.func.add_block()).collect() };
        let end = self.b.func.add_block();
        let (mut starts, handlers) = (new_blocks(self), new_blocks(self));
        let exit = self.slot_for(Type::I64);
        if self.regions.dispatch_loop {
            self.set_slot(exit, Type::I64, 0);
            starts = vec![starts[0]; starts.len()];
        }
        self.jump(starts[0]);
        if self.regions.dispatch_loop {
            self.dispatch_loop(starts[0], exit, &handlers, end);
        } else {
            for (k, &start) in starts.iter().enumerate() {
                if self.regions.reachable[k] && self.barriers.list()[k].kind != BarrierKind::Branch {
                    self.b.enter(start);
                    self.region_and_exits(k, exit, &handlers, end);
                }
            }
        }
        for k in 1..self.barriers.len() {
            if !self.regions.reachable[k] {
                continue;
            }
            self.b.enter(handlers[k]);
            match self.barriers.list()[k].kind {
                BarrierKind::Implicit => self.jump(starts[k]),
                BarrierKind::Explicit(inst) => {
                    self.compare_operands(k);
                    self.meet_at(inst);
                    self.finish_collective(k, inst);
                    self.jump(starts[k]);
                }
                BarrierKind::Branch => self.group_branch(k, &handlers),
            }
        }
        self.b.enter(end);
    }

    /// All regions in one copy: each work-item goes on (its continuation) where the variable `exit` says that all are.
    fn dispatch_loop(&mut self, start: Block, exit: SlotId, handlers: &[Block], end: Block) {
        self.b.enter(start);
        let pc = self.read_slot(exit, Type::I64);
        // A work-item that returns leaves no number.
        self.set_slot(exit, Type::I64, 0);
        let all: Vec<usize> = (0..self.barriers.len()).collect();
        self.region(&all, Some(pc), Some(exit));
        self.dispatch(exit, &all[1..], handlers, end);
    }

    /// The region behind barrier `k`, and the ways on from it.
    fn region_and_exits(&mut self, k: usize, exit: SlotId, handlers: &[Block], end: Block) {
        let exits = &self.regions.exits[k];
        match exits.barriers[..] {
            [] => {
                self.region(&[k], None, None);
                self.jump(end);
            }
            [only] if !exits.ret => {
                self.region(&[k], None, None);
                self.jump(handlers[only]);
            }
            _ => {
                self.set_slot(exit, Type::I64, 0);
                self.region(&[k], None, Some(exit));
                self.dispatch(exit, &exits.barriers, handlers, end);
            }
        }
    }

    /// Goes to the handler of the barrier whose number is in `exit`, or to `end`.
    fn dispatch(&mut self, exit: SlotId, barriers: &[usize], handlers: &[Block], end: Block) {
        let value = self.read_slot(exit, Type::I64);
        let cases = barriers.iter().map(|&k| (k as u64, Target::plain(handlers[k]))).collect();
        self.b.end(Term::Switch { value, cases, default: Target::plain(end) });
    }

    pub(super) fn jump(&mut self, block: Block) {
        self.b.jump(block, &[]);
    }

    // ---- variables: private slots that `mem2reg` promotes

    /// A variable for values of this type.
    pub(super) fn slot_for(&mut self, ty: Type) -> SlotId {
        slot_for(self.b.func, ty)
    }
    /// The region's copy of a slot of the kernel's.
    pub(super) fn stack_slot(&mut self, slot: SlotId) -> SlotId {
        *self.slots.entry(slot).or_insert_with(|| {
            let slot = Slot { variable: None, ..self.old.slots[slot].clone() };
            self.b.func.slots.push(slot)
        })
    }
    pub(super) fn read_slot(&mut self, slot: SlotId, ty: Type) -> Value {
        let ptr = self.b.slot_addr(slot);
        self.load(ptr, ty)
    }
    pub(super) fn write_slot(&mut self, slot: SlotId, v: Value) {
        let ptr = self.b.slot_addr(slot);
        self.store(ptr, v);
    }
    pub(super) fn set_slot(&mut self, slot: SlotId, ty: Type, bits: u64) {
        let v = self.b.bits(ty, bits);
        self.write_slot(slot, v);
    }
    /// Applies an operation to a value and a variable; the variable's new value.
    pub(super) fn combine(&mut self, slot: SlotId, op: Op, ty: Type, v: Value) -> Value {
        let left = self.read_slot(slot, ty);
        let v = self.b.op(op, &[v, left]);
        self.write_slot(slot, v);
        v
    }
    /// Loads a value of any type; booleans are bytes in memory.
    pub(super) fn load(&mut self, ptr: Value, ty: Type) -> Value {
        let mem = memory_type(ty);
        let v = self.b.load(mem, ptr, Attr::default());
        if mem == ty {
            return v;
        }
        let zero = self.b.bits(mem, 0);
        self.b.icmp(IntPred::Ne, v, zero)
    }
    /// Stores a value of any type.
    pub(super) fn store(&mut self, ptr: Value, v: Value) {
        let ty = self.b.func.ty(v);
        let mem = memory_type(ty);
        let v = if mem == ty { v } else { self.b.convert(Op::Zext, mem, v) };
        self.b.store(ptr, v, Attr::default());
    }
}

/// A variable for values of this type.
pub(super) fn slot_for(func: &mut Func, ty: Type) -> SlotId {
    let (size, align) = (u64::from(ty.bytes()), natural_align(ty) as u32);
    func.slots.push(Slot::new(String::new(), size, align))
}
