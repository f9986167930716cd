//! One function in legal form → Cranelift's IR: signature, slots, blocks, values, terminators. Ops are in `inst` and
//! `memory`.

use super::helper::Helper;
use super::memory::Regions;
use super::object::Symbol;
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{self, Func, FuncId, Imm, InstData, Op, Origin, Scalar, SlotId, Target, Term, Type, Value};
use crate::launch::AddrSpace;
use cranelift_codegen::ir as clif;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, StackSlotData, StackSlotKind, UserFuncName, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Switch};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Namespace of the symbols of KIR functions; the index is the function's number in the image.
pub(super) const KIR_FUNCTION: u32 = 0;
/// Namespace of helpers; the index is `Helper as u32`.
pub(super) const HELPER: u32 = 1;
/// Namespace of program-scope variables; the index is the variable's.
pub(super) const GLOBAL: u32 = 2;
/// Namespace of the ends of all variables: 0 is the first, 1 the last.
pub(super) const DATA: u32 = 3;

/// The largest total of a function's slots in bytes.
const MAX_FRAME: u64 = 640 << 10;

/// What translation needs to know beyond the function.
pub(super) struct Scope<'a> {
    /// Number in the image and function of each callee.
    pub callees: &'a FxHashMap<FuncId, (u32, Signature)>,
    pub call_conv: CallConv,
    /// Machine code is to be told in places of sources.
    pub with_places: bool,
}

/// A pointer or other value: `base + disp`; `disp` is 0 for anything but a pointer.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub base: clif::Value,
    pub disp: i64,
    /// Derived from a parameter of the entry function: memory that is there whatever the path of execution.
    pub param: bool,
}

/// Translates one function.
pub(super) struct Translator<'a, 'b> {
    pub scope: &'a Scope<'a>,
    pub func: &'a Func,
    pub b: FunctionBuilder<'b>,
    pub values: Vec<Option<Operand>>,
    /// How many operands and arguments each value will still be.
    pub uses: Vec<u32>,
    /// The block, counted from 1, in which an operation has made each value.
    pub born: Vec<u32>,
    /// The block at hand, counted from 1.
    pub now: u32,
    pub regions: Regions,
    blocks: Vec<Option<clif::Block>>,
    slots: Vec<Option<clif::Value>>,
    stack_slots: Vec<Option<clif::StackSlot>>,
    func_refs: FxHashMap<(u32, u32), clif::FuncRef>,
    symbols: FxHashMap<(u32, u32), clif::GlobalValue>,
    /// Where instructions come from, by the number that Cranelift carries along.
    origins: Vec<Origin>,
    /// Byte patterns of shuffles.
    pub shuffles: FxHashMap<Vec<u8>, clif::Immediate>,
}

/// Cranelift's type for a legal one.
pub(super) fn clif_type(ty: Type) -> clif::Type {
    if ty.is_vector() {
        return match ty.elem {
            Scalar::F32 => types::F32X4,
            Scalar::F64 => types::F64X2,
            Scalar::I64 => types::I64X2,
            Scalar::I16 => types::I16X8,
            Scalar::I8 => types::I8X16,
            _ => types::I32X4,
        };
    }
    match ty.elem {
        Scalar::I1 | Scalar::I8 => types::I8,
        Scalar::I16 | Scalar::F16 => types::I16,
        Scalar::I32 => types::I32,
        Scalar::I64 | Scalar::Ptr(_) => types::I64,
        Scalar::F32 => types::F32,
        Scalar::F64 => types::F64,
    }
}

/// The signature of a legal function.
pub(super) fn signature(func: &Func, call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend(func.params.iter().map(|&ty| AbiParam::new(clif_type(ty))));
    signature.returns.extend(func.ret.map(|ty| AbiParam::new(clif_type(ty))));
    signature
}

/// Translates `func` into `target`, which is empty. Where instructions come from, by their numbers in Cranelift's IR.
pub(super) fn translate(
    scope: &Scope<'_>,
    func: &Func,
    number: u32,
    target: &mut clif::Function,
    context: &mut cranelift_frontend::FunctionBuilderContext,
    config: cranelift_codegen::isa::TargetFrontendConfig,
) -> Result<Vec<Origin>, CodeError> {
    target.name = UserFuncName::user(KIR_FUNCTION, number);
    target.signature = signature(func, scope.call_conv);
    let regions = Regions::new(func, target);
    let mut this = Translator {
        scope,
        func,
        b: FunctionBuilder::new(target, context),
        values: vec![None; func.values.len()],
        uses: func.use_counts(),
        born: vec![0; func.values.len()],
        now: 0,
        regions,
        blocks: vec![None; func.blocks.len()],
        slots: vec![None; func.slots.len()],
        stack_slots: Vec::new(),
        func_refs: FxHashMap::default(),
        symbols: FxHashMap::default(),
        shuffles: FxHashMap::default(),
        origins: Vec::new(),
    };
    this.run(number == 0)?;
    this.b.seal_all_blocks();
    let origins = std::mem::take(&mut this.origins);
    this.b.finalize(config);
    Ok(origins)
}

impl Translator<'_, '_> {
    fn run(&mut self, is_root: bool) -> Result<(), CodeError> {
        let func = self.func;
        let looping =
            func.layout.iter().any(|&b| func.blocks[b].term.targets().iter().any(|t| t.block == func.entry()));
        for &block in &func.layout {
            let new = self.b.create_block();
            self.blocks[block.index()] = Some(new);
            for (n, &param) in func.blocks[block].params.iter().enumerate() {
                let ty = func.ty(param);
                let base = self.b.append_block_param(new, clif_type(ty));
                let param_memory = is_root && block == func.entry() && n < 2 && !looping;
                self.values[param.index()] = Some(Operand { base, disp: 0, param: param_memory });
            }
        }
        self.make_slots()?;
        // Cranelift's entry block must not be a branch target.
        if looping {
            let first = self.b.create_block();
            self.b.append_block_params_for_function_params(first);
            self.b.switch_to_block(first);
            self.align_slots();
            let args: SmallVec<[clif::BlockArg; 8]> = self.b.block_params(first).iter().map(|&v| v.into()).collect();
            let entry = self.block(func.entry());
            self.b.ins().jump(entry, &args);
        }
        for &block in &func.layout {
            self.b.switch_to_block(self.block(block));
            self.now += 1;
            if block == func.entry() && !looping {
                self.align_slots();
            }
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                // Constants and addresses of variables move out of loops, here or in Cranelift: no places to stop at.
                let moves = data.op.is_pure() && data.args.is_empty();
                self.comes_from(if moves { Origin::UNKNOWN } else { data.origin });
                self.inst(data)?;
            }
            self.terminator(&func.blocks[block].term);
        }
        Ok(())
    }

    /// Has what follows come from here, if anybody wants to know.
    fn comes_from(&mut self, origin: Origin) {
        if self.scope.with_places && self.origins.last() != Some(&origin) {
            self.b.set_srcloc(clif::SourceLoc::new(self.origins.len() as u32));
            self.origins.push(origin);
        }
    }

    fn make_slots(&mut self) -> Result<(), CodeError> {
        let func = self.func;
        let mut used = vec![false; func.slots.len()];
        for &inst in func.layout.iter().flat_map(|&b| &func.blocks[b].insts) {
            if let ir::Imm::Slot(slot) = func.insts[inst].imm {
                used[slot.index()] = true;
            }
        }
        let mut total = 0u64;
        for ((id, slot), used) in func.slots.iter().zip(used) {
            if !used {
                self.stack_slots.push(None);
                continue;
            }
            // Cranelift honours up to 16 bytes; beyond that `align_slots` finds an aligned place in a larger slot.
            let slack = if slot.align > 16 { u64::from(slot.align) } else { 0 };
            total = total.saturating_add(slot.size).saturating_add(slack);
            if total > MAX_FRAME {
                let name = &self.func.name;
                let message = format!("private memory of `{name}` exceeds {} KiB", MAX_FRAME >> 10);
                return Err(CodeError::too_large(message));
            }
            let size = (slot.size + slack).max(1) as u32;
            let align = slot.align.clamp(1, 16).trailing_zeros() as u8;
            let key = clif::StackSlotKey::new(u64::from(id.0));
            let data = StackSlotData::new_with_key(StackSlotKind::ExplicitSlot, size, align, key);
            let slot = self.b.create_sized_stack_slot(data);
            self.stack_slots.push(Some(slot));
        }
        Ok(())
    }

    fn align_slots(&mut self) {
        for (id, slot) in self.func.slots.iter() {
            if let Some(stack_slot) = self.stack_slots[id.index()]
                && slot.align > 16
            {
                let mask = i64::from(slot.align) - 1;
                let start = self.b.ins().stack_addr(types::I64, stack_slot, 0);
                let end = self.b.ins().iadd_imm_s(start, mask);
                let aligned = self.b.ins().band_imm_s(end, !mask);
                self.slots[id.index()] = Some(aligned);
            }
        }
    }

    /// Address of a slot.
    pub fn slot_address(&mut self, slot: SlotId) -> clif::Value {
        match (self.slots[slot.index()], self.stack_slots[slot.index()]) {
            (Some(address), _) => address,
            (None, Some(stack_slot)) => self.b.ins().stack_addr(types::I64, stack_slot, 0),
            (None, None) => unreachable!("slots that are used have been made"),
        }
    }

    pub fn error(&self, message: String) -> CodeError {
        CodeError::new(message)
    }

    pub fn unsupported(&self, inst: &InstData) -> CodeError {
        let types: Vec<String> = inst.args.iter().map(|&a| self.func.ty(a).to_string()).collect();
        self.error(format!("no code for `{}` on ({}) in `{}`", inst.op.row().name, types.join(", "), self.func.name))
    }

    fn block(&self, block: ir::Block) -> clif::Block {
        match self.blocks[block.index()] {
            Some(block) => block,
            None => unreachable!("targets are in the layout"),
        }
    }

    /// A value in one register.
    pub fn value(&mut self, v: Value) -> clif::Value {
        let operand = self.operand(v);
        if operand.disp == 0 { operand.base } else { self.b.ins().iadd_imm_s(operand.base, operand.disp) }
    }

    /// A value as base and displacement.
    pub fn operand(&self, v: Value) -> Operand {
        match self.values[v.index()] {
            Some(operand) => operand,
            None => unreachable!("definitions come before uses in reverse postorder"),
        }
    }

    pub fn define(&mut self, inst: &InstData, base: clif::Value) {
        if let Some(result) = inst.result {
            self.born[result.index()] = self.now;
            self.values[result.index()] = Some(Operand { base, disp: 0, param: false });
        }
    }

    /// A reference to a function of this image.
    pub fn callee(&mut self, id: FuncId) -> Option<clif::FuncRef> {
        let scope = self.scope;
        let (number, signature) = scope.callees.get(&id)?;
        Some(self.import(KIR_FUNCTION, *number, true, || signature.clone()))
    }

    /// A reference to a helper.
    pub fn helper(&mut self, helper: Helper) -> clif::FuncRef {
        let call_conv = self.scope.call_conv;
        self.import(HELPER, helper as u32, false, || helper.signature(call_conv))
    }

    /// The address of a symbol that is no function.
    pub fn symbol(&mut self, symbol: Symbol) -> clif::Value {
        let (space, index) = match symbol {
            Symbol::Global(global) => (GLOBAL, global.0),
            Symbol::DataStart => (DATA, 0),
            Symbol::DataEnd => (DATA, 1),
            Symbol::Helper(helper) => (HELPER, helper as u32),
        };
        let func = &mut self.b.func;
        let data = *self.symbols.entry((space, index)).or_insert_with(|| {
            let name = func.declare_imported_user_function(clif::UserExternalName::new(space, index));
            let (name, offset) = (clif::ExternalName::user(name), 0.into());
            func.create_global_value(clif::GlobalValueData::Symbol { name, offset, colocated: false, tls: false })
        });
        self.b.ins().symbol_value(types::I64, data)
    }

    fn import(
        &mut self,
        space: u32,
        index: u32,
        colocated: bool,
        signature: impl FnOnce() -> Signature,
    ) -> clif::FuncRef {
        if let Some(&f) = self.func_refs.get(&(space, index)) {
            return f;
        }
        let signature = self.b.import_signature(signature());
        let name = self.b.func.declare_imported_user_function(clif::UserExternalName::new(space, index));
        let data = clif::ExtFuncData { name: clif::ExternalName::user(name), signature, colocated, patchable: false };
        let f = self.b.import_function(data);
        self.func_refs.insert((space, index), f);
        f
    }

    fn arguments(&mut self, target: &Target) -> SmallVec<[clif::BlockArg; 8]> {
        target.args.iter().map(|&a| self.value(a).into()).collect()
    }

    fn terminator(&mut self, term: &Term) {
        match term {
            Term::Jump(t) => {
                let args = self.arguments(t);
                let block = self.block(t.block);
                self.b.ins().jump(block, &args);
            }
            Term::Br { cond, then, els } => {
                let cond = self.value(*cond);
                let (then_args, els_args) = (self.arguments(then), self.arguments(els));
                let (then, els) = (self.block(then.block), self.block(els.block));
                self.b.ins().brif(cond, then, &then_args, els, &els_args);
            }
            Term::Switch { value, cases, default } => self.switch(*value, cases, default),
            Term::Ret(v) => {
                let values: SmallVec<[clif::Value; 1]> = v.iter().map(|&v| self.value(v)).collect();
                self.b.ins().return_(&values);
            }
            // Never reached; returning is harmless where a trap would not be.
            Term::Unreachable => {
                let zero = self.func.ret.map(|ty| self.zero(ty));
                let values: SmallVec<[clif::Value; 1]> = zero.into_iter().collect();
                self.b.ins().return_(&values);
            }
        }
    }

    fn switch(&mut self, value: Value, cases: &[(u64, Target)], default: &Target) {
        let bits = self.func.ty(value).elem.bits();
        let value = self.value(value);
        if let [(only, target)] = cases {
            let is_case = self.b.ins().icmp_imm_s(IntCC::Equal, value, sign_extend(*only, bits));
            let (then_args, els_args) = (self.arguments(target), self.arguments(default));
            let (then, els) = (self.block(target.block), self.block(default.block));
            self.b.ins().brif(is_case, then, &then_args, els, &els_args);
            return;
        }
        let mut switch = Switch::new();
        let mut stubs = Vec::new();
        let mut landing = |this: &mut Self, t: &Target| {
            if t.args.is_empty() {
                return this.block(t.block);
            }
            let args = this.arguments(t);
            let stub = this.b.create_block();
            stubs.push((stub, this.block(t.block), args));
            stub
        };
        for (bits, target) in cases {
            let block = landing(self, target);
            switch.set_entry(u128::from(*bits), block);
        }
        let otherwise = landing(self, default);
        switch.emit(&mut self.b, value, otherwise);
        for (stub, block, args) in stubs {
            self.b.switch_to_block(stub);
            self.b.ins().jump(block, &args);
        }
    }

    /// Zero of a type.
    pub fn zero(&mut self, ty: Type) -> clif::Value {
        self.constant(ty, 0)
    }

    /// A constant from its bits; a splat for vectors.
    pub fn constant(&mut self, ty: Type, bits: u64) -> clif::Value {
        if ty.is_vector() {
            let lane = &bits.to_le_bytes()[..ty.elem.bytes() as usize];
            let bytes: Vec<u8> = lane.iter().copied().cycle().take(16).collect();
            return self.vector_constant(ty, &bytes);
        }
        match ty.elem {
            Scalar::F32 => self.b.ins().f32const(clif::immediates::Ieee32::with_bits(bits as u32)),
            Scalar::F64 => self.b.ins().f64const(clif::immediates::Ieee64::with_bits(bits)),
            elem => {
                let width = if elem == Scalar::I1 { 8 } else { elem.bits() };
                self.b.ins().iconst(clif_type(ty), sign_extend(bits, width))
            }
        }
    }

    /// A vector constant from the bytes of its lanes.
    pub fn vector_constant(&mut self, ty: Type, bytes: &[u8]) -> clif::Value {
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(clif_type(ty), constant)
    }

    /// The bytes of a vector whose lanes are all constants.
    pub fn constant_lanes(&self, inst: &InstData) -> Option<Vec<u8>> {
        let result = self.func.ty(inst.result?);
        let size = result.elem.bytes() as usize;
        let lane = |v: Value| Some(self.func.const_bits(v)?.to_le_bytes()[..size].to_vec());
        match (inst.op, &inst.imm) {
            (Op::Const | Op::Splat, _) => {
                let bits = match inst.imm {
                    Imm::Bits(bits) => bits.to_le_bytes()[..size].to_vec(),
                    _ => lane(inst.args[0])?,
                };
                Some(bits.repeat(usize::from(result.lanes)))
            }
            (Op::Insert, &Imm::Lane(n)) => {
                let mut bytes = self.constant_lanes(self.func.def_inst(inst.args[0])?)?;
                let at = usize::from(n) * size;
                bytes[at..at + size].copy_from_slice(&lane(inst.args[1])?);
                Some(bytes)
            }
            _ => None,
        }
    }

    /// The address space of a pointer value.
    pub fn space(&self, v: Value) -> AddrSpace {
        match self.func.ty(v).elem {
            Scalar::Ptr(space) => space,
            _ => AddrSpace::Generic,
        }
    }
}

/// Cranelift wants constants narrower than 64 bits sign-extended.
pub(super) fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift) as i64 >> shift
}
