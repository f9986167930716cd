//! Which memory an instruction reads and writes, in classes: each slot whose address stays put, each local variable, in
//! work-group functions each argument in local memory as well, each pointer argument that the launch found to be
//! different memory (`Flags::DISJOINT`), and one class each for everything else of an address space. Other pointers may
//! lead anywhere, into arguments' memory too, since shared virtual memory lets a program pass any address.
//! Flow-insensitive; linear but for pointers that loops carry.

use crate::analysis::address::Address;
use crate::ir::entity::Entity;
use crate::ir::op::{Effects, Flags, Order};
use crate::ir::{Func, Imm, InstData, Op, SlotId, Term, Type, Value};
use crate::launch::{AddrSpace, Pointers};
use rustc_hash::FxHashMap;

/// A class of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(u8);

/// A set of classes.
pub type Classes = u64;

const GLOBAL: Class = Class(0);
const LOCAL: Class = Class(1);
const PRIVATE: Class = Class(2);
const GENERIC: Class = Class(3);
const FIRST: u8 = 4;
/// Most classes; slots and variables beyond count as unknown.
pub const MAX: u8 = 64;

/// Most classes for arguments.
const MAX_ARGS: u8 = 24;

/// The classes of a function.
pub struct Alias {
    slots: FxHashMap<SlotId, Class>,
    /// By the immediates of what starts them.
    locals: FxHashMap<Imm, Class>,
    /// Disjoint arguments, by the values that are their addresses.
    args: Vec<(Value, Class)>,
    /// Classes of local variables, and of arguments.
    local_set: Classes,
    arg_set: Classes,
    /// For each value: where its address arithmetic starts.
    roots: Vec<Value>,
    n: u8,
}

impl Alias {
    /// Looks at every use of every slot's address. The layout must be in an order that puts definitions before uses.
    pub fn new(func: &Func) -> Self {
        let mut this = Self {
            slots: FxHashMap::default(),
            locals: FxHashMap::default(),
            args: Vec::new(),
            local_set: 0,
            arg_set: 0,
            roots: roots(func),
            n: FIRST,
        };
        this.find_args(func);
        let mut escaped = vec![false; func.slots.len()];
        for_each_escape(func, &this.roots, &mut |v| {
            if let Some(slot) = this.slot_of(func, v) {
                escaped[slot.index()] = true;
            }
        });
        for (slot, is_escaped) in func.slots.keys().zip(escaped) {
            if !is_escaped && this.n < MAX - 16 {
                this.slots.insert(slot, Class(this.n));
                this.n += 1;
            }
        }
        for (_, inst) in func.live_insts() {
            let data = &func.insts[inst];
            if matches!(data.op, Op::LocalAddr | Op::LocalBase) && this.n < MAX && !this.locals.contains_key(&data.imm)
            {
                this.locals.insert(data.imm.clone(), Class(this.n));
                this.local_set |= 1 << this.n;
                this.n += 1;
            }
        }
        this
    }

    /// Gives disjoint arguments their classes. They are told apart by their places in the argument block.
    fn find_args(&mut self, func: &Func) {
        let mut known: Vec<(i64, Class)> = Vec::new();
        for (_, inst) in func.live_insts() {
            let data = &func.insts[inst];
            let (Op::Load, true, Some(v)) = (data.op, data.attr.flags.contains(Flags::DISJOINT), data.result) else {
                continue;
            };
            let Address { root, terms, disp: at } = Address::of(func, data.args[0]);
            if func.blocks[func.entry()].params.first() != Some(&root) || !terms.is_empty() {
                continue;
            }
            let class = match known.iter().find(|(place, _)| *place == at) {
                Some(&(_, class)) => class,
                None if self.n < FIRST + MAX_ARGS => {
                    let class = Class(self.n);
                    known.push((at, class));
                    self.arg_set |= 1 << self.n;
                    self.n += 1;
                    class
                }
                None => continue,
            };
            self.args.push((v, class));
        }
    }

    /// Takes in a new value: the same address as an older one.
    pub fn add_copy(&mut self, copy: Value, original: Value) {
        let root = self.roots[original.index()];
        debug_assert_eq!(copy.index(), self.roots.len());
        self.roots.push(root);
    }

    fn slot_of(&self, func: &Func, v: Value) -> Option<SlotId> {
        match func.def_inst(*self.roots.get(v.index())?) {
            Some(InstData { op: Op::SlotAddr, imm: Imm::Slot(slot), .. }) => Some(*slot),
            _ => None,
        }
    }

    /// True for the class of one slot.
    pub fn is_slot(&self, class: Class) -> bool {
        self.slots.values().any(|c| *c == class)
    }
    /// Number of classes in use; they are numbered from 0.
    pub fn n_classes(&self) -> usize {
        usize::from(self.n)
    }
    /// The class that a pointer points into; `None` for memory that is never written.
    pub fn class(&self, func: &Func, ptr: Value) -> Option<Class> {
        let root = self.roots.get(ptr.index()).copied().unwrap_or(ptr);
        match func.def_inst(root).map(|d| (d.op, &d.imm)) {
            Some((Op::SlotAddr, Imm::Slot(slot))) => return Some(self.slots.get(slot).copied().unwrap_or(PRIVATE)),
            Some((Op::LocalAddr | Op::LocalBase, var)) => return Some(self.locals.get(var).copied().unwrap_or(LOCAL)),
            _ => {}
        }
        if let Some(&(_, class)) = self.args.iter().find(|(v, _)| *v == root) {
            return Some(class);
        }
        match func.ty(root) {
            ty if ty == Type::ptr(AddrSpace::Constant) => None,
            ty if ty == Type::ptr(AddrSpace::Global) => Some(GLOBAL),
            ty if ty == Type::ptr(AddrSpace::Local) => Some(LOCAL),
            ty if ty == Type::ptr(AddrSpace::Private) => Some(PRIVATE),
            _ => Some(GENERIC),
        }
    }
    /// The class that a plain load reads; `None` if nothing can change it.
    pub fn load_class(&self, func: &Func, load: &InstData) -> Option<Class> {
        if load.attr.flags.contains(Flags::INVARIANT) { None } else { self.class(func, load.args[0]) }
    }
    /// Classes that may share memory with a class, itself included.
    pub fn overlaps(&self, class: Class) -> Classes {
        let bit = |c: Class| 1u64 << c.0;
        let named = self.local_set | self.arg_set;
        match class {
            GLOBAL => bit(GLOBAL) | bit(GENERIC) | self.arg_set,
            LOCAL => bit(LOCAL) | bit(GENERIC) | self.local_set,
            PRIVATE => bit(PRIVATE) | bit(GENERIC),
            GENERIC => bit(GLOBAL) | bit(LOCAL) | bit(PRIVATE) | bit(GENERIC) | named,
            own if self.local_set & bit(own) != 0 => bit(own) | bit(LOCAL) | bit(GENERIC),
            own if self.arg_set & bit(own) != 0 => bit(own) | bit(GLOBAL) | bit(GENERIC),
            own => bit(own),
        }
    }
    /// Everything that other work-items can write.
    fn shared(&self) -> Classes {
        self.overlaps(GENERIC) & !(1 << PRIVATE.0)
    }
    /// Classes that an instruction may write.
    pub fn writes(&self, func: &Func, data: &InstData) -> Classes {
        let at = |v: Value| self.class(func, v).map_or(0, |c| self.overlaps(c));
        let effects = data.op.row().effects;
        match data.op {
            Op::Store | Op::StoreMasked | Op::Scatter | Op::Memset | Op::Memcpy => at(data.args[0]),
            Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas => {
                at(data.args[0]) | if data.attr.order == Order::Relaxed { 0 } else { self.shared() }
            }
            Op::Call if is_pure_call(data) => 0,
            // It reads what is stored, in a slot.
            Op::Track => self.overlaps(PRIVATE),
            Op::Meet => 0,
            Op::Call | Op::Device => self.overlaps(GENERIC),
            _ if effects.intersects(Effects::CONVERGENT | Effects::ORDERED) => self.shared(),
            _ => 0,
        }
    }
}

impl Class {
    /// Its number.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// True for a call whose callee touches no memory but its own and returns.
pub fn is_pure_call(data: &InstData) -> bool {
    data.op == Op::Call && data.result.is_some() && data.attr.flags.contains(Flags::PURE)
}

/// For each value, where its address arithmetic starts: another value that leads to the same object, or itself. A
/// block's parameter has the root of all that is passed for it, if that is one.
fn roots(func: &Func) -> Vec<Value> {
    // None: not known yet, so it may have any root.
    let mut roots: Vec<Option<Value>> = func.values.keys().map(Some).collect();
    let entry = func.entry();
    let mut carried = false;
    for &block in func.layout.iter().filter(|&&b| b != entry) {
        for &param in func.blocks[block].params.iter().filter(|&&p| func.ty(p).is_ptr()) {
            roots[param.index()] = None;
            carried = true;
        }
    }
    loop {
        let mut changed = false;
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let Some(v) = data.result else { continue };
                let root = match data.op {
                    Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element => roots[data.args[0].index()],
                    Op::Select if func.ty(v).is_ptr() => {
                        one(roots[data.args[1].index()], roots[data.args[2].index()], v)
                    }
                    _ => continue,
                };
                changed |= root != roots[v.index()];
                roots[v.index()] = root;
            }
            if carried {
                func.blocks[block].term.for_each_target(|target| {
                    for (arg, param) in target.args.iter().zip(&func.blocks[target.block].params) {
                        if func.ty(*param).is_ptr() {
                            let old = roots[param.index()];
                            let new = if old == Some(*param) { old } else { one(old, roots[arg.index()], *param) };
                            changed |= new != old;
                            roots[param.index()] = new;
                        }
                    }
                });
            }
        }
        if !carried || !changed {
            break;
        }
    }
    roots.into_iter().zip(func.values.keys()).map(|(root, v)| root.unwrap_or(v)).collect()
}

/// The root of a value that is one of two others.
fn one(a: Option<Value>, b: Option<Value>, own: Value) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => Some(own),
        _ => a.or(b),
    }
}

/// Calls `f` on every address that goes where it is not followed.
fn for_each_escape(func: &Func, roots: &[Value], f: &mut dyn FnMut(Value)) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        for (n, &arg) in data.args.iter().enumerate() {
            let stays = match data.op {
                Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element | Op::Load | Op::Memset | Op::Icmp => true,
                Op::IsLocal | Op::IsPrivate | Op::CheckObject => true,
                // Addresses that lie in a slot are read.
                Op::Track => n == 0 && func.ty(arg) != Type::ptr(AddrSpace::Private),
                Op::Store | Op::LoadMasked | Op::StoreMasked | Op::Gather | Op::Scatter => n == 0,
                Op::Memcpy => n < 2,
                Op::Select => data.result.is_some_and(|v| roots[v.index()] == roots[arg.index()]),
                _ => false,
            };
            if !stays {
                f(arg);
            }
        }
    }
    for &block in &func.layout {
        match &func.blocks[block].term {
            Term::Ret(Some(v)) => f(*v),
            term => term.for_each_target(|target| {
                for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                    if roots[arg.index()] != roots[param.index()] {
                        f(arg);
                    }
                }
            }),
        }
    }
}

/// What a kernel's code says of its pointers to global memory. Takes kernel form.
pub fn pointers(kernel: &Func) -> Pointers {
    let mut known = Pointers::default();
    let params = &kernel.blocks[kernel.entry()].params;
    if params.len() > 64 {
        return known;
    }
    let mut args = vec![0u64; kernel.values.len()];
    let mut all = 0u64;
    for (n, &param) in params.iter().enumerate() {
        if kernel.ty(param) == Type::ptr(AddrSpace::Global) {
            args[param.index()] = 1 << n;
            all |= 1 << n;
        }
    }
    if all == 0 {
        return known;
    }
    let roots = roots(kernel);
    let arg = |v: Value| args[roots[v.index()].index()];
    for_each_escape(kernel, &roots, &mut |v| known.stored |= arg(v));
    for (_, inst) in kernel.live_insts() {
        let data = &kernel.insts[inst];
        match data.op {
            Op::Load | Op::LoadMasked | Op::Gather | Op::Icmp | Op::IsLocal | Op::IsPrivate => {}
            op if op.is_pure() => {}
            _ => known.stored |= data.args.first().map_or(0, |&v| arg(v)),
        }
    }
    let can_overlap = known.stored != 0 && all.count_ones() > 1;
    known.separable = if can_overlap { all } else { 0 };
    known
}
