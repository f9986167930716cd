//! Modules: functions, program-scope variables, local variables, kernels.

use super::check::Checks;
use super::entity::{Arena, Entity, FuncId, GlobalId, LocalVarId};
use super::func::{Func, InstData};
use super::op::{Imm, Op, Rounding};
use super::variable::{ProgramVariable, Variable};
use crate::control;
use crate::launch::{AddrSpace, KernelInfo};
use crate::places::Sources;
use serde::{Deserialize, Serialize};

/// A translation unit, or a linked program, in KIR.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Functions, callees and callers in any order.
    pub funcs: Arena<FuncId, Func>,
    /// Program-scope variables and string literals.
    pub globals: Arena<GlobalId, Global>,
    /// `__local` variables.
    pub locals: Arena<LocalVarId, LocalVar>,
    /// What its code is checked for, and what the checks are about.
    pub checks: Checks,
    /// The texts that functions are written in.
    pub sources: Sources,
    /// Debuggers are to know its code: `-g`.
    pub is_debug: bool,
    /// One work-item after the other, so that a debugger can follow it: `-g -cl-opt-disable`.
    pub is_scalar: bool,
    /// Results of arithmetic on `float` and `double` that are denormal may be zeros.
    pub may_flush_denormals: bool,
    /// Kernels: metadata and function.
    pub kernels: Vec<(KernelInfo, FuncId)>,
}

impl Module {
    /// Lets the whole program run with denormal results as zeros if its options permit that, the processor can, and no
    /// operation is rounded in a direction: what such operations are made of counts on denormal numbers.
    pub fn decide_on_denormals(&mut self) {
        use Op::{Fadd, Fdiv, Fma, Fmul, Fptrunc, Fsub};
        let is_directed = |data: &InstData| {
            data.attr.rm != Rounding::Rte && matches!(data.op, Fadd | Fsub | Fmul | Fdiv | Fma | Fptrunc)
        };
        let has_directed = |func: &Func| func.live_insts().any(|(_, inst)| is_directed(&func.insts[inst]));
        let may = control::CAN_FLUSH && self.may_flush_denormals;
        let flushes = may && !self.funcs.values().any(has_directed);
        self.funcs.values_mut().for_each(|func| func.flushes_denormals = flushes);
    }

    /// Of each function whether kernels can reach it; all if there is no kernel.
    pub fn reachable(&self) -> Vec<bool> {
        let kernels: Vec<FuncId> = self.funcs.iter().filter(|(_, f)| f.is_kernel).map(|(id, _)| id).collect();
        if kernels.is_empty() { vec![true; self.funcs.len()] } else { self.reachable_from(kernels) }
    }

    /// Of each function whether these can reach it, or are it.
    pub fn reachable_from(&self, mut work: Vec<FuncId>) -> Vec<bool> {
        let mut used = vec![false; self.funcs.len()];
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut used[id.index()], true) {
                let func = &self.funcs[id];
                work.extend(func.live_insts().filter_map(|(_, i)| match func.insts[i].imm {
                    Imm::Func(callee) => Some(callee),
                    _ => None,
                }));
            }
        }
        used
    }
}

/// A program-scope variable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Name; unique if it is not empty.
    pub name: String,
    /// `Constant` or `Global`.
    pub space: AddrSpace,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Initial contents.
    pub init: Init,
    /// What debuggers know of it; not part of the text.
    #[serde(skip)]
    pub variable: Option<Box<ProgramVariable>>,
}

/// Initial contents of a global.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Init {
    /// Leading bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// At byte offset `.0`: the 8-byte address of `.1` plus `.2`.
    pub relocs: Vec<(u64, GlobalId, i64)>,
}

/// A variable in local memory, one per work-group. Never initialised.
#[derive(Clone, Debug)]
pub struct LocalVar {
    /// Name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// What debuggers know of it; not part of the text.
    pub variable: Option<Box<Variable>>,
}
