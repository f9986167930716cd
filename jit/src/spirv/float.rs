//! How floating-point instructions compute: what execution modes and options say. A mode belongs to a kernel and all
//! that it calls. Spec: SPIR-V, "Execution Mode"; extensions SPV_KHR_float_controls and SPV_KHR_float_controls2.

use super::function::FloatMode;
use super::lines;
use super::module::Module;
use super::words::{Id, Words};
use crate::ir::Flags;
use crate::ir::op::Rounding;
use rustc_hash::FxHashMap;
use spirv::{Decoration, ExecutionMode, FPRoundingMode, Op};

impl Module {
    /// The rounding that a decoration asks for.
    pub(super) fn rounding(&self, id: Id) -> Option<Rounding> {
        let &[mode, ..] = self.decoration(id, Decoration::FPRoundingMode)? else { return None };
        Some(match FPRoundingMode::from_u32(mode)? {
            FPRoundingMode::RTE => Rounding::Rte,
            FPRoundingMode::RTZ => Rounding::Rtz,
            FPRoundingMode::RTP => Rounding::Rtp,
            FPRoundingMode::RTN => Rounding::Rtn,
        })
    }

    /// Whether numbers that do not fit become the nearest that does.
    pub(super) fn is_saturated(&self, id: Id) -> bool {
        self.decoration(id, Decoration::SaturatedConversion).is_some()
    }
}

/// The modes of functions that kernels with modes of their own reach; all others have the program's.
///
/// # Errors
/// Kernels of different modes share a function.
pub(super) fn modes(words: &Words, module: &Module, program: FloatMode) -> Result<FxHashMap<Id, FloatMode>, String> {
    let own: Vec<(Id, FloatMode)> = module.kernels.iter().map(|(id, _)| (*id, of(module, *id, program))).collect();
    let mut modes = FxHashMap::default();
    if own.iter().all(|(_, mode)| *mode == program) {
        return Ok(modes);
    }
    let calls = calls(words, module);
    for (kernel, mode) in own {
        let mut work = vec![kernel];
        while let Some(func) = work.pop() {
            match modes.insert(func, mode) {
                None => work.extend(calls.get(&func).into_iter().flatten()),
                Some(known) if known == mode => {}
                // What all of them permit.
                Some(known) if known.rm == mode.rm => {
                    let both = FloatMode { flags: known.flags & mode.flags, ..mode };
                    modes.insert(func, both);
                    if both != known {
                        work.extend(calls.get(&func).into_iter().flatten());
                    }
                }
                Some(_) => {
                    let at = module.func_of.get(&func).map_or(0, |&n| module.funcs[n].at);
                    let message = "kernels with different floating-point modes call the same function";
                    return Err(lines::located_at(words, at, message));
                }
            }
        }
    }
    Ok(modes)
}

/// Who calls whom.
fn calls(words: &Words, module: &Module) -> FxHashMap<Id, Vec<Id>> {
    let mut calls: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    for func in &module.funcs {
        let body = words.insts_from(func.body).take_while(|inst| inst.op() != Some(Op::FunctionEnd));
        let callees = body.filter(|inst| inst.op() == Some(Op::FunctionCall)).filter_map(|inst| inst.word(2).ok());
        calls.insert(func.id, callees.collect());
    }
    calls
}

/// A kernel's mode.
fn of(module: &Module, kernel: Id, program: FloatMode) -> FloatMode {
    let mut float = program;
    for mode in module.modes.get(&kernel).map_or(&[][..], |modes| modes) {
        let rm = match ExecutionMode::from_u32(mode.mode) {
            Some(ExecutionMode::ContractionOff) => {
                float.flags -= Flags::CONTRACT;
                continue;
            }
            Some(ExecutionMode::RoundingModeRTE) => Rounding::Rte,
            Some(ExecutionMode::RoundingModeRTZ) => Rounding::Rtz,
            Some(ExecutionMode::RoundingModeRTPINTEL) => Rounding::Rtp,
            Some(ExecutionMode::RoundingModeRTNINTEL) => Rounding::Rtn,
            Some(ExecutionMode::FPFastMathDefault) => {
                // Type and constant of FP Fast Math Mode bits, of which AllowContract is 0x10000.
                let bits = mode.operands.get(1).and_then(|&id| module.int(id).ok()).unwrap_or(0);
                // What the defaults of all types permit.
                if bits & 0x1_0000 == 0 {
                    float.flags -= Flags::CONTRACT;
                }
                continue;
            }
            _ => continue,
        };
        match mode.operands.first() {
            Some(16) => float.rm[0] = rm,
            Some(32) => float.rm[1] = rm,
            Some(64) => float.rm[2] = rm,
            _ => {}
        }
    }
    float
}
