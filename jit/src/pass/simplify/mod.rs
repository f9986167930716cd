//! Constant folding and exact algebra: one walk in reverse postorder, operands before users. Folding evaluates with the
//! interpreter's own code (`interp::value`), so it respects every rounding mode and width. Float identities are used only where they hold for
//! every value, signed zeros included, in the operation's rounding mode; NaN payloads are not kept.
//! Pure operations only; calls, convergent operations and memory (but for the type of what is stored) stay as they are. Linear. `int`, `float`, `vector` and
//! `address` have the rules of each family.
//!
//! Needs nothing; leaves dead operands for `dce`.

mod address;
mod float;
mod int;
mod vector;

use super::forward::Forward;
use crate::interp::value::{self, Lanes};
use crate::ir::op::Arity;
use crate::ir::{Attr, Func, Imm, Inst, InstData, Op, Scalar, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::source::Span;
use smallvec::SmallVec;

/// Runs the pass.
pub fn run(func: &mut Func) {
    super::cleanup::remove_unreachable(func);
    let mut cx = Simplify { forward: Forward::new(func), func, out: Vec::new(), span: Span::DUMMY };
    for i in 0..cx.func.layout.len() {
        let block = cx.func.layout[i];
        let insts = std::mem::take(&mut cx.func.blocks[block].insts);
        cx.out = Vec::with_capacity(insts.len());
        for inst in insts {
            cx.visit(inst);
        }
        cx.func.blocks[block].insts = std::mem::take(&mut cx.out);
        let mut term = std::mem::replace(&mut cx.func.blocks[block].term, Term::Unreachable);
        term.map_values(|v| cx.forward.get(v));
        cx.terminator(&mut term);
        cx.func.blocks[block].term = term;
    }
    // Arguments of back edges and uses before later replacements.
    cx.forward.apply(cx.func);
}

/// State of the walk.
struct Simplify<'f> {
    func: &'f mut Func,
    forward: Forward,
    /// Instructions of the current block so far.
    out: Vec<Inst>,
    /// Place of the instruction at hand.
    span: Span,
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
        for n in 0..self.func.insts[inst].args.len() {
            let v = self.func.insts[inst].args[n];
            self.func.insts[inst].args[n] = self.forward.get(v);
        }
        // Buffers do not know types; fields of slots are promoted if all accesses have one.
        if self.func.insts[inst].op == Op::Store
            && matches!(
                self.func.ty(self.func.insts[inst].args[0]).elem,
                Scalar::Ptr(AddrSpace::Global | AddrSpace::Local)
            )
            && let Some(source) = self.operand_of(self.func.insts[inst].args[1], Op::Bitcast)
        {
            self.func.insts[inst].args[1] = source;
        }
        self.strip_casts(inst);
        let data = &self.func.insts[inst];
        let Some(result) = data.result else { return self.out.push(inst) };
        if !data.op.is_pure() || data.op.row().arity == Arity::Fixed(0) {
            return self.out.push(inst);
        }
        self.span = data.span;
        let node = Node {
            op: data.op,
            ty: self.func.ty(result),
            args: data.args.clone(),
            imm: data.imm.clone(),
            attr: data.attr,
        };
        match self.rule(&node) {
            Some(new) => self.forward.set(result, new),
            None => self.out.push(inst),
        }
    }

    /// A new operation at this place, simplified in turn.
    fn make(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        let node = Node { op, ty, args: args.into(), imm, attr };
        if let Some(v) = self.rule(&node) {
            return v;
        }
        self.emit(node)
    }
    /// A new operation as it stands.
    fn emit(&mut self, node: Node) -> Value {
        let inst = self.func.make_inst(node.op, Some(node.ty), &node.args, node.imm, node.attr, self.span);
        self.out.push(inst);
        self.func.insts[inst].result.expect("a type was given")
    }
    /// An operation without immediate or attributes.
    fn plain(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        self.make(op, ty, args, Imm::None, Attr::default())
    }
    /// A constant (splat), cut to the width.
    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let imm = Imm::Bits(bits & value::ones(ty.elem.bits()));
        self.emit(Node { op: Op::Const, ty, args: SmallVec::new(), imm, attr: Attr::default() })
    }

    fn def(&self, v: Value) -> Option<&InstData> {
        self.func.def_inst(v)
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
        self.func.const_bits(v)
    }
    /// All lanes of a constant.
    fn lanes(&self, v: Value) -> Option<Lanes> {
        let ty = self.func.ty(v);
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
            Op::Select => self.select(node),
            Op::Fcmp | Op::Fptrunc | Op::Fpext | Op::Fptosi | Op::Fptoui => self.float(node),
            _ if node.ty.is_float() => self.float(node),
            _ => self.int(node),
        }
    }

    fn fold(&mut self, node: &Node) -> Option<Value> {
        let consts: SmallVec<[Lanes; 4]> = node.args.iter().map(|v| self.lanes(*v)).collect::<Option<_>>()?;
        let types: SmallVec<[Type; 4]> = node.args.iter().map(|v| self.func.ty(*v)).collect();
        let args: SmallVec<[&[u64]; 4]> = consts.iter().map(|l| l.as_slice()).collect();
        let lanes = value::eval(node.op, &node.imm, &node.attr, node.ty, &types, &args)?;
        if lanes.iter().all(|l| *l == lanes[0]) {
            return Some(self.constant(node.ty, lanes[0]));
        }
        if node.op == Op::Build {
            return None;
        }
        let parts: SmallVec<[Value; 4]> = lanes.iter().map(|l| self.constant(node.ty.lane(), *l)).collect();
        Some(self.emit(Node { op: Op::Build, ty: node.ty, args: parts, imm: Imm::None, attr: Attr::default() }))
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
