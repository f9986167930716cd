//! `CLIFT_CHECK=barriers` on the kernels of `kernels-test/checked`, alone and with all other kinds.

#[path = "common/checked.rs"]
mod checked;

use checked::{WAYS, check, run};

#[test]
fn work_items_that_part_are_reported_where_they_do_and_nothing_else() {
    check("barriers.cl", "barriers", 10);
}

#[test]
fn they_are_reported_with_all_other_checks_too() {
    check("barriers.cl", "all", 10);
    check("sub_groups.cl", "all", 10);
    check("events.cl", "all", 10);
}

#[test]
fn work_items_of_sub_groups_that_part_are_reported() {
    check("sub_groups.cl", "barriers", 10);
}

#[test]
fn copies_that_nothing_waits_for_are_reported_and_nothing_else() {
    check("events.cl", "barriers", 10);
}

#[test]
fn work_items_that_parted_go_on_with_what_is_their_own() {
    let args = ["--global", "16", "--local", "16", "--options=-cl-std=CL3.0"].map(str::to_owned);
    for (kernel, more, expected) in [
        ("spoilt_contexts", &["print:i32:16", "zero:512"][..], ["36"; 16].join(" ")),
        ("some_break", &["print:i32:16"], [["106"; 8].join(" "), ["101"; 8].join(" ")].join(" ")),
        ("trip_counts", &["print:i32:16"], "0 0 0 0 1 1 1 1 3 3 3 3 6 6 6 6".to_owned()),
    ] {
        let args: Vec<String> = args.iter().cloned().chain(more.iter().map(|&arg| arg.to_owned())).collect();
        for way in WAYS.into_iter().chain([&[("CLIFT_FORCE", "resume")][..]]) {
            let output = run("barriers.cl", "barriers", kernel, &args, way);
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(text.trim(), expected, "{kernel} {way:?}");
        }
    }
}
