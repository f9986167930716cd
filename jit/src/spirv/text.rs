//! A module as text, for people: a line for each instruction, by `rspirv`'s reader and names. Its text of whole modules
//! does not serve: it panics at constants of unknown types and complains on the standard error output.

use super::words::{Id, Words};
use rspirv::binary::{Consumer, Disassemble, ParseAction as Action};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::grammar::{ExtInstOp, INSTRUCTION_TABLE, InstructionTable, OperandKind, ext_inst_table};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::Op;

/// A module as text, for people.
///
/// # Errors
/// It is no SPIR-V, or has what the library does not know.
pub fn disassemble(il: &[u8]) -> Result<String, String> {
    let words = Words::new(il)?;
    for inst in words.insts().filter(|inst| inst.op() == Some(Op::SpecConstantOp)) {
        // The library does not expect operations that are themselves constants.
        let operation = inst.words.get(2).and_then(|&number| INSTRUCTION_TABLE.lookup_opcode(number));
        let is_plain = |kind: &OperandKind| {
            use OperandKind::{LiteralContextDependentNumber, LiteralSpecConstantOpInteger, PairLiteralIntegerIdRef};
            !matches!(kind, LiteralContextDependentNumber | LiteralSpecConstantOpInteger | PairLiteralIntegerIdRef)
        };
        if operation.is_some_and(|op| !op.operands.iter().all(|operand| is_plain(&operand.kind))) {
            return Err(format!("this operation has no place in a constant ({})", inst.place()));
        }
    }
    let mut listing = Listing::default();
    rspirv::binary::parse_words(words.all(), &mut listing).map_err(|error| error.to_string())?;
    Ok(listing.text)
}

/// A module's instructions, a line each, and what lines above say of those below.
#[derive(Default)]
struct Listing {
    text: String,
    sets: FxHashMap<Id, &'static InstructionTable<ExtInstOp>>,
    floats: FxHashSet<Id>,
}

impl Listing {
    /// Notes what an instruction declares.
    fn note(&mut self, inst: &Instruction) {
        let Some(id) = inst.result_id else { return };
        match (inst.class.opcode, inst.operands.first()) {
            (Op::TypeFloat, _) => {
                self.floats.insert(id);
            }
            (Op::ExtInstImport, Some(Operand::LiteralString(name))) => {
                self.sets.extend(ext_inst_table(name).map(|table| (id, table)));
            }
            _ => {}
        }
    }

    /// An operand whose meaning other instructions tell.
    fn known(&self, inst: &Instruction, n: usize) -> Option<String> {
        let is_constant = matches!(inst.class.opcode, Op::Constant | Op::SpecConstant);
        let is_extended = matches!(inst.class.opcode, Op::ExtInst | Op::ExtInstWithForwardRefsKHR);
        match (inst.operands.get(n)?, inst.operands.first()?) {
            (&Operand::LiteralExtInstInteger(number), Operand::IdRef(set)) => {
                Some(self.sets.get(set)?.lookup_opcode(number)?.opname.to_owned())
            }
            // The library takes all operands of such an instruction for ids.
            (&Operand::IdRef(word), Operand::IdRef(set)) if is_extended && n >= 2 => {
                let &Operand::LiteralExtInstInteger(number) = inst.operands.get(1)? else { return None };
                let operands = self.sets.get(set)?.lookup_opcode(number)?.operands;
                let kind = operands.get(n - 2).or(operands.last())?.kind;
                if kind == OperandKind::IdRef { None } else { Some(word.to_string()) }
            }
            (operand, _) if is_constant && self.floats.contains(&inst.result_type?) => match *operand {
                Operand::LiteralBit32(bits) => Some(f32::from_bits(bits).to_string()),
                Operand::LiteralBit64(bits) => Some(f64::from_bits(bits).to_string()),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Consumer for Listing {
    fn initialize(&mut self) -> Action {
        Action::Continue
    }

    fn finalize(&mut self) -> Action {
        Action::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> Action {
        self.text += &(header.disassemble() + "\n");
        Action::Continue
    }

    fn consume_instruction(&mut self, inst: Instruction) -> Action {
        self.note(&inst);
        if let Some(id) = inst.result_id {
            self.text += &format!("%{id} = ");
        }
        self.text += "Op";
        self.text += inst.class.opname;
        if let Some(ty) = inst.result_type {
            self.text += &format!(" %{ty}");
        }
        for (n, operand) in inst.operands.iter().enumerate() {
            self.text.push(' ');
            self.text += &self.known(&inst, n).unwrap_or_else(|| operand.disassemble());
        }
        self.text.push('\n');
        Action::Continue
    }
}
