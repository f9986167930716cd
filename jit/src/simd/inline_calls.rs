//! Bodies of pure functions that loops call come in: in loops over work-items, so that they run in lanes too; in
//! all loops of scalar code, so that what lives across the call stays in registers, of which a call leaves none for
//! floats. In the order in which a walk over the loops comes to the calls, up to a budget; the walk goes on in what
//! has come in, so that it takes time in proportion to the function that comes out.

use super::MAX_INLINED;
use crate::analysis::alias::is_pure_call;
use crate::ir::cfg::{Cfg, walk_tree};
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, FuncId, Imm, Module, Op, Term};
use crate::pass::inline::inline_call;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The children of each block in a walk over a function.
type Tree = Vec<SmallVec<[Block; 2]>>;

/// What a walk over a callee's body is like.
struct Body {
    tree: Tree,
    /// The return that the walk comes to first, if all ways through the body end at one.
    first_return: Option<Block>,
    /// Of each block its number in the layout.
    places: Vec<usize>,
}

/// Instructions that may come into loops of a function's scalar code, and those of one body.
const MAX_SCALAR: usize = 1500;
const MAX_SCALAR_BODY: usize = 200;

/// How many instructions may come in.
struct Room {
    left: usize,
    /// With one body.
    each: usize,
}

/// Which loops bodies come into.
#[derive(Clone, Copy)]
enum Wanted {
    Items,
    Innermost,
    Outermost,
}

impl Wanted {
    /// Those of the loops.
    fn of(self, func: &Func, loops: &Loops) -> impl Iterator<Item = usize> + use<> {
        let n = loops.loops.len();
        let mut is_wanted: Vec<bool> = loops.loops.iter().map(|l| func.blocks[l.header].items).collect();
        let parents = || loops.loops.iter().map(|l| l.parent);
        match self {
            Self::Items => {}
            Self::Innermost => {
                is_wanted = vec![true; n];
                parents().flatten().for_each(|outer| is_wanted[outer] = false);
            }
            Self::Outermost => is_wanted = parents().map(|parent| parent.is_none()).collect(),
        }
        (0..n).filter(move |&n| is_wanted[n])
    }
}

/// Brings in the bodies that loops over work-items call; true if there were any.
pub(crate) fn inline_calls(module: &Module, func: &mut Func) -> bool {
    all(module, func, Wanted::Items, &mut Room { left: MAX_INLINED, each: MAX_INLINED })
}

/// Brings in the small bodies that any loops call, the innermost first; true if there were any.
pub(crate) fn inline_in_scalar(module: &Module, func: &mut Func) -> bool {
    let mut room = Room { left: MAX_SCALAR, each: MAX_SCALAR_BODY };
    [Wanted::Innermost, Wanted::Outermost].map(|wanted| all(module, func, wanted, &mut room)).contains(&true)
}

fn all(module: &Module, func: &mut Func, wanted: Wanted, room: &mut Room) -> bool {
    let before = room.left;
    while walk(module, func, wanted, room) {}
    room.left < before
}

/// Brings in what loops call; true if there may be more, since a body came in that need not return and what is in the
/// loop is to be found anew.
fn walk(module: &Module, func: &mut Func, wanted: Wanted, room: &mut Room) -> bool {
    if !func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::Call) {
        return false;
    }
    let (_, _, loops) = Loops::of_func(func);
    let mut tree = walk_tree(func);
    let mut bodies: FxHashMap<FuncId, Body> = FxHashMap::default();
    let mut followers: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    let mut is_again = false;
    'loops: for l in wanted.of(func, &loops).map(|n| &loops.loops[n]) {
        let has_call = |&b: &Block| find_call(module, func, b, room).is_some();
        if !l.blocks.iter().any(has_call) {
            continue;
        }
        let mut inside = vec![false; func.blocks.len()];
        l.blocks.iter().for_each(|b| inside[b.index()] = true);
        let mut todo = vec![l.header];
        while let Some(block) = todo.pop() {
            if !inside[block.index()] {
                continue;
            }
            if let Some((at, id)) = find_call(module, func, block, room) {
                let callee = &module.funcs[id];
                room.left -= callee.n_live_insts();
                let new = inline_call(func, block, at, module, id);
                let body = bodies.entry(id).or_insert_with(|| Body::new(callee));
                let Some(first_return) = body.first_return else {
                    followers.insert(block, new);
                    is_again = true;
                    break 'loops;
                };
                inside.resize(func.blocks.len(), true);
                tree.resize(func.blocks.len(), SmallVec::new());
                let copy = |b: Block| new[body.places[b.index()]];
                for &b in &callee.layout {
                    tree[copy(b).index()] = body.tree[b.index()].iter().map(|&child| copy(child)).collect();
                }
                let after = new[callee.layout.len()];
                tree[after.index()] = std::mem::take(&mut tree[block.index()]);
                tree[copy(first_return).index()].push(after);
                tree[block.index()].push(new[0]);
                followers.insert(block, new);
            }
            todo.extend_from_slice(&tree[block.index()]);
        }
    }
    let mut todo = std::mem::take(&mut func.layout);
    todo.reverse();
    while let Some(block) = todo.pop() {
        func.layout.push(block);
        todo.extend(followers.remove(&block).into_iter().flatten().rev());
    }
    is_again
}

/// A block's first call whose callee's body may come in.
fn find_call(module: &Module, func: &Func, block: Block, room: &Room) -> Option<(usize, FuncId)> {
    func.blocks[block].insts.iter().enumerate().find_map(|(at, &inst)| {
        let data = &func.insts[inst];
        let Imm::Func(id) = data.imm else { return None };
        let callee = &module.funcs[id];
        (is_pure_call(data) && callee.has_body() && callee.n_live_insts() <= room.left.min(room.each))
            .then_some((at, id))
    })
}

impl Body {
    fn new(func: &Func) -> Self {
        let cfg = Cfg::new(func);
        let is_return = |b: Block| matches!(func.blocks[b].term, Term::Ret(_));
        let mut returns = vec![false; func.blocks.len()];
        let mut todo: Vec<Block> = cfg.rpo().iter().copied().filter(|&b| is_return(b)).collect();
        // A return leads nowhere: it is left as soon as it is found.
        let first_return = todo.last().copied();
        while let Some(b) = todo.pop() {
            if !std::mem::replace(&mut returns[b.index()], true) {
                todo.extend_from_slice(cfg.preds(b));
            }
        }
        let first_return = first_return.filter(|_| cfg.rpo().iter().all(|b| returns[b.index()]));
        let mut places = vec![0; func.blocks.len()];
        func.layout.iter().enumerate().for_each(|(at, b)| places[b.index()] = at);
        Self { tree: walk_tree(func), first_return, places }
    }
}
