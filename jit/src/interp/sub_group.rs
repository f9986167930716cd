//! Sub-groups: which of their work-items meet at an operation, and what it gives them.
//!
//! A sub-group's work-items run one after the other, each to the next operation of sub-groups. Of those that stand at
//! one, the work-items that are at the earliest place meet: in the order of the control-flow graph, loops turn by turn.
//! That is what lanes in lockstep do, which go round a loop together and wait where ways meet. Floats are combined in
//! the order that `ir::collective` prescribes.

use super::group::{Joining, resume};
use super::machine::{Error, ErrorKind, Machine};
use super::step::Item;
use super::value::Lanes;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, Loops, Op, Type};

/// The order in which work-items in lockstep come to a function's blocks.
pub(super) struct Order {
    loops: Loops,
    /// Place of each block in reverse postorder.
    places: Vec<u64>,
}

impl Order {
    pub(super) fn new(func: &Func) -> Self {
        let (cfg, _, loops) = Loops::of_func(func);
        let mut places = vec![0; func.blocks.len()];
        (0..).zip(cfg.rpo()).for_each(|(n, b)| places[b.index()] = n);
        Self { loops, places }
    }

    /// Counts the turns of loops along an edge.
    pub(super) fn follow(&self, turns: &mut Vec<u64>, from: Block, to: Block) {
        turns.resize(self.loops.loops.len(), 0);
        if let Some(l) = self.loops.of(to).filter(|&l| self.loops.loops[l].header == to) {
            turns[l] = if self.loops.contains(l, from) { turns[l] + 1 } else { 0 };
        }
    }

    /// A place in a function, for comparisons: the loops around a block, each with its turn, and the instruction.
    pub(super) fn place(&self, turns: &[u64], block: Block, inst: usize, place: &mut Vec<u64>) {
        let around = std::iter::successors(self.loops.of(block), |&l| self.loops.loops[l].parent);
        let mut around: Vec<usize> = around.collect();
        around.reverse();
        for l in around {
            place.extend([self.places[self.loops.loops[l].header.index()], turns.get(l).copied().unwrap_or(0)]);
        }
        place.extend([self.places[block.index()], inst as u64]);
    }
}

/// Lets the work-items of each sub-group, at most `size`, that stand at its earliest operation meet and go on; false if
/// there are none.
pub(super) fn meet(machine: &mut Machine<'_>, items: &mut [Item], size: usize) -> Result<bool, Error> {
    let mut any = false;
    for first in (0..items.len()).step_by(size) {
        let waits = |item: &Item| !item.frames.is_empty() && item.op(machine).is_sub_group();
        let lanes = first..items.len().min(first + size);
        let waiting: Vec<usize> = lanes.filter(|&n| waits(&items[n])).collect();
        let places: Vec<Vec<u64>> = waiting.iter().map(|&n| items[n].order(machine)).collect();
        let Some(earliest) = places.iter().min() else { continue };
        let active: Vec<usize> = waiting.iter().zip(&places).filter(|(_, p)| *p == earliest).map(|(&n, _)| n).collect();
        perform(machine, items, first, &active, size)?;
        any = true;
    }
    Ok(any)
}

/// Does the operation at which the `active` work-items stand.
fn perform(
    machine: &mut Machine<'_>,
    items: &mut [Item],
    first: usize,
    active: &[usize],
    size: usize,
) -> Result<(), Error> {
    let module = machine.module;
    let (func, inst) = items[active[0]].current(machine);
    let data = &module.funcs[func].insts[inst];
    let ty = data.result.map_or(Type::I1, |v| module.funcs[func].ty(v));
    // By number in the sub-group; none for those that are not active.
    let mut values: Vec<Option<Lanes>> = vec![None; size];
    for &n in active.iter().filter(|_| !data.args.is_empty()) {
        values[n - first] = Some(items[n].value(machine, data.args[0]));
    }
    let result = |machine: &Machine<'_>, n: usize, scanned: &[Option<Lanes>]| -> Option<Lanes> {
        let own = n - first;
        match (data.op, &data.imm) {
            (Op::SgBallot, _) => {
                let bit = |i: usize| values[i].as_ref().map_or(0, |v| (v[0] & 1) << i);
                Some(Lanes::from_slice(&[(0..size).fold(0, |bits, i| bits | bit(i))]))
            }
            (Op::SgShuffle, _) => {
                let from = items[n].value(machine, data.args[1])[0] as usize;
                let value = values.get(from).cloned().flatten();
                Some(value.unwrap_or_else(|| Lanes::from_elem(0, usize::from(ty.lanes))))
            }
            (Op::SgReduce, &Imm::Cluster(op, n)) => {
                let n = if n == 0 { size } else { usize::from(n).min(size) };
                let start = own / n * n;
                reduce(Joining { op, ty, flushes: machine.flushes }, &values[start..start + n])
            }
            (Op::SgScanInc, _) => scanned[own].clone(),
            (Op::SgScanExc, &Imm::Collective(op)) => {
                let before = own.checked_sub(1).and_then(|i| scanned[i].clone());
                Some(before.unwrap_or_else(|| Lanes::from_elem(op.identity(ty.elem), usize::from(ty.lanes))))
            }
            _ => None,
        }
    };
    let scanned = match data.imm {
        Imm::Collective(op) => scan(Joining { op, ty, flushes: machine.flushes }, &values),
        _ => Vec::new(),
    };
    let results: Vec<Option<Lanes>> = active.iter().map(|&n| result(machine, n, &scanned)).collect();
    for (&n, lanes) in active.iter().zip(results) {
        if let Some(v) = data.result {
            let Some(lanes) = lanes else { return Err(items[n].error(machine, ErrorKind::Launch)) };
            resume(machine, n);
            items[n].define(machine, v, &lanes);
        }
        items[n].advance();
    }
    Ok(())
}

/// Operands as one, in the order that `ir::collective` prescribes.
fn reduce(joining: Joining, values: &[Option<Lanes>]) -> Option<Lanes> {
    let mut values = values.to_vec();
    while values.len() > 1 {
        let right = values.split_off(values.len() / 2);
        values = values.into_iter().zip(right).map(|(a, b)| joining.join(a, b)).collect();
    }
    values.pop().flatten()
}

/// The inclusive scan in the order that `ir::collective` prescribes.
fn scan(joining: Joining, values: &[Option<Lanes>]) -> Vec<Option<Lanes>> {
    let mut sums = values.to_vec();
    let mut distance = 1;
    while distance < sums.len() {
        let left = |i: usize| i.checked_sub(distance).and_then(|i| sums[i].clone());
        sums = (0..sums.len()).map(|i| joining.join(left(i), sums[i].clone())).collect();
        distance *= 2;
    }
    sums
}
