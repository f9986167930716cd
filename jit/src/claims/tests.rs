//! Claims that are false are found out.

use super::*;
use crate::ir::text::parse;
use crate::simd::claims::{Alike, ItemClaims, Present};
use crate::wg::claims::KernelClaims;

fn module(body: &str) -> Module {
    let text = format!(
        "local lv0 \"tile\" size 64 align 16\n\
         info @k block 16 local 64 private 0 attributes \"\" {{\n\
           arg \"p\" \"int*\" buffer global offset 0 size 8\n  arg \"q\" \"int*\" buffer global offset 8 size 8\n}}\n\
         func @get(ptr<global>) -> i32 {{\nb0(%p: ptr<global>):\n  %x: i32 = load %p\n  ret %x\n}}\n\
         func @k(ptr<global>, ptr<global>) kernel {{\nb0(%p: ptr<global>, %q: ptr<global>):\n{body}}}\n"
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn launch() -> Launch {
    Launch::linear(16, 8)
}

/// Checks a kernel that is not what it was lowered from.
fn run(lowered: &str, later: &str) -> Result<Report, Skip> {
    let (lowered, module) = (module(lowered), module(later));
    let args = [Given::Buffer(vec![0x7f; 64]), Given::Buffer(vec![1; 64])];
    check(&Setup {
        lowered: &lowered,
        module: &module,
        kernel: 0,
        args: &args,
        launch: launch(),
        steps: 1 << 16,
        widths: &[4],
    })
}

/// What is found of it.
fn found(lowered: &str, later: &str) -> Vec<Claim> {
    let report = run(lowered, later).expect("a sound program");
    report.violations.iter().map(|violation| violation.claim).collect()
}

/// The same with something put in place of `HERE`, instead of nothing.
fn found_with(body: &str, here: &str) -> Vec<Claim> {
    assert_eq!(found(&body.replace("HERE", ""), &body.replace("HERE", "")), []);
    found(&body.replace("HERE", ""), &body.replace("HERE", here))
}

/// Stores `%v` to the work-item's place in `%q`.
const LEAVE: &str = "  %i: i64 = gid 0\n  %at: ptr<global> = ptr.add %q, %i * 4 + 0\n  store %at, %v\n  ret\n";

#[test]
fn wrong_flags() {
    let sum = format!("  %x: i32 = load %p\n  %v: i32 = add %x, %x HERE\n{LEAVE}");
    assert_eq!(found_with(&sum, "{nsw}")[0], Claim::Wrap);
    assert_eq!(found_with(&sum, "{nuw}"), []);
    let part = format!("  %x: i64 = load %p\n  %v: i32 = trunc %x HERE\n{LEAVE}");
    assert_eq!(found_with(&part, "{nuw}")[0], Claim::Wrap);
    // Nothing depends on the sum.
    let unused = format!(
        "  %x: i32 = load %p\n  %y: i32 = add %x, %x HERE\n  %c: i1 = icmp.slt %x, %x\n  %v: i32 = select %c, %y, %x\n{LEAVE}"
    );
    assert_eq!(found_with(&unused, "{nsw}"), []);
}

#[test]
fn wrong_facts_of_memory() {
    let changed = "  %i: i64 = gid 0\n  %at: ptr<global> = ptr.add %q, %i * 4 + 0\n  %o: i32 = load %at HERE\n  %c: i32 = const 5\n\
                     %x: i32 = add %o, %c\n  store %at, %x\n  ret\n";
    assert!(found_with(changed, "{inv}").contains(&Claim::Invariant));
    let aligned = format!("  %n: ptr<global> = ptr.off %p, 4\n  %v: i32 = load %n HERE\n{LEAVE}");
    assert_eq!(found_with(&aligned, "{align 8}")[0], Claim::Alignment);
    let call = format!("  %v: i32 = call @get(%p) HERE\n{LEAVE}");
    assert_eq!(found_with(&call, "{pure}")[0], Claim::Pure);
    let space = format!("  %a: i64 = ptrtoint %p\n  %n: ptr<HERE> = inttoptr %a\n  %v: i32 = load %n\n{LEAVE}");
    assert_eq!(found(&space.replace("HERE", "global"), &space.replace("HERE", "local"))[0], Claim::Space);
}

#[test]
fn another_result() {
    let value = |v: u32| format!("  %v: i32 = const {v}\n{LEAVE}");
    assert_eq!(found(&value(1), &value(2))[0], Claim::Result);
}

/// Three values: uniform, affine, varying; and a block for some.
const LOOP: &str = "func @f() -> i32 {
b0:
  %zero: i32 = const 0
  jump b1(%zero)
b1(%i: i32) items:
  %one: i32 = const 1
  %two: i32 = add %i, %i
  %odd: i32 = and %i, %one
  %c: i1 = icmp.eq %odd, %one
  br %c, b2, b3
b2:
  jump b3
b3:
  %next: i32 = add %i, %one
  %eight: i32 = const 8
  %more: i1 = icmp.ult %next, %eight
  br %more, b1(%next), b4
b4:
  ret %zero
}
";

#[test]
fn wrong_shapes_and_masks() {
    let module = parse(LOOP).expect("KIR");
    let id = module.funcs.keys().next().expect("a function");
    let func = &module.funcs[id];
    let blocks: Vec<Block> = func.layout[1..4].to_vec();
    let values: Vec<Value> = func.blocks[blocks[0]].insts.iter().filter_map(|&i| func.insts[i].result).collect();
    let [one, two, odd] = [values[0], values[1], values[2]];
    let run = |values: &[(Value, Alike)], present: &[(Block, Present)]| {
        let (values, present) = (values.to_vec(), present.to_vec());
        let claims = ItemClaims { header: blocks[0], latch: blocks[2], blocks: blocks.clone(), values, present };
        let mut checker = Checker::new(&module, id);
        checker.lanes = LaneWatch::new(func, vec![claims], 4).into_iter().collect();
        let mut machine = Machine::new(&module);
        machine.watch = Some(&mut checker);
        machine.call(id, &[]).expect("it ends");
        drop(machine);
        (checker.report.violations.len(), checker.report.checked.iter().take(3).sum::<u64>())
    };
    let right = [(one, Alike::Uniform), (two, Alike::Affine(2))];
    assert_eq!(run(&right, &[(blocks[2], Present::As(blocks[0]))]), (0, 18));
    assert!(run(&[(two, Alike::Uniform)], &[]).0 > 0);
    assert!(run(&[(two, Alike::Affine(1))], &[]).0 > 0);
    assert!(run(&[(odd, Alike::Affine(1))], &[]).0 > 0);
    assert!(run(&[], &[(blocks[1], Present::All)]).0 > 0);
    assert!(run(&[], &[(blocks[1], Present::As(blocks[0]))]).0 > 0);
}

#[test]
fn wrong_values_of_the_group() {
    let module = module(
        "  %i: i64 = lid 0\n  %zero: i64 = const 0\n  %c: i1 = icmp.eq %i, %zero\n  %n: i64 = lsz 0\n  br %c, b1, b2\n\
         b1:\n  jump b2\nb2:\n  ret\n",
    );
    let id = module.kernels[0].1;
    let func = &module.funcs[id];
    let [some, all] = [func.layout[1], func.layout[2]];
    let values: Vec<Value> = func.blocks[func.entry()].insts.iter().filter_map(|&i| func.insts[i].result).collect();
    let [lid, size] = [values[0], values[3]];
    let run = |uniform: &[Value], together: &[Block], kept: &[Value]| {
        let kept = vec![(all, kept.to_vec())];
        let (uniform, together) = (uniform.to_vec(), together.to_vec());
        let mut checker = Checker::new(&module, id);
        checker.group = GroupWatch::new(KernelClaims { func: func.clone(), uniform, together, kept });
        let mut machine = Machine::new(&module);
        let args = [64, 64].map(|n| Arg::Buffer(machine.add_buffer(vec![0; n])));
        machine.watch = Some(&mut checker);
        machine.run_kernel(id, &args, &launch()).expect("it ends");
        drop(machine);
        checker.report.violations.len()
    };
    assert_eq!(run(&[size], &[all], &[size]), 0);
    assert!(run(&[lid], &[], &[]) > 0);
    assert!(run(&[], &[some], &[]) > 0);
    assert!(run(&[], &[], &[lid]) > 0);
}

#[test]
fn programs_that_prove_nothing() {
    let skip = |body: &str| run(body, body).expect_err("not sound");
    let sum = format!("  %x: i32 = load %p\n  %v: i32 = add %x, %x {{nsw}}\n{LEAVE}");
    assert!(matches!(skip(&sum), Skip::Undefined(_)));
    let race = "  %i: i64 = gid 0\n  %v: i32 = trunc %i\n  store %p, %v\n  %x: i32 = load %p\n  store %q, %x\n  ret\n";
    assert!(matches!(skip(race), Skip::Race(_)));
    let far = "  %n: ptr<global> = ptr.off %p, 64\n  %v: i32 = load %n\n  store %q, %v\n  ret\n";
    assert!(matches!(skip(far), Skip::Broken(_)));
}
