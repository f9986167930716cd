//! Each transformation on a few loops: the interpreter computes what it did before, and the shape is the one that was
//! asked for.

use super::jam::Jam;
use super::{lcssa, peel, rotate, simplify, split, unroll, version};
use crate::interp::Machine;
use crate::ir::op::Flags;
use crate::ir::text::parse;
use crate::ir::verify::verify;
use crate::ir::{Block, Builder, Cfg, Dominators, Func, FuncId, IntPred, Loops, Module, Op};
use rustc_hash::FxHashSet;

/// A sum over a loop that tests at the bottom, with something of the loop used behind it.
const BOTTOM: &str = "\
func @f(i64) -> i64 {
b0(%n: i64):
  %zero: i64 = const 0
  %one: i64 = const 1
  jump b1(%zero, %zero)
b1(%i: i64, %s: i64):
  %q: i64 = mul %i, %i
  %t: i64 = add %s, %q
  %next: i64 = add %i, %one
  %more: i1 = icmp.ult %next, %n
  br %more, b1(%next, %t), b2
b2:
  %r: i64 = xor %t, %q
  ret %r
}
";

/// The same without such uses, over `four` as the bound.
const CLOSED: &str = "\
func @f(i64) -> i64 {
b0(%x: i64):
  %zero: i64 = const 0
  %one: i64 = const 1
  %four: i64 = const 4
  jump b1(%zero, %x)
b1(%i: i64, %s: i64):
  %t: i64 = mul %s, %s
  %u: i64 = add %t, %i
  %next: i64 = add %i, %one
  %more: i1 = icmp.ult %next, %four
  br %more, b1(%next, %u), b2(%u)
b2(%r: i64):
  ret %r
}
";

/// A loop that tests at the top, with two ways in, two latches, and a value of its header used behind it.
const TOP: &str = "\
func @f(i64) -> i64 {
b0(%n: i64):
  %zero: i64 = const 0
  %one: i64 = const 1
  %three: i64 = const 3
  %odd: i1 = trunc %n
  br %odd, b1(%zero, %one), b1(%one, %zero)
b1(%i: i64, %s: i64):
  %d: i64 = add %s, %i
  %in: i1 = icmp.ult %i, %n
  br %in, b2, b5
b2:
  %next: i64 = add %i, %one
  %c: i64 = and %i, %three
  %big: i1 = icmp.eq %c, %three
  br %big, b3, b4
b3:
  jump b1(%next, %s)
b4:
  jump b1(%next, %d)
b5:
  ret %d
}
";

fn results(module: &Module) -> Vec<Option<u64>> {
    let call = |n: u64| {
        let result = Machine::new(module).call(FuncId(0), &[[n].into_iter().collect()]);
        result.expect("no broken rule").map(|lanes| lanes[0])
    };
    [0, 1, 2, 3, 7, 12].into_iter().map(call).collect()
}

/// Transforms the function of a text, and checks that it is valid and computes what it did.
fn same(text: &str, change: impl FnOnce(&mut Func)) -> Func {
    let mut module = parse(text).expect("it parses");
    let before = results(&module);
    change(&mut module.funcs[FuncId(0)]);
    module.funcs[FuncId(0)].remove_unreachable();
    verify(&module).expect("it is valid");
    assert_eq!(results(&module), before);
    module.funcs[FuncId(0)].clone()
}

fn loops(func: &Func) -> (Cfg, Loops) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    (cfg, loops)
}

#[test]
fn loops_get_a_preheader_and_one_latch() {
    let func = same(TOP, |func| {
        let (_, found) = loops(func);
        assert_eq!(found.loops[0].latches.len(), 2);
        assert!(simplify::make_single_latch(func, &found.loops[0]));
        assert!(simplify::make_preheaders(func));
    });
    let (cfg, found) = loops(&func);
    let l = &found.loops[0];
    assert_eq!(l.latches.len(), 1);
    let front = simplify::preheader(&func, &cfg, l).expect("a preheader");
    assert_eq!(func.blocks[front].params.len(), 2, "both ways in lead through it");
}

#[test]
fn a_preheader_is_made_once() {
    same(BOTTOM, |func| {
        let n = func.layout.len();
        assert!(simplify::make_preheaders(func));
        assert_eq!(func.layout.len(), n);
    });
}

#[test]
fn uses_behind_a_loop_are_found_and_go_through_parameters() {
    let func = same(BOTTOM, |func| {
        let (cfg, found) = loops(func);
        let l = &found.loops[0];
        let uses = lcssa::escaping(func, &l.blocks, |b| l.blocks.contains(&b));
        assert_eq!(uses.len(), 2);
        assert!(
            !lcssa::is_closed(func, &l.blocks, &func.user_blocks()) && lcssa::entry_of_closed(func, &cfg, l).is_none()
        );
        let exit = lcssa::close_at(func, &l.blocks, l.latches[0]);
        assert_eq!(func.blocks[exit].params.len(), 2);
    });
    let (cfg, found) = loops(&func);
    assert!(lcssa::is_closed(&func, &found.loops[0].blocks, &func.user_blocks()));
    assert_eq!(lcssa::entry_of_closed(&func, &cfg, &found.loops[0]), Some(func.entry()));
}

#[test]
fn uses_behind_a_loop_go_through_variables() {
    for text in [BOTTOM, TOP] {
        let func = same(text, |func| {
            let (_, found) = loops(func);
            let l = &found.loops[0];
            lcssa::through_slots(func, &l.blocks, |b| l.blocks.contains(&b));
        });
        let (_, found) = loops(&func);
        assert!(lcssa::is_closed(&func, &found.loops[0].blocks, &func.user_blocks()) && !func.slots.is_empty());
    }
}

#[test]
fn a_loop_that_runs_four_times_becomes_four_bodies() {
    let func = same(CLOSED, |func| {
        let (_, found) = loops(func);
        let l = &found.loops[0];
        unroll::fully(func, &l.blocks, l.header, l.latches[0], 4);
    });
    let (_, found) = loops(&func);
    assert!(found.loops.is_empty());
    assert_eq!(func.live_insts().filter(|(_, i)| func.insts[*i].op == Op::Mul).count(), 4);
}

#[test]
fn a_header_is_peeled_and_what_is_behind_it_runs_only_if_the_loop_does() {
    let func = same(TOP, |func| {
        simplify::make_preheaders(func);
        let (cfg, found) = loops(func);
        let l = &found.loops[0];
        let front = simplify::preheader(func, &cfg, l).expect("a preheader");
        let inner = peel::header(func, l, front);
        let (cfg, found) = loops(func);
        assert_eq!(simplify::preheader(func, &cfg, &found.loops[0]), Some(inner));
    });
    let (_, found) = loops(&func);
    assert_eq!(found.loops.len(), 1);
}

#[test]
fn a_preheader_chooses_between_two_versions_of_a_loop() {
    let func = same(CLOSED, |func| {
        let (cfg, found) = loops(func);
        let l = &found.loops[0];
        let front = lcssa::entry_of_closed(func, &cfg, l).expect("a closed loop");
        let copies = func.copy_blocks(&l.blocks);
        let mut b = Builder::new(func, front);
        let three = b.i64(3);
        let param = b.func.blocks[front].params[0];
        let cond = b.icmp(IntPred::ULt, param, three);
        version::choose(func, front, cond, &copies);
    });
    let (cfg, found) = loops(&func);
    assert_eq!(found.loops.len(), 2);
    let n_fronts = found.loops.iter().filter(|l| simplify::preheader(&func, &cfg, l).is_some()).count();
    assert_eq!(n_fronts, 1, "the copy has one; the other is entered from the branch");
}

#[test]
fn a_loop_is_split_at_a_bound() {
    for at in [0, 1, 3, 4] {
        let func = same(CLOSED, |func| {
            let (_, found) = loops(func);
            let block: Block = found.loops[0].header;
            let next = func.insts[func.blocks[block].insts[2]].result.expect("a sum");
            split::at_bound(func, block, func.entry(), next, |b: &mut Builder<'_>| b.i64(at));
        });
        let (_, found) = loops(&func);
        assert_eq!(found.loops.len(), 2);
    }
}

#[test]
fn a_loop_that_tests_at_the_top_tests_at_the_bottom() {
    let func = same(TOP, |func| {
        simplify::make_preheaders(func);
        let (_, found) = loops(func);
        simplify::make_single_latch(func, &found.loops[0]);
        rotate::run(func);
    });
    let (_, found) = loops(&func);
    let l = &found.loops[0];
    let leaves = |b: &Block| func.blocks[*b].term.targets().iter().any(|t| !l.blocks.contains(&t.block));
    let latches =
        |b: &Block| func.blocks[*b].term.targets().iter().any(|t| l.latches.contains(&t.block) || t.block == l.header);
    assert!(l.blocks.iter().filter(|b| leaves(b)).all(latches), "it is left where it goes round");
}

/// Four rows, each with a sum in an inner loop that depends on the row, kept in memory.
const ROWS: &str = "\
func @f(i64) -> i64 {
  slot0 \"sums\" size 32 align 8
b0(%n: i64):
  %zero: i64 = const 0
  %one: i64 = const 1
  %four: i64 = const 4
  %p: ptr<private> = slot.addr slot0
  jump rows(%zero)
rows(%y: i64):
  jump inner(%zero, %y)
inner(%k: i64, %s: i64):
  %kk: i64 = mul %k, %k
  %t: i64 = mul %s, %kk
  %u: i64 = add %t, %y
  %k2: i64 = add %k, %one
  %in: i1 = icmp.ult %k2, %n
  br %in, inner(%k2, %u), next
next:
  %at: ptr<private> = ptr.add %p, %y * 8 + 0
  store %at, %u
  %y2: i64 = add %y, %one
  %more: i1 = icmp.ult %y2, %four
  br %more, rows(%y2), end
end:
  %a0: i64 = load %p
  %p1: ptr<private> = ptr.off %p, 8
  %a1: i64 = load %p1
  %p3: ptr<private> = ptr.off %p, 24
  %a3: i64 = load %p3
  %x: i64 = mul %a1, %a3
  %r: i64 = sub %x, %a0
  ret %r
}
";

#[test]
fn rows_are_jammed_through_the_loop_within() {
    for n in [2, 4] {
        let func = same(ROWS, |func| {
            let (cfg, found) = loops(func);
            let l = &found.loops[0];
            let counter = func.blocks[l.header].params[0];
            let mut varying: FxHashSet<_> = [counter].into_iter().collect();
            // What the counter reaches: the sum of the inner loop, the address, and the next count.
            let inner = func.blocks[l.header].term.target(0).block;
            varying.insert(func.blocks[inner].params[1]);
            for &inst in l.blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
                if func.insts[inst].args.iter().any(|v| varying.contains(v)) {
                    varying.extend(func.insts[inst].result);
                }
            }
            let each = |func: &Func, block: Block| func.blocks[block].insts.iter().map(|&i| vec![i]).collect();
            Jam { l, counter, step: 1, exact: Flags::empty(), varying: &varying }.apply(func, &cfg, (n, 4), each);
        });
        let (_, found) = loops(&func);
        assert_eq!(found.loops.len(), 2);
        let inner = &func.blocks[found.loops[1].header];
        assert_eq!(inner.params.len(), 1 + n as usize, "a count, and a sum for each row");
        let squares = inner.insts.iter().filter(|&&i| func.insts[i].op == Op::Mul).count();
        assert_eq!(squares, 1 + n as usize, "what does not depend on the row is computed once");
    }
}
