//! Random functions: the verifier accepts them, the text form round-trips, the interpreter and the machine code agree
//! on every bit. A failure prints the seed.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

#[path = "support/decode.rs"]
#[cfg(target_arch = "x86_64")]
mod decode;
#[path = "support/rng.rs"]
mod rng;

use clift_jit::codegen::{Backend, Effort, ProgramData, Scratch, compile};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::op::Flags;
use clift_jit::ir::{
    Attr, Block, Builder, FloatPred, Func, Imm, IntPred, Module, Op, Rounding, Scalar, SlotId, Target, Term, Type,
    Value,
};
use clift_jit::launch::{AddrSpace, ArgInfo, ArgKind, Env, KernelInfo};
use clift_jit::pipeline::Runner;
use rng::Rng;

const KINDS: [Scalar; 7] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];
const LANES: [u8; 8] = [1, 1, 1, 2, 3, 4, 8, 16];
const SLOT_BYTES: u64 = 256;
const OUT_BYTES: u32 = 128;

/// Builds one random function. Values in scope are those of the current block's dominators.
struct Gen<'f> {
    rng: Rng,
    b: Builder<'f>,
    scope: Vec<Value>,
    slot: SlotId,
    depth: u32,
    budget: u32,
}

impl Gen<'_> {
    fn ty(&mut self) -> Type {
        let elem = self.rng.of(&KINDS);
        Type::scalar(elem).with_lanes(self.rng.of(&LANES))
    }

    /// A value of this type: from scope if there is one, else a constant.
    fn value(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> = self.scope.iter().copied().filter(|&v| self.b.func.ty(v) == ty).collect();
        if !fitting.is_empty() && self.rng.below(8) != 0 {
            return self.rng.of(&fitting);
        }
        let bits = match self.rng.below(3) {
            0 => self.rng.next(),
            1 if ty.is_float() => match ty.elem {
                Scalar::F16 => 0x3c00 + self.rng.next() % 0x1000,
                Scalar::F32 => 0x3f80_0000 + ((self.rng.next() % 0x200) << 16),
                _ => 0x3ff0_0000_0000_0000 + ((self.rng.next() % 0x200) << 44),
            },
            _ => self.rng.next() % 70,
        };
        let v = self.b.bits(ty, bits);
        self.keep_number(v)
    }

    fn mask(&mut self, lanes: u8) -> Value {
        self.value(Type::I1.with_lanes(lanes))
    }

    /// NaNs have no agreed bits: a float result that is NaN becomes 1.
    fn keep_number(&mut self, v: Value) -> Value {
        let ty = self.b.func.ty(v);
        if !ty.is_float() {
            return v;
        }
        let one = match ty.elem {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => 0x3f80_0000,
            _ => 0x3ff0_0000_0000_0000,
        };
        let nan = self.b.fcmp(FloatPred::Uno, v, v);
        let one = self.b.bits(ty, one);
        self.b.op(Op::Select, &[nan, one, v])
    }

    fn attr(&mut self) -> Attr {
        let rm = self.rng.of(&[Rounding::Rte, Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn]);
        Attr { rm, ..Attr::default() }
    }

    fn place(&mut self, bytes: u32) -> Value {
        let ty = Type::ptr(AddrSpace::Private);
        let base = self.b.typed(Op::SlotAddr, ty, &[], Imm::Slot(self.slot), Attr::default());
        let room = SLOT_BYTES - u64::from(bytes);
        if self.rng.below(2) == 0 {
            let at = self.rng.next() % (room + 1);
            return self.b.ptr_off(base, at as i64);
        }
        let index = self.value(Type::I64);
        let mask = self.b.i64(15);
        let index = self.b.op(Op::And, &[index, mask]);
        let scale = self.rng.of(&[1, 2, 3, 4]);
        let disp = self.rng.next() % (room - 15 * u64::from(scale) + 1);
        self.b.ptr_add(base, index, scale, disp as i64)
    }

    fn step(&mut self) {
        use Op::*;
        let ty = self.ty();
        let lanes = ty.lanes;
        let attr = self.attr();
        let v = match self.rng.below(16) {
            0 if ty.elem == Scalar::I32 => {
                let op = self.rng.of(&[Dot4Uu, Dot4Ss, Dot4Us]);
                let args = [self.value(ty), self.value(ty)];
                self.b.op(op, &args)
            }
            0..=3 if ty.is_int() => {
                let op = self.rng.of(&[
                    Add, Sub, Mul, MulHiS, MulHiU, DivS, DivU, RemS, RemU, And, Or, Xor, Shl, Lshr, Ashr, Rotl, MinS,
                    MinU, MaxS, MaxU, AddSatS, AddSatU, SubSatS, SubSatU, HaddS, HaddU, RhaddS, RhaddU,
                ]);
                let args = [self.value(ty), self.value(ty)];
                self.b.op(op, &args)
            }
            0..=3 => {
                let op = self.rng.of(&[Fadd, Fsub, Fmul, Fdiv, Frem, Copysign, Fmin, Fmax]);
                let args = [self.value(ty), self.value(ty)];
                let attr = if matches!(op, Fadd | Fsub | Fmul | Fdiv) { attr } else { Attr::default() };
                self.b.op_attr(op, &args, attr)
            }
            4 if ty.is_int() => {
                let op = self.rng.of(&[Not, Neg, Clz, Ctz, Popcnt, Bitrev, Bswap, AbsS]);
                let args = [self.value(ty)];
                self.b.op(op, &args)
            }
            4 => {
                let op = self.rng.of(&[Fneg, Fabs, Sqrt, Ceil, Floor, Trunc, Rint]);
                let args = [self.value(ty)];
                self.b.op(op, &args)
            }
            5 if ty.is_float() => {
                let args = [self.value(ty), self.value(ty), self.value(ty)];
                self.b.op_attr(Fma, &args, attr)
            }
            6 => {
                let (a, b) = (self.value(ty), self.value(ty));
                if ty.is_float() {
                    let pred = self.rng.of(&[FloatPred::OEq, FloatPred::OLt, FloatPred::UGe, FloatPred::ONe]);
                    self.b.fcmp(pred, a, b)
                } else {
                    let pred = self.rng.of(&[IntPred::Eq, IntPred::SLt, IntPred::ULe, IntPred::UGt]);
                    self.b.icmp(pred, a, b)
                }
            }
            7 => {
                let wide = if self.rng.below(2) == 0 { lanes } else { 1 };
                let args = [self.mask(wide), self.value(ty), self.value(ty)];
                self.b.op(Select, &args)
            }
            8 | 9 => {
                let from = Type::scalar(self.rng.of(&KINDS)).with_lanes(lanes);
                let source = self.value(from);
                let op = match (from.is_float(), ty.is_float(), from.elem.bits().cmp(&ty.elem.bits())) {
                    (true, true, std::cmp::Ordering::Less) => Fpext,
                    (true, true, std::cmp::Ordering::Greater) => Fptrunc,
                    (true, false, _) => self.rng.of(&[Fptosi, Fptoui]),
                    (false, true, _) => self.rng.of(&[Sitofp, Uitofp]),
                    (false, false, std::cmp::Ordering::Less) => self.rng.of(&[Sext, Zext]),
                    (false, false, std::cmp::Ordering::Greater) => Trunci,
                    _ => return,
                };
                let attr = if op == Fpext { Attr::default() } else { attr };
                self.b.typed(op, ty, &[source], Imm::None, attr)
            }
            10 => {
                let total = ty.bytes();
                let others: Vec<Type> = KINDS
                    .iter()
                    .flat_map(|&k| LANES.map(|n| Type::scalar(k).with_lanes(n)))
                    .filter(|t| t.bytes() == total)
                    .collect();
                let from = self.rng.of(&others);
                let source = self.value(from);
                self.b.convert(Bitcast, ty, source)
            }
            11 if lanes > 1 => {
                let picks: Vec<u8> = (0..lanes).map(|_| self.rng.below(2 * usize::from(lanes)) as u8).collect();
                let args = [self.value(ty), self.value(ty)];
                self.b.typed(Shuffle, ty, &args, Imm::Lanes(picks.into()), Attr::default())
            }
            12 if lanes > 1 => {
                let (vector, lane) = (self.value(ty), self.value(ty.lane()));
                let at = self.rng.below(usize::from(lanes)) as u8;
                match self.rng.below(4) {
                    0 => self.b.typed(Insert, ty, &[vector, lane], Imm::Lane(at), Attr::default()),
                    1 => self.b.convert(Splat, ty, lane),
                    2 => {
                        let parts: Vec<Value> = (0..lanes).map(|_| self.value(ty.lane())).collect();
                        self.b.typed(Build, ty, &parts, Imm::None, Attr::default())
                    }
                    _ => self.b.typed(Extract, ty.lane(), &[vector], Imm::Lane(at), Attr::default()),
                }
            }
            13 => {
                let ptr = self.place(ty.bytes());
                let v = self.b.load(ty, ptr, Attr::default());
                self.keep_number(v)
            }
            14 => {
                let v = self.value(ty);
                let ptr = self.place(ty.bytes());
                self.b.store(ptr, v, Attr::default());
                return;
            }
            15 => {
                let masks = [self.mask(lanes), self.mask(lanes)];
                let op = self.rng.of(&[And, Or, Xor]);
                let m = self.b.op(op, &masks);
                self.scope.push(m);
                if ty.is_float() {
                    return;
                }
                self.b.convert(self.rng.of(&[Sext, Zext]), ty, m)
            }
            _ => return,
        };
        let v = self.keep_number(v);
        self.scope.push(v);
    }

    fn region(&mut self) {
        let n = 2 + self.rng.below(8);
        for _ in 0..n {
            self.step();
            if self.budget > 0 && self.depth < 3 && self.rng.below(6) == 0 {
                self.budget -= 1;
                self.depth += 1;
                match self.rng.below(3) {
                    0 => self.diamond(),
                    1 => self.switch(),
                    _ => self.repeat(),
                }
                self.depth -= 1;
            }
        }
    }

    fn end_with(&mut self, join: Block, ty: Type) {
        let v = self.value(ty);
        self.b.jump(join, &[v]);
    }

    fn diamond(&mut self) {
        let ty = self.ty();
        let [then, els, join] = [(); 3].map(|()| self.b.func.add_block());
        let result = self.b.func.add_param(join, ty);
        let cond = self.mask(1);
        let outer = self.scope.len();
        self.b.branch(cond, then, els);
        for arm in [then, els] {
            self.b.enter(arm);
            self.region();
            self.end_with(join, ty);
            self.scope.truncate(outer);
        }
        self.b.enter(join);
        self.scope.push(result);
    }

    fn switch(&mut self) {
        let ty = self.ty();
        let kind = self.rng.of(&[Scalar::I8, Scalar::I32, Scalar::I64]);
        let value = self.value(Type::scalar(kind));
        let ones = u64::MAX >> (64 - self.b.func.ty(value).elem.bits());
        let join = self.b.func.add_block();
        let result = self.b.func.add_param(join, ty);
        let arms: Vec<Block> = (0..3).map(|_| self.b.func.add_block()).collect();
        let direct = self.value(ty);
        let mut cases: Vec<(u64, Target)> =
            arms[..2].iter().zip([0, ones]).map(|(&b, k)| (k, Target::plain(b))).collect();
        cases.push((5, Target { block: join, args: [direct].into_iter().collect() }));
        self.b.end(Term::Switch { value, cases, default: Target::plain(arms[2]) });
        let outer = self.scope.len();
        for arm in arms {
            self.b.enter(arm);
            self.region();
            self.end_with(join, ty);
            self.scope.truncate(outer);
        }
        self.b.enter(join);
        self.scope.push(result);
    }

    /// A counted loop that carries a value; tests at the top or in the middle.
    fn repeat(&mut self) {
        let ty = self.ty();
        let [head, body, exit] = [(); 3].map(|()| self.b.func.add_block());
        let i = self.b.func.add_param(head, Type::I32);
        let carried = self.b.func.add_param(head, ty);
        let (zero, start) = (self.b.i32(0), self.value(ty));
        let n = self.b.i32(1 + self.rng.below(4) as i32);
        let outer = self.scope.len();
        self.b.jump(head, &[zero, start]);
        self.b.enter(head);
        self.scope.extend([i, carried]);
        if self.rng.below(2) == 0 {
            self.region();
        }
        let more = self.b.icmp(IntPred::SLt, i, n);
        let in_head = self.scope.len();
        self.b.branch(more, body, exit);
        self.b.enter(body);
        self.region();
        let leave = self.mask(1);
        if self.rng.below(2) == 0 {
            // A second way out.
            let go_on = self.b.func.add_block();
            self.b.branch(leave, exit, go_on);
            self.b.enter(go_on);
            self.region();
        }
        let one = self.b.i32(1);
        let next = self.b.op(Op::Add, &[i, one]);
        let value = self.value(ty);
        self.b.jump(head, &[next, value]);
        // What the header defines is known behind the loop; what the body defines is not.
        self.scope.truncate(in_head);
        self.b.enter(exit);
        if self.rng.below(3) == 0 {
            self.scope.truncate(outer);
        }
    }
}

/// `fn(args, env, g0, g1)`: for each i, reads a value of each kind, computes, writes `OUT_BYTES`.
fn random_function(seed: u64) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(format!("random{seed}"), vec![ptr, ptr, Type::I64, Type::I64], None);
    let slot = func.slots.push(clift_jit::ir::Slot::new("memory".into(), SLOT_BYTES, 16));
    let entry = func.entry();
    let params = func.blocks[entry].params.clone();
    let (head, work, exit) = (func.add_block(), func.add_block(), func.add_block());
    let i = func.add_param(head, Type::I64);
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let [input, output] = [0, 8].map(|at| {
        let at = b.ptr_off(params[0], at);
        b.load(Type::ptr(AddrSpace::Global), at, invariant)
    });
    b.jump(head, &[params[2]]);
    b.enter(head);
    let more = b.icmp(IntPred::ULt, i, params[3]);
    b.branch(more, work, exit);
    b.enter(work);
    let mut g = Gen { rng: Rng(seed), b, scope: vec![i], slot, depth: 0, budget: 5 };
    let base = g.b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
    let (zero, size) = (g.b.bits(Type::I8, 0x3a), g.b.i64(SLOT_BYTES as i64));
    g.b.push(Op::Memset, None, &[base, zero, size], Imm::None, Attr::default());
    for kind in KINDS {
        for lanes in [1, 4] {
            let ty = Type::scalar(kind).with_lanes(lanes);
            let at = g.b.ptr_add(input, i, 64, g.rng.below(32) as i64);
            let v = g.b.load(ty, at, Attr::default());
            let v = g.keep_number(v);
            g.scope.push(v);
        }
    }
    g.region();
    g.region();
    let mut at = 0;
    while at < OUT_BYTES {
        let v = g.rng.of(&g.scope.clone());
        let ty = g.b.func.ty(v);
        let (v, ty) = if ty.elem == Scalar::I1 {
            let ty = ty.with_elem(Scalar::I8);
            (g.b.convert(Op::Zext, ty, v), ty)
        } else {
            (v, ty)
        };
        if at + ty.bytes() > OUT_BYTES {
            at += 8;
            continue;
        }
        let to = g.b.ptr_add(output, i, OUT_BYTES, i64::from(at));
        g.b.store(to, v, Attr::default());
        at += ty.bytes();
    }
    let one = g.b.i64(1);
    let next = g.b.op(Op::Add, &[i, one]);
    g.b.jump(head, &[next]);
    g.b.enter(exit);
    g.b.end(Term::Ret(None));
    func
}

fn info() -> KernelInfo {
    let arg = |n: usize| ArgInfo {
        name: format!("a{n}"),
        type_name: "uchar*".into(),
        kind: ArgKind::Buffer { space: AddrSpace::Global },
        offset: 8 * n,
        size: 8,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: 0,
    };
    KernelInfo {
        name: "random".into(),
        args: vec![arg(0), arg(1)],
        arg_block_bytes: 16,
        group_agnostic: true,
        ..KernelInfo::default()
    }
}

const ITEMS: u64 = 8;

fn check(seed: u64) {
    let mut module = Module::default();
    let id = module.funcs.push(random_function(seed));
    if let Err(errors) = clift_jit::ir::verify::verify(&module) {
        panic!("seed {seed}: {errors}");
    }
    let text = module.to_string();
    let again = clift_jit::ir::text::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    // Reading numbers values in order of appearance; from then on the text stands still.
    let numbered = again.to_string();
    let same = clift_jit::ir::text::parse(&numbered).is_ok_and(|m| m.to_string() == numbered);
    assert!(same && text.lines().count() == numbered.lines().count(), "seed {seed}: the text form changes");
    let mut rng = Rng(!seed);
    let input: Vec<u8> = (0..64 * (ITEMS + 1)).map(|_| rng.next() as u8).collect();
    let out_bytes = ITEMS as usize * OUT_BYTES as usize;

    let mut machine = Machine::new(&module);
    let args = [input.clone(), vec![0; out_bytes]].map(|b| Arg::Buffer(machine.add_buffer(b)));
    let launch = Launch::linear(ITEMS, 1);
    if let Err(error) = machine.run_work_group_func(id, &info(), &args, &launch, 0, 0) {
        panic!("seed {seed}: {error}");
    }
    let Arg::Buffer(address) = args[1] else { unreachable!("made above") };
    let want = machine.buffer(address).to_vec();

    let mut optimised = module.clone();
    Runner::default().program(&mut optimised);
    // The same vectors held as lanes of work-items are.
    let mut lanes = module.clone();
    lanes.funcs.values_mut().for_each(|f| f.is_lanes = true);
    for (backend, module) in Backend::available().flat_map(|b| [&module, &optimised, &lanes].map(|m| (b, m))) {
        let data = ProgramData::new(&module.globals).expect("no variables");
        let code = compile(backend, module, &module.funcs[id], Scratch::default(), Effort::Quick)
            .and_then(|code| code.load(&data))
            .unwrap_or_else(|e| panic!("seed {seed}, {backend:?}: {}", e.message));
        let mut out = vec![0u8; out_bytes];
        let env = Env {
            global_size: launch.global_size,
            global_offset: [0; 3],
            local_size: [1; 3],
            num_groups: launch.num_groups(),
            work_dim: 1,
            local: std::ptr::null_mut(),
            local_bytes: 0,
            scratch: std::ptr::null_mut(),
            scratch_bytes: 0,
            races: std::ptr::null_mut(),
        };
        let block = [input.as_ptr(), out.as_mut_ptr().cast_const()];
        // SAFETY: the interpreter has run the same function within the same bounds.
        unsafe { code.run(block.as_ptr().cast(), &env, 0..ITEMS) }
        if let Some(at) = (0..out_bytes).find(|&i| out[i] != want[i]) {
            let (item, byte) = (at / OUT_BYTES as usize, at % OUT_BYTES as usize);
            let form = if module.funcs[id].is_lanes { ", lane form" } else { "" };
            panic!("seed {seed}, {backend:?}{form}: item {item}, byte {byte}: {:#x}, not {:#x}", out[at], want[at]);
        }
    }
}

#[test]
fn random_functions_agree() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let first = number("CLIFT_FUZZ_FIRST").unwrap_or(0);
    for seed in first..first + number("CLIFT_FUZZ_SEEDS").unwrap_or(300) {
        check(seed);
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn listings_say_what_the_bytes_mean() {
    use clift_jit::codegen::{Stage, emit};
    for backend in Backend::available().filter(|&b| b != Backend::Cranelift) {
        let mut lines = 0;
        for seed in 1000..1070 {
            let module = Module::default();
            let mut func = random_function(seed);
            func.is_lanes = seed % 2 == 1;
            let listing = emit(backend, &module, &func, Stage::Asm)
                .unwrap_or_else(|e| panic!("seed {seed}, {backend:?}: {}", e.message));
            lines += decode::check_listing(&listing);
        }
        assert!(lines > 10_000, "{backend:?}: {lines} lines only");
    }
}
