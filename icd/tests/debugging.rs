//! Debuggers and profilers see kernels: gdb stops at lines of theirs and walks through their frames, and `perf`'s files
//! say what there is. Machines without gdb, or where `perf` may not record, skip their tests with a message.

#[path = "common/host.rs"]
mod host;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "float helper(float x) {
    float y = x * 2.0f;
    return y + sqrt(x);
}
kernel void scale(global float *a, float k, int n) {
    size_t i = get_global_id(0);
    float v = a[i];
    for (int j = 0; j < n; j++)
        v = helper(v) * k;
    a[i] = v;
}
";

const RUN: [&str; 9] = ["run", "k.cl", "scale", "--global", "64", "--local", "64", "--options", "-g -cl-opt-disable"];
const ARGS: [&str; 3] = ["zero:256", "f32:2", "i32:3"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.cl"), SOURCE).expect("it can be written");
    folder
}

/// The tool that runs the kernel.
fn tool() -> Command {
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(RUN).args(ARGS);
    clift
}

/// A C program that runs the kernel.
fn host(folder: &Path) -> Command {
    let program = folder.join("debugged");
    host::compile(&host::source("debugged.c"), &program, &host::library(), &["-g", "-O0"]);
    let mut host = Command::new(program);
    host.args(["k.cl", "scale"]);
    host
}

/// What gdb says to commands about a program that runs the kernel in its only thread; nothing without gdb.
fn gdb(folder: &Path, isa: &str, program: &Command, commands: &[&str]) -> Option<String> {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-q", "-batch", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off"]);
    // Its own, with which it stops threads: on a busy machine it may come late, and be taken for the program's.
    gdb.args(["-ex", "handle SIGSTOP nostop noprint nopass"]);
    commands.iter().for_each(|command| _ = gdb.args(["-ex", command]));
    gdb.arg("--args").arg(program.get_program()).args(program.get_args());
    // Cargo's path of libraries leads to those of earlier builds.
    gdb.current_dir(folder).env("CLIFT_ISA", isa).env("CLIFT_THREADS", "1").env_remove("LD_LIBRARY_PATH");
    let Ok(Output { stdout, stderr, .. }) = gdb.output() else {
        eprintln!("skipped: there is no gdb");
        return None;
    };
    let said = text(&stdout) + &text(&stderr);
    if said.contains("ptrace") && said.contains("not permitted") {
        eprintln!("skipped: gdb may not trace here");
        return None;
    }
    Some(said)
}

#[test]
fn gdb_stops_at_lines_steps_and_names_kernels() {
    let folder = folder();
    // Both code generators.
    for isa in ["v128", "avx2"] {
        let commands = ["break k.cl:2", "run", "bt 2", "next", "next", "delete", "break k.cl:10", "continue", "bt 1"];
        let commands = [&commands[..], &["info symbol $pc", "delete", "continue"]].concat();
        let Some(said) = gdb(folder.path(), isa, &tool(), &commands) else { return };
        let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{isa}: no `{text}` in {said}"));
        let stops = [
            "helper (x=0) at k.cl:2\n2\t    float y = x * 2.0f;\n",
            "#0  helper (x=0) at k.cl:2\n#1  scale (a=0x",
            "\n3\t    return y + sqrt(x);\n",
            "\n9\t        v = helper(v) * k;\n",
            "k=2, n=3) at k.cl:10\n10\t    a[i] = v;\n",
            "k=2, n=3) at k.cl:10\n",
            "\nscale + ",
            "exited normally",
        ];
        assert!(stops.map(at).is_sorted(), "{isa}: {said}");
    }
}

#[test]
fn gdb_knows_the_work_item_in_functions_that_came_in() {
    let folder = folder();
    for isa in ["v128", "avx2"] {
        let commands = ["break k.cl:2 if __global_id[0] == 5", "run", "print __local_id", "delete", "continue"];
        let Some(said) = gdb(folder.path(), isa, &tool(), &commands) else { return };
        let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{isa}: no `{text}` in {said}"));
        assert!(["helper (x=0) at k.cl:2\n", "$1 = {5, 0, 0}", "exited normally"].map(at).is_sorted(), "{isa}: {said}");
    }
}

const VARIABLES: &str = "struct point { float x; int tag[2]; struct point *next; };
typedef union { uint bits; uchar bytes[4]; } word;
float half_of(float value) {
    float result = value / 2.0f;
    return result;
}
kernel void walk(global float *a, int n, float4 v, local int *shared) {
    local uint sums[4];
    size_t me = get_local_id(0);
    struct point p = { a[get_global_id(0)], { n, -1 }, 0 };
    word w = { 0x41424344u };
    char letter = 'A' + (char)me;
    bool odd = me & 1;
    double rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    sums[me] = 10 * me;
    for (int k = 0; k < 2; k++)
        p.x += half_of(p.x) + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    short h = -3;
    for (long k = 7; k < 8; k++)
        p.x += sums[3 - me] + k;
    a[get_global_id(0)] = p.x + v.w + h;
}
";

/// A source, and the module that clang 15 (`-O0 -g`) and its translator make of it, in which it is called `v.cl`.
const FORMS: [&str; 2] = ["v.cl", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/variables.spv")];

/// What gdb says to `commands` about a kernel with variables of all kinds: two groups of four work-items.
fn gdb_of_variables(form: &str, commands: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("v.cl"), VARIABLES).expect("it can be written");
    let numbers: Vec<u8> = (1..=8).flat_map(|n| (n as f32).to_le_bytes()).collect();
    fs::write(folder.path().join("numbers"), numbers).expect("it can be written");
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["run", form, "walk", "--global", "8", "--local", "4", "--options", "-g -cl-opt-disable"]);
    clift.args(["in:numbers", "i32:5", "f32:1,2,3,4", "local:64"]);
    gdb(folder.path(), "avx2", &clift, commands)
}

/// Fails unless these stand in a text, in this order.
fn in_order(said: &str, texts: &[&str]) {
    let mut rest = said;
    for text in texts {
        let Some(at) = rest.find(text) else { panic!("no `{text}` in {rest}\nof {said}") };
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn gdb_prints_variables_of_the_current_work_item() {
    let commands = ["break v.cl:15 if __local_id[0] == 2", "run", "info args", "info locals", "print v[3]"];
    let swizzle = ["set language opencl", "print v.zw", "set language c"];
    let more = ["print a[1]", "print *a@3", "ptype p", "ptype w", "whatis v", "print sizeof(rows)", "print/c letter"];
    let commands = [&commands[..], &swizzle, &more].concat();
    let all = [
        "walk (a=0x",
        "n=5, v=",
        "v.cl:15",
        "n = 5",
        "v = {1, 2, 3, 4}",
        "shared = 0x",
        "__global_id = {2, 0, 0}",
        "__local_id = {2, 0, 0}",
        "__group_id = {0, 0, 0}",
        "me = 2",
        "p = {x = 3, tag = {5, -1}, next = 0x0}",
        "w = {bits = 1094861636, bytes = ",
        "letter = 67 'C'",
        "rows = {{1, 2, 3}, {4, 5, 6}}",
        "$1 = 4",
        "$2 = {3, 4}",
        "$3 = 2",
        "$4 = {1, 2, 3}",
        "type = struct point {",
        "float x;",
        "int tag[2];",
        "struct point *next;",
        "type = union {",
        "uint bits;",
        "type = float4",
        "= 48",
        "= 67 'C'",
    ];
    for form in FORMS {
        let Some(said) = gdb_of_variables(form, &commands) else { return };
        in_order(&said, &all);
    }
}

#[test]
fn gdb_prints_what_work_items_kept_across_barriers() {
    let commands = ["break v.cl:21 if __global_id[0] == 5", "run", "print k", "print p.x", "print sums", "print me"];
    let more =
        ["print __group_id", "print letter", "delete", "break v.cl:22", "continue", "print h", "print __local_id"];
    let commands = [&commands[..], &more].concat();
    // (6 * 1.5 + 0) * 1.5 + 1 = 14.5.
    let all = ["$1 = 7", "$2 = 14.5", "$3 = {0, 10, 20, 30}", "$4 = 1", "$5 = {1, 0, 0}", "$6 = 66 'B'", "$7 = -3"];
    for form in FORMS {
        let Some(said) = gdb_of_variables(form, &commands) else { return };
        in_order(&said, &all);
        in_order(&said, &["$8 = {1, 0, 0}"]);
    }
}

/// Each work-item is a sub-group, and has variables as any other.
#[test]
fn gdb_prints_variables_of_work_items_of_sub_groups() {
    let source = "kernel void sums(global int *a) {\n    int i = get_global_id(0);\n\
        int sum = sub_group_reduce_add(i) + 100 * get_sub_group_id() + 1000 * get_sub_group_size();\n\
        uint n = get_num_sub_groups() + sub_group_any(i == 3);\n    a[i] = sum + n;\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.cl"), source).expect("it can be written");
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["run", "s.cl", "sums", "--global", "16", "--local", "8", "--options", "-g -cl-opt-disable"]);
    clift.arg("print:i32:16");
    let commands =
        ["break s.cl:5 if __global_id[0] == 11", "run", "print i", "print sum", "print n", "delete", "continue"];
    for isa in ["avx2", "scalar"] {
        let Some(said) = gdb(folder.path(), isa, &clift, &commands) else { return };
        in_order(&said, &["s.cl:5", "$1 = 11", "$2 = 1311", "$3 = 8", "exited normally"]);
        in_order(&said, &["1008 1109 1210 1312"]);
    }
}

/// The work-items of a sub-group run side by side: variables are arrays.
#[test]
fn gdb_prints_variables_of_all_lanes_of_a_sub_group() {
    let source = "struct point { char x; int tag[2]; };
float half_of(float value) {
    float result = value / 2.0f;
    return result;
}
__attribute__((intel_reqd_sub_group_size(4)))
kernel void lanes(global int *a, float3 v) {
    local int shared[8];
    int i __attribute__((aligned(16))) = get_local_id(0);
    struct point p = { 'A' + (char)i, { i, -i } };
    float3 w = v * half_of(i);
    int sum = sub_group_reduce_add(i);
    if (i % 2 == 1 && i != 3) {
        sum += 1000;
        p.tag[0] = 7;
    }
    shared[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[(i + 1) % get_local_size(0)];
    a[get_global_id(0)] = sum + other + (int)p.x + (int)w.y + p.tag[0];
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("l.cl"), source).expect("it can be written");
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["run", "l.cl", "lanes", "--global", "12", "--local", "6", "--options", "-g -cl-opt-disable"]);
    clift.args(["print:i32:12", "f32:1,2,3"]);
    let commands = [
        &["break l.cl:4", "run", "print value", "up", "print i", "delete"][..],
        &["break l.cl:14", "continue", "print sum", "print __active", "next", "print sum", "print p[1].tag", "next"],
        &["print p[1]", "delete", "break l.cl:20", "continue", "print other[0]", "print shared", "print w", "whatis w"],
        &["continue", "print __local_id", "print __active", "delete", "continue"],
    ]
    .concat();
    let all = [
        &["half_of (value=...)", "$1 = {0, 1, 2, 3}", "$2 = {0, 1, 2, 3}", "$3 = {6, 6, 6, 6}"][..],
        &["$4 = {false, true, false, false}", "$5 = {6, 1006, 6, 6}", "$6 = {1, -1}"],
        &["$7 = {x = 66 'B', tag = {7, -1}}", "$8 = 1006", "$9 = {6, 1006, 6, 6, 9, 1009, 0, 0}"],
        &["$10 = {{0, 0, 0}, {0.5, 1, 1.5}, {1, 2, 3}, {1.5, 3, 4.5}}", "type = float3 [4]"],
        // Of the last sub-group two work-items are there.
        &["$11 = {{4, 0, 0}, {5, 0, 0}, ", "$12 = {true, true, false, false}"],
    ]
    .concat();
    for isa in ["avx2", "v128", "scalar"] {
        let Some(said) = gdb(folder.path(), isa, &clift, &commands) else { return };
        in_order(&said, &all);
        in_order(&said, &["1077 1086 83 89 1095 1097", "exited normally"]);
    }
}

/// `variables.spv` with sub-groups of four: `sums[me] = 10 * me` becomes `sums[me] = sub_group_reduce_add(me)`.
fn module_with_sub_groups() -> Vec<u8> {
    const HEADER: usize = 5;
    let bytes = fs::read(FORMS[1]).expect("the module");
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().expect("four"))).collect();
    let (mut new, mut rest) = (words[..HEADER].to_vec(), &words[HEADER..]);
    let scope = new[3];
    new[3] += 1;
    let (mut is_in_capabilities, mut kernel, mut has_reduced) = (true, None, false);
    while let Some(&first) = rest.first() {
        let (inst, behind) = rest.split_at((first >> 16) as usize);
        rest = behind;
        let opcode = first & 0xffff;
        if opcode != 17 && std::mem::take(&mut is_in_capabilities) {
            // OpCapability SubgroupDispatch, Groups.
            new.extend([0x0002_0011, 58, 0x0002_0011, 18]);
        }
        if opcode == 15 {
            kernel = Some(inst[2]);
        } else if let Some(kernel) = kernel.take() {
            // OpExecutionMode SubgroupSize.
            new.extend([0x0004_0010, kernel, 35, 4]);
        }
        if opcode == 132 && !has_reduced {
            // The OpIMul becomes OpGroupIAdd, scope, Reduce.
            new.extend([0x0006_0108, inst[1], inst[2], scope, 0, inst[4]]);
            has_reduced = true;
        } else {
            new.extend(inst);
        }
        if opcode == 21 && inst[2] == 32 {
            // OpConstant Subgroup.
            new.extend([0x0004_002b, inst[1], scope, 3]);
        }
    }
    assert!(has_reduced, "no multiplication");
    new.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn gdb_prints_variables_of_all_lanes_of_modules() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = folder.path().join("lanes.spv");
    fs::write(&module, module_with_sub_groups()).expect("it can be written");
    let commands = ["break v.cl:5", "run", "print result", "delete", "break v.cl:21", "continue", "print sums"];
    let more = ["print me", "print p[1]", "print letter", "print __active", "print __local_id[3]"];
    let all = [
        "v.cl:5",
        "$1 = {0.5, 1, 1.5, 2}",
        "v.cl:21",
        "$2 = {6, 6, 6, 6}",
        "$3 = {0, 1, 2, 3}",
        "$4 = {x = 5.5, tag = {5, -1}, next = 0x0}",
        "$5 = \"ABCD\"",
        "$6 = {true, true, true, true}",
        "$7 = {3, 0, 0}",
    ];
    let form = module.to_str().expect("a path");
    let Some(said) = gdb_of_variables(form, &[&commands[..], &more].concat()) else { return };
    in_order(&said, &all);
}

#[test]
fn gdb_tells_variables_of_one_name_apart_and_those_of_functions_that_came_in() {
    let commands = ["break v.cl:5", "run", "bt 2", "info args", "info locals", "up", "print k", "print p.x"];
    let more = ["whatis k", "delete", "break v.cl:21", "continue", "whatis k", "delete", "break v.cl:22", "continue"];
    let end = ["print k"];
    let commands = [&commands[..], &more, &end].concat();
    let all = [
        "half_of (value=1)",
        "#1  ",
        "walk (a=0x",
        "value = 1",
        "result = 0.5",
        "$1 = 0",
        "$2 = 1",
        "type = int",
        "type = long",
    ];
    for form in FORMS {
        let Some(said) = gdb_of_variables(form, &commands) else { return };
        in_order(&said, &all);
        in_order(&said, &["No symbol \"k\" in current context"]);
    }
}

#[test]
fn gdb_prints_variables_at_program_scope() {
    let source = "struct limits { int low; float high; };
constant struct limits bounds[2] = { { 1, 0.5f }, { -7, 2.5f } };
global int counter = 3;
kernel void k(global int *a) {
    constant static int steps[3] = { 4, 5, 6 };
    counter += steps[get_global_id(0)];
    a[get_global_id(0)] = counter + bounds[get_global_id(0)].low;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.cl"), source).expect("it can be written");
    let commands = ["break p.cl:7", "run", "print counter", "print bounds[1]", "continue", "print counter"];
    let more = ["print steps", "info line counter", "whatis bounds", "set variable counter = 100", "delete", "finish"];
    let all = ["p.cl:7", "$1 = 7", "$2 = {low = -7, high = 2.5}", "p.cl:7", "$3 = 12", "$4 = {4, 5, 6}"];
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/program_variables.spv");
    for (form, options) in [("p.cl", "-cl-std=CL3.0 -g -cl-opt-disable"), (module, "-g -cl-opt-disable")] {
        let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
        clift.args(["run", form, "k", "--global", "2", "--local", "2", "--options", options, "zero:16"]);
        let Some(said) = gdb(folder.path(), "avx2", &clift, &[&commands[..], &more].concat()) else { return };
        in_order(&said, &all);
        in_order(&said, &["type = struct limits [2]"]);
    }
}

#[test]
fn gdb_knows_blocks_by_where_macros_are_used() {
    let source = "#define ADD(to, x) do { int t = (x); *(to) += t; } while (0)
kernel void k(global int *o) {
    int l = get_local_id(0);
    { int v = 1 + l;
      ADD(o + l, v);
      o[l] += 1; }
    { int v = 200 + l;
      ADD(o + l, v);
      o[l] += 2; }
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.cl"), source).expect("it can be written");
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["run", "m.cl", "k", "--global", "4", "--local", "4", "--options", "-g -cl-opt-disable", "zero:16"]);
    let commands = ["break m.cl:6", "run", "print v", "delete", "break m.cl:9", "continue", "print v"];
    let Some(said) = gdb(folder.path(), "avx2", &clift, &commands) else { return };
    in_order(&said, &["m.cl:6", "$1 = 1", "m.cl:9", "$2 = 200"]);
}

#[test]
fn lldb_stops_at_lines_and_prints_variables() {
    let folder = folder();
    let mut lldb = Command::new("lldb");
    lldb.args(["--no-lldbinit", "--batch", "-o", "settings set plugin.jit-loader.gdb.enable on"]);
    for command in ["breakpoint set --file k.cl --line 10", "run", "frame variable", "bt 1"] {
        lldb.args(["-o", command]);
    }
    lldb.arg("--").arg(env!("CARGO_BIN_EXE_clift")).args(RUN).args(ARGS);
    lldb.current_dir(folder.path()).env("CLIFT_THREADS", "1").env_remove("LD_LIBRARY_PATH");
    let Ok(Output { stdout, stderr, .. }) = lldb.output() else { return eprintln!("skipped: there is no lldb") };
    let said = text(&stdout) + &text(&stderr);
    if !said.contains(" stopped") {
        return eprintln!("skipped: lldb may not trace here: {said}");
    }
    in_order(&said, &["k.cl:10", "(float) k = 2", "(int) n = 3", "(unsigned long) i = 0", "(float) v = ", "`scale(a="]);
}

#[test]
fn variables_of_code_in_lanes_are_not_shown() {
    let folder = folder();
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["run", "k.cl", "scale", "--global", "64", "--local", "64", "--options", "-g"]).args(ARGS);
    let commands = ["break k.cl:9", "run", "print v", "delete", "continue"];
    let Some(said) = gdb(folder.path(), "avx2", &clift, &commands) else { return };
    in_order(&said, &["k.cl:9", "exited normally"]);
    in_order(&said, &["No symbol \"v\" in current context"]);
}

#[test]
fn gdb_walks_from_kernels_to_the_host_program() {
    let folder = folder();
    let host = host(folder.path());
    for isa in ["v128", "avx2"] {
        let commands = ["break k.cl:9", "run", "bt"];
        let Some(said) = gdb(folder.path(), isa, &host, &commands) else { return };
        let frames: Vec<&str> = said.lines().filter(|line| line.starts_with('#')).collect();
        let at = |what: &str| {
            let found = frames.iter().position(|frame| frame.contains(what));
            found.unwrap_or_else(|| panic!("{isa}: no frame of {what} in {said}"))
        };
        let order = ["scale (a=0x", "clFinish", " run_kernel (", " main ("].map(at);
        assert!(order.is_sorted() && order[0] <= 1 && order[3] == frames.len() - 1, "{isa}: {said}");
        let in_host = |n: usize| frames[order[n]].rsplit_once("debugged.c:").is_some_and(|(_, line)| line != "0");
        assert!(in_host(2) && in_host(3), "{isa}: {said}");
    }
}

fn run(folder: &Path, name: &str, value: &str) -> (u32, Output) {
    let mut clift = tool();
    clift.current_dir(folder).env(name, value).env("CLIFT_PERF_DIR", folder);
    let child = clift.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let child = child.expect("the tool starts");
    (child.id(), child.wait_with_output().expect("it ends"))
}

#[test]
fn perf_maps_name_kernels() {
    let folder = folder();
    let (process, output) = run(folder.path(), "CLIFT_PERF", "map");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = format!("/tmp/perf-{process}.map");
    let map = fs::read_to_string(&path).expect("there is a map");
    let _ = fs::remove_file(&path);
    let line = map.lines().find(|line| line.ends_with(" scale")).unwrap_or_else(|| panic!("{map}"));
    let numbers: Vec<u64> = line.split(' ').take(2).map(|n| u64::from_str_radix(n, 16).expect("hexadecimal")).collect();
    assert!(numbers[0] > 0 && numbers[1] > 0, "{line}");
}

/// The records of a dump: number and contents.
fn records(dump: &[u8]) -> Vec<(u32, &[u8])> {
    let word = |at: usize| u32::from_le_bytes(dump[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((word(0), word(4)), (0x4a69_5444, 1), "magic and version");
    let (mut at, mut all) = (word(8) as usize, Vec::new());
    while at < dump.len() {
        let size = word(at + 4) as usize;
        all.push((word(at), &dump[at + 16..at + size]));
        at += size;
    }
    all
}

#[test]
fn jitdumps_have_code_and_lines() {
    let folder = folder();
    let (process, output) = run(folder.path(), "CLIFT_PERF", "jitdump");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let dump = fs::read(folder.path().join(format!("jit-{process}.dump"))).expect("there is a dump");
    let all = records(&dump);
    let u64_at = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let load = all.iter().find(|(id, body)| *id == 0 && body[40..].starts_with(b"scale\0")).expect("the kernel");
    let (start, size) = (u64_at(load.1, 8), u64_at(load.1, 24));
    assert_eq!(load.1.len() as u64, 40 + 6 + size);
    let lines = all.iter().find(|(id, body)| *id == 2 && u64_at(body, 0) == start).expect("lines in front of it");
    let (n, mut at, mut seen) = (u64_at(lines.1, 8), 16, Vec::new());
    for _ in 0..n {
        let address = u64_at(lines.1, at);
        assert!((start..start + size).contains(&address));
        seen.push(u32::from_le_bytes(lines.1[at + 8..at + 12].try_into().expect("four bytes")));
        let name = lines.1[at + 16..].split(|&b| b == 0).next().expect("a name");
        assert_eq!(name, b"k.cl");
        at += 16 + name.len() + 1;
    }
    assert!([2, 3, 7, 9, 10].iter().all(|line| seen.contains(line)), "{seen:?}");
}

/// What `perf` says; nothing if it is not there, or fails.
fn perf(folder: &Path, args: &[&str], env: &[(&str, &str)]) -> Option<String> {
    let mut perf = Command::new("perf");
    perf.current_dir(folder).args(args).envs(env.iter().copied()).env("CLIFT_CACHE", "off").env_remove("PAGER");
    let output = perf.output().ok()?;
    output.status.success().then(|| text(&output.stdout))
}

#[test]
fn perf_shows_kernels_by_name_and_line() {
    let folder = folder();
    let folder = folder.path();
    if perf(folder, &["record", "-q", "-o", "try.data", "true"], &[]).is_none() {
        return eprintln!("skipped: perf is not there, or may not record");
    }
    // Of a clock, which virtual machines have, too.
    let record = |data| ["record", "-q", "-e", "cpu-clock", "-F", "999", "-k", "CLOCK_MONOTONIC", "-o", data];
    // More than a hundred million turns, which take some hundredths of a second at least.
    let clift = [env!("CARGO_BIN_EXE_clift"), "run", "k.cl", "scale", "--global", "4096", "--local", "64"];
    let launch = [&clift[..], &["--options=-g", "zero:16384", "f32:2", "i32:40000"]].concat();
    perf(folder, &[&record("map.data")[..], &launch].concat(), &[("CLIFT_PERF", "map")]).expect("it records");
    let names = perf(folder, &["script", "-i", "map.data", "-F", "ip,sym"], &[]).expect("a script");
    assert!(names.lines().any(|line| line.ends_with(" scale")), "{names}");
    let dumps = [("CLIFT_PERF", "jitdump"), ("CLIFT_PERF_DIR", ".")];
    perf(folder, &[&record("jit.data")[..], &launch].concat(), &dumps).expect("it records");
    perf(folder, &["inject", "--jit", "-i", "jit.data", "-o", "all.data"], &[]).expect("the dump is taken in");
    let lines = perf(folder, &["script", "-i", "all.data", "-F", "ip,sym,srcline"], &[]).expect("a script");
    let lines: Vec<&str> = lines.lines().collect();
    // The helper's lines are inside of the kernel, which has taken it in.
    let is_shown =
        |pair: &[&str]| pair[0].ends_with(" scale") && ["k.cl:2", "k.cl:3", "k.cl:9"].contains(&pair[1].trim());
    assert!(lines.windows(2).any(is_shown), "{lines:?}");
}

#[test]
fn annotated_lines_have_instructions_and_lanes() {
    let folder = folder();
    let annotate = |isa: &str| {
        let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
        clift.args(["build", "k.cl", "--annotate", "--local", "64"]).current_dir(folder.path()).env("CLIFT_ISA", isa);
        let output = clift.output().expect("the tool starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    for (isa, width) in [("avx2", "lanes"), ("v128", "lanes"), ("scalar", "scalar")] {
        let said = annotate(isa);
        let mut lines = said.lines().skip_while(|line| !line.ends_with("10 |     a[i] = v;"));
        assert!(lines.next().is_some_and(|line| line.contains(width)), "{isa}: {said}");
        assert!(!said.contains('\x1b'), "colours are for terminals");
        if cfg!(target_arch = "x86_64") {
            assert!(lines.next().is_some_and(|line| line.contains("mov")), "{isa}: {said}");
        }
    }
}

/// Offsets of instructions with how many bytes they have, by the text of `clift build --annotate`.
#[cfg(target_arch = "x86_64")]
fn offsets(said: &str) -> Vec<(u32, usize, String)> {
    let instruction = |line: &str| {
        let (at, rest) = line.strip_prefix("      ")?.trim_start().split_once("  ")?;
        let (bytes, text) = rest.trim_start().split_once(' ')?;
        let is_whole = bytes.chars().all(|c| c.is_ascii_hexdigit());
        let length = if is_whole { bytes.len() / 2 } else { 0 };
        Some((u32::from_str_radix(at, 16).ok()?, length, text.trim().to_owned()))
    };
    let mut offsets: Vec<_> = said.lines().filter_map(instruction).collect();
    offsets.sort();
    offsets
}

/// What is between code, and behind it, is told apart from it.
#[cfg(target_arch = "x86_64")]
#[test]
fn tables_and_constants_are_no_instructions() {
    let source = "kernel void choose(global float *a) {\n    size_t i = get_global_id(0);\n    switch ((int)a[i]) {\n\
        case 0: a[i] = 3.25f; break;\n    case 1: a[i] *= 7.5f; break;\n    case 2: a[i + 1] = 1; break;\n\
        case 3: a[i] = sqrt(a[i]); break;\n    case 4: a[i] = printf(\"%d\\n\", (int)i); break;\n    }\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.cl"), source).expect("it can be written");
    let mut clift = Command::new(env!("CARGO_BIN_EXE_clift"));
    clift.args(["build", "s.cl", "--annotate"]).current_dir(folder.path()).env("CLIFT_ISA", "scalar");
    let output = clift.output().expect("the tool starts");
    let said = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let code = offsets(&said);
    assert!(code.iter().any(|(_, _, text)| text.starts_with("table of 6 offsets")), "{said}");
    assert!(code.iter().any(|(_, _, text)| text.ends_with("; @Printf")), "{said}");
    assert!(code.last().is_some_and(|(_, _, text)| text == "ret"), "{said}");
    for pair in code.windows(2) {
        let [(at, length, _), (next, ..)] = pair else { continue };
        assert!(at + *length as u32 <= *next, "{pair:?} in {said}");
    }
}

#[test]
fn the_child_of_a_fork_has_files_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = folder.path().join("host");
    host::compile(&host::source("forks_and_makes_code.c"), &host, &host::library(), &[]);
    for how in ["map", "jitdump"] {
        let mut command = Command::new(&host);
        command.current_dir(folder.path()).env("CLIFT_PERF", how).env("CLIFT_PERF_DIR", folder.path());
        command.env_remove("LD_LIBRARY_PATH").env("CLIFT_CACHE", "off");
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let parent = command.spawn().expect("it starts");
        let number = parent.id();
        let output = parent.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let child: u32 = text(&output.stdout).trim().parse().expect("the child's number");
        let [parents, childs] = [number, child].map(|process| {
            let path = match how {
                "map" => format!("/tmp/perf-{process}.map").into(),
                _ => folder.path().join(format!("jit-{process}.dump")),
            };
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let _ = fs::remove_file(&path);
            bytes
        });
        let has = |file: &[u8], name: &[u8]| file.windows(name.len()).any(|part| part == name);
        let kernels = [&b"first"[..], b"inside", b"behind"];
        assert_eq!(kernels.map(|name| has(&parents, name)), [true, false, true], "{how}");
        assert_eq!(kernels.map(|name| has(&childs, name)), [true, true, false], "{how}");
        if how == "jitdump" {
            let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let loads: Vec<u32> =
                records(&childs).iter().filter(|(id, _)| *id == 0).map(|(_, body)| word(body, 0)).collect();
            assert!(loads.len() >= 2 && loads.iter().all(|&process| process == child), "{loads:?}");
        }
    }
}
