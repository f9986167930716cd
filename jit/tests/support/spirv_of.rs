//! KIR as SPIR-V, for programs that `subtest/random.rs` makes: what the front end should read back. Operations without
//! an instruction of their own are replaced by zeros in the program first. All pointers lead to bytes.

use super::il::{Op as S, Writer, string};
use clift_jit::ir::{
    FloatPred as F, Func, Imm, InstData, IntPred as I, Module, Op, Rounding, Scalar, Target, Term, Type, Value,
};
use clift_jit::launch::AddrSpace;
use spirv::OpenclStd100Op as Std;
use std::collections::HashMap;

/// Operations that are one instruction.
const SAME: &[(Op, S)] = &[
    (Op::Add, S::IAdd),
    (Op::Sub, S::ISub),
    (Op::Mul, S::IMul),
    (Op::DivS, S::SDiv),
    (Op::DivU, S::UDiv),
    (Op::RemS, S::SRem),
    (Op::RemU, S::UMod),
    (Op::And, S::BitwiseAnd),
    (Op::Or, S::BitwiseOr),
    (Op::Xor, S::BitwiseXor),
    (Op::Not, S::Not),
    (Op::Neg, S::SNegate),
    (Op::Shl, S::ShiftLeftLogical),
    (Op::Lshr, S::ShiftRightLogical),
    (Op::Ashr, S::ShiftRightArithmetic),
    (Op::Popcnt, S::BitCount),
    (Op::Bitrev, S::BitReverse),
    (Op::Fadd, S::FAdd),
    (Op::Fsub, S::FSub),
    (Op::Fmul, S::FMul),
    (Op::Fdiv, S::FDiv),
    (Op::Frem, S::FRem),
    (Op::Fneg, S::FNegate),
    (Op::Trunci, S::UConvert),
    (Op::Sext, S::SConvert),
    (Op::Zext, S::UConvert),
    (Op::Fptrunc, S::FConvert),
    (Op::Fpext, S::FConvert),
    (Op::Fptosi, S::ConvertFToS),
    (Op::Fptoui, S::ConvertFToU),
    (Op::Sitofp, S::ConvertSToF),
    (Op::Uitofp, S::ConvertUToF),
    (Op::Bitcast, S::Bitcast),
    (Op::AsCast, S::PtrCastToGeneric),
    (Op::Select, S::Select),
    (Op::Build, S::CompositeConstruct),
    (Op::ExtractDyn, S::VectorExtractDynamic),
];

/// Operations that are functions of OpenCL.std.
const STD: &[(Op, Std)] = &[
    (Op::MulHiS, Std::s_mul_hi),
    (Op::MulHiU, Std::u_mul_hi),
    (Op::Rotl, Std::rotate),
    (Op::Clz, Std::clz),
    (Op::Ctz, Std::ctz),
    (Op::MinS, Std::s_min),
    (Op::MinU, Std::u_min),
    (Op::MaxS, Std::s_max),
    (Op::MaxU, Std::u_max),
    (Op::AbsS, Std::s_abs),
    (Op::AddSatS, Std::s_add_sat),
    (Op::AddSatU, Std::u_add_sat),
    (Op::SubSatS, Std::s_sub_sat),
    (Op::SubSatU, Std::u_sub_sat),
    (Op::HaddS, Std::s_hadd),
    (Op::HaddU, Std::u_hadd),
    (Op::RhaddS, Std::s_rhadd),
    (Op::RhaddU, Std::u_rhadd),
    (Op::Fabs, Std::fabs),
    (Op::Copysign, Std::copysign),
    (Op::Ceil, Std::ceil),
    (Op::Floor, Std::floor),
    (Op::Trunc, Std::trunc),
    (Op::Rint, Std::rint),
];

/// Queries, with the numbers of their variables.
const QUERIES: &[(Op, u32)] = &[
    (Op::Ngrp, 24),
    (Op::Lsz, 25),
    (Op::Grp, 26),
    (Op::Lid, 27),
    (Op::Gid, 28),
    (Op::Gsz, 31),
    (Op::Elsz, 32),
    (Op::Goff, 33),
];

fn row<T: Copy>(table: &[(Op, T)], op: Op) -> Option<T> {
    table.iter().find(|row| row.0 == op).map(|row| row.1)
}

fn icmp(pred: I, is_bool: bool) -> Option<S> {
    Some(match (pred, is_bool) {
        (I::Eq, true) => S::LogicalEqual,
        (I::Ne, true) => S::LogicalNotEqual,
        (_, true) => return None,
        (I::Eq, _) => S::IEqual,
        (I::Ne, _) => S::INotEqual,
        (I::SLt, _) => S::SLessThan,
        (I::SLe, _) => S::SLessThanEqual,
        (I::SGt, _) => S::SGreaterThan,
        (I::SGe, _) => S::SGreaterThanEqual,
        (I::ULt, _) => S::ULessThan,
        (I::ULe, _) => S::ULessThanEqual,
        (I::UGt, _) => S::UGreaterThan,
        (I::UGe, _) => S::UGreaterThanEqual,
    })
}

fn fcmp(pred: F) -> S {
    match pred {
        F::OEq => S::FOrdEqual,
        F::ONe => S::FOrdNotEqual,
        F::OLt => S::FOrdLessThan,
        F::OLe => S::FOrdLessThanEqual,
        F::OGt => S::FOrdGreaterThan,
        F::OGe => S::FOrdGreaterThanEqual,
        F::Ord => S::Ordered,
        F::UEq => S::FUnordEqual,
        F::UNe => S::FUnordNotEqual,
        F::ULt => S::FUnordLessThan,
        F::ULe => S::FUnordLessThanEqual,
        F::UGt => S::FUnordGreaterThan,
        F::UGe => S::FUnordGreaterThanEqual,
        F::Uno => S::Unordered,
    }
}

/// True if SPIR-V can say it.
fn is_said(func: &Func, inst: &InstData) -> bool {
    let is_bool = inst.args.first().is_some_and(|&v| func.ty(v).elem == Scalar::I1);
    match (inst.op, &inst.imm) {
        (Op::Icmp, Imm::IntPred(pred)) => icmp(*pred, is_bool).is_some(),
        (Op::Fcmp | Op::Const | Op::SlotAddr | Op::LocalAddr | Op::Splat | Op::Extract | Op::Insert, _) => true,
        (Op::Shuffle | Op::PtrAdd | Op::PtrOff | Op::Load | Op::Store | Op::Memcpy | Op::Memset, _) => true,
        (Op::Barrier | Op::Call, _) => true,
        (op, _) => row(SAME, op).is_some() || row(STD, op).is_some() || row(QUERIES, op).is_some(),
    }
}

/// Replaces what SPIR-V cannot say.
pub fn simplify(module: &mut Module) {
    for func in module.funcs.values_mut() {
        for at in 0..func.layout.len() {
            let block = func.layout[at];
            let insts = std::mem::take(&mut func.blocks[block].insts);
            let mut kept = Vec::with_capacity(insts.len());
            for inst in insts {
                let data = &func.insts[inst];
                if is_said(func, data) {
                    kept.push(inst);
                } else if data.result.is_some() {
                    let data = &mut func.insts[inst];
                    data.op = Op::Const;
                    data.args.clear();
                    data.imm = Imm::Bits(0);
                    data.attr = Default::default();
                    kept.push(inst);
                }
            }
            func.blocks[block].insts = kept;
        }
    }
}

/// The module: declarations first, then bodies.
struct Out {
    head: Writer,
    body: Vec<u32>,
    std: u32,
    known: HashMap<Vec<u32>, u32>,
    shared: u32,
}

/// A module that `simplify` has seen, in bytes.
pub fn write(module: &Module) -> Vec<u8> {
    let mut head = Writer::new();
    head.inst(S::Capability, &[38]);
    let std = head.result(S::ExtInstImport, &string("OpenCL.std"));
    let mut out = Out { head, body: Vec::new(), std, known: HashMap::new(), shared: 0 };
    out.shared = out.bytes(module.locals.values().next().map_or(8, |local| local.size), AddrSpace::Local);
    let ids: Vec<u32> = module.funcs.keys().map(|_| out.head.id()).collect();
    let (_, kernel) = &module.kernels[0];
    out.head.inst(S::EntryPoint, &[&[6, ids[kernel.0 as usize]][..], &string("k")].concat());
    for (id, func) in module.funcs.iter() {
        Body { out: &mut out, func, funcs: &ids, values: HashMap::new(), slots: Vec::new() }.write(ids[id.0 as usize]);
    }
    out.head.words.extend(out.body);
    out.head.bytes()
}

fn class(space: AddrSpace) -> u32 {
    match space {
        AddrSpace::Constant => 0,
        AddrSpace::Local => 4,
        AddrSpace::Global => 5,
        AddrSpace::Private => 7,
        AddrSpace::Generic => 8,
    }
}

impl Out {
    /// A declaration, made once; `at` is where the result stands.
    fn once(&mut self, op: S, words: &[u32], with_type: bool) -> u32 {
        let key = [&[op as u32][..], words].concat();
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = match words {
            [ty, rest @ ..] if with_type => self.head.value(op, *ty, rest),
            _ => self.head.result(op, words),
        };
        self.known.insert(key, id);
        id
    }
    fn ty(&mut self, ty: Type) -> u32 {
        if ty.is_vector() {
            let elem = self.ty(ty.lane());
            return self.once(S::TypeVector, &[elem, u32::from(ty.lanes)], false);
        }
        match ty.elem {
            Scalar::I1 => self.once(S::TypeBool, &[], false),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => self.once(S::TypeFloat, &[ty.elem.bits()], false),
            Scalar::Ptr(space) => self.pointer(Type::I8, space),
            _ => self.once(S::TypeInt, &[ty.elem.bits(), 0], false),
        }
    }
    fn pointer(&mut self, to: Type, space: AddrSpace) -> u32 {
        let to = self.ty(to);
        self.once(S::TypePointer, &[class(space), to], false)
    }
    fn constant(&mut self, ty: Type, bits: u64) -> u32 {
        let id = self.ty(ty);
        if ty.is_vector() {
            let lane = self.constant(ty.lane(), bits);
            let words: Vec<u32> = std::iter::once(id).chain((0..ty.lanes).map(|_| lane)).collect();
            return self.once(S::ConstantComposite, &words, true);
        }
        match ty.elem {
            Scalar::I1 => self.once(if bits & 1 == 1 { S::ConstantTrue } else { S::ConstantFalse }, &[id], true),
            _ if ty.elem.bits() == 64 => self.once(S::Constant, &[id, bits as u32, (bits >> 32) as u32], true),
            _ => self.once(S::Constant, &[id, bits as u32 & (u32::MAX >> (32 - ty.elem.bits()))], true),
        }
    }
    /// The type of so many bytes, and of pointers to them.
    fn array(&mut self, size: u64, space: AddrSpace) -> (u32, u32) {
        let (byte, n) = (self.ty(Type::I8), self.constant(Type::I64, size));
        let array = self.once(S::TypeArray, &[byte, n], false);
        (array, self.once(S::TypePointer, &[class(space), array], false))
    }
    /// A variable of so many bytes outside functions.
    fn bytes(&mut self, size: u64, space: AddrSpace) -> u32 {
        let (_, pointer) = self.array(size, space);
        let id = self.head.value(S::Variable, pointer, &[class(space)]);
        self.head.inst(S::Decorate, &[id, 44, 16]);
        id
    }
    /// A variable that the implementation fills.
    fn builtin(&mut self, number: u32) -> u32 {
        let long3 = self.ty(Type::I64.with_lanes(3));
        let pointer = self.once(S::TypePointer, &[1, long3], false);
        let key = vec![u32::MAX, number];
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.head.id();
        self.head.inst(S::Decorate, &[id, 11, number]);
        self.head.inst(S::Variable, &[pointer, id, 1]);
        self.known.insert(key, id);
        id
    }
}

/// A function that is being written.
struct Body<'o> {
    out: &'o mut Out,
    func: &'o Func,
    funcs: &'o [u32],
    values: HashMap<Value, u32>,
    slots: Vec<u32>,
}

impl Body<'_> {
    fn inst(&mut self, op: S, words: &[u32]) {
        self.out.body.push((words.len() as u32 + 1) << 16 | op as u32);
        self.out.body.extend(words);
    }
    fn fresh(&mut self, op: S, ty: u32, words: &[u32]) -> u32 {
        let id = self.out.head.id();
        self.inst(op, &[&[ty, id], words].concat());
        id
    }
    /// The id of a value.
    fn id(&mut self, v: Value) -> u32 {
        *self.values.entry(v).or_insert_with(|| self.out.head.id())
    }

    fn write(mut self, id: u32) {
        let func = self.func;
        let ret = match func.ret {
            Some(ty) => self.out.ty(ty),
            None => self.out.once(S::TypeVoid, &[], false),
        };
        let params: Vec<u32> = func.params.iter().map(|ty| self.out.ty(*ty)).collect();
        let ty = self.out.once(S::TypeFunction, &[&[ret][..], &params].concat(), false);
        self.inst(S::Function, &[ret, id, 0, ty]);
        for (&param, &ty) in func.blocks[func.entry()].params.iter().zip(&params) {
            let id = self.id(param);
            self.inst(S::FunctionParameter, &[ty, id]);
        }
        for inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            if let InstData { op: Op::Const, imm: Imm::Bits(bits), result: Some(result), .. } = func.insts[*inst] {
                let constant = self.out.constant(func.ty(result), bits);
                self.values.insert(result, constant);
            }
        }
        let labels: HashMap<_, u32> = func.layout.iter().map(|&block| (block, self.out.head.id())).collect();
        for (n, &block) in func.layout.iter().enumerate() {
            self.inst(S::Label, &[labels[&block]]);
            if n == 0 {
                self.variables();
            } else {
                self.phis(block, &labels);
            }
            for &inst in &func.blocks[block].insts {
                self.operation(&func.insts[inst]);
            }
            self.term(&func.blocks[block].term, &labels);
        }
        self.inst(S::FunctionEnd, &[]);
    }

    /// Slots begin with zeros: the program fills them so.
    fn variables(&mut self) {
        for slot in self.func.slots.values() {
            let (array, pointer) = self.out.array(slot.size, AddrSpace::Private);
            let null = self.out.once(S::ConstantNull, &[array], true);
            let id = self.fresh(S::Variable, pointer, &[7, null]);
            self.out.head.inst(S::Decorate, &[id, 44, 16]);
            self.slots.push(id);
        }
    }

    fn phis(&mut self, block: clift_jit::ir::Block, labels: &HashMap<clift_jit::ir::Block, u32>) {
        let func = self.func;
        for (n, &param) in func.blocks[block].params.iter().enumerate() {
            let mut words = vec![self.out.ty(func.ty(param)), self.id(param)];
            for &from in &func.layout {
                let edge = func.blocks[from].term.targets().into_iter().find(|target| target.block == block);
                if let Some(Target { args, .. }) = edge {
                    words.extend([self.id(args[n]), labels[&from]]);
                }
            }
            self.inst(S::Phi, &words);
        }
    }

    fn term(&mut self, term: &Term, labels: &HashMap<clift_jit::ir::Block, u32>) {
        match term {
            Term::Ret(None) => self.inst(S::Return, &[]),
            Term::Ret(Some(v)) => {
                let v = self.id(*v);
                self.inst(S::ReturnValue, &[v]);
            }
            Term::Jump(to) => self.inst(S::Branch, &[labels[&to.block]]),
            Term::Br { cond, then, els } => {
                let cond = self.id(*cond);
                self.inst(S::BranchConditional, &[cond, labels[&then.block], labels[&els.block]]);
            }
            Term::Switch { value, cases, default } => {
                let mut words = vec![self.id(*value), labels[&default.block]];
                words.extend(cases.iter().flat_map(|(bits, to)| [*bits as u32, labels[&to.block]]));
                self.inst(S::Switch, &words);
            }
            _ => self.inst(S::Unreachable, &[]),
        }
    }

    /// The pointer as one to such objects.
    fn typed(&mut self, pointer: Value, to: Type) -> u32 {
        let Scalar::Ptr(space) = self.func.ty(pointer).elem else { unreachable!("a pointer") };
        let (id, ty) = (self.id(pointer), self.out.pointer(to, space));
        self.fresh(S::Bitcast, ty, &[id])
    }

    fn operation(&mut self, inst: &InstData) {
        let args: Vec<u32> = inst.args.iter().map(|&v| self.id(v)).collect();
        let Some(result) = inst.result else { return self.effect(inst, &args) };
        let (ty, id) = (self.func.ty(result), self.id(result));
        let to = self.out.ty(ty);
        let mut put = |op: S, words: &[u32]| self.inst(op, &[&[to, id], words].concat());
        match (inst.op, &inst.imm) {
            // Constants stand outside functions.
            (Op::Const, _) => {}
            (Op::SlotAddr, Imm::Slot(slot)) => {
                let slot = self.slots[slot.0 as usize];
                self.inst(S::Bitcast, &[to, id, slot]);
            }
            (Op::LocalAddr, _) => {
                let shared = self.out.shared;
                self.inst(S::Bitcast, &[to, id, shared]);
            }
            (Op::Icmp, Imm::IntPred(pred)) => {
                let is_bool = self.func.ty(inst.args[0]).elem == Scalar::I1;
                self.inst(icmp(*pred, is_bool).expect("simplified"), &[&[to, id], &args[..]].concat());
            }
            (Op::Fcmp, Imm::FloatPred(pred)) => put(fcmp(*pred), &args),
            (Op::Splat, _) => put(S::CompositeConstruct, &vec![args[0]; usize::from(ty.lanes)]),
            (Op::Extract, Imm::Lane(lane)) => put(S::CompositeExtract, &[args[0], u32::from(*lane)]),
            (Op::Insert, Imm::Lane(lane)) => put(S::CompositeInsert, &[args[1], args[0], u32::from(*lane)]),
            (Op::Shuffle, Imm::Lanes(lanes)) => {
                let lanes: Vec<u32> = lanes.iter().map(|&lane| u32::from(lane)).collect();
                put(S::VectorShuffle, &[&args[..], &lanes].concat());
            }
            (Op::PtrAdd, Imm::Scale { scale, disp }) => {
                let long = self.out.ty(Type::I64);
                let (scale, disp) =
                    (self.out.constant(Type::I64, u64::from(*scale)), self.out.constant(Type::I64, *disp as u64));
                let index = self.fresh(S::IMul, long, &[args[1], scale]);
                let index = self.fresh(S::IAdd, long, &[index, disp]);
                self.inst(S::PtrAccessChain, &[to, id, args[0], index]);
            }
            (Op::PtrOff, Imm::Disp(disp)) => {
                let disp = self.out.constant(Type::I64, *disp as u64);
                self.inst(S::PtrAccessChain, &[to, id, args[0], disp]);
            }
            (Op::Load, _) => {
                let at = self.typed(inst.args[0], ty);
                self.inst(S::Load, &[to, id, at]);
            }
            (Op::Call, Imm::Func(callee)) => {
                self.inst(S::FunctionCall, &[&[to, id, self.funcs[callee.0 as usize]], &args[..]].concat())
            }
            (op, Imm::Dim(dim)) => {
                let var = self.out.builtin(row(QUERIES, op).expect("a query"));
                let long3 = self.out.ty(Type::I64.with_lanes(3));
                let all = self.fresh(S::Load, long3, &[var]);
                self.inst(S::CompositeExtract, &[to, id, all, u32::from(*dim)]);
            }
            _ => self.plain(inst, ty, id, &args),
        }
    }

    /// An operation that is in the tables.
    fn plain(&mut self, inst: &InstData, ty: Type, id: u32, args: &[u32]) {
        let to = self.out.ty(ty);
        if let Some(function) = row(STD, inst.op) {
            return self.inst(S::ExtInst, &[&[to, id, self.out.std, function as u32], args].concat());
        }
        let is_bool = self.func.ty(inst.args[0]).elem == Scalar::I1;
        let op = match (inst.op, is_bool) {
            (Op::And, true) => S::LogicalAnd,
            (Op::Or, true) => S::LogicalOr,
            (Op::Xor, true) => S::LogicalNotEqual,
            (Op::Not, true) => S::LogicalNot,
            (Op::Sext | Op::Zext, true) => {
                let yes = self.out.constant(ty, if inst.op == Op::Sext { u64::MAX } else { 1 });
                let no = self.out.constant(ty, 0);
                return self.inst(S::Select, &[to, id, args[0], yes, no]);
            }
            (op, _) => row(SAME, op).expect("simplified"),
        };
        let rm = match inst.attr.rm {
            Rounding::Rte => 0,
            Rounding::Rtz => 1,
            Rounding::Rtp => 2,
            Rounding::Rtn => 3,
        };
        if rm != 0 || matches!(inst.op, Op::Fptosi | Op::Fptoui) {
            self.out.head.inst(S::Decorate, &[id, 39, rm]);
        }
        if matches!(inst.op, Op::Fptosi | Op::Fptoui) {
            self.out.head.inst(S::Decorate, &[id, 28]);
        }
        self.inst(op, &[&[to, id], args].concat());
    }

    fn effect(&mut self, inst: &InstData, args: &[u32]) {
        match (inst.op, &inst.imm) {
            (Op::Store, _) => {
                let at = self.typed(inst.args[0], self.func.ty(inst.args[1]));
                self.inst(S::Store, &[at, args[1]]);
            }
            (Op::Memcpy, _) => self.inst(S::CopyMemorySized, args),
            (Op::Barrier, _) => {
                let group = self.out.constant(Type::I32, 2);
                let semantics = self.out.constant(Type::I32, 0x110);
                self.inst(S::ControlBarrier, &[group, group, semantics]);
            }
            (Op::Call, Imm::Func(callee)) => {
                let (void, id) = (self.out.once(S::TypeVoid, &[], false), self.out.head.id());
                self.inst(S::FunctionCall, &[&[void, id, self.funcs[callee.0 as usize]], args].concat());
            }
            _ => {}
        }
    }
}
