//! Proves that ids are in range, lists agree with each other, and each op has its number of operands and its kind of
//! immediate. Everything after may index without checking.

use super::List;
use crate::ir::entity::{Entity, Inst};
use crate::ir::func::{Func, ValueDef};
use crate::ir::module::Module;
use crate::ir::op::{Arity, Imm, Op, TypeRule};
use crate::ir::text::write::Line;
use rustc_hash::FxHashSet;

/// Rules outside functions.
pub(super) fn module(module: &Module) -> Vec<String> {
    let mut out = Vec::new();
    let mut names = FxHashSet::default();
    for func in module.funcs.values() {
        if !names.insert(func.name.as_str()) {
            out.push(format!("two functions are called `{}`", func.name));
        }
    }
    for (id, global) in module.globals.iter() {
        if !global.align.is_power_of_two() {
            out.push(format!("{id}: alignment {} is no power of two", global.align));
        }
        if global.init.bytes.len() as u64 > global.size {
            out.push(format!("{id}: {} initial bytes for a size of {}", global.init.bytes.len(), global.size));
        }
        for (at, to, _) in &global.init.relocs {
            if module.globals.get(*to).is_none() {
                out.push(format!("{id}: address of unknown {to}"));
            }
            if at.checked_add(8).is_none_or(|end| end > global.size) {
                out.push(format!("{id}: address at {at} is out of bounds"));
            }
        }
    }
    for (id, var) in module.locals.iter() {
        if !var.align.is_power_of_two() {
            out.push(format!("{id}: alignment {} is no power of two", var.align));
        }
    }
    for (info, id) in &module.kernels {
        match module.funcs.get(*id) {
            None => out.push(format!("kernel `{}` has no function", info.name)),
            Some(func) if !func.is_kernel => out.push(format!("function `{}` is no kernel", func.name)),
            Some(func) if func.params.len() != info.args.len() => {
                out.push(format!(
                    "kernel `{}` has {} arguments, its function {}",
                    info.name,
                    info.args.len(),
                    func.params.len()
                ));
            }
            Some(_) => {}
        }
    }
    out
}

/// Rules of one function that do not need types.
pub(super) fn func(module: &Module, func: &Func, out: &mut List) {
    for (id, slot) in func.slots.iter() {
        if !slot.align.is_power_of_two() {
            out.head(format!("{id}: alignment {} is no power of two", slot.align));
        }
    }
    if !func.has_body() {
        return;
    }
    if let Some(block) = func.layout.iter().find(|b| func.blocks.get(**b).is_none()) {
        return out.head(format!("unknown block {block} in the layout"));
    }
    let mut placed = vec![false; func.blocks.len()];
    for &b in &func.layout {
        if std::mem::replace(&mut placed[b.index()], true) {
            out.label(b, "the block is twice in the layout");
        }
    }
    let mut listed = vec![false; func.insts.len()];
    for &b in &func.layout {
        for (n, p) in func.blocks[b].params.iter().enumerate() {
            match func.values.get(*p) {
                Some(v) if v.def == ValueDef::Param(b, n as u32) => {}
                _ => out.label(b, format!("{p} is not defined as parameter {n} of {b}")),
            }
        }
        for &i in &func.blocks[b].insts {
            match listed.get_mut(i.index()) {
                None => out.label(b, format!("unknown instruction {i:?}")),
                Some(seen) => match std::mem::replace(seen, true) {
                    true => out.inst(i, "the instruction is in two places"),
                    false => inst(module, func, i, out),
                },
            }
        }
        func.blocks[b].term.for_each_value(|v| {
            if func.values.get(v).is_none() {
                out.term(b, format!("unknown value {v}"));
            }
        });
        func.blocks[b].term.for_each_target(|t| {
            if placed.get(t.block.index()) != Some(&true) {
                out.term(b, format!("{} is not in the layout", t.block));
            } else if t.block == func.entry() {
                out.term(b, "the entry block is no branch target");
            }
        });
    }
    // A use of a value whose definition is not in the layout.
    let defined = |v| match func.values[v].def {
        ValueDef::Param(b, n) => {
            placed.get(b.index()) == Some(&true) && func.blocks[b].params.get(n as usize) == Some(&v)
        }
        ValueDef::Inst(i) => listed.get(i.index()) == Some(&true) && func.insts[i].result == Some(v),
    };
    if out.errors.is_empty() {
        uses(func, |line, v| {
            if !defined(v) {
                out.errors.push(super::Error { line, message: format!("{v} has no definition") });
            }
        });
    }
}

fn uses(func: &Func, mut f: impl FnMut(Line, crate::ir::Value)) {
    for &b in &func.layout {
        for &i in &func.blocks[b].insts {
            func.insts[i].args.iter().for_each(|&v| f(Line::Inst(i), v));
        }
        func.blocks[b].term.for_each_value(|v| f(Line::Term(b), v));
    }
}

fn inst(module: &Module, func: &Func, i: Inst, out: &mut List) {
    let data = &func.insts[i];
    let row = data.op.row();
    if let Some(v) = data.args.iter().find(|v| func.values.get(**v).is_none()) {
        out.inst(i, format!("unknown value {v}"));
    }
    match row.arity {
        Arity::Fixed(n) if data.args.len() != usize::from(n) => {
            out.inst(i, format!("{} takes {n} operands, not {}", row.name, data.args.len()));
        }
        Arity::Variadic if data.args.is_empty() && !matches!(data.op, Op::Call | Op::Barrier) => {
            out.inst(i, format!("{} takes operands", row.name))
        }
        _ => {}
    }
    match data.result {
        Some(v) if func.values.get(v).is_none_or(|v| v.def != ValueDef::Inst(i)) => {
            out.inst(i, format!("{v} is not defined as the result"));
        }
        Some(_) if row.rule == TypeRule::None => out.inst(i, format!("{} has no result", row.name)),
        None if row.rule != TypeRule::None && data.op != Op::Call => out.inst(i, format!("{} has a result", row.name)),
        _ => {}
    }
    if data.imm.kind() != data.op.imm_kind() {
        return out.inst(
            i,
            format!("{} takes an immediate of kind {:?}, not {:?}", row.name, data.op.imm_kind(), data.imm.kind()),
        );
    }
    let known = match data.imm {
        Imm::Slot(id) => func.slots.get(id).is_some(),
        Imm::LocalVar(id) => module.locals.get(id).is_some(),
        Imm::Global(id) => module.globals.get(id).is_some(),
        Imm::Func(id) => module.funcs.get(id).is_some(),
        Imm::Device(what, n) => !what.is_about_block() || module.kernels.get(n as usize).is_some(),
        Imm::Dim(n) => n < 3,
        Imm::FenceFlags(n) => n < 32,
        _ => true,
    };
    if !known {
        out.inst(i, format!("{:?} does not exist", data.imm));
    }
    if data.attr.align != 0 && !data.attr.align.is_power_of_two() {
        out.inst(i, format!("alignment {} is no power of two", data.attr.align));
    }
}
