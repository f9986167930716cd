//! Gathers from small tables, such as those of substitutions, colours and powers: where the memory's size and the
//! indices' bound are known, the registers that hold the whole table are permuted (in-register table lookup). Takes
//! machines with mask registers.

use super::memory::one_lane;
use super::width_of;
use crate::analysis::address::Address;
use crate::analysis::range::upper_bound;
use crate::ir::{Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::launch::{AddrSpace, Env};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;
use std::mem::offset_of;

/// Most registers of a table.
const MOST: u64 = 4;

impl Legalizer<'_> {
    /// Looks the lanes up if the memory is such a table.
    pub(super) fn look_up(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        let width = width_of(ty.elem);
        let part = self.layout(ty, width).part;
        let register = u64::from(self.target.register_bytes);
        let size = u64::from(ty.elem.bytes());
        let table = part.with_lanes((register / size) as u8);
        if !self.target.masks
            || !self.target.permutes(table)
            || inst.imm != (Imm::Scale { scale: size as u32, disp: 0 })
        {
            return None;
        }
        let registers = self.table_registers(base, index, size)?;
        let index = self.table_indices(index, ty)?;
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
        let permute = |first: usize, index: Value| {
            self.out.emit(Op::Permute, part, &[part_of(first), part_of(first + 1), index], Imm::None)
        };
        let pick = |i: usize| {
            let mut picked = permute(0, index[i]);
            if registers > 2 {
                let high = permute(2, index[i]);
                let bit = self.out.op2c(Op::And, index[i], 2 * u64::from(table.lanes));
                picked = self.select_part(self.out.icmpc(IntPred::Ne, bit, 0), high, picked);
            }
            if full { picked } else { self.select_part(masks[i], picked, others[i]) }
        };
        Some((0..index.len()).map(pick).collect())
    }

    /// How many registers hold all elements of a size that the indices may reach, if all of that may be read and it is
    /// not too much.
    fn table_registers(&self, base: Value, index: Value, size: u64) -> Option<u64> {
        let register = u64::from(self.target.register_bytes);
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
        let Address { root: start, terms, disp: at } = Address::of(old, ptr);
        let load = old.def_inst(start).filter(|d| d.op == Op::Load && old.ty(start) == Type::ptr(AddrSpace::Local))?;
        let field = old.def_inst(load.args[0]).filter(|d| d.op == Op::PtrOff)?;
        let env = *old.blocks[old.entry()].params.get(1)?;
        let is_start =
            terms.is_empty() && field.args[0] == env && field.imm == Imm::Disp(offset_of!(Env, local) as i64);
        old.local_bytes.checked_sub(u64::try_from(at).ok()?).filter(|_| is_start)
    }

    /// Indices as wide as the elements, part by part; of narrow ones the bits that matter.
    fn table_indices(&self, index: Value, ty: Type) -> Option<Pieces> {
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
