//! Whether the turns of a loop depend on each other through memory (dependence testing, after Goff, Kennedy, Tseng,
//! "Practical Dependence Testing"). Addresses are sums of what the loop does not change and of a multiple of the turn's
//! number, modulo 2⁶⁴; two of them with the same invariant part are told apart by their distance and the bytes from
//! turn to turn (the strong SIV test), or by the ranges of bytes that all turns access, if their number is known
//! (Banerjee's bounds). Everything else depends, but memory of different classes (`alias`).

use super::alias::{Alias, is_pure_call};
use super::induction::Induction;
use crate::ir::dom::Loop;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, InstData, Op, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most pairs of accesses that are compared.
const MAX_PAIRS: usize = 4096;
/// Levels of sums that are looked through.
const DEPTH: u32 = 16;
/// Most bytes from turn to turn.
const MAX_STEP: u64 = 1 << 31;

/// A number of 64 bits, or an address: values times factors, a multiple of the turn's number, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Values that the loop does not change, in order, each once.
    terms: SmallVec<[(Value, i64); 4]>,
    by: i64,
    disp: i64,
}

impl Sum {
    fn plus(mut self, other: &Self, factor: i64) -> Self {
        for &(v, times) in &other.terms {
            let times = times.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(own, _)| *own == v) {
                Some((_, own)) => *own = own.wrapping_add(times),
                None => self.terms.push((v, times)),
            }
        }
        self.terms.retain(|(_, times)| *times != 0);
        self.terms.sort_unstable();
        self.by = self.by.wrapping_add(other.by.wrapping_mul(factor));
        self.disp = self.disp.wrapping_add(other.disp.wrapping_mul(factor));
        self
    }
    /// The same in the first turn for a sum that does not grow: by how much the other one is more, and grows.
    pub fn from_fixed(&self, other: &Self) -> Option<(i64, i64)> {
        let is_alike = self.terms == other.terms && self.by == 0 && other.by.unsigned_abs() <= MAX_STEP;
        is_alike.then(|| (other.disp.wrapping_sub(self.disp), other.by))
    }
    /// By how much another sum of the same values is more in the same turn, and by how much both grow from turn to
    /// turn.
    pub fn distance(&self, other: &Self) -> Option<(i64, i64)> {
        let is_alike = self.terms == other.terms && self.by == other.by && self.by.unsigned_abs() <= MAX_STEP;
        is_alike.then(|| (other.disp.wrapping_sub(self.disp), self.by))
    }
}

/// An access to memory.
struct Access {
    writes: bool,
    /// Classes that it may share memory with, and its own.
    overlaps: u64,
    class: u64,
    sum: Option<Sum>,
    bytes: i64,
}

/// A loop with one latch whose turns are asked about.
pub struct Turns<'a> {
    func: &'a Func,
    homes: Vec<Option<Block>>,
    /// Header parameters that grow by constants: first values and steps.
    counters: FxHashMap<Value, (Value, i64)>,
    /// Those of them that do not wrap as numbers with a sign.
    exact: FxHashSet<Value>,
    known: FxHashMap<Value, Option<Sum>>,
}

/// True if no turn of a loop accesses what another one writes, and the loop has no effects but loads and stores.
/// `first` is what the header's parameters are at first, `turns` how often it runs, if that is known.
pub fn are_independent(func: &Func, alias: &Alias, l: &Loop, first: &[Value], turns: Option<u64>) -> bool {
    let mut this = Turns::new(func, l, first);
    let mut accesses: Vec<Access> = Vec::new();
    for data in func.data_of(&l.blocks) {
        let (ty, writes) = match data.op {
            Op::Load => (data.result.map(|v| func.ty(v)), false),
            Op::Store => (Some(func.ty(data.args[1])), true),
            Op::SlotAddr => return false,
            op if op.is_pure() => continue,
            _ if is_pure_call(data) => continue,
            _ => return false,
        };
        if data.attr.flags.contains(Flags::VOLATILE) {
            return false;
        }
        let class = if writes { alias.class(func, data.args[0]) } else { alias.load_class(func, data) };
        let (Some(class), Some(ty)) = (class, ty) else { continue };
        let sum = this.address(data.args[0]);
        let overlaps = alias.overlaps(class);
        accesses.push(Access { writes, overlaps, class: 1 << class.index(), sum, bytes: ty.bytes().into() });
    }
    let stores = accesses.iter().filter(|a| a.writes).count();
    if stores * accesses.len() > MAX_PAIRS {
        return false;
    }
    let depends = |a: &Access, b: &Access| a.overlaps & b.class != 0 && !are_apart(a, b, turns);
    !accesses.iter().filter(|a| a.writes).any(|a| accesses.iter().any(|b| depends(a, b)))
}

/// True if two accesses touch no byte that both touch in different turns.
fn are_apart(a: &Access, b: &Access, turns: Option<u64>) -> bool {
    let (Some(x), Some(y)) = (&a.sum, &b.sum) else { return false };
    // With larger steps turns could meet that are 2⁶⁴ bytes apart.
    if x.terms != y.terms || x.by.unsigned_abs().max(y.by.unsigned_abs()) > MAX_STEP {
        return false;
    }
    let distance = i128::from(y.disp.wrapping_sub(x.disp));
    let (size_a, size_b) = (i128::from(a.bytes), i128::from(b.bytes));
    if x.by == y.by {
        // Byte 0 of `b`, seen from that of `a`, k turns later: it must not be in between for any k but 0.
        let by = i128::from(x.by).abs();
        if by == 0 {
            return false;
        }
        let meets = |k: i128| k != 0 && distance + k * by > -size_b && distance + k * by < size_a;
        let within = |k: i128| turns.is_none_or(|n| k.unsigned_abs() < u128::from(n));
        let near = (-distance).div_euclid(by);
        let reach = (size_a + size_b) / by + 1;
        if reach > 64 {
            return false;
        }
        return !(near - reach..=near + reach).any(|k| meets(k) && within(k));
    }
    // The bytes that all turns access.
    let Some(last) = turns.filter(|&n| n < 1 << 32).map(|n| i128::from(n) - 1) else { return false };
    let range = |sum: &Sum, at: i128, size: i128| {
        let end = at + i128::from(sum.by) * last;
        (at.min(end), at.max(end) + size)
    };
    let (x, y) = (range(x, 0, size_a), range(y, distance, size_b));
    x.1 <= y.0 || y.1 <= x.0
}

impl<'a> Turns<'a> {
    /// Of a loop whose header's parameters are `first` at first.
    pub fn new(func: &'a Func, l: &Loop, first: &[Value]) -> Self {
        let params = &func.blocks[l.header].params;
        let counters = Induction::all(func, l).filter_map(|i| Some((params[i.at], (*first.get(i.at)?, i.by(func)?))));
        let counters = counters.collect();
        let exact = Induction::all(func, l).filter(|i| i.no_wrap(func) == Some(Flags::NSW));
        let exact = exact.map(|i| params[i.at]).collect();
        Self { func, homes: func.homes(&l.blocks), counters, exact, known: FxHashMap::default() }
    }
    /// An address in the loop; none if it is not known to be a sum.
    pub fn address(&mut self, ptr: Value) -> Option<Sum> {
        self.sum(ptr, DEPTH)
    }
    /// A value as a sum; none if it is not known to be one.
    fn sum(&mut self, v: Value, depth: u32) -> Option<Sum> {
        if let Some(known) = self.known.get(&v) {
            return known.clone();
        }
        let sum = self.find(v, depth);
        self.known.insert(v, sum.clone());
        sum
    }

    fn find(&mut self, v: Value, depth: u32) -> Option<Sum> {
        let func = self.func;
        let own = || Sum { terms: [(v, 1)].into_iter().collect(), ..Sum::default() };
        let is_inside = self.homes.get(v.index()).is_some_and(Option::is_some);
        if let Some(&(first, by)) = self.counters.get(&v) {
            // Sums of 64 bits wrap together.
            if func.ty(v).elem.bits() != 64 {
                return None;
            }
            return self.sum(first, depth.checked_sub(1)?).map(|sum| Sum { by, ..sum });
        }
        let ValueDef::Inst(inst) = func.values[v].def else { return (!is_inside).then(own) };
        let data: &InstData = &func.insts[inst];
        let of = |this: &mut Self, i: usize| this.sum(data.args[i], depth.saturating_sub(1));
        let constant = |i: usize| func.const_bits(data.args[i]).map(|bits| bits as i64);
        let wide = func.ty(v).elem.bits() == 64 && !func.ty(v).is_vector() && depth > 0;
        let found = match (data.op, &data.imm) {
            _ if !wide => None,
            (Op::Const, &Imm::Bits(bits)) => Some(Sum { disp: bits as i64, ..Sum::default() }),
            (Op::PtrOff, &Imm::Disp(disp)) => of(self, 0).map(|sum| Sum { disp: sum.disp.wrapping_add(disp), ..sum }),
            (Op::PtrAdd, &Imm::Scale { scale, disp }) => of(self, 0).zip(of(self, 1)).map(|(base, index)| {
                let sum = base.plus(&index, i64::from(scale));
                Sum { disp: sum.disp.wrapping_add(disp), ..sum }
            }),
            (Op::Sext, _) if func.ty(data.args[0]) == Type::I32 => self.signed(data.args[0], depth - 1),
            (Op::Add, _) => of(self, 0).zip(of(self, 1)).map(|(a, b)| a.plus(&b, 1)),
            (Op::Sub, _) => of(self, 0).zip(of(self, 1)).map(|(a, b)| a.plus(&b, -1)),
            (Op::Mul, _) => match (constant(0), constant(1)) {
                (_, Some(factor)) => of(self, 0).map(|sum| Sum::default().plus(&sum, factor)),
                (Some(factor), _) => of(self, 1).map(|sum| Sum::default().plus(&sum, factor)),
                _ => None,
            },
            (Op::Shl, _) => match constant(1) {
                Some(by @ 0..64) => of(self, 0).map(|sum| Sum::default().plus(&sum, 1i64.wrapping_shl(by as u32))),
                _ => None,
            },
            _ => None,
        };
        found.or_else(|| (!is_inside).then(own))
    }

    /// The extension, with the sign, of a number of 32 bits whose sums do not wrap. What the loop does not change
    /// stands for its own extension.
    fn signed(&mut self, v: Value, depth: u32) -> Option<Sum> {
        let func = self.func;
        let constant = |v: Value| func.const_bits(v).map(|bits| i64::from(bits as i32));
        if let Some(disp) = constant(v) {
            return Some(Sum { disp, ..Sum::default() });
        }
        if self.homes.get(v.index()).is_none_or(Option::is_none) {
            return Some(Sum { terms: [(v, 1)].into_iter().collect(), ..Sum::default() });
        }
        let depth = depth.checked_sub(1)?;
        if let Some(&(first, by)) = self.counters.get(&v) {
            let counts = self.exact.contains(&v);
            return self.signed(first, depth).filter(|_| counts).map(|sum| Sum { by, ..sum });
        }
        let data = func.def_inst(v).filter(|data| data.attr.flags.contains(Flags::NSW))?;
        let &[a, b] = &data.args[..] else { return None };
        match data.op {
            Op::Add => Some(self.signed(a, depth)?.plus(&self.signed(b, depth)?, 1)),
            Op::Sub => Some(self.signed(a, depth)?.plus(&self.signed(b, depth)?, -1)),
            Op::Mul => Some(Sum::default().plus(&self.signed(a, depth)?, constant(b)?)),
            _ => None,
        }
    }
}
