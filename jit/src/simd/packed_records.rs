//! Vectors of the program's that need not be taken apart: where records such as `float4` side by side in memory are
//! loaded, computed with component by component alike, and stored, vectors hold what follows in memory, several
//! work-items' whole records each, instead of one component of each. That saves all shuffles.
//!
//! Such values are found as the largest set that is closed: what makes a member, and all that uses it, keeps the order.
//! Only in loops whose work-items go the same way. Must not change code.

use super::shape::{Shape, Shapes};
use crate::ir::{Block, Func, InstData, Op, Type, Value};
use rustc_hash::FxHashSet;

/// The vectors that keep the order of memory.
pub(super) fn find(func: &Func, shapes: &Shapes) -> FxHashSet<Value> {
    let items = &shapes.facts.items;
    let mut found = FxHashSet::default();
    let parts = |&b: &Block| shapes.is_divergent(b) || shapes.is_masked(b);
    if items.blocks.iter().any(parts) {
        return found;
    }
    let cx = Records { func, shapes };
    for &block in &items.blocks {
        let params = func.blocks[block].params.iter().filter(|_| block != items.header).copied();
        let made = func.blocks[block].insts.iter().filter_map(|&i| func.insts[i].result);
        found.extend(params.chain(made).filter(|&v| cx.is_record(v)));
    }
    if found.is_empty() {
        return found;
    }
    loop {
        let before = found.len();
        for &block in &items.blocks {
            func.data_of(&[block]).for_each(|data| cx.check(block, data, &mut found));
            cx.check_edges(block, &mut found);
        }
        if found.len() == before {
            break;
        }
    }
    // What the loop hands on is taken apart.
    for &block in func.layout.iter().filter(|b| !items.blocks.contains(b)) {
        let mut is_used = false;
        func.for_each_use(block, |v| is_used |= found.contains(&v));
        if is_used {
            return FxHashSet::default();
        }
    }
    found
}

struct Records<'a> {
    func: &'a Func,
    shapes: &'a Shapes<'a>,
}

impl Records<'_> {
    /// True for a varying vector of a size that fills whole vectors.
    fn is_record(&self, v: Value) -> bool {
        let ty = self.func.ty(v);
        let plain = ty.is_vector() && !ty.is_ptr() && ty.lanes.is_power_of_two();
        plain && self.shapes.of(v) == Shape::Varying
    }

    /// True for a uniform vector of equal components.
    fn is_even(&self, v: Value) -> bool {
        let Some(data) = self.func.def_inst(v) else { return false };
        self.shapes.of(v) == Shape::Uniform
            && match data.op {
                Op::Const | Op::Splat => true,
                _ => {
                    self.func.ty(v).is_vector()
                        && is_on_components(self.func, data)
                        && data.args.iter().all(|&a| self.is_even(a))
                }
            }
    }

    /// True if whole records are accessed one behind the other.
    fn is_whole(&self, block: Block, ptr: Value, ty: Type) -> bool {
        let stride = i64::from(ty.elem.bytes() * u32::from(ty.lanes));
        let woven = self.shapes.facts.woven.elem(ptr).is_some();
        !woven && self.shapes.at(ptr, block) == Shape::Affine(stride)
    }

    /// Takes out of the set what an instruction makes or uses otherwise.
    fn check(&self, block: Block, data: &InstData, found: &mut FxHashSet<Value>) {
        let serial = self.shapes.is_serial(self.func, block, data);
        let keeps = match data.op {
            _ if serial => false,
            Op::Load => data.result.is_some_and(|v| self.is_whole(block, data.args[0], self.func.ty(v))),
            Op::Store => {
                let (ptr, v) = (data.args[0], data.args[1]);
                found.contains(&v) && !found.contains(&ptr) && self.is_whole(block, ptr, self.func.ty(v))
            }
            _ => {
                let fits = |&v: &Value| match self.func.ty(v).is_vector() {
                    true => found.contains(&v) || self.is_even(v),
                    false => self.shapes.at(v, block) == Shape::Uniform,
                };
                let made = data.result.is_some_and(|v| found.contains(&v));
                made && is_on_components(self.func, data) && data.args.iter().all(fits)
            }
        };
        if !keeps {
            for v in data.result.iter().chain(&data.args) {
                found.remove(v);
            }
        }
    }

    /// The same for what a block hands to others.
    fn check_edges(&self, block: Block, found: &mut FxHashSet<Value>) {
        for (to, param, arg) in self.func.handed(block) {
            if !(self.shapes.facts.within(to) && found.contains(&param)) {
                found.remove(&arg);
            } else if !found.contains(&arg) && !self.is_even(arg) {
                found.remove(&param);
            }
        }
    }
}

/// True for an operation on each component, of vectors of as many components, and of scalars that are for all of them.
fn is_on_components(func: &Func, data: &InstData) -> bool {
    let Some(result) = data.result else { return false };
    let ty = func.ty(result);
    let fits = |&v: &Value| {
        let arg = func.ty(v);
        !arg.is_ptr() && (!arg.is_vector() || arg.lanes == ty.lanes)
    };
    let each = data.op.is_elementwise() || data.op == Op::Bitcast;
    each && ty.is_vector() && data.args.iter().all(fits)
}
