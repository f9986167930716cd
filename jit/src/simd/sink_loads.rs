//! Broadcasts of loaded scalars next to the lanes that use them: where a loop over lanes goes round a few times only, a
//! register for each in front of it costs more than to load again. Takes SSA form in lanes; `pass::licm` leaves them
//! there.

use crate::analysis::alias::Alias;
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, Op, Term};
use crate::loops::lcssa::entry_if_closed;
use crate::pass::licm::goes_round_rarely;

/// So many are left in registers.
const FEW: usize = 8;

/// Moves them.
pub(crate) fn run(func: &mut Func) {
    if !func.layout.iter().any(|&b| func.blocks[b].rows.is_some()) {
        return;
    }
    let (cfg, dom, loops) = Loops::of_func(func);
    // What is moved comes into loops, and leaves these as closed as they were.
    let users = func.user_blocks();
    for l in &loops.loops {
        if !goes_round_rarely(func, &cfg, &dom, l) {
            continue;
        }
        let Some(before) = entry_if_closed(func, &cfg, l, &users) else { continue };
        let found = candidates(func, before, &l.blocks);
        if found.len() <= FEW {
            continue;
        }
        for (load, splat, block) in found {
            func.blocks[before].insts.retain(|&i| i != load && i != splat);
            let v = func.insts[splat].result;
            let uses = |&i: &Inst| func.insts[i].args.iter().any(|&arg| Some(arg) == v);
            let at = func.blocks[block].insts.iter().position(uses).expect("it is used there");
            func.blocks[block].insts.splice(at..at, [load, splat]);
        }
    }
}

/// Loads in a block of which nothing but a broadcast is used, and this in one block of the loop behind it only, whose
/// writes leave the memory alone: the load, the broadcast, the block.
fn candidates(func: &Func, before: Block, inside: &[Block]) -> Vec<(Inst, Inst, Block)> {
    let alias = Alias::new(func);
    let written = |insts: &[Inst]| insts.iter().fold(0, |set, &i| set | alias.writes(func, &func.insts[i]));
    let in_loop = inside.iter().fold(0, |set, &b| set | written(&func.blocks[b].insts));
    // The one block that uses a value, none if there are more.
    let mut users: Vec<Option<Option<Block>>> = vec![None; func.values.len()];
    for &b in &func.layout {
        for &v in func.data_of(&[b]).flat_map(|data| &data.args) {
            let user = &mut users[v.index()];
            *user = Some(user.unwrap_or(Some(b)).filter(|&user| user == b));
        }
        func.blocks[b].term.for_each_value(|v| users[v.index()] = Some(None));
    }
    let insts = &func.blocks[before].insts;
    let mut found = Vec::new();
    for (at, &splat) in insts.iter().enumerate().filter(|&(_, &i)| func.insts[i].op == Op::Splat) {
        let data = &func.insts[splat];
        let (Some(v), x) = (data.result, data.args[0]) else { continue };
        let Some(place) = insts[..at].iter().position(|&i| func.insts[i].result == Some(x)) else { continue };
        let load = &func.insts[insts[place]];
        let only = |inst: &Inst| *inst == splat || !func.insts[*inst].args.contains(&x);
        let fits = load.op == Op::Load
            && !load.attr.flags.intersects(Flags::VOLATILE | Flags::INVARIANT)
            && users[x.index()] == Some(Some(before))
            && insts.iter().all(only);
        let Some(Some(user)) = users[v.index()].filter(|_| fits) else { continue };
        let Some(class) = alias.load_class(func, load) else { continue };
        let clear = (in_loop | written(&insts[place..])) >> class.index() & 1 == 0;
        if clear && inside.contains(&user) && matches!(func.blocks[before].term, Term::Jump(_)) {
            found.push((insts[place], splat, user));
        }
    }
    found
}
