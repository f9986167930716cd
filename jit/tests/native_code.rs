//! Machine code of all but elementwise ops: vectors' parts, calls, control flow, memory, atomics, variables, failures.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

#[path = "support/machine.rs"]
mod machine;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/values.rs"]
mod values;

use clift_jit::codegen::{Effort, ProgramData, Scratch, compile};
use clift_jit::ir::op::Flags;
use clift_jit::ir::{Attr, Builder, Func, Imm, IntPred, Module, Op, Rounding, Scalar, Target, Term, Type, Value};
use clift_jit::launch::AddrSpace;
use clift_jit::target::backend;
use machine::*;
use rng::Rng;
use values::{equal, random};

/// Runs `body` on random bytes and compares with `want`, which maps one item's input bytes to its output bytes.
fn check_bytes(
    name: &str,
    args: &[Type],
    ret: Type,
    body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
    want: impl Fn(&[&[u8]]) -> Vec<u8>,
) {
    let mut rng = Rng(9);
    let n = 50;
    let inputs: Vec<Vec<u8>> = args.iter().map(|t| (0..n * t.bytes()).map(|_| rng.next() as u8).collect()).collect();
    let func = looped(name, args, ret, body);
    let out = run(&Module::default(), &func, &inputs, (n * ret.bytes()) as usize, u64::from(n));
    for i in 0..n as usize {
        let item: Vec<&[u8]> = inputs
            .iter()
            .zip(args)
            .map(|(buffer, ty)| &buffer[i * ty.bytes() as usize..][..ty.bytes() as usize])
            .collect();
        let size = ret.bytes() as usize;
        assert_eq!(out[i * size..][..size], want(&item)[..], "{name}, item {i}");
    }
}

#[test]
fn vectors_are_built_taken_apart_and_shuffled() {
    for kind in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64] {
        let size = kind.bytes() as usize;
        for lanes in [2u8, 3, 4, 8, 16] {
            let (lane, ty) = (Type::scalar(kind), Type::scalar(kind).with_lanes(lanes));
            let picks: Vec<u8> = (0..lanes).map(|i| (i * 5 + 3) % (2 * lanes)).collect();
            check_bytes(
                "shuffle",
                &[ty, ty],
                ty,
                |b, a| b.typed(Op::Shuffle, ty, a, Imm::Lanes(picks.clone().into()), Attr::default()),
                |x| {
                    picks
                        .iter()
                        .flat_map(|&p| [x[0], x[1]].concat()[usize::from(p) * size..][..size].to_vec())
                        .collect()
                },
            );
            check_bytes(
                "insert, extract, splat, build",
                &[ty, lane],
                ty,
                |b, a| {
                    let last = b.typed(Op::Extract, lane, &[a[0]], Imm::Lane(lanes - 1), Attr::default());
                    let all = b.convert(Op::Splat, ty, last);
                    let mixed = b.typed(Op::Insert, ty, &[all, a[1]], Imm::Lane(1), Attr::default());
                    let parts: Vec<Value> = (0..lanes)
                        .map(|i| b.typed(Op::Extract, lane, &[mixed], Imm::Lane(i), Attr::default()))
                        .collect();
                    b.typed(Op::Build, ty, &parts, Imm::None, Attr::default())
                },
                |x| {
                    let last = &x[0][x[0].len() - size..];
                    (0..lanes).flat_map(|i| if i == 1 { x[1] } else { last }.to_vec()).collect()
                },
            );
            check_bytes(
                "extract.dyn",
                &[ty, Type::I8],
                lane,
                |b, a| {
                    let index = b.convert(Op::Zext, Type::I32, a[1]);
                    let n = b.i32(i32::from(lanes));
                    let index = b.op(Op::RemU, &[index, n]);
                    b.typed(Op::ExtractDyn, lane, &[a[0], index], Imm::None, Attr::default())
                },
                |x| x[0][usize::from(x[1][0] % lanes) * size..][..size].to_vec(),
            );
            check_bytes("copy", &[ty], ty, |_, a| a[0], |x| x[0].to_vec());
        }
    }
}

/// Registers' lanes in orders that machines have instructions for, of either vector and of both.
#[test]
fn shuffles_of_all_kinds_pick_their_lanes() {
    let mut rng = Rng(11);
    for kind in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F64] {
        let size = kind.bytes() as usize;
        let n = (16 / size) as u8;
        let ty = Type::scalar(kind).with_lanes(n);
        let mut orders: Vec<Vec<u8>> = Vec::new();
        for k in 0..n {
            orders.extend([vec![k; n.into()], (0..n).map(|i| (i + k) % n).collect(), (0..n).map(|i| i ^ k).collect()]);
            orders.push((0..n).map(|_| rng.below(n.into()) as u8).collect());
            orders.push((k..k + n).collect());
        }
        for [step, from] in [[2, 0], [2, 1]] {
            orders.push((0..n).map(|i| i * step + from).collect());
            orders.push((0..n).map(|i| i / 2 + i % 2 * n + from * n / 2).collect());
            orders.push((0..n).map(|i| i / 2 * 2 + i % 2 * n + from).collect());
        }
        let of_second: Vec<Vec<u8>> =
            orders.iter().map(|o| o.iter().map(|lane| (lane + n) % (2 * n)).collect()).collect();
        for picks in orders.iter().chain(&of_second) {
            for is_twice in [false, true] {
                check_bytes(
                    &format!("{kind:?} {picks:?}, one vector: {is_twice}"),
                    &[ty, ty],
                    ty,
                    |b, a| {
                        let from = [a[0], a[usize::from(!is_twice)]];
                        b.typed(Op::Shuffle, ty, &from, Imm::Lanes(picks.clone().into()), Attr::default())
                    },
                    |x| {
                        let from = [x[0], x[usize::from(!is_twice)]].concat();
                        picks.iter().flat_map(|&p| from[usize::from(p) * size..][..size].to_vec()).collect()
                    },
                );
            }
        }
    }
}

#[test]
fn bitcasts_keep_bytes() {
    let kinds = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];
    let types: Vec<Type> = kinds.iter().flat_map(|&k| WIDTHS.map(|w| Type::scalar(k).with_lanes(w))).collect();
    for &from in &types {
        for &to in types.iter().filter(|t| t.bytes() == from.bytes() && **t != from) {
            check_bytes(
                &format!("{from} as {to}"),
                &[from],
                to,
                |b, a| b.convert(Op::Bitcast, to, a[0]),
                |x| x[0].to_vec(),
            );
        }
    }
}

#[test]
fn vectors_pass_through_calls() {
    for kind in [Scalar::I8, Scalar::F16, Scalar::F32, Scalar::I64] {
        for lanes in WIDTHS {
            let ty = Type::scalar(kind).with_lanes(lanes);
            let mut module = Module::default();
            // Returns its second operand; calls a function that swaps them.
            let mut swap = Func::new("second", vec![ty, ty], Some(ty));
            let params = swap.blocks[swap.entry()].params.clone();
            let entry = swap.entry();
            swap.blocks[entry].term = Term::Ret(Some(params[1]));
            let second = module.funcs.push(swap);
            let mut outer = Func::new("first", vec![ty, ty], Some(ty));
            let entry = outer.entry();
            let params = outer.blocks[entry].params.clone();
            let mut b = Builder::new(&mut outer, entry);
            let v = b.call(second, Some(ty), &[params[1], params[0]]).expect("a result");
            b.end(Term::Ret(Some(v)));
            let first = module.funcs.push(outer);
            let func = looped("calls", &[ty, ty], ty, |b, a| b.call(first, Some(ty), a).expect("a result"));
            let size = ty.bytes() as usize;
            let inputs: Vec<Vec<u8>> =
                (0..2u8).map(|k| (0..size * 3).map(|i| i as u8 ^ (k * 0x5a)).collect()).collect();
            let out = run(&module, &func, &inputs, size * 3, 3);
            assert_eq!(out, inputs[0]);
        }
    }
}

#[test]
fn control_flow_slots_and_switches() {
    // A switch with block arguments in a loop over an over-aligned slot: out = table[x % 4] stored and read back.
    let func = looped("switch", &[Type::I32], Type::I32, |b, a| {
        let slot = b.func.slots.push(clift_jit::ir::Slot::new("buf".into(), 256, 128));
        let base = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let address = b.typed(Op::PtrToInt, Type::I64, &[base], Imm::None, Attr::default());
        let low = b.i64(127);
        let misaligned = b.op(Op::And, &[address, low]);
        let misaligned = b.convert(Op::Trunci, Type::I32, misaligned);
        let four = b.i32(4);
        let case = b.op(Op::RemU, &[a[0], four]);
        let index = b.convert(Op::Zext, Type::I64, case);
        let (join, other) = (b.func.add_block(), b.func.add_block());
        let picked = b.func.add_param(join, Type::I32);
        let (ten, twenty, thirty) = (b.i32(10), b.i32(20), b.i32(30));
        let to = |v| Target { block: join, args: [v].into_iter().collect() };
        b.end(Term::Switch {
            value: case,
            cases: vec![(0, to(ten)), (1, to(twenty)), (3, to(thirty))],
            default: Target::plain(other),
        });
        b.enter(other);
        b.jump(join, &[a[0]]);
        b.enter(join);
        let at = b.ptr_add(base, index, 4, 64);
        b.store(at, picked, Attr::default());
        let back = b.load(Type::I32, at, Attr::default());
        b.op(Op::Add, &[back, misaligned])
    });
    let values: Vec<u32> = (0..40).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let out = run(&Module::default(), &func, &[bytes], 160, 40);
    for &v in &values {
        let want = [10, 20, v, 30][v as usize % 4];
        assert_eq!(read_lane(&out, Scalar::I32, v as usize), u64::from(want), "case {v}");
    }
}

#[test]
fn copies_and_fills_of_every_size() {
    let spaces = [AddrSpace::Global, AddrSpace::Global, AddrSpace::Local];
    for constant in [true, false] {
        for n in [0i64, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 127, 129, 260, 383, 511, 512, 513, 1000] {
            let func = plain("copy", &spaces, |b, p| {
                // A count that folding does not see: n read back from memory.
                let count = if constant {
                    b.i64(n)
                } else {
                    let at = b.ptr_off(p[2], 2000);
                    b.load(Type::I64, at, Attr::default())
                };
                let to = b.ptr_off(p[0], 5);
                let from = b.ptr_off(p[1], 3);
                b.push(Op::Memcpy, None, &[to, from, count], Imm::None, Attr::default());
                let byte = b.bits(Type::I8, 0xc3);
                b.push(Op::Memset, None, &[p[2], byte, count], Imm::None, Attr::default());
                // Copying onto itself changes nothing.
                b.push(Op::Memcpy, None, &[from, from, count], Imm::None, Attr::default());
            });
            let source: Vec<u8> = (0..2048).map(|i| (i * 7) as u8).collect();
            let (mut to, mut from, mut fill) = (vec![0u8; 2048], source.clone(), vec![0u8; 2048]);
            fill[2000..2008].copy_from_slice(&n.to_le_bytes());
            run_on(&Module::default(), &func, &mut [&mut to, &mut from, &mut fill]);
            let n = n as usize;
            assert_eq!(to[5..5 + n], source[3..3 + n]);
            assert!(to[..5].iter().chain(&to[5 + n..]).all(|&b| b == 0), "{n} bytes");
            assert!(fill[..n].iter().all(|&b| b == 0xc3) && fill[n..2000].iter().all(|&b| b == 0), "{n} bytes");
            assert_eq!(from, source);
        }
    }
}

#[test]
fn atomics_return_the_old_value_and_store_the_new_one() {
    use clift_jit::ir::op::RmwOp as R;
    let mut rng = Rng(21);
    for space in [AddrSpace::Global, AddrSpace::Local, AddrSpace::Private, AddrSpace::Generic] {
        for kind in [Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F64] {
            let ty = Type::scalar(kind);
            let bits = kind.bits();
            let ops: &[R] = if kind.is_float() {
                &[R::Xchg, R::Fadd]
            } else {
                &[R::Add, R::Sub, R::And, R::Or, R::Xor, R::Xchg, R::MinS, R::MinU, R::MaxS, R::MaxU]
            };
            for &op in ops {
                for _ in 0..20 {
                    let (a, v) = (random(kind, &mut rng), random(kind, &mut rng));
                    let func = plain("rmw", &[space, AddrSpace::Global], |b, p| {
                        let v = b.bits(ty, v);
                        let old = b.typed(Op::AtomicRmw, ty, &[p[0], v], Imm::Rmw(op), Attr::default());
                        b.store(p[1], old, Attr::default());
                    });
                    let (mut cell, mut out) = (a.to_le_bytes(), [0u8; 8]);
                    run_on(&Module::default(), &func, &mut [&mut cell, &mut out]);
                    let (sa, sv) = (reference::signed(a, bits), reference::signed(v, bits));
                    let int = |op| reference::eval(op, kind, kind, &[a, v], &Imm::None, Rounding::Rte);
                    let want = match op {
                        R::Add => int(Op::Add),
                        R::Sub => int(Op::Sub),
                        R::And => a & v,
                        R::Or => a | v,
                        R::Xor => a ^ v,
                        R::Xchg => v,
                        R::MinS => {
                            if sa < sv {
                                a
                            } else {
                                v
                            }
                        }
                        R::MaxS => {
                            if sa > sv {
                                a
                            } else {
                                v
                            }
                        }
                        R::MinU => a.min(v),
                        R::MaxU => a.max(v),
                        R::Fadd => int(Op::Fadd),
                    };
                    assert_eq!(read_lane(&out, kind, 0), a, "{op:?} {kind} {space:?}");
                    assert!(equal(kind, Op::Fadd, read_lane(&cell, kind, 0), want), "{op:?} {kind} {space:?}");
                }
            }
            for hit in [true, false] {
                let (a, v) = (random(kind, &mut rng), random(kind, &mut rng));
                let func = plain("cas", &[space, AddrSpace::Global], |b, p| {
                    let expected = b.bits(ty, if hit { a } else { a ^ 1 });
                    let desired = b.bits(ty, v);
                    let old = b.typed(Op::AtomicCas, ty, &[p[0], expected, desired], Imm::None, Attr::default());
                    b.store(p[1], old, Attr::default());
                    b.push(Op::Fence, None, &[], Imm::None, Attr::default());
                    let seen = b.typed(Op::AtomicLoad, ty, &[p[0]], Imm::None, Attr::default());
                    let at = b.ptr_off(p[1], 8);
                    b.push(Op::AtomicStore, None, &[at, seen], Imm::None, Attr::default());
                });
                let (mut cell, mut out) = (a.to_le_bytes(), [0u8; 16]);
                run_on(&Module::default(), &func, &mut [&mut cell, &mut out]);
                assert_eq!(read_lane(&out, kind, 0), a);
                assert_eq!(read_lane(&cell, kind, 0), if hit { v } else { a });
                assert_eq!(read_lane(&out[8..], kind, 0), read_lane(&cell, kind, 0));
            }
        }
    }
}

#[test]
fn float_additions_from_many_threads_lose_nothing() {
    let func = plain("sum", &[AddrSpace::Global], |b, p| {
        let one = b.bits(Type::F32, u64::from(1f32.to_bits()));
        for _ in 0..1000 {
            b.typed(Op::AtomicRmw, Type::F32, &[p[0], one], Imm::Rmw(clift_jit::ir::op::RmwOp::Fadd), Attr::default());
        }
    });
    let module = Module::default();
    let data = ProgramData::new(&module.globals).expect("fits");
    let code = compile(backend(), &module, &func, Scratch::default(), Effort::Quick)
        .and_then(|code| code.load(&data))
        .unwrap_or_else(|e| panic!("{}", e.message));
    let cell = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let block = [cell.as_ptr()];
                // SAFETY: one cell, accessed atomically.
                unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) }
            });
        }
    });
    assert_eq!(f32::from_bits(cell.into_inner()), 4000.0);
}

#[test]
fn program_scope_variables_are_shared_by_all_code_of_a_program() {
    use clift_jit::ir::{Global, GlobalId, Init};
    let mut module = Module::default();
    let table: Vec<u8> = [10u32, 20, 30, 40].iter().flat_map(|x| x.to_le_bytes()).collect();
    module.globals.push(Global {
        name: "table".into(),
        space: AddrSpace::Constant,
        size: 16,
        align: 16,
        init: Init { bytes: table, relocs: vec![] },
        variable: None,
    });
    module.globals.push(Global {
        name: "counter".into(),
        space: AddrSpace::Global,
        size: 4,
        align: 4,
        init: Init::default(),
        variable: None,
    });
    let func = plain("count", &[AddrSpace::Global], |b, p| {
        let table =
            b.typed(Op::GlobalAddr, Type::ptr(AddrSpace::Constant), &[], Imm::Global(GlobalId(0)), Attr::default());
        let counter =
            b.typed(Op::GlobalAddr, Type::ptr(AddrSpace::Global), &[], Imm::Global(GlobalId(1)), Attr::default());
        let n = b.load(Type::I32, counter, Attr::default());
        let one = b.i32(1);
        let next = b.op(Op::Add, &[n, one]);
        b.store(counter, next, Attr::default());
        let index = b.convert(Op::Zext, Type::I64, n);
        let at = b.ptr_add(table, index, 4, 0);
        let v = b.load(Type::I32, at, Attr::default());
        b.store(p[0], v, Attr::default());
    });
    let data = ProgramData::new(&module.globals).expect("fits");
    let codes = [(); 2].map(|()| {
        compile(backend(), &module, &func, Scratch::default(), Effort::Quick)
            .and_then(|code| code.load(&data))
            .unwrap_or_else(|e| panic!("{}", e.message))
    });
    drop(data);
    let mut out = 0u32;
    for (i, want) in [10, 20, 30, 40].into_iter().enumerate() {
        let block = [&raw mut out];
        // SAFETY: one result; the variables live as long as the code.
        unsafe { codes[i % 2].run(block.as_ptr().cast(), &env(), 0..1) }
        assert_eq!(out, want);
    }
}

#[test]
fn generic_and_named_pointers_to_the_same_bytes_agree() {
    // store through private, overwrite through generic, read through private.
    let func = plain("alias", &[AddrSpace::Global], |b, p| {
        let slot = b.func.slots.push(clift_jit::ir::Slot::new(String::new(), 16, 4));
        let private = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let generic = b.convert(Op::AsCast, Type::ptr(AddrSpace::Generic), private);
        let (one, two) = (b.i32(1), b.i32(2));
        b.store(private, one, Attr::default());
        b.store(generic, two, Attr::default());
        let v = b.load(Type::I32, private, Attr::default());
        b.store(p[0], v, Attr::default());
    });
    let mut out = [0u8; 4];
    run_on(&Module::default(), &func, &mut [&mut out]);
    assert_eq!(out, 2u32.to_le_bytes());
}

#[test]
fn an_index_keeps_what_was_loaded_before_a_store() {
    let func = looped("index", &[Type::I64], Type::I64, |b, a| {
        let slot = b.func.slots.push(clift_jit::ir::Slot::new("cell".into(), 8, 8));
        let cell = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        b.store(cell, a[0], Attr::default());
        let loaded = b.load(Type::I64, cell, Attr::default());
        let five = b.i64(5);
        let index = b.op(Op::Add, &[loaded, five]);
        b.store(cell, five, Attr::default());
        let next = b.func.add_block();
        b.jump(next, &[]);
        b.enter(next);
        let at = b.ptr_add(cell, index, 1, 0);
        let [at, start] = [at, cell].map(|p| b.convert(Op::PtrToInt, Type::I64, p));
        b.op(Op::Sub, &[at, start])
    });
    let bytes: Vec<u8> = (0..40u64).flat_map(|v| (v * v).to_le_bytes()).collect();
    for backend in backends() {
        let out = run_by(backend, &Module::default(), &func, std::slice::from_ref(&bytes), 320, 40);
        (0..40).for_each(|i| assert_eq!(read_lane(&out, Scalar::I64, i), (i * i) as u64 + 5, "{backend:?}"));
    }
}

#[test]
fn volatile_accesses_all_happen() {
    let volatile = Attr { flags: Flags::VOLATILE, ..Attr::default() };
    let func = plain("volatile", &[AddrSpace::Global, AddrSpace::Global], |b, p| {
        let first = b.load(Type::I32, p[0], volatile);
        b.store(p[1], first, volatile);
        // p[1] may be p[0].
        let again = b.load(Type::I32, p[0], volatile);
        let sum = b.op(Op::Add, &[first, again]);
        b.store(p[1], sum, volatile);
        let vector = b.load(Type::F32.with_lanes(4), p[0], volatile);
        let at = b.ptr_off(p[1], 16);
        b.store(at, vector, volatile);
    });
    let mut cell = [0u8; 32];
    cell[..4].copy_from_slice(&21u32.to_le_bytes());
    let pointer = cell.as_mut_ptr();
    let module = Module::default();
    let data = ProgramData::new(&module.globals).expect("fits");
    let code = compile(backend(), &module, &func, Scratch::default(), Effort::Quick)
        .and_then(|code| code.load(&data))
        .unwrap_or_else(|e| panic!("{}", e.message));
    let block = [pointer, pointer];
    // SAFETY: 32 bytes, one thread.
    unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) }
    assert_eq!(read_lane(&cell, Scalar::I32, 0), 42);
    assert_eq!(cell[..16], cell[16..]);
}

#[test]
fn what_cannot_be_compiled_is_an_error() {
    let module = Module::default();
    let data = ProgramData::new(&module.globals).expect("fits");
    let refused = |module: &Module, func: &Func| {
        compile(backend(), module, func, Scratch::default(), Effort::Quick)
            .and_then(|code| code.load(&data))
            .err()
            .map(|e| e.message)
    };
    let barrier = plain("barrier", &[], |b, _| {
        b.push(Op::Barrier, None, &[], Imm::FenceFlags(1), Attr::default());
    });
    assert!(refused(&module, &barrier).is_some_and(|m| m.contains("barrier")));
    let huge = plain("huge", &[AddrSpace::Global], |b, p| {
        let slot = b.func.slots.push(clift_jit::ir::Slot::new(String::new(), 1 << 30, 4));
        let a = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let a = b.convert(Op::PtrToInt, Type::I64, a);
        b.store(p[0], a, Attr::default());
    });
    assert!(refused(&module, &huge).is_some_and(|m| m.contains("private memory")));
    let mut recursive = Module::default();
    let mut again = Func::new("again", vec![], None);
    let entry = again.entry();
    let id = clift_jit::ir::FuncId(0);
    let mut b = Builder::new(&mut again, entry);
    b.call(id, None, &[]);
    b.end(Term::Ret(None));
    recursive.funcs.push(again);
    let caller = plain("caller", &[], |b, _| {
        b.call(id, None, &[]);
    });
    assert!(refused(&recursive, &caller).is_some_and(|m| m.contains("calls itself")));
    let mut missing = Module::default();
    missing.funcs.push(Func::declaration("sin", vec![], None));
    assert!(refused(&missing, &caller).is_some_and(|m| m.contains("`sin` has no body")));
    let wrong = Func::new("wrong", vec![Type::I32], None);
    assert!(refused(&module, &wrong).is_some());
}

#[test]
fn loops_of_all_shapes_count_right() {
    // Nested loops with a break and values used after the loop: for x in inputs, count pairs (i, j) with i*j < x until
    // i > 12.
    let func = looped("count", &[Type::I32], Type::I32, |b, a| {
        let [outer, outer_body, inner, inner_body, next, done, join] = [(); 7].map(|()| b.func.add_block());
        let i = b.func.add_param(outer, Type::I32);
        let n = b.func.add_param(outer, Type::I32);
        let j = b.func.add_param(inner, Type::I32);
        let m = b.func.add_param(inner, Type::I32);
        let result = b.func.add_param(join, Type::I32);
        let (zero, one, limit, cap) = (b.i32(0), b.i32(1), b.i32(20), b.i32(12));
        b.jump(outer, &[zero, zero]);
        b.enter(outer);
        let more = b.icmp(IntPred::SLt, i, limit);
        b.branch(more, outer_body, done);
        b.enter(outer_body);
        let stop = b.icmp(IntPred::SGt, i, cap);
        b.end(Term::Br {
            cond: stop,
            then: Target { block: join, args: [n].into_iter().collect() },
            els: Target { block: inner, args: [zero, n].into_iter().collect() },
        });
        b.enter(inner);
        let product = b.op(Op::Mul, &[i, j]);
        let below = b.icmp(IntPred::SLt, product, a[0]);
        let small = b.icmp(IntPred::SLt, j, limit);
        let go = b.op(Op::And, &[below, small]);
        b.branch(go, inner_body, next);
        b.enter(inner_body);
        let m2 = b.op(Op::Add, &[m, one]);
        let j2 = b.op(Op::Add, &[j, one]);
        b.jump(inner, &[j2, m2]);
        b.enter(next);
        let i2 = b.op(Op::Add, &[i, one]);
        let last = b.op(Op::Add, &[m, j]);
        b.jump(outer, &[i2, last]);
        b.enter(done);
        b.jump(join, &[i]);
        b.enter(join);
        result
    });
    let values: Vec<i32> = vec![-5, 0, 1, 2, 7, 30, 100, 1000];
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let out = run(&Module::default(), &func, &[bytes], values.len() * 4, values.len() as u64);
    for (at, &x) in values.iter().enumerate() {
        let mut n = 0;
        for i in 0..20 {
            if i > 12 {
                break;
            }
            let mut j = 0;
            while i * j < x && j < 20 {
                n += 1;
                j += 1;
            }
            n += j;
        }
        assert_eq!(read_lane(&out, Scalar::I32, at) as i32, n, "x = {x}");
    }
}
