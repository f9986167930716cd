//! A large function must pass through `PROGRAM` quickly: everything is about linear.

use clift_jit::ir::{Attr, Builder, Func, Imm, IntPred, Module, Op, Slot, Type};
use clift_jit::launch::AddrSpace;
use clift_jit::pipeline::Runner;
use std::time::{Duration, Instant};

/// `n` rounds of: load two variables, compute, branch, store in both arms; every eighth round closes a loop.
fn large(n: usize) -> Module {
    let private = Type::ptr(AddrSpace::Private);
    let mut func = Func::new("k", vec![Type::ptr(AddrSpace::Global), Type::I32], None);
    func.is_kernel = true;
    let slots: Vec<_> = (0..64).map(|_| func.slots.push(Slot::new(String::new(), 4, 4))).collect();
    let entry = func.entry();
    let [out, x] = [0, 1].map(|i| func.blocks[entry].params[i]);
    let mut b = Builder::new(&mut func, entry);
    for &slot in &slots {
        let p = b.typed(Op::SlotAddr, private, &[], Imm::Slot(slot), Attr::default());
        b.store(p, x, Attr::default());
    }
    let mut head = None;
    for i in 0..n {
        let address = |b: &mut Builder<'_>, k: usize| {
            b.typed(Op::SlotAddr, private, &[], Imm::Slot(slots[k % 64]), Attr::default())
        };
        if i % 8 == 0 {
            let from = b.block;
            let block = b.start_block();
            b.func.blocks[from].term = clift_jit::ir::Term::Jump(clift_jit::ir::Target::plain(block));
            head = Some(block);
        }
        let (p, q) = (address(&mut b, i), address(&mut b, i * 7 + 1));
        let u = b.load(Type::I32, p, Attr::default());
        let v = b.load(Type::I32, q, Attr::default());
        let c = b.i32(i as i32 % 5);
        let s = b.op(Op::Add, &[u, v]);
        let t = b.op(Op::Mul, &[s, c]);
        let w = b.op(Op::Xor, &[t, u]);
        let less = b.icmp(IntPred::SLt, w, v);
        let from = b.block;
        let [then, els] = [b.func.add_block(), b.func.add_block()];
        b.branch(less, then, els);
        b.enter(then);
        b.store(p, w, Attr::default());
        let at = b.ptr_off(out, 4 * i as i64);
        b.store(at, w, Attr::default());
        b.jump(els, &[]);
        b.enter(els);
        b.store(q, t, Attr::default());
        let _ = from;
        if let (7, Some(head)) = (i % 8, head) {
            let next = b.func.add_block();
            b.branch(less, head, next);
            b.enter(next);
        }
    }
    b.end(clift_jit::ir::Term::Ret(None));
    let mut module = Module::default();
    module.funcs.push(func);
    module
}

#[test]
fn twenty_thousand_ops() {
    let mut module = large(1500);
    let n = module.funcs.values().map(Func::n_live_insts).sum::<usize>();
    assert!(n >= 19_000, "{n}");
    let start = Instant::now();
    let mut runner = Runner::default();
    runner.program(&mut module);
    let timings = runner.timings;
    let spent = start.elapsed();
    println!("{n} operations: {spent:?}\n{timings:#?}");
    assert!(clift_jit::ir::verify::verify(&module).is_ok());
    // Debug builds verify after every pass; the bound is for a slow machine.
    assert!(spent < Duration::from_secs(10), "{spent:?}: {timings:?}");
}
