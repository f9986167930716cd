//! `CLIFT_CHECK` on kernels as SPIR-V: the modules of `kernels-test/checked` give the reports of their sources, but for
//! what a pragma excepts.

#[path = "common/checked.rs"]
mod checked;

use checked::check_module;

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
