//! `CLIFT_CHECK` on kernels as SPIR-V: the modules of `kernels-test/checked` give the reports of their sources, but for
//! what a pragma excepts.

#[path = "common/checked.rs"]
mod checked;

use checked::{WAYS, check_module, run};
use std::fs;
use std::path::Path;

#[test]
fn races_are_reported() {
    check_module("races.cl", "races", 10, &["not_to_be_checked"]);
}

#[test]
fn barriers_that_not_all_reach_are_reported() {
    check_module("barriers.cl", "barriers", 10, &["marked"]);
    check_module("sub_groups.cl", "barriers", 10, &["marked"]);
}

#[test]
fn copies_that_nothing_waits_for_are_reported() {
    check_module("events.cl", "barriers", 10, &[]);
}

#[test]
fn reads_of_what_nobody_wrote_are_reported() {
    check_module("values.cl", "values", 10, &[]);
    // A compiler may make conversions ahead of the branch that guards them.
    let conversions = ["out_of_int", "not_a_number", "below_zero", "out_of_bytes"];
    check_module("private.cl", "values", 10, &[&conversions[..], &["marked"]].concat());
    check_module("parts.cl", "values", 10, &[]);
}

#[test]
fn formats_and_nans_are_reported() {
    check_module("printf.cl", "values", 10, &["left_alone"]);
    check_module("nans.cl", "nans", 10, &[]);
}

/// Writes a module like private.spv, of whose instructions `change` makes others.
fn write_changed(file: &Path, mut change: impl FnMut(&[u32], &mut Vec<u32>)) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked/private.spv");
    let bytes = fs::read(source).expect("the module");
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut kept, mut rest) = (words[..5].to_vec(), &words[5..]);
    while let Some(&first) = rest.first() {
        let (inst, behind) = rest.split_at((first >> 16) as usize);
        change(inst, &mut kept);
        rest = behind;
    }
    fs::write(file, kept.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()).expect("it can be written");
}

/// A module that has its source shows its lines.
#[test]
fn lines_of_embedded_sources_are_shown() {
    const OP_SOURCE: u32 = 3;
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked/private.cl"));
    let mut text = text.expect("the source").into_bytes();
    text.resize(text.len() / 4 * 4 + 4, 0);
    let text: Vec<u32> = text.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("private.spv");
    let name = file.to_str().expect("a name");
    let args = ["--global", "64", "--local", "64", "print:i32:64"].map(str::to_owned);
    for is_embedded in [false, true] {
        let mut path = 0;
        write_changed(&file, |inst, kept| {
            const OP_STRING: u32 = 7;
            let op = inst[0] & 0xffff;
            if op == OP_STRING && inst[2] == u32::from_le_bytes(*b"priv") {
                path = inst[1];
            }
            if op != OP_SOURCE || !is_embedded {
                return kept.extend(inst);
            }
            kept.extend([(4 + text.len() as u32) << 16 | OP_SOURCE, inst[1], inst[2], path]);
            kept.extend(&text);
        });
        let output = run(name, "values", "some_write", &args, WAYS[0]);
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.lines().collect();
        let is_shown = lines.iter().any(|line| line.contains(" | ") && line.contains("// value"))
            && lines.iter().any(|line| line.trim_start().starts_with('|') && line.trim_end().ends_with('^'));
        assert!(output.status.success() && is_shown == is_embedded, "{said}");
    }
}

/// Compilers leave names out by default.
#[test]
fn variables_without_names_are_known_by_number() {
    const OP_NAME: u32 = 5;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("private.spv");
    write_changed(&file, |inst, kept| kept.extend(inst.iter().filter(|_| inst[0] & 0xffff != OP_NAME)));
    let args = ["--global", "64", "--local", "64", "print:i32:64"].map(str::to_owned);
    for (kernel, reports) in [("some_write", true), ("all_write", false), ("same_condition", false)] {
        let output = run(file.to_str().expect("a name"), "values", kernel, &args, WAYS[0]);
        let said = String::from_utf8_lossy(&output.stderr);
        let is_found = said.contains("check: value: read of the private variable `%");
        assert!(output.status.success() && is_found == reports, "{kernel}: {said}");
    }
}
