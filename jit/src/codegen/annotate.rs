//! Source lines with the machine instructions that have become of them, for `clift build --annotate`. Must not know how
//! texts are shown.

use super::{Backend, Compiled, Effort, LineTable, available, disassembly, dump, generate, line_tables};
use crate::error::CodeError;
use crate::ir::{Func, Module};
use crate::places::Frame;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A line of a source and its machine code.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    /// File as the source names it.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// The source's line.
    pub text: String,
    /// Work-items or components side by side in the widest vectors of the line; 1 for scalars.
    pub lanes: u8,
    /// Bytes of machine code.
    pub bytes: u32,
    /// Instructions in the order of their offsets: function, offset, and bytes and text as listings have them. None of
    /// code that Cranelift made for AArch64.
    pub code: Vec<(String, u32, String)>,
}

/// File and line.
type Key = (String, u32);

/// The lines of `root` and its callees that have machine code, by file and line. What bodies of the built-in library
/// become counts for the line that calls them.
///
/// # Errors
/// As `compile`.
pub fn annotate(backend: Backend, module: &Module, root: &Func) -> Result<Vec<Annotated>, CodeError> {
    let target = available(backend)?;
    let (legal, mut functions) = dump::with_texts(|| generate(backend, target, module, root, Effort::default()))?;
    let mut lines: BTreeMap<Key, Annotated> = BTreeMap::new();
    let tables = line_tables(module, &legal, &mut functions);
    for (table, function) in tables.iter().zip(&functions) {
        count(&mut lines, table);
        for (at, text) in instructions(backend, function) {
            if let Some(line) = user_frame(table.frames(at)).and_then(|frame| lines.get_mut(&key(frame))) {
                line.code.push((table.function.clone(), at, text));
            }
        }
    }
    for (_, inst) in root.live_insts() {
        let data = &root.insts[inst];
        let values = data.args.iter().copied().chain(data.result);
        let lanes = values.map(|v| root.ty(v).lanes).max().unwrap_or(1);
        let frames = module.frames(root, data.origin);
        if let Some(line) = user_frame(&frames).and_then(|frame| lines.get_mut(&key(frame))) {
            line.lanes = line.lanes.max(lanes);
        }
    }
    Ok(lines.into_values().collect())
}

/// Adds the lines of a table, with their bytes.
fn count(lines: &mut BTreeMap<Key, Annotated>, table: &LineTable) {
    let ends = table.rows.iter().skip(1).map(|&(at, _)| at).chain([table.len]);
    for (&(start, chain), end) in table.rows.iter().zip(ends) {
        let Some(frame) = user_frame(&table.chains[chain as usize]) else { continue };
        let line = lines.entry(key(frame)).or_insert_with(|| Annotated {
            file: frame.file.clone(),
            line: frame.line,
            text: frame.text.clone().unwrap_or_default(),
            lanes: 1,
            ..Annotated::default()
        });
        line.bytes += end - start;
    }
}

fn user_frame(frames: &[Frame]) -> Option<&Frame> {
    frames.iter().find(|frame| !frame.is_library && frame.line > 0)
}

fn key(frame: &Frame) -> Key {
    (frame.file.clone(), frame.line)
}

/// Offsets of a function's instructions, with their bytes and texts.
fn instructions(backend: Backend, function: &Compiled) -> Vec<(u32, String)> {
    match backend {
        Backend::Cranelift if cfg!(target_arch = "x86_64") => disassembly::instructions(function),
        _ => function.asm.as_deref().map(linked).unwrap_or_default(),
    }
}

/// Instructions of a listing, where jumps lead to offsets instead of labels.
fn linked(listing: &str) -> Vec<(u32, String)> {
    let mut labels: FxHashMap<&str, u32> = FxHashMap::default();
    let mut new: Vec<&str> = Vec::new();
    for line in listing.lines() {
        match (line.strip_suffix(':'), listed(line)) {
            (Some(label), _) => new.push(label),
            (None, Some((at, _))) => labels.extend(new.drain(..).map(|label| (label, at))),
            _ => {}
        }
    }
    let link = |(at, text): (u32, &str)| {
        let jump = text.rsplit_once(' ').and_then(|(head, label)| Some((head, *labels.get(label)?)));
        let Some((head, to)) = jump else { return (at, text.to_owned()) };
        let (bytes, mnemonic) = head.split_once(' ').unwrap_or((head, ""));
        // The distance is the last four bytes.
        let distance = to.wrapping_sub(at + bytes.len() as u32 / 2);
        let opcode = &bytes[..bytes.len().saturating_sub(8)];
        (at, format!("{opcode}{:08x} {mnemonic} {to:#x}", distance.swap_bytes()))
    };
    listing.lines().filter_map(listed).map(link).collect()
}

/// The offset of a listing's line, and the rest of it; nothing for labels, and for listings without offsets.
fn listed(line: &str) -> Option<(u32, &str)> {
    let (at, rest) = line.strip_prefix("  ")?.trim_start().split_once("  ")?;
    Some((u32::from_str_radix(at, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::{linked, listed};

    #[test]
    fn lines_of_listings_have_offsets() {
        assert_eq!(
            listed("     1a  c3                            ret"),
            Some((0x1a, "c3                            ret"))
        );
        assert_eq!(listed("b3:"), None);
        assert_eq!(listed("  movq %rsp, %rbp"), None);
    }

    #[test]
    fn jumps_have_offsets() {
        let listing =
            "      0  0f8d00000000            jge b2\n      6  90  nop\nb1:\nb2:\n      7  e900000000  jmp b2\n";
        let texts = ["0f8d01000000            jge 0x7", "90  nop", "e9fbffffff  jmp 0x7"];
        assert_eq!(linked(listing).iter().map(|(_, text)| text).collect::<Vec<_>>(), texts.iter().collect::<Vec<_>>());
    }
}
