//! Gathers from small tables, such as those of substitutions, colours and powers: where the memory's size and the
//! indices' bound are known, the registers that hold the whole table are permuted (in-register table lookup). Machines
//! that permute 16-bit elements and not bytes look pairs of bytes up. Machines without mask registers look bytes up 16
//! at a time.

use super::memory::one_lane;
use super::{each, width_of};
use crate::analysis::address::Address;
use crate::analysis::range::upper_bound;
use crate::ir::{Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::legalize::Legalizer;
use crate::legalize::pieces::{Layout, Pieces};

/// Most registers of a table.
const MOST: u64 = 4;

/// Bytes that `Swizzle` picks from.
const ROW: u64 = 16;
/// Instructions for each row of a register of lanes, and what a lane costs by itself: its index is extracted, the byte
/// loaded and inserted.
const OF_ROW: u64 = 4;
const OF_LANE: u64 = 5;

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
        if !self.target.masks {
            return self.look_up_bytes(inst, ty);
        }
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        let width = width_of(ty.elem);
        let part = self.layout(ty, width).part;
        let register = u64::from(self.target.register_bytes);
        let size = u64::from(ty.elem.bytes());
        let bytes_in_pairs = size == 1 && !self.target.permutes(part);
        let table = if bytes_in_pairs { pairs(part) } else { part };
        let table = table.with_lanes((register / u64::from(table.elem.bytes())) as u8);
        if !self.target.permutes(table)
            || bytes_in_pairs && part.lanes == 1
            || inst.imm != (Imm::Scale { scale: size as u32, disp: 0 })
        {
            return None;
        }
        let registers = self.table_pieces(base, index, size, register).filter(|&n| n <= MOST)?;
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

    /// Looks bytes up 16 at a time. Of a row, lanes whose index is elsewhere get 0: there the distance from the row's
    /// start, and 0x70 more, has its highest bit set, or would be larger than a byte.
    fn look_up_bytes(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        if !self.target.swizzles || ty.elem != Scalar::I8 || inst.imm != (Imm::Scale { scale: 1, disp: 0 }) {
            return None;
        }
        let width = width_of(ty.elem);
        let Layout { part, count, .. } = self.layout(ty, width);
        // The index of a row's byte has eight bits.
        let rows = self.table_pieces(base, index, 1, ROW).filter(|&n| n * ROW <= 256)?;
        if rows * OF_ROW * count as u64 > OF_LANE * u64::from(ty.lanes) {
            return None;
        }
        let mut at = self.table_indices(index, ty)?;
        let mut found: Option<Pieces> = None;
        let base = self.scalar(base);
        let row_ty = part.with_lanes(ROW as u8);
        let [lift, step] = [0x70, ROW].map(|n| self.out.bits(part, n));
        for i in 0..rows {
            let row =
                self.out.typed(Op::Load, row_ty, &[self.out.offset(base, i * ROW)], Imm::None, one_lane(inst.attr));
            let row = if part == row_ty {
                row
            } else {
                self.out.shuffle(part, [row, row], (0..usize::from(part.lanes)).map(|lane| lane % ROW as usize))
            };
            let picked = each(&at, |at| self.out.op2(Op::Swizzle, row, self.out.op2(Op::AddSatU, at, lift)));
            found = Some(match found {
                None => picked,
                Some(found) => found.iter().zip(&picked).map(|(&a, &b)| self.out.op2(Op::Or, a, b)).collect(),
            });
            at = each(&at, |at| self.out.op2(Op::Sub, at, step));
        }
        let found = found?;
        if self.is_full(mask) {
            return Some(found);
        }
        Some(self.select_parts(&self.parts(mask, width), &found, &self.parts(other, width)))
    }

    /// How many pieces of so many bytes hold all elements of a size that the indices may reach, if all of that may be
    /// read.
    fn table_pieces(&self, base: Value, index: Value, size: u64, piece: u64) -> Option<u64> {
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
        let pieces = reached.checked_mul(size)?.div_ceil(piece);
        (pieces > 0 && pieces.checked_mul(piece)? <= bytes).then_some(pieces)
    }

    /// Bytes of the kernel's own local variables from where a pointer points, if that is a constant distance from their
    /// start.
    fn local_bytes_behind(&self, ptr: Value) -> Option<u64> {
        let Address { root, terms, disp } = Address::of(self.old, ptr);
        let variable = self.old.def_inst(root).filter(|def| def.op == Op::LocalBase && terms.is_empty())?;
        // Arguments have negative numbers.
        let &Imm::Disp(start @ 0..) = &variable.imm else { return None };
        self.old.local_bytes.checked_sub(u64::try_from(start.checked_add(disp)?).ok()?)
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
