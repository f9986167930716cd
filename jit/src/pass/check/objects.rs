//! Which object each pointer of a function was made from: a sparse data-flow analysis over SSA form. Pointers that meet
//! keep their object if it is the same; else the join has companions of its own. Also, of what each pointer's offset in
//! its object is known to be a multiple.

use crate::ir::entity::Entity;
use crate::ir::{Func, GlobalId, Imm, InstData, LocalVarId, Op, SlotId, Value, ValueDef};

/// The object that a pointer was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// None: null.
    Null,
    /// That of the kernel's argument of this number.
    Arg(u32),
    /// A private variable.
    Slot(SlotId),
    /// A local variable.
    Local(LocalVarId),
    /// A variable at program scope.
    Global(GlobalId),
    /// The one in which this pointer lies, whose origin is not known.
    Found(Value),
    /// One of several: this join or selection decides.
    Joined(Value),
    /// What an image's or sampler's argument leads to.
    Opaque,
}

/// What is known of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub root: Root,
    /// log2 of what its offset is a multiple of.
    pub align: u32,
}

/// Offsets of variables and arguments are multiples of 2^this: `launch::MEMORY_ALIGN`. Whether arguments are aligned
/// for what they point to is not for kernels to check.
const MOST: u32 = 7;

/// Of each value of the function, by number.
pub(super) fn pointers(func: &Func, is_opaque: &dyn Fn(usize) -> bool) -> Vec<Option<Pointer>> {
    let mut found: Vec<Option<Pointer>> = vec![None; func.values.len()];
    let entry = func.entry();
    for (n, &param) in func.blocks[entry].params.iter().enumerate().filter(|(_, p)| func.ty(**p).is_ptr()) {
        let known = |root| Some(Pointer { root, align: MOST });
        found[param.index()] = match (func.is_kernel, is_opaque(n)) {
            (true, true) => known(Root::Opaque),
            (true, false) => known(Root::Arg(n as u32)),
            (false, _) => Some(Pointer { root: Root::Found(param), align: 0 }),
        };
    }
    // Facts only fall, so that this ends.
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if let Some(v) = data.result.filter(|&v| func.ty(v).is_ptr()) {
                    let new = result(func, data, v, &found);
                    changed |= found[v.index()] != new;
                    found[v.index()] = new;
                }
            }
            for (_, param, arg) in func.handed(block).filter(|(_, param, _)| func.ty(*param).is_ptr()) {
                let new = meet(found[param.index()], found[arg.index()], param);
                changed |= found[param.index()] != new;
                found[param.index()] = new;
            }
        }
    }
    found
}

fn result(func: &Func, data: &InstData, v: Value, found: &[Option<Pointer>]) -> Option<Pointer> {
    let of = |n: usize| found[data.args[n].index()];
    let known = |root| Some(Pointer { root, align: MOST });
    match (data.op, &data.imm) {
        (Op::SlotAddr, &Imm::Slot(slot)) => known(Root::Slot(slot)),
        (Op::LocalAddr, &Imm::LocalVar(var)) => known(Root::Local(var)),
        (Op::GlobalAddr, &Imm::Global(var)) => known(Root::Global(var)),
        (Op::Const, Imm::Bits(0)) => known(Root::Null),
        (Op::AsCast | Op::Element, _) => of(0),
        (Op::PtrOff, &Imm::Disp(disp)) => of(0).map(|p| Pointer { align: p.align.min(disp.trailing_zeros()), ..p }),
        (Op::PtrAdd, &Imm::Scale { scale, disp }) => of(0).map(|p| {
            let step = scale.trailing_zeros() + multiple(func, data.args[1], 4);
            Pointer { align: p.align.min(disp.trailing_zeros()).min(step), ..p }
        }),
        (Op::Select, _) => {
            let was = found[v.index()].filter(|p| p.root == Root::Joined(v));
            meet(meet(was, of(1), v), of(2), v)
        }
        // A descriptor's pixels.
        (Op::Load, _) if of(0).is_some_and(|p| p.root == Root::Opaque) => known(Root::Opaque),
        _ => Some(Pointer { root: Root::Found(v), align: 0 }),
    }
}

/// log2 of what an integer is known to be a multiple of.
fn multiple(func: &Func, v: Value, depth: u32) -> u32 {
    let Some(data) = func.def_inst(v).filter(|_| depth > 0) else { return 0 };
    let of = |n: usize| multiple(func, data.args[n], depth - 1);
    let bits = |n: usize| func.const_bits(data.args[n]);
    match data.op {
        Op::Const => func.const_bits(v).map_or(0, u64::trailing_zeros),
        Op::Mul => of(0) + of(1),
        Op::Add | Op::Sub => of(0).min(of(1)),
        Op::And => of(0).max(of(1)),
        Op::Shl => bits(1).map_or(0, |by| of(0) + by as u32 % func.ty(v).elem.bits()),
        Op::Sext | Op::Zext => of(0),
        _ => 0,
    }
}

fn meet(a: Option<Pointer>, b: Option<Pointer>, join: Value) -> Option<Pointer> {
    let (Some(x), Some(y)) = (a, b) else { return a.or(b) };
    let root = if x.root == y.root { x.root } else { Root::Joined(join) };
    Some(Pointer { root, align: x.align.min(y.align) })
}

/// True if a pointer gets its offset from a join: a parameter of a block other than the entry.
pub(super) fn is_join(func: &Func, v: Value) -> bool {
    matches!(func.values[v].def, ValueDef::Param(block, _) if block != func.entry())
}
