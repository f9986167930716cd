//! Loop-simplify form: each loop has a preheader, which jumps to its header and nowhere else, and one latch, which
//! jumps back.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::{Block, Func, Term};

/// Gives every loop a preheader; false if there is no loop. Drops unreachable blocks.
pub fn make_preheaders(func: &mut Func) -> bool {
    let cfg = Cfg::new(func);
    func.layout = cfg.rpo().to_vec();
    let found = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let n_blocks = func.blocks.len();
    for l in &found.loops {
        make_preheader(func, &cfg, l);
    }
    if func.blocks.len() > n_blocks {
        func.remove_unreachable();
    }
    !found.loops.is_empty()
}

/// The one block outside the loop that jumps to its header and nowhere else.
pub fn preheader(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Block> {
    l.entry(cfg).filter(|&block| matches!(func.blocks[block].term, Term::Jump(_)))
}

/// Gives a loop a preheader, if it has none.
pub fn make_preheader(func: &mut Func, cfg: &Cfg, l: &Loop) -> Block {
    if let Some(block) = preheader(func, cfg, l) {
        return block;
    }
    let outside: Vec<Block> = l.entries(cfg).collect();
    match outside[..] {
        [only] => func.split_edge(only, l.header),
        _ => {
            let new = func.merge_edges(&outside, l.header);
            func.insert_blocks(l.header, &[new]);
            new
        }
    }
}

/// Gives a loop one latch, which only jumps back, if it has several; true then.
pub fn make_single_latch(func: &mut Func, l: &Loop) -> bool {
    let is_new = l.latches.len() > 1;
    if is_new {
        let latch = func.merge_edges(&l.latches, l.header);
        func.layout.push(latch);
    }
    is_new
}
