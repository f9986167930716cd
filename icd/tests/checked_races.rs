//! `CLIFT_CHECK=races` and `values` on the kernels of `kernels-test/checked`: what `clift run` reports of each, in
//! scalar code and in lanes, by one thread and by several.

#[path = "common/checked.rs"]
mod checked;

use checked::check;

#[test]
fn races_are_reported_where_they_are_and_nothing_else() {
    check("races.cl", "races", 10);
}

#[test]
fn reads_of_what_nobody_wrote_are_reported_and_nothing_else() {
    check("values.cl", "values", 7);
}

#[test]
fn reads_of_private_variables_and_divisions_without_a_result_are_reported() {
    check("private.cl", "values", 10);
}
