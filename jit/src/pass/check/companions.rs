//! Companion values of pointers: the object that a pointer was made from, how many of its bytes may be read and
//! written, and the pointer's offset from its first byte. They are made where the pointer is, or where its object
//! becomes known, and only for pointers that are asked about.

use super::objects::{Pointer, Root, is_join};
use crate::check::Field;
use crate::ir::cfg::Cfg;
use crate::ir::check::{Object, ObjectKind};
use crate::ir::entity::Entity;
use crate::ir::origin::Origin;
use crate::ir::{Attr, Block, Func, Imm, Inst, Module, Op, Type, Value, ValueDef};
use crate::launch::{AddrSpace, ArgKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What says of an object, all i64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub object: Value,
    pub readable: Value,
    pub writable: Value,
}

/// Where new instructions go: behind all that have gone there before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Top(Block),
    Behind(Inst),
}

/// A parameter that a block has got, and of whose arguments edges have not.
enum Owed {
    Offset,
    Whole(usize),
}

pub(super) struct Companions<'f> {
    pub func: &'f mut Func,
    module: &'f mut Module,
    kernel: Option<usize>,
    pointers: Vec<Option<Pointer>>,
    cfg: Cfg,
    new: FxHashMap<At, Vec<Inst>>,
    numbers: FxHashMap<u64, Value>,
    wholes: FxHashMap<Root, Whole>,
    offsets: FxHashMap<Value, Value>,
    objects: FxHashMap<Root, u64>,
    /// Joins of pointers whose blocks have got a parameter, in order.
    owed: VecDeque<(Value, Owed)>,
}

impl<'f> Companions<'f> {
    /// None made yet. `kernel` is the function's number among the module's kernels.
    pub fn new(
        func: &'f mut Func,
        module: &'f mut Module,
        kernel: Option<usize>,
        pointers: Vec<Option<Pointer>>,
    ) -> Self {
        let cfg = Cfg::new(func);
        let (new, numbers, wholes) = Default::default();
        let (offsets, objects, owed) = Default::default();
        Self { func, module, kernel, pointers, cfg, new, numbers, wholes, offsets, objects, owed }
    }

    /// What is known of a pointer.
    pub fn pointer(&self, v: Value) -> Pointer {
        self.pointers.get(v.index()).copied().flatten().unwrap_or(Pointer { root: Root::Found(v), align: 0 })
    }

    /// What says of the object of a pointer.
    pub fn whole(&mut self, v: Value) -> Whole {
        let whole = self.root(self.pointer(v).root);
        self.pay();
        whole
    }

    /// A pointer's offset.
    pub fn offset(&mut self, v: Value) -> Value {
        let offset = self.offset_of(v);
        self.pay();
        offset
    }

    /// Bytes of the object that may be read and written, if that is known to the compiler.
    pub fn known_size(&self, root: Root) -> Option<(u64, u64)> {
        Some(match root {
            Root::Null => (0, 0),
            Root::Slot(slot) => (self.func.slots[slot].size, self.func.slots[slot].size),
            Root::Local(var) => (self.module.locals[var].size, self.module.locals[var].size),
            Root::Global(var) => {
                let var = &self.module.globals[var];
                (var.size, if var.space == AddrSpace::Constant { 0 } else { var.size })
            }
            Root::Arg(n) => {
                let arg = self.module.kernels[self.kernel?].0.args.get(n as usize)?;
                (arg.kind == ArgKind::Value).then_some((arg.size as u64, arg.size as u64))?
            }
            Root::Found(_) | Root::Joined(_) | Root::Opaque => return None,
        })
    }

    /// A pointer's offset if it is constant.
    pub fn known_offset(&self, v: Value) -> Option<i64> {
        let mut at = v;
        let mut sum = 0i64;
        loop {
            let data = self.func.def_inst(at)?;
            match (data.op, &data.imm) {
                (Op::SlotAddr | Op::LocalAddr | Op::GlobalAddr | Op::Const, _) => return Some(sum),
                (Op::AsCast | Op::Element, _) => {}
                (Op::PtrOff, &Imm::Disp(disp)) => sum = sum.checked_add(disp)?,
                (Op::PtrAdd, &Imm::Scale { scale, disp }) => {
                    let index = self.func.const_bits(data.args[1])? as i64;
                    sum = sum.checked_add(index.checked_mul(i64::from(scale))?)?.checked_add(disp)?;
                }
                _ => return None,
            }
            at = data.args[0];
        }
    }

    /// True if an instruction came in with a function of the library.
    pub fn is_library(&self, inst: Inst) -> bool {
        let site = self.func.origins.call(self.func.insts[inst].origin.site);
        site.and_then(|site| self.module.funcs.get(site.callee)).is_some_and(|callee| callee.is_builtin)
    }

    /// Puts all that was made into its blocks.
    pub fn place(mut self) {
        for block in self.func.layout.clone() {
            let old = std::mem::take(&mut self.func.blocks[block].insts);
            let mut insts = self.new.remove(&At::Top(block)).unwrap_or_default();
            for inst in old {
                insts.push(inst);
                insts.extend(self.new.remove(&At::Behind(inst)).into_iter().flatten());
            }
            self.func.blocks[block].insts = insts;
        }
    }

    fn emit(&mut self, at: At, op: Op, args: &[Value]) -> Value {
        self.emit_imm(at, op, args, Imm::None)
    }

    fn emit_imm(&mut self, at: At, op: Op, args: &[Value], imm: Imm) -> Value {
        let inst = self.func.make_inst(op, Some(Type::I64), args, imm, Attr::default(), Origin::UNKNOWN);
        self.new.entry(at).or_default().push(inst);
        self.func.insts[inst].result.expect("an i64")
    }

    /// A constant.
    pub fn number(&mut self, n: u64) -> Value {
        if let Some(&known) = self.numbers.get(&n) {
            return known;
        }
        let v = self.emit_imm(At::Top(self.func.entry()), Op::Const, &[], Imm::Bits(n));
        self.numbers.insert(n, v);
        v
    }

    fn at(&self, v: Value) -> At {
        match self.func.values[v].def {
            ValueDef::Param(block, _) => At::Top(block),
            ValueDef::Inst(inst) => At::Behind(inst),
        }
    }

    /// The object's number in the module.
    fn object_number(&mut self, root: Root) -> u64 {
        if let Some(&known) = self.objects.get(&root) {
            return known;
        }
        let size = self.known_size(root).map_or(0, |(readable, _)| readable);
        let (what, name) = match root {
            Root::Slot(slot) => (ObjectKind::Private, self.func.slots[slot].name.clone()),
            Root::Local(var) => (ObjectKind::Local, self.module.locals[var].name.clone()),
            Root::Global(var) => (ObjectKind::Variable, self.module.globals[var].name.clone()),
            Root::Arg(n) => {
                let args = self.kernel.map(|kernel| &self.module.kernels[kernel].0.args);
                let name = args.and_then(|args| args.get(n as usize)).map(|arg| arg.name.clone());
                (ObjectKind::Arg(n), name.unwrap_or_default())
            }
            Root::Null | Root::Found(_) | Root::Joined(_) | Root::Opaque => return 0,
        };
        let objects = &mut self.module.checks.objects;
        objects.push(Object { what, name, size });
        let number = objects.len() as u64 - 1;
        self.objects.insert(root, number);
        number
    }

    fn root(&mut self, root: Root) -> Whole {
        if let Some(&known) = self.wholes.get(&root) {
            return known;
        }
        let whole = match (root, self.known_size(root)) {
            (Root::Joined(v), _) => return self.joined(v),
            (Root::Found(v), _) => self.found(v),
            (_, Some((readable, writable))) => {
                let object = self.object_number(root);
                let [object, readable, writable] = [object, readable, writable].map(|n| self.number(n));
                Whole { object, readable, writable }
            }
            (_, None) => {
                let object = self.object_number(root);
                let object = self.number(object);
                let [readable, writable] = [Field::Readable, Field::Writable].map(|field| self.of_arg(root, field));
                Whole { object, readable, writable }
            }
        };
        self.wholes.insert(root, whole);
        whole
    }

    fn of_arg(&mut self, root: Root, field: Field) -> Value {
        let Root::Arg(n) = root else { return self.number(0) };
        let args = [n.into(), field as u64].map(|n| self.number(n));
        self.emit(At::Top(self.func.entry()), Op::CheckArg, &args)
    }

    fn found(&mut self, v: Value) -> Whole {
        let at = self.at(v);
        let [object, readable, writable] = [Field::Start, Field::Readable, Field::Writable].map(|field| {
            let field = self.number(field as u64);
            self.emit(at, Op::CheckObject, &[v, field])
        });
        Whole { object, readable, writable }
    }

    /// Of a join's or selection's own.
    fn joined(&mut self, v: Value) -> Whole {
        if let ValueDef::Param(block, _) = self.func.values[v].def {
            let [object, readable, writable] = [0, 1, 2].map(|_| self.func.add_param(block, Type::I64));
            self.owed.extend([0, 1, 2].map(|n| (v, Owed::Whole(n))));
            let whole = Whole { object, readable, writable };
            self.wholes.insert(Root::Joined(v), whole);
            return whole;
        }
        let args = self.func.def_inst(v).expect("a selection").args.clone();
        let [a, b] = [1, 2].map(|n| self.root(self.pointer(args[n]).root));
        let at = self.at(v);
        let [object, readable, writable] = [(a.object, b.object), (a.readable, b.readable), (a.writable, b.writable)]
            .map(|(a, b)| if a == b { a } else { self.emit(at, Op::Select, &[args[0], a, b]) });
        let whole = Whole { object, readable, writable };
        self.wholes.insert(Root::Joined(v), whole);
        whole
    }

    fn offset_of(&mut self, v: Value) -> Value {
        if let Some(&known) = self.offsets.get(&v) {
            return known;
        }
        let at = self.at(v);
        let offset = if is_join(self.func, v) {
            let ValueDef::Param(block, _) = self.func.values[v].def else { unreachable!("a join") };
            self.owed.push_back((v, Owed::Offset));
            self.func.add_param(block, Type::I64)
        } else if let Root::Found(found) = self.pointer(v).root
            && found == v
        {
            let start = self.root(Root::Found(v)).object;
            let address = self.emit(at, Op::PtrToInt, &[v]);
            self.emit(at, Op::Sub, &[address, start])
        } else {
            self.made_offset(v, at)
        };
        self.offsets.insert(v, offset);
        offset
    }

    fn made_offset(&mut self, v: Value, at: At) -> Value {
        let Some(data) = self.func.def_inst(v).cloned() else {
            let root = self.pointer(v).root;
            return if self.known_size(root).is_some() { self.number(0) } else { self.of_arg(root, Field::Start) };
        };
        let (by, disp) = match (data.op, &data.imm) {
            (Op::AsCast | Op::Element, _) => (None, 0),
            (Op::PtrOff, &Imm::Disp(disp)) => (None, disp),
            (Op::PtrAdd, &Imm::Scale { scale, disp }) => (Some((data.args[1], u64::from(scale))), disp),
            (Op::Select, _) => {
                let [a, b] = [1, 2].map(|n| self.offset_of(data.args[n]));
                return self.emit(at, Op::Select, &[data.args[0], a, b]);
            }
            _ => return self.number(0),
        };
        let mut offset = self.offset_of(data.args[0]);
        if let Some((index, scale)) = by {
            let scaled = match scale {
                1 => index,
                _ => {
                    let scale = self.number(scale);
                    self.emit(at, Op::Mul, &[index, scale])
                }
            };
            let zero = self.number(0);
            offset = if offset == zero { scaled } else { self.emit(at, Op::Add, &[offset, scaled]) };
        }
        if disp != 0 {
            let disp = self.number(disp as u64);
            offset = self.emit(at, Op::Add, &[offset, disp]);
        }
        offset
    }

    /// Has edges hand over what blocks have got parameters for.
    fn pay(&mut self) {
        while let Some((join, owed)) = self.owed.pop_front() {
            let ValueDef::Param(block, n) = self.func.values[join].def else { unreachable!("a join") };
            let mut preds = self.cfg.preds(block).to_vec();
            preds.sort_unstable();
            preds.dedup();
            for pred in preds {
                for k in 0..self.func.blocks[pred].term.n_targets() {
                    let target = self.func.blocks[pred].term.target(k);
                    if target.block != block {
                        continue;
                    }
                    let from = target.args[n as usize];
                    let value = match owed {
                        Owed::Offset => self.offset_of(from),
                        Owed::Whole(part) => {
                            let whole = self.root(self.pointer(from).root);
                            [whole.object, whole.readable, whole.writable][part]
                        }
                    };
                    self.func.blocks[pred].term.targets_mut()[k].args.push(value);
                }
            }
        }
    }
}
