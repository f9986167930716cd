//! Instructions of x86-64 that Cranelift made, as `x64wide` lists its own: Cranelift's texts have no offsets. For
//! `clift build --annotate`. Must not know where instructions come from.

use super::image::Target;
use super::{Blob, Compiled};
use iced_x86::{Code, Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, MemorySizeOptions};
use std::fmt::Write as _;

/// Offsets of instructions, with their bytes and texts. What stands behind an indirect jump up to the next block is its
/// table.
pub(super) fn instructions(function: &Compiled) -> Vec<(u32, String)> {
    let code = &function.blob.code[..function.code_bytes as usize];
    let mut formatter = formatter();
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut listed = Vec::new();
    while decoder.can_decode() {
        let start = decoder.position();
        let inst: Instruction = decoder.decode();
        let mut text = String::new();
        formatter.format(&inst, &mut text);
        let end = decoder.position();
        text += &symbols(&function.blob, start, end);
        listed.push((start as u32, line(&code[start..end], &text)));
        if inst.code() == Code::Jmp_rm64 {
            let is_behind = |&block: &usize| block >= end;
            let next = function.blocks.iter().map(|&block| block as usize).find(is_behind).unwrap_or(code.len());
            if next > end {
                let text = format!("table of {} offsets", (next - end) / size_of::<u32>());
                listed.push((end as u32, line(&code[end..next], &text)));
            }
            if decoder.set_position(next).is_err() {
                break;
            }
            decoder.set_ip(next as u64);
        }
    }
    listed
}

/// The form of our own listings.
fn formatter() -> IntelFormatter {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_space_between_memory_add_operators(true);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_signed_immediate_operands(true);
    options.set_memory_size_options(MemorySizeOptions::Never);
    options.set_rip_relative_addresses(true);
    options.set_show_branch_size(false);
    options.set_branch_leading_zeros(false);
    formatter
}

/// What has no address yet in an instruction.
fn symbols(blob: &Blob, start: usize, end: usize) -> String {
    let mut text = String::new();
    for reloc in blob.relocs.iter().filter(|reloc| (start..end).contains(&reloc.offset)) {
        let _ = match reloc.target {
            Target::Blob(number) => write!(text, "  ; f{number}"),
            Target::Symbol(symbol) => write!(text, "  ; {symbol}"),
        };
    }
    text
}

fn line(bytes: &[u8], text: &str) -> String {
    let mut line = String::new();
    bytes.iter().for_each(|byte| _ = write!(line, "{byte:02x}"));
    line + "  " + text
}
