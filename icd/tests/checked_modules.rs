//! `CLIFT_CHECK` on kernels as SPIR-V: the modules of `kernels-test/checked` give the reports of their sources, but for
//! what a pragma excepts.

#[path = "common/checked.rs"]
mod checked;

use checked::{WAYS, check_module, run};
use std::fs;

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
    check_module("values.cl", "values", 7, &[]);
    // A compiler may make conversions ahead of the branch that guards them.
    let conversions = ["out_of_int", "not_a_number", "below_zero", "out_of_bytes"];
    check_module("private.cl", "values", 10, &[&conversions[..], &["marked"]].concat());
}

#[test]
fn formats_and_nans_are_reported() {
    check_module("printf.cl", "values", 9, &["left_alone"]);
    check_module("nans.cl", "nans", 10, &[]);
}

/// Compilers leave names out by default.
#[test]
fn variables_without_names_are_known_by_number() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked/private.spv");
    let bytes = fs::read(source).expect("the module");
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut kept, mut rest) = (words[..5].to_vec(), &words[5..]);
    while let Some(&first) = rest.first() {
        const OP_NAME: u32 = 5;
        let (inst, behind) = rest.split_at((first >> 16) as usize);
        kept.extend(inst.iter().filter(|_| first & 0xffff != OP_NAME));
        rest = behind;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("private.spv");
    fs::write(&file, kept.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()).expect("it can be written");
    let args = ["--global", "64", "--local", "64", "print:i32:64"].map(str::to_owned);
    for (kernel, reports) in [("some_write", true), ("all_write", false), ("same_condition", false)] {
        let output = run(file.to_str().expect("a name"), "values", kernel, &args, WAYS[0]);
        let said = String::from_utf8_lossy(&output.stderr);
        let is_found = said.contains("check: value: read of the private variable `%");
        assert!(output.status.success() && is_found == reports, "{kernel}: {said}");
    }
}
