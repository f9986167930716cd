//! Gathers from small tables, such as those of substitutions, colours and powers: where the memory's size and the
//! indices' bound are known, the registers that hold the whole table are permuted (in-register table lookup). Takes
//! machines with mask registers.

use super::memory::one_lane;
use super::width_of;
use crate::ir::{Attr, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::launch::{AddrSpace, Env};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;
use crate::pass::known::upper_bound;
use std::mem::offset_of;

/// Most registers of a table.
const MOST: u64 = 4;

impl Legalizer<'_> {
    /// Looks the lanes up if the memory is such a table.
    pub(super) fn look_up(&mut self, inst: &InstData) -> bool {
        let (Some(result), &[base, index, mask, other]) = (inst.result, &inst.args[..]) else { return false };
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let part = self.layout(ty, width).part;
        let register = u64::from(self.machine.register_bytes);
        let size = u64::from(ty.elem.bytes());
        let table = part.with_lanes((register / size) as u8);
        if !self.machine.masks
            || !self.machine.permutes(table)
            || inst.imm != (Imm::Scale { scale: size as u32, disp: 0 })
        {
            return false;
        }
        let Some(registers) = self.table_registers(base, index, size) else { return false };
        let Some(index) = self.table_indices(index, ty) else { return false };
        let base = self.scalar(base);
        let parts: Vec<Value> = (0..registers)
            .map(|i| {
                let at = self.out.offset(base, i * register);
                self.out.typed(Op::Load, table, &[at], Imm::None, one_lane(inst.attr))
            })
            .collect();
        let part_of = |i: usize| parts[i.min(parts.len() - 1)];
        let full = self.is_full(mask);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        let picked: Pieces = (0..index.len())
            .map(|i| {
                let low = [part_of(0), part_of(1), index[i]];
                let mut picked = self.out.typed(Op::Permute, part, &low, Imm::None, Attr::default());
                if registers > 2 {
                    let high = [part_of(2), part_of(3), index[i]];
                    let high = self.out.typed(Op::Permute, part, &high, Imm::None, Attr::default());
                    let bit = self.out.op2c(Op::And, index[i], 2 * u64::from(table.lanes));
                    let none = self.out.bits(self.out.ty(index[i]), 0);
                    let is_high = self.out.icmp(IntPred::Ne, bit, none);
                    picked = self.select_part(is_high, high, picked);
                }
                if full { picked } else { self.select_part(masks[i], picked, others[i]) }
            })
            .collect();
        self.set_parts(result, &picked, width);
        true
    }

    /// How many registers hold all elements of a size that the indices may reach, if all of that may be read and it is
    /// not too much.
    fn table_registers(&self, base: Value, index: Value, size: u64) -> Option<u64> {
        let register = u64::from(self.machine.register_bytes);
        let reached = upper_bound(self.old, index).saturating_add(1);
        let start = self.old.def_inst(base).filter(|def| def.op == Op::GlobalAddr);
        let (bytes, reached) = match start.map(|def| &def.imm) {
            Some(&Imm::Global(global)) => {
                let global = &self.module.globals[global];
                if global.space != AddrSpace::Constant {
                    return None;
                }
                // No lane reads anything else.
                (global.size, reached.min(global.size / size))
            }
            _ => (self.local_bytes_behind(base)?, reached),
        };
        let registers = reached.checked_mul(size)?.div_ceil(register);
        (registers > 0 && registers <= MOST && registers * register <= bytes).then_some(registers)
    }

    /// Bytes of the kernel's own local variables from where a pointer points, if that is a constant distance from their
    /// start.
    fn local_bytes_behind(&self, ptr: Value) -> Option<u64> {
        let old = self.old;
        let (mut at, mut start) = (0i64, ptr);
        while let Some(InstData { op: Op::PtrOff, args, imm: Imm::Disp(disp), .. }) = old.def_inst(start) {
            (at, start) = (at.checked_add(*disp)?, args[0]);
        }
        let load = old.def_inst(start).filter(|d| d.op == Op::Load && old.ty(start) == Type::ptr(AddrSpace::Local))?;
        let field = old.def_inst(load.args[0]).filter(|d| d.op == Op::PtrOff)?;
        let env = *old.blocks[old.entry()].params.get(1)?;
        let is_start = field.args[0] == env && field.imm == Imm::Disp(offset_of!(Env, local) as i64);
        old.local_bytes.checked_sub(u64::try_from(at).ok()?).filter(|_| is_start)
    }

    /// Indices as wide as the elements, part by part; of narrow ones the bits that matter.
    fn table_indices(&mut self, index: Value, ty: Type) -> Option<Pieces> {
        let from = self.old.ty(index);
        match ty.elem.bits() {
            bits if bits >= 32 => self.gather_indices(index, ty),
            bits => {
                let to = if bits == 8 { Scalar::I8 } else { Scalar::I16 };
                let parts = self.parts(index, width_of(from.elem));
                self.convert_pieces(Op::Trunci, from, to, Rounding::Rte, &parts)
            }
        }
    }
}
