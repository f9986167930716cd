//! x86-64 instruction encoding: legacy, VEX and EVEX forms from a row of the table in `code` and register numbers.
//! Knows no values, no functions and no calling convention.

/// How an instruction is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enc {
    /// One, two or three opcode bytes; operand size by prefix.
    Legacy,
    /// As `Legacy`, with the register in the opcode's low bits.
    LegacyReg,
    /// VEX only; W follows the operand size of general registers if there are any.
    Vex,
    /// EVEX only.
    Evex,
    /// VEX with W as given where registers and modifiers allow it, else EVEX.
    Both,
    /// As `Both`; VEX ignores W.
    BothWig,
}

/// A row of the instruction table.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Name in listings.
    pub name: &'static str,
    /// Encoding.
    pub enc: Enc,
    /// Mandatory prefix: 0 none, 1 66, 2 F3, 3 F2.
    pub pp: u8,
    /// Opcode map: 0 one byte, 1 0F, 2 0F38, 3 0F3A, 5 and 6 EVEX only.
    pub map: u8,
    /// The W bit of a vector instruction.
    pub w: bool,
    /// Opcode; of a legacy instruction with `byte` the one for 16 bits and more.
    pub op: u8,
    /// Opcode extension in the place of the first register.
    pub digit: Option<u8>,
    /// A legacy instruction whose 8-bit form has the opcode below.
    pub byte: bool,
    /// The VEX form has L = 1 whatever the operands (mask registers).
    pub l1: bool,
    /// The last operand is a fourth register, in the upper half of an immediate byte: `Ready::k`, here no mask
    /// register.
    pub is4: bool,
    /// What takes its place on a machine without EVEX, if that is another instruction.
    pub avx2: Option<&'static Code>,
}

impl Code {
    /// The row for a machine with or without EVEX.
    pub fn for_machine(self, has_evex: bool) -> Self {
        match self.avx2 {
            Some(&other) if !has_evex => other,
            _ => self,
        }
    }
}

/// A memory operand with machine registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Base register.
    pub base: Option<u8>,
    /// Index register; a vector register for gathers and scatters.
    pub index: Option<u8>,
    /// 1, 2, 4 or 8.
    pub scale: u8,
    /// Displacement; relative to the constants' start if `rip`.
    pub disp: i32,
    /// Relative to the function's constants, which come behind its code.
    pub rip: bool,
    /// Bytes accessed: the unit of EVEX's short displacements.
    pub bytes: u8,
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegMem {
    /// None.
    None,
    /// A register.
    Reg(u8),
    /// Memory.
    Mem(Address),
}

/// An immediate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// None.
    None,
    /// One byte.
    I8(i8),
    /// Two bytes.
    I16(i16),
    /// Four bytes.
    I32(i32),
}

/// An instruction ready for encoding.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// Row.
    pub code: Code,
    /// Bytes of general registers (1, 2, 4, 8).
    pub size: u8,
    /// Vector length: 0, 1, 2 for 16, 32, 64 bytes.
    pub len: u8,
    /// ModRM.reg.
    pub reg: u8,
    /// VEX.vvvv.
    pub v: Option<u8>,
    /// ModRM.rm.
    pub rm: RegMem,
    /// Immediate.
    pub imm: Imm,
    /// Mask register, 0 for none; the fourth register of an instruction with `Code::is4`.
    pub k: u8,
    /// Lanes without mask bit become zero.
    pub zero: bool,
    /// The memory operand is one element for all lanes.
    pub bcast: bool,
    /// Rounding control.
    pub round: Option<u8>,
    /// `lock` prefix.
    pub lock: bool,
    /// Gather or scatter.
    pub vsib: bool,
}

/// A 32-bit field that holds a distance to the function's constants.
#[derive(Clone, Copy, Debug)]
pub struct RipFixup {
    /// Where the field is.
    pub at: usize,
    /// The end of its instruction.
    pub end: usize,
}

/// Appends one instruction; a distance to the constants, if there is one, is filled with its displacement and returned.
pub fn encode(out: &mut Vec<u8>, i: &Ready) -> Option<RipFixup> {
    let fix = match i.code.enc {
        Enc::Legacy | Enc::LegacyReg => legacy(out, i),
        Enc::Vex => vex(out, i),
        Enc::Evex => evex(out, i),
        Enc::Both | Enc::BothWig if needs_evex(i) => evex(out, i),
        Enc::Both | Enc::BothWig => vex(out, i),
    };
    match i.imm {
        Imm::None if i.code.is4 => out.push(i.k << 4),
        Imm::None => {}
        Imm::I8(x) => out.push(x as u8),
        Imm::I16(x) => out.extend(x.to_le_bytes()),
        Imm::I32(x) => out.extend(x.to_le_bytes()),
    }
    fix.map(|at| RipFixup { at, end: out.len() })
}

/// True if an instruction cannot be encoded without EVEX.
pub fn needs_evex(i: &Ready) -> bool {
    if matches!(i.code.enc, Enc::Legacy | Enc::LegacyReg | Enc::Vex) {
        return false;
    }
    // Shifts by an immediate take memory operands only with EVEX.
    let memory = matches!(i.rm, RegMem::Mem(_)) && i.code.digit.is_some();
    let rm = memory || i.code.enc == Enc::Evex || matches!(i.rm, RegMem::Reg(r) if r > 15);
    i.len > 1 || i.k != 0 || i.bcast || i.round.is_some() || i.reg > 15 || i.v.is_some_and(|v| v > 15) || rm
}

/// True if the encoding has no way to name the registers: only EVEX ones name vector registers from 16 on.
pub fn is_out_of_reach(i: &Ready) -> bool {
    let high = i.reg > 15 || i.v.is_some_and(|v| v > 15) || matches!(i.rm, RegMem::Reg(r) if r > 15);
    i.code.enc == Enc::Vex && high
}

/// Bits 3 of index and base (or of the register).
fn high_bits(i: &Ready) -> (u8, u8) {
    match i.rm {
        RegMem::None => (0, 0),
        RegMem::Reg(r) => (0, r >> 3 & 1),
        RegMem::Mem(m) => (m.index.unwrap_or(0) >> 3 & 1, m.base.unwrap_or(0) >> 3 & 1),
    }
}

fn legacy(out: &mut Vec<u8>, i: &Ready) -> Option<usize> {
    let code = &i.code;
    if i.lock {
        out.push(0xf0);
    }
    if i.size == 2 {
        out.push(0x66);
    }
    match code.pp {
        1 => out.push(0x66),
        2 => out.push(0xf3),
        3 => out.push(0xf2),
        _ => {}
    }
    let reg = code.digit.unwrap_or(i.reg);
    let (x, b) = high_bits(i);
    let mut rex = u8::from(i.size == 8) << 3 | (reg >> 3 & 1) << 2 | x << 1 | b;
    // spl, bpl, sil, dil need a REX prefix; it changes nothing for the others.
    let low_byte = |r: u8| (4..8).contains(&r);
    let byte_rm = matches!(i.rm, RegMem::Reg(r) if low_byte(r));
    let byte_source = code.map == 1 && matches!(code.op, 0xb6 | 0xbe);
    if (i.size == 1 && ((code.digit.is_none() && low_byte(reg)) || byte_rm)) || (byte_source && byte_rm) {
        rex |= 0x40;
    }
    if rex != 0 {
        out.push(0x40 | rex);
    }
    match code.map {
        0 => {}
        1 => out.push(0x0f),
        2 => out.extend([0x0f, 0x38]),
        _ => out.extend([0x0f, 0x3a]),
    }
    let op = if code.byte && i.size == 1 { code.op - 1 } else { code.op };
    if code.enc == Enc::LegacyReg {
        if let RegMem::Reg(r) = i.rm {
            out.push(op | r & 7);
        }
        return None;
    }
    out.push(op);
    if i.rm == RegMem::None {
        return None;
    }
    modrm(out, reg, &i.rm, 1)
}

fn vex(out: &mut Vec<u8>, i: &Ready) -> Option<usize> {
    let code = &i.code;
    let reg = code.digit.unwrap_or(i.reg);
    let (x, b) = high_bits(i);
    let w = match code.enc {
        Enc::BothWig => false,
        _ => code.w || i.size == 8,
    };
    let v = i.v.unwrap_or(0);
    let len = if code.l1 { 1 } else { i.len };
    let last = (!v & 15) << 3 | len << 2 | code.pp;
    let r = reg >> 3 & 1;
    if code.map == 1 && !w && x == 0 && b == 0 {
        out.extend([0xc5, (r ^ 1) << 7 | last]);
    } else {
        out.extend([0xc4, (r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | code.map, u8::from(w) << 7 | last]);
    }
    out.push(code.op);
    if i.rm == RegMem::None {
        return None;
    }
    modrm(out, reg, &i.rm, 1)
}

fn evex(out: &mut Vec<u8>, i: &Ready) -> Option<usize> {
    let code = &i.code;
    let reg = code.digit.unwrap_or(i.reg);
    let mut v = i.v.unwrap_or(0);
    let (mut x, b) = high_bits(i);
    match i.rm {
        RegMem::Reg(r) => x = r >> 4 & 1,
        RegMem::Mem(m) if i.vsib => v = m.index.unwrap_or(0) & 16,
        _ => {}
    }
    let rounds = i.round.is_some();
    let len = i.round.unwrap_or(i.len);
    let w = code.w || i.size == 8;
    let bit = |n: u8, at: u8| (n & 1 ^ 1) << at;
    out.extend([
        0x62,
        bit(reg >> 3, 7) | bit(x, 6) | bit(b, 5) | bit(reg >> 4, 4) | code.map,
        u8::from(w) << 7 | (!v & 15) << 3 | 4 | code.pp,
        u8::from(i.zero) << 7 | len << 5 | u8::from(i.bcast || rounds) << 4 | bit(v >> 4, 3) | i.k,
        code.op,
    ]);
    let unit = if let RegMem::Mem(m) = i.rm { i32::from(m.bytes) } else { 1 };
    modrm(out, reg, &i.rm, unit)
}

/// ModRM, SIB and displacement; `unit` is the step of a one-byte displacement.
fn modrm(out: &mut Vec<u8>, reg: u8, rm: &RegMem, unit: i32) -> Option<usize> {
    let reg = (reg & 7) << 3;
    let m = match rm {
        RegMem::None => return None,
        RegMem::Reg(r) => {
            out.push(0xc0 | reg | r & 7);
            return None;
        }
        RegMem::Mem(m) => m,
    };
    if m.rip {
        out.push(reg | 5);
        let at = out.len();
        out.extend(m.disp.to_le_bytes());
        return Some(at);
    }
    let scale = m.scale.max(1).trailing_zeros() as u8;
    let Some(base) = m.base else {
        out.extend([reg | 4, scale << 6 | (m.index.unwrap_or(4) & 7) << 3 | 5]);
        out.extend(m.disp.to_le_bytes());
        return None;
    };
    let short = (unit > 0 && m.disp % unit == 0).then(|| m.disp / unit).and_then(|d| i8::try_from(d).ok());
    let mode = match (m.disp, short) {
        (0, _) if base & 7 != 5 => 0,
        (_, Some(_)) => 0x40,
        _ => 0x80,
    };
    match m.index {
        Some(index) => out.extend([mode | reg | 4, scale << 6 | (index & 7) << 3 | base & 7]),
        None if base & 7 == 4 => out.extend([mode | reg | 4, 0x24]),
        None => out.push(mode | reg | base & 7),
    }
    match (mode, short) {
        (0x40, Some(d)) => out.push(d as u8),
        (0x80, _) => out.extend(m.disp.to_le_bytes()),
        _ => {}
    }
    None
}
