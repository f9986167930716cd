//! Vectors that are put together of what was done with components are what is done with whole vectors, once.
//!
//! ```text
//! a = extract v, 0 ; b = fmul a, k                          k = splat k ; f = fmul v, k
//! c = extract v, 1 ; d = fmul c, k                     →
//! f = build b, d
//! ```
//! Elementwise functions of the library are called for one component after the other, since their bodies are scalar;
//! once they have come in and their branches are selections, this puts them together again. Programs write the like.
//! Not where anything else uses the scalars, which would then be computed twice.
//!
//! Scalars that are made alike from the lanes of vectors are **packs**. They are found first, from where they meet down
//! to whole vectors; then the operations on vectors come where they meet. Operations keep rounding and order of
//! operands, and what all of them know of their numbers. Linear: each is looked at once, up to `MOST_OPS` of them.
//! (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia Instruction Sets", PLDI 2000.)

use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, Op, Scalar, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most operations on vectors from one beginning.
const MOST_OPS: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Func) {
    let builds = func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::Build);
    let found = |(block, inst)| {
        let mut packs = Packs::default();
        (packs.find(func, &func.insts[inst].args) && !packs.ops.is_empty()).then_some(Rebuilt { block, inst, packs })
    };
    let mut rebuilt: Vec<Rebuilt> = builds.filter_map(found).collect();
    if rebuilt.is_empty() || !retain_alone(func, &mut rebuilt) {
        return;
    }
    let mut whole: FxHashMap<Value, Value> = FxHashMap::default();
    for Rebuilt { block, inst, mut packs } in rebuilt {
        let InstData { args, result: Some(result), origin, .. } = func.insts[inst].clone() else { continue };
        let mut b = Builder::before(func, block, inst).with_origin(origin);
        let vector = packs.emit(&mut b, &args);
        whole.insert(result, vector);
    }
    for block in func.layout.clone() {
        func.map_uses(block, |v| whole.get(&v).copied().unwrap_or(v));
    }
}

/// A `build` that an operation on vectors may take the place of.
struct Rebuilt {
    block: Block,
    inst: Inst,
    packs: Packs,
}

impl Rebuilt {
    /// The scalars that would be computed as lanes.
    fn scalars(&self) -> FxHashSet<Value> {
        self.packs.ops.iter().flatten().copied().collect()
    }
}

/// Keeps those whose scalars nothing else uses; false if none are left.
fn retain_alone(func: &Func, rebuilt: &mut Vec<Rebuilt>) -> bool {
    let uses = func.use_counts();
    let args = |v: Value| func.def_inst(v).map_or(&[][..], |data| &data.args[..]);
    // Who wants a scalar as a lane, and how often they and their scalars use a value.
    let mut wanted: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
    for (n, r) in rebuilt.iter().enumerate() {
        r.scalars().into_iter().for_each(|v| wanted.entry(v).or_default().push(n));
    }
    let builds = rebuilt.iter().flat_map(|r| &func.insts[r.inst].args);
    let mut ours: FxHashMap<Value, u32> = FxHashMap::default();
    for &arg in builds.chain(wanted.keys().flat_map(|&v| args(v))) {
        *ours.entry(arg).or_default() += 1;
    }
    let mut left: FxHashMap<Value, usize> = wanted.iter().map(|(&v, by)| (v, by.len())).collect();
    let mut stays = vec![true; rebuilt.len()];
    let mut others: Vec<Value> = wanted.keys().copied().filter(|v| ours.get(v) != Some(&uses[v.index()])).collect();
    while let Some(v) = others.pop() {
        for &n in wanted.get(&v).into_iter().flatten() {
            if !std::mem::replace(&mut stays[n], false) {
                continue;
            }
            // What its scalars use is used otherwise then, where nobody else wants those as lanes.
            others.extend(&func.insts[rebuilt[n].inst].args);
            for scalar in rebuilt[n].scalars() {
                let left = left.entry(scalar).or_default();
                *left -= 1;
                if *left == 0 {
                    others.extend(args(scalar));
                }
            }
        }
    }
    let mut stays = stays.into_iter();
    rebuilt.retain(|_| stays.next() == Some(true));
    !rebuilt.is_empty()
}

/// What scalars have in common that are the lanes of a vector.
enum Pack {
    /// One scalar for all.
    Same(Value),
    /// Numbers.
    Constants,
    /// The lanes of a vector, in order.
    Whole(Value),
    /// Lanes of one vector in another order, or some of them.
    Picked,
    /// Made in the same way: the first of them is.
    Op(InstData),
}

/// Operations on scalars that become operations on vectors.
#[derive(Default)]
pub(crate) struct Packs {
    /// The scalars of each, behind those of its operands.
    ops: Vec<Vec<Value>>,
    /// Those of `ops`.
    known: FxHashMap<Vec<Value>, Option<Value>>,
}

impl Packs {
    /// True if values are the lanes of one vector, or made of such, and of what is the same for all, in the same way.
    pub(crate) fn find(&mut self, func: &Func, values: &[Value]) -> bool {
        let Some(pack) = pack(func, values) else { return false };
        let Pack::Op(first) = pack else { return true };
        if self.known.contains_key(values) {
            return true;
        }
        // Counted in front of its operands, so that their depth has this limit too.
        if self.known.len() == MOST_OPS {
            return false;
        }
        self.known.insert(values.to_vec(), None);
        let found = (0..first.args.len()).all(|n| self.find(func, &operands(func, values, n)));
        self.ops.push(values.to_vec());
        found
    }

    /// The values as a vector.
    pub(crate) fn emit(&mut self, b: &mut Builder<'_>, values: &[Value]) -> Value {
        for pack in std::mem::take(&mut self.ops) {
            let Some(Pack::Op(InstData { op, args, imm, attr, .. })) = self::pack(b.func, &pack) else { continue };
            let shared = |flags: Flags, &v: &Value| flags & b.func.def_inst(v).expect("found so").attr.flags;
            let flags = pack.iter().fold(attr.flags, shared);
            let operands: Vec<Value> = (0..args.len())
                .map(|n| {
                    let of = operands(b.func, &pack, n);
                    match self::pack(b.func, &of) {
                        // One condition may stand for all.
                        Some(Pack::Same(cond)) if op == Op::Select && n == 0 => cond,
                        _ => self.vector(b, &of),
                    }
                })
                .collect();
            let ty = b.func.ty(pack[0]).with_lanes(pack.len() as u8);
            let vector = b.typed(op, ty, &operands, imm, Attr { rm: attr.rm, flags, ..Attr::default() });
            self.known.insert(pack, Some(vector));
        }
        self.vector(b, values)
    }

    /// The vector of values whose operations are there.
    fn vector(&self, b: &mut Builder<'_>, values: &[Value]) -> Value {
        let ty = b.func.ty(values[0]).with_lanes(values.len() as u8);
        match (pack(b.func, values), self.known.get(values)) {
            (_, Some(&Some(vector))) | (Some(Pack::Whole(vector)), _) => vector,
            (Some(Pack::Same(v)), _) => b.convert(Op::Splat, ty, v),
            _ => b.emit(Op::Build, ty, values, Imm::None),
        }
    }
}

/// What values have in common, if that is enough for a vector.
fn pack(func: &Func, values: &[Value]) -> Option<Pack> {
    let ty = func.ty(values[0]);
    if ty.is_ptr() || ty.is_vector() {
        return None;
    }
    if values.iter().all(|&v| v == values[0]) {
        return Some(Pack::Same(values[0]));
    }
    if values.iter().all(|&v| func.const_bits(v).is_some()) {
        return (ty.elem != Scalar::I1).then_some(Pack::Constants);
    }
    let first = func.def_inst(values[0])?;
    if first.op == Op::Extract {
        let vector = first.args[0];
        let lane = |&v: &Value| match func.def_inst(v) {
            Some(InstData { op: Op::Extract, imm: Imm::Lane(lane), args, .. }) if args[0] == vector => Some(*lane),
            _ => None,
        };
        let lanes: Vec<u8> = values.iter().map(lane).collect::<Option<_>>()?;
        let in_order = lanes.iter().enumerate().all(|(at, &lane)| at == usize::from(lane));
        let is_whole = in_order && lanes.len() == usize::from(func.ty(vector).lanes);
        return Some(if is_whole { Pack::Whole(vector) } else { Pack::Picked });
    }
    let alike = |&v: &Value| {
        func.def_inst(v).is_some_and(|d| {
            (d.op, &d.imm, d.attr.rm, d.args.len()) == (first.op, &first.imm, first.attr.rm, first.args.len())
                && func.ty(v) == ty
                && d.args.iter().zip(&first.args).all(|(&a, &b)| func.ty(a) == func.ty(b))
        })
    };
    let is_mask = matches!(first.op, Op::Icmp | Op::Fcmp | Op::And | Op::Or | Op::Xor);
    let keeps_lanes = first.op == Op::Bitcast && !func.ty(first.args[0]).is_vector();
    let fits = (first.op.is_elementwise() || keeps_lanes) && (ty.elem != Scalar::I1 || is_mask);
    (fits && values.iter().all(alike)).then(|| Pack::Op(first.clone()))
}

/// Operand number `n` of what makes each value.
fn operands(func: &Func, values: &[Value], n: usize) -> Vec<Value> {
    values.iter().map(|&v| func.def_inst(v).expect("found so").args[n]).collect()
}
