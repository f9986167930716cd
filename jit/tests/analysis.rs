//! What analyses say of random loops and expressions, judged by the interpreter.

#[path = "support/rng.rs"]
mod rng;

use clift_jit::analysis::address::{Address, growth};
use clift_jit::analysis::induction::Counted;
use clift_jit::analysis::range::{Exact, Range, Ranges, low_zeros};
use clift_jit::analysis::trip_count::trip_count;
use clift_jit::interp::{Machine, value::Lanes};
use clift_jit::ir::cfg::Cfg;
use clift_jit::ir::dom::{Dominators, Loops};
use clift_jit::ir::entity::Entity;
use clift_jit::ir::text::parse;
use clift_jit::ir::verify::verify;
use clift_jit::ir::{Func, FuncId, Module, Op, Type, Value, ValueDef};
use rng::Rng;

fn module(text: &str) -> (Module, FuncId) {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let (id, _) = module.funcs.iter().next().expect("a function");
    (module, id)
}

/// What a function returns; none if that takes too long.
fn call(module: &Module, func: FuncId, args: &[u64]) -> Option<u64> {
    let mut machine = Machine::new(module);
    machine.steps = 20_000;
    let args: Vec<Lanes> = args.iter().map(|&bits| [bits].into_iter().collect()).collect();
    Some(machine.call(func, &args).ok()?.expect("it returns something")[0])
}

const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// A function that returns how often a loop's header runs: the test stands at the top or at the end, asks for this
/// turn's value or the next one, with the operands and the ways in any order.
fn loop_text(rng: &mut Rng) -> String {
    let bits = rng.of(&[8u32, 8, 16, 32, 64]);
    let number = |rng: &mut Rng| match rng.below(4) {
        0 => rng.next() >> (64 - bits),
        1 => (rng.next() % 64).wrapping_sub(32) & (u64::MAX >> (64 - bits)),
        2 => (1u64 << (bits - 1)).wrapping_add(rng.next() % 8).wrapping_sub(4) & (u64::MAX >> (64 - bits)),
        _ => rng.next() % 100,
    };
    let (first, than) = (number(rng), number(rng));
    let step = if rng.one_in(8) { number(rng) } else { (rng.next() % 15).wrapping_sub(7) & (u64::MAX >> (64 - bits)) };
    let (own, pred) = (rng.of(&["%i", "%j"]), rng.of(&PREDICATES));
    let test = if rng.one_in(2) { format!("{own}, %than") } else { format!("%than, {own}") };
    let is_at_end = rng.one_in(2);
    let on = if is_at_end { "b1(%j, %m)" } else { "b2" };
    let ways = if rng.one_in(2) { format!("{on}, b3") } else { format!("b3, {on}") };
    let end = if is_at_end {
        format!("jump b2\nb2:\n  br %c, {ways}")
    } else {
        format!("br %c, {ways}\nb2:\n  jump b1(%j, %m)")
    };
    format!(
        "func @f() -> i64 {{
b0:
  %first: i{bits} = const {first}
  %step: i{bits} = const {step}
  %than: i{bits} = const {than}
  %zero: i64 = const 0
  %one: i64 = const 1
  jump b1(%first, %zero)
b1(%i: i{bits}, %n: i64):
  %m: i64 = add %n, %one
  %j: i{bits} = add %i, %step
  %c: i1 = icmp.{pred} {test}
  {end}
b3:
  ret %m
}}
"
    )
}

#[test]
fn loops_go_round_as_often_as_is_said() {
    let mut rng = Rng(1);
    let [mut known, mut counted, mut long] = [0; 3];
    for _ in 0..4000 {
        let text = loop_text(&mut rng);
        let (module, id) = module(&text);
        let func: &Func = &module.funcs[id];
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(func, &cfg, &dom);
        let Some(l) = loops.loops.first() else { continue };
        let said = trip_count(func, &cfg, &dom, l);
        let ran = call(&module, id, &[]);
        match (said, ran) {
            (Some(said), Some(ran)) => assert_eq!(said, ran, "\n{text}"),
            (Some(said), None) => assert!(said > 2000, "{said}\n{text}"),
            (None, Some(ran)) => assert!(ran > 33, "{ran}\n{text}"),
            (None, None) => {}
        }
        known += usize::from(said.is_some());
        long += usize::from(said.is_some_and(|n| n > 33));
        let of_counter = l.blocks.iter().any(|&b| Counted::by_test(func, &cfg, l, b).is_some());
        counted += usize::from(of_counter);
    }
    assert!(known > 2000 && counted > 3000 && long > 200, "{known} {counted} {long}");
}

/// A function of two numbers that computes with integers of all sizes, and returns the last of them.
fn expression_text(rng: &mut Rng) -> String {
    let mut values: Vec<(String, u32)> = vec![("%a".into(), 64), ("%b".into(), 64)];
    let mut body = String::new();
    for n in 0..2 + rng.below(10) {
        let (name, bits) = (format!("%v{n}"), rng.of(&[8u32, 16, 32, 32, 64]));
        let of = |rng: &mut Rng, bits: u32| {
            let fitting: Vec<&String> = values.iter().filter(|v| v.1 == bits).map(|v| &v.0).collect();
            (!fitting.is_empty()).then(|| fitting[rng.below(fitting.len())].clone())
        };
        let op = match (rng.below(8), of(rng, bits)) {
            (0, _) | (_, None) => {
                let (other, from) = values[rng.below(values.len())].clone();
                match from.cmp(&bits) {
                    std::cmp::Ordering::Less => format!("{} {other}", rng.of(&["sext", "zext"])),
                    std::cmp::Ordering::Greater => format!("trunc {other}"),
                    std::cmp::Ordering::Equal => format!("neg {other}"),
                }
            }
            (1 | 2, _) => format!("const {}", small_or_large(rng, bits)),
            (3, Some(a)) => {
                let b = of(rng, bits).expect("there is one");
                body += &format!("  %c{n}: i1 = icmp.{} {a}, {b}\n", rng.of(&PREDICATES));
                format!("select %c{n}, {a}, {b}")
            }
            (_, Some(a)) => {
                let ops = [
                    "add", "add", "sub", "mul", "shl", "lshr", "and", "and", "or", "xor", "div.u", "rem.u", "min.u",
                    "max.u", "min.s", "max.s",
                ];
                format!("{} {a}, {}", rng.of(&ops), of(rng, bits).expect("there is one"))
            }
        };
        body += &format!("  {name}: i{bits} = {op}\n");
        values.push((name, bits));
    }
    let (last, bits) = values.last().expect("values");
    let end = if *bits == 64 { format!("  ret {last}") } else { format!("  %r: i64 = zext {last}\n  ret %r") };
    format!("func @f(i64, i64) -> i64 {{\nb0(%a: i64, %b: i64):\n{body}{end}\n}}\n")
}

/// A number of so many bits, often one at which something changes.
fn small_or_large(rng: &mut Rng, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits);
    match rng.below(4) {
        0 => rng.next() & all,
        1 => rng.next() % 12,
        2 => (rng.next() % 6).wrapping_sub(3) & all,
        _ => (1u64 << rng.below(bits as usize)).wrapping_add(rng.next() % 3).wrapping_sub(1) & all,
    }
}

/// How many of a value's lowest bits are zero.
fn zeros(func: &Func, v: Value) -> u32 {
    match func.values[v].def {
        ValueDef::Inst(inst) => low_zeros(func, &func.insts[inst], |v| zeros(func, v)),
        ValueDef::Param(..) => 0,
    }
}

/// The last number that a function computes, which it returns as one of 64 bits.
fn last(func: &Func) -> Value {
    let (_, last) = func.live_insts().last().expect("instructions");
    let data = &func.insts[last];
    if data.op == Op::Zext && func.ty(data.args[0]) != Type::I1 { data.args[0] } else { data.result.expect("a value") }
}

#[test]
fn numbers_are_where_they_are_said_to_be() {
    let mut rng = Rng(2);
    let [mut narrow, mut even, mut exact] = [0; 3];
    for _ in 0..6000 {
        let text = expression_text(&mut rng);
        let (module, id) = module(&text);
        let func = &module.funcs[id];
        let v = last(func);
        let bits = func.ty(v).elem.bits();
        let said = [false, true].map(|signed| Ranges { func, signed, known: &|_| None }.of(v));
        let zeros = zeros(func, v);
        let sums = [false, true].map(|signed| {
            let is_uniform =
                &|v: Value| func.def_inst(v).is_none_or(|d| d.op != Op::Add && d.op != Op::Sub && d.op != Op::Mul);
            Exact { func, signed, resolve: &|v| v, is_uniform }.range(v)
        });
        for _ in 0..6 {
            let args = [(); 2].map(|()| small_or_large(&mut rng, 64));
            let Some(got) = call(&module, id, &args) else { continue };
            let got = got & (u64::MAX >> (64 - bits));
            for (signed, (range, sum)) in [false, true].into_iter().zip(said.into_iter().zip(sums)) {
                let number = Range::constant(bits, signed, got);
                assert!(range.contains(number), "{got} signed {signed} {range:?} {args:?}\n{text}");
                assert!(sum.is_none_or(|sum| sum.contains(number)), "{got} signed {signed} {sum:?} {args:?}\n{text}");
            }
            assert!(got == 0 || got.trailing_zeros() >= zeros, "{got} {zeros} {args:?}\n{text}");
        }
        narrow += usize::from(said[0] != Range::full(bits, false) && said[0].least != said[0].most);
        even += usize::from((1..64).contains(&zeros));
        exact += usize::from(sums.iter().any(Option::is_some));
    }
    assert!(narrow > 300 && even > 400 && exact > 1500, "{narrow} {even} {exact}");
}

#[test]
fn results_grow_by_what_is_said() {
    let mut rng = Rng(3);
    let mut known = 0;
    for _ in 0..4000 {
        let text = expression_text(&mut rng);
        let (module, id) = module(&text);
        let func = &module.funcs[id];
        let params = &func.blocks[func.entry()].params;
        let by = [(); 2].map(|()| small_or_large(&mut rng, 64));
        let mut said: Vec<Option<i64>> = vec![None; func.values.len()];
        params.iter().zip(by).for_each(|(v, by)| said[v.index()] = Some(by as i64));
        for (_, inst) in func.live_insts() {
            let data = &func.insts[inst];
            said[data.result.expect("a value").index()] = match data.op {
                Op::Const => Some(0),
                _ => growth(func, data, |i| said[data.args[i].index()]),
            };
        }
        let last = last(func);
        let Some(step) = said[last.index()] else { continue };
        let all = u64::MAX >> (64 - func.ty(last).elem.bits());
        let first = [(); 2].map(|()| small_or_large(&mut rng, 64));
        let next = [0, 1].map(|i| first[i].wrapping_add(by[i]));
        let [Some(first), Some(next)] = [first, next].map(|args| call(&module, id, &args)) else { continue };
        assert_eq!(first.wrapping_add(step as u64) & all, next & all, "{step}\n{text}");
        known += usize::from(step != 0);
    }
    assert!(known > 300, "{known}");
}

#[test]
fn addresses_are_the_sums_they_are_said_to_be() {
    let mut rng = Rng(4);
    for _ in 0..300 {
        let mut body = String::new();
        for n in 0..1 + rng.below(6) {
            let from = if n == 0 { "%p".into() } else { format!("%p{}", n - 1) };
            let disp = small_or_large(&mut rng, 20) as i64 - 500;
            let scale = rng.of(&[1u32, 4, 12, 64]);
            body += &match rng.below(3) {
                0 => format!("  %p{n}: ptr<global> = ptr.off {from}, {disp}\n"),
                _ => format!(
                    "  %p{n}: ptr<global> = ptr.add {from}, {} * {scale} {} {}\n",
                    rng.of(&["%a", "%b"]),
                    if disp < 0 { '-' } else { '+' },
                    disp.unsigned_abs()
                ),
            };
            if rng.one_in(2) {
                body += &format!("  %i{n}: i64 = ptrtoint %p{n}\n");
            }
        }
        let n = body.matches("ptr.off").count() + body.matches("ptr.add").count() - 1;
        let head = "func @f(ptr<global>, i64, i64) -> i64 {\nb0(%p: ptr<global>, %a: i64, %b: i64):\n";
        let text = format!("{head}{body}  %r: i64 = ptrtoint %p{n}\n  ret %r\n}}\n");
        let (module, id) = module(&text);
        let func = &module.funcs[id];
        let (_, last) = func.live_insts().last().expect("instructions");
        let address = Address::of(func, func.insts[last].args[0]);
        let params = &func.blocks[func.entry()].params;
        assert_eq!(address.root, params[0]);
        let args = [1 << 40, small_or_large(&mut rng, 32), small_or_large(&mut rng, 32)];
        let number = |v: Value| args[params.iter().position(|&param| param == v).expect("an index")];
        let terms = address.terms.iter().map(|&(v, scale)| number(v).wrapping_mul(u64::from(scale)));
        let said = terms.fold(args[0].wrapping_add(address.disp as u64), u64::wrapping_add);
        assert_eq!(Some(said), call(&module, id, &args), "{address:?}\n{text}");
    }
}
