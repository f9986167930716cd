//! `CLIFT_CHECK=races`, `values`, `nans` and `shifts` on the kernels of `kernels-test/checked`: what `clift run`
//! reports of each, in scalar code and in lanes, by one thread and by several.

#[path = "common/checked.rs"]
mod checked;

use checked::{Way, check, run};

#[test]
fn races_are_reported_where_they_are_and_nothing_else() {
    check("races.cl", "races", 10);
}

#[test]
fn benign_races_can_be_left_out_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules.txt");
    std::fs::write(&rules, "benign:*\n").expect("it can be written");
    let rules = rules.to_string_lossy();
    let args = ["--global", "64", "--local", "64", "print:i32:64"].map(str::to_owned);
    for (kernel, is_benign) in [("one_value_by_all", true), ("local_without_barrier", false)] {
        let output = run("races.cl", "races", kernel, &args, &[("CLIFT_CHECK_SUPPRESS", &rules)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{kernel}: {said}");
        let is_left_out = said.starts_with("clift: check: 0 reports, ") && said.ends_with(" suppressed\n");
        assert_eq!(is_left_out, is_benign, "{kernel}: {said}");
        assert_eq!(said.contains(": check: race: "), !is_benign, "{kernel}: {said}");
    }
}

/// Each element of a word is that of a work-item of one group, but for one that another group writes, too.
#[test]
fn groups_that_write_a_part_of_a_word_are_found_in_lanes() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = |name: &str, element: &str| {
        format!(
            "kernel void {name}(global {element} *a) {{ int g = get_global_id(0); a[g] = 1; if (g == 3) a[67] = 4; }}\n"
        )
    };
    let text = kernel("shorts", "ushort") + &kernel("chars", "uchar");
    std::fs::write(folder.path().join("parts.cl"), text).expect("it can be written");
    for name in ["shorts", "chars"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_clift"));
        command
            .current_dir(folder.path())
            .args(["run", "parts.cl", name, "--global", "128", "--local", "64", "zero:256"]);
        command.env("CLIFT_CHECK", "races").env("CLIFT_ISA", "v128").env("CLIFT_FORCE", "width=8");
        let output = command.env("CLIFT_THREADS", "1").env_remove("CLIFT_CHECK_LOG").output().expect("the tool starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("races with a write by a work-item of another work-group"), "{name}: {said}");
    }
}

#[test]
fn reads_of_what_nobody_wrote_are_reported_and_nothing_else() {
    check("values.cl", "values", 10);
}

#[test]
fn reads_of_private_variables_and_divisions_without_a_result_are_reported() {
    check("private.cl", "values", 10);
    check("parts.cl", "values", 10);
    check("turns.cl", "values", 3);
}

#[test]
fn formats_that_do_not_fit_their_arguments_are_reported() {
    check("printf.cl", "values", 10);
}

#[test]
fn shifts_beyond_the_width_are_reported() {
    check("shifts.cl", "values", 10);
}

#[test]
fn shifts_are_notes_and_no_mistakes() {
    let args = ["--global", "64", "--local", "64", "print:i32:64"].map(str::to_owned);
    for kinds in ["values", "all", "shifts"] {
        let output = run("shifts.cl", kinds, "by_the_width", &args, &[("CLIFT_CHECK_ABORT", "1")]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{kinds}: {}: {said}", output.status);
        assert!(said.contains(":7:12: check: value: note: shift of 32 bits by 32\n"), "{kinds}: {said}");
        assert!(said.ends_with("\nclift: check: 0 reports, 1 note\n"), "{kinds}: {said}");
    }
    let json: Way = &[("CLIFT_CHECK_LOG", "json:-")];
    let output = run("shifts.cl", "values", "by_the_width", &args, json);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("\"kind\":\"value\",\"note\":true,\"message\":\"shift of"), "{said}");
    assert!(said.contains("\"reports\":0,\"found\":0,\"notes\":1,"), "{said}");
}

/// `clift check` tells of notes, and its code is that of the program.
#[test]
fn notes_do_not_count_and_may_be_suppressed() {
    let clift = env!("CARGO_BIN_EXE_clift");
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules.txt");
    std::fs::write(&rules, "value:by_the_width:shifts.cl:7\n").expect("it can be written");
    let check = |suppress: bool| {
        let mut command = std::process::Command::new(clift);
        command.current_dir(checked::FOLDER).args(["check", "--direct"]);
        command.args(suppress.then(|| format!("--suppress={}", rules.display())));
        command.args([clift, "run", "shifts.cl", "by_the_width", "--global", "64", "--local", "64", "print:i32:64"]);
        let output = command.env_remove("CLIFT_CHECK_LOG").output().expect("the tool starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = check(false);
    assert!(code == Some(0) && said.ends_with("\nclift: check: no reports; 1 note\n"), "{code:?}: {said}");
    assert_eq!(check(true), (Some(0), "clift: check: no reports\n".to_owned()));
}

#[test]
fn numbers_that_become_nan_are_reported() {
    check("nans.cl", "nans", 10);
}
