//! Lanes made, moved and combined: splat, build, insert, shuffle, reduce.

use crate::ir::entity::Entity;
use crate::ir::{Attr, Imm, InstData, Op, Scalar, Type, Value};
use crate::legalize::pieces::{Layout, Pieces};
use crate::legalize::{Legalizer, Shuffled, legal_lane};
use smallvec::SmallVec;

/// Where a lane of a result comes from: number of the source part, lane within it.
type Place = (usize, usize);

impl Legalizer<'_> {
    pub(super) fn make_vector(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let (ty, width) = (self.old.ty(result), self.choice[result.index()]);
        let Layout { part, count, .. } = self.layout(ty, width);
        let parts: Pieces = match (inst.op, &inst.imm) {
            (Op::Splat, _) => {
                let scalar = self.scalar(inst.args[0]);
                let one = self.put_together(&[scalar], ty, width)[0];
                Pieces::from_elem(one, count)
            }
            (Op::Build, _) => {
                if let Some(parts) = self.build_from_vectors(inst, ty, width) {
                    self.set_parts(result, &parts, width);
                    return true;
                }
                let lanes: Pieces = inst.args.iter().map(|&a| self.scalar(a)).collect();
                self.converted.insert((result, self.at, 0), lanes.clone());
                self.put_together(&lanes, ty, width)
            }
            (Op::Iota, _) => {
                let lane = legal_lane(ty);
                let lanes: Pieces = (0..u64::from(ty.lanes)).map(|i| self.out.bits(lane, i)).collect();
                self.put_together(&lanes, ty, width)
            }
            (_, imm) => {
                let bits = if let Imm::Bits(bits) = imm { *bits } else { 0 };
                let bits = if ty.elem == Scalar::I1 && part.elem != Scalar::I1 { bits.wrapping_neg() } else { bits };
                Pieces::from_elem(self.out.bits(part, bits), count)
            }
        };
        self.set_parts(result, &parts, width);
        true
    }

    pub(super) fn insert_lane(&mut self, inst: &InstData) -> bool {
        let (Some(result), Imm::Lane(lane)) = (inst.result, &inst.imm) else { return false };
        let (ty, width) = (self.old.ty(result), self.choice[result.index()]);
        let Layout { part, per, .. } = self.layout(ty, width);
        let mut parts = self.parts(inst.args[0], width);
        let mut v = self.scalar(inst.args[1]);
        if ty.elem == Scalar::I1 && part.elem != Scalar::I1 {
            v = self.out.convert(Op::Sext, part.lane(), v);
        }
        let (at, lane) = (usize::from(*lane) / per, usize::from(*lane) % per);
        parts[at] = self.out.typed(Op::Insert, part, &[parts[at], v], Imm::Lane(lane as u8), Attr::default());
        self.set_parts(result, &parts, width);
        true
    }

    // ---- shuffles

    /// A vector of lanes extracted from others is a shuffle of those.
    fn build_from_vectors(&mut self, inst: &InstData, ty: Type, width: u8) -> Option<Pieces> {
        let layout = self.layout(ty, width);
        let mut vectors: SmallVec<[Value; 8]> = SmallVec::new();
        let mut lanes: SmallVec<[(usize, usize); 16]> = SmallVec::new();
        for &arg in &inst.args {
            let def = self.old.def_inst(arg).filter(|d| d.op == Op::Extract)?;
            let (&[from], Imm::Lane(lane)) = (&def.args[..], &def.imm) else { return None };
            if self.layout(self.old.ty(from), width).part != layout.part || self.map[from.index()].2 != width {
                return None;
            }
            let number = vectors.iter().position(|&v| v == from).unwrap_or_else(|| {
                vectors.push(from);
                vectors.len() - 1
            });
            lanes.push((number, usize::from(*lane)));
        }
        let mut all = Pieces::new();
        let mut first: SmallVec<[usize; 8]> = SmallVec::new();
        for &v in &vectors {
            first.push(all.len());
            let parts = self.parts(v, width);
            all.extend(parts);
        }
        let places: SmallVec<[Place; 16]> =
            lanes.iter().map(|&(v, lane)| (first[v] + lane / layout.per, lane % layout.per)).collect();
        Some(places.chunks(layout.per).map(|chunk| self.pick_lanes(layout.part, &all, chunk)).collect())
    }

    pub(super) fn shuffle_lanes(&mut self, inst: &InstData) -> bool {
        let (Some(result), Imm::Lanes(picks)) = (inst.result, &inst.imm) else { return false };
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        // Masks move as the result's home wants them; all else as it is.
        let width = self.choice[result.index()];
        let (source, target) = (self.layout(from, width), self.layout(ty, width));
        // Parts of another size: of a whole vector's that is smaller than a register.
        let (narrows, widens) = (source.per > target.per, source.per < target.per);
        if source.part.elem != target.part.elem || (narrows || widens) && ty.elem == Scalar::I1 {
            return false;
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
        let mut parts = Pieces::new();
        for chunk in picks.chunks(target.per) {
            let places: SmallVec<[Place; 16]> = chunk.iter().map(|&p| place(p)).collect();
            let part = if widens {
                // Both vectors are one part each.
                let picks = (0..target.per).map(|i| places.get(i).map_or(0, |p| p.0 * source.per + p.1) as u8);
                let picks = Imm::Lanes(picks.collect());
                let operands = [all[0], all[all.len() - 1]];
                self.out.typed(Op::Shuffle, target.part, &operands, picks, Attr::default())
            } else {
                self.pick_lanes(source.part, &all, &places)
            };
            let low = (0..target.per as u8).collect();
            parts.push(match narrows {
                true => self.out.typed(Op::Shuffle, target.part, &[part, part], Imm::Lanes(low), Attr::default()),
                false => part,
            });
        }
        self.set_parts(result, &parts, width);
        true
    }

    /// A part whose lanes come from the given places of `all`.
    fn pick_lanes(&mut self, part: Type, all: &[Value], places: &[Place]) -> Value {
        let mut sources: SmallVec<[usize; 4]> = SmallVec::new();
        for p in places {
            if !sources.contains(&p.0) {
                sources.push(p.0);
            }
        }
        match sources[..] {
            [a] => self.shuffle_two(part, all[a], all[a], |i| places.get(i).map(|p| (0, p.1))),
            [a, b] => self.shuffle_two(part, all[a], all[b], |i| places.get(i).map(|p| (usize::from(p.0 == b), p.1))),
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
                let mut whole = self.out.convert(Op::Splat, part, lanes[0]);
                for (i, &v) in lanes.iter().enumerate().skip(1) {
                    whole = self.out.typed(Op::Insert, part, &[whole, v], Imm::Lane(i as u8), Attr::default());
                }
                whole
            }
        }
    }

    /// Merges what is wanted of two parts into one and changes the places that lie there; their source becomes `usize::MAX`.
    fn merge(&mut self, part: Type, all: &[Value], a: usize, b: usize, places: &mut [Place]) -> Value {
        let per = usize::from(part.lanes);
        let of = |p: &Place| p.0 == a || p.0 == b;
        // Interleaving one half of each is one instruction, and other results of a transposition want it too.
        for half in [0, per / 2] {
            if places.iter().filter(|p| of(p)).all(|p| p.1 / (per / 2) * (per / 2) == half) {
                let merged = self.shuffle_two(part, all[a], all[b], |i| Some((i % 2, half + i / 2)));
                for p in places.iter_mut().filter(|p| p.0 == a || p.0 == b) {
                    *p = (usize::MAX, 2 * (p.1 - half) + usize::from(p.0 == b));
                }
                return merged;
            }
        }
        // So is every other lane of both: with what else is wanted of records of several components.
        for odd in [0, 1] {
            if places.iter().filter(|p| of(p)).all(|p| p.1 % 2 == odd) {
                let merged = self.shuffle_two(part, all[a], all[b], |i| Some((2 * i / per, 2 * i % per + odd)));
                for p in places.iter_mut().filter(|p| p.0 == a || p.0 == b) {
                    *p = (usize::MAX, p.1 / 2 + if p.0 == b { per / 2 } else { 0 });
                }
                return merged;
            }
        }
        // Otherwise everything moves to where the result has it.
        let wanted: SmallVec<[Option<(usize, usize)>; 16]> =
            (0..per).map(|i| places.get(i).filter(|p| of(p)).map(|p| (usize::from(p.0 == b), p.1))).collect();
        let merged = self.shuffle_two(part, all[a], all[b], |i| wanted[i]);
        for (i, p) in places.iter_mut().enumerate().filter(|(_, p)| p.0 == a || p.0 == b) {
            *p = (usize::MAX, i);
        }
        merged
    }

    /// A shuffle of two parts: for each lane which of them and which lane of that, or `None` for any.
    fn shuffle_two(
        &mut self,
        part: Type,
        a: Value,
        b: Value,
        place: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Value {
        let per = usize::from(part.lanes);
        let [a, b] = [a, b].map(|v| self.as_part(part, v));
        // Lanes that mean nothing: let them stay where they are.
        let lanes: SmallVec<[u8; 64]> =
            (0..per).map(|i| place(i).map_or(i, |(operand, lane)| operand * per + lane) as u8).collect();
        if lanes.iter().enumerate().all(|(i, &l)| usize::from(l) == i) {
            return a;
        }
        let key = (self.out.block, Shuffled { part, operands: [a, b], lanes });
        if let Some(&same) = self.shuffled.get(&key) {
            return same;
        }
        let picks = Imm::Lanes(key.1.lanes.as_slice().into());
        let made = self.out.typed(Op::Shuffle, part, &[a, b], picks, Attr::default());
        self.shuffled.insert(key, made);
        made
    }

    /// A mask register stands for parts of any number of lanes: one as a part of this type.
    fn as_part(&mut self, part: Type, v: Value) -> Value {
        let lanes = self.out.ty(v).lanes;
        if lanes == part.lanes {
            return v;
        }
        let picks: SmallVec<[u8; 64]> = (0..part.lanes).map(|i| i % lanes).collect();
        self.out.typed(Op::Shuffle, part, &[v, v], Imm::Lanes(picks.as_slice().into()), Attr::default())
    }

    /// `count` lanes of a part from lane `at` on, moved to the bottom.
    pub(in crate::legalize) fn slide(&mut self, v: Value, at: usize, count: usize) -> Value {
        if at == 0 {
            return v;
        }
        let part = self.out.ty(v);
        self.shuffle_two(part, v, v, |i| Some((0, at + i % count)))
    }

    /// The first `count` lanes of two parts, one after the other, in a register large enough.
    pub(super) fn join(&mut self, a: Value, b: Value, count: usize) -> Value {
        let part = self.out.ty(a);
        let per = usize::from(part.lanes);
        let lanes = per.max(2 * count);
        let picks: SmallVec<[u8; 64]> =
            (0..lanes).map(|i| if i < count { i } else { per + (i - count) % count } as u8).collect();
        let ty = part.with_lanes(lanes as u8);
        self.out.typed(Op::Shuffle, ty, &[a, b], Imm::Lanes(picks.as_slice().into()), Attr::default())
    }

    // ---- reduction

    /// Integers are combined in any order: whole parts, then halves of the last one. Floats lane by lane.
    pub(super) fn reduce(&mut self, inst: &InstData) -> bool {
        let (Some(result), Imm::Collective(by)) = (inst.result, &inst.imm) else { return false };
        let vector = inst.args[0];
        let ty = self.old.ty(vector);
        let op = by.op();
        let width = super::width_of(ty.elem);
        let per = self.layout(ty, width).per;
        if by.is_float() || !usize::from(ty.lanes).is_multiple_of(per) || ty.elem.bits() < 32 {
            let lanes = self.lanes(vector);
            let mut all = lanes[0];
            for &lane in &lanes[1..] {
                // The left operand is operand 1.
                match self.scalar_op(op, inst, ty.elem, lane, all) {
                    Some(v) => all = v,
                    None => return false,
                }
            }
            self.set(result, &[all]);
            return true;
        }
        let parts = self.parts(vector, width);
        let mut whole = parts[0];
        for &part in &parts[1..] {
            match self.int_part(op, ty.elem, &[part, whole]) {
                Some(v) => whole = v,
                None => return false,
            }
        }
        let mut left = per;
        while left > 1 {
            left /= 2;
            let upper = self.slide(whole, left, left);
            match self.int_part(op, ty.elem, &[upper, whole]) {
                Some(v) => whole = v,
                None => return false,
            }
        }
        let lane = self.part_lane(whole, 0);
        self.set(result, &[lane]);
        true
    }

    /// One combination of a reduction on scalars.
    fn scalar_op(&mut self, op: Op, inst: &InstData, elem: Scalar, a: Value, b: Value) -> Option<Value> {
        let step = InstData { op, imm: Imm::None, ..inst.clone() };
        if elem.is_float() { self.float(&step, elem, &[a, b]) } else { self.int(&step, elem, &[a, b]) }
    }
}
