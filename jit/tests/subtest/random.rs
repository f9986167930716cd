//! Random KIR programs: valid, in bounds, free of races, with barriers only where all work-items come. Every pure
//! operation of the op table can occur. NaNs are made canonical before their bits can be seen, as payloads are nobody's
//! promise.

use crate::rng::Rng;
use clift_jit::ir::op::{Arity, OPS, RmwOp, TypeRule};
use clift_jit::ir::{
    Attr, Builder, CollectiveOp, Flags, FloatPred, Func, FuncId, Imm, IntPred, LocalVar, Module, Op, Rounding, Scalar,
    Slot, SlotId, Target, Term, Type, Value,
};
use clift_jit::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo};

/// Bytes of the output that each work-item owns.
pub const OUT_BYTES: u64 = 256;
/// Bytes of the input; everyone reads.
pub const IN_BYTES: u64 = 512;
/// Work-items of the largest group.
pub const GROUP: u64 = 4;

const SCALARS: &[Scalar] = &[
    Scalar::I1,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I32,
    Scalar::I64,
    Scalar::F16,
    Scalar::F32,
    Scalar::F32,
    Scalar::F64,
];
const LANES: &[u8] = &[1, 1, 1, 1, 1, 2, 3, 4, 8];

struct Gen<'m> {
    rng: &'m mut Rng,
    module: &'m Module,
    func: Func,
    block: clift_jit::ir::Block,
    pool: Vec<Value>,
    budget: usize,
    /// Callees.
    callees: Vec<FuncId>,
    /// Buffers, if this is the kernel: input, this work-item's output, local memory.
    memory: Option<[Value; 3]>,
    n_slots: u32,
}

/// A module with one kernel, `@k(in, out, local, i32, f32)`, and a few functions.
pub fn module(rng: &mut Rng) -> Module {
    let mut module = Module::default();
    module.locals.push(LocalVar { name: "shared".into(), size: GROUP * 8, align: 8, variable: None });
    for n in 0..rng.below(3) {
        let params: Vec<Type> = (0..rng.below(4)).map(|_| any_type(rng)).collect();
        let ret = if rng.one_in(4) { None } else { Some(any_type(rng)) };
        let callees = module.funcs.keys().collect();
        let func = build(rng, &module, Func::new(format!("f{n}"), params, ret), callees, false);
        module.funcs.push(func);
    }
    let global = Type::ptr(AddrSpace::Global);
    let params = vec![global, global, Type::ptr(AddrSpace::Local), Type::I32, Type::F32];
    let mut kernel = Func::new("k", params, None);
    kernel.is_kernel = true;
    let callees = module.funcs.keys().collect();
    let func = build(rng, &module, kernel, callees, true);
    let kernel = module.funcs.push(func);
    module.kernels.push((info(), kernel));
    module
}

/// What the kernel takes.
fn info() -> KernelInfo {
    let buffer = ArgKind::Buffer { space: AddrSpace::Global };
    let kinds = [(buffer, 8), (buffer, 8), (ArgKind::Local, 8), (ArgKind::Value, 4), (ArgKind::Value, 4)];
    let arg = |(n, (kind, size)): (usize, (ArgKind, usize))| ArgInfo {
        name: format!("a{n}"),
        type_name: String::new(),
        kind,
        offset: 8 * n,
        size,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: 0,
    };
    KernelInfo {
        name: "k".into(),
        args: kinds.into_iter().enumerate().map(arg).collect(),
        arg_block_bytes: 40,
        ..KernelInfo::default()
    }
}

fn any_type(rng: &mut Rng) -> Type {
    let elem = rng.of(SCALARS);
    Type::scalar(elem).with_lanes(rng.of(LANES))
}

fn build(rng: &mut Rng, module: &Module, func: Func, callees: Vec<FuncId>, is_kernel: bool) -> Func {
    let block = func.entry();
    // Some functions are too large to be inlined everywhere.
    let budget = if !is_kernel && rng.one_in(2) { 100 + rng.below(100) } else { 20 + rng.below(60) };
    let mut this = Gen { rng, module, func, block, pool: Vec::new(), budget, callees, memory: None, n_slots: 0 };
    let params = this.func.blocks[block].params.clone();
    if is_kernel {
        let [gid, goff] = [Op::Gid, Op::Goff].map(|op| this.emit(op, Type::I64, &[], Imm::Dim(0)));
        let index = this.emit(Op::Sub, Type::I64, &[gid, goff], Imm::None);
        let own = Imm::Scale { scale: OUT_BYTES as u32, disp: 0 };
        let out = this.emit(Op::PtrAdd, Type::ptr(AddrSpace::Global), &[params[1], index], own);
        this.memory = Some([params[0], out, params[2]]);
        this.pool.extend([params[3], params[4], gid]);
    } else {
        this.pool.extend(&params);
    }
    this.slots();
    this.statements(0, is_kernel);
    if is_kernel {
        for _ in 0..4 {
            this.store_out();
        }
        this.end(Term::Ret(None));
    } else {
        let value = this.func.ret.map(|ty| this.value(ty));
        this.end(Term::Ret(value));
    }
    this.func
}

impl Gen<'_> {
    fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        Builder::new(&mut self.func, self.block).push(op, ty, args, imm, attr)
    }
    fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.push(op, Some(ty), args, imm, Attr::default()).expect("a type was given")
    }
    fn end(&mut self, term: Term) {
        self.func.blocks[self.block].term = term;
    }
    fn start(&mut self, block: clift_jit::ir::Block) {
        self.func.layout.push(block);
        self.block = block;
    }
    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        Builder::new(&mut self.func, self.block).bits(ty, bits)
    }

    /// A constant with a bias to special values.
    fn random_constant(&mut self, ty: Type) -> Value {
        let bits = match (ty.elem, self.rng.below(4)) {
            (Scalar::F16, 0..3) => {
                self.rng.of(&[0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x7bff, 0x0001, 0x7c00, 0x7e00, 0x3555])
            }
            (Scalar::F32, 0..3) => u64::from(
                self.rng
                    .of(&[0.0f32, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, f32::MAX, 1e-45, f32::INFINITY, 0.1, 1e10])
                    .to_bits(),
            ),
            (Scalar::F64, 0..3) => {
                self.rng.of(&[0.0f64, -0.0, 1.0, -1.0, 2.0, 0.25, 3.0, f64::MAX, 5e-324, 0.1]).to_bits()
            }
            (Scalar::F32, _) => u64::from((self.rng.next() as i32 as f32 / 65536.0).to_bits()),
            (Scalar::F64, _) => (self.rng.next() as i32 as f64 / 65536.0).to_bits(),
            (Scalar::F16, _) => self.rng.next() & 0x7bff,
            (_, 0) => self.rng.next(),
            _ => {
                self.rng.of(&[0, 1, 2, 3, 7, 8, 31, 32, 255, u64::MAX, 0x80, 0x8000, 0x8000_0000, 1 << 63, 0x7fff_ffff])
            }
        };
        self.constant(ty, bits)
    }

    /// A value of this type: one there is, or a constant, or one made from another.
    fn value(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> = self.pool.iter().copied().filter(|v| self.func.ty(*v) == ty).collect();
        if !fitting.is_empty() && !self.rng.one_in(6) {
            return self.rng.of(&fitting);
        }
        if ty.is_vector() && self.rng.one_in(2) {
            let lanes: Vec<Value> = (0..ty.lanes).map(|_| self.value(ty.lane())).collect();
            return self.emit(Op::Build, ty, &lanes, Imm::None);
        }
        self.random_constant(ty)
    }

    /// The value with one NaN instead of all.
    fn canonical(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v);
        if !ty.is_float() {
            return v;
        }
        let nan = match ty.elem {
            Scalar::F16 => 0x7e00,
            Scalar::F32 => 0x7fc0_0000,
            _ => 0x7ff8 << 48,
        };
        let nan = self.constant(ty, nan);
        let is_nan = self.emit(Op::Fcmp, ty.with_elem(Scalar::I1), &[v, v], Imm::FloatPred(FloatPred::Uno));
        self.emit(Op::Select, ty, &[is_nan, nan, v], Imm::None)
    }

    fn slots(&mut self) {
        for _ in 0..self.rng.below(4) {
            let size = self.rng.of(&[4u64, 8, 16, 32]);
            let slot = self.func.slots.push(Slot::new(String::new(), size, 16));
            self.n_slots += 1;
            let ptr = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
            let byte = self.constant(Type::I8, 0);
            let n = self.constant(Type::I64, size);
            self.push(Op::Memset, None, &[ptr, byte, n], Imm::None, Attr::default());
        }
    }

    fn statements(&mut self, depth: usize, uniform: bool) {
        let most = match depth {
            0 => self.budget.clamp(14, 40),
            _ => 6,
        };
        let n = 2 + self.rng.below(most);
        for _ in 0..n {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.rng.below(25) {
                0..10 => self.operation(),
                23 => self.generic_access(),
                10 if depth < 3 => self.if_else(depth),
                11 if depth < 3 => self.counted_loop(depth, uniform),
                12 if depth < 3 => self.switch(depth),
                13 | 14 => self.slot_access(),
                15 => self.store_out(),
                16 => self.load_in(),
                17 | 21 => self.call(),
                22 if depth < 3 => self.tangle(depth),
                18 if uniform => self.collective(),
                19 if uniform => self.exchange(),
                20 => self.query(),
                _ => self.convert(),
            }
        }
    }

    fn operation(&mut self) {
        loop {
            let row = &OPS[self.rng.below(OPS.len())];
            // `apart` is gone before there is code.
            if !row.effects.is_empty() || row.op.is_lane_op() || row.op == Op::Apart {
                continue;
            }
            let attr = Attr {
                rm: self.rng.of(&[Rounding::Rte, Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn]),
                ..Attr::default()
            };
            let mut ty = any_type(self.rng);
            let float = matches!(
                row.op,
                Op::Fadd
                    | Op::Fsub
                    | Op::Fmul
                    | Op::Fdiv
                    | Op::Frem
                    | Op::Fma
                    | Op::Fneg
                    | Op::Fabs
                    | Op::Copysign
                    | Op::Sqrt
                    | Op::Ceil
                    | Op::Floor
                    | Op::Trunc
                    | Op::Rint
                    | Op::Fmin
                    | Op::Fmax
                    | Op::Fcmp
            );
            let logic = matches!(row.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Select | Op::Icmp);
            let dot = matches!(row.op, Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us);
            while ty.is_float() != float || (ty.elem == Scalar::I1 && !logic) || dot && ty.elem != Scalar::I32 {
                ty = any_type(self.rng);
            }
            let Arity::Fixed(n) = row.arity else { continue };
            let result = match row.rule {
                TypeRule::Same => {
                    let mut args: Vec<Value> = (0..n).map(|_| self.value(ty)).collect();
                    if row.op == Op::Copysign {
                        args[1] = self.canonical(args[1]);
                    }
                    self.push(row.op, Some(ty), &args, Imm::None, if float { attr } else { Attr::default() })
                }
                TypeRule::Compare => {
                    let args = [self.value(ty), self.value(ty)];
                    let imm = if row.op == Op::Icmp {
                        Imm::IntPred(self.rng.of(&INT_PREDS))
                    } else {
                        Imm::FloatPred(self.rng.of(&FLOAT_PREDS))
                    };
                    self.push(row.op, Some(ty.with_elem(Scalar::I1)), &args, imm, Attr::default())
                }
                TypeRule::Select => {
                    let ty = any_type(self.rng);
                    let cond = if self.rng.one_in(2) { Type::I1 } else { ty.with_elem(Scalar::I1) };
                    let args = [self.value(cond), self.value(ty), self.value(ty)];
                    self.push(row.op, Some(ty), &args, Imm::None, Attr::default())
                }
                _ => continue,
            };
            self.pool.extend(result);
            return;
        }
    }

    /// Conversions and vector operations.
    fn convert(&mut self) {
        let from = any_type(self.rng);
        let ints = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
        let floats = [Scalar::F16, Scalar::F32, Scalar::F64];
        let v = self.value(from);
        let attr =
            Attr { rm: self.rng.of(&[Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn]), ..Attr::default() };
        let to_int = self.rng.of(&ints);
        let to_float = self.rng.of(&floats);
        let (bits, signed) = (from.elem.bits(), self.rng.one_in(2));
        let result = match self.rng.below(8) {
            0..4 if from.is_int() && to_int.bits() > bits => {
                self.emit(if signed { Op::Sext } else { Op::Zext }, from.with_elem(to_int), &[v], Imm::None)
            }
            0..4 if from.is_int() && to_int.bits() < bits => {
                self.emit(Op::Trunci, from.with_elem(to_int), &[v], Imm::None)
            }
            0..4 if from.is_int() && from.elem != Scalar::I1 => {
                let op = if signed { Op::Sitofp } else { Op::Uitofp };
                self.push(op, Some(from.with_elem(to_float)), &[v], Imm::None, attr).expect("typed")
            }
            0..2 if from.is_float() => {
                let op = if signed { Op::Fptosi } else { Op::Fptoui };
                self.push(op, Some(from.with_elem(to_int)), &[v], Imm::None, attr).expect("typed")
            }
            0..4 if from.is_float() && to_float.bits() > bits => {
                self.emit(Op::Fpext, from.with_elem(to_float), &[v], Imm::None)
            }
            0..4 if from.is_float() && to_float.bits() < bits => {
                self.push(Op::Fptrunc, Some(from.with_elem(to_float)), &[v], Imm::None, attr).expect("typed")
            }
            4 if from.is_vector() => {
                let lane = self.rng.below(usize::from(from.lanes)) as u8;
                self.emit(Op::Extract, from.lane(), &[v], Imm::Lane(lane))
            }
            5 if from.is_vector() => {
                let lane = self.rng.below(usize::from(from.lanes)) as u8;
                let s = self.value(from.lane());
                self.emit(Op::Insert, from, &[v, s], Imm::Lane(lane))
            }
            6 if from.is_vector() => {
                let w = self.value(from);
                let n = self.rng.of(&[2u8, 3, 4]);
                let lanes: Vec<u8> = (0..n).map(|_| self.rng.below(2 * usize::from(from.lanes)) as u8).collect();
                self.emit(Op::Shuffle, from.with_lanes(n), &[v, w], Imm::Lanes(lanes.into()))
            }
            7 if from.is_vector() && from.lanes != 3 => {
                let i = self.value(Type::I32);
                self.emit(Op::ExtractDyn, from.lane(), &[v, i], Imm::None)
            }
            _ if from.elem != Scalar::I1 && from.bytes() == 4 => {
                let to = self.rng.of(&[Type::I32, Type::F32, Type::I16.with_lanes(2), Type::I8.with_lanes(4)]);
                let v = self.canonical(v);
                self.emit(Op::Bitcast, to, &[v], Imm::None)
            }
            _ if !from.is_vector() => self.emit(Op::Splat, from.with_lanes(4), &[v], Imm::None),
            _ => return,
        };
        // An int→float bitcast may make any NaN.
        let result = self.canonical(result);
        self.pool.push(result);
    }

    fn if_else(&mut self, depth: usize) {
        let cond = self.value(Type::I1);
        let types: Vec<Type> = (0..self.rng.below(3)).map(|_| any_type(self.rng)).collect();
        let [then, els, end] = std::array::from_fn(|_| self.func.add_block());
        let with_else = self.rng.one_in(2) || !types.is_empty();
        let other = if with_else { els } else { end };
        self.end(Term::Br { cond, then: Target::plain(then), els: Target::plain(other) });
        let mark = self.pool.len();
        for block in [Some(then), with_else.then_some(els)].into_iter().flatten() {
            self.start(block);
            self.statements(depth + 1, false);
            if self.memory.is_none() && self.rng.one_in(8) {
                let value = self.func.ret.map(|ty| self.value(ty));
                self.end(Term::Ret(value));
            } else {
                let args = types.iter().map(|ty| self.value(*ty)).collect();
                self.end(Term::Jump(Target { block: end, args }));
            }
            self.pool.truncate(mark);
        }
        self.start(end);
        for ty in types {
            let p = self.func.add_param(end, ty);
            self.pool.push(p);
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.value(Type::I32);
        let seven = self.constant(Type::I32, 3);
        let value = self.emit(Op::And, Type::I32, &[value, seven], Imm::None);
        let ty = any_type(self.rng);
        let end = self.func.add_block();
        let blocks: Vec<_> = (0..3).map(|_| self.func.add_block()).collect();
        let cases = vec![(0, Target::plain(blocks[0])), (1, Target::plain(blocks[1])), (3, Target::plain(blocks[0]))];
        self.end(Term::Switch { value, cases, default: Target::plain(blocks[2]) });
        let mark = self.pool.len();
        for (n, &block) in blocks.iter().enumerate() {
            self.start(block);
            self.statements(depth + 1, false);
            // The first case falls through to the second, sometimes.
            let v = self.value(ty);
            if n == 0 && self.rng.one_in(3) {
                self.end(Term::Jump(Target::plain(blocks[1])));
            } else {
                self.end(Term::Jump(Target { block: end, args: [v].into_iter().collect() }));
            }
            self.pool.truncate(mark);
        }
        self.start(end);
        let p = self.func.add_param(end, ty);
        self.pool.push(p);
    }

    /// A loop with two entries, as `goto` makes them.
    fn tangle(&mut self, depth: usize) {
        let cond = self.value(Type::I1);
        let zero = self.constant(Type::I32, 0);
        let [x, y, end] = std::array::from_fn(|_| self.func.add_block());
        let to = |block, v: Value| Target { block, args: [v].into_iter().collect() };
        self.end(Term::Br { cond, then: to(x, zero), els: to(y, zero) });
        let mark = self.pool.len();
        self.start(x);
        let i = self.func.add_param(x, Type::I32);
        self.pool.push(i);
        self.statements(depth + 1, false);
        self.end(Term::Jump(to(y, i)));
        self.pool.truncate(mark);
        self.start(y);
        let i = self.func.add_param(y, Type::I32);
        self.pool.push(i);
        self.statements(depth + 1, false);
        let [one, three] = [1, 3].map(|n| self.constant(Type::I32, n));
        let next = self.emit(Op::Add, Type::I32, &[i, one], Imm::None);
        let more = self.emit(Op::Icmp, Type::I1, &[next, three], Imm::IntPred(IntPred::SLt));
        self.end(Term::Br { cond: more, then: to(x, next), els: to(end, next) });
        self.pool.truncate(mark);
        self.start(end);
        let last = self.func.add_param(end, Type::I32);
        self.pool.push(last);
    }

    fn counted_loop(&mut self, depth: usize, uniform: bool) {
        let is_constant = self.rng.one_in(2);
        let n = if is_constant {
            let n = self.rng.below(5) as u64;
            self.constant(Type::I32, n)
        } else {
            let v = self.value(Type::I32);
            let three = self.constant(Type::I32, 3);
            self.emit(Op::And, Type::I32, &[v, three], Imm::None)
        };
        let types: Vec<Type> = (0..self.rng.below(3)).map(|_| any_type(self.rng)).collect();
        let [head, body, end] = std::array::from_fn(|_| self.func.add_block());
        let zero = self.constant(Type::I32, 0);
        let args = [zero].into_iter().chain(types.iter().map(|ty| self.value(*ty))).collect();
        self.end(Term::Jump(Target { block: head, args }));
        self.start(head);
        let mark = self.pool.len();
        let i = self.func.add_param(head, Type::I32);
        let carried: Vec<Value> = types.iter().map(|ty| self.func.add_param(head, *ty)).collect();
        let more = self.emit(Op::Icmp, Type::I1, &[i, n], Imm::IntPred(IntPred::SLt));
        self.end(Term::Br { cond: more, then: Target::plain(body), els: Target::plain(end) });
        self.start(body);
        self.pool.push(i);
        self.pool.extend(&carried);
        let in_body = self.pool.len();
        self.statements(depth + 1, uniform && is_constant);
        if !(uniform && is_constant) && self.rng.one_in(3) {
            let stop = self.value(Type::I1);
            let next = self.func.add_block();
            self.end(Term::Br { cond: stop, then: Target::plain(end), els: Target::plain(next) });
            self.start(next);
        }
        let one = self.constant(Type::I32, 1);
        let next = self.emit(Op::Add, Type::I32, &[i, one], Imm::None);
        let args = [next].into_iter().chain(types.iter().map(|ty| self.value(*ty))).collect();
        self.end(Term::Jump(Target { block: head, args }));
        self.pool.truncate(in_body.min(mark));
        self.start(end);
        self.pool.push(i);
        self.pool.extend(carried);
    }

    /// A load or store of a slot, at a constant or a computed place.
    fn slot_access(&mut self) {
        if self.n_slots == 0 {
            return;
        }
        let slot = SlotId(self.rng.below(self.n_slots as usize) as u32);
        let size = self.func.slots[slot].size;
        let ptr = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        let mut ty = any_type(self.rng);
        while ty.elem == Scalar::I1 || u64::from(ty.bytes()) > size {
            ty = any_type(self.rng);
        }
        let places = size / u64::from(ty.elem.bytes()) - u64::from(ty.lanes) + 1;
        let at = if self.rng.one_in(4) {
            let index = self.value(Type::I64);
            let bound = self.constant(Type::I64, places);
            let index = self.emit(Op::RemU, Type::I64, &[index, bound], Imm::None);
            self.emit(
                Op::PtrAdd,
                Type::ptr(AddrSpace::Private),
                &[ptr, index],
                Imm::Scale { scale: ty.elem.bytes(), disp: 0 },
            )
        } else {
            let disp = if self.rng.one_in(2) {
                0
            } else {
                self.rng.below(places as usize) as i64 * i64::from(ty.elem.bytes())
            };
            self.emit(Op::PtrOff, Type::ptr(AddrSpace::Private), &[ptr], Imm::Disp(disp))
        };
        if self.rng.one_in(8) && self.n_slots > 1 {
            let other = SlotId(self.rng.below(self.n_slots as usize) as u32);
            if other != slot {
                let n = self.func.slots[other].size.min(size);
                let from = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(other));
                let n = self.constant(Type::I64, n);
                self.push(Op::Memcpy, None, &[ptr, from, n], Imm::None, Attr::default());
            }
        } else if self.rng.one_in(2) {
            let v = self.value(ty);
            let v = self.canonical(v);
            self.push(Op::Store, None, &[at, v], Imm::None, Attr::default());
        } else {
            let v = self.emit(Op::Load, ty, &[at], Imm::None);
            let v = self.canonical(v);
            self.pool.push(v);
        }
    }

    /// An access through a generic pointer to a slot or to the output, or a question where it points.
    fn generic_access(&mut self) {
        let (Some([_, out, _]), 1..) = (self.memory, self.n_slots) else { return };
        let generic = Type::ptr(AddrSpace::Generic);
        let slot = SlotId(self.rng.below(self.n_slots as usize) as u32);
        let own = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        let [own, out] = [own, out].map(|ptr| self.emit(Op::AsCast, generic, &[ptr], Imm::None));
        let which = self.value(Type::I1);
        let ptr = match self.rng.below(4) {
            0 => own,
            1 => out,
            _ => self.emit(Op::Select, generic, &[which, own, out], Imm::None),
        };
        let places = self.func.slots[slot].size as usize / 4;
        let disp = 4 * self.rng.below(places) as i64;
        let at = self.emit(Op::PtrOff, generic, &[ptr], Imm::Disp(disp));
        let (ty, none) = (Type::I32, Attr::default());
        let v = self.value(ty);
        let result = match self.rng.below(8) {
            0 => self.push(Op::Store, None, &[at, v], Imm::None, none),
            1 => self.push(Op::AtomicStore, None, &[at, v], Imm::None, none),
            2 => self.push(Op::AtomicLoad, Some(ty), &[at], Imm::None, none),
            3 => self.push(Op::AtomicRmw, Some(ty), &[at, v], Imm::Rmw(RmwOp::Xor), none),
            4 => {
                let expected = self.value(ty);
                self.push(Op::AtomicCas, Some(ty), &[at, expected, v], Imm::None, none)
            }
            5 => self.push(Op::IsLocal, Some(Type::I1), &[at], Imm::None, none),
            6 => self.push(Op::IsPrivate, Some(Type::I1), &[at], Imm::None, none),
            _ => self.push(Op::Load, Some(ty), &[at], Imm::None, none),
        };
        self.pool.extend(result);
    }

    fn memory_type(&mut self) -> Type {
        let mut ty = any_type(self.rng);
        while ty.elem == Scalar::I1 {
            ty = any_type(self.rng);
        }
        ty
    }

    fn store_out(&mut self) {
        let Some([_, out, _]) = self.memory else { return };
        let ty = self.memory_type();
        let v = self.value(ty);
        let v = self.canonical(v);
        let places = OUT_BYTES as usize / ty.bytes() as usize;
        let disp = self.rng.below(places) as i64 * i64::from(ty.bytes());
        let at = self.emit(Op::PtrOff, Type::ptr(AddrSpace::Global), &[out], Imm::Disp(disp));
        match ty {
            Type::I32 if self.rng.one_in(4) => {
                let op = self.rng.of(&[RmwOp::Add, RmwOp::Xor, RmwOp::MaxS, RmwOp::Xchg]);
                let old = self.emit(Op::AtomicRmw, ty, &[at, v], Imm::Rmw(op));
                self.pool.push(old);
            }
            _ if self.rng.one_in(5) => {
                let old = self.emit(Op::Load, ty, &[at], Imm::None);
                let old = self.canonical(old);
                self.pool.push(old);
            }
            _ => {
                self.push(Op::Store, None, &[at, v], Imm::None, Attr::default());
            }
        }
    }

    fn load_in(&mut self) {
        let Some([input, _, _]) = self.memory else { return };
        let ty = self.memory_type();
        let places = IN_BYTES / u64::from(ty.bytes());
        let index = self.value(Type::I64);
        let bound = self.constant(Type::I64, places);
        let index = self.emit(Op::RemU, Type::I64, &[index, bound], Imm::None);
        let imm = Imm::Scale { scale: ty.bytes(), disp: 0 };
        let at = self.emit(Op::PtrAdd, Type::ptr(AddrSpace::Global), &[input, index], imm);
        let flags = if self.rng.one_in(3) { Flags::INVARIANT } else { Flags::empty() };
        let v = self.push(Op::Load, Some(ty), &[at], Imm::None, Attr { flags, ..Attr::default() }).expect("typed");
        let v = self.canonical(v);
        self.pool.push(v);
    }

    fn call(&mut self) {
        if self.callees.is_empty() {
            return;
        }
        let id = self.rng.of(&self.callees);
        let callee = &self.module.funcs[id];
        let (params, ret) = (callee.params.clone(), callee.ret);
        let args: Vec<Value> = params.iter().map(|ty| self.value(*ty)).collect();
        let result = self.push(Op::Call, ret, &args, Imm::Func(id), Attr::default());
        self.pool.extend(result);
    }

    fn query(&mut self) {
        if self.memory.is_none() {
            return;
        }
        let op = self.rng.of(&[Op::Lid, Op::Gid, Op::Grp, Op::Lsz, Op::Elsz, Op::Gsz, Op::Ngrp, Op::Goff]);
        let dim = self.rng.below(3) as u8;
        let v = self.emit(op, Type::I64, &[], Imm::Dim(dim));
        self.pool.push(v);
    }

    fn collective(&mut self) {
        let result = match self.rng.below(3) {
            0 => {
                let v = self.value(Type::I1);
                let op = self.rng.of(&[Op::WgAll, Op::WgAny]);
                self.emit(op, Type::I1, &[v], Imm::None)
            }
            1 => {
                let ty = self.rng.of(&[Type::I32, Type::I64, Type::F32]);
                let v = self.value(ty);
                let v = self.canonical(v);
                let from = self.rng.next();
                let from = self.constant(Type::I64, from);
                let size = self.emit(Op::Lsz, Type::I64, &[], Imm::Dim(0));
                let from = self.emit(Op::RemU, Type::I64, &[from, size], Imm::None);
                self.emit(Op::WgBroadcast, ty, &[v, from], Imm::None)
            }
            _ => {
                let ty = self.rng.of(&[Type::I1, Type::I32, Type::I64, Type::F16, Type::F32, Type::F64]);
                let v = self.value(ty);
                let op = self.rng.of(&[Op::WgReduce, Op::WgScanInc, Op::WgScanExc]);
                let fits: Vec<CollectiveOp> =
                    CollectiveOp::ALL.into_iter().filter(|what| what.is_float() == ty.is_float()).collect();
                let what = match ty {
                    Type::I1 => self.rng.of(&[CollectiveOp::And, CollectiveOp::Or, CollectiveOp::Xor]),
                    _ => self.rng.of(&fits),
                };
                self.emit(op, ty, &[v], Imm::Collective(what))
            }
        };
        self.pool.push(result);
    }

    /// Writes one's own place of local memory and reads a neighbour's, between barriers.
    fn exchange(&mut self) {
        let Some([_, _, arg]) = self.memory else { return };
        let local = Type::ptr(AddrSpace::Local);
        let base = match self.rng.one_in(2) {
            true => self.emit(Op::LocalAddr, local, &[], Imm::LocalVar(clift_jit::ir::LocalVarId(0))),
            false => arg,
        };
        let lid = self.emit(Op::Lid, Type::I64, &[], Imm::Dim(0));
        let own = self.emit(Op::PtrAdd, local, &[base, lid], Imm::Scale { scale: 8, disp: 0 });
        let v = self.value(Type::I64);
        self.push(Op::Store, None, &[own, v], Imm::None, Attr::default());
        self.push(Op::Barrier, None, &[], Imm::FenceFlags(1), Attr::default());
        let size = self.emit(Op::Lsz, Type::I64, &[], Imm::Dim(0));
        let step = self.constant(Type::I64, 1);
        let next = self.emit(Op::Add, Type::I64, &[lid, step], Imm::None);
        let next = self.emit(Op::RemU, Type::I64, &[next, size], Imm::None);
        let theirs = self.emit(Op::PtrAdd, local, &[base, next], Imm::Scale { scale: 8, disp: 0 });
        let got = self.emit(Op::Load, Type::I64, &[theirs], Imm::None);
        self.push(Op::Barrier, None, &[], Imm::FenceFlags(1), Attr::default());
        self.pool.push(got);
    }
}

const INT_PREDS: [IntPred; 10] = [
    IntPred::Eq,
    IntPred::Ne,
    IntPred::SLt,
    IntPred::SLe,
    IntPred::SGt,
    IntPred::SGe,
    IntPred::ULt,
    IntPred::ULe,
    IntPred::UGt,
    IntPred::UGe,
];

const FLOAT_PREDS: [FloatPred; 14] = [
    FloatPred::OEq,
    FloatPred::ONe,
    FloatPred::OLt,
    FloatPred::OLe,
    FloatPred::OGt,
    FloatPred::OGe,
    FloatPred::Ord,
    FloatPred::UEq,
    FloatPred::UNe,
    FloatPred::ULt,
    FloatPred::ULe,
    FloatPred::UGt,
    FloatPred::UGe,
    FloatPred::Uno,
];
