//! Gathers of three neighbours of 8 or 16 bits, such as the channels of pixels at places that are not regular, become
//! one of elements four times as large, of which the last quarter is left out. `interleave` has taken regular places at
//! small distances before; two and four neighbours are for `pair`.
//!
//! ```text
//! a = gather i8 p, i + 0 ; b = gather i8 p, i + 1 ; c = gather i8 p, i + 2
//!   → w = gather i32 p, i {three} ; a = trunc w ; b = trunc (w >> 8) ; c = trunc (w >> 16)
//! ```
//! Loads move up to the first one, if nothing in between may write what they read. Takes SSA form in lanes.

use super::pair::{Place, accessed, both, conflicts, elements};
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, Op, Scalar, Type, Value};
use crate::pass::alias::{Alias, Class};
use crate::pass::forward::Forward;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most places whose neighbours are looked for at one time.
const MOST: usize = 64;

/// Rewrites what can be; true if there was anything.
pub(super) fn run(func: &mut Func) -> bool {
    let narrow = |func: &Func, i: Inst| func.insts[i].op == Op::Gather && accessed(func, &func.insts[i]) <= 2;
    if func.live_insts().filter(|&(_, i)| narrow(func, i)).nth(1).is_none() {
        return false;
    }
    let alias = Alias::new(func);
    let mut forward = Forward::new(func);
    let mut any = false;
    for block in func.layout.clone() {
        let threes = find(func, &alias, block);
        if threes.is_empty() {
            continue;
        }
        any = true;
        let mut made: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        for three in &threes {
            made.entry(three.at).or_default().extend(access(func, &mut forward, three));
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let gone: FxHashSet<Inst> = threes.iter().flat_map(|three| &three.members).map(|&(old, _)| old).collect();
        for inst in insts {
            let new = made.remove(&inst).unwrap_or_default();
            func.blocks[block].insts.extend(new);
            if !gone.contains(&inst) {
                func.blocks[block].insts.push(inst);
            }
        }
    }
    forward.apply(func);
    any
}

/// Gathers of a block at one place but for the displacement, between which nothing writes what they read.
struct Open {
    first: Inst,
    place: Place,
    size: u32,
    mask: Value,
    flags: Flags,
    class: Option<Class>,
    /// With the distance from the first.
    members: Vec<(Inst, i64)>,
}

/// Accesses that become one, by increasing distance from the lowest; `at`: where in the block the joint one takes
/// place.
struct Three {
    at: Inst,
    members: Vec<(Inst, i64)>,
}

fn find(func: &Func, alias: &Alias, block: Block) -> Vec<Three> {
    let mut open: Vec<Open> = Vec::new();
    let mut found = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        if data.op.is_pure() {
            continue;
        }
        let ended = open.extract_if(.., |o| conflicts(func, alias, o.class, data, true));
        ended.for_each(|o| o.into_threes(&mut found));
        let Some(mut made) = Open::of(func, alias, inst) else { continue };
        let other = open.iter_mut().find_map(|o| o.distance(func, &made).map(|at| (o, at)));
        if let Some((other, at)) = other {
            other.members.push((inst, at));
            continue;
        }
        made.members.push((inst, 0));
        if open.len() == MOST {
            open.remove(0).into_threes(&mut found);
        }
        open.push(made);
    }
    open.into_iter().for_each(|o| o.into_threes(&mut found));
    found
}

impl Open {
    fn of(func: &Func, alias: &Alias, inst: Inst) -> Option<Self> {
        let data = &func.insts[inst];
        if data.op != Op::Gather {
            return None;
        }
        let size = accessed(func, data);
        let narrow = size == 1 || size == 2 && data.attr.align != 1;
        let (_, mask) = elements(func, data, size).filter(|_| narrow)?;
        let (place, class) = (Place::of(func, data)?, alias.load_class(func, data));
        Some(Self { first: inst, place, size, mask, flags: data.attr.flags, class, members: Vec::new() })
    }

    /// From this place to another, if the same lanes access it in the same way.
    fn distance(&self, func: &Func, other: &Self) -> Option<i64> {
        let lanes = |o: &Self| func.insts[o.first].result.map(|v| func.ty(v).lanes);
        let same = self.mask == other.mask || both(func, self.mask, other.mask);
        let alike = same && (self.size, self.flags, lanes(self)) == (other.size, other.flags, lanes(other));
        self.place.distance(other.place).filter(|_| alike)
    }

    /// Takes groups of three elements, or of the first and the third, out of what is not in whole words.
    fn into_threes(mut self, found: &mut Vec<Three>) {
        let size = i64::from(self.size);
        self.members.sort_unstable_by_key(|&(_, at)| at);
        let mut rest = &self.members[..];
        while let Some(&(_, low)) = rest.first() {
            let near = |most: i64| rest.iter().take_while(|(_, at)| at - low <= most * size).count();
            let whole = |n: usize| rest[..n].iter().zip(0..).all(|((_, at), i)| at - low == i * size);
            let taken = match (near(3), near(2)) {
                (4, 3) if whole(4) => 4,
                (_, n) => n,
            };
            let fits = rest[..taken].iter().all(|(_, at)| (at - low) % size == 0);
            let distinct = rest[..taken].windows(2).all(|pair| pair[0].1 != pair[1].1);
            if fits && distinct && (taken == 3 || taken == 2 && !whole(2)) {
                let members = rest[..taken].iter().map(|&(inst, at)| (inst, at - low)).collect();
                found.push(Three { at: self.first, members });
            }
            rest = &rest[taken..];
        }
    }
}

/// The instructions that do what the members do.
fn access(func: &mut Func, forward: &mut Forward, three: &Three) -> Vec<Inst> {
    let low = func.insts[three.members[0].0].clone();
    let Place { root, index, scale, disp } = Place::of(func, &low).expect("it was found so");
    let InstData { span, .. } = low;
    let mask = func.insts[three.at].args[2];
    let size = accessed(func, &low);
    let lanes = func.ty(low.result.expect("a gather has a result")).lanes;
    let (part, whole) = if size == 1 { (Scalar::I8, Scalar::I32) } else { (Scalar::I16, Scalar::I64) };
    let (part, whole) = (Type::scalar(part).with_lanes(lanes), Type::scalar(whole).with_lanes(lanes));
    let mut made = Vec::new();
    let mut make = |func: &mut Func, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr| {
        let inst = func.make_inst(op, Some(ty), args, imm, attr, span);
        made.push(inst);
        func.insts[inst].result.expect("a type was given")
    };
    let zero = make(func, Op::Const, whole, &[], Imm::Bits(0), Attr::default());
    let attr = Attr { align: size as u8, flags: low.attr.flags | Flags::THREE, ..low.attr };
    let word = make(func, Op::Gather, whole, &[root, index, mask, zero], Imm::Scale { scale, disp }, attr);
    for &(old, at) in &three.members {
        let old = func.insts[old].result.expect("a gather has a result");
        let shifted = match at {
            0 => word,
            _ => {
                let by = make(func, Op::Const, whole, &[], Imm::Bits(8 * at as u64), Attr::default());
                make(func, Op::Lshr, whole, &[word, by], Imm::None, Attr::default())
            }
        };
        let ty = func.ty(old);
        let v = make(func, Op::Trunci, part, &[shifted], Imm::None, Attr::default());
        let v = if ty == part { v } else { make(func, Op::Bitcast, ty, &[v], Imm::None, Attr::default()) };
        forward.set(old, v);
    }
    made
}
