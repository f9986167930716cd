//! The words of a module: header, byte order, instructions and their operands. Spec: SPIR-V, "Physical Layout of a
//! SPIR-V Module and Instruction". `rspirv`'s reader does not serve: it walks its grammar from the start for each
//! instruction, and refuses a whole module for one opcode that it does not know; which operands are ids is looked up in
//! its grammar. Must not know what instructions mean.

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use spirv::Op;
use std::sync::LazyLock;

/// A number that stands for a result.
pub type Id = u32;

/// The words of a module in the byte order of this machine, checked as far as where its instructions begin and end.
pub struct Words {
    words: Vec<u32>,
}

/// An instruction.
#[derive(Clone, Copy)]
pub struct Inst<'w> {
    /// Number of its first word in the module.
    pub at: usize,
    /// Its opcode as a number.
    pub opcode: u16,
    /// Its words behind the first.
    pub words: &'w [u32],
}

/// Words of the header.
const HEADER: usize = 5;

/// Largest bound. Spec: SPIR-V, "Universal Limits".
const MAX_BOUND: u32 = 0x40_0000;

impl Words {
    /// Takes a module in either byte order apart.
    ///
    /// # Errors
    /// What is wrong with the header, or with the place at which an instruction ends.
    pub fn new(il: &[u8]) -> Result<Self, String> {
        if !il.len().is_multiple_of(4) {
            return Err(format!("a module of {} bytes is no sequence of words", il.len()));
        }
        let word = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let mut words: Vec<u32> = il.chunks_exact(4).map(word).collect();
        match words.first() {
            Some(&spirv::MAGIC_NUMBER) => {}
            Some(magic) if magic.swap_bytes() == spirv::MAGIC_NUMBER => {
                words.iter_mut().for_each(|word| *word = word.swap_bytes());
            }
            _ => return Err("not a SPIR-V module: the magic number is missing".into()),
        }
        let &[_, version, _, bound, schema, ..] = &words[..] else {
            return Err("the module ends inside its header".into());
        };
        let [high, major, minor, low] = version.to_be_bytes();
        if high != 0 || low != 0 || major != 1 || minor > super::MAX_MINOR_VERSION {
            return Err(format!("SPIR-V {major}.{minor} (word {version:#x}) is not supported"));
        }
        if bound == 0 || bound > MAX_BOUND || schema != 0 {
            return Err(format!("the header has bound {bound} and schema {schema}: at most {MAX_BOUND}, and 0"));
        }
        let module = Self { words };
        let mut at = HEADER;
        while let Some(&first) = module.words.get(at) {
            let length = (first >> 16) as usize;
            if length == 0 {
                return Err(format!("word {at}: an instruction of no words"));
            }
            if length > module.words.len() - at {
                return Err(format!("word {at}: the module ends inside an instruction"));
            }
            at += length;
        }
        Ok(module)
    }

    /// All ids are below this number.
    pub fn bound(&self) -> u32 {
        self.words[3]
    }

    /// All words, header included.
    pub fn all(&self) -> &[u32] {
        &self.words
    }

    /// All instructions in order.
    pub fn insts(&self) -> impl Iterator<Item = Inst<'_>> {
        self.insts_from(HEADER)
    }

    /// The instruction that begins at this word.
    pub fn inst_at(&self, at: usize) -> Option<Inst<'_>> {
        if at < HEADER { None } else { self.insts_from(at).next() }
    }

    /// The instructions from one that begins at this word on.
    pub fn insts_from(&self, at: usize) -> impl Iterator<Item = Inst<'_>> {
        let mut at = at;
        std::iter::from_fn(move || {
            let first = *self.words.get(at)?;
            let end = at + (first >> 16) as usize;
            let inst = Inst { at, opcode: first as u16, words: &self.words[at + 1..end] };
            at = end;
            Some(inst)
        })
    }
}

impl<'w> Inst<'w> {
    /// Its opcode, if SPIR-V has it.
    pub fn op(&self) -> Option<Op> {
        Op::from_u32(u32::from(self.opcode))
    }

    /// Number of the first word behind it.
    pub fn end(&self) -> usize {
        self.at + self.words.len() + 1
    }

    /// Operand word number `n`.
    ///
    /// # Errors
    /// There is no such word.
    pub fn word(&self, n: usize) -> Result<u32, String> {
        self.words.get(n).copied().ok_or_else(|| format!("operand {n} is missing"))
    }

    /// Operand words from number `n` on; none if there are fewer.
    pub fn rest(&self, n: usize) -> &'w [u32] {
        self.words.get(n..).unwrap_or(&[])
    }

    /// The ids that its operands begin with, the result among them; the others stand behind literals.
    pub fn ids(&self) -> &'w [Id] {
        let n = LEADING_IDS.get(usize::from(self.opcode)).map_or(0, |&n| usize::from(n));
        &self.words[..n.min(self.words.len())]
    }

    /// The string that begins at word `n`, and the number of the word behind it.
    ///
    /// # Errors
    /// It does not end in the instruction, or is not in UTF-8.
    pub fn string(&self, n: usize) -> Result<(String, usize), String> {
        let (bytes, next) = self.string_bytes(n)?;
        let text = String::from_utf8(bytes).map_err(|_| "a string is not in UTF-8".to_owned())?;
        Ok((text, next))
    }

    /// A string for people that begins at word `n`: compilers copy the source's bytes, whatever they mean.
    ///
    /// # Errors
    /// It does not end in the instruction.
    pub fn text(&self, n: usize) -> Result<String, String> {
        let (bytes, _) = self.string_bytes(n)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn string_bytes(&self, n: usize) -> Result<(Vec<u8>, usize), String> {
        let mut bytes = Vec::new();
        for (i, word) in self.rest(n).iter().enumerate() {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    return Ok((bytes, n + i + 1));
                }
                bytes.push(byte);
            }
        }
        Err("a string does not end".into())
    }

    /// The instruction as a text for messages: its name and where it stands.
    pub fn place(&self) -> String {
        match self.op() {
            Some(op) => format!("Op{op:?} at word {}", self.at),
            None => format!("opcode {} at word {}", self.opcode, self.at),
        }
    }
}

/// With how many ids the operands of an instruction begin, by opcode.
static LEADING_IDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let is_id = |kind: &OperandKind| {
        use OperandKind::{IdMemorySemantics, IdRef, IdResult, IdResultType, IdScope};
        matches!(kind, IdResultType | IdResult | IdRef | IdScope | IdMemorySemantics)
    };
    let mut counts = Vec::new();
    for inst in INSTRUCTION_TABLE.iter() {
        let ids = inst.operands.iter().take_while(|operand| is_id(&operand.kind));
        let (mut n, mut any) = (0, false);
        for operand in ids {
            n += 1;
            any |= operand.quantifier == OperandQuantifier::ZeroOrMore;
        }
        let opcode = inst.opcode as usize;
        counts.resize(counts.len().max(opcode + 1), 0);
        counts[opcode] = if any { u8::MAX } else { n };
    }
    counts
});
