//! Listings of machine code: one line per instruction, Intel's syntax, the bytes in front.

use super::code;
use super::encode::{Address, Enc, Imm, Ready, RegMem};
use std::fmt::Write as _;

const NAMES_64: [&str; 8] = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"];
const NAMES_8: [&str; 8] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"];

/// The name of a general register of this many bytes.
pub fn gpr_name(n: u8, size: u8) -> String {
    if n > 7 {
        let suffix = match size {
            1 => "b",
            2 => "w",
            4 => "d",
            _ => "",
        };
        return format!("r{n}{suffix}");
    }
    let full = NAMES_64[n as usize];
    match size {
        1 => NAMES_8[n as usize].to_owned(),
        2 => full[1..].to_owned(),
        4 => format!("e{}", &full[1..]),
        _ => full.to_owned(),
    }
}

/// A line for bytes whose text is known.
pub fn raw(start: usize, bytes: &[u8], text: &str) -> String {
    let mut line = format!("  {start:5x}  ");
    bytes.iter().for_each(|b| {
        let _ = write!(line, "{b:02x}");
    });
    let width = 30;
    format!("{line:<width$}  {text}")
}

/// A line for an encoded instruction.
pub fn line(start: usize, bytes: &[u8], i: &Ready) -> String {
    raw(start, bytes, &text(i))
}

fn vector_name(n: u8, len: u8) -> String {
    format!("{}{n}", ["xmm", "ymm", "zmm"][len.min(2) as usize])
}

/// The text of an instruction. The kinds of its registers follow from its row: a few rows mix kinds.
fn text(i: &Ready) -> String {
    let name = i.code.name;
    let masks = name.starts_with('k');
    let bmi = i.code.enc == Enc::Vex && !masks && !name.starts_with('v');
    let general = matches!(i.code.enc, Enc::Legacy | Enc::LegacyReg) || bmi;
    let scalar = name.ends_with("ss") || name.ends_with("sd");
    let len = if i.round.is_some() && !scalar { 2 } else { i.len };
    let vector = |n: u8| vector_name(n, len);
    let mask = |n: u8| format!("k{n}");
    let gpr = |n: u8| gpr_name(n, i.size);
    let reg = |n: u8| match () {
        () if name.starts_with("kmov") && i.code.op == 0x93 => gpr_name(n, if i.code.w { 8 } else { 4 }),
        () if masks || code::to_mask(&i.code) => mask(n),
        () if code::to_gpr(&i.code) => gpr_name(n, i.size.max(4)),
        () if general => gpr(n),
        () => vector(n),
    };
    let rm = |n: u8| match () {
        () if name.starts_with("kmov") && i.code.op == 0x92 => gpr_name(n, if i.code.w { 8 } else { 4 }),
        () if masks || name.starts_with("vpmovm2") => mask(n),
        () if code::gpr_source(&i.code) => gpr_name(n, if i.code.w || i.size == 8 { 8 } else { 4 }),
        () if matches!(name, "movzx" | "movsx") => gpr_name(n, if i.code.op & 1 == 0 { 1 } else { 2 }),
        () if name == "movsxd" => gpr_name(n, 4),
        () if general => gpr(n),
        () => vector(n),
    };
    let mut operands: Vec<String> = Vec::new();
    if i.code.digit.is_none() && i.code.enc != Enc::LegacyReg {
        operands.push(reg(i.reg));
    }
    if let Some(v) = i.v {
        operands.push(if masks || bmi { reg(v) } else { vector(v) });
    }
    match i.rm {
        RegMem::None => {}
        RegMem::Reg(r) => operands.push(rm(r)),
        RegMem::Mem(m) => operands.push(memory(&m, i)),
    }
    if is_store(i) {
        operands.reverse();
    } else if i.vsib && i.v.is_some() {
        // A gather without mask registers names its mask last.
        operands.swap(1, 2);
    } else if bmi && operands.len() == 3 && i.code.op == 0xf7 {
        // Shifts name the amount last.
        operands.swap(1, 2);
    }
    if i.code.is4 {
        operands.push(vector(i.k));
    } else if i.k != 0
        && let Some(first) = operands.first_mut()
    {
        let _ = write!(first, "{{k{}}}{}", i.k, if i.zero { "{z}" } else { "" });
    }
    if let Some(round) = i.round {
        operands.push(["{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"][round as usize & 3].to_owned());
    }
    match i.imm {
        Imm::None => {}
        Imm::I8(x) => operands.push(x.to_string()),
        Imm::I16(x) => operands.push(x.to_string()),
        Imm::I32(x) => operands.push(x.to_string()),
    }
    if i.code.enc == Enc::Legacy && i.code.map == 0 && matches!(i.code.op, 0xd2 | 0xd3) {
        operands.push("cl".to_owned());
    }
    let lock = if i.lock { "lock " } else { "" };
    format!("{lock}{name} {}", operands.join(", "))
}

/// True if the first operand in the text is the one that may be in memory.
fn is_store(i: &Ready) -> bool {
    match i.code.enc {
        Enc::Legacy => matches!(
            (i.code.map, i.code.op),
            (0, 0x01 | 0x09 | 0x21 | 0x29 | 0x31 | 0x85 | 0x87 | 0x89) | (1, 0xb1 | 0xc1)
        ),
        Enc::LegacyReg => false,
        _ => code::is_store(&i.code),
    }
}

/// How many lanes an element of memory goes to, if it is one for all.
fn spread(m: &Address, i: &Ready) -> String {
    match i.bcast {
        true => format!("{{1to{}}}", (16u32 << i.len) / u32::from(m.bytes.max(1))),
        false => String::new(),
    }
}

fn memory(m: &Address, i: &Ready) -> String {
    if m.rip {
        return format!("[constants + {:#x}]{}", m.disp, spread(m, i));
    }
    let mut terms: Vec<String> = m.base.iter().map(|&b| gpr_name(b, 8)).collect();
    if let Some(index) = m.index {
        let name = if i.vsib { vector_name(index, i.len) } else { gpr_name(index, 8) };
        terms.push(if m.scale > 1 { format!("{name}*{}", m.scale) } else { name });
    }
    let mut text = terms.join(" + ");
    if m.disp != 0 || text.is_empty() {
        let sign = if m.disp < 0 { " - " } else { " + " };
        let _ = write!(text, "{sign}{:#x}", m.disp.unsigned_abs());
    }
    format!("[{text}]{}", spread(m, i))
}
