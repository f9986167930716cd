//! Checks facts about single instructions: flags, alignment, address spaces, and which memory may be the same.

use super::access::Access;
use super::{Claim, Lanes, Report, text};
use crate::analysis::alias::{Alias, is_pure_call};
use crate::interp::memory::{Kind, Memory};
use crate::interp::value::{ones, signed};
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, InstData, Module, Op, Scalar, Term, Value};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function's activation.
struct Activation {
    alias: Alias,
    /// Values that are not what the facts say they are. Passes may execute in advance what only some work-items need.
    wrong: FxHashSet<Value>,
    /// Classes through which a byte was accessed, and those that all who wrote it may have written.
    seen: FxHashMap<u64, (u64, u64)>,
    /// Called as a pure function, or by one.
    pure: bool,
    /// The next call is of a pure function.
    calls_pure: bool,
}

#[derive(Default)]
pub(super) struct Facts {
    /// In lanes, operations run for work-items that are not there.
    pub in_lanes: bool,
    /// Of each work-item.
    stacks: Vec<Vec<Activation>>,
    /// Bytes that were read as never written.
    frozen: FxHashSet<u64>,
}

impl Facts {
    pub(super) fn group(&mut self, items: usize) {
        self.stacks = (0..items).map(|_| Vec::new()).collect();
    }
    pub(super) fn enter(&mut self, item: usize, func: &Func) {
        if self.stacks.is_empty() {
            self.group(1);
        }
        let pure = self.stacks[item].last().is_some_and(|caller| caller.pure || caller.calls_pure);
        let alias = Alias::new(func);
        self.stacks[item].push(Activation {
            alias,
            wrong: FxHashSet::default(),
            seen: FxHashMap::default(),
            pure,
            calls_pure: false,
        });
    }
    pub(super) fn leave(&mut self, item: usize) {
        self.stacks[item].pop();
    }

    /// True if nothing may depend on a value of the function at hand.
    pub(super) fn is_wrong(&self, item: usize, v: Value) -> bool {
        self.stacks[item].last().is_some_and(|now| now.wrong.contains(&v))
    }

    /// The work-item goes from block to block.
    pub(super) fn go(&mut self, item: usize, func: &Func, from: Block, to: Block, report: &mut Report) {
        let Some(now) = self.stacks[item].last_mut().filter(|now| !now.wrong.is_empty()) else { return };
        let term = &func.blocks[from].term;
        if let Term::Br { cond: v, .. } | Term::Switch { value: v, .. } = term {
            report.hold(Claim::Wrap, !now.wrong.contains(v), || format!("@{}: {from} ends by {v}", func.name));
        }
        now.pass(func, term, to);
    }

    #[expect(clippy::too_many_arguments, reason = "what there is to know of one instruction")]
    pub(super) fn execute(
        &mut self,
        item: usize,
        module: &Module,
        func: &Func,
        inst: Inst,
        args: &[Lanes],
        accesses: &[Access],
        memory: &Memory,
        report: &mut Report,
    ) {
        let data = &func.insts[inst];
        let text = || text(module, func, inst);
        let Some(now) = self.stacks[item].last_mut() else { return };
        if !self.in_lanes {
            now.wraps(data, func, args, report, &text);
        }
        now.calls_pure = is_pure_call(data);
        report.checked[Claim::Pure as usize] += u64::from(now.calls_pure);
        let pure = now.pure;
        if pure && (data.op.is_query() || data.op == Op::LocalAddr) {
            report.hold(Claim::Pure, false, text);
        }
        let elem = data.result.or_else(|| data.args.get(1).copied()).map(|v| func.ty(v).elem.bytes());
        let plain = !matches!(data.op, Op::Memcpy | Op::Memset);
        for access in accesses.iter().filter(|a| a.size > 0) {
            if plain && data.op != Op::Scatter && data.op != Op::Gather {
                let align = if data.attr.align == 0 { elem.unwrap_or(1) } else { u32::from(data.attr.align) };
                let align = u64::from(align.max(1).next_power_of_two());
                report.hold(Claim::Alignment, access.address % align == 0, || {
                    format!("{} at {:x}", text(), access.address)
                });
            }
            let kind = memory.kind(access.address);
            report.hold(Claim::Space, lies_in(kind, func.ty(access.ptr)), || format!("{}: {kind:?}", text()));
            if pure {
                let own = matches!(kind, Some(Kind::Slot)) || kind == Some(Kind::Global) && !access.writes;
                report.hold(Claim::Pure, own, text);
            }
            let class = match data.op {
                Op::Load => now.alias.load_class(func, data),
                _ => now.alias.class(func, access.ptr),
            };
            let Some(class) = class else {
                report.hold(Claim::Invariant, !access.writes, text);
                self.frozen.extend(access.bytes());
                continue;
            };
            let (bit, all) = (1u64 << class.index(), now.alias.overlaps(class));
            let mut disjoint = true;
            for at in access.bytes().take(1 << 20) {
                let (seen, writers) = now.seen.entry(at).or_insert((0, u64::MAX));
                disjoint &= *writers & bit != 0 && (!access.writes || *seen & !all == 0);
                *seen |= bit;
                if access.writes {
                    *writers &= all;
                }
            }
            report.hold(Claim::Disjoint, disjoint, || format!("{} at {:x}", text(), access.address));
            if access.writes && !self.frozen.is_empty() {
                let free = !access.bytes().take(1 << 20).any(|at| self.frozen.contains(&at));
                report.hold(Claim::Invariant, free, || format!("{} at {:x}", text(), access.address));
            }
        }
    }
}

impl Activation {
    /// An operation with operands that are wrong, or whose flags are, has a result that nothing may depend on.
    fn wraps(&mut self, data: &InstData, func: &Func, args: &[Lanes], report: &mut Report, text: &dyn Fn() -> String) {
        let flagged = data.attr.flags.intersects(Flags::NSW | Flags::NUW);
        let holds = !flagged || (0..args[0].len()).all(|lane| stays(func, data, args, lane));
        report.checked[Claim::Wrap as usize] += u64::from(flagged);
        if holds && self.wrong.is_empty() {
            return;
        }
        let wrong = |n: usize| self.wrong.contains(&data.args[n]);
        // A truth value that decides alone.
        let decides = |n: usize, bit: u64| !wrong(n) && args[n].iter().all(|lane| lane & 1 == bit);
        let bits = data.result.is_some_and(|v| func.ty(v).elem == Scalar::I1);
        let depends = match data.op {
            Op::Select if !wrong(0) => {
                let chosen = |n: usize, bit: u64| wrong(n) && args[0].iter().any(|lane| lane & 1 == bit);
                chosen(1, 1) || chosen(2, 0)
            }
            Op::And if bits && (decides(0, 0) || decides(1, 0)) => false,
            Op::Or if bits && (decides(0, 1) || decides(1, 1)) => false,
            _ => (0..data.args.len()).any(wrong),
        };
        match data.result.filter(|_| data.op.is_pure() || is_pure_call(data)) {
            Some(v) if depends || !holds => _ = self.wrong.insert(v),
            Some(v) => _ = self.wrong.remove(&v),
            None if depends => report.hold(Claim::Wrap, false, || format!("{} of {args:x?}", text())),
            None => data.result.iter().for_each(|v| _ = self.wrong.remove(v)),
        }
    }

    /// Parameters of the next block are wrong if what is passed for them is.
    fn pass(&mut self, func: &Func, term: &Term, to: Block) {
        let params = &func.blocks[to].params;
        let mut targets = term.targets();
        targets.retain(|target| target.block == to);
        let wrong: Vec<bool> =
            (0..params.len()).map(|n| targets.iter().any(|t| self.wrong.contains(&t.args[n]))).collect();
        for (&v, wrong) in params.iter().zip(wrong) {
            if wrong {
                self.wrong.insert(v)
            } else {
                self.wrong.remove(&v)
            };
        }
    }
}

/// True if what lies at an address can be in the pointer's space.
fn lies_in(kind: Option<Kind>, ptr: crate::ir::Type) -> bool {
    let Scalar::Ptr(space) = ptr.elem else { return true };
    match (space, kind) {
        // The interpreter reports it.
        (_, None) => true,
        (AddrSpace::Private, Some(kind)) => matches!(kind, Kind::Slot | Kind::Scratch | Kind::Args),
        (AddrSpace::Local, Some(kind)) => kind == Kind::Local,
        (AddrSpace::Global, Some(kind)) => matches!(kind, Kind::Buffer | Kind::Global),
        (AddrSpace::Constant, Some(kind)) => matches!(kind, Kind::Buffer | Kind::Global | Kind::Args),
        (AddrSpace::Generic, Some(_)) => true,
    }
}

/// True if an operation's result is what its flags say.
fn stays(func: &Func, data: &InstData, args: &[Lanes], lane: usize) -> bool {
    let bits = func.ty(data.args[0]).elem.bits();
    let a = args[0][lane];
    let b = args.get(1).map_or(0, |b| b[lane]);
    let to = data.result.map_or(bits, |v| func.ty(v).elem.bits());
    let (nsw, nuw) = (data.attr.flags.contains(Flags::NSW), data.attr.flags.contains(Flags::NUW));
    let whole = |a: i128, b: i128| match data.op {
        Op::Add => Some(a + b),
        Op::Sub => Some(a - b),
        Op::Mul => Some(a * b),
        Op::Shl => Some(a << (b as u64 % u64::from(bits))),
        Op::Trunci => Some(a),
        _ => None,
    };
    let (low, high) = (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1);
    let fits_signed = whole(
        i128::from(signed(a, bits)),
        if data.op == Op::Shl { i128::from(b) } else { i128::from(signed(b, bits)) },
    )
    .is_none_or(|r| (low..=high).contains(&r));
    // A product of two numbers of 64 bits may not fit 127.
    let (ua, ub) = (i128::from(a & ones(bits)), i128::from(b & ones(bits)));
    let unsigned = if data.op == Op::Mul { ua.checked_mul(ub) } else { whole(ua, ub) };
    let fits_unsigned = unsigned.is_some_and(|r| (0..=i128::from(ones(to))).contains(&r));
    (!nsw || fits_signed) && (!nuw || fits_unsigned)
}
