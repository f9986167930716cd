//! One work-group of a kernel: runs its work-items from one convergent operation to the next and does the collective
//! work.

use super::machine::{Error, ErrorKind, Launch, Machine};
use super::memory::{Fault, Kind, Memory};
use super::step::{Item, Stop};
use super::value::{self, Lanes};
use crate::ir::collective::{CollectiveOp, REDUCE_COLUMNS, SCAN_RUN};
use crate::ir::entity::{FuncId, LocalVarId};
use crate::ir::op::{Attr, Imm, Op};
use crate::ir::ty::Type;
use rustc_hash::FxHashMap;

/// What the work-items of a group share.
pub(super) struct Group {
    pub launch: Launch,
    pub id: [u64; 3],
    /// Size of this group.
    pub size: [u64; 3],
    /// Most work-items of a sub-group.
    pub sub_group: u64,
    /// Local variables touched so far.
    pub locals: FxHashMap<LocalVarId, u64>,
}

impl Group {
    pub(super) fn new(launch: &Launch, id: [u64; 3], sub_group: u64) -> Self {
        let size =
            std::array::from_fn(|d| launch.local_size[d].min(launch.global_size[d] - id[d] * launch.local_size[d]));
        Self { launch: *launch, id, size, sub_group, locals: FxHashMap::default() }
    }

    /// The address of a local variable.
    pub(super) fn local(&mut self, machine: &mut Machine<'_>, id: LocalVarId) -> u64 {
        let size = machine.module.locals[id].size as usize;
        *self.locals.entry(id).or_insert_with(|| machine.memory.add(Kind::Local, vec![0xa5; size], true))
    }

    /// Runs all work-items to their end.
    pub(super) fn run(&mut self, machine: &mut Machine<'_>, kernel: FuncId, args: &[Lanes]) -> Result<(), Error> {
        let mut items = Vec::new();
        if let Some(watch) = &mut machine.watch {
            watch.group(self.size.iter().product::<u64>() as usize);
        }
        for z in 0..self.size[2] {
            for y in 0..self.size[1] {
                for x in 0..self.size[0] {
                    resume(machine, items.len());
                    let mut item = Item::new(machine, kernel, args)?;
                    item.lid = [x, y, z];
                    items.push(item);
                }
            }
        }
        loop {
            let mut done = 0;
            for (n, item) in items.iter_mut().enumerate() {
                resume(machine, n);
                if let Stop::Done(_) = item.run(machine, Some(self))? {
                    done += 1;
                }
            }
            if super::sub_group::meet(machine, &mut items, self.sub_group as usize)? {
                continue;
            }
            if let Some(watch) = &mut machine.watch {
                watch.meet();
            }
            if done == items.len() {
                return Ok(());
            }
            let first = &items[0];
            if done > 0 {
                let waiting = items.iter().find(|i| !i.frames.is_empty()).unwrap_or(first);
                return Err(waiting.error(machine, ErrorKind::Divergence));
            }
            let place = first.place();
            if let Some(other) = items.iter().find(|i| i.place() != place) {
                return Err(other.error(machine, ErrorKind::Divergence));
            }
            self.meet(machine, &mut items)?;
        }
    }

    /// All work-items stand at the same convergent operation: does it and lets them go on.
    fn meet(&mut self, machine: &mut Machine<'_>, items: &mut [Item]) -> Result<(), Error> {
        let module = machine.module;
        let (func, inst) = items[0].current(machine);
        let data = &module.funcs[func].insts[inst];
        let ty = data.result.map_or(Type::I1, |v| module.funcs[func].ty(v));
        let operand = |machine: &Machine<'_>, item: &Item, n: usize| item.value(machine, data.args[n]);
        let uniform = |machine: &Machine<'_>, items: &[Item], n: usize| {
            let want = operand(machine, &items[0], n);
            match items.iter().find(|i| operand(machine, i, n) != want) {
                Some(other) => Err(other.error(machine, ErrorKind::NotUniform)),
                None => Ok(want),
            }
        };
        let flag = |v: bool| Lanes::from_slice(&[u64::from(v)]);
        let results: Vec<Lanes> = match data.op {
            Op::Barrier => Vec::new(),
            Op::WgAll => {
                let all = items.iter().all(|i| operand(machine, i, 0)[0] & 1 == 1);
                vec![flag(all); items.len()]
            }
            Op::WgAny => {
                let any = items.iter().any(|i| operand(machine, i, 0)[0] & 1 == 1);
                vec![flag(any); items.len()]
            }
            Op::WgBroadcast => {
                let from = uniform(machine, items, 1)?[0] as usize;
                let Some(source) = items.get(from) else { return Err(items[0].error(machine, ErrorKind::Launch)) };
                vec![operand(machine, source, 0); items.len()]
            }
            Op::WgReduce | Op::WgScanInc | Op::WgScanExc => {
                let Imm::Collective(op) = data.imm else { return Err(items[0].error(machine, ErrorKind::Launch)) };
                let values: Vec<Lanes> = items.iter().map(|item| operand(machine, item, 0)).collect();
                let joining = Joining { op, ty, flushes: machine.flushes };
                match data.op {
                    Op::WgReduce => vec![reduce(joining, &values); items.len()],
                    _ => {
                        let mut out = scan(joining, &values);
                        if data.op == Op::WgScanExc {
                            out.rotate_right(1);
                            out[0] = Lanes::from_slice(&[op.identity(ty.elem)]);
                        }
                        out
                    }
                }
            }
            Op::AsyncCopy => {
                let mut args = [0; 9];
                for (n, arg) in args.iter_mut().enumerate() {
                    *arg = uniform(machine, items, n)?[0];
                }
                let result = copy_planes(&mut machine.memory, args);
                result.map_err(|fault| items[0].error(machine, ErrorKind::Memory(fault)))?;
                Vec::new()
            }
            _ => return Err(items[0].error(machine, ErrorKind::Divergence)),
        };
        for (n, item) in items.iter_mut().enumerate() {
            if let (Some(v), Some(lanes)) = (data.result, results.get(n)) {
                resume(machine, n);
                item.define(machine, v, lanes);
            }
            item.advance();
        }
        Ok(())
    }
}

/// An asynchronous copy; see `Op::AsyncCopy`.
fn copy_planes(memory: &mut Memory, operands: [u64; 9]) -> Result<(), Fault> {
    let [dst, src, bytes, lines, dst_line, src_line, planes, dst_plane, src_plane] = operands;
    for plane in 0..planes {
        for line in 0..lines {
            let at = |base: u64, by_plane: u64, by_line: u64| {
                base.wrapping_add(plane.wrapping_mul(by_plane)).wrapping_add(line.wrapping_mul(by_line))
            };
            let data = memory.bytes(at(src, src_plane, src_line), bytes)?.to_vec();
            memory.bytes_mut(at(dst, dst_plane, dst_line), bytes)?.copy_from_slice(&data);
        }
    }
    Ok(())
}

pub(super) fn resume(machine: &mut Machine<'_>, item: usize) {
    if let Some(watch) = &mut machine.watch {
        watch.resume(item);
    }
}

/// How operands become one.
#[derive(Clone, Copy)]
pub(super) struct Joining {
    pub(super) op: CollectiveOp,
    pub(super) ty: Type,
    /// See `Func::flushes_denormals`.
    pub(super) flushes: bool,
}

impl Joining {
    /// Both operands as one, or the one that is there.
    pub(super) fn join(self, left: Option<Lanes>, right: Option<Lanes>) -> Option<Lanes> {
        let Self { op, ty, flushes } = self;
        match (left, right) {
            (Some(left), Some(right)) => {
                let args = [&right[..], &left[..]];
                let result = value::eval(op.op(), &Imm::None, &Attr::default(), ty, &[ty, ty], &args, flushes);
                Some(result.expect("these are pure operations"))
            }
            (left, right) => left.or(right),
        }
    }
}

/// All operands of a group as one, in the order that `ir::collective` prescribes.
fn reduce(joining: Joining, values: &[Lanes]) -> Lanes {
    let mut columns: Vec<Option<Lanes>> = vec![None; REDUCE_COLUMNS as usize];
    for (l, value) in values.iter().enumerate() {
        let column = &mut columns[l % REDUCE_COLUMNS as usize];
        *column = joining.join(column.take(), Some(value.clone()));
    }
    while columns.len() > 1 {
        let right = columns.split_off(columns.len() / 2);
        columns = columns.into_iter().zip(right).map(|(a, b)| joining.join(a, b)).collect();
    }
    columns[0].clone().expect("a group has a work-item")
}

/// The inclusive scan of a group's operands in the order that `ir::collective` prescribes.
fn scan(joining: Joining, values: &[Lanes]) -> Vec<Lanes> {
    let mut out: Vec<Lanes> = Vec::with_capacity(values.len());
    for run in values.chunks(SCAN_RUN as usize) {
        let base = out.last().cloned();
        let mut sum = None;
        for value in run {
            sum = joining.join(sum, Some(value.clone()));
            out.extend(joining.join(base.clone(), sum.clone()));
        }
    }
    out
}
