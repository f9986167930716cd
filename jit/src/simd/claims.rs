//! What the vectoriser believes of loops over work-items, value by value, for `claims` to check while they run. Must
//! not decide anything.

use super::item_loop::ItemLoop;
use super::linearise::{self, MaskOf};
use super::shape::{Facts, Shape, Shapes};
use crate::analysis::slice::dependents;
use crate::ir::{Block, Func, Op, Value};
use rustc_hash::FxHashSet;

/// How a value differs among the work-items of one vector that get to it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// Not at all.
    Uniform,
    /// By this for each lane, modulo the width of the type.
    Affine(i64),
}

/// Which work-items of one vector get to a block together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// All.
    All,
    /// Those that get to this block.
    As(Block),
}

/// A loop over work-items.
pub struct ItemClaims {
    /// The block that begins with a new work-item.
    pub header: Block,
    /// The block that jumps back there.
    pub latch: Block,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// The values of which something is known.
    pub values: Vec<(Value, Alike)>,
    /// The blocks of which something is known.
    pub present: Vec<(Block, Present)>,
}

/// The claims for the loops of these headers, in a function as the vectoriser looks at it, for vectors of each of these
/// numbers of work-items.
pub fn find(func: &mut Func, headers: &[Block], widths: &[u8]) -> Vec<Vec<ItemClaims>> {
    let mut all: Vec<Vec<ItemClaims>> = widths.iter().map(|_| Vec::new()).collect();
    for &header in headers {
        let Ok(items) = ItemLoop::prepare(func, header) else { continue };
        let facts = Facts::new(func, items);
        for (&width, found) in widths.iter().zip(&mut all) {
            found.extend(of_loop(func, &facts, width));
        }
    }
    all
}

fn of_loop(func: &Func, facts: &Facts, width: u8) -> Option<ItemClaims> {
    let items = &facts.items;
    let shapes = Shapes::analyse(func, facts, width).ok()?;
    if shapes.may_wait(func).is_some() {
        return None;
    }
    let private = private(func, items);
    let mut values = Vec::new();
    for &block in &items.blocks {
        let results = func.blocks[block].insts.iter().filter_map(|&i| func.insts[i].result);
        for v in func.blocks[block].params.iter().copied().chain(results) {
            match shapes.of(v) {
                _ if private.contains(&v) => {}
                Shape::Uniform => values.push((v, Alike::Uniform)),
                Shape::Affine(stride) => values.push((v, Alike::Affine(stride))),
                Shape::Unknown | Shape::Varying => {}
            }
        }
    }
    let plan = linearise::plan(func, &shapes, true);
    let present = plan.masks.iter().filter_map(|(&block, mask)| match mask {
        MaskOf::All => Some((block, Present::All)),
        MaskOf::Same(other) => Some((block, Present::As(*other))),
        MaskOf::Edges => None,
    });
    let present = present.collect();
    Some(ItemClaims { header: items.header, latch: items.latch, blocks: items.blocks.clone(), values, present })
}

/// Addresses of private memory and what is computed from them: lanes have copies of it, work-items one after the other
/// share.
fn private(func: &Func, items: &ItemLoop) -> FxHashSet<Value> {
    let addresses = func.data_of(&items.blocks).filter(|data| data.op == Op::SlotAddr).filter_map(|data| data.result);
    dependents(func, &items.blocks, addresses, |data| data.op != Op::Load, |_| true)
}
