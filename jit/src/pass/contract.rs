//! Products and sums that may be rounded once (`Flags::CONTRACT` on both) become `fma`, through variables and functions
//! too: what `-cl-mad-enable` permits. A product that anything else uses stays, since nothing would be saved; of two
//! products the left one is taken in, as sema does within an expression. Both stand in one block: a loop must not take
//! in what is done before it. Runs once per program, before anything depends on a launch, so that a kernel's results
//! are the same bits however its work-items run. What is to stay apart (`Op::Apart`) need not be marked then. Linear.

use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Flags, Func, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
pub fn run(func: &mut Func) {
    fuse_all(func);
    join_again(func);
}

/// Replaces what is kept apart by what it is.
fn join_again(func: &mut Func) {
    let mut apart: FxHashMap<Value, Value> = func
        .live_insts()
        .map(|(_, inst)| &func.insts[inst])
        .filter(|data| data.op == Op::Apart)
        .filter_map(|data| Some((data.result?, data.args[0])))
        .collect();
    if apart.is_empty() {
        return;
    }
    let mut original = |v: Value| {
        let mut root = v;
        while let Some(&of) = apart.get(&root) {
            root = of;
        }
        let mut at = v;
        while let Some(of) = apart.get_mut(&at) {
            at = std::mem::replace(of, root);
        }
        root
    };
    for block in func.layout.clone() {
        func.map_uses(block, &mut original);
        let (insts, arena) = (&mut func.blocks[block].insts, &func.insts);
        insts.retain(|&inst| arena[inst].op != Op::Apart);
    }
}

fn fuse_all(func: &mut Func) {
    if !func.live_insts().any(|(_, inst)| is_sum(&func.insts[inst])) {
        return;
    }
    let uses = func.use_counts();
    for block in func.layout.clone() {
        let products = products(func, block, &uses);
        if products.is_empty() {
            continue;
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut b = Builder::new(func, block);
        for inst in insts {
            if is_sum(&b.func.insts[inst]) {
                fuse(&mut b, inst, &products);
            }
            b.place(inst);
        }
    }
}

fn is_sum(data: &InstData) -> bool {
    matches!(data.op, Op::Fadd | Op::Fsub) && data.attr.flags.contains(Flags::CONTRACT) && data.args[0] != data.args[1]
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

/// Makes a sum of one of the products an `fma`, with a negation in front if it takes one.
fn fuse(b: &mut Builder<'_>, inst: Inst, products: &FxHashSet<Value>) {
    let data = &b.func.insts[inst];
    let (left, right, rm) = (data.args[0], data.args[1], data.attr.rm);
    let is_difference = data.op == Op::Fsub;
    b.origin = data.origin;
    let product = |v: Value| {
        let product = b.func.def_inst(v).filter(|d| products.contains(&v) && d.attr.rm == rm)?;
        Some((product.args[0], product.args[1]))
    };
    let (mut x, y, mut addend, is_left) = match (product(left), product(right)) {
        (Some((x, y)), _) => (x, y, right, true),
        (None, Some((x, y))) => (x, y, left, false),
        (None, None) => return,
    };
    if is_difference {
        let negative = if is_left { &mut addend } else { &mut x };
        *negative = b.op(Op::Fneg, &[*negative]);
    }
    let data = &mut b.func.insts[inst];
    (data.op, data.args) = (Op::Fma, [x, y, addend].into_iter().collect());
}
