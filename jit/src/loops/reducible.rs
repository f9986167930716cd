//! Makes control flow reducible: a cycle with several entries gets one, a block that all its entries are reached by and
//! that a number sends on to the one that was meant. Values that a cycle makes go through variables in slots, which
//! `mem2reg` turns back.

use super::lcssa::through_slots;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Func, Imm, Op, Target, Term, Type, Value};

/// Runs the pass; true if there was such a cycle.
pub fn make_reducible(func: &mut Func) -> bool {
    let mut any = false;
    while Loops::of_func(func).2.is_irreducible() {
        let (cycle, entries) = find(func).expect("some cycle has several entries");
        give_entry(func, &cycle, &entries);
        any = true;
    }
    any
}

/// A cycle with several entries, and those.
fn find(func: &Func) -> Option<(Vec<Block>, Vec<Block>)> {
    let cfg = Cfg::new(func);
    let mut work = vec![cfg.rpo().to_vec()];
    while let Some(blocks) = work.pop() {
        for cycle in components(func, &blocks) {
            let inside = |b: &Block| cycle.contains(b);
            let is_entry = |b: &Block| *b == func.entry() || cfg.preds(*b).iter().any(|p| !inside(p));
            let entries: Vec<Block> = cycle.iter().copied().filter(is_entry).collect();
            if entries.len() > 1 {
                return Some((cycle, entries));
            }
            work.push(cycle.into_iter().filter(|b| !entries.contains(b)).collect());
        }
    }
    None
}

/// The cycles of the graph of these blocks: its strongly connected components (Tarjan) that are no single block.
fn components(func: &Func, blocks: &[Block]) -> Vec<Vec<Block>> {
    let n = func.blocks.len();
    let mut within = vec![false; n];
    blocks.iter().for_each(|b| within[b.index()] = true);
    let (mut number, mut low, mut is_open) = (vec![0usize; n], vec![0usize; n], vec![false; n]);
    let (mut found, mut open, mut next) = (Vec::new(), Vec::new(), 0);
    for &root in blocks {
        if number[root.index()] > 0 {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((block, at)) = stack.last_mut() {
            let (b, i) = (block.index(), *at);
            if i == 0 {
                next += 1;
                (number[b], low[b], is_open[b]) = (next, next, true);
                open.push(*block);
            }
            let targets = func.blocks[*block].term.targets();
            if let Some(to) = targets.get(i).map(|t| t.block) {
                *at += 1;
                match number[to.index()] {
                    _ if !within[to.index()] => {}
                    0 => stack.push((to, 0)),
                    seen if is_open[to.index()] => low[b] = low[b].min(seen),
                    _ => {}
                }
                continue;
            }
            let own = *block;
            stack.pop();
            if let Some(&(parent, _)) = stack.last() {
                low[parent.index()] = low[parent.index()].min(low[b]);
            }
            if low[b] == number[b] {
                let start = open.iter().rposition(|&o| o == own).expect("still open");
                let component = open.split_off(start);
                component.iter().for_each(|o| is_open[o.index()] = false);
                if component.len() > 1 {
                    found.push(component);
                }
            }
        }
    }
    found
}

fn give_entry(func: &mut Func, cycle: &[Block], entries: &[Block]) {
    for &block in cycle {
        through_slots(func, &[block], |b| b == block);
    }
    let door = func.add_block();
    let which = func.add_param(door, Type::I32);
    let params: Vec<Vec<Value>> = entries
        .iter()
        .map(|&entry| {
            let types: Vec<Type> = func.blocks[entry].params.iter().map(|&p| func.ty(p)).collect();
            types.into_iter().map(|ty| func.add_param(door, ty)).collect()
        })
        .collect();
    let types: Vec<Vec<Type>> = params.iter().map(|list| list.iter().map(|&p| func.ty(p)).collect()).collect();
    for from in func.layout.clone() {
        let mut term = func.blocks[from].term.clone();
        let mut changed = false;
        for target in term.targets_mut() {
            let Some(number) = entries.iter().position(|&e| e == target.block) else { continue };
            let mut b = Builder::new(func, from);
            let mut args = vec![b.bits(Type::I32, number as u64)];
            for (n, list) in types.iter().enumerate() {
                match n == number {
                    true => args.extend(&target.args),
                    false => {
                        args.extend(list.iter().map(|&ty| b.emit(Op::Undef, ty, &[], Imm::None)).collect::<Vec<_>>())
                    }
                }
            }
            *target = Target { block: door, args: args.into_iter().collect() };
            changed = true;
        }
        if changed {
            func.blocks[from].term = term;
        }
    }
    let to = |n: usize| Target { block: entries[n], args: params[n].iter().copied().collect() };
    let cases = (1..entries.len()).map(|n| (n as u64, to(n))).collect();
    func.blocks[door].term = Term::Switch { value: which, cases, default: to(0) };
    func.insert_blocks(entries[0], &[door]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::ir::verify::verify;

    #[test]
    fn a_loop_that_is_entered_in_the_middle_gets_one_entry() {
        let text = "func @f(i32, i1) -> i32 {\nb0(%0: i32, %1: i1):\n  br %1, b1(%0), b2(%0)\nb1(%2: i32):\n  \
            %3: i32 = add %2, %0\n  jump b2(%3)\nb2(%4: i32):\n  %5: i32 = const 9\n  %6: i1 = icmp.ult %4, %5\n  \
            br %6, b1(%4), b3\nb3:\n  ret %4\n}\n";
        let mut module = parse(text).expect("it parses");
        let id = module.funcs.keys().next().expect("a function");
        let mut func = module.funcs[id].clone();
        assert!(make_reducible(&mut func) && !make_reducible(&mut func));
        module.funcs[id] = func;
        verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
    }
}
