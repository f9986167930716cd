//! Copies of code: the new blocks, and what the old values are in them. Whole blocks are copied at once
//! (`Func::copy_blocks`, `Func::copy_body`), or one instruction after the other where some of them are to become
//! something else. Must not know loops.

use super::builder::Builder;
use super::entity::{Block, Entity, FuncId, Inst, SlotId, Value};
use super::func::{Func, InstData, Term};
use super::op::{Attr, Flags, Imm};
use super::origin::Origin;
use super::ty::Type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What blocks and values are in a copy of code; what has not been copied is itself.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// The new blocks, in the order of the old ones.
    new: Vec<Block>,
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
}

impl Copies {
    /// The copy of a block, or the block itself.
    pub fn block(&self, old: Block) -> Block {
        self.blocks.get(&old).copied().unwrap_or(old)
    }
    /// The copy of a value, or the value itself.
    pub fn value(&self, old: Value) -> Value {
        self.get(old).unwrap_or(old)
    }
    /// The copy of a value, if there is one.
    pub fn get(&self, old: Value) -> Option<Value> {
        self.values.get(&old).copied()
    }
    /// The copies of values, or they themselves.
    pub fn values(&self, old: &[Value]) -> SmallVec<[Value; 4]> {
        old.iter().map(|&v| self.value(v)).collect()
    }
    /// The copies, in the order of the originals.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.new.iter().copied()
    }
    /// Has a value be another one in the copy.
    pub fn set(&mut self, old: Value, new: Value) {
        self.values.insert(old, new);
    }
    /// Copies an instruction, whose operands must have been copied before if they are to be.
    pub fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) -> Option<Value> {
        let args = self.values(&b.func.insts[inst].args);
        let new = b.copy(inst, &args);
        self.values.extend(b.func.insts[inst].result.zip(new));
        new
    }
    /// A block's end, as the copy has it.
    pub fn term(&self, old: &Term) -> Term {
        let mut term = old.clone();
        term.map_values(|v| self.value(v));
        term.targets_mut().into_iter().for_each(|t| t.block = self.block(t.block));
        term
    }
    /// Makes a copy of a block that has its parameters, but no instructions yet. It is not in the layout.
    pub fn open(&mut self, func: &mut Func, old: Block) -> Block {
        let params = func.blocks[old].params.iter().map(|&p| (p, func.ty(p))).collect();
        self.add_block(func, old, params)
    }

    fn add_block(&mut self, func: &mut Func, old: Block, params: Vec<(Value, Type)>) -> Block {
        let new = func.add_block();
        self.new.push(new);
        self.blocks.insert(old, new);
        self.values.extend(params.into_iter().map(|(param, ty)| (param, func.add_param(new, ty))));
        new
    }
    /// Copies instructions into the block that has been opened for them; operands become copies in `close`.
    fn fill(&mut self, func: &mut Func, block: Block, insts: Vec<(InstData, Option<Type>)>) {
        for (InstData { op, args, imm, attr, result, origin }, ty) in insts {
            let copy = func.make_inst(op, ty, &args, imm, attr, origin);
            self.values.extend(result.zip(func.insts[copy].result));
            func.blocks[block].insts.push(copy);
        }
    }
    /// Ends a block that has been filled.
    fn close(&self, func: &mut Func, block: Block, term: Term) {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].args.iter_mut().for_each(|v| *v = self.value(*v));
        }
        func.blocks[block].term = term;
    }
}

/// Makes a value where the builder is, by copies of the instructions that make it. `there` tells of a value what it is
/// there already, or, as an error, which value to make in its place. Facts about the old places are not taken along.
pub fn rematerialise(b: &mut Builder<'_>, v: Value, there: &dyn Fn(&Func, Value) -> Result<Value, Value>) -> Value {
    let v = match there(b.func, v) {
        Ok(v) => return v,
        Err(v) => v,
    };
    let data = b.func.def_inst(v).expect("only results of instructions are made again").clone();
    let args: SmallVec<[Value; 4]> = data.args.iter().map(|&arg| rematerialise(b, arg, there)).collect();
    let attr = Attr { flags: data.attr.flags - Flags::VALUES, ..data.attr };
    let origin = std::mem::replace(&mut b.origin, data.origin);
    let new = b.typed(data.op, b.func.ty(v), &args, data.imm, attr);
    b.origin = origin;
    new
}

impl Func {
    /// Copies blocks to the end of the layout: ways between them lead to the copies, others where they led.
    pub fn copy_blocks(&mut self, blocks: &[Block]) -> Copies {
        let mut copies = Copies::default();
        for &old in blocks {
            let (marks, new) = (self.blocks[old].marks(), copies.open(self, old));
            self.blocks[new].set_marks(marks);
            self.layout.push(new);
        }
        for &old in blocks {
            let data = self.blocks[old].insts.iter().map(|&i| &self.insts[i]);
            let insts = data.map(|data| (data.clone(), data.result.map(|v| self.ty(v)))).collect();
            copies.fill(self, copies.block(old), insts);
        }
        for &old in blocks {
            let term = copies.term(&self.blocks[old].term);
            copies.close(self, copies.block(old), term);
        }
        copies
    }

    /// Copies the blocks and slots of function `id` into this one, as `call` wants it: the new blocks, in the order of
    /// its layout, which are in no layout yet. In tables as large as the other function, so that it takes no more time
    /// than writing the copy. New instructions are numbered in the order of that layout.
    pub fn copy_body(&mut self, id: FuncId, from: &Func, call: Origin) -> Vec<Block> {
        let origin = self.origins.enter(id, &from.origins, call);
        let slots = self.slots.len() as u32;
        for slot in from.slots.values() {
            let mut slot = slot.clone();
            if let Some(variable) = &mut slot.variable {
                variable.declared = origin(variable.declared);
            }
            self.slots.push(slot);
        }
        let mut blocks: Vec<Option<Block>> = vec![None; from.blocks.len()];
        let mut values: Vec<Option<Value>> = vec![None; from.values.len()];
        let mut copies = Vec::with_capacity(from.layout.len());
        for &old in &from.layout {
            let new = self.add_block();
            blocks[old.index()] = Some(new);
            copies.push(new);
            for &param in &from.blocks[old].params {
                values[param.index()] = Some(self.add_param(new, from.ty(param)));
            }
        }
        // Uses may come before definitions in the layout: results get their numbers first.
        let results = from.live_insts().filter_map(|(_, inst)| from.insts[inst].result);
        (self.values.len()..).zip(results).for_each(|(new, old)| values[old.index()] = Some(Value::from_index(new)));
        let value = |old: Value| values[old.index()].unwrap_or(old);
        for (&old, &new) in from.layout.iter().zip(&copies) {
            let mut insts = Vec::with_capacity(from.blocks[old].insts.len());
            for &inst in &from.blocks[old].insts {
                let InstData { op, args, imm, attr, result, origin: from_there } = &from.insts[inst];
                let imm = match imm {
                    Imm::Slot(slot) => Imm::Slot(SlotId(slot.0 + slots)),
                    imm => imm.clone(),
                };
                let args: SmallVec<[Value; 4]> = args.iter().map(|&arg| value(arg)).collect();
                insts.push(self.make_inst(*op, result.map(|v| from.ty(v)), &args, imm, *attr, origin(*from_there)));
            }
            let mut term = from.blocks[old].term.clone();
            term.map_values(value);
            let targets = term.targets_mut().into_iter();
            targets.for_each(|t| t.block = blocks[t.block.index()].unwrap_or(t.block));
            (self.blocks[new].insts, self.blocks[new].term) = (insts, term);
        }
        copies
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;

    const LOOP: &str = "\
func @f(i32) -> i32 {
b0(%n: i32):
  %one: i32 = const 1
  jump b1(%n)
b1(%i: i32):
  %next: i32 = add %i, %one
  %more: i1 = icmp.slt %next, %n
  br %more, b1(%next), b2
b2:
  ret %next
}
";

    #[test]
    fn ways_within_lead_to_the_copies_and_others_where_they_led() {
        let mut module = parse(LOOP).expect("it parses");
        let func = module.funcs.values_mut().next().expect("a function");
        let block = func.layout[1];
        let copies = func.copy_blocks(&[block]);
        let new = copies.block(block);
        assert_ne!(new, block);
        assert_eq!(func.layout.last(), Some(&new));
        let targets: Vec<_> = func.blocks[new].term.targets().iter().map(|t| t.block).collect();
        assert_eq!(targets, [new, func.layout[2]]);
        assert_eq!(func.blocks[new].insts.len(), 2);
        let sum = &func.insts[func.blocks[new].insts[0]];
        assert_eq!(sum.args[0], func.blocks[new].params[0], "the copy's own parameter");
        assert_eq!(copies.value(sum.args[1]), sum.args[1], "what is not copied is itself");
    }
}
