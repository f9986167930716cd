//! Lanes stay in the order of memory while they are computed with alike: what `interleave` and `coalesce` take apart
//! into members is often put together again by the next store, or goes through the same operations member by member.
//!
//! ```text
//! a = shuffle v, w [0 4 8 ..]  ; b = shuffle x, y [0 4 8 ..] ; c = max a, b
//!                                         →   p = max v, x ; q = max w, y ; c = shuffle p, q [0 4 8 ..]
//! d = shuffle c, c' [0 8 1 9 ..]          →   d = shuffle p, q [0 1 4 5 ..]
//! t = trunc i8 (lshr i32 g, 8) ; s = select m, 0, t    →   h = select m, 0, g ; s = trunc i8 (lshr i32 h, 8)
//! ```
//! So the operations of all members become those of whole vectors, which are the same ones for each member, and
//! shuffles of shuffles become one; a part of larger elements counts as a shuffle of their bytes. Only where what is
//! left out is used for nothing else, so that shuffles get fewer, and where a vector is one register. Floats keep
//! their order: what lies between the members may be any bits, of which sums take their time. Linear. Takes SSA form
//! in lanes.

use super::Config;
use crate::ir::entity::Entity;
use crate::ir::{Builder, Func, Imm, Inst, InstData, Op, Type, Value, ValueDef};
use crate::pass::forward::Forward;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Operations that are looked through for the width of a mask.
const DEPTH: u32 = 4;

/// Runs the pass; true if it changed anything.
pub(crate) fn run(func: &mut Func, config: Config) -> bool {
    let mixes = |&(_, inst): &(_, Inst)| matches!(func.insts[inst].op, Op::Shuffle | Op::Select);
    if func.live_insts().filter(mixes).nth(1).is_none() {
        return false;
    }
    let mut this = Sink {
        uses: Uses::of(func),
        forward: Forward::new(func),
        made: FxHashMap::default(),
        register_bytes: config.target.register_bytes.into(),
        any: false,
    };
    for block in func.layout.clone() {
        this.made.clear();
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            for n in 0..func.insts[inst].args.len() {
                let arg = func.insts[inst].args[n];
                func.insts[inst].args[n] = this.forward.get(arg);
            }
            let origin = func.insts[inst].origin;
            this.visit(&mut Builder::new(func, block).with_origin(origin), inst);
            func.blocks[block].insts.push(inst);
        }
    }
    this.forward.apply(func);
    this.any
}

/// How often values are used, and how often by shuffles.
struct Uses {
    all: Vec<u32>,
    shuffled: Vec<u32>,
}

impl Uses {
    fn of(func: &Func) -> Self {
        let mut shuffled = vec![0; func.values.len()];
        for (_, inst) in func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::Shuffle) {
            func.insts[inst].args.iter().for_each(|arg| shuffled[arg.index()] += 1);
        }
        Self { all: func.use_counts(), shuffled }
    }

    /// What took the place of a value is used as that was.
    fn hand_on(&mut self, old: Value, new: Value) {
        for counts in [&mut self.all, &mut self.shuffled] {
            if counts.len() <= new.index() {
                counts.resize(new.index() + 1, 0);
            }
            counts[new.index()] += counts[old.index()];
        }
    }

    fn once(&self, v: Value) -> bool {
        self.all.get(v.index()) == Some(&1)
    }

    /// True if nothing but shuffles uses a value.
    fn only_shuffled(&self, v: Value) -> bool {
        self.all.get(v.index()).is_some_and(|all| self.shuffled.get(v.index()) == Some(all))
    }
}

/// Where the lanes of a vector come from: lanes of two others of one type.
struct Source {
    operands: [Value; 2],
    picks: SmallVec<[u8; 64]>,
}

/// What is made in a block is made once.
type Key = (Op, Type, SmallVec<[Value; 3]>, Option<u64>);

struct Sink {
    uses: Uses,
    forward: Forward,
    made: FxHashMap<Key, Value>,
    register_bytes: u32,
    any: bool,
}

impl Sink {
    fn visit(&mut self, b: &mut Builder, inst: Inst) {
        let Some(result) = b.func.insts[inst].result.filter(|&v| b.func.ty(v).is_vector()) else { return };
        let new = match b.func.insts[inst].op {
            Op::Shuffle => self.compose(b, inst),
            Op::Select => self.select_wide(b, inst),
            op if keeps_order(op) && b.func.ty(result).is_int() => self.sink(b, inst),
            _ => None,
        };
        if let Some(new) = new {
            self.uses.hand_on(result, new);
            self.forward.set(result, new);
            self.any = true;
        }
    }

    fn make(&mut self, b: &mut Builder, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        let bits = match imm {
            Imm::None => None,
            Imm::Bits(bits) => Some(bits),
            _ => return b.emit(op, ty, args, imm),
        };
        let key = (op, ty, args.into(), bits);
        *self.made.entry(key).or_insert_with(|| b.emit(op, ty, args, imm))
    }

    fn constant(&mut self, b: &mut Builder, ty: Type, bits: u64) -> Value {
        self.make(b, Op::Const, ty, &[], Imm::Bits(bits))
    }

    /// True if a vector that shuffles pick from is one register.
    fn fits(&self, ty: Type) -> bool {
        ty.bytes() <= self.register_bytes
    }

    /// A shuffle of shuffles.
    fn compose(&mut self, b: &mut Builder, inst: Inst) -> Option<Value> {
        let data = &b.func.insts[inst];
        let (result, args) = (data.result?, [data.args[0], data.args[1]]);
        let Imm::Lanes(picks) = &data.imm else { return None };
        let picks: SmallVec<[u8; 64]> = picks.iter().copied().collect();
        let ty = b.func.ty(result);
        let n = b.func.ty(args[0]).lanes;
        let [first, second] = args.map(|v| self.source(b.func, v));
        if !first.is_inner && !second.is_inner || ty.elem.bits() < 8 {
            return None;
        }
        // The vectors that lanes really come from.
        let mut leaves: SmallVec<[Leaf; 2]> = SmallVec::new();
        let mut lanes: SmallVec<[(usize, u8); 64]> = SmallVec::new();
        for pick in picks {
            let (leaf, lane) = if pick < n { first.at(pick) } else { second.at(pick - n) };
            let place = leaves.iter().position(|&known| known == leaf).unwrap_or_else(|| {
                leaves.push(leaf);
                leaves.len() - 1
            });
            lanes.push((place, lane));
        }
        let from = leaves[0].ty(b.func);
        if leaves.len() > 2 || !self.fits(from) || leaves.iter().any(|leaf| leaf.ty(b.func) != from) {
            self.leave_out(b.func, inst);
            return None;
        }
        let values: SmallVec<[Value; 2]> = leaves.iter().map(|leaf| self.value(b, *leaf)).collect();
        let operands = [values[0], values[values.len() - 1]];
        let picks = lanes.iter().map(|&(place, lane)| place as u8 * from.lanes + lane).collect();
        Some(b.emit(Op::Shuffle, ty, &operands, Imm::Lanes(picks)))
    }

    /// In operands that are shuffles for this one alone, lanes that it does not pick come from beside their neighbours.
    fn leave_out(&mut self, func: &mut Func, inst: Inst) {
        let (data, n) = (&func.insts[inst], func.ty(func.insts[inst].args[0]).lanes);
        let Imm::Lanes(picks) = &data.imm else { return };
        let (args, picks) = ([data.args[0], data.args[1]], picks.clone());
        for (side, arg) in args.into_iter().enumerate().filter(|_| args[0] != args[1]) {
            let first = side as u8 * n;
            let ValueDef::Inst(inner) = func.values[arg].def else { continue };
            if func.insts[inner].op != Op::Shuffle || !self.uses.once(arg) {
                continue;
            }
            let from = func.ty(func.insts[inner].args[0]).lanes;
            let Imm::Lanes(inner) = &mut func.insts[inner].imm else { continue };
            let Some(some) = picks.iter().find(|&&pick| (first..first + n).contains(&pick)) else { continue };
            let mut before = inner[usize::from(some - first)];
            for lane in 0..n {
                if picks.contains(&(first + lane)) {
                    before = inner[usize::from(lane)];
                } else if lane > 0 && (before + 1) % from != 0 {
                    before += 1;
                    inner[usize::from(lane)] = before;
                } else {
                    inner[usize::from(lane)] = before;
                }
            }
        }
    }

    /// The vectors that a shuffle's operand is picked from.
    fn source(&self, func: &Func, v: Value) -> Inner {
        let own = Inner { is_inner: false, leaves: [Leaf { v, parts: None }; 2], picks: SmallVec::new() };
        let Some(data) = func.def_inst(v).filter(|_| self.uses.only_shuffled(v)) else { return own };
        match (data.op, &data.imm) {
            (Op::Shuffle, Imm::Lanes(_)) => {
                let Source { operands, picks } = shuffled(func, data).expect("it is a shuffle");
                let n = func.ty(operands[0]).lanes;
                let leaves = operands.map(|v| Leaf { v, parts: None });
                let picks = picks.iter().map(|&pick| ((pick >= n).into(), pick % n)).collect();
                Inner { is_inner: true, leaves, picks }
            }
            (Op::Trunci, _) => {
                let Some(part) = Part::of(func, v) else { return own };
                let (ratio, n) = (part.ratio(), func.ty(v).lanes);
                // There are no vectors of six.
                if !self.fits(func.ty(part.whole)) || !n.is_power_of_two() {
                    return own;
                }
                let leaf = Leaf { v: part.whole, parts: Some(func.ty(v).with_lanes(ratio * n)) };
                let picks = (0..n).map(|lane| (0, ratio * lane + part.number)).collect();
                Inner { is_inner: true, leaves: [leaf; 2], picks }
            }
            _ => own,
        }
    }

    fn value(&mut self, b: &mut Builder, leaf: Leaf) -> Value {
        match leaf.parts {
            None => leaf.v,
            Some(ty) => self.make(b, Op::Bitcast, ty, &[leaf.v], Imm::None),
        }
    }

    /// An operation on vectors that were shuffled alike: the shuffle of what it makes of whole ones.
    fn sink(&mut self, b: &mut Builder, inst: Inst) -> Option<Value> {
        let data = &b.func.insts[inst];
        let (op, result) = (data.op, data.result?);
        let ty = b.func.ty(result);
        let args: SmallVec<[Value; 3]> = data.args.iter().copied().collect();
        if args.iter().any(|&arg| b.func.ty(arg) != ty) {
            return None;
        }
        let sources: SmallVec<[Option<Source>; 3]> = args
            .iter()
            .map(|&arg| b.func.def_inst(arg).filter(|_| self.uses.once(arg)).and_then(|data| shuffled(b.func, data)))
            .collect();
        let mut found = sources.iter().flatten();
        let first = found.next()?;
        let whole = b.func.ty(first.operands[0]);
        let alone = first.operands[0] == first.operands[1];
        let alike = |source: &Source| {
            let same = b.func.ty(source.operands[0]) == whole && source.picks == first.picks;
            same && alone == (source.operands[0] == source.operands[1])
        };
        if !found.clone().all(alike) || found.next().is_none() || !self.fits(whole) {
            return None;
        }
        // What is beside them is alike in all lanes.
        let even = |&(arg, source): &(&Value, &Option<Source>)| {
            source.is_some() || b.func.const_bits(*arg).is_some() || splatted(b.func, *arg).is_some()
        };
        if !args.iter().zip(&sources).all(|pair| even(&pair)) {
            return None;
        }
        let picks = first.picks.iter().copied().collect();
        let results = [0, 1].map(|side| {
            let args: SmallVec<[Value; 3]> = args
                .iter()
                .zip(&sources)
                .map(|(&arg, source)| match source {
                    Some(source) => source.operands[side],
                    None => match (b.func.const_bits(arg), splatted(b.func, arg)) {
                        (Some(bits), _) => self.constant(b, whole, bits),
                        (None, Some(scalar)) => self.make(b, Op::Splat, whole, &[scalar], Imm::None),
                        (None, None) => unreachable!("it is alike in all lanes"),
                    },
                })
                .collect();
            // Facts about the lanes that were picked are none about others: no flags.
            self.make(b, op, whole, &args, Imm::None)
        });
        Some(b.emit(Op::Shuffle, ty, &results, Imm::Lanes(picks)))
    }

    /// A part of larger elements where a condition on such elements holds, and else a constant: the part of what is
    /// chosen among the larger ones.
    fn select_wide(&mut self, b: &mut Builder, inst: Inst) -> Option<Value> {
        let data = &b.func.insts[inst];
        let (result, mask) = (data.result?, data.args[0]);
        let sides = [data.args[1], data.args[2]];
        let ty = b.func.ty(result);
        let at = (0..2).find(|&at| b.func.const_bits(sides[1 - at]).is_some() && self.uses.once(sides[at]))?;
        let part = Part::of(b.func, sides[at])?;
        let wide = b.func.ty(part.whole);
        if !ty.is_int() || compared_bits(b.func, mask, DEPTH) != Some(wide.elem.bits()) {
            return None;
        }
        let bits = b.func.const_bits(sides[1 - at])?;
        let repeated = (0..u32::from(part.ratio())).fold(0, |all, n| all | bits << (n * ty.elem.bits()));
        let mut args = [mask, part.whole, part.whole];
        args[2 - at] = self.constant(b, wide, repeated);
        let chosen = self.make(b, Op::Select, wide, &args, Imm::None);
        let moved = match part.number {
            0 => chosen,
            number => {
                let by = self.constant(b, wide, u64::from(number) * u64::from(ty.elem.bits()));
                self.make(b, Op::Lshr, wide, &[chosen, by], Imm::None)
            }
        };
        Some(b.emit(Op::Trunci, ty, &[moved], Imm::None))
    }
}

/// A vector that lanes are picked from; `parts`: seen as one of such elements.
#[derive(Clone, Copy, PartialEq)]
struct Leaf {
    v: Value,
    parts: Option<Type>,
}

impl Leaf {
    fn ty(self, func: &Func) -> Type {
        self.parts.unwrap_or_else(|| func.ty(self.v))
    }
}

/// An operand of a shuffle, and where its lanes come from if it is one itself.
struct Inner {
    is_inner: bool,
    leaves: [Leaf; 2],
    picks: SmallVec<[(u8, u8); 64]>,
}

impl Inner {
    fn at(&self, lane: u8) -> (Leaf, u8) {
        if !self.is_inner {
            return (self.leaves[0], lane);
        }
        let (side, lane) = self.picks[usize::from(lane)];
        (self.leaves[usize::from(side)], lane)
    }
}

/// A part of larger integers: that of this number, from the lowest bits up.
struct Part {
    whole: Value,
    number: u8,
    bits: [u32; 2],
}

impl Part {
    /// What a truncation takes, with the shift in front of it.
    fn of(func: &Func, v: Value) -> Option<Self> {
        let data = func.def_inst(v).filter(|data| data.op == Op::Trunci)?;
        let narrow = func.ty(v);
        let (mut whole, mut number) = (data.args[0], 0);
        let bits = [narrow.elem.bits(), func.ty(whole).elem.bits()];
        if !narrow.is_vector() || bits[0] < 8 {
            return None;
        }
        if let Some(shift) = func.def_inst(whole).filter(|shift| shift.op == Op::Lshr)
            && let Some(by) = func.const_bits(shift.args[1])
            && by < u64::from(bits[1])
            && by % u64::from(bits[0]) == 0
        {
            (whole, number) = (shift.args[0], (by / u64::from(bits[0])) as u8);
        }
        Some(Self { whole, number, bits })
    }

    fn ratio(&self) -> u8 {
        (self.bits[1] / self.bits[0]) as u8
    }
}

/// What a shuffle picks; of the first operand alone if it asks for nothing of the second.
fn shuffled(func: &Func, data: &InstData) -> Option<Source> {
    let (Op::Shuffle, Imm::Lanes(picks)) = (data.op, &data.imm) else { return None };
    let (a, b) = (data.args[0], data.args[1]);
    let n = func.ty(a).lanes;
    if a == b {
        return Some(Source { operands: [a, a], picks: picks.iter().map(|pick| pick % n).collect() });
    }
    Some(Source { operands: [a, b], picks: picks.iter().copied().collect() })
}

fn splatted(func: &Func, v: Value) -> Option<Value> {
    func.def_inst(v).filter(|data| data.op == Op::Splat).map(|data| data.args[0])
}

/// Cheap operations on each lane that do the same for any order of lanes.
fn keeps_order(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub | And | Or | Xor | MinS | MinU | MaxS | MaxU | AddSatS | AddSatU | SubSatS | SubSatU | RhaddU
    )
}

/// Bits of the elements that a mask was made by comparing.
fn compared_bits(func: &Func, mask: Value, depth: u32) -> Option<u32> {
    let data = func.def_inst(mask).filter(|_| depth > 0)?;
    match data.op {
        Op::Icmp | Op::Fcmp => Some(func.ty(data.args[0]).elem.bits()),
        Op::And | Op::Or | Op::Xor => {
            let [a, b] = [0, 1].map(|n| compared_bits(func, data.args[n], depth - 1));
            a.filter(|_| a == b)
        }
        Op::Not => compared_bits(func, data.args[0], depth - 1),
        _ => None,
    }
}
