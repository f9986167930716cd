//! Reductions across the lanes of vectors (`Op::ReduceTree`) become shuffles and operations on halves. Those of one
//! block that do not wait for each other share them: two vectors of which only the lower halves matter fit into one,
//! so that the steps of all of them are those of a transposition, and their results end as lanes of one vector.
//!
//! ```text
//! s = reduce.tree fadd x              l = shuffle x, y [0 1 4 5] ; u = shuffle x, y [2 3 6 7] ; a = fadd u, l
//! t = reduce.tree fadd y      →       l = shuffle a, a [0 2]     ; u = shuffle a, a [1 3]     ; v = fadd u, l
//!                                     s = extract v, 0           ; t = extract v, 1
//! ```
//! Alone, each of `k` reductions of `W` lanes takes log2 W steps; together they take k - 1 + log2 (W / k). Each lane
//! is still combined with the same ones in the same order. Steps within 16 bytes pick from both vectors within those,
//! for which machines have an instruction. Takes SSA form in lanes; linear in the instructions, and in the lanes of
//! each reduction. (Reductions of several rows by transposition; LLVM's `ExpandReductions` for single ones.)

use crate::ir::collective::CollectiveOp;
use crate::ir::{Block, Builder, Func, Imm, Inst, Op, Type, Value};
use crate::pass::forward::Forward;
use rustc_hash::FxHashMap;

/// Bytes within which lanes move by one instruction.
const BLOCK_BYTES: u32 = 16;

/// Rewrites all reductions; true if there were any.
pub(crate) fn run(func: &mut Func) -> bool {
    if !applies(func) {
        return false;
    }
    let mut forward = Forward::new(func);
    for block in func.layout.clone() {
        // From the last on, so that places in the block stay.
        for batch in batches(func, block).iter().rev() {
            expand(func, block, batch, &mut forward);
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        func.blocks[block].insts = insts.into_iter().filter(|&i| func.insts[i].op != Op::ReduceTree).collect();
    }
    forward.apply(func);
    true
}

/// True if there are reductions.
pub(crate) fn applies(func: &Func) -> bool {
    func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::ReduceTree)
}

/// Steps of so many reductions of `lanes` lanes: two shuffles and an operation each.
pub(super) fn steps(lanes: u8, count: u32) -> u32 {
    let whole = count / u32::from(lanes);
    let of = |n: u32| n - 1 + (u32::from(lanes) / n).ilog2();
    let rest = count % u32::from(lanes);
    let parts = (0..8).filter(|bit| rest >> bit & 1 == 1).map(|bit| of(1 << bit));
    whole * of(lanes.into()) + parts.sum::<u32>()
}

/// Reductions of a block that are made together, behind the last of them.
struct Batch {
    /// Where that is in the block.
    at: usize,
    /// The first place at which a result is used.
    used: usize,
    by: CollectiveOp,
    ty: Type,
    members: Vec<Inst>,
}

/// The reductions of a block, each in a batch, by place: those of one kind, as far as none is used before the last one.
fn batches(func: &Func, block: Block) -> Vec<Batch> {
    let insts = &func.blocks[block].insts;
    let mut first_use: FxHashMap<Value, usize> = FxHashMap::default();
    for (at, &inst) in insts.iter().enumerate().rev() {
        func.insts[inst].args.iter().for_each(|&v| _ = first_use.insert(v, at));
    }
    let (mut done, mut open): (Vec<Batch>, Vec<Batch>) = (Vec::new(), Vec::new());
    for (at, &inst) in insts.iter().enumerate() {
        let data = &func.insts[inst];
        let (Op::ReduceTree, &Imm::Collective(by), Some(result)) = (data.op, &data.imm, data.result) else { continue };
        let ty = func.ty(data.args[0]);
        let used = first_use.get(&result).copied().unwrap_or(usize::MAX);
        if let Some(i) = open.iter().position(|batch| (batch.by, batch.ty) == (by, ty)) {
            let batch = &mut open[i];
            if batch.used > at && batch.members.len() < usize::from(ty.lanes) {
                (batch.at, batch.used) = (at, batch.used.min(used));
                batch.members.push(inst);
                continue;
            }
            done.push(open.swap_remove(i));
        }
        open.push(Batch { at, used, by, ty, members: vec![inst] });
    }
    done.extend(open);
    done.sort_unstable_by_key(|batch| batch.at);
    done
}

/// Writes the code of a batch, whose number of members is taken apart into powers of two.
fn expand(func: &mut Func, block: Block, batch: &Batch, forward: &mut Forward) {
    let origin = func.insts[batch.members[0]].origin;
    let mut b = Builder::at(func, block, batch.at + 1).with_origin(origin);
    let mut rest = &batch.members[..];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(1 << rest.len().ilog2());
        rest = later;
        let vectors: Vec<Value> = now.iter().map(|&inst| b.func.insts[inst].args[0]).collect();
        let results = Steps { b: &mut b, by: batch.by }.reduce(&vectors);
        for (&inst, result) in now.iter().zip(results) {
            forward.set(b.func.insts[inst].result.expect("a reduction has a result"), result);
        }
    }
}

/// Writes steps of reductions.
struct Steps<'a, 'f> {
    b: &'a mut Builder<'f>,
    by: CollectiveOp,
}

impl Steps<'_, '_> {
    /// The reductions of vectors, of which there is a power of two and no more than lanes.
    fn reduce(&mut self, vectors: &[Value]) -> Vec<Value> {
        let ty = self.b.func.ty(vectors[0]);
        // Where each vector must stand for the results to be in order.
        let places = order(ty, vectors.len());
        let mut placed = vectors.to_vec();
        places.iter().zip(vectors).for_each(|(&place, &v)| placed[place] = v);
        let mut x = self.join(&placed);
        let mut n = usize::from(ty.lanes) / vectors.len();
        while n > 1 {
            x = self.step([x, x], n, true);
            n /= 2;
        }
        if vectors.len() == 1 {
            return vec![x];
        }
        (0..vectors.len()).map(|i| self.b.emit(Op::Extract, ty.lane(), &[x], Imm::Lane(i as u8))).collect()
    }

    /// As many steps as bring the vectors into one: depth first, so that few of them live at once.
    fn join(&mut self, vectors: &[Value]) -> Value {
        if let [one] = vectors {
            return *one;
        }
        let (first, second) = vectors.split_at(vectors.len() / 2);
        let pair = [self.join(first), self.join(second)];
        self.step(pair, 2 * usize::from(self.b.func.ty(pair[0]).lanes) / vectors.len(), false)
    }

    /// In each run of `n` lanes the lower half takes in the upper one; what is left are lanes of one vector. `alone`:
    /// the two are the same.
    fn step(&mut self, pair: [Value; 2], n: usize, alone: bool) -> Value {
        let ty = self.b.func.ty(pair[0]);
        let left = picks(ty, n, alone);
        let [left, right] = [0, n as u8 / 2].map(|up| {
            if left.len() == 1 {
                return self.b.emit(Op::Extract, ty.lane(), &pair[..1], Imm::Lane(left[0] + up));
            }
            let lanes = left.iter().map(|lane| lane + up).collect();
            self.b.emit(Op::Shuffle, ty.with_lanes(left.len() as u8), &pair, Imm::Lanes(lanes))
        });
        self.b.op(self.by.op(), &[right, left])
    }
}

/// Lanes of the lower halves of runs of `n` lanes of two vectors, or one: those of the second behind those of the
/// first, in each part of 16 bytes where runs are no longer.
fn picks(ty: Type, n: usize, alone: bool) -> Vec<u8> {
    let lanes = usize::from(ty.lanes);
    let part = if n * ty.elem.bytes() as usize > BLOCK_BYTES as usize { lanes } else { lanes.min(part_lanes(ty)) };
    let vectors = if alone { 1 } else { 2 };
    let parts = (0..lanes).step_by(part).flat_map(|at| (0..vectors).map(move |v| v * lanes + at));
    parts.flat_map(|at| (at..at + part).filter(|lane| lane % n < n / 2)).map(|lane| lane as u8).collect()
}

/// Lanes of 16 bytes.
fn part_lanes(ty: Type) -> usize {
    (BLOCK_BYTES / ty.elem.bytes()) as usize
}

/// For each of `count` results the place of its vector among those that `join` takes.
fn order(ty: Type, count: usize) -> Vec<usize> {
    let lanes = usize::from(ty.lanes);
    let mut level: Vec<Vec<usize>> = (0..count).map(|number| vec![number; lanes]).collect();
    let mut n = lanes;
    while level.len() > 1 {
        let picks = picks(ty, n, false);
        let lane = |pair: &[Vec<usize>], p: u8| pair[usize::from(p) / lanes][usize::from(p) % lanes];
        level = level.chunks(2).map(|pair| picks.iter().map(|&p| lane(pair, p)).collect()).collect();
        n /= 2;
    }
    // Runs of `n` lanes are left, one of each vector.
    level[0].iter().step_by(n).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_result_has_a_place_of_its_own() {
        for elem in [Type::I8, Type::I16, Type::I32, Type::I64] {
            for lanes in [4, 8, 16, 32, 64] {
                for count in (0..).map(|n| 1 << n).take_while(|&n| n <= usize::from(lanes)) {
                    let mut places = order(elem.with_lanes(lanes), count);
                    places.sort_unstable();
                    assert_eq!(places, (0..count).collect::<Vec<_>>(), "{elem}x{lanes}, {count}");
                }
            }
        }
    }

    #[test]
    fn reductions_together_take_fewer_steps() {
        assert_eq!([1, 2, 3, 4, 8, 16, 17, 32].map(|n| steps(16, n)), [4, 4, 8, 5, 8, 15, 19, 30]);
    }
}
