//! Partial evaluation (Jones, Gomard and Sestoft, "Partial Evaluation and Automatic Program Generation", 1993) of one
//! work-item: follows a kernel in kernel form as far as sizes, ids and arguments decide where it goes, and tells which
//! accesses through arguments it is certain to make. What memory holds is not known. Where that decides a branch, the
//! work-item goes on where all its ways meet again, with nothing of what lies in between. Must not know objects or
//! their sizes.

use super::value::{Lanes, eval, from_bytes};
use crate::ir::cfg::Cfg;
use crate::ir::dom::Postdominators;
use crate::ir::{Block, Func, Imm, Inst, InstData, Op, Origin, Scalar, Target, Term, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Instructions of a work-item behind which nothing is looked at.
const MAX_STEPS: u32 = 8192;

/// Instructions of all work-items of a launch, likewise.
pub const MAX_LAUNCH_STEPS: u32 = 4 * MAX_STEPS;

/// An argument, as a launch knows it.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// The bytes of a value.
    Bytes(&'a [u8]),
    /// Memory of the host program's.
    Memory,
    /// Anything else.
    Other,
}

/// Numbers of a work-item and its launch, by dimension.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids {
    /// `get_global_id`
    pub global: [u64; 3],
    /// `get_local_id`
    pub local: [u64; 3],
    /// `get_group_id`
    pub group: [u64; 3],
    /// `get_global_size`
    pub global_size: [u64; 3],
    /// `get_local_size`
    pub local_size: [u64; 3],
    /// `get_enqueued_local_size`
    pub enqueued_size: [u64; 3],
    /// `get_num_groups`
    pub groups: [u64; 3],
    /// `get_global_offset`
    pub offset: [u64; 3],
}

/// An access that a work-item makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Number of the argument whose memory it is.
    pub arg: u32,
    /// Bytes from where the argument points to the first one.
    pub offset: i64,
    /// How many.
    pub bytes: u32,
    /// It writes; an atomic operation may read as well.
    pub writes: bool,
    /// It is atomic.
    pub is_atomic: bool,
    /// The instruction.
    pub inst: Inst,
}

/// A kernel, ready to be evaluated.
pub struct Kernel<'f> {
    func: &'f Func,
    post: Postdominators,
}

/// What a value is.
#[derive(Clone, Debug)]
enum Is {
    Number(Lanes),
    /// So many bytes behind where an argument points.
    Pointer(u32, i64),
}

struct Run<'k> {
    kernel: &'k Kernel<'k>,
    ids: &'k Ids,
    known: FxHashMap<Value, Is>,
    left: u32,
}

impl<'f> Kernel<'f> {
    /// Of a kernel in kernel form.
    pub fn new(func: &'f Func) -> Self {
        Self { func, post: Postdominators::new(func, &Cfg::new(func)) }
    }

    /// Of the accesses that work-items of a launch are certain to make and that are found bad, the first at each place.
    pub fn first_of_each_place(
        &self,
        args: &[Known<'_>],
        items: impl Iterator<Item = Ids>,
        is_bad: impl Fn(&Access) -> bool,
    ) -> Vec<(Access, Ids, Origin)> {
        let (mut found, mut left): (Vec<(Access, Ids, Origin)>, _) = (Vec::new(), MAX_LAUNCH_STEPS);
        for ids in items {
            self.run(args, &ids, &mut left, &mut |access| {
                let origin = self.func.insts[access.inst].origin;
                if is_bad(&access) && found.iter().all(|&(_, _, known)| known != origin) {
                    found.push((access, ids, origin));
                }
            });
        }
        found
    }

    /// Tells of the accesses that a work-item is certain to make, those of its first `MAX_STEPS` instructions, or as
    /// many as are `left` of the launch's.
    pub fn run(&self, args: &[Known<'_>], ids: &Ids, left: &mut u32, found: &mut impl FnMut(Access)) {
        let entry = self.func.entry();
        let most = MAX_STEPS.min(*left);
        let mut run = Run { kernel: self, ids, known: FxHashMap::default(), left: most };
        for ((&v, arg), n) in self.func.blocks[entry].params.iter().zip(args).zip(0..) {
            let ty = self.func.ty(v);
            let is = match *arg {
                Known::Memory if ty.is_ptr() => Is::Pointer(n, 0),
                Known::Bytes(bytes) if !ty.is_ptr() && ty.elem != Scalar::I1 => {
                    match bytes.get(..ty.bytes() as usize) {
                        Some(bytes) => Is::Number(from_bytes(ty.elem, bytes)),
                        None => continue,
                    }
                }
                _ => continue,
            };
            run.known.insert(v, is);
        }
        let mut next = Some(entry);
        while let Some(block) = next {
            next = run.block(block, found);
        }
        *left -= most - run.left;
    }
}

/// True for blocks where checks report something.
fn reports(func: &Func, block: Block) -> bool {
    func.blocks[block].insts.iter().any(|&inst| func.insts[inst].op == Op::CheckReport)
}

impl Run<'_> {
    /// Evaluates a block; gives the next one, if it is known.
    fn block(&mut self, block: Block, found: &mut impl FnMut(Access)) -> Option<Block> {
        let func = self.kernel.func;
        for &inst in &func.blocks[block].insts {
            self.left = self.left.checked_sub(1)?;
            let data = &func.insts[inst];
            self.accesses(inst, data, found);
            if let Some(v) = data.result {
                match self.value(data, func.ty(v)) {
                    Some(is) => _ = self.known.insert(v, is),
                    None => _ = self.known.remove(&v),
                }
            }
        }
        self.left = self.left.checked_sub(1)?;
        let target = match &func.blocks[block].term {
            Term::Jump(target) => Some(target),
            Term::Br { cond, then, els } => match self.number(*cond) {
                Some(bits) => Some(if bits & 1 == 1 { then } else { els }),
                // The program is taken to do nothing that its checks report.
                None if reports(func, els.block) => Some(then),
                None if reports(func, then.block) => Some(els),
                None => None,
            },
            Term::Switch { value, cases, default } => self
                .number(*value)
                .map(|bits| cases.iter().find(|(case, _)| *case == bits).map_or(default, |(_, target)| target)),
            Term::Ret(_) | Term::Unreachable => return None,
        };
        match target {
            Some(target) => {
                self.pass(target);
                Some(target.block)
            }
            None => self.skip(block),
        }
    }

    fn pass(&mut self, target: &Target) {
        let params = &self.kernel.func.blocks[target.block].params;
        let values: SmallVec<[Option<Is>; 4]> = target.args.iter().map(|v| self.known.get(v).cloned()).collect();
        for (&param, is) in params.iter().zip(values) {
            match is {
                Some(is) => _ = self.known.insert(param, is),
                None => _ = self.known.remove(&param),
            }
        }
    }

    /// Goes on where all ways from the end of a block meet, if there is such a place. What can run before, as often as
    /// it may be, is not known any more.
    fn skip(&mut self, from: Block) -> Option<Block> {
        let func = self.kernel.func;
        let to = self.kernel.post.of(from)?;
        let mut seen = FxHashSet::default();
        let mut todo = vec![from];
        while let Some(block) = todo.pop() {
            for target in func.blocks[block].term.targets() {
                if target.block != to && seen.insert(target.block) {
                    todo.push(target.block);
                }
            }
        }
        for &block in &seen {
            self.left = self.left.checked_sub(1 + func.blocks[block].insts.len() as u32)?;
            func.blocks[block].params.iter().for_each(|v| _ = self.known.remove(v));
            let results = func.blocks[block].insts.iter().filter_map(|&inst| func.insts[inst].result);
            results.for_each(|v| _ = self.known.remove(&v));
        }
        func.blocks[to].params.iter().for_each(|v| _ = self.known.remove(v));
        Some(to)
    }

    fn number(&self, v: Value) -> Option<u64> {
        match self.known.get(&v)? {
            Is::Number(lanes) => lanes.first().copied(),
            Is::Pointer(..) => None,
        }
    }

    fn value(&self, data: &InstData, ty: Type) -> Option<Is> {
        let arg = |n: usize| self.known.get(&data.args[n]);
        let of = |numbers: [u64; 3]| match data.imm {
            Imm::Dim(d) => Some(Is::Number(Lanes::from_elem(numbers[usize::from(d)], 1))),
            _ => None,
        };
        match (data.op, &data.imm) {
            (Op::Gid, _) => of(self.ids.global),
            (Op::Lid, _) => of(self.ids.local),
            (Op::Grp, _) => of(self.ids.group),
            (Op::Gsz, _) => of(self.ids.global_size),
            (Op::Lsz, _) => of(self.ids.local_size),
            (Op::Elsz, _) => of(self.ids.enqueued_size),
            (Op::Ngrp, _) => of(self.ids.groups),
            (Op::Goff, _) => of(self.ids.offset),
            (Op::PtrOff, &Imm::Disp(disp)) => match *arg(0)? {
                Is::Pointer(n, at) => Some(Is::Pointer(n, at.checked_add(disp)?)),
                Is::Number(_) => None,
            },
            (Op::PtrAdd, &Imm::Scale { scale, disp }) => match *arg(0)? {
                Is::Pointer(n, at) => {
                    let by = (self.number(data.args[1])? as i64).checked_mul(scale.into())?;
                    Some(Is::Pointer(n, at.checked_add(by)?.checked_add(disp)?))
                }
                Is::Number(_) => None,
            },
            (Op::AsCast, _) => arg(0).filter(|is| matches!(is, Is::Pointer(..))).cloned(),
            (Op::Select, _) if ty.is_ptr() => {
                let chosen = if self.number(data.args[0])? & 1 == 1 { 1 } else { 2 };
                arg(chosen).cloned()
            }
            // What has no value is not to decide anything.
            (Op::Undef, _) => None,
            (op, imm) => {
                let func = self.kernel.func;
                let types: SmallVec<[Type; 4]> = data.args.iter().map(|&v| func.ty(v)).collect();
                let args = data.args.iter().map(|v| match self.known.get(v) {
                    Some(Is::Number(lanes)) => Some(&lanes[..]),
                    _ => None,
                });
                let args: SmallVec<[&[u64]; 4]> = args.collect::<Option<_>>()?;
                eval(op, imm, &data.attr, ty, &types, &args, func.flushes_denormals).map(Is::Number)
            }
        }
    }

    fn accesses(&self, inst: Inst, data: &InstData, found: &mut impl FnMut(Access)) {
        let func = self.kernel.func;
        let bytes = |v: Value| func.ty(v).bytes();
        let is_atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas);
        let mut tell = |ptr: Value, bytes: u32, writes: bool| {
            if let Some(&Is::Pointer(arg, offset)) = self.known.get(&ptr)
                && bytes > 0
            {
                found(Access { arg, offset, bytes, writes, is_atomic, inst });
            }
        };
        let count = |n: usize| self.number(data.args[n]).and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0);
        match (data.op, data.result) {
            (Op::Load | Op::AtomicLoad, Some(result)) => tell(data.args[0], bytes(result), false),
            (Op::AtomicRmw | Op::AtomicCas, Some(result)) => tell(data.args[0], bytes(result), true),
            (Op::Store | Op::AtomicStore, _) => tell(data.args[0], bytes(data.args[1]), true),
            (Op::Memset, _) => tell(data.args[0], count(2), true),
            (Op::Memcpy, _) => {
                tell(data.args[1], count(2), false);
                tell(data.args[0], count(2), true);
            }
            _ => {}
        }
    }
}
