//! Shuffles without EVEX, and of bytes where EVEX has no instruction for them. Most instructions work on halves of 16
//! bytes, so a shuffle is first seen as one of the largest elements that it moves as a whole, and then matched against
//! what one or two instructions do; what none of them does is put together from byte shuffles, which always works.

use super::Select;
use crate::codegen::x64wide::code::*;
use crate::ir::{Scalar, Type};
use regalloc2::VReg;
use smallvec::SmallVec;

/// Where a lane of the result comes from: the operand, and the lane in its register; `None` for any.
type Pick = Option<(usize, usize)>;

/// A shuffle of one or two registers of the same length.
struct Shuffle {
    /// Lanes of `size` bytes that fill a register of `bytes` bytes.
    picks: SmallVec<[Pick; 32]>,
    size: usize,
    bytes: usize,
}

impl Shuffle {
    /// The same with elements twice as large, if those move as a whole.
    fn coarser(&self) -> Option<Self> {
        let pair = |p: &[Pick]| match *p {
            [None, None] => Some(None),
            [Some((s, i)), None] if i % 2 == 0 => Some(Some((s, i / 2))),
            [None, Some((s, i))] if i % 2 == 1 => Some(Some((s, i / 2))),
            [Some((s, i)), Some((t, j))] if s == t && i % 2 == 0 && j == i + 1 => Some(Some((s, i / 2))),
            _ => None,
        };
        let picks = self.picks.chunks(2).map(pair).collect::<Option<_>>()?;
        Some(Self { picks, size: self.size * 2, bytes: self.bytes })
    }

    fn lanes(&self) -> usize {
        self.picks.len()
    }

    /// Lanes of a half of 16 bytes.
    fn half(&self) -> usize {
        16 / self.size
    }

    /// True if each lane that is asked for comes from `want` of its number.
    fn is(&self, want: impl Fn(usize) -> (usize, usize)) -> bool {
        self.picks.iter().enumerate().all(|(i, p)| p.is_none_or(|p| p == want(i)))
    }

    fn uses(&self, operand: usize) -> bool {
        self.picks.iter().flatten().any(|p| p.0 == operand)
    }

    /// The pattern that all halves have, if they have one and stay where they are: operand and lane within the half.
    fn in_halves(&self) -> Option<SmallVec<[Pick; 16]>> {
        let half = self.half();
        let mut pattern: SmallVec<[Pick; 16]> = SmallVec::from_elem(None, half);
        for (i, p) in self.picks.iter().enumerate() {
            let Some((s, lane)) = *p else { continue };
            if lane / half != i / half {
                return None;
            }
            let here = Some((s, lane % half));
            if pattern[i % half].is_some() && pattern[i % half] != here {
                return None;
            }
            pattern[i % half] = here;
        }
        Some(pattern)
    }

    /// The lanes of one operand alone, as the first one; the others do not matter.
    fn only(&self, operand: usize) -> Self {
        let picks = self.picks.iter().map(|p| p.filter(|p| p.0 == operand).map(|p| (0, p.1))).collect();
        Self { picks, ..*self }
    }

    fn ty(&self) -> Type {
        let elem = match self.size {
            1 => Scalar::I8,
            2 => Scalar::I16,
            4 => Scalar::I32,
            _ => Scalar::I64,
        };
        Type::scalar(elem).with_lanes((self.bytes as u32 / elem.bytes()) as u8)
    }
}

/// Four lanes of two bits each.
fn four(lane: impl Fn(usize) -> usize) -> u8 {
    (0..4).fold(0, |bits, i| bits | ((lane(i) & 3) as u8) << (2 * i))
}

impl Select<'_> {
    /// Lanes of two vectors of type `from`, as `Op::Shuffle` picks them.
    pub(super) fn shuffle_vectors(&mut self, a: VReg, b: VReg, from: Type, picks: &[u8], ty: Type) -> Option<VReg> {
        let bytes = (from.bytes().max(ty.bytes()) as usize).max(16);
        let size = ty.elem.bytes() as usize;
        let lanes = usize::from(from.lanes);
        let place = |p: &u8| {
            let p = usize::from(*p);
            Some((if p < lanes || a == b { 0 } else { 1 }, p % lanes))
        };
        let mut all: SmallVec<[Pick; 32]> = picks.iter().map(place).collect();
        if all.len() * size > bytes {
            return None;
        }
        all.resize(bytes / size, None);
        let mut shuffle = Shuffle { picks: all, size, bytes };
        let regs = if shuffle.uses(0) { [a, b] } else { [b, b] };
        if !shuffle.uses(0) {
            shuffle.picks.iter_mut().flatten().for_each(|p| p.0 = 0);
        }
        if self.has_evex() {
            return Some(self.shuffle_bytes(&shuffle, regs));
        }
        while let Some(coarser) = if shuffle.size < bytes { shuffle.coarser() } else { None } {
            shuffle = coarser;
        }
        Some(self.shuffle(&shuffle, regs))
    }

    fn shuffle(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> VReg {
        if shuffle.is(|i| (0, i)) {
            return regs[0];
        }
        if shuffle.is(|i| (1, i)) {
            return regs[1];
        }
        if shuffle.size == 16 {
            return self.shuffle_wholes(shuffle, regs);
        }
        if let Some(done) = self.shuffle_halves(shuffle, regs) {
            return done;
        }
        if shuffle.bytes == 32
            && let Some(done) = self.shuffle_across(shuffle, regs)
        {
            return done;
        }
        if shuffle.size >= 4 && shuffle.uses(1) {
            return self.shuffle_and_blend(shuffle, regs);
        }
        self.shuffle_bytes(shuffle, regs)
    }

    /// Halves of 16 bytes.
    fn shuffle_wholes(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> VReg {
        let ty = Type::I64.with_lanes(4);
        let number = |p: Pick| p.map_or(0, |(s, half)| 2 * s + half);
        let (low, high) = (number(shuffle.picks[0]), number(shuffle.picks[1]));
        match (low, high) {
            (1 | 3, _) if shuffle.picks[1].is_none() => self.upper_half(regs[low / 2], ty, 16),
            (0, 0 | 2) => self.vec_pair_imm(VINSERT_X4, ty, regs[0], regs[high / 2], 1),
            (2, 0 | 2) => self.vec_pair_imm(VINSERT_X4, ty, regs[1], regs[high / 2], 1),
            _ => self.vec_pair_imm(VPERM2I128, ty, regs[0], regs[1], (low | high << 4) as u8),
        }
    }

    /// Shuffles that stay within halves, by one instruction.
    fn shuffle_halves(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> Option<VReg> {
        let ty = shuffle.ty();
        let half = shuffle.half();
        let n = shuffle.size.trailing_zeros() as usize;
        // Lanes that stay where they are.
        if shuffle.size >= 4 && shuffle.picks.iter().enumerate().all(|(i, p)| p.is_none_or(|p| p.1 == i)) {
            let words = shuffle.size / 4;
            let picks = shuffle.picks.iter().enumerate().filter(|(_, p)| p.is_some_and(|p| p.0 == 1));
            let imm = picks.fold(0u32, |bits, (i, _)| bits | ((1 << words) - 1) << (i * words));
            return Some(self.vec_pair_imm(VPBLENDD, ty, regs[0], regs[1], imm as u8));
        }
        let stays = |p: (usize, &Pick)| p.1.is_none_or(|(_, lane)| lane == p.0);
        if shuffle.size == 1 && shuffle.uses(1) && shuffle.picks.iter().enumerate().all(stays) {
            let second = |p: &Pick| if p.is_some_and(|p| p.0 == 1) { 0xff } else { 0 };
            let mask = self.constant_vector(ty, shuffle.picks.iter().map(second).collect());
            let source = self.in_reg(regs[1]);
            return Some(self.blend(ty, mask, regs[0], source));
        }
        let pattern = shuffle.in_halves();
        let Some(pattern) = pattern else {
            // Pairs of 8 bytes have a bit of their own for each lane.
            let stays = |i: usize, p: &Pick| p.is_none_or(|(s, lane)| s == i % 2 && lane / 2 == i / 2);
            if shuffle.size == 8 && shuffle.picks.iter().enumerate().all(|(i, p)| stays(i, p)) {
                return Some(self.shuffle_pairs(shuffle, regs));
            }
            return None;
        };
        let like = |want: &dyn Fn(usize) -> (usize, usize)| {
            pattern.iter().enumerate().all(|(i, p)| p.is_none_or(|p| p == want(i)))
        };
        for (x, y) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
            let side = |i: usize| if i.is_multiple_of(2) { x } else { y };
            if like(&|i| (side(i), i / 2)) {
                return Some(self.vec_pair(VPUNPCKL[n], ty, regs[x], regs[y]));
            }
            if like(&|i| (side(i), half / 2 + i / 2)) {
                return Some(self.vec_pair(VPUNPCKH[n], ty, regs[x], regs[y]));
            }
        }
        let operand = |range: std::ops::Range<usize>| {
            let mut seen = pattern[range].iter().flatten().map(|p| p.0);
            let first = seen.next().unwrap_or(0);
            seen.all(|s| s == first).then_some(first)
        };
        if shuffle.size == 8 {
            let (x, y) = (operand(0..1)?, operand(1..2)?);
            let bits = (0..shuffle.lanes()).fold(0, |bits, i| {
                let lane = pattern[i % 2].map_or(0, |p| p.1);
                bits | (lane as u8) << i
            });
            return Some(self.vec_pair_imm(VSHUFP[1], ty, regs[x], regs[y], bits));
        }
        if shuffle.size == 4 {
            let imm = four(|i| pattern[i].map_or(i, |p| p.1));
            if let Some(x) = operand(0..4) {
                return Some(self.vec_imm(VPSHUFD, ty, regs[x], imm));
            }
            if let (Some(x), Some(y)) = (operand(0..2), operand(2..4)) {
                return Some(self.vec_pair_imm(VSHUFP[0], ty, regs[x], regs[y], imm));
            }
        }
        if shuffle.size == 2 && pattern.iter().enumerate().all(|(i, p)| p.is_none_or(|p| p.1 == i)) {
            let picks = pattern.iter().enumerate().filter(|(_, p)| p.is_some_and(|p| p.0 == 1));
            let imm = picks.fold(0, |bits, (i, _)| bits | 1 << i);
            return Some(self.vec_pair_imm(VPBLENDW, ty, regs[0], regs[1], imm));
        }
        None
    }

    /// 8-byte lanes, even ones from the first and odd ones from the second register, within halves.
    fn shuffle_pairs(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> VReg {
        let bits = shuffle.picks.iter().enumerate().fold(0, |bits, (i, p)| {
            let lane = p.map_or(0, |p| p.1 % 2);
            bits | (lane as u8) << i
        });
        self.vec_pair_imm(VSHUFP[1], shuffle.ty(), regs[0], regs[1], bits)
    }

    /// Shuffles across the halves of 32 bytes.
    fn shuffle_across(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> Option<VReg> {
        let ty = shuffle.ty();
        let lanes = shuffle.lanes();
        let n = shuffle.size.trailing_zeros() as usize;
        if !shuffle.uses(1) {
            if shuffle.size == 8 {
                let imm = four(|i| shuffle.picks[i].map_or(i, |p| p.1));
                return Some(self.vec_imm(VPERMQ_IMM, ty, regs[0], imm));
            }
            if shuffle.size == 4 {
                let lane = |(i, p): (usize, &Pick)| (p.map_or(i, |p| p.1) as u32).to_le_bytes();
                let bytes = shuffle.picks.iter().enumerate().flat_map(lane).collect();
                let index = self.constant_vector(ty, bytes);
                return Some(self.vec_pair(VPERM[2], ty, index, regs[0]));
            }
            // Every second lane, as truncation has it: together within halves, then the halves.
            if shuffle.picks[lanes / 2..].iter().all(Option::is_none) && shuffle.is(|i| (0, 2 * i)) {
                let size = shuffle.size;
                let byte = |at: usize| if at % 16 < 8 { (at % 8 / size * 2 * size + at % size) as u8 } else { 0x80 };
                let index = self.constant_bytes(ty, (0..32).map(byte).collect());
                let packed = self.binary(VPSHUFB, ty, regs[0], index);
                return Some(self.vec_imm(VPERMQ_IMM, ty, packed, 0x08));
            }
            return None;
        }
        // Interleaved lower or upper halves of two registers.
        for at in [0, lanes / 2] {
            if shuffle.is(|i| (i % 2, at + i / 2)) {
                let low = self.vec_pair(VPUNPCKL[n], ty, regs[0], regs[1]);
                let high = self.vec_pair(VPUNPCKH[n], ty, regs[0], regs[1]);
                let imm = if at == 0 { 0x20 } else { 0x31 };
                return Some(self.vec_pair_imm(VPERM2I128, ty, low, high, imm));
            }
        }
        for first in [0, 1] {
            if shuffle.size <= 4 && shuffle.is(|i| (2 * i / lanes, 2 * i % lanes + first)) {
                let packed = self.every_second(shuffle, regs, first);
                return Some(self.vec_imm(VPERMQ_IMM, ty, packed, 0xd8));
            }
        }
        None
    }

    /// Each register's lanes brought into place, then both put together.
    fn shuffle_and_blend(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> VReg {
        let [first, second] = [0, 1].map(|s| self.shuffle(&shuffle.only(s), [regs[s]; 2]));
        let words = shuffle.size / 4;
        let picks = shuffle.picks.iter().enumerate().filter(|(_, p)| p.is_some_and(|p| p.0 == 1));
        let imm = picks.fold(0u32, |bits, (i, _)| bits | ((1 << words) - 1) << (i * words));
        self.vec_pair_imm(VPBLENDD, shuffle.ty(), first, second, imm as u8)
    }

    /// Every second lane of two registers from lane `first` on, half by half.
    fn every_second(&mut self, shuffle: &Shuffle, regs: [VReg; 2], first: usize) -> VReg {
        let ty = shuffle.ty();
        if shuffle.size == 4 {
            let imm = if first == 0 { 0x88 } else { 0xdd };
            return self.vec_pair_imm(VSHUFP[0], ty, regs[0], regs[1], imm);
        }
        let n = shuffle.size.trailing_zeros() as usize;
        let wider = ty.with_elem(if n == 0 { Scalar::I16 } else { Scalar::I32 }).with_lanes(ty.lanes / 2);
        let bits = ty.elem.bits();
        let parts = regs.map(|r| match first {
            0 => {
                let source = self.mask_constant(wider, u64::MAX >> (64 - bits));
                self.binary(VPAND[0], wider, r, source)
            }
            _ => self.vec_shift_imm(VPSRL_IMM[n], wider, r, bits),
        });
        self.vec_pair(VPACKUS[n], ty, parts[0], parts[1])
    }

    /// Any shuffle: for each register and distance in halves of 16 bytes, those bytes that go so far.
    fn shuffle_bytes(&mut self, shuffle: &Shuffle, regs: [VReg; 2]) -> VReg {
        let ty = Type::I8.with_lanes(shuffle.bytes as u8);
        debug_assert!(shuffle.bytes.is_power_of_two(), "registers are filled");
        let halves = shuffle.bytes / 16;
        let mut whole: Option<VReg> = None;
        for (operand, distance) in [0, 1].into_iter().flat_map(|s| (0..halves).map(move |n| (s, n))) {
            let place = |at: usize| {
                let (s, lane) = shuffle.picks[at / shuffle.size]?;
                let byte = lane * shuffle.size + at % shuffle.size;
                let goes = (byte / 16 + halves - at / 16) % halves;
                (s == operand && goes == distance).then_some((byte % 16) as u8)
            };
            if (0..shuffle.bytes).all(|at| place(at).is_none()) {
                continue;
            }
            let from = self.rotate_halves(regs[operand], ty, distance);
            let index = self.constant_bytes(ty, (0..shuffle.bytes).map(|at| place(at).unwrap_or(0x80)).collect());
            let part = self.binary(VPSHUFB, ty, from, index);
            whole = Some(match whole {
                None => part,
                Some(others) => self.vec_pair(VPOR[0], ty, others, part),
            });
        }
        whole.unwrap_or(regs[0])
    }

    /// Each half of 16 bytes in place of the one so many in front of it; the first ones behind the last.
    fn rotate_halves(&mut self, from: VReg, ty: Type, distance: usize) -> VReg {
        match distance {
            0 => from,
            _ if self.has_evex() => self.vec_pair_imm(VALIGN[1], ty, from, from, 2 * distance as u8),
            _ => self.vec_imm(VPERMQ_IMM, ty, from, 0x4e),
        }
    }
}
