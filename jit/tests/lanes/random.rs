//! Random functions in lane form, and their inputs.

use clift_jit::ir::collective::CollectiveOp;
use clift_jit::ir::op::Flags;
use clift_jit::ir::{Attr, Builder, FloatPred, Func, Imm, IntPred, Op, Rounding, Scalar, SlotId, Term, Type, Value};
use clift_jit::launch::AddrSpace;

/// Runs of the function's body.
pub const ITEMS: u64 = 4;
/// What each run may write to the output.
pub const OUT_BYTES: u32 = 1024;
/// Size of the buffer that is read and written at random.
pub const DATA_BYTES: u64 = 1024;
/// Bytes of input for each kind of element.
const KIND_BYTES: usize = 1024;

const KINDS: [Scalar; 7] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];

pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Numbers of each kind, limits and other special ones among them.
pub fn inputs(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for kind in KINDS {
        let start = bytes.len();
        let bits = kind.bits();
        while bytes.len() < start + KIND_BYTES {
            let v = if kind.is_float() { special_float(kind, rng) } else { special_int(bits, rng) };
            bytes.extend_from_slice(&v.to_le_bytes()[..kind.bytes() as usize]);
        }
    }
    bytes
}

fn special_int(bits: u32, rng: &mut Rng) -> u64 {
    let ones = u64::MAX >> (64 - bits);
    match rng.below(4) {
        0 => rng.of(&[0, 1, 2, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) + 2]),
        1 => rng.next() % 100,
        2 => (1u64 << rng.below(bits as usize)).wrapping_sub(rng.next() & 1),
        _ => rng.next(),
    }
}

fn special_float(kind: Scalar, rng: &mut Rng) -> u64 {
    let x = match rng.below(8) {
        0 => rng.of(&[0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
        1 => {
            let limit = 2f64.powi(rng.of(&[7, 8, 15, 16, 31, 32, 63, 64]));
            rng.of(&[limit, -limit, limit - 1.0, limit - 0.5, -limit - 1.0, limit + 1.0, 1.0 - limit])
        }
        2 | 3 => (rng.next() % 2000) as f64 / 8.0 - 125.0,
        4 => rng.of(&[f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), 1e-45, 65504.0, 65520.0, 6e-8, 1e300, 1e-310]),
        _ => {
            return match kind {
                // Most patterns lie near one.
                Scalar::F32 if rng.below(2) == 0 => 0x3f00_0000 + rng.next() % 0x100_0000,
                Scalar::F64 if rng.below(2) == 0 => 0x3fe0_0000_0000_0000 + rng.next() % (1 << 54),
                _ => rng.next(),
            };
        }
    };
    match kind {
        Scalar::F16 => u64::from(half::f16::from_f64(x).to_bits()),
        Scalar::F32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

/// Builds the body. Every vector has `n` lanes but some on the way through a shuffle.
struct Gen<'f> {
    rng: Rng,
    b: Builder<'f>,
    n: u8,
    /// Values known here.
    scope: Vec<Value>,
    /// Base of the data buffer.
    data: Value,
    slot: SlotId,
    depth: u32,
}

/// `fn(args, env, g0, g1)`: for each i from g0 to g1 reads inputs, computes, writes all it knows.
pub fn function(seed: u64) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(format!("lanes{seed}"), vec![ptr, ptr, Type::I64, Type::I64], None);
    func.is_lanes = true;
    let slot = func.slots.push(clift_jit::ir::Slot::new("memory".into(), 1024, 16));
    let entry = func.entry();
    let params = func.blocks[entry].params.clone();
    let (head, work, exit) = (func.add_block(), func.add_block(), func.add_block());
    let i = func.add_param(head, Type::I64);
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let [input, data, output] = [0, 8, 16].map(|at| {
        let at = b.ptr_off(params[0], at);
        b.load(Type::ptr(AddrSpace::Global), at, invariant)
    });
    b.jump(head, &[params[2]]);
    b.enter(head);
    let more = b.icmp(IntPred::ULt, i, params[3]);
    b.branch(more, work, exit);
    b.enter(work);
    let mut rng = Rng(seed);
    let n = rng.of(&[4, 8, 8, 16, 16, 2, 32]);
    let mut g = Gen { rng, b, n, scope: vec![i], data, slot, depth: 0 };
    let slot_base = g.b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
    let (fill, size) = (g.b.bits(Type::I8, 0x3a), g.b.i64(1024));
    g.b.push(Op::Memset, None, &[slot_base, fill, size], Imm::None, Attr::default());
    for (k, kind) in KINDS.into_iter().enumerate() {
        let ty = Type::scalar(kind).with_lanes(n);
        // The last run's vector may be the last one of its kind's inputs.
        let room = KIND_BYTES as u32 - ty.bytes();
        let step = room / (ITEMS as u32 - 1) / kind.bytes() * kind.bytes();
        for _ in 0..2 {
            let back = g.rng.below(3) as u32 * kind.bytes() * 4;
            let at = (k * KIND_BYTES) as i64 + i64::from(room - (ITEMS as u32 - 1) * step);
            let at = at - i64::from(back.min(room - (ITEMS as u32 - 1) * step));
            let at = g.b.ptr_add(input, i, step, at);
            let v = g.b.load(ty, at, Attr::default());
            let v = g.number(v);
            g.scope.push(v);
        }
    }
    g.region(12);
    g.region(12);
    let mut at = 0;
    for v in g.scope.clone().into_iter().rev() {
        let ty = g.b.func.ty(v);
        let v = if ty.elem == Scalar::I1 { g.b.convert(Op::Zext, ty.with_elem(Scalar::I8), v) } else { v };
        let bytes = g.b.func.ty(v).bytes();
        if at + bytes <= OUT_BYTES {
            let to = g.b.ptr_add(output, i, OUT_BYTES, i64::from(at));
            g.b.store(to, v, Attr::default());
            at += bytes;
        }
    }
    let one = g.b.i64(1);
    let next = g.b.op(Op::Add, &[i, one]);
    g.b.jump(head, &[next]);
    g.b.enter(exit);
    g.b.end(Term::Ret(None));
    func
}

impl Gen<'_> {
    fn vector(&mut self) -> Type {
        let n = self.n;
        Type::scalar(self.rng.of(&KINDS)).with_lanes(n)
    }

    /// A value of this type: from scope if there is one, else made of a scalar or a constant.
    fn value(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> = self.scope.iter().copied().filter(|&v| self.b.func.ty(v) == ty).collect();
        if !fitting.is_empty() && self.rng.below(8) != 0 {
            return self.rng.of(&fitting);
        }
        if ty.is_vector() && self.rng.below(2) == 0 {
            let scalar = self.value(ty.lane());
            return self.b.convert(Op::Splat, ty, scalar);
        }
        let bits = match self.rng.below(3) {
            0 => self.rng.next(),
            1 if ty.is_float() => special_float(ty.elem, &mut self.rng),
            1 => special_int(ty.elem.bits(), &mut self.rng),
            _ => self.rng.next() % 70,
        };
        let v = self.b.bits(ty, bits);
        self.number(v)
    }

    fn mask(&mut self) -> Value {
        let ty = Type::I1.with_lanes(self.n);
        match self.rng.below(12) {
            0..3 => self.b.bits(ty, 1),
            3 => self.b.bits(ty, 0),
            _ => self.value(ty),
        }
    }

    /// NaNs have no agreed bits: a float result that is NaN becomes 1.
    fn number(&mut self, v: Value) -> Value {
        let ty = self.b.func.ty(v);
        let one = match ty.elem {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => 0x3f80_0000,
            Scalar::F64 => 0x3ff0_0000_0000_0000,
            _ => return v,
        };
        let nan = self.b.fcmp(FloatPred::Uno, v, v);
        let one = self.b.bits(ty, one);
        self.b.op(Op::Select, &[nan, one, v])
    }

    fn attr(&mut self) -> Attr {
        let rm = self.rng.of(&[Rounding::Rte, Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn]);
        Attr { rm, ..Attr::default() }
    }

    fn region(&mut self, steps: usize) {
        for _ in 0..steps {
            if let Some(v) = self.step() {
                let v = self.number(v);
                self.scope.push(v);
            }
            if self.depth < 2 && self.rng.below(14) == 0 {
                self.depth += 1;
                if self.rng.below(2) == 0 {
                    self.while_any()
                } else {
                    self.if_any()
                }
                self.depth -= 1;
            }
        }
    }

    /// Several ops of which all but the last have one user: code generators make fewer instructions of them.
    fn compound(&mut self, ty: Type) -> Value {
        use Op::*;
        let bitwise = |this: &mut Self, ty: Type, leaves: &[Value]| {
            let mut nodes: Vec<Value> = (0..this.rng.below(5) + 2).map(|_| this.rng.of(leaves)).collect();
            while let Some(a) = nodes.pop() {
                let a = if this.rng.below(4) == 0 { this.b.op(Not, &[a]) } else { a };
                let Some(b) = nodes.pop() else { return a };
                let op = this.rng.of(&[And, Or, Xor]);
                let v = this.b.op(op, &[a, b]);
                let at = this.rng.below(nodes.len() + 1);
                nodes.insert(at, v);
            }
            this.value(ty)
        };
        let masks = Type::I1.with_lanes(self.n);
        let of_two = |this: &mut Self| {
            let (a, b) = (this.value(ty), this.value(ty));
            if ty.is_float() {
                let pred = this.rng.of(&[FloatPred::OLt, FloatPred::OGt, FloatPred::ULe, FloatPred::UNe]);
                return (a, b, this.b.fcmp(pred, a, b));
            }
            let pred = this.rng.of(&[IntPred::Eq, IntPred::Ne, IntPred::SLt, IntPred::UGe]);
            if matches!(pred, IntPred::Eq | IntPred::Ne) {
                let (both, zero) = (this.b.op(And, &[a, b]), this.b.bits(ty, 0));
                return (a, b, this.b.icmp(pred, both, zero));
            }
            (a, b, this.b.icmp(pred, a, b))
        };
        match self.rng.below(5) {
            0 if ty.is_int() => {
                let trivial = self.rng.of(&[0, u64::MAX >> (64 - ty.elem.bits())]);
                let mut leaves: Vec<Value> = (0..4).map(|_| self.value(ty)).collect();
                leaves.push(self.b.bits(ty, trivial));
                let n = self.rng.below(4) + 2;
                bitwise(self, ty, &leaves[5 - n..])
            }
            1 => {
                let (.., compared) = of_two(self);
                let leaves = [self.mask(), self.mask(), compared];
                bitwise(self, masks, &leaves)
            }
            2 => {
                let (a, b, compared) = of_two(self);
                let mask = self.mask();
                let both = if self.rng.below(2) == 0 { [mask, compared] } else { [compared, mask] };
                let mask = self.b.op(And, &both);
                self.b.op(Select, &[mask, a, b])
            }
            3 => {
                let (a, b, compared) = of_two(self);
                if self.rng.below(2) == 0 {
                    self.b.op(Select, &[compared, a, b])
                } else {
                    self.b.op(Select, &[compared, b, a])
                }
            }
            _ => {
                let mask = self.mask();
                let args = [self.value(ty), self.value(ty), self.value(ty)];
                let attr = self.attr();
                let (op, n) = if ty.is_float() {
                    self.rng.of(&[(Fadd, 2), (Fsub, 2), (Fmul, 2), (Fdiv, 2), (Fma, 3), (Fma, 3), (Sqrt, 1), (Fabs, 1)])
                } else {
                    let ops = [Add, Sub, Mul, And, Or, Xor, MinS, MaxU, Not, Neg, AbsS, Shl];
                    let op = self.rng.of(&ops);
                    (op, if matches!(op, Not | Neg | AbsS) { 1 } else { 2 })
                };
                let rounds = matches!(op, Fadd | Fsub | Fmul | Fdiv | Fma);
                let v = self.b.op_attr(op, &args[..n], if rounds { attr } else { Attr::default() });
                let other = match self.rng.below(4) {
                    0 | 1 => args[n - 1],
                    2 => self.b.bits(ty, 0),
                    _ => self.value(ty),
                };
                self.b.op(Select, &[mask, v, other])
            }
        }
    }

    fn step(&mut self) -> Option<Value> {
        use Op::*;
        let ty = self.vector();
        let attr = self.attr();
        Some(match self.rng.below(24) {
            20..=23 => self.compound(ty),
            0 if ty.elem == Scalar::I32 => {
                let op = self.rng.of(&[Dot4Uu, Dot4Ss, Dot4Us]);
                let args = [self.value(ty), self.value(ty)];
                let dot = self.b.op(op, &args);
                // Machines have instructions that add as well.
                let other = if self.rng.below(3) == 0 { self.b.op(op, &[args[1], args[0]]) } else { self.value(ty) };
                if self.rng.below(2) == 0 { dot } else { self.b.op(Add, &[other, dot]) }
            }
            0..=3 if ty.is_int() => {
                let op = self.rng.of(&[
                    Add, Sub, Mul, MulHiS, MulHiU, DivS, DivU, RemS, RemU, And, Or, Xor, Shl, Lshr, Ashr, Rotl, MinS,
                    MinU, MaxS, MaxU, AddSatS, AddSatU, SubSatS, SubSatU, HaddS, HaddU, RhaddS, RhaddU, Not, Neg, Clz,
                    Ctz, Popcnt, Bitrev, Bswap, AbsS,
                ]);
                let args = [self.value(ty), self.value(ty)];
                let unary = matches!(op, Not | Neg | Clz | Ctz | Popcnt | Bitrev | Bswap | AbsS);
                self.b.op(op, if unary { &args[..1] } else { &args })
            }
            0..=3 => {
                let op = self.rng.of(&[
                    Fadd, Fsub, Fmul, Fdiv, Fma, Frem, Copysign, Fmin, Fmax, Fneg, Fabs, Sqrt, Ceil, Floor, Trunc, Rint,
                ]);
                let args = [self.value(ty), self.value(ty), self.value(ty)];
                let attr = if matches!(op, Fadd | Fsub | Fmul | Fdiv | Fma) { attr } else { Attr::default() };
                let n = match op {
                    Fma => 3,
                    Fneg | Fabs | Sqrt | Ceil | Floor | Trunc | Rint => 1,
                    _ => 2,
                };
                self.b.op_attr(op, &args[..n], attr)
            }
            4 | 5 => {
                let (a, b) = (self.value(ty), self.value(ty));
                if ty.is_float() {
                    use FloatPred::*;
                    let preds = [OEq, ONe, OLt, OLe, OGt, OGe, Ord, UEq, UNe, ULt, ULe, UGt, UGe, Uno];
                    let pred = self.rng.of(&preds);
                    self.b.fcmp(pred, a, b)
                } else {
                    use IntPred::*;
                    let pred = self.rng.of(&[Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe]);
                    self.b.icmp(pred, a, b)
                }
            }
            6 => {
                let cond = if self.rng.below(4) == 0 { self.value(Type::I1) } else { self.mask() };
                let ty = if self.rng.below(6) == 0 { Type::I1.with_lanes(self.n) } else { ty };
                let args = [cond, self.value(ty), self.value(ty)];
                self.b.op(Select, &args)
            }
            7 => {
                let args = [self.mask(), self.mask()];
                let op = self.rng.of(&[And, Or, Xor, Not]);
                self.b.op(op, if op == Not { &args[..1] } else { &args })
            }
            8 if ty.is_int() => {
                let mask = self.mask();
                self.b.convert(self.rng.of(&[Sext, Zext]), ty, mask)
            }
            8..=10 => {
                let from = self.vector();
                let source = self.value(from);
                let op = match (from.is_float(), ty.is_float(), from.elem.bits().cmp(&ty.elem.bits())) {
                    (true, true, std::cmp::Ordering::Less) => Fpext,
                    (true, true, std::cmp::Ordering::Greater) => Fptrunc,
                    (true, false, _) => self.rng.of(&[Fptosi, Fptoui]),
                    (false, true, _) => self.rng.of(&[Sitofp, Uitofp]),
                    (false, false, std::cmp::Ordering::Less) => self.rng.of(&[Sext, Zext]),
                    (false, false, std::cmp::Ordering::Greater) => Trunci,
                    _ => return self.truth(source),
                };
                let attr = if op == Fpext { Attr::default() } else { attr };
                self.b.typed(op, ty, &[source], Imm::None, attr)
            }
            11 => {
                let from = self.vector();
                if from.elem.bits() != ty.elem.bits() {
                    return None;
                }
                let source = self.value(from);
                self.b.convert(Bitcast, ty, source)
            }
            12 => return self.arrange(ty),
            13 => {
                let mask = self.mask();
                match self.rng.below(3) {
                    0 => self.b.convert(MaskAny, Type::I1, mask),
                    1 => self.b.convert(MaskAll, Type::I1, mask),
                    _ => self.b.convert(MaskBits, Type::I64, mask),
                }
            }
            14 => {
                let by = self.rng.of(&CollectiveOp::ALL);
                if by.is_float() != ty.is_float() {
                    return None;
                }
                let v = self.value(ty);
                self.b.typed(Reduce, ty.lane(), &[v], Imm::Collective(by), Attr::default())
            }
            15 if ty.is_int() && self.rng.below(2) == 0 => self.b.typed(Iota, ty, &[], Imm::None, Attr::default()),
            15 => {
                let index = self.value(ty.with_elem(ty.elem.as_int()));
                let [a, b] = [(); 2].map(|()| self.value(ty));
                self.b.typed(Permute, ty, &[a, b, index], Imm::None, Attr::default())
            }
            16 => {
                let ptr = self.place(ty);
                if self.rng.below(2) == 0 {
                    return Some(self.b.load(ty, ptr, Attr::default()));
                }
                let v = self.value(ty);
                self.b.store(ptr, v, Attr::default());
                return None;
            }
            17 => return self.masked(ty),
            _ => return self.indexed(ty),
        })
    }

    /// Bit 0 of integers.
    fn truth(&mut self, v: Value) -> Option<Value> {
        let ty = self.b.func.ty(v);
        ty.is_int().then(|| self.b.convert(Op::Trunci, ty.with_elem(Scalar::I1), v))
    }

    fn arrange(&mut self, ty: Type) -> Option<Value> {
        use Op::*;
        let n = self.n;
        let ty = if self.rng.below(8) == 0 { Type::I1.with_lanes(n) } else { ty };
        let at = self.rng.below(usize::from(n)) as u8;
        let shuffle = |g: &mut Self, n: u8, a: Value, b: Value, picks: Vec<u8>| {
            g.b.typed(Shuffle, ty.with_lanes(n), &[a, b], Imm::Lanes(picks.into()), Attr::default())
        };
        Some(match self.rng.below(8) {
            // Lanes taken out and put together again: records of four, as transposed or at random.
            6 | 7 => {
                let [a, b, c, d] = [(); 4].map(|()| self.value(ty));
                let (kind, first) = (self.rng.below(3), self.rng.below(4));
                let n = usize::from(n);
                let lanes: Vec<Value> = (0..n)
                    .map(|i| {
                        let place = match kind {
                            0 => 4 * i + first,
                            1 => i % 4 * n + (i / 4 + first) % n,
                            _ => self.rng.below(4 * n),
                        };
                        let from = [a, b, c, d][place / n % 4];
                        let lane = Imm::Lane((place % n) as u8);
                        self.b.typed(Extract, ty.lane(), &[from], lane, Attr::default())
                    })
                    .collect();
                self.b.typed(Build, ty, &lanes, Imm::None, Attr::default())
            }
            0 => {
                let args = [self.value(ty), self.value(ty.lane())];
                self.b.typed(Insert, ty, &args, Imm::Lane(at), Attr::default())
            }
            1 => {
                let v = self.value(ty);
                self.b.typed(Extract, ty.lane(), &[v], Imm::Lane(at), Attr::default())
            }
            2 => {
                let lanes: Vec<Value> = (0..n).map(|_| self.value(ty.lane())).collect();
                self.b.typed(Build, ty, &lanes, Imm::None, Attr::default())
            }
            3 => {
                let (a, b) = (self.value(ty), self.value(ty));
                let picks = (0..n).map(|_| self.rng.below(2 * usize::from(n)) as u8).collect();
                shuffle(self, n, a, b, picks)
            }
            // To records of two or four and back.
            4 if n <= 16 => {
                let [a, b, c, d] = [(); 4].map(|()| self.value(ty));
                let zip: Vec<u8> = (0..2 * n).map(|i| i / 2 + i % 2 * n).collect();
                let (ac, bd) = (shuffle(self, 2 * n, a, c, zip.clone()), shuffle(self, 2 * n, b, d, zip));
                let zip: Vec<u8> = (0..4 * n).map(|i| i / 2 + i % 2 * 2 * n).collect();
                let all = shuffle(self, 4 * n, ac, bd, zip);
                let (stride, first) = (self.rng.of(&[2, 3, 4]), self.rng.below(2) as u8);
                shuffle(self, n, all, all, (0..n).map(|i| i * stride + first).collect())
            }
            _ => {
                let (v, index) = (self.value(ty), self.value(Type::I32));
                self.b.typed(ExtractDyn, ty.lane(), &[v, index], Imm::None, Attr::default())
            }
        })
    }

    // ---- memory

    /// An address in the slot or the data buffer with room for a vector.
    fn place(&mut self, ty: Type) -> Value {
        let at = self.rng.next() % (DATA_BYTES - u64::from(ty.bytes()) + 1);
        let base = match self.rng.below(2) {
            0 => self.data,
            _ => {
                let ty = Type::ptr(AddrSpace::Private);
                self.b.typed(Op::SlotAddr, ty, &[], Imm::Slot(self.slot), Attr::default())
            }
        };
        self.b.ptr_off(base, at as i64)
    }

    /// A mask of the first `k` lanes at most.
    fn mask_below(&mut self, k: u8) -> Value {
        let ty = Type::I32.with_lanes(self.n);
        let iota = self.b.typed(Op::Iota, ty, &[], Imm::None, Attr::default());
        let k = self.b.bits(ty, u64::from(k));
        let below = self.b.icmp(IntPred::ULt, iota, k);
        if self.rng.below(2) == 0 {
            return below;
        }
        let mask = self.mask();
        self.b.op(Op::And, &[below, mask])
    }

    /// A masked access whose upper lanes may lie behind the end of the data.
    fn masked(&mut self, ty: Type) -> Option<Value> {
        let size = ty.elem.bytes();
        let (ptr, mask) = if self.rng.below(3) == 0 {
            (self.place(ty), self.mask())
        } else {
            let k = self.rng.below(usize::from(self.n) + 1) as u8;
            let at = DATA_BYTES as i64 - i64::from(u32::from(k) * size);
            (self.b.ptr_off(self.data, at), self.mask_below(k))
        };
        let v = self.value(ty);
        if self.rng.below(2) == 0 {
            return Some(self.b.typed(Op::LoadMasked, ty, &[ptr, mask, v], Imm::None, Attr::default()));
        }
        self.b.push(Op::StoreMasked, None, &[ptr, v, mask], Imm::None, Attr::default());
        None
    }

    /// A gather or scatter; lanes whose mask is not set may have any index.
    fn indexed(&mut self, ty: Type) -> Option<Value> {
        let index_ty = Type::scalar(self.rng.of(&[Scalar::I32, Scalar::I32, Scalar::I64])).with_lanes(self.n);
        let mask = self.mask();
        let index = self.value(index_ty);
        let limit = self.b.bits(index_ty, 31);
        let safe = self.b.op(Op::And, &[index, limit]);
        // Three quarters of elements at multiples of one.
        let three = matches!(ty.elem, Scalar::I32 | Scalar::I64) && self.rng.below(3) == 0;
        let quarter = if three { ty.elem.bytes() / 4 } else { 1 };
        let bytes = if three { 3 * quarter } else { ty.elem.bytes() };
        // Counted from the front, or backwards from the end.
        let scale = match three {
            true => quarter * self.rng.of(&[1, 2, 3, 4, 6]),
            false => self.rng.of(&[bytes, 1, 2, 4, 8, 12]),
        };
        let last = DATA_BYTES as i64 - i64::from(bytes);
        let (base, safe, disp) = if self.rng.below(2) == 0 {
            let disp = self.rng.next() as i64 & 255 & -i64::from(quarter);
            (self.data, safe, disp)
        } else {
            let end = self.b.ptr_off(self.data, 2 * last);
            (end, self.b.op(Op::Neg, &[safe]), -last)
        };
        let index = self.b.op(Op::Select, &[mask, safe, index]);
        let v = self.value(ty);
        let imm = Imm::Scale { scale, disp };
        if three {
            let attr = Attr { flags: Flags::THREE, align: quarter as u8, ..Attr::default() };
            let parts = self.b.typed(Op::Gather, ty, &[base, index, mask, v], imm, attr);
            let known = self.b.bits(ty, (1 << (24 * quarter)) - 1);
            return Some(self.b.op(Op::And, &[parts, known]));
        }
        if self.rng.below(2) == 0 {
            return Some(self.b.typed(Op::Gather, ty, &[base, index, mask, v], imm, Attr::default()));
        }
        self.b.push(Op::Scatter, None, &[base, index, v, mask], imm, Attr::default());
        None
    }

    // ---- control flow

    /// `if any(mask)` around a region; what it makes is selected by the mask.
    fn if_any(&mut self) {
        let ty = if self.rng.below(4) == 0 { Type::I1.with_lanes(self.n) } else { self.vector() };
        let [then, join] = [(); 2].map(|()| self.b.func.add_block());
        let result = self.b.func.add_param(join, ty);
        let mask = self.mask();
        let any = self.b.convert(Op::MaskAny, Type::I1, mask);
        let before = self.value(ty);
        let outer = self.scope.len();
        let targets = [(then, vec![]), (join, vec![before])]
            .map(|(block, args)| clift_jit::ir::Target { block, args: args.into_iter().collect() });
        let [to_then, to_join] = targets;
        self.b.end(Term::Br { cond: any, then: to_then, els: to_join });
        self.b.enter(then);
        self.region(5);
        let made = self.value(ty);
        let chosen = self.b.op(Op::Select, &[mask, made, before]);
        self.b.jump(join, &[chosen]);
        self.scope.truncate(outer);
        self.b.enter(join);
        self.scope.push(result);
    }

    /// A loop that lanes leave one after the other: carries a mask and a vector.
    fn while_any(&mut self) {
        let ty = self.vector();
        let [head, exit] = [(); 2].map(|()| self.b.func.add_block());
        let mask_ty = Type::I1.with_lanes(self.n);
        let count = self.b.func.add_param(head, Type::I32);
        let active = self.b.func.add_param(head, mask_ty);
        let carried = self.b.func.add_param(head, ty);
        let (zero, mask, start) = (self.b.i32(0), self.mask(), self.value(ty));
        self.b.jump(head, &[zero, mask, start]);
        self.b.enter(head);
        let outer = self.scope.len();
        self.scope.extend([active, carried, count]);
        self.region(5);
        let made = self.value(ty);
        let next = self.b.op(Op::Select, &[active, made, carried]);
        let go_on = self.mask();
        let still = self.b.op(Op::And, &[active, go_on]);
        let one = self.b.i32(1);
        let count = self.b.op(Op::Add, &[count, one]);
        let limit = self.b.i32(4);
        let more = self.b.icmp(IntPred::SLt, count, limit);
        let any = self.b.convert(Op::MaskAny, Type::I1, still);
        let again = self.b.op(Op::And, &[any, more]);
        self.b.end(Term::Br {
            cond: again,
            then: clift_jit::ir::Target { block: head, args: [count, still, next].into_iter().collect() },
            els: clift_jit::ir::Target::plain(exit),
        });
        self.b.enter(exit);
        // The loop has run at least once, so what it has made is known here.
        if self.rng.below(2) == 0 {
            self.scope.truncate(outer);
        }
        self.scope.extend([still, next]);
    }
}
