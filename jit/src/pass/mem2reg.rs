//! Private slots → SSA values. A slot is split into fields by the places at which it is accessed (scalar replacement of
//! aggregates); fields that are only loaded and stored as one type become values, with block parameters where control
//! flow joins. Slots whose address goes anywhere else stay. Needs reachable blocks only; n log n.

use super::forward::Forward;
use crate::analysis::slots::SlotPointers;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Frontiers};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, Op, Origin, SlotId, Type, Value};
use rustc_hash::FxHashMap;

/// Most fields one slot is split into.
const MAX_FIELDS: usize = 256;
/// Bytes of the largest memset that is split into stores.
const MAX_MEMSET: u64 = 512;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if func.uses_slots() {
        promote(func, Wanted::All);
    }
}

/// For variables that debuggers are told of, and which therefore stay: pointers that are loaded of them become the
/// values that were stored, so that checks see what they were made from. What a debugger stores there is not seen.
pub fn run_pointers(func: &mut Func) {
    if func.slots.values().any(|slot| slot.variable.is_some()) {
        promote(func, Wanted::ToldPointers);
    }
}

fn promote(func: &mut Func, wanted: Wanted) {
    func.remove_unreachable();
    let accesses = Accesses::collect(func, wanted);
    let fields = accesses.fields(func, wanted);
    if !fields.vars.is_empty() {
        Rename::new(func, &fields, wanted).run();
    }
}

/// What is promoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Whatever can be.
    All,
    /// Loads of pointers from variables that debuggers are told of; stores stay.
    ToldPointers,
}

impl Wanted {
    /// Whether loads and stores of a slot are looked through.
    fn has(self, func: &Func, slot: SlotId, data: &InstData) -> bool {
        match self {
            Self::All => !data.attr.flags.contains(Flags::VOLATILE),
            Self::ToldPointers => func.slots[slot].variable.is_some(),
        }
    }

    /// Whether these parts of a slot are promoted.
    fn takes(self, parts: &[(i64, Type)]) -> bool {
        self == Self::All || parts.iter().all(|(_, ty)| ty.is_ptr() && !ty.is_vector())
    }
}

/// What is known of accesses to slots.
#[derive(Default)]
struct Accesses {
    /// Loads and stores: instruction, slot, offset, type.
    uses: Vec<(Inst, SlotId, i64, Type)>,
    /// Zero fills: instruction, slot, offset, bytes, byte value.
    fills: Vec<(Inst, SlotId, i64, u64, u8)>,
    /// Slots whose address goes elsewhere.
    escaped: Vec<bool>,
}

impl Accesses {
    fn collect(func: &Func, wanted: Wanted) -> Self {
        let mut this = Self::default();
        this.escaped = SlotPointers::new(func, |inst, data, [place, _]| {
            let Some((slot, at)) = place.filter(|place| wanted.has(func, place.0, data)) else { return false };
            let constant = |n: usize| func.const_bits(data.args[n]);
            match data.op {
                Op::Load => this.uses.push((inst, slot, at, func.ty(data.result.expect("a load has a result")))),
                Op::Store => this.uses.push((inst, slot, at, func.ty(data.args[1]))),
                Op::Memset if let (Some(byte), Some(n)) = (constant(1), constant(2).filter(|&n| n <= MAX_MEMSET)) => {
                    this.fills.push((inst, slot, at, n, byte as u8));
                }
                _ => return false,
            }
            true
        })
        .escaped;
        this
    }

    /// Divides the slots that did not escape into fields of one type.
    fn fields(&self, func: &Func, wanted: Wanted) -> Fields {
        let mut by_slot: FxHashMap<SlotId, Vec<(i64, Type)>> = FxHashMap::default();
        for &(_, slot, at, ty) in &self.uses {
            if !self.escaped[slot.index()] {
                by_slot.entry(slot).or_default().push((at, ty));
            }
        }
        let mut slots: Vec<SlotId> = by_slot.keys().copied().collect();
        slots.sort_unstable();
        let mut fields = Fields {
            vars: Vec::new(),
            index: FxHashMap::default(),
            of: FxHashMap::default(),
            fills: FxHashMap::default(),
        };
        for slot in slots {
            let mut parts = by_slot.remove(&slot).expect("listed");
            parts.sort_unstable();
            parts.dedup();
            let size = func.slots[slot].size as i64;
            let inside = parts.iter().all(|&(at, ty)| at >= 0 && at + i64::from(ty.bytes()) <= size);
            // Parts that overlap would need bits of each other.
            let disjoint = parts.windows(2).all(|w| w[0].0 + i64::from(w[0].1.bytes()) <= w[1].0);
            let filled = self.fills.iter().filter(|f| f.1 == slot).all(|&(_, _, from, n, _)| {
                let to = from + n as i64;
                parts.iter().all(|&(at, ty)| {
                    let end = at + i64::from(ty.bytes());
                    end <= from || at >= to || (from <= at && end <= to)
                })
            });
            if !inside || !disjoint || !filled || parts.len() > MAX_FIELDS || !wanted.takes(&parts) {
                continue;
            }
            for (at, ty) in parts {
                fields.index.insert((slot, at), fields.vars.len());
                fields.vars.push(ty);
            }
        }
        for &(inst, slot, at, _) in &self.uses {
            if let Some(&var) = fields.index.get(&(slot, at)) {
                fields.of.insert(inst, var);
            }
        }
        for &(inst, slot, from, n, byte) in &self.fills {
            let covered: Vec<usize> = fields
                .index
                .iter()
                .filter(|((s, at), _)| *s == slot && *at >= from && *at < from + n as i64)
                .map(|(_, &var)| var)
                .collect();
            let promoted = fields.index.keys().any(|(s, _)| *s == slot);
            let unused = !self.uses.iter().any(|u| u.1 == slot) && !self.escaped[slot.index()];
            if promoted || unused && wanted == Wanted::All {
                fields.fills.insert(inst, (covered, byte));
            }
        }
        fields
    }
}

/// The variables to promote.
struct Fields {
    /// Their types.
    vars: Vec<Type>,
    index: FxHashMap<(SlotId, i64), usize>,
    /// The variable that a load or store accesses.
    of: FxHashMap<Inst, usize>,
    /// The variables that a fill sets, and the byte.
    fills: FxHashMap<Inst, (Vec<usize>, u8)>,
}

/// SSA construction.
struct Rename<'f> {
    func: &'f mut Func,
    fields: &'f Fields,
    wanted: Wanted,
    cfg: Cfg,
    dom: Dominators,
    /// Variables of the parameters added to a block, in order.
    params: FxHashMap<Block, Vec<usize>>,
    current: Vec<Option<Value>>,
    undo: Vec<(usize, Option<Value>)>,
    forward: Forward,
    undefs: FxHashMap<Type, Value>,
    /// Constants made for fills, to be placed at the entry.
    made: Vec<Inst>,
}

impl<'f> Rename<'f> {
    fn new(func: &'f mut Func, fields: &'f Fields, wanted: Wanted) -> Self {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let mut this = Self {
            forward: Forward::new(func),
            func,
            fields,
            wanted,
            cfg,
            dom,
            params: FxHashMap::default(),
            current: vec![None; fields.vars.len()],
            undo: Vec::new(),
            undefs: FxHashMap::default(),
            made: Vec::new(),
        };
        this.place_params();
        this
    }

    /// Adds a parameter wherever definitions meet and the variable is live.
    fn place_params(&mut self) {
        let n = self.fields.vars.len();
        let mut defs: Vec<Vec<Block>> = vec![Vec::new(); n];
        let mut upward: Vec<Vec<Block>> = vec![Vec::new(); n];
        for &block in self.cfg.rpo() {
            let mut defined: Vec<usize> = Vec::new();
            for inst in &self.func.blocks[block].insts {
                if let Some((vars, _)) = self.fields.fills.get(inst) {
                    defined.extend(vars);
                }
                let Some(&var) = self.fields.of.get(inst) else { continue };
                if self.func.insts[*inst].op == Op::Store {
                    defined.push(var);
                } else if !defined.contains(&var) && upward[var].last() != Some(&block) {
                    upward[var].push(block);
                }
            }
            for var in defined {
                if defs[var].last() != Some(&block) {
                    defs[var].push(block);
                }
            }
        }
        let frontiers = Frontiers::new(&self.cfg, &self.dom);
        let mut live = vec![usize::MAX; self.func.blocks.len()];
        let mut is_def = vec![usize::MAX; self.func.blocks.len()];
        for var in 0..n {
            defs[var].iter().for_each(|b| is_def[b.index()] = var);
            // Blocks at whose start the variable is live.
            let mut work = std::mem::take(&mut upward[var]);
            while let Some(block) = work.pop() {
                if live[block.index()] == var {
                    continue;
                }
                live[block.index()] = var;
                work.extend(self.cfg.preds(block).iter().filter(|p| is_def[p.index()] != var));
            }
            let entry = self.func.entry();
            let mut joins = frontiers.iterated(defs[var].iter().copied().chain([entry]), |b| live[b.index()] == var);
            joins.sort_unstable();
            for block in joins {
                self.func.add_param(block, self.fields.vars[var]);
                self.params.entry(block).or_default().push(var);
            }
        }
    }

    fn run(mut self) {
        enum Step {
            Enter(Block),
            Leave(usize),
        }
        let mut work = vec![Step::Enter(self.func.entry())];
        while let Some(step) = work.pop() {
            match step {
                Step::Leave(mark) => {
                    while self.undo.len() > mark {
                        let (var, old) = self.undo.pop().expect("longer than the mark");
                        self.current[var] = old;
                    }
                }
                Step::Enter(block) => {
                    work.push(Step::Leave(self.undo.len()));
                    self.block(block);
                    work.extend(self.dom.children(block).iter().map(|&c| Step::Enter(c)));
                }
            }
        }
        let entry = self.func.entry();
        let made = std::mem::take(&mut self.made);
        self.func.blocks[entry].insts.splice(0..0, made);
        let mut forward = self.forward;
        forward.apply(self.func);
    }

    fn define(&mut self, var: usize, value: Value) {
        self.undo.push((var, self.current[var]));
        self.current[var] = Some(value);
    }

    fn read(&mut self, var: usize) -> Value {
        let ty = self.fields.vars[var];
        match self.current[var] {
            Some(v) => v,
            None => match self.undefs.get(&ty) {
                Some(&v) => v,
                None => {
                    let v = self.constant(Op::Undef, ty, Imm::None);
                    self.undefs.insert(ty, v);
                    v
                }
            },
        }
    }

    fn constant(&mut self, op: Op, ty: Type, imm: Imm) -> Value {
        let inst = self.func.make_inst(op, Some(ty), &[], imm, Attr::default(), Origin::UNKNOWN);
        self.made.push(inst);
        self.func.insts[inst].result.expect("a type was given")
    }

    fn block(&mut self, block: Block) {
        if let Some(vars) = self.params.get(&block).cloned() {
            let params = &self.func.blocks[block].params;
            let new = params[params.len() - vars.len()..].to_vec();
            for (var, param) in vars.into_iter().zip(new) {
                self.define(var, param);
            }
        }
        let stays = self.wanted == Wanted::ToldPointers;
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some((vars, byte)) = self.fields.fills.get(&inst) {
                for &var in vars {
                    let ty = self.fields.vars[var];
                    let bits = u64::from_ne_bytes([*byte; 8]);
                    let mask = if ty.elem.bits() >= 64 { u64::MAX } else { (1 << (8 * ty.elem.bytes())) - 1 };
                    let v = self.constant(Op::Const, ty, Imm::Bits(bits & mask));
                    self.define(var, v);
                }
                kept.extend(stays.then_some(inst));
                continue;
            }
            let Some(&var) = self.fields.of.get(&inst) else {
                kept.push(inst);
                continue;
            };
            let data = &self.func.insts[inst];
            match data.result {
                Some(result) => {
                    let v = self.read(var);
                    self.forward.set(result, v);
                }
                None => {
                    let v = data.args[1];
                    self.define(var, v);
                    kept.extend(stays.then_some(inst));
                }
            }
        }
        self.func.blocks[block].insts = kept;
        let mut term = std::mem::replace(&mut self.func.blocks[block].term, crate::ir::Term::Unreachable);
        for target in term.targets_mut() {
            for var in self.params.get(&target.block).cloned().unwrap_or_default() {
                let v = self.read(var);
                target.args.push(v);
            }
        }
        self.func.blocks[block].term = term;
    }
}
