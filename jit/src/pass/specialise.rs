//! A kernel for one launch's image and sampler arguments: what is known of them becomes constants, functions that get
//! an image are inlined as far as the constants leave something of them, and every other field of a descriptor is
//! loaded once, in front of all. What is left of a read or write has no branch on the format, so that it can run in
//! vector lanes.
//!
//! Needs kernel form after `PROGRAM`, and descriptors that are valid whenever the kernel runs. Linear in the code made.

use super::forward::Forward;
use super::inline;
use crate::image::{Fact, ImageFacts};
use crate::ir::op::Flags;
use crate::ir::{Attr, Builder, Func, Imm, Inst, Module, Op, Type, Value};
use crate::launch::ArgInfo;
use rustc_hash::FxHashMap;

/// Most instructions that come in by inlining.
const MAX_INLINED: usize = 32_000;

/// A kernel's images, on the way.
#[derive(Debug)]
pub struct Specialise {
    /// Descriptors.
    images: Vec<Value>,
    /// Fields of descriptors by byte offset, defined in the entry block.
    fields: FxHashMap<(Value, i64, Type), Value>,
    /// Instructions that may still come in.
    budget: usize,
}

impl Specialise {
    /// Builds these facts into a kernel of these arguments.
    pub fn new(func: &mut Func, args: &[ArgInfo], facts: &ImageFacts) -> Self {
        let params = &func.blocks[func.entry()].params;
        let opaque = args.iter().zip(params).filter(|(arg, _)| arg.kind.is_opaque()).map(|(_, &param)| param);
        let known: Vec<(Value, Fact)> = opaque.zip(facts.iter().copied()).collect();
        let mut this = Self { images: Vec::new(), fields: FxHashMap::default(), budget: MAX_INLINED };
        this.take_in(func, &known);
        this
    }

    /// Makes constants of what is known.
    fn take_in(&mut self, func: &mut Func, known: &[(Value, Fact)]) {
        let mut forward = Forward::new(func);
        let entry = func.entry();
        let mut b = Builder::at(func, entry, 0);
        for &(arg, fact) in known.iter().filter(|(_, fact)| fact.is_known()) {
            if let Some(bits) = fact.sampler_bits() {
                let ty = b.func.ty(arg);
                forward.set(arg, b.bits(ty, bits.into()));
                continue;
            }
            self.images.push(arg);
            for (at, bits) in fact.fields() {
                self.fields.insert((arg, at as i64, Type::I32), b.bits(Type::I32, bits.into()));
            }
        }
        forward.apply(func);
    }

    /// Loads of descriptors' fields become constants and the values at the front.
    pub fn replace_loads(&mut self, func: &mut Func) {
        let loads: Vec<(Inst, Value, i64)> = func
            .live_insts()
            .filter(|&(_, inst)| func.insts[inst].op == Op::Load)
            .filter_map(|(_, inst)| {
                let (root, at) = Self::place(func, func.insts[inst].args[0]);
                self.images.contains(&root).then_some((inst, root, at))
            })
            .collect();
        let mut forward = Forward::new(func);
        let entry = func.entry();
        let mut b = Builder::at(func, entry, 0);
        for (inst, root, at) in loads {
            let result = b.func.insts[inst].result.expect("a load");
            let ty = b.func.ty(result);
            let field = *self.fields.entry((root, at, ty)).or_insert_with(|| {
                let ptr_ty = b.func.ty(root);
                let ptr = b.emit(Op::PtrOff, ptr_ty, &[root], Imm::Disp(at));
                b.load(ty, ptr, Attr { flags: Flags::INVARIANT, ..Attr::default() })
            });
            forward.set(result, field);
        }
        forward.apply(func);
    }

    /// Where a pointer points: the start of its arithmetic, and bytes from there.
    fn place(func: &Func, mut ptr: Value) -> (Value, i64) {
        let mut at = 0;
        while let Some(data) = func.def_inst(ptr) {
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
    pub fn inline(&mut self, func: &mut Func, module: &Module) -> bool {
        let mut any = false;
        let mut todo = std::mem::take(&mut func.layout);
        todo.reverse();
        while let Some(block) = todo.pop() {
            func.layout.push(block);
            let found = func.blocks[block].insts.iter().enumerate().find_map(|(n, &inst)| {
                let data = &func.insts[inst];
                let callee = &module.funcs[data.callee()?];
                let gets = data.args.iter().any(|v| self.images.contains(v));
                (gets && callee.has_body() && callee.n_live_insts() <= self.budget).then_some((n, data.callee()?))
            });
            if let Some((n, callee)) = found {
                self.budget -= module.funcs[callee].n_live_insts();
                todo.extend(inline::inline_call(func, block, n, module, callee).into_iter().rev());
                any = true;
            }
        }
        any
    }
}
