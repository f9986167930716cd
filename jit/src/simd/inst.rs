//! What becomes of an instruction of the scalar loop: one on scalars for all lanes, or one on vectors for each
//! component. `memory`, `serial` and `recurrence` have what is not elementwise. Must not know control flow.

use super::coalesce;
use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::ir::op::Flags;
use crate::ir::{Attr, Imm, Inst, InstData, IntPred, Op, Scalar, Type, Value};
use smallvec::SmallVec;

impl Widen<'_> {
    /// Writes an instruction of the block that is being written.
    pub(super) fn write_inst(&mut self, inst: Inst) {
        let data = self.func.insts[inst].clone();
        self.origin = data.origin;
        if let Some(update) = self.shapes.carried.update(inst) {
            return self.update(inst, update);
        }
        if data.op.is_sub_group() {
            return self.sub_group(&data);
        }
        let Some(result) = data.result else { return self.write_effect(&data) };
        match (self.shapes.of(result), data.op) {
            (Shape::Affine(1), Op::And) if self.is_lane_number(&data) => {
                let first = self.constant(self.func.ty(result), 0);
                self.set_scalar(result, first);
            }
            // As a sum of what stays the same and what goes on, which leaves loops; else lane 0's is extended.
            (Shape::Affine(_), Op::Sext | Op::Zext) if self.shapes.is_exact(self.func, self.home, &data) => {
                let wide = self.wide(data.args[0], data.op == Op::Sext);
                self.set_scalar(result, wide);
            }
            (Shape::Uniform | Shape::Affine(_), op) => {
                self.counts.uniform += usize::from(op == Op::Load);
                let args: SmallVec<[Value; 4]> = data.args.iter().map(|&v| self.scalar(v)).collect();
                // Facts that hold for the work-items that are here need not hold for lane 0.
                let attr = Attr { flags: data.attr.flags - Flags::VALUES, ..data.attr };
                let attr = if self.shapes.of(result) == Shape::Uniform { data.attr } else { attr };
                let imm = self.woven_imm(&data);
                let value = self.emit_attr(op, self.func.ty(result), &args, imm, attr);
                self.set_scalar(result, value);
            }
            _ if self.shapes.is_aggregated(self.func, self.home, &data) => self.aggregate(&data),
            _ if self.shapes.is_serial(self.func, self.home, &data) => self.one_by_one(&data),
            (_, Op::Load) => self.load(&data, result),
            _ => self.elementwise(&data, result),
        }
    }

    fn write_effect(&mut self, data: &InstData) {
        if let Some(slot) = super::variables::told_of(self.func, data) {
            return self.tell_of_variable(slot, data);
        }
        match data.op {
            _ if self.shapes.is_aggregated(self.func, self.home, data) => self.aggregate(data),
            _ if self.shapes.is_serial(self.func, self.home, data) => self.one_by_one(data),
            Op::Store => self.store(data),
            Op::Track => self.track(data),
            Op::Meet => self.meet(data),
            _ => {
                // A fence orders accesses of every lane before and after.
                let args: SmallVec<[Value; 4]> = data.args.iter().map(|&v| self.scalar(v)).collect();
                self.push(data.op, None, &args, data.imm.clone(), data.attr);
            }
        }
    }

    /// A 32-bit affine value, as `Shapes` found it exact, in 64 bits.
    fn wide(&mut self, v: Value, signed: bool) -> Value {
        let extend = if signed { Op::Sext } else { Op::Zext };
        if self.shape(v) == Shape::Uniform {
            let now = self.scalar(v);
            return self.emit(extend, Type::I64, &[now], Imm::None);
        }
        let data = self.func.def_inst(v).expect("an exact value is a sum").clone();
        if data.op == Op::Trunci {
            return self.scalar(data.args[0]);
        }
        let terms: SmallVec<[Value; 4]> = data
            .args
            .iter()
            .map(|&arg| match self.func.const_bits(arg).filter(|_| data.op == Op::Add) {
                Some(bits) => self.i64(i64::from(bits as i32)),
                None => self.wide(arg, signed),
            })
            .collect();
        self.emit(data.op, Type::I64, &terms, Imm::None)
    }

    fn elementwise(&mut self, data: &InstData, result: Value) {
        let ty = self.func.ty(result);
        let lanes = match (data.op, &data.imm) {
            (Op::Build, _) => data.args.iter().map(|&v| self.vector(v)[0]).collect(),
            (Op::Splat, _) => {
                let v = self.vector(data.args[0])[0];
                std::iter::repeat_n(v, usize::from(ty.lanes)).collect()
            }
            (Op::Extract, &Imm::Lane(lane)) => [self.vector(data.args[0])[usize::from(lane)]].into_iter().collect(),
            (Op::Insert, &Imm::Lane(lane)) => {
                let mut lanes = self.vector(data.args[0]);
                lanes[usize::from(lane)] = self.vector(data.args[1])[0];
                lanes
            }
            (Op::Shuffle, Imm::Lanes(picks)) => {
                let mut all = self.vector(data.args[0]);
                all.extend(self.vector(data.args[1]));
                picks.iter().map(|&i| all[usize::from(i)]).collect()
            }
            (Op::MaskAny | Op::MaskAll, _) => {
                let op = if data.op == Op::MaskAny { Op::Or } else { Op::And };
                let parts = self.vector(data.args[0]);
                let join = |all, &part: &Value| self.emit(op, self.mask_type(), &[all, part], Imm::None);
                [parts[1..].iter().fold(parts[0], join)].into_iter().collect()
            }
            (Op::ExtractDyn, _) => [self.pick(data)].into_iter().collect(),
            (Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::PtrToInt | Op::IntToPtr, _) => {
                [self.address_lanes(data)].into_iter().collect()
            }
            (Op::Bitcast, _) if self.func.ty(data.args[0]).lanes != ty.lanes => {
                let parts = self.vector(data.args[0]);
                self.regroup(&parts, ty.elem)
            }
            _ => {
                let args: SmallVec<[Lanes; 3]> = data.args.iter().map(|&v| self.vector(v)).collect();
                let types = self.lane_types(ty);
                let mut lanes = Lanes::new();
                for (i, &ty) in types.iter().enumerate() {
                    let args: SmallVec<[Value; 3]> =
                        args.iter().map(|a| if a.len() == 1 { a[0] } else { a[i] }).collect();
                    lanes.push(self.emit_attr(data.op, ty, &args, data.imm.clone(), data.attr));
                }
                lanes
            }
        };
        self.set_vector(result, lanes);
    }

    /// The component that an index in a register chooses.
    fn pick(&mut self, data: &InstData) -> Value {
        let parts = self.vector(data.args[0]);
        let index = self.vector(data.args[1])[0];
        let index = self.op_bits(Op::And, index, parts.len().next_power_of_two() as u64 - 1);
        let mut picked = parts[0];
        for (i, &part) in (0..).zip(&parts).skip(1) {
            let mine = self.icmp_bits(IntPred::Eq, index, i);
            picked = self.op(Op::Select, &[mine, part, picked]);
        }
        picked
    }

    /// The bits of components in components of another size, in memory order.
    pub(super) fn regroup(&mut self, parts: &[Value], to: Scalar) -> Lanes {
        let from = self.func.ty(parts[0]);
        let (narrow, wide) = (from.with_elem(from.elem.as_int()), from.with_elem(to.as_int()));
        let (from_bits, to_bits) = (from.elem.bits(), to.bits());
        let parts: Lanes = parts.iter().map(|&x| self.bitcast(narrow, x)).collect();
        let mut out = Lanes::new();
        let is_vector = from.is_vector();
        if is_vector && (from_bits, to_bits) == (32, 64) {
            let pairs = parts.chunks(2);
            out.extend(pairs.map(|pair| coalesce::join(&mut self.builder(), pair[0], pair[1])));
        } else if is_vector && (from_bits, to_bits) == (64, 32) {
            out.extend(parts.iter().flat_map(|&part| coalesce::halves(&mut self.builder(), part)));
        } else if from_bits < to_bits {
            for group in parts.chunks((to_bits / from_bits) as usize) {
                let mut sum = None;
                for (i, &part) in (0..).zip(group) {
                    let part = self.convert(Op::Zext, wide, part);
                    sum = Some(match sum {
                        None => part,
                        Some(sum) => {
                            let part = self.op_bits(Op::Shl, part, i * u64::from(from_bits));
                            self.op(Op::Or, &[sum, part])
                        }
                    });
                }
                out.extend(sum);
            }
        } else {
            for part in parts {
                for i in 0..u64::from(from_bits / to_bits) {
                    let by = i * u64::from(to_bits);
                    let low = if i == 0 { part } else { self.op_bits(Op::Lshr, part, by) };
                    out.push(self.convert(Op::Trunci, wide, low));
                }
            }
        }
        out.into_iter().map(|x| self.bitcast(from.with_elem(to), x)).collect()
    }
}
