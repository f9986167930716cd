//! One work-group of a kernel: runs its work-items from one convergent operation to the next and does the collective work.

use super::machine::{Error, ErrorKind, Launch, Machine};
use super::memory::Kind;
use super::step::{Item, Stop};
use super::value::{self, Lanes};
use crate::ir::entity::{FuncId, LocalVarId};
use crate::ir::op::{Attr, CollectiveOp, Imm, Op, Rounding};
use crate::ir::ty::{Scalar, Type};
use crate::softfloat as float;
use rustc_hash::FxHashMap;

/// What the work-items of a group share.
pub(super) struct Group {
    pub launch: Launch,
    pub id: [u64; 3],
    /// Size of this group.
    pub size: [u64; 3],
    /// Local variables touched so far.
    pub locals: FxHashMap<LocalVarId, u64>,
}

impl Group {
    pub(super) fn new(launch: &Launch, id: [u64; 3]) -> Self {
        let size =
            std::array::from_fn(|d| launch.local_size[d].min(launch.global_size[d] - id[d] * launch.local_size[d]));
        Self { launch: *launch, id, size, locals: FxHashMap::default() }
    }

    /// The address of a local variable.
    pub(super) fn local(&mut self, machine: &mut Machine<'_>, id: LocalVarId) -> u64 {
        let size = machine.module.locals[id].size as usize;
        *self.locals.entry(id).or_insert_with(|| machine.memory.add(Kind::Local, vec![0xa5; size], true))
    }

    /// Runs all work-items to their end.
    pub(super) fn run(&mut self, machine: &mut Machine<'_>, kernel: FuncId, args: &[Lanes]) -> Result<(), Error> {
        let mut items = Vec::new();
        for z in 0..self.size[2] {
            for y in 0..self.size[1] {
                for x in 0..self.size[0] {
                    let mut item = Item::new(machine, kernel, args)?;
                    item.lid = [x, y, z];
                    items.push(item);
                }
            }
        }
        loop {
            let mut done = 0;
            for item in &mut items {
                if let Stop::Done(_) = item.run(machine, Some(self))? {
                    done += 1;
                }
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
                let mut acc = Lanes::from_elem(identity(op, ty.elem), usize::from(ty.lanes));
                let mut out = Vec::with_capacity(items.len());
                for (n, item) in items.iter().enumerate() {
                    let v = operand(machine, item, 0);
                    let next = if n == 0 { v } else { combine(op, ty, &acc, &v) };
                    out.push(if data.op == Op::WgScanExc { acc } else { next.clone() });
                    acc = next;
                }
                if data.op == Op::WgReduce { vec![acc; items.len()] } else { out }
            }
            Op::AsyncCopy => {
                let mut args = [0; 5];
                for (n, arg) in args.iter_mut().enumerate() {
                    *arg = uniform(machine, items, n)?[0];
                }
                let [dst, src, n, dst_stride, src_stride] = args;
                let Imm::Bytes(size) = data.imm else { return Err(items[0].error(machine, ErrorKind::Launch)) };
                let size = u64::from(size);
                for k in 0..n {
                    let at = |base: u64, stride: u64| base.wrapping_add(k.wrapping_mul(stride).wrapping_mul(size));
                    let bytes = machine.memory.bytes(at(src, src_stride), size).map(<[u8]>::to_vec);
                    let result = bytes.and_then(|bytes| {
                        machine.memory.bytes_mut(at(dst, dst_stride), size)?.copy_from_slice(&bytes);
                        Ok(())
                    });
                    result.map_err(|fault| items[0].error(machine, ErrorKind::Memory(fault)))?;
                }
                Vec::new()
            }
            _ => return Err(items[0].error(machine, ErrorKind::Divergence)),
        };
        for (n, item) in items.iter_mut().enumerate() {
            if let (Some(v), Some(lanes)) = (data.result, results.get(n)) {
                item.set(machine, v, lanes);
            }
            item.advance();
        }
        Ok(())
    }
}

/// The collective's identity: what an exclusive scan gives the first work-item. Spec: OpenCL C, "Work-group Functions".
pub(super) fn identity(op: CollectiveOp, elem: Scalar) -> u64 {
    let bits = elem.bits();
    let float = |x: f64| float::convert(float::F64, float::Format::of(elem), x.to_bits(), Rounding::Rte);
    match op {
        CollectiveOp::Add | CollectiveOp::Fadd | CollectiveOp::Or | CollectiveOp::Xor | CollectiveOp::MaxU => 0,
        CollectiveOp::MinS => value::ones(bits - 1),
        CollectiveOp::MaxS => 1 << (bits - 1),
        CollectiveOp::MinU | CollectiveOp::And => value::ones(bits),
        CollectiveOp::Mul => 1,
        CollectiveOp::Fmul => float(1.0),
        CollectiveOp::Fmin => float(f64::INFINITY),
        CollectiveOp::Fmax => float(f64::NEG_INFINITY),
    }
}

fn combine(op: CollectiveOp, ty: Type, a: &[u64], b: &[u64]) -> Lanes {
    let op = match op {
        CollectiveOp::Add => Op::Add,
        CollectiveOp::MinS => Op::MinS,
        CollectiveOp::MinU => Op::MinU,
        CollectiveOp::MaxS => Op::MaxS,
        CollectiveOp::MaxU => Op::MaxU,
        CollectiveOp::Fadd => Op::Fadd,
        CollectiveOp::Fmin => Op::Fmin,
        CollectiveOp::Fmax => Op::Fmax,
        CollectiveOp::Mul => Op::Mul,
        CollectiveOp::Fmul => Op::Fmul,
        CollectiveOp::And => Op::And,
        CollectiveOp::Or => Op::Or,
        CollectiveOp::Xor => Op::Xor,
    };
    value::eval(op, &Imm::None, &Attr::default(), ty, &[ty, ty], &[a, b]).expect("these are pure operations")
}
