//! Evaluation of constant expressions on HIR: integers, floats in the rounding mode of each node, vectors, addresses of
//! constants. Exact: every operation rounds as its type and mode say. Anything else has no value here.

use super::Sema;
use super::convert::{sign_extend, truncate};
use super::ty::Num;
use crate::hir::{
    BinOp, Builtin, Callee, CmpOp, ConstValue, ConvKind, ExprId, ExprKind, PlaceId, PlaceKind, Ty, TyKind, Types, UnOp,
    VarId,
};
use crate::ir::op::{Op, Rounding};
use crate::ir::softfloat::{self as sf, Format};
use crate::launch::AddrSpace;

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A scalar's bits, zero-extended; a null pointer is 0.
    Bits(u64),
    /// Lanes of a vector.
    Lanes(Vec<u64>),
    /// Address of a variable plus bytes.
    Address(VarId, i64),
    /// A struct that lies in a constant at this offset.
    Object(VarId, u64),
}

impl Sema<'_> {
    /// The value of an integer constant expression.
    pub(super) fn eval_int(&self, e: ExprId) -> Option<i128> {
        let ty = self.f.exprs[e].ty;
        match (self.eval(e)?, self.num(ty)?) {
            (Value::Bits(bits), Num::Int(width, true)) => Some(i128::from(sign_extend(bits, width))),
            (Value::Bits(bits), Num::Int(..) | Num::Bool) => Some(i128::from(bits)),
            _ => None,
        }
    }

    /// The value of a constant expression.
    pub(super) fn eval(&self, e: ExprId) -> Option<Value> {
        let expr = &self.f.exprs[e];
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Const(ConstValue::Int(bits) | ConstValue::Float(bits)) => Some(Value::Bits(*bits)),
            ExprKind::Const(ConstValue::Vector(lanes)) => Some(Value::Lanes(lanes.clone())),
            ExprKind::Undef => None,
            ExprKind::Load(place) => self.eval_load(*place),
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                let (var, at) = self.eval_place(*place)?;
                Some(Value::Address(var, at))
            }
            ExprKind::Unary(op, a) => {
                let num = self.elem_num(ty)?;
                self.map1(*a, |x| Some(unary(*op, x, num)))
            }
            ExprKind::Binary(op, fp, a, b) => {
                let num = self.elem_num(ty)?;
                self.map2(*a, *b, |x, y| binary(*op, x, y, num, fp.rm))
            }
            ExprKind::Compare(op, a, b) => {
                let from = self.f.exprs[*a].ty;
                if self.is_pointer(from) {
                    return self.compare_pointers(*op, *a, *b);
                }
                let num = self.elem_num(from)?;
                let yes = self.truth(ty)?;
                self.map2(*a, *b, |x, y| Some(if compare(*op, x, y, num) { yes } else { 0 }))
            }
            ExprKind::LogicalNot(a) => {
                let num = self.elem_num(self.f.exprs[*a].ty);
                let yes = self.truth(ty)?;
                self.map1_or(*a, 0, |x| Some(if is_true(x, num) { 0 } else { yes }))
            }
            ExprKind::LogicalAnd(a, b) => Some(Value::Bits(u64::from(self.eval_bool(*a)? && self.eval_bool(*b)?))),
            ExprKind::LogicalOr(a, b) => Some(Value::Bits(u64::from(self.eval_bool(*a)? || self.eval_bool(*b)?))),
            ExprKind::LogicalVector(op, a, b) => {
                let num = self.elem_num(self.f.exprs[*a].ty);
                let yes = self.truth(ty)?;
                self.map2(*a, *b, |x, y| {
                    let (x, y) = (is_true(x, num), is_true(y, num));
                    Some(if if *op == BinOp::And { x && y } else { x || y } { yes } else { 0 })
                })
            }
            ExprKind::Cond(c, a, b) => self.eval(if self.eval_bool(*c)? { *a } else { *b }),
            ExprKind::VectorCond(c, a, b) => {
                let Some(Num::Int(bits, _)) = self.elem_num(self.f.exprs[*c].ty) else { return None };
                let (Value::Lanes(c), Value::Lanes(a), Value::Lanes(b)) =
                    (self.eval(*c)?, self.eval(*a)?, self.eval(*b)?)
                else {
                    return None;
                };
                let pick = |((c, a), b): ((u64, u64), u64)| if sign_extend(c, bits) < 0 { a } else { b };
                Some(Value::Lanes(c.into_iter().zip(a).zip(b).map(pick).collect()))
            }
            ExprKind::Convert(kind, a) => self.eval_convert(*kind, *a, ty),
            ExprKind::AsType(a) => self.eval_as_type(*a, ty),
            ExprKind::Build(parts) => {
                let mut lanes = Vec::new();
                for &part in parts {
                    match self.eval(part)? {
                        Value::Bits(bits) => lanes.push(bits),
                        Value::Lanes(more) => lanes.extend(more),
                        _ => return None,
                    }
                }
                Some(Value::Lanes(lanes))
            }
            ExprKind::Swizzle(a, lanes) => {
                let Value::Lanes(from) = self.eval(*a)? else { return None };
                // The missing lane of a 3-vector may be anything.
                let picked: Vec<u64> =
                    lanes.iter().map(|&lane| from.get(usize::from(lane)).copied().unwrap_or(0)).collect();
                match picked.as_slice() {
                    [single] if !self.is_vector(ty) => Some(Value::Bits(*single)),
                    _ => Some(Value::Lanes(picked)),
                }
            }
            ExprKind::PtrAdd(p, i) | ExprKind::PtrSub(p, i) => {
                let (pointee, ..) = self.pointee(ty)?;
                let size = i128::from(self.size_of(pointee).unwrap_or(1));
                let offset = self.eval_int(*i)?.checked_mul(size)?;
                let offset = if let ExprKind::PtrAdd(..) = expr.kind { offset } else { -offset };
                match self.eval(*p)? {
                    Value::Address(var, at) => Some(Value::Address(var, i64::try_from(i128::from(at) + offset).ok()?)),
                    Value::Bits(bits) => Some(Value::Bits(bits.wrapping_add(offset as u64))),
                    _ => None,
                }
            }
            ExprKind::PtrDiff(a, b) => {
                let (pointee, ..) = self.pointee(self.f.exprs[*a].ty)?;
                let size = i64::try_from(self.size_of(pointee)?).ok().filter(|&n| n > 0)?;
                match (self.eval(*a)?, self.eval(*b)?) {
                    (Value::Address(x, p), Value::Address(y, q)) if x == y => {
                        Some(Value::Bits((p.wrapping_sub(q) / size) as u64))
                    }
                    _ => None,
                }
            }
            ExprKind::Call(Callee::Builtin(builtin), args) => self.eval_builtin(builtin, args, ty),
            ExprKind::Comma(..)
            | ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call(..)
            | ExprKind::InitLoad(..) => None,
        }
    }

    fn eval_bool(&self, e: ExprId) -> Option<bool> {
        match self.eval(e)? {
            Value::Bits(bits) => Some(is_true(bits, self.num(self.f.exprs[e].ty))),
            Value::Address(..) => Some(true),
            _ => None,
        }
    }

    /// What "true" is in a result type: 1 for scalars, all ones for lanes.
    fn truth(&self, ty: Ty) -> Option<u64> {
        match (self.is_vector(ty), self.elem_num(ty)?) {
            (false, _) => Some(1),
            (true, Num::Int(bits, _)) => Some(truncate(u64::MAX, bits)),
            _ => None,
        }
    }

    fn map1(&self, a: ExprId, f: impl Fn(u64) -> Option<u64>) -> Option<Value> {
        match self.eval(a)? {
            Value::Bits(x) => f(x).map(Value::Bits),
            Value::Lanes(lanes) => lanes.into_iter().map(f).collect::<Option<_>>().map(Value::Lanes),
            _ => None,
        }
    }

    /// The same; any address becomes `address`.
    fn map1_or(&self, a: ExprId, address: u64, f: impl Fn(u64) -> Option<u64>) -> Option<Value> {
        match self.eval(a)? {
            Value::Address(..) => Some(Value::Bits(address)),
            Value::Bits(x) => f(x).map(Value::Bits),
            Value::Lanes(lanes) => lanes.into_iter().map(f).collect::<Option<_>>().map(Value::Lanes),
            Value::Object(..) => None,
        }
    }

    fn map2(&self, a: ExprId, b: ExprId, f: impl Fn(u64, u64) -> Option<u64>) -> Option<Value> {
        Some(match (self.eval(a)?, self.eval(b)?) {
            (Value::Bits(x), Value::Bits(y)) => Value::Bits(f(x, y)?),
            (Value::Lanes(x), Value::Lanes(y)) => {
                Value::Lanes(x.into_iter().zip(y).map(|(x, y)| f(x, y)).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    fn compare_pointers(&self, op: CmpOp, a: ExprId, b: ExprId) -> Option<Value> {
        let order = match (self.eval(a)?, self.eval(b)?) {
            (Value::Address(x, p), Value::Address(y, q)) if x == y => p.cmp(&q),
            (Value::Bits(p), Value::Bits(q)) => p.cmp(&q),
            (Value::Address(..), Value::Bits(0)) => std::cmp::Ordering::Greater,
            (Value::Bits(0), Value::Address(..)) => std::cmp::Ordering::Less,
            _ => return None,
        };
        Some(Value::Bits(u64::from(holds(op, order))))
    }

    fn eval_convert(&self, kind: ConvKind, a: ExprId, to: Ty) -> Option<Value> {
        let from = self.f.exprs[a].ty;
        match kind {
            ConvKind::Arith { sat, rm } => {
                let (from, to) = (self.elem_num(from)?, self.elem_num(to)?);
                self.map1(a, |x| Some(convert(x, from, to, sat, rm)))
            }
            ConvKind::ToBool => {
                let num = self.num(from);
                self.map1_or(a, 1, |x| Some(u64::from(is_true(x, num))))
            }
            ConvKind::Splat => {
                let Value::Bits(bits) = self.eval(a)? else { return None };
                let lanes = self.unit.types.lanes(to).1;
                Some(Value::Lanes(vec![bits; usize::from(lanes)]))
            }
            ConvKind::Pointer => self.eval(a),
            ConvKind::PointerInt => match (self.eval(a)?, self.num(from), self.num(to)) {
                (Value::Bits(bits), Some(Num::Int(width, true)), None) => {
                    Some(Value::Bits(sign_extend(bits, width) as u64))
                }
                (Value::Bits(bits), _, Some(Num::Int(width, _))) => Some(Value::Bits(truncate(bits, width))),
                (Value::Bits(bits), _, _) => Some(Value::Bits(bits)),
                // An address keeps its meaning only in 64 bits.
                (address @ Value::Address(..), _, None | Some(Num::Int(64, _))) => Some(address),
                _ => None,
            },
            ConvKind::Void => None,
        }
    }

    fn eval_as_type(&self, a: ExprId, to: Ty) -> Option<Value> {
        let from = self.f.exprs[a].ty;
        let bytes_of = |ty: Ty| self.size_of(self.unit.types.lanes(ty).0).map(|n| n as usize);
        let (from_bytes, to_bytes) = (bytes_of(from)?, bytes_of(to)?);
        let lanes = match self.eval(a)? {
            Value::Bits(bits) => vec![bits],
            Value::Lanes(lanes) => lanes,
            _ => return None,
        };
        let mut memory: Vec<u8> = lanes.iter().flat_map(|bits| bits.to_le_bytes()[..from_bytes].to_vec()).collect();
        memory.resize(self.size_of(to)? as usize, 0);
        let count = usize::from(self.unit.types.lanes(to).1);
        let read = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        let out: Vec<u64> = memory.chunks(to_bytes.max(1)).take(count).map(read).collect();
        if self.is_vector(to) { Some(Value::Lanes(out)) } else { Some(Value::Bits(*out.first()?)) }
    }

    fn eval_builtin(&self, builtin: &Builtin, args: &[ExprId], ty: Ty) -> Option<Value> {
        match (builtin, args) {
            (Builtin::Op(Op::Fma, _, attr), &[a, b, c]) => {
                let Some(Num::Float(bits)) = self.elem_num(ty) else { return None };
                let format = Format::of_bits(bits);
                Some(match (self.eval(a)?, self.eval(b)?, self.eval(c)?) {
                    (Value::Bits(a), Value::Bits(b), Value::Bits(c)) => Value::Bits(sf::fma(format, a, b, c, attr.rm)),
                    (Value::Lanes(a), Value::Lanes(b), Value::Lanes(c)) => Value::Lanes(
                        a.into_iter().zip(b).zip(c).map(|((a, b), c)| sf::fma(format, a, b, c, attr.rm)).collect(),
                    ),
                    _ => return None,
                })
            }
            (Builtin::Op(Op::Fabs, ..), &[a]) => {
                let Some(Num::Float(bits)) = self.elem_num(ty) else { return None };
                self.map1(a, |x| Some(x & (truncate(u64::MAX, bits) >> 1)))
            }
            _ => None,
        }
    }

    // ---- memory

    fn eval_place(&self, place: PlaceId) -> Option<(VarId, i64)> {
        let p = &self.f.places[place];
        match &p.kind {
            PlaceKind::Var(var) => Some((*var, 0)),
            PlaceKind::Deref(e) => match self.eval(*e)? {
                Value::Address(var, at) => Some((var, at)),
                _ => None,
            },
            PlaceKind::Field(base, n) => {
                let (var, at) = self.eval_place(*base)?;
                let TyKind::Record(record) = *self.kind(self.f.places[*base].ty) else { return None };
                let field = self.unit.types.records[record].fields.get(*n as usize)?;
                Some((var, at.checked_add(i64::try_from(field.offset).ok()?)?))
            }
            PlaceKind::Index(base, index) => {
                let (var, at) = self.eval_place(*base)?;
                let offset = self.eval_int(*index)?.checked_mul(i128::from(self.size_of(p.ty)?))?;
                Some((var, i64::try_from(i128::from(at).checked_add(offset)?).ok()?))
            }
            PlaceKind::Lanes(base, lanes) => {
                let &[lane] = lanes.as_slice() else { return None };
                let (var, at) = self.eval_place(*base)?;
                Some((var, at.checked_add(i64::from(lane) * i64::try_from(self.size_of(p.ty)?).ok()?)?))
            }
            PlaceKind::Local(_) | PlaceKind::WgVar(_) | PlaceKind::Temp(_) => None,
        }
    }

    fn eval_load(&self, place: PlaceId) -> Option<Value> {
        if let PlaceKind::Lanes(base, lanes) = &self.f.places[place].kind
            && lanes.len() > 1
        {
            let Value::Lanes(from) = self.eval_load(*base)? else { return None };
            return Some(Value::Lanes(
                lanes.iter().map(|&lane| from.get(usize::from(lane)).copied().unwrap_or(0)).collect(),
            ));
        }
        let ty = self.f.places[place].ty;
        let (var, at) = self.eval_place(place)?;
        let v = &self.unit.vars[var];
        if v.is_extern || v.space != AddrSpace::Constant {
            return None;
        }
        let size = self.size_of(ty)?;
        let at = u64::try_from(at).ok()?;
        if at.checked_add(size)? > self.size_of(v.ty)? {
            return None;
        }
        if let Some(&(_, target, addend)) = v.relocs.iter().find(|&&(offset, ..)| offset == at) {
            return self.is_pointer(ty).then_some(Value::Address(target, addend));
        }
        if v.relocs.iter().any(|&(offset, ..)| offset < at + size && at < offset + 8) && !self.is_record(ty) {
            return None;
        }
        let byte = |i: u64| v.bytes.get(usize::try_from(at + i).unwrap_or(usize::MAX)).copied().unwrap_or(0);
        let read = |from: u64, n: u64| (0..n.min(8)).rev().fold(0u64, |bits, i| bits << 8 | u64::from(byte(from + i)));
        match *self.kind(ty) {
            TyKind::Vector { elem, lanes } => {
                let n = self.size_of(elem)?;
                Some(Value::Lanes((0..u64::from(lanes)).map(|lane| read(lane * n, n)).collect()))
            }
            TyKind::Record(_) => Some(Value::Object(var, at)),
            _ if ty == Types::VOID => None,
            _ => Some(Value::Bits(read(0, size))),
        }
    }
}

fn is_true(bits: u64, num: Option<Num>) -> bool {
    match num {
        Some(Num::Float(width)) => bits & (truncate(u64::MAX, width) >> 1) != 0,
        _ => bits != 0,
    }
}

fn unary(op: UnOp, x: u64, num: Num) -> u64 {
    match (op, num) {
        (UnOp::Neg, Num::Float(bits)) => sf::neg(Format::of_bits(bits), x),
        (UnOp::Neg, Num::Int(bits, _)) => truncate(x.wrapping_neg(), bits),
        (UnOp::Not, Num::Int(bits, _)) => truncate(!x, bits),
        _ => x,
    }
}

fn binary(op: BinOp, x: u64, y: u64, num: Num, rm: Rounding) -> Option<u64> {
    match num {
        Num::Float(bits) => {
            let f = Format::of_bits(bits);
            Some(match op {
                BinOp::Add => sf::add(f, x, y, rm),
                BinOp::Sub => sf::sub(f, x, y, rm),
                BinOp::Mul => sf::mul(f, x, y, rm),
                BinOp::Div => sf::div(f, x, y, rm),
                BinOp::Rem => sf::rem(f, x, y),
                _ => return None,
            })
        }
        Num::Bool => None,
        Num::Int(bits, signed) => {
            let (sx, sy) = (sign_extend(x, bits), sign_extend(y, bits));
            let amount = (y % u64::from(bits)) as u32;
            let result = match op {
                BinOp::Add => x.wrapping_add(y),
                BinOp::Sub => x.wrapping_sub(y),
                BinOp::Mul => x.wrapping_mul(y),
                BinOp::Div | BinOp::Rem if y == 0 => return None,
                BinOp::Div if signed => sx.wrapping_div(sy) as u64,
                BinOp::Div => x / y,
                BinOp::Rem if signed => sx.wrapping_rem(sy) as u64,
                BinOp::Rem => x % y,
                BinOp::And => x & y,
                BinOp::Or => x | y,
                BinOp::Xor => x ^ y,
                BinOp::Shl => x << amount,
                BinOp::Shr if signed => (sx >> amount) as u64,
                BinOp::Shr => x >> amount,
            };
            Some(truncate(result, bits))
        }
    }
}

fn holds(op: CmpOp, order: std::cmp::Ordering) -> bool {
    match op {
        CmpOp::Eq => order.is_eq(),
        CmpOp::Ne => order.is_ne(),
        CmpOp::Lt => order.is_lt(),
        CmpOp::Le => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        CmpOp::Ge => order.is_ge(),
    }
}

fn compare(op: CmpOp, x: u64, y: u64, num: Num) -> bool {
    match num {
        Num::Float(bits) => {
            let f = Format::of_bits(bits);
            match sf::to_f64(f, x).partial_cmp(&sf::to_f64(f, y)) {
                Some(order) => holds(op, order),
                None => op == CmpOp::Ne,
            }
        }
        Num::Int(bits, true) => holds(op, sign_extend(x, bits).cmp(&sign_extend(y, bits))),
        Num::Int(..) | Num::Bool => holds(op, x.cmp(&y)),
    }
}

/// A number in another type.
fn convert(x: u64, from: Num, to: Num, sat: bool, rm: Rounding) -> u64 {
    let range = |bits: u8, signed: bool| {
        let span = 1i128 << bits;
        if signed { (-(span / 2), span / 2 - 1) } else { (0, span - 1) }
    };
    let as_int = || match from {
        Num::Int(bits, true) => i128::from(sign_extend(x, bits)),
        _ => i128::from(x),
    };
    match (from, to) {
        (Num::Float(a), Num::Float(b)) => sf::convert(Format::of_bits(a), Format::of_bits(b), x, rm),
        (Num::Float(a), Num::Int(bits, signed)) => {
            // As `Emitter::convert_lanes` has it; NaN to zero.
            let (low, high) = if sat || bits >= 32 { range(bits, signed) } else { range(32, true) };
            let int = sf::to_int(Format::of_bits(a), x, rm).map_or(0, |int| int.clamp(low, high));
            truncate(int as u64, bits)
        }
        (_, Num::Float(b)) => {
            let int = as_int();
            sf::from_int(Format::of_bits(b), int < 0, int.unsigned_abs() as u64, rm)
        }
        (_, Num::Int(bits, signed)) => {
            let (low, high) = range(bits, signed);
            let value = if sat { as_int().clamp(low, high) } else { as_int() };
            truncate(value as u64, bits)
        }
        (from, Num::Bool) => u64::from(is_true(x, Some(from))),
    }
}
