//! Kernels with mistakes, and near misses without (`kernels-test/checked`): what `clift run` reports of each with
//! checks, in scalar code and in lanes.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Values of `CLIFT_ISA` and `CLIFT_FORCE`.
const WAYS: [(&str, &str); 5] =
    [("scalar", ""), ("v128", "width=4"), ("avx2", "width=1"), ("avx2", "width=8"), ("", "")];

/// What a line says that is found there: column, x of the global id, message.
struct Expected {
    line: usize,
    column: String,
    id: String,
    message: String,
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked"))
}

fn expected(line: usize, text: &str) -> Option<Expected> {
    let (place, message) = text.split_once("// FIND ")?.1.split_once(": ")?;
    let (column, id) = place.split_once(' ')?;
    let [column, id, message] = [column, id, message].map(str::to_owned);
    Some(Expected { line, column, id, message })
}

/// Kernels with how they are run and what is to be found in each: in the lines from its `RUN` up to the next one, or,
/// if its name does not end in `_not` and there is nothing, in those of the function in front of it.
fn cases(source: &str) -> Vec<(Vec<&str>, Option<Expected>)> {
    let mut cases: Vec<(Vec<&str>, Option<Expected>)> = Vec::new();
    let mut in_front = None;
    for (n, text) in (1..).zip(source.lines()) {
        if let Some(run) = text.strip_prefix("// RUN ") {
            let run: Vec<&str> = run.split_whitespace().collect();
            let has_mistake = !run[0].ends_with("_not");
            cases.push((run, if has_mistake { in_front.take() } else { None }));
        }
        if let Some(found) = expected(n, text) {
            match cases.last_mut() {
                Some((run, of)) if of.is_none() && !run[0].ends_with("_not") => *of = Some(found),
                _ => in_front = Some(found),
            }
        }
    }
    cases
}

#[test]
fn mistakes_are_found_where_they_are_and_nothing_else() {
    check("memory.cl", &WAYS, &[]);
}

/// What a compiler made of the same kernels (`kernels-test/docs/testing.md`), but for those that it cannot translate,
/// and indices of arrays within objects: a pointer of SPIR-V has the bounds of its object.
#[test]
fn mistakes_in_modules_are_found() {
    let not_translated = ["stored_constants", "stored_constants_not", "no_elements_not"];
    let not_told = ["member", "member_store", "row_of_array", "row_of_tile"];
    check("memory.spv", &WAYS[..3], &[&not_translated[..], &not_told].concat());
}

/// Functions of the library that stay calls, as they have more than one, run as they do without checks.
#[test]
fn images_are_read_at_two_places() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("twice.cl");
    let source = "kernel void twice(read_only image2d_t image, global uint *out, int n) {\n\
        const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n\
        uint4 x = read_imageui(image, s, (int2)(0, 1));\n\
        for (int i = 0; i < n; i++) x += read_imageui(image, s, (int2)(i, 2));\n\
        out[get_global_id(0)] = x.x + 1;\n}\n";
    fs::write(&file, source).expect("the folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
    command.env("CLIFT_CHECK", "all").env("CLIFT_CACHE", "off").args(["run", "--global", "2"]).arg(&file);
    let output = command.args(["twice", "image:u8:8,8", "print:u32:2", "i32:3"]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 1"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Also if a function gets it by another name.
#[test]
fn an_access_outside_of_an_image_names_the_argument() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("outside.cl");
    let source = "uint4 get(read_only image2d_t any, int2 at) { return read_imageui(any, at); }\n\
        kernel void outside(read_only image2d_t small, read_only image2d_t large, global uint *out) {\n\
        int i = get_global_id(0);\n\
        out[i] = get(large, (int2)(i, 3)).x + get(small, (int2)(0, 0)).x;\n}\n";
    fs::write(&file, source).expect("the folder can be written");
    for isa in ["scalar", "avx2"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
        command.env("CLIFT_CHECK", "memory").env("CLIFT_ISA", isa).args(["run", "--global", "16"]).arg(&file);
        let args = ["outside", "image:u8:4,4", "image:u8:8,8", "print:u32:16"];
        let output = command.args(args).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let wanted = ["read at (8, 3), outside of `any` of 8 × 8 texels", "  object: `large`, image 2 of 256 bytes"];
        assert!(output.status.success() && wanted.iter().all(|text| said.contains(text)), "{said}");
    }
}

/// Vectors of a type whose `typedef` says so may lie anywhere.
#[test]
fn a_typedef_may_take_alignment_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("anywhere.cl");
    for (alignment, reports) in [("__attribute__((aligned(4)))", "0 reports"), ("", "1 report, found 4 times")] {
        let source = format!(
            "typedef int4 anywhere {alignment};\n\
            kernel void put(global int *a) {{ *(global anywhere *)(a + 4 * get_global_id(0) + 1) = 1; }}\n"
        );
        fs::write(&file, source).expect("the folder can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
        command.env("CLIFT_CHECK", "memory").args(["run", "--global", "4"]).arg(&file);
        let output = command.args(["put", "print:i32:20"]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains(reports), "{said}");
    }
}

fn check(program: &str, ways: &[(&str, &str)], not_told: &[&str]) {
    let source = fs::read_to_string(folder().join("memory.cl")).expect("kernels");
    let mut cases = cases(&source);
    cases.retain(|case| !not_told.contains(&case.0[0]));
    let [wrong, right] = [false, true].map(|right| cases.iter().filter(|case| case.1.is_none() == right).count());
    assert!(wrong >= 10 && right >= 10, "{wrong} mistakes, {right} near misses");
    let mut all = String::new();
    for (isa, force) in ways {
        for (run, expected) in &cases {
            let (options, args): (Vec<&str>, Vec<&str>) = run[1..].iter().partition(|arg| arg.starts_with("--"));
            let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
            command.current_dir(folder()).arg("run").args(options).args([program, run[0]]).args(args);
            // Of two groups that run side by side either may be the first.
            command.env("CLIFT_CHECK", "memory").env("CLIFT_FORCE", force).env_remove("CLIFT_CHECK_LOG");
            command.env("CLIFT_THREADS", "1");
            if !isa.is_empty() {
                command.env("CLIFT_ISA", isa);
            }
            let output = command.output().expect("the tool starts");
            // As the compiler calls variables.
            let text = String::from_utf8_lossy(&output.stderr).replace(&format!("`{}.", run[0]), "`");
            let text = text.replace(".addr`", "`");
            let is_right = output.status.success()
                && match expected {
                    Some(expected) => is_reported(&text, expected, program == "memory.cl"),
                    None => !text.contains("check: memory"),
                };
            if !is_right {
                _ = writeln!(all, "{} of {program} with `{isa}` `{force}`:\n{text}", run[0]);
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// Whether this is what was expected and nothing else; modules may have other columns.
fn is_reported(text: &str, expected: &Expected, has_columns: bool) -> bool {
    let Expected { line, column, id, message } = expected;
    let Some((place, said)) = text.split_once(": check: memory: ") else { return false };
    let is_place = match place.rsplit_once(':') {
        Some((before, at)) => before == format!("memory.cl:{line}") && (at == column || !has_columns),
        None => false,
    };
    is_place
        && message.split(" or ").any(|message| said.starts_with(&format!("{message}\n")))
        && text.contains(&format!("\n  work-item: global id ({id}, 0, 0), "))
        && text.contains("clift: check: 1 report")
}

/// Functions of the library are as they are without checks, whoever asks for these.
#[test]
fn the_process_and_the_options_ask_for_the_same_code() {
    let source = "kernel void i(read_only image1d_t a, sampler_t s, global int4 *b) {
            b[get_global_id(0)] = read_imagei(a, s, (int)get_global_id(0)); }
        kernel void f(read_only image2d_t a, sampler_t s, global float4 *b) {
            b[get_global_id(0)] = read_imagef(a, s, (float2)(get_global_id(0), 0.5f)); }
        kernel void w(write_only image2d_t a) { write_imagef(a, (int2)(get_global_id(0), 0), (float4)1); }
        kernel void m(global float *a, global half *b) {
            int i = get_global_id(0), n;
            a[i] = sin(a[i]) + remquo(a[i], 3.0f, &n) + vload_half(i, b) + n; }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("library.cl");
    std::fs::write(&file, source).expect("it can be written");
    let build = |asked: Option<&str>, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
        command.arg("build").arg(&file).args(["--emit", "asm", "--"]).args(options);
        command.env("CLIFT_CACHE", "off").env_remove("CLIFT_CHECK_LOG");
        asked.map(|kinds| command.env("CLIFT_CHECK", kinds));
        let Output { status, stdout, stderr } = command.output().expect("it runs");
        assert!(status.success(), "{asked:?} {options:?}: {}", String::from_utf8_lossy(&stderr));
        (stdout, stderr)
    };
    for kinds in ["memory", "races,barriers", "values", "all"] {
        let (by_process, said) = build(Some(kinds), &[]);
        assert_eq!(by_process, build(None, &[&format!("-clift-check={kinds}")]).0, "{kinds}");
        let said = String::from_utf8_lossy(&said);
        assert!(!by_process.is_empty() && !said.contains("not supported"), "{kinds}: {said}");
    }
}

#[test]
fn levels_that_there_are_not_are_named() {
    let source = "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
kernel void k(write_only image2d_t a, int level) { write_imagef(a, (int2)(get_global_id(0), 0), level, (float4)1); }";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("level.cl"), source).expect("it can be written");
    for (level, count) in [("i32:0", "0 reports"), ("i32:1", "1 report, found 4 times")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
        command.current_dir(folder.path()).args(["run", "level.cl", "k", "--global", "4", "image:f32:4,1", level]);
        command.env("CLIFT_CHECK", "memory").env_remove("CLIFT_CHECK_LOG");
        let said = String::from_utf8_lossy(&command.output().expect("it runs").stderr).into_owned();
        let is_named = said.contains("write at (0, 0) of a mip level that `a` does not have");
        assert_eq!(is_named, level == "i32:1", "{said}");
        assert!(said.contains(count), "{said}");
    }
}
