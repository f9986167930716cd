//! Lambda lifting (Johnsson, 1985) of what work-items are: functions that ask for ids and sizes get them as parameters,
//! so that they may stay calls. Runs in front of `inline`, and only where a kernel would become too large with all
//! functions in it that ask; smaller ones are better off with them inside, since lanes make no calls of functions that
//! write memory. Functions that do what only a kernel may do otherwise (barriers, local memory, operations of
//! sub-groups), and all that call such, are left to `inline`.
//!
//! Linear. Keeps all else as it is; results are the same.

use super::check;
use super::inline::{callees, callees_first, n_insts, needs_kernel};
use crate::ir::entity::Entity;
use crate::ir::{Attr, Func, FuncId, Imm, Inst, InstData, Module, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Kernels of this size, with all functions in them that ask, are too large.
const LARGE: usize = 100_000;

/// Something that a function may ask: operation and dimension.
type Query = (Op, Option<u8>);

/// Runs the pass.
pub fn run(module: &mut Module) {
    lift(module, LARGE, |_| false);
}

/// As `run`, in front of `inline-checked`.
pub fn run_checked(module: &mut Module) {
    lift(module, LARGE, check::is_wanted_in_callers);
}

fn lift(module: &mut Module, large: usize, is_wanted: impl Fn(&Func) -> bool) {
    let calls: Vec<Vec<FuncId>> = module.funcs.values().map(callees).collect();
    let order = callees_first(&calls);
    let kernels = too_large(module, &calls, &order, large, is_wanted);
    if kernels.is_empty() {
        return;
    }
    let is_near = module.reachable_from(kernels);
    // What each function asks, if that can be lifted; and whether it has to be in the kernel after all.
    let mut asked: Vec<Vec<Query>> = vec![Vec::new(); calls.len()];
    let mut stays = vec![false; calls.len()];
    for id in order {
        let (n, func) = (id.index(), &module.funcs[id]);
        let mut all: Vec<Query> = func.live_insts().filter_map(|(_, i)| query(&func.insts[i])).collect();
        let others = needs_kernel(func, |data| query(data).is_none()) || calls[n].iter().any(|c| stays[c.index()]);
        all.extend(calls[n].iter().flat_map(|c| &asked[c.index()]));
        all.sort_unstable();
        all.dedup();
        stays[n] = others || !all.is_empty() && (func.is_kernel || func.is_builtin || !is_near[n]);
        if !stays[n] {
            asked[n] = all;
        }
    }
    for id in (0..calls.len()).map(FuncId::from_index) {
        rewrite(&mut module.funcs[id], &asked[id.index()], &asked);
    }
}

/// Kernels that would be larger than that with all in them that has to be.
fn too_large(
    module: &Module,
    calls: &[Vec<FuncId>],
    order: &[FuncId],
    large: usize,
    is_wanted: impl Fn(&Func) -> bool,
) -> Vec<FuncId> {
    let (mut comes_in, mut size) = (vec![false; calls.len()], vec![0usize; calls.len()]);
    for id in order {
        let func = &module.funcs[*id];
        let inner = || calls[id.index()].iter().filter(|c| comes_in[c.index()]);
        size[id.index()] = inner().fold(n_insts(func), |sum, c| sum.saturating_add(size[c.index()]));
        let is_wanted = needs_kernel(func, |_| true) || is_wanted(func);
        let comes = is_wanted || inner().next().is_some();
        comes_in[id.index()] = comes;
    }
    order.iter().copied().filter(|id| module.funcs[*id].is_kernel && size[id.index()] > large).collect()
}

/// What an instruction asks for, if that may come from the caller.
fn query(data: &InstData) -> Option<Query> {
    let dim = match data.imm {
        Imm::Dim(dim) => Some(dim),
        _ => None,
    };
    (data.op.is_query() && !data.op.is_sub_group_query()).then_some((data.op, dim))
}

/// Gives a function the parameters that it is to have, and what it calls the arguments.
fn rewrite(func: &mut Func, own: &[Query], asked: &[Vec<Query>]) {
    let calls = |data: &InstData| data.callee().filter(|c| !asked[c.index()].is_empty());
    if !func.has_body() || own.is_empty() && !func.live_insts().any(|(_, i)| calls(&func.insts[i]).is_some()) {
        return;
    }
    func.is_optimised = false;
    let entry = func.entry();
    let mut known: FxHashMap<Query, Value> = FxHashMap::default();
    for &query in own {
        let ty = result_type(query.0);
        func.params.push(ty);
        known.insert(query, func.add_param(entry, ty));
    }
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    let mut first: Vec<Inst> = Vec::new();
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &func.insts[inst];
            let found = query(data).filter(|_| !own.is_empty()).and_then(|query| known.get(&query));
            if let (Some(&value), Some(result)) = (found, data.result) {
                new.insert(result, value);
                return false;
            }
            let Some(callee) = calls(data) else { return true };
            let origin = data.origin;
            for &query in &asked[callee.index()] {
                let value = *known.entry(query).or_insert_with(|| {
                    let imm = query.1.map_or(Imm::None, Imm::Dim);
                    let ask = func.make_inst(query.0, Some(result_type(query.0)), &[], imm, Attr::default(), origin);
                    first.push(ask);
                    func.insts[ask].result.expect("it has one")
                });
                func.insts[inst].args.push(value);
            }
            true
        });
        func.blocks[block].insts = insts;
    }
    func.blocks[entry].insts.splice(0..0, first);
    for block in func.layout.clone() {
        func.map_uses(block, |v| new.get(&v).copied().unwrap_or(v));
    }
}

fn result_type(op: Op) -> Type {
    if op == Op::WorkDim { Type::I32 } else { Type::I64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    #[test]
    fn functions_that_ask_get_parameters() {
        let mut module = text::parse(
            "func @k(ptr<global>) kernel {
            b0(%p: ptr<global>):
              %a: i64 = call @outer(%p)
              %d: i32 = workdim
              %b: i64 = call @meets(%a)
              store %p, %b
              ret
            }
            func @outer(ptr<global>) -> i64 {
            b0(%p: ptr<global>):
              %l: i64 = lid 1
              %a: i64 = call @inner(%l)
              %b: i64 = call @inner(%a)
              %c: i64 = call @plain(%b)
              ret %c
            }
            func @inner(i64) -> i64 {
            b0(%x: i64):
              %g: i64 = gid 0
              %d: i32 = workdim
              %e: i64 = zext %d
              %a: i64 = add %g, %x
              %b: i64 = add %a, %e
              ret %b
            }
            func @plain(i64) -> i64 {
            b0(%x: i64):
              ret %x
            }
            func @meets(i64) -> i64 {
            b0(%x: i64):
              barrier 1
              %a: i64 = call @inner(%x)
              %g: i64 = gid 2
              %b: i64 = add %a, %g
              ret %b
            }",
        )
        .expect("it is right");
        lift(&mut module, 1 << 20, |_| false);
        assert!(module.funcs.values().all(|f| f.params.len() <= 1), "the kernel is small");
        lift(&mut module, 10, |_| false);
        crate::ir::verify::verify(&module).expect("it is right");
        let text = module.to_string();
        for line in ["func @outer(ptr<global>, i64, i64, i32) -> i64", "func @inner(i64, i64, i32) -> i64"] {
            assert!(text.contains(line), "{text}");
        }
        // What is to be in the kernel asks for itself.
        assert!(text.contains("func @meets(i64) -> i64") && text.contains("func @plain(i64) -> i64"), "{text}");
        let asks = |name: &str| {
            let func = module.funcs.values().find(|f| f.name == name).expect("there is one");
            func.live_insts().filter(|&(_, i)| query(&func.insts[i]).is_some()).count()
        };
        assert_eq!([asks("k"), asks("outer"), asks("inner"), asks("meets")], [4, 0, 0, 3]);
    }
}
