//! Integers, comparisons, conversions between integers, and selections.

use super::{Node, Simplify, powers};
use crate::analysis::range::upper_bound;
use crate::interp::value::{ones, signed};
use crate::ir::op::Flags;
use crate::ir::{Attr, FloatPred, Imm, IntPred, Op, Scalar, Type, Value};

/// Deepest look into operands.
pub(super) const DEPTH: u32 = 5;

impl Simplify<'_> {
    pub(super) fn int(&mut self, node: &Node) -> Option<Value> {
        let Node { op, ty, ref args, .. } = *node;
        let bits = ty.elem.bits();
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let same = args.len() == 2 && a == b;
        let c = self.bits(b).filter(|_| args.len() == 2);
        let pow2 = c.filter(|c| c.is_power_of_two()).map(|c| u64::from(c.trailing_zeros()));
        if let Some(v) = self.by_constant(node, c) {
            return Some(v);
        }
        match op {
            Op::And | Op::Or | Op::MinS | Op::MinU | Op::MaxS | Op::MaxU if same => return Some(a),
            Op::Xor | Op::Sub | Op::SubSatS | Op::SubSatU if same => return Some(self.b.bits(ty, 0)),
            Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us if c == Some(0) || self.bits(a) == Some(0) => {
                return Some(self.b.bits(ty, 0));
            }
            _ => {}
        }
        if matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor)
            && let Some(v) = self
                .reassociate(node, a, b)
                .or_else(|| self.truth_values(op, ty, a, b))
                .or_else(|| self.rotation(op, ty, a, b))
                .or_else(|| self.differ(op, ty, a, b))
        {
            return Some(v);
        }
        match op {
            Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us => self.dot(node),
            Op::Mul => pow2.map(|n| {
                // A product that does not wrap is a shift that does not, but for the negative power of two.
                let flags = if n + 1 < u64::from(bits) { node.attr.flags } else { Flags::empty() };
                let n = self.b.bits(ty, n);
                self.make(Op::Shl, ty, &[a, n], Imm::None, Attr { flags, ..Attr::default() })
            }),
            Op::DivU => pow2.map(|n| self.with(Op::Lshr, a, n)),
            // The least number is its own power of two.
            Op::DivS => {
                pow2.filter(|n| n + 1 < u64::from(bits) && self.is_natural(a)).map(|n| self.with(Op::Lshr, a, n))
            }
            Op::RemU if pow2.is_some() => pow2.map(|n| self.with(Op::And, a, ones(n as u32))),
            Op::RemS | Op::RemU => self.remainder(op, ty, a, b),
            Op::Add => {
                if let Some(x) = self.operand_of(b, Op::Neg) {
                    return Some(self.plain(Op::Sub, ty, &[a, x]));
                }
                self.operand_of(a, Op::Neg).map(|x| self.plain(Op::Sub, ty, &[b, x]))
            }
            Op::Sub => {
                if self.bits(a) == Some(0) {
                    return Some(self.plain(Op::Neg, ty, &[b]));
                }
                self.operand_of(b, Op::Neg).map(|x| self.plain(Op::Add, ty, &[a, x]))
            }
            Op::Neg => self.operand_of(a, Op::Neg),
            Op::Not => self.not(ty, a),
            // A mask that covers every bit the operand can have.
            Op::And => c.filter(|c| (c + 1).is_power_of_two() && upper_bound(self.b.func, a) <= *c).map(|_| a),
            Op::Shl | Op::Lshr | Op::Ashr => {
                let c = c?;
                let shifted = self.shift_of_shift(op, ty, a, c).or_else(|| self.extended_half(op, ty, a, c));
                shifted.or_else(|| self.shift_of_sum(op, ty, a, c))
            }
            Op::Icmp => self.compare(node),
            Op::MinS | Op::MaxS | Op::MinU | Op::MaxU if bits > 1 => self.limit(op, a, b),
            Op::Trunci => self.trunc(ty, a),
            Op::Zext | Op::Sext => self.extension(op, ty, a),
            _ => None,
        }
    }

    /// Operations whose second operand is a constant: neutral and absorbing ones, and those with a simpler form.
    fn by_constant(&mut self, node: &Node, c: Option<u64>) -> Option<Value> {
        let Node { op, ty, ref args, .. } = *node;
        let bits = ty.elem.bits();
        let all = ones(bits);
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        match (op, c) {
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl, Some(0)) => Some(a),
            (Op::Mul | Op::DivS | Op::DivU, Some(1)) => Some(a),
            (Op::Mul | Op::And, Some(0)) => Some(b),
            (Op::And, Some(c)) if c == all => Some(a),
            (Op::Or, Some(c)) if c == all => Some(b),
            (Op::MaxU, Some(0)) => Some(a),
            (Op::MinU, Some(0)) => Some(b),
            (Op::MinU, Some(c)) if c == all => Some(a),
            (Op::MaxU, Some(c)) if c == all => Some(b),
            (Op::MaxS, Some(c)) if c == 1 << (bits - 1) => Some(a),
            (Op::MinS, Some(c)) if c == 1 << (bits - 1) => Some(b),
            (Op::MinS, Some(c)) if c == all >> 1 => Some(a),
            (Op::MaxS, Some(c)) if c == all >> 1 => Some(b),
            (Op::Xor, Some(c)) if c == all => Some(self.plain(Op::Not, ty, &[a])),
            (Op::RemS | Op::RemU, Some(1)) => Some(self.b.bits(ty, 0)),
            (Op::Mul, Some(c)) if c == all => Some(self.plain(Op::Neg, ty, &[a])),
            (Op::Mul, Some(c)) if node.attr.flags.intersects(Flags::SHORT_S | Flags::SHORT_U) => {
                let attr = Attr { flags: short_product(signed(c, bits), node.attr.flags), ..node.attr };
                Some(self.make(op, ty, args, Imm::None, attr))
            }
            (Op::Sub, Some(c)) => {
                // The least number has no negative.
                let flags = if c == 1 << (bits - 1) { Flags::empty() } else { node.attr.flags & Flags::NSW };
                let negated = self.b.bits(ty, c.wrapping_neg());
                Some(self.make(Op::Add, ty, &[a, negated], Imm::None, Attr { flags, ..Attr::default() }))
            }
            (Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl, Some(c)) if c >= u64::from(bits) => {
                Some(self.with(op, a, c % u64::from(bits)))
            }
            _ => None,
        }
    }

    /// x % p → x & (p - 1) for powers of two, 0 (by which x remains) and the least number included, where x is not
    /// negative.
    fn remainder(&mut self, op: Op, ty: Type, x: Value, p: Value) -> Option<Value> {
        let divides = op == Op::RemU || self.is_natural(x);
        if !divides || !powers::is_power(self.b.func, p, self.powers, DEPTH) {
            return None;
        }
        let all = self.b.bits(ty, ones(ty.elem.bits()));
        let mask = self.plain(Op::Add, ty, &[p, all]);
        Some(self.plain(Op::And, ty, &[x, mask]))
    }

    /// (x shift d) shift c → x shift (c + d).
    fn shift_of_shift(&mut self, op: Op, ty: Type, a: Value, c: u64) -> Option<Value> {
        let bits = ty.elem.bits();
        let inner = self.def_op(a, op)?;
        let (x, d) = (inner.args[0], self.bits(inner.args[1])? % u64::from(bits));
        let sum = c + d;
        Some(match op {
            Op::Ashr => self.with(op, x, sum.min(u64::from(bits) - 1)),
            _ if sum >= u64::from(bits) => self.b.bits(ty, 0),
            _ => self.with(op, x, sum),
        })
    }

    /// (x + d) >> c → (x >> c) + (d >> c), where the sum does not wrap and no bit of d is cut off.
    fn shift_of_sum(&mut self, op: Op, ty: Type, a: Value, c: u64) -> Option<Value> {
        let inner = self.def_op(a, Op::Add).filter(|d| op == Op::Lshr && d.attr.flags.contains(Flags::NUW))?;
        let (x, d) = (inner.args[0], self.bits(inner.args[1])?);
        if c == 0 || c >= u64::from(ty.elem.bits()) || d.trailing_zeros() < c as u32 {
            return None;
        }
        let shifted = self.with(op, x, c);
        let rest = self.b.bits(ty, d >> c);
        // Half of all numbers, at most.
        let attr = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        Some(self.make(Op::Add, ty, &[shifted, rest], Imm::None, attr))
    }

    /// A sum of values that were shifted to the left by 32 bits, shifted to the right by as many or fewer: its upper
    /// half, extended. LLVM writes so the extension of a truncated number.
    fn extended_half(&mut self, op: Op, ty: Type, a: Value, c: u64) -> Option<Value> {
        const HALF: u64 = 32;
        let (extension, flags) = match op {
            Op::Ashr => (Op::Sext, Flags::NSW),
            Op::Lshr => (Op::Zext, Flags::NUW),
            _ => return None,
        };
        if ty.elem != Scalar::I64 || c == 0 || c > HALF {
            return None;
        }
        let sum = self.shifted_back(a, HALF, DEPTH)?;
        let half = self.plain(Op::Trunci, ty.with_elem(Scalar::I32), &[sum]);
        let extended = self.plain(extension, ty, &[half]);
        let rest = self.b.bits(ty, HALF - c);
        Some(self.make(Op::Shl, ty, &[extended, rest], Imm::None, Attr { flags, ..Attr::default() }))
    }

    /// Extensions of extensions, of truncations, and of numbers whose sign is known.
    fn extension(&mut self, op: Op, ty: Type, a: Value) -> Option<Value> {
        let inner = self.def(a)?;
        let x = inner.args.first().copied()?;
        match (op, inner.op) {
            (Op::Zext, Op::Zext) | (Op::Sext, Op::Zext) => Some(self.plain(Op::Zext, ty, &[x])),
            (Op::Sext, Op::Sext) => Some(self.plain(Op::Sext, ty, &[x])),
            // Nothing was cut off.
            (_, Op::Trunci)
                if self.b.func.ty(x) == ty
                    && (inner.attr.flags.contains(if op == Op::Sext { Flags::NSW } else { Flags::NUW })
                        || upper_bound(self.b.func, x) <= ones(self.b.func.ty(a).elem.bits() - 1)) =>
            {
                Some(x)
            }
            (Op::Zext, Op::Trunci) if self.b.func.ty(x) == ty => {
                Some(self.with(Op::And, x, ones(self.b.func.ty(a).elem.bits())))
            }
            // Not negative: the sign bit is known to be clear.
            (Op::Sext, _) => self.is_natural(a).then(|| self.plain(Op::Zext, ty, &[a])),
            _ => None,
        }
    }

    /// (x op c1) op c2 → x op (c1 op c2), which does not wrap if neither did, nor does the operation on constants.
    fn reassociate(&mut self, node: &Node, a: Value, b: Value) -> Option<Value> {
        let (op, ty) = (node.op, node.ty);
        let inner = self.def_op(a, op)?;
        let (x, c1, flags) = (inner.args[0], inner.args[1], inner.attr.flags & node.attr.flags);
        self.lanes(c1)?;
        self.lanes(b)?;
        let mut kept = Flags::empty();
        if let (Op::Add | Op::Mul, Some(c), Some(d)) = (op, self.bits(c1), self.bits(b)) {
            let bits = ty.elem.bits();
            let exact = |c: i128, d: i128| if op == Op::Add { Some(c + d) } else { c.checked_mul(d) };
            let limit = 1 << (bits - 1);
            if exact(signed(c, bits).into(), signed(d, bits).into()).is_some_and(|v| (-limit..limit).contains(&v)) {
                kept |= flags & Flags::NSW;
            }
            if exact(c.into(), d.into()).is_some_and(|v| v < 2 * limit) {
                kept |= flags & Flags::NUW;
            }
        }
        let c = self.plain(op, ty, &[c1, b]);
        Some(self.make(op, ty, &[x, c], Imm::None, Attr { flags: kept, ..Attr::default() }))
    }

    fn not(&mut self, ty: Type, a: Value) -> Option<Value> {
        let inner = self.def(a)?;
        let args = inner.args.clone();
        match (inner.op, &inner.imm) {
            (Op::Not, _) => Some(args[0]),
            (Op::Icmp, Imm::IntPred(p)) => Some(self.icmp(p.inverted(), ty, args[0], args[1])),
            (Op::Fcmp, Imm::FloatPred(p)) => {
                let (imm, attr) = (Imm::FloatPred(p.inverted()), inner.attr);
                Some(self.make(Op::Fcmp, ty, &args, imm, attr))
            }
            _ => None,
        }
    }

    /// A bitwise operation on two extended truth values, as the extension of its result on the truth values.
    fn truth_values(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Option<Value> {
        let (x, y) = (self.def(a)?, self.def(b)?);
        if !matches!(op, Op::And | Op::Or | Op::Xor) || x.op != y.op || !matches!(x.op, Op::Zext | Op::Sext) {
            return None;
        }
        let (extension, x, y) = (x.op, x.args[0], y.args[0]);
        let truth = self.b.func.ty(x);
        if truth.elem != Scalar::I1 || self.b.func.ty(y) != truth {
            return None;
        }
        let both = self.plain(op, truth, &[x, y]);
        Some(self.plain(extension, ty, &[both]))
    }

    /// x << n joined with x >> (width - n), where n is a constant or the operation does not mind that both are x if n
    /// is 0.
    fn rotation(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Option<Value> {
        let (x, y) = (self.def(a)?, self.def(b)?);
        if !matches!(op, Op::Or | Op::Xor | Op::Add) || ty.elem.bits() < 32 {
            return None;
        }
        let (left, right) = match (x.op, y.op) {
            (Op::Shl, Op::Lshr) => (x, y),
            (Op::Lshr, Op::Shl) => (y, x),
            _ => return None,
        };
        let (&[x, by], &[y, rest]) = (&left.args[..], &right.args[..]) else { return None };
        let bits = u64::from(ty.elem.bits());
        let constant = || matches!((self.bits(by), self.bits(rest)), (Some(n), Some(m)) if n != 0 && n + m == bits);
        let negates = |v: Value, n: Value| {
            self.def(v).is_some_and(|d| match (d.op, &d.args[..]) {
                (Op::Neg, &[m]) => m == n,
                (Op::Sub, &[c, m]) => m == n && self.bits(c).is_some_and(|c| c % bits == 0),
                _ => false,
            })
        };
        let rotates = x == y && (constant() || op == Op::Or && (negates(by, rest) || negates(rest, by)));
        rotates.then(|| self.plain(Op::Rotl, ty, &[x, by]))
    }

    /// Two comparisons that vector machines make by inverting others: these differ where those do.
    fn differ(&mut self, op: Op, ty: Type, a: Value, b: Value) -> Option<Value> {
        if op != Op::Xor || !ty.is_vector() || ty.elem != Scalar::I1 {
            return None;
        }
        let [x, y] = [a, b].map(|v| {
            let def = self.def(v)?;
            let &Imm::IntPred(pred) = &def.imm else { return None };
            matches!(pred, IntPred::Ne | IntPred::UGt | IntPred::ULt).then(|| (pred.inverted(), def.args.clone()))
        });
        let [x, y] = [x?, y?].map(|(pred, args)| self.icmp(pred, ty, args[0], args[1]));
        Some(self.plain(Op::Xor, ty, &[x, y]))
    }

    fn trunc(&mut self, ty: Type, a: Value) -> Option<Value> {
        let inner = self.def(a)?;
        let (op, x) = (inner.op, inner.args.first().copied()?);
        let from = self.b.func.ty(x);
        match op {
            Op::Trunci => Some(self.plain(Op::Trunci, ty, &[x])),
            Op::Zext | Op::Sext => Some(match from.elem.bits().cmp(&ty.elem.bits()) {
                std::cmp::Ordering::Equal => x,
                std::cmp::Ordering::Greater => self.plain(Op::Trunci, ty, &[x]),
                std::cmp::Ordering::Less => self.plain(op, ty, &[x]),
            }),
            Op::And => {
                let mask = self.bits(self.def(a)?.args[1])?;
                (mask & ones(ty.elem.bits()) == ones(ty.elem.bits())).then(|| self.plain(Op::Trunci, ty, &[x]))
            }
            // Bits that are shifted in are cut off again.
            Op::Lshr | Op::Ashr => {
                let by = self.bits(self.def(a)?.args[1])?;
                if let Some(high) = self.high_product(ty, x, by) {
                    return Some(high);
                }
                let fits = by > 0 && by + u64::from(ty.elem.bits()) <= u64::from(from.elem.bits());
                let shifted = if fits { self.shifted_back(x, by, 3)? } else { return None };
                Some(self.plain(Op::Trunci, ty, &[shifted]))
            }
            _ => None,
        }
    }

    /// The upper half of a product of two numbers of 32 bits, which source code takes of one of 64.
    fn high_product(&mut self, ty: Type, product: Value, by: u64) -> Option<Value> {
        if by != 32 || ty.elem != Scalar::I32 || self.b.func.ty(product).elem != Scalar::I64 {
            return None;
        }
        let args = self.def(product).filter(|data| data.op == Op::Mul)?.args.clone();
        let factor = |this: &mut Self, v: Value, extend: Op| match this.def(v) {
            Some(data) if data.op == extend && this.b.func.ty(data.args[0]).elem == Scalar::I32 => Some(data.args[0]),
            _ => {
                let bits = this.bits(v)?;
                let is_kept = if extend == Op::Zext { bits >> 32 == 0 } else { bits as i64 == i64::from(bits as i32) };
                is_kept.then(|| this.b.bits(ty, bits & 0xffff_ffff))
            }
        };
        [(Op::Zext, Op::MulHiU), (Op::Sext, Op::MulHiS)].into_iter().find_map(|(extend, op)| {
            let [x, y] = [args[0], args[1]].map(|v| factor(self, v, extend));
            Some(self.plain(op, ty, &[x?, y?]))
        })
    }

    /// A sum of values that were shifted to the left by at least so many bits, shifted to the right by them: right but
    /// for as many upper bits.
    fn shifted_back(&mut self, v: Value, by: u64, depth: u32) -> Option<Value> {
        let ty = self.b.func.ty(v);
        let data = self.def(v).filter(|_| depth > 0)?;
        let (op, args) = (data.op, data.args.clone());
        match op {
            Op::Const => {
                let bits = self.bits(v).filter(|bits| bits.is_multiple_of(1 << by))?;
                Some(self.b.bits(ty, bits >> by))
            }
            Op::Shl => match self.bits(args[1])?.checked_sub(by)? {
                0 => Some(args[0]),
                rest => Some(self.with(Op::Shl, args[0], rest)),
            },
            Op::Add => {
                let a = self.shifted_back(args[0], by, depth - 1)?;
                let b = self.shifted_back(args[1], by, depth - 1)?;
                Some(self.plain(Op::Add, ty, &[a, b]))
            }
            _ => None,
        }
    }

    fn compare(&mut self, node: &Node) -> Option<Value> {
        let Imm::IntPred(pred) = node.imm else { return None };
        let (ty, a, b) = (node.ty, node.args[0], node.args[1]);
        let operand_ty = self.b.func.ty(a);
        if a == b {
            let yes = matches!(pred, IntPred::Eq | IntPred::SLe | IntPred::SGe | IntPred::ULe | IntPred::UGe);
            return Some(self.b.bits(ty, u64::from(yes)));
        }
        if self.lanes(a).is_some() && self.lanes(b).is_none() {
            return Some(self.icmp(pred.swapped(), ty, b, a));
        }
        if operand_ty.is_ptr() {
            if let (Some(x), Some(y)) = (self.operand_of(a, Op::AsCast), self.operand_of(b, Op::AsCast))
                && self.b.func.ty(x) == self.b.func.ty(y)
            {
                return Some(self.icmp(pred, ty, x, y));
            }
            let null = self.bits(b) == Some(0) && self.is_variable(a);
            return (null && matches!(pred, IntPred::Eq | IntPred::Ne))
                .then(|| self.b.bits(ty, u64::from(pred == IntPred::Ne)));
        }
        let bits = operand_ty.elem.bits();
        if let (Some(x), Some(y)) = (self.def(a), self.def(b))
            && x.op == y.op
            && matches!(x.op, Op::Zext | Op::Sext)
        {
            let (op, x, y) = (x.op, x.args[0], y.args[0]);
            if self.b.func.ty(x) == self.b.func.ty(y) && self.b.func.ty(x).elem != Scalar::I1 {
                return Some(self.icmp(if op == Op::Zext { unsigned(pred) } else { pred }, ty, x, y));
            }
            if self.b.func.ty(x) == self.b.func.ty(y) && matches!(pred, IntPred::Eq | IntPred::Ne) {
                let differ = self.plain(Op::Xor, ty, &[x, y]);
                return Some(if pred == IntPred::Ne { differ } else { self.plain(Op::Not, ty, &[differ]) });
            }
        }
        if bits > 1 {
            if let Some(yes) = self.outcome(pred, a, b) {
                return Some(self.b.bits(ty, u64::from(yes)));
            }
            if let Some(v) = self.compare_limited(pred, ty, a, b) {
                return Some(v);
            }
        }
        let c = self.bits(b)?;
        if bits == 1 {
            return match (pred, c) {
                (IntPred::Eq, 1) | (IntPred::Ne, 0) => Some(a),
                (IntPred::Eq, 0) | (IntPred::Ne, 1) => Some(self.plain(Op::Not, ty, &[a])),
                _ => None,
            };
        }
        // Most vector machines have the strict comparison only.
        let least = 1 << (bits - 1);
        let strict = match pred {
            IntPred::SGe if c != least => Some((IntPred::SGt, c.wrapping_sub(1))),
            IntPred::SLe if c != least - 1 => Some((IntPred::SLt, c.wrapping_add(1))),
            _ => None,
        };
        if let Some((pred, c)) = strict.filter(|_| ty.is_vector()) {
            return Some(self.icmp_with(pred, ty, a, c));
        }
        let inner = self.def(a)?;
        let (op, args) = (inner.op, inner.args.clone());
        let equality = matches!(pred, IntPred::Eq | IntPred::Ne);
        match op {
            Op::Zext | Op::Sext => self.compare_extended(pred, op, args[0], c, (ty, bits)),
            Op::Add if equality => {
                let d = self.bits(args[1])?;
                Some(self.icmp_with(pred, ty, args[0], c.wrapping_sub(d)))
            }
            Op::Xor if equality => {
                let d = self.bits(args[1])?;
                Some(self.icmp_with(pred, ty, args[0], c ^ d))
            }
            Op::Sub if equality && c == 0 => Some(self.icmp(pred, ty, args[0], args[1])),
            Op::And if self.bits(args[1]) == Some(least - 1) => self.test_for_nan(pred, ty, args[0], c),
            // Nothing that counts was cut off.
            Op::Trunci if equality && inner.attr.flags.contains(Flags::NUW) && !ty.is_vector() => {
                Some(self.icmp_with(pred, ty, args[0], c))
            }
            // What is shifted out does not matter: x >> n == 0 is x < 1 << n.
            Op::Lshr if equality && c == 0 && !ty.is_vector() => {
                let n = self.bits(args[1]).filter(|&n| n < u64::from(bits))?;
                let pred = if pred == IntPred::Eq { IntPred::ULt } else { IntPred::UGe };
                Some(self.icmp_with(pred, ty, args[0], 1 << n))
            }
            _ => None,
        }
    }

    /// A comparison of a float's bits without the sign with those of infinity: of the float with itself.
    fn test_for_nan(&mut self, pred: IntPred, ty: Type, bits: Value, c: u64) -> Option<Value> {
        let int = self.b.func.ty(bits);
        let (elem, infinity) = match int.elem {
            Scalar::I32 => (Scalar::F32, u64::from(f32::INFINITY.to_bits())),
            Scalar::I64 => (Scalar::F64, f64::INFINITY.to_bits()),
            _ => return None,
        };
        let pred = match pred {
            IntPred::UGt | IntPred::SGt if c == infinity => FloatPred::Uno,
            IntPred::ULe | IntPred::SLe if c == infinity => FloatPred::Ord,
            _ => return None,
        };
        let x = match self.operand_of(bits, Op::Bitcast).filter(|&x| self.b.func.ty(x) == int.with_elem(elem)) {
            Some(x) => x,
            // Registers of scalars are far apart.
            None if !int.is_vector() => return None,
            None => self.plain(Op::Bitcast, int.with_elem(elem), &[bits]),
        };
        Some(self.make(Op::Fcmp, ty, &[x, x], Imm::FloatPred(pred), Attr::default()))
    }

    /// A comparison of an extended number with a constant: of the number itself.
    fn compare_extended(&mut self, pred: IntPred, op: Op, x: Value, c: u64, wide: (Type, u32)) -> Option<Value> {
        let (ty, bits) = wide;
        let from = self.b.func.ty(x);
        let narrow = from.elem.bits();
        if narrow == 1 {
            // 0 and 1, or 0 and -1.
            let one = if op == Op::Zext { 1 } else { ones(bits) };
            return match (pred, c) {
                (IntPred::Ne, 0) => Some(x),
                (IntPred::Eq, 0) => Some(self.plain(Op::Not, ty, &[x])),
                (IntPred::Eq, c) if c == one => Some(x),
                (IntPred::Ne, c) if c == one => Some(self.plain(Op::Not, ty, &[x])),
                _ => None,
            };
        }
        if op == Op::Zext && c <= ones(narrow) {
            // As signed numbers both are not negative in the wide type.
            return Some(self.icmp_with(unsigned(pred), ty, x, c));
        }
        let fits = signed(c, bits) == signed(c & ones(narrow), narrow);
        (op == Op::Sext && fits).then(|| self.icmp_with(pred, ty, x, c))
    }

    pub(super) fn select(&mut self, node: &Node) -> Option<Value> {
        let (ty, [c, a, b]) = (node.ty, [node.args[0], node.args[1], node.args[2]]);
        if a == b {
            return Some(a);
        }
        if let Some(bits) = self.bits(c) {
            return Some(if bits & 1 == 1 { a } else { b });
        }
        if let Some(inner) = self.operand_of(c, Op::Not) {
            return Some(self.plain(Op::Select, ty, &[inner, b, a]));
        }
        // What was loaded under the same mask has the other lanes already.
        if let Some(data) = self.def(a)
            && matches!(data.op, Op::LoadMasked | Op::Gather)
            && data.args.ends_with(&[c, b])
        {
            return Some(a);
        }
        if self.b.func.ty(c).lanes != ty.lanes {
            return None;
        }
        if let Some(v) = self.select_of_selection(ty, [c, a, b]) {
            return Some(v);
        }
        if !ty.is_int() {
            return None;
        }
        let all = ones(ty.elem.bits());
        let (x, y) = (self.bits(a), self.bits(b));
        if ty.elem == Scalar::I1 {
            return match (x, y) {
                (Some(1), Some(0)) => Some(c),
                (Some(0), Some(1)) => Some(self.plain(Op::Not, ty, &[c])),
                (Some(1), _) => Some(self.plain(Op::Or, ty, &[c, b])),
                (_, Some(0)) => Some(self.plain(Op::And, ty, &[c, a])),
                _ => None,
            };
        }
        match (x, y) {
            (Some(1), Some(0)) => Some(self.plain(Op::Zext, ty, &[c])),
            (Some(x), Some(0)) if x == all => Some(self.plain(Op::Sext, ty, &[c])),
            _ => None,
        }
    }

    /// A selection by masks between something and what another one chose from that and something else: one selection
    /// by a mask of both. Masks are made beside the values, and other values of the same branches take them, too.
    /// What is a minimum or maximum stays one.
    fn select_of_selection(&mut self, ty: Type, [c, a, b]: [Value; 3]) -> Option<Value> {
        let mask = self.b.func.ty(c);
        let is_extremum = |this: &Self, c: Value, x: Value, y: Value| {
            let compared = this.def(c).filter(|d| matches!(d.op, Op::Icmp | Op::Fcmp)).map(|d| &d.args[..]);
            compared == Some(&[x, y]) || compared == Some(&[y, x])
        };
        if !ty.is_vector() || ty.elem == Scalar::I1 || is_extremum(self, c, a, b) {
            return None;
        }
        let parts = |this: &Self, v: Value| {
            let def = this.def_op(v, Op::Select).filter(|def| this.b.func.ty(def.args[0]) == mask)?;
            let [d, x, y] = [def.args[0], def.args[1], def.args[2]];
            (!is_extremum(this, d, x, y)).then_some([d, x, y])
        };
        let chosen = |this: &mut Self, mask, x, y| Some(this.plain(Op::Select, ty, &[mask, x, y]));
        match (parts(self, a), parts(self, b)) {
            (Some([d, x, y]), _) if y == b => {
                let both = self.plain(Op::And, mask, &[c, d]);
                chosen(self, both, x, b)
            }
            (Some([d, x, y]), _) if x == b => {
                let not = self.plain(Op::Not, mask, &[d]);
                let both = self.plain(Op::And, mask, &[c, not]);
                chosen(self, both, y, b)
            }
            (_, Some([d, x, y])) if x == a => {
                let either = self.plain(Op::Or, mask, &[c, d]);
                chosen(self, either, a, y)
            }
            (_, Some([d, x, y])) if y == a => {
                let not = self.plain(Op::Not, mask, &[c]);
                let both = self.plain(Op::And, mask, &[d, not]);
                chosen(self, both, x, a)
            }
            _ => None,
        }
    }

    /// True if the sign bit of no lane can be set.
    pub(super) fn is_natural(&self, v: Value) -> bool {
        upper_bound(self.b.func, v) <= ones(self.b.func.ty(v).elem.bits() - 1)
    }
}

fn unsigned(pred: IntPred) -> IntPred {
    match pred {
        IntPred::SLt => IntPred::ULt,
        IntPred::SLe => IntPred::ULe,
        IntPred::SGt => IntPred::UGt,
        IntPred::SGe => IntPred::UGe,
        other => other,
    }
}

/// What is known of a product of a constant and a number of which the flags say that it has 24 bits at most.
fn short_product(c: i64, flags: Flags) -> Flags {
    let (low, high) = if flags.contains(Flags::SHORT_U) { (0, (1 << 24) - 1) } else { (-(1 << 23), (1 << 23) - 1) };
    let fits = |bounds: std::ops::RangeInclusive<i64>| [low * c, high * c].iter().all(|end| bounds.contains(end));
    let mut known = flags - (Flags::SHORT_S | Flags::SHORT_U);
    known.set(Flags::NSW, flags.contains(Flags::NSW) || fits(i64::from(i32::MIN)..=i64::from(i32::MAX)));
    known.set(Flags::NUW, flags.contains(Flags::NUW) || fits(0..=i64::from(u32::MAX)));
    known
}
