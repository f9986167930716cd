//! Products and sums that may be rounded once (`Flags::CONTRACT` on both) become `fma`, through variables and functions too: what
//! `-cl-mad-enable` permits. A product that anything else uses stays, since nothing would be saved; of two products the left one is
//! taken in, as sema does within an expression. Both stand in one block: a loop must not take in what is done before it. Runs once
//! per program, before anything depends on a launch, so that a kernel's results are the same bits however its work-items run.
//! Linear.

use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, Flags, Func, Imm, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !func.live_insts().any(|(_, inst)| is_sum(&func.insts[inst])) {
        return;
    }
    let uses = n_uses(func);
    for block in func.layout.clone() {
        let products = products(func, block, &uses);
        if products.is_empty() {
            continue;
        }
        let mut out = Vec::with_capacity(func.blocks[block].insts.len());
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            if is_sum(&func.insts[inst]) {
                out.extend(fuse(func, inst, &products));
            }
            out.push(inst);
        }
        func.blocks[block].insts = out;
    }
}

fn is_sum(data: &InstData) -> bool {
    matches!(data.op, Op::Fadd | Op::Fsub) && data.attr.flags.contains(Flags::CONTRACT) && data.args[0] != data.args[1]
}

/// How often each value is used.
fn n_uses(func: &Func) -> Vec<u32> {
    let mut uses = vec![0u32; func.values.len()];
    for &block in &func.layout {
        let block = &func.blocks[block];
        block.insts.iter().flat_map(|&inst| &func.insts[inst].args).for_each(|v| uses[v.index()] += 1);
        block.term.for_each_value(|v| uses[v.index()] += 1);
    }
    uses
}

/// The products of a block that nothing but its sums uses.
fn products(func: &Func, block: Block, uses: &[u32]) -> FxHashSet<Value> {
    let mut in_sums: FxHashMap<Value, u32> = FxHashMap::default();
    for data in func.blocks[block].insts.iter().map(|&inst| &func.insts[inst]) {
        if data.op == Op::Fmul && data.attr.flags.contains(Flags::CONTRACT) {
            in_sums.extend(data.result.map(|v| (v, 0)));
        } else if is_sum(data) {
            data.args.iter().for_each(|v| _ = in_sums.get_mut(v).map(|n| *n += 1));
        }
    }
    in_sums.into_iter().filter(|&(v, n)| n == uses[v.index()]).map(|(v, _)| v).collect()
}

/// Makes a sum of one of the products an `fma`. A negation that has to stand before it is the result.
fn fuse(func: &mut Func, inst: Inst, products: &FxHashSet<Value>) -> Option<Inst> {
    let data = &func.insts[inst];
    let (a, b, rm, span) = (data.args[0], data.args[1], data.attr.rm, data.span);
    let is_difference = data.op == Op::Fsub;
    let product = |v: Value| {
        let product = func.def_inst(v).filter(|d| products.contains(&v) && d.attr.rm == rm)?;
        Some((product.args[0], product.args[1]))
    };
    let (mut x, y, mut addend, left) = match (product(a), product(b)) {
        (Some((x, y)), _) => (x, y, b, true),
        (None, Some((x, y))) => (x, y, a, false),
        (None, None) => return None,
    };
    let mut negation = None;
    if is_difference {
        let negative = if left { &mut addend } else { &mut x };
        let ty = func.ty(*negative);
        let inst = func.make_inst(Op::Fneg, Some(ty), &[*negative], Imm::None, Attr::default(), span);
        *negative = func.insts[inst].result.expect("a type was given");
        negation = Some(inst);
    }
    let data = &mut func.insts[inst];
    (data.op, data.args) = (Op::Fma, [x, y, addend].into_iter().collect());
    negation
}
