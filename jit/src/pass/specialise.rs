//! A kernel for one launch's image and sampler arguments: what is known of them becomes constants, functions that get an image
//! are inlined as far as the constants leave something of them, and every other field of a descriptor is loaded once, in
//! front of all. What is left of a read or write has no branch on the format, so that it can run in vector lanes.
//!
//! Needs kernel form after phase A, and descriptors that are valid whenever the kernel runs. Linear in the code made.

use super::forward::Forward;
use super::{cleanup, inline, simplify};
use crate::image::{Fact, ImageFacts};
use crate::ir::op::Flags;
use crate::ir::{Attr, Func, Imm, Inst, Module, Op, Type, Value};
use crate::launch::ArgInfo;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Most instructions that come in by inlining.
const MAX_INLINED: usize = 8000;

/// The kernel with these facts built in; `None` if they say nothing of its arguments.
pub fn run(module: &Module, kernel: &Func, args: &[ArgInfo], facts: &ImageFacts) -> Option<Func> {
    if facts.iter().all(|fact| !fact.is_known()) {
        return None;
    }
    let params = &kernel.blocks[kernel.entry()].params;
    let opaque = args.iter().zip(params).filter(|(arg, _)| arg.kind.is_opaque()).map(|(_, &param)| param);
    let known: Vec<(Value, Fact)> = opaque.zip(facts.iter().copied()).collect();
    if known.iter().all(|(_, fact)| !fact.is_known()) {
        return None;
    }
    let mut cx = Specialise { func: kernel.clone(), fields: FxHashMap::default(), images: Vec::new() };
    cx.take_in(&known);
    let mut budget = MAX_INLINED;
    loop {
        // Parameters of inlined functions become what they get.
        cleanup::run(&mut cx.func);
        cx.replace_loads();
        simplify::run(&mut cx.func);
        cleanup::run(&mut cx.func);
        if !cx.inline(module, &mut budget) {
            break;
        }
    }
    let mut func = cx.func;
    super::run_specialised(&mut func);
    Some(func)
}

struct Specialise {
    func: Func,
    /// Descriptors.
    images: Vec<Value>,
    /// Fields of descriptors by byte offset, defined in the entry block.
    fields: FxHashMap<(Value, i64, Type), Value>,
}

impl Specialise {
    /// Makes constants of what is known.
    fn take_in(&mut self, known: &[(Value, Fact)]) {
        let mut forward = Forward::new(&self.func);
        let mut front = 0;
        for &(arg, fact) in known.iter().filter(|(_, fact)| fact.is_known()) {
            if let Some(bits) = fact.sampler_bits() {
                let value = self.put(&mut front, Op::Const, self.func.ty(arg), &[], Imm::Bits(u64::from(bits)));
                forward.set(arg, value);
                continue;
            }
            self.images.push(arg);
            for (at, bits) in fact.fields() {
                let value = self.put(&mut front, Op::Const, Type::I32, &[], Imm::Bits(u64::from(bits)));
                self.fields.insert((arg, at as i64, Type::I32), value);
            }
        }
        forward.apply(&mut self.func);
    }

    /// Puts an instruction at place `at` of the function, and moves on.
    fn put(&mut self, at: &mut usize, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        let attr = if op == Op::Load { Attr { flags: Flags::INVARIANT, ..Attr::default() } } else { Attr::default() };
        let inst = self.func.make_inst(op, Some(ty), args, imm, attr, Span::DUMMY);
        let entry = self.func.entry();
        self.func.blocks[entry].insts.insert(*at, inst);
        *at += 1;
        self.func.insts[inst].result.expect("a type was given")
    }

    /// Loads of descriptors' fields become constants and the values at the front.
    fn replace_loads(&mut self) {
        let loads: Vec<(Inst, Value, i64)> = self
            .func
            .live_insts()
            .filter(|&(_, inst)| self.func.insts[inst].op == Op::Load)
            .filter_map(|(_, inst)| {
                let (root, at) = self.place(self.func.insts[inst].args[0]);
                self.images.contains(&root).then_some((inst, root, at))
            })
            .collect();
        let mut forward = Forward::new(&self.func);
        let mut front = 0;
        for (inst, root, at) in loads {
            let result = self.func.insts[inst].result.expect("a load");
            let ty = self.func.ty(result);
            let field = match self.fields.get(&(root, at, ty)) {
                Some(&field) => field,
                None => {
                    let ptr = self.put(&mut front, Op::PtrOff, self.func.ty(root), &[root], Imm::Disp(at));
                    let load = self.put(&mut front, Op::Load, ty, &[ptr], Imm::None);
                    self.fields.insert((root, at, ty), load);
                    load
                }
            };
            forward.set(result, field);
        }
        forward.apply(&mut self.func);
    }

    /// Where a pointer points: the start of its arithmetic, and bytes from there.
    fn place(&self, mut ptr: Value) -> (Value, i64) {
        let mut at = 0;
        while let Some(data) = self.func.def_inst(ptr) {
            match (data.op, &data.imm) {
                (Op::PtrOff, Imm::Disp(disp)) => at += disp,
                (Op::AsCast, _) => {}
                _ => break,
            }
            ptr = data.args[0];
        }
        (ptr, at)
    }

    /// Inlines the calls that get an image; false if there is none that fits.
    fn inline(&mut self, module: &Module, budget: &mut usize) -> bool {
        let mut any = false;
        let mut at = 0;
        while at < self.func.layout.len() {
            let block = self.func.layout[at];
            let found = self.func.blocks[block].insts.iter().enumerate().find_map(|(n, &inst)| {
                let data = &self.func.insts[inst];
                let (Op::Call, Imm::Func(callee)) = (data.op, &data.imm) else { return None };
                let callee = &module.funcs[*callee];
                let gets = data.args.iter().any(|v| self.images.contains(v));
                (gets && callee.has_body() && callee.n_live_insts() <= *budget).then_some((n, callee))
            });
            if let Some((n, callee)) = found {
                *budget -= callee.n_live_insts();
                inline::inline_call(&mut self.func, at, n, callee);
                any = true;
            }
            at += 1;
        }
        any
    }
}
