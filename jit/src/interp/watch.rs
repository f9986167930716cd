//! What a run may tell somebody who looks on: each value as it comes to be, each instruction before it is executed. For
//! checks of what analyses say (`claims`); nobody watches otherwise.

use super::memory::Memory;
use super::value::Lanes;
use crate::ir::entity::{Block, FuncId, Inst, Value};

/// Who looks on. Work-items are numbered by linear local id; whoever runs outside a group is number 0.
pub trait Watch {
    /// A group of so many work-items begins.
    fn group(&mut self, items: usize);
    /// This work-item begins or goes on.
    fn resume(&mut self, item: usize);
    /// All work-items of the group have met or ended.
    fn meet(&mut self);
    /// The work-item calls a function.
    fn enter(&mut self, func: FuncId);
    /// The function that the work-item called last returns.
    fn leave(&mut self);
    /// It gets to a block, from another or at first. The block's parameters come next.
    fn block(&mut self, from: Option<Block>, to: Block);
    /// It gets a value.
    fn define(&mut self, v: Value, lanes: &[u64]);
    /// It is going to execute an instruction with these operands.
    fn execute(&mut self, inst: Inst, args: &[Lanes], memory: &Memory);
}
