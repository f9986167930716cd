//! Constant folding and exact algebra: one walk in reverse postorder, operands before users. Folding evaluates with the
//! interpreter's own code (`interp::value`), so it respects every rounding mode and width. Float identities are used
//! only where they hold for every value, signed zeros included, in the operation's rounding mode; NaN payloads are not
//! kept. Pure operations only; calls, convergent operations and memory (but for the type of what is loaded or stored)
//! stay as they are. Linear. `int`, `float`, `vector` and `address` have the rules of each family, `limits` those
//! that follow from ranges; `powers` knows powers of two.
//!
//! Needs nothing; leaves dead operands for `dce`.

mod address;
mod float;
mod int;
mod limits;
mod narrow_float;
mod powers;
mod vector;

use super::forward::Forward;
use crate::analysis::lanes::constant_lanes;
use crate::interp::value::{self, Lanes};
use crate::ir::op::{Arity, Flags};
use crate::ir::{Attr, Builder, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Term, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let mut forward = Forward::new(func);
    let (casts, powers) = (cast_loads(func), powers::parameters(func));
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
        let mut cx = Simplify { forward: &mut forward, powers: &powers, b: Builder::new(func, block) };
        for inst in insts {
            match cx.b.func.insts[inst].result.and_then(|v| Some((v, *casts.get(&v)?))) {
                Some((v, ty)) => cx.load_as(inst, v, ty),
                None => cx.visit(inst),
            }
        }
        term.map_values(|v| cx.forward.get(v));
        cx.terminator(&mut term);
        cx.b.end(term);
    }
    // Arguments of back edges and uses before later replacements.
    forward.apply(func);
}

/// Loads from buffers of which only the bits are wanted, as one other type: that type.
fn cast_loads(func: &Func) -> FxHashMap<Value, Type> {
    let mut casts = FxHashMap::default();
    if func.is_lanes {
        return casts;
    }
    let insts = || func.live_insts().map(|(_, inst)| &func.insts[inst]);
    for cast in insts().filter(|data| data.op == Op::Bitcast) {
        let (v, to) = (cast.args[0], cast.result.map(|v| func.ty(v)));
        if let Some(load) = func.def_inst(v).filter(|d| d.op == Op::Load)
            && !load.attr.flags.contains(Flags::VOLATILE)
            && is_buffer(func.ty(load.args[0]))
        {
            casts.extend(to.map(|to| (v, to)));
        }
    }
    if casts.is_empty() {
        return casts;
    }
    for data in insts() {
        for v in &data.args {
            let is_cast = data.op == Op::Bitcast && casts.get(v).copied() == data.result.map(|v| func.ty(v));
            if !is_cast {
                casts.remove(v);
            }
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| {
            casts.remove(&v);
        });
    }
    casts
}

/// Buffers do not know types; fields of slots are promoted if all accesses have one.
fn is_buffer(ptr: Type) -> bool {
    matches!(ptr.elem, Scalar::Ptr(AddrSpace::Global | AddrSpace::Local | AddrSpace::Constant))
}

/// State of the walk.
struct Simplify<'f> {
    forward: &'f mut Forward,
    /// Parameters of blocks that are powers of two, or 0.
    powers: &'f FxHashSet<Value>,
    /// At the end of the block that is being written; its origin is that of the instruction at hand.
    b: Builder<'f>,
}

/// An operation with everything that names its result.
struct Node {
    op: Op,
    ty: Type,
    args: SmallVec<[Value; 4]>,
    imm: Imm,
    attr: Attr,
}

impl Simplify<'_> {
    fn visit(&mut self, inst: Inst) {
        for n in 0..self.b.func.insts[inst].args.len() {
            let v = self.b.func.insts[inst].args[n];
            self.b.func.insts[inst].args[n] = self.forward.get(v);
        }
        if self.b.func.insts[inst].op == Op::Store
            && is_buffer(self.b.func.ty(self.b.func.insts[inst].args[0]))
            && let Some(source) = self.operand_of(self.b.func.insts[inst].args[1], Op::Bitcast)
        {
            let [own, new] = [self.b.func.insts[inst].args[1], source].map(|v| self.b.func.ty(v).elem.bytes() as u8);
            let data = &mut self.b.func.insts[inst];
            data.args[1] = source;
            // Unless it says so, an access is aligned to its elements.
            if data.attr.align == 0 && new > own {
                data.attr.align = own;
            }
        }
        self.strip_casts(inst);
        let data = &self.b.func.insts[inst];
        let Some(result) = data.result else { return self.b.place(inst) };
        if !data.op.is_pure() || data.op.row().arity == Arity::Fixed(0) {
            return self.b.place(inst);
        }
        self.b.origin = data.origin;
        let node = Node {
            op: data.op,
            ty: self.b.func.ty(result),
            args: data.args.clone(),
            imm: data.imm.clone(),
            attr: data.attr,
        };
        match self.rule(&node) {
            Some(new) => self.forward.set(result, new),
            None => self.b.place(inst),
        }
    }

    /// A load of bits that are wanted as another type.
    fn load_as(&mut self, inst: Inst, v: Value, ty: Type) {
        let data = self.b.func.insts[inst].clone();
        self.b.origin = data.origin;
        let own = self.b.func.ty(v);
        let align = if data.attr.align == 0 { own.elem.bytes() as u8 } else { data.attr.align };
        let ptr = self.forward.get(data.args[0]);
        let loaded = self.b.typed(Op::Load, ty, &[ptr], data.imm, Attr { align, ..data.attr });
        let cast = self.b.typed(Op::Bitcast, own, &[loaded], Imm::None, Attr::default());
        self.forward.set(v, cast);
    }

    /// A new operation at this place, simplified in turn.
    fn make(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        let node = Node { op, ty, args: args.into(), imm, attr };
        if let Some(v) = self.rule(&node) {
            return v;
        }
        self.b.typed(node.op, node.ty, &node.args, node.imm, node.attr)
    }
    /// An operation without immediate or attributes.
    fn plain(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        self.make(op, ty, args, Imm::None, Attr::default())
    }

    /// An operation on a value and a constant of its type.
    fn with(&mut self, op: Op, a: Value, bits: u64) -> Value {
        let ty = self.b.func.ty(a);
        let c = self.b.bits(ty, bits);
        self.plain(op, ty, &[a, c])
    }
    /// A comparison.
    fn icmp(&mut self, pred: IntPred, ty: Type, a: Value, b: Value) -> Value {
        self.make(Op::Icmp, ty, &[a, b], Imm::IntPred(pred), Attr::default())
    }
    /// A comparison with a constant.
    fn icmp_with(&mut self, pred: IntPred, ty: Type, a: Value, bits: u64) -> Value {
        let c = self.b.bits(self.b.func.ty(a), bits);
        self.icmp(pred, ty, a, c)
    }

    fn def(&self, v: Value) -> Option<&InstData> {
        self.b.func.def_inst(v)
    }
    /// The defining instruction if it has this op.
    fn def_op(&self, v: Value, op: Op) -> Option<&InstData> {
        self.def(v).filter(|d| d.op == op)
    }
    /// The operand of a one-operand op.
    fn operand_of(&self, v: Value, op: Op) -> Option<Value> {
        self.def_op(v, op).map(|d| d.args[0])
    }
    /// A splat constant's bits.
    fn bits(&self, v: Value) -> Option<u64> {
        self.b.func.const_bits(v)
    }
    /// All lanes of a constant.
    fn lanes(&self, v: Value) -> Option<Lanes> {
        let ty = self.b.func.ty(v);
        let n = usize::from(ty.lanes);
        let data = self.def(v)?;
        match (data.op, &data.imm) {
            (Op::Const, Imm::Bits(bits)) => Some(SmallVec::from_elem(*bits, n)),
            (Op::Undef, _) => Some(SmallVec::from_elem(0, n)),
            (Op::Build, _) => data.args.iter().map(|a| self.bits(*a)).collect(),
            _ => None,
        }
    }

    /// What the operation can be replaced by.
    fn rule(&mut self, node: &Node) -> Option<Value> {
        if let Some(v) = self.fold(node) {
            return Some(v);
        }
        if node.op.is_commutative()
            && node.args.len() == 2
            && self.lanes(node.args[0]).is_some()
            && self.lanes(node.args[1]).is_none()
        {
            let swapped = [node.args[1], node.args[0]];
            return Some(self.make(node.op, node.ty, &swapped, node.imm.clone(), node.attr));
        }
        match node.op {
            Op::PtrAdd | Op::PtrOff | Op::PtrToInt | Op::IntToPtr | Op::AsCast | Op::IsLocal | Op::IsPrivate => {
                self.address(node)
            }
            Op::Build | Op::Splat | Op::Extract | Op::Insert | Op::Shuffle | Op::ExtractDyn | Op::Bitcast => {
                self.vector(node)
            }
            // Of masks that are no constants, but made of such.
            Op::MaskAny | Op::MaskAll | Op::MaskBits => {
                let mask = constant_lanes(self.b.func, node.args[0])?;
                let types = [self.b.func.ty(node.args[0])];
                let bits = value::eval(node.op, &node.imm, &node.attr, node.ty, &types, &[&mask], false)?[0];
                Some(self.b.bits(node.ty, bits))
            }
            Op::Select => self.select(node),
            Op::Fcmp | Op::Fptrunc | Op::Fpext | Op::Fptosi | Op::Fptoui => self.float(node),
            _ if node.ty.is_float() => self.float(node),
            _ => self.int(node),
        }
    }

    fn fold(&mut self, node: &Node) -> Option<Value> {
        let consts: SmallVec<[Lanes; 4]> = node.args.iter().map(|v| self.lanes(*v)).collect::<Option<_>>()?;
        let types: SmallVec<[Type; 4]> = node.args.iter().map(|v| self.b.func.ty(*v)).collect();
        let args: SmallVec<[&[u64]; 4]> = consts.iter().map(|l| l.as_slice()).collect();
        let flushes = self.b.func.flushes_denormals;
        let lanes = value::eval(node.op, &node.imm, &node.attr, node.ty, &types, &args, flushes)?;
        if lanes.iter().all(|l| *l == lanes[0]) {
            return Some(self.b.bits(node.ty, lanes[0]));
        }
        if node.op == Op::Build {
            return None;
        }
        let parts: SmallVec<[Value; 4]> = lanes.iter().map(|l| self.b.bits(node.ty.lane(), *l)).collect();
        Some(self.b.emit(Op::Build, node.ty, &parts, Imm::None))
    }

    fn terminator(&mut self, term: &mut Term) {
        if let Term::Br { cond, then, els } = term
            && let Some(inner) = self.operand_of(*cond, Op::Not)
        {
            *cond = inner;
            std::mem::swap(then, els);
        }
    }
}
