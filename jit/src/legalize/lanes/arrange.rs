//! Lanes made, moved and combined: splat, build, insert, shuffle, permute, reduce.

use super::{Made, apart};
use crate::ir::entity::Entity;
use crate::ir::{Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::legalize::pieces::{Layout, Pieces};
use crate::legalize::{Legalizer, legal_lane};
use smallvec::SmallVec;

/// Where a lane of a result comes from: number of the source part, lane within it.
type Place = (usize, usize);

impl Legalizer<'_> {
    pub(super) fn make_vector(&self, inst: &InstData, result: Value) -> (Pieces, u8) {
        let (ty, width) = (self.old.ty(result), self.choice[result.index()]);
        let Layout { part, count, .. } = self.layout(ty, width);
        let parts = match (inst.op, &inst.imm) {
            (Op::Splat, _) => self.splat(inst.args[0], ty, width),
            (Op::Build, _) => self.build_from_vectors(inst, ty, width).unwrap_or_else(|| {
                let lanes: Pieces = inst.args.iter().map(|&a| self.scalar(a)).collect();
                self.converted.borrow_mut().insert((result, self.at, 0), lanes.clone());
                self.put_together(&lanes, ty, width)
            }),
            (Op::Iota, _) => {
                let lanes: Pieces = (0..ty.lanes).map(|i| self.out.bits(legal_lane(ty), i.into())).collect();
                self.put_together(&lanes, ty, width)
            }
            (_, imm) => {
                let bits = if let Imm::Bits(bits) = imm { *bits } else { 0 };
                let bits = if ty.elem == Scalar::I1 && part.elem != Scalar::I1 { bits.wrapping_neg() } else { bits };
                Pieces::from_elem(self.out.bits(part, bits), count)
            }
        };
        (parts, width)
    }

    /// A scalar in all lanes.
    pub(super) fn splat(&self, scalar: Value, ty: Type, width: u8) -> Pieces {
        let one = self.put_together(&[self.scalar(scalar)], ty, width)[0];
        Pieces::from_elem(one, self.layout(ty, width).count)
    }

    pub(super) fn insert_lane(&self, inst: &InstData, result: Value) -> Made {
        let &Imm::Lane(lane) = &inst.imm else { return None };
        let (ty, width) = (self.old.ty(result), self.choice[result.index()]);
        let Layout { part, per, .. } = self.layout(ty, width);
        let mut parts = self.parts(inst.args[0], width);
        let mut v = self.scalar(inst.args[1]);
        if ty.elem == Scalar::I1 && part.elem != Scalar::I1 {
            v = self.out.convert(Op::Sext, part.lane(), v);
        }
        let (at, lane) = (usize::from(lane) / per, usize::from(lane) % per);
        parts[at] = self.out.insert(parts[at], v, lane);
        Some((parts, width))
    }

    // ---- shuffles

    /// A vector of lanes extracted from others, and perhaps of one scalar, is a shuffle of those.
    fn build_from_vectors(&self, inst: &InstData, ty: Type, width: u8) -> Option<Pieces> {
        let layout = self.layout(ty, width);
        let filler = apart::shuffled(self.old, inst)?;
        let mut vectors: SmallVec<[Value; 8]> = SmallVec::new();
        let mut lanes: SmallVec<[(usize, usize); 16]> = SmallVec::new();
        for &arg in &inst.args {
            let (from, lane) = match self.old.def_inst(arg) {
                Some(InstData { op: Op::Extract, args, imm: Imm::Lane(lane), .. }) => (args[0], usize::from(*lane)),
                _ if ty.elem == Scalar::I1 => return None,
                _ => (filler?, 0),
            };
            let fits = self.layout(self.old.ty(from), width).part == layout.part && self.map[from.index()].2 == width;
            if Some(from) != filler && !fits {
                return None;
            }
            let number = vectors.iter().position(|&v| v == from).unwrap_or_else(|| {
                vectors.push(from);
                vectors.len() - 1
            });
            lanes.push((number, lane));
        }
        let mut all = Pieces::new();
        let mut first: SmallVec<[usize; 8]> = SmallVec::new();
        for &v in &vectors {
            first.push(all.len());
            if Some(v) == filler {
                all.push(self.splat(v, ty, width)[0]);
            } else {
                let parts = self.parts(v, width);
                all.extend(parts);
            }
        }
        let places: SmallVec<[Place; 16]> =
            lanes.iter().map(|&(v, lane)| (first[v] + lane / layout.per, lane % layout.per)).collect();
        Some(places.chunks(layout.per).map(|chunk| self.pick_lanes(layout.part, &all, chunk)).collect())
    }

    pub(super) fn shuffle_lanes(&self, inst: &InstData, result: Value) -> Made {
        let Imm::Lanes(picks) = &inst.imm else { return None };
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        // Masks move as the result's home wants them; all else as it is.
        let width = self.choice[result.index()];
        let (source, target) = (self.layout(from, width), self.layout(ty, width));
        // Parts of another size: of a whole vector's that is smaller than a register.
        let (narrows, widens) = (source.per > target.per, source.per < target.per);
        if source.part.elem != target.part.elem || (narrows || widens) && ty.elem == Scalar::I1 {
            return None;
        }
        let mut all = self.parts(inst.args[0], width);
        let second = self.parts(inst.args[1], width);
        let same = inst.args[0] == inst.args[1];
        if !same {
            all.extend(second);
        }
        let place = |pick: u8| -> Place {
            let operand = if same { 0 } else { usize::from(pick / from.lanes) };
            let lane = usize::from(pick % from.lanes);
            (operand * source.count + lane / source.per, lane % source.per)
        };
        let parts = picks.chunks(target.per).map(|chunk| {
            let places: SmallVec<[Place; 16]> = chunk.iter().map(|&p| place(p)).collect();
            if widens {
                // Both vectors are one part each.
                let picks = (0..target.per).map(|i| places.get(i).map_or(0, |p| p.0 * source.per + p.1));
                return self.out.shuffle(target.part, [all[0], all[all.len() - 1]], picks);
            }
            let part = self.pick_lanes(source.part, &all, &places);
            if narrows { self.out.shuffle(target.part, [part, part], 0..target.per) } else { part }
        });
        Some((parts.collect(), width))
    }

    /// A part whose lanes come from the given places of `all`.
    fn pick_lanes(&self, part: Type, all: &[Value], places: &[Place]) -> Value {
        let mut sources: SmallVec<[usize; 4]> = SmallVec::new();
        for p in places {
            if !sources.contains(&p.0) {
                sources.push(p.0);
            }
        }
        match sources[..] {
            [a] => self.out.shuffle_two(part, [all[a], all[a]], |i| places.get(i).map(|p| (0, p.1))),
            [a, b] => {
                self.out.shuffle_two(part, [all[a], all[b]], |i| places.get(i).map(|p| (usize::from(p.0 == b), p.1)))
            }
            _ if sources.len() <= places.len().max(4) => {
                // Two sources make one, until two are left: a network of which results of one transposition share most.
                let mut sources = sources;
                sources.sort_unstable();
                let mut level: Vec<Value> = all.to_vec();
                let mut places = SmallVec::<[Place; 16]>::from_slice(places);
                while sources.len() > 2 {
                    let mut next = SmallVec::<[usize; 4]>::new();
                    for pair in sources.chunks(2) {
                        let &[a, b] = pair else {
                            next.push(pair[0]);
                            continue;
                        };
                        let merged = self.merge(part, &level, a, b, &mut places);
                        next.push(level.len());
                        let at = level.len();
                        level.push(merged);
                        places.iter_mut().filter(|p| p.0 == usize::MAX).for_each(|p| p.0 = at);
                    }
                    sources = next;
                }
                self.pick_lanes(part, &level, &places)
            }
            _ => {
                let lanes: Pieces = places.iter().map(|p| self.part_lane(all[p.0], p.1)).collect();
                self.out.insert_all(self.out.convert(Op::Splat, part, lanes[0]), &lanes)
            }
        }
    }

    /// Merges what is wanted of two parts into one and changes the places that lie there; their source becomes
    /// `usize::MAX`.
    fn merge(&self, part: Type, all: &[Value], a: usize, b: usize, places: &mut [Place]) -> Value {
        let per = usize::from(part.lanes);
        let of = |p: &Place| p.0 == a || p.0 == b;
        // Interleaving one half of each is one instruction, and other results of a transposition want it too.
        for half in [0, per / 2] {
            if places.iter().filter(|p| of(p)).all(|p| p.1 / (per / 2) * (per / 2) == half) {
                let merged = self.out.shuffle_two(part, [all[a], all[b]], |i| Some((i % 2, half + i / 2)));
                for p in places.iter_mut().filter(|p| p.0 == a || p.0 == b) {
                    *p = (usize::MAX, 2 * (p.1 - half) + usize::from(p.0 == b));
                }
                return merged;
            }
        }
        // So is every other lane of both: with what else is wanted of records of several components.
        for odd in [0, 1] {
            if places.iter().filter(|p| of(p)).all(|p| p.1 % 2 == odd) {
                let merged = self.out.shuffle_two(part, [all[a], all[b]], |i| Some((2 * i / per, 2 * i % per + odd)));
                for p in places.iter_mut().filter(|p| p.0 == a || p.0 == b) {
                    *p = (usize::MAX, p.1 / 2 + if p.0 == b { per / 2 } else { 0 });
                }
                return merged;
            }
        }
        // Otherwise everything moves to where the result has it.
        let wanted: SmallVec<[Option<(usize, usize)>; 16]> =
            (0..per).map(|i| places.get(i).filter(|p| of(p)).map(|p| (usize::from(p.0 == b), p.1))).collect();
        let merged = self.out.shuffle_two(part, [all[a], all[b]], |i| wanted[i]);
        for (i, p) in places.iter_mut().enumerate().filter(|(_, p)| p.0 == a || p.0 == b) {
            *p = (usize::MAX, i);
        }
        merged
    }

    /// The first `count` lanes of two parts, one after the other, in a register large enough.
    pub(super) fn join(&self, a: Value, b: Value, count: usize) -> Value {
        let part = self.out.ty(a);
        let per = usize::from(part.lanes);
        let lanes = per.max(2 * count);
        let picks = (0..lanes).map(|i| if i < count { i } else { per + (i - count) % count });
        self.out.shuffle(part.with_lanes(lanes as u8), [a, b], picks)
    }

    // ---- permutations

    /// Lanes of one vector by their numbers, modulo their number, in registers.
    pub(super) fn permute_one(&self, ty: Type, vector: Value, index: Value) -> Option<Pieces> {
        if self.old.ty(index).lanes != ty.lanes || self.old.ty(vector).lanes != ty.lanes {
            return None;
        }
        let ints = ty.with_elem(ty.elem.as_int());
        let width = super::width_of(ty.elem);
        let parts: Pieces = self.parts(vector, width).iter().map(|&v| self.out.as_int(v)).collect();
        let picked = self.permute_ints(ints, &parts, &self.parts(index, width))?;
        let part = self.layout(ty, width).part;
        Some(picked.iter().map(|&v| self.out.bitcast(part, v)).collect())
    }

    fn permute_ints(&self, ty: Type, parts: &[Value], index: &[Value]) -> Option<Pieces> {
        let Layout { part, per, count } = self.layout(ty, super::width_of(ty.elem));
        match ty.elem {
            _ if self.target.permutes(part) && per * count == usize::from(ty.lanes) => {
                Some(index.iter().map(|&i| self.pick_part(part, parts, i)).collect())
            }
            // A register that holds the lanes several times; a part may be larger than they are.
            Scalar::I32 if count == 1 => {
                let full = part.with_lanes((self.register_bytes / 4) as u8);
                let lanes = usize::from(ty.lanes);
                let widen = |v: Value| self.out.shuffle(full, [v, v], (0..usize::from(full.lanes)).map(|i| i % lanes));
                let (lanes, index) = (widen(parts[0]), widen(index[0]));
                let picked = self.out.emit(Op::Permute, full, &[lanes, lanes, index], Imm::None);
                Some(Pieces::from_elem(self.out.shuffle(part, [picked, picked], 0..per), 1))
            }
            // Both halves of each lane.
            Scalar::I64 => {
                let halves = Type::I32.with_lanes(ty.lanes * 2);
                let narrow = |v: Value| self.out.bitcast(Type::I32.with_lanes(2 * per as u8), v);
                let places = index.iter().map(|&i| {
                    // Numbers are of any size: the low half must not reach into the high one.
                    let low = self.out.op2c(Op::And, self.out.op2c(Op::Shl, i, 1), 0xffff_fffe);
                    let high = self.out.op2c(Op::Shl, self.out.op2c(Op::Add, low, 1), 32);
                    narrow(self.out.op2(Op::Or, low, high))
                });
                let places: Pieces = places.collect();
                let parts: Pieces = parts.iter().map(|&v| narrow(v)).collect();
                let picked = self.permute_ints(halves, &parts, &places)?;
                Some(picked.iter().map(|&v| self.out.bitcast(part, v)).collect())
            }
            Scalar::I8 | Scalar::I16 => {
                let wide = |parts| self.convert_pieces(Op::Zext, ty, Scalar::I32, Rounding::Rte, parts);
                let picked = self.permute_ints(ty.with_elem(Scalar::I32), &wide(parts)?, &wide(index)?)?;
                self.convert_pieces(Op::Trunci, ty.with_elem(Scalar::I32), ty.elem, Rounding::Rte, &picked)
            }
            _ => None,
        }
    }

    /// Lanes of several parts, of which there is a power of two: of one half or the other, as a bit of the number says.
    fn pick_part(&self, part: Type, parts: &[Value], index: Value) -> Value {
        if parts.len() <= 2 {
            let (first, last) = (parts[0], parts[parts.len() - 1]);
            return self.out.emit(Op::Permute, part, &[first, last, index], Imm::None);
        }
        let (low, high) = parts.split_at(parts.len() / 2);
        let bit = self.out.op2c(Op::And, index, (low.len() * usize::from(part.lanes)) as u64);
        let is_low = self.out.icmpc(IntPred::Eq, bit, 0);
        let [low, high] = [low, high].map(|half| self.pick_part(part, half, index));
        self.select_part(is_low, low, high)
    }

    // ---- reduction

    /// Integers are combined in any order: whole parts, then halves of the last one. Floats lane by lane.
    pub(super) fn reduce(&self, inst: &InstData) -> Made {
        let Imm::Collective(by) = &inst.imm else { return None };
        let vector = inst.args[0];
        let ty = self.old.ty(vector);
        let width = super::width_of(ty.elem);
        let per = self.layout(ty, width).per;
        // The left operand is operand 1.
        let all = if by.is_float() || !usize::from(ty.lanes).is_multiple_of(per) || ty.elem.bits() < 32 {
            let step = InstData { op: by.op(), imm: Imm::None, ..inst.clone() };
            let combine = |all: Value, &lane: &Value| match ty.elem.is_float() {
                true => self.float(&step, ty.elem, &[lane, all]),
                false => self.int(&step, ty.elem, &[lane, all]),
            };
            let lanes = self.lanes(vector);
            lanes[1..].iter().try_fold(lanes[0], combine)?
        } else {
            let combine = |all: Value, part: Value| self.int_part(by.op(), ty.elem, &[part, all]);
            let parts = self.parts(vector, width);
            let mut whole = parts[1..].iter().try_fold(parts[0], |all, &part| combine(all, part))?;
            let mut left = per;
            while left > 1 {
                left /= 2;
                whole = combine(whole, self.out.slide(whole, left, left))?;
            }
            self.part_lane(whole, 0)
        };
        Some((Pieces::from_elem(all, 1), 0))
    }
}
