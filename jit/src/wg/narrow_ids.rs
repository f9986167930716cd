//! Narrowing facts: where the launch promises that ids, sizes and arguments fit an `int`, value ranges show which sums
//! of them still fit when they are truncated to 32 bits; so do counters of loops between such numbers. Such
//! truncations are marked, so that address arithmetic in `int` can be done in 64 bits; `x & 0xffffffff`, which such a
//! truncation and extension may have become, becomes `x & x`. Divisions of 64 bits are done in 32, which takes
//! processors a fraction of the time, and for which there are lanes (LLVM's narrowing of divisions by value ranges).
//! Must not change values.

use crate::analysis::induction::{Induction, Step};
use crate::analysis::range::{Range, Ranges};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, IntPred, Op, Target, Type, Value};

/// The largest id or size.
const MAX: i128 = i32::MAX as i128;

/// The size of groups, if it is known.
pub(super) type Local = Option<[u32; 3]>;

/// What is known to be small.
struct Small<'a> {
    /// The size of groups, if it is known.
    local: Local,
    /// Arguments.
    args: &'a [Value],
    /// Counters of loops, and the blocks that dominate all places where they are below small bounds.
    counters: &'a [(Value, Block)],
    dom: &'a Dominators,
}

/// Marks truncations to 32 bits that lose nothing, replaces masks of the low 32 bits of a value that has no others by
/// their operand, and narrows divisions. `args` are promised to be small, as the ids are.
pub(super) fn mark(func: &mut Func, local: Local, args: &[Value]) {
    let (cfg, dom, loops) = Loops::of_func(func);
    let mut counters = Vec::new();
    // Outer loops first: inner ones may start where they are.
    for l in &loops.loops {
        for counter in Induction::all(func, l).filter(|c| func.ty(c.now) == Type::I64) {
            let small = Small { local, args, counters: &counters, dom: &dom };
            counters.extend(small.bounded(func, &cfg, l, &counter).map(|body| (counter.now, body)));
        }
    }
    let small = Small { local, args, counters: &counters, dom: &dom };
    // Masks last: ranges look through them.
    for op in [Op::Trunci, Op::And] {
        for (block, inst) in func.live_insts().filter(|&(_, i)| func.insts[i].op == op).collect::<Vec<_>>() {
            let data = &func.insts[inst];
            let v = data.args[0];
            let is_narrowing = match op {
                Op::Trunci => data.result.is_some_and(|v| func.ty(v) == Type::I32),
                _ => func.const_bits(data.args[1]) == Some(u64::from(u32::MAX)),
            };
            if !is_narrowing || !small.is(func, v, block) {
                continue;
            }
            match op {
                Op::Trunci => func.insts[inst].attr.flags |= Flags::NSW | Flags::NUW,
                _ => func.insts[inst].args[1] = v,
            }
        }
    }
    narrow_divisions(func, &small);
}

/// Does the divisions of small numbers in 32 bits:
/// ```text
/// q = div.u i64 a, b   →   s = trunc i32 a ; t = trunc i32 b ; u = div.u i32 s, t ; q = zext i64 u
/// ```
fn narrow_divisions(func: &mut Func, small: &Small<'_>) {
    let is_division = |op: Op| matches!(op, Op::DivU | Op::RemU | Op::DivS | Op::RemS);
    for block in func.layout.clone() {
        // From the last to the first: what others' results are made of is looked at before it is more than it was, and
        // the places of those that are left stay.
        for at in (0..func.blocks[block].insts.len()).rev() {
            let inst = func.blocks[block].insts[at];
            let &[a, b] = func.insts[inst].args.as_slice() else { continue };
            if !is_division(func.insts[inst].op) || ![a, b].into_iter().all(|v| small.is(func, v, block)) {
                continue;
            }
            let op = match func.insts[inst].op {
                Op::DivU | Op::DivS => Op::DivU,
                _ => Op::RemU,
            };
            let origin = func.insts[inst].origin;
            let mut builder = Builder::at(func, block, at).with_origin(origin);
            let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
            let words = [a, b].map(|v| builder.typed(Op::Trunci, Type::I32, &[v], Imm::None, exact));
            let result = builder.op(op, &words);
            let data = &mut func.insts[inst];
            (data.op, data.args, data.attr) = (Op::Zext, [result].into_iter().collect(), Attr::default());
        }
    }
}

impl Small<'_> {
    /// True if a 64-bit value made of ids, sizes, arguments, counters and constants is, in a block, one of the ids that
    /// there may be.
    fn is(&self, func: &Func, v: Value, at: Block) -> bool {
        let known = |v: Value| {
            let is_counter = |&(counter, body): &(Value, Block)| counter == v && self.dom.dominates(body, at);
            if self.args.contains(&v) || self.counters.iter().any(is_counter) {
                return Some(Range::new(0, MAX));
            }
            let query = func.def_inst(v).filter(|data| data.op.is_query() && func.ty(v) == Type::I64)?;
            let size = match (&query.imm, self.local) {
                (&Imm::Dim(dim), Some(sizes)) => Some(i128::from(sizes[usize::from(dim)])),
                _ => None,
            };
            Some(Range::new(
                0,
                match (query.op, size.filter(|&size| size > 0)) {
                    (Op::Lid, Some(size)) => size - 1,
                    (Op::Lsz | Op::Elsz, Some(size)) => size,
                    (Op::Grp, Some(size)) => MAX / size,
                    _ => MAX,
                },
            ))
        };
        func.ty(v) == Type::I64 && Range::new(0, MAX).contains(Ranges { func, signed: true, known: &known }.of(v))
    }

    /// Where a counter is small, if it starts as such, grows by such, and is tested against such a bound.
    fn bounded(&self, func: &Func, cfg: &Cfg, l: &Loop, counter: &Induction) -> Option<Block> {
        let Step::Value(step) = counter.step else { return None };
        let is_small = |v: Value| self.is(func, v, l.header);
        let leads = |t: &Target| l.blocks.contains(&t.block) && cfg.preds(t.block).len() == 1;
        let bound = counter.bound(func, l.header, leads).filter(|bound| !bound.is_next && bound.is_upper())?;
        let is_strict = matches!(bound.pred, IntPred::SLt | IntPred::ULt);
        // Else it might grow past the bound, and wrap.
        let leaves = func.blocks[l.header].term.targets().iter().any(|t| !l.blocks.contains(&t.block));
        (leaves && is_strict && is_small(step) && is_small(bound.than) && counter.starts(func, cfg, l).all(is_small))
            .then_some(bound.to)
    }
}
