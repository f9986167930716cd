//! Gathers from small tables, such as those of substitutions, colours and powers: where the memory's size and the
//! indices' bound are known, the registers that hold the whole table are permuted (in-register table lookup). Machines
//! that permute 16-bit elements and not bytes look pairs of bytes up. Takes machines with mask registers.

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

/// A table in registers.
struct Table {
    /// Elements of one.
    lanes: u64,
    registers: Vec<Value>,
}

/// A vector of bytes as one of twice as wide elements.
fn pairs(bytes: Type) -> Type {
    bytes.with_elem(Scalar::I16).with_lanes(bytes.lanes / 2)
}

impl Legalizer<'_> {
    /// Looks the lanes up if the memory is such a table.
    pub(super) fn look_up(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        let width = width_of(ty.elem);
        let part = self.layout(ty, width).part;
        let register = u64::from(self.target.register_bytes);
        let size = u64::from(ty.elem.bytes());
        let bytes_in_pairs = size == 1 && !self.target.permutes(part);
        let table = if bytes_in_pairs { pairs(part) } else { part };
        let table = table.with_lanes((register / u64::from(table.elem.bytes())) as u8);
        if !self.target.masks
            || !self.target.permutes(table)
            || bytes_in_pairs && part.lanes == 1
            || inst.imm != (Imm::Scale { scale: size as u32, disp: 0 })
        {
            return None;
        }
        let registers = self.table_registers(base, index, size)?;
        let index = self.table_indices(index, ty)?;
        let base = self.scalar(base);
        let load =
            |i| self.out.typed(Op::Load, table, &[self.out.offset(base, i * register)], Imm::None, one_lane(inst.attr));
        let table = Table { lanes: u64::from(table.lanes), registers: (0..registers).map(load).collect() };
        let full = self.is_full(mask);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        let pick = |i: usize| {
            let picked = match bytes_in_pairs {
                true => self.pick_bytes(&table, part, index[i]),
                false => self.pick_elements(&table, part, index[i]),
            };
            if full { picked } else { self.select_part(masks[i], picked, others[i]) }
        };
        Some((0..index.len()).map(pick).collect())
    }

    /// The elements of a table at some indices.
    fn pick_elements(&self, table: &Table, part: Type, index: Value) -> Value {
        let register = |i: usize| table.registers[i.min(table.registers.len() - 1)];
        let permute = |i: usize| self.out.emit(Op::Permute, part, &[register(i), register(i + 1), index], Imm::None);
        let low = permute(0);
        if table.registers.len() <= 2 {
            return low;
        }
        let bit = self.out.op2c(Op::And, index, 2 * table.lanes);
        self.select_part(self.out.icmpc(IntPred::Ne, bit, 0), permute(2), low)
    }

    /// The bytes of a table of pairs at some indices: for every second index the pair that has its byte, of which that
    /// byte is taken.
    fn pick_bytes(&self, table: &Table, part: Type, index: Value) -> Value {
        let words = pairs(part);
        let index = self.out.bitcast(words, index);
        let at = |shift: u64| {
            let pair = self.pick_elements(table, words, self.out.op2c(Op::Lshr, index, shift + 1));
            let odd = self.out.op2c(Op::And, index, 1 << shift);
            (pair, self.out.icmpc(IntPred::Ne, odd, 0))
        };
        let (pair, odd) = at(0);
        let low = self.select_part(odd, self.out.op2c(Op::Lshr, pair, 8), pair);
        let (pair, odd) = at(8);
        let high = self.select_part(odd, pair, self.out.op2c(Op::Shl, pair, 8));
        let [low, high] = [(low, 0xff), (high, 0xff00)].map(|(pairs, mask)| self.out.op2c(Op::And, pairs, mask));
        self.out.bitcast(part, self.out.op2(Op::Or, low, high))
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
