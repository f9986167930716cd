//! Linking of compiled objects: who sees which name, what is shared, what a linker refuses.

#![allow(unsafe_code, reason = "runs generated code")]

use clift_jit::{Header, HeaderKind, Object, compile, link};
use std::sync::Arc;

#[path = "support/kernel.rs"]
mod kernel;
use kernel::{Buffer, Program};

fn object(source: &str) -> Arc<Object> {
    let compiled = compile(source.as_bytes(), "-cl-std=CL3.0", &[]);
    compiled.object.unwrap_or_else(|_| panic!("{source}\n{}", compiled.log))
}

/// Links sources, each an object of its own.
fn linked(sources: &[&str]) -> Program {
    let objects: Vec<Arc<Object>> = sources.iter().map(|source| object(source)).collect();
    let built = link(&objects);
    Program::from(built.program.unwrap_or_else(|_| panic!("{sources:?}\n{}", built.log)))
}

/// The log of a link that fails.
fn refused(sources: &[&str]) -> String {
    let objects: Vec<Arc<Object>> = sources.iter().map(|source| object(source)).collect();
    let built = link(&objects);
    assert!(built.program.is_err(), "{sources:?} links");
    built.log
}

/// What kernel `test(global int *)` leaves in four words.
fn words(program: &Program) -> [u32; 4] {
    let mut buffer = Buffer::zeroed(16);
    program.run("test", 1, &mut [&mut buffer]);
    buffer.words().try_into().expect("four words")
}

#[test]
fn functions_and_constants_of_other_objects_are_used() {
    let program = linked(&[
        "int twice(int); extern constant int table[]; struct s { int a; float b; }; extern constant struct s both;
         kernel void test(global int *p) { p[0] = twice(21); p[1] = table[2]; p[2] = both.a; p[3] = (int)both.b; }",
        "int helper(int); int twice(int x) { return helper(x) + x; }
         constant int table[] = {5, 6, 7}; struct s { int a; float b; }; constant struct s both = {8, 9.5f};",
        "int helper(int x) { return x; }",
    ]);
    assert_eq!(words(&program), [42, 7, 8, 9]);
}

#[test]
fn kernels_of_other_objects_are_called() {
    let program = linked(&[
        "kernel void other(global int *p, int n); kernel void test(global int *p) { other(p, 3); other(p + 1, 4); }",
        "kernel void other(global int *p, int n) { local int shared; shared = n; barrier(1); *p = shared * 10; }",
    ]);
    assert_eq!(words(&program), [30, 40, 0, 0]);
}

#[test]
fn static_names_and_literals_stay_apart() {
    let source = |name: &str, add: i32| {
        format!(
            "static constant int table[] = {{{add}, 1}}; static int helper(int x) {{ return x + table[0]; }}
             int {name}(int x) {{ constant int inner[2] = {{{add}, 2}}; return helper(x) * 100 + inner[0]; }}"
        )
    };
    let program = linked(&[
        "int one(int); int two(int); static int helper(int x) { return -x; }
         kernel void test(global int *p) { p[0] = one(1); p[1] = two(1); p[2] = helper(1); }",
        &source("one", 10),
        &source("two", 20),
    ]);
    assert_eq!(words(&program), [1110, 2120, u32::MAX, 0]);
}

#[test]
fn inline_functions_may_be_defined_everywhere() {
    let program = linked(&[
        "inline int f(int x) { return x + 1; } int g(int); kernel void test(global int *p) { p[0] = f(1); p[1] = g(1); }",
        "inline int f(int x) { return x + 1; } int g(int x) { return f(f(x)); }",
    ]);
    assert_eq!(words(&program), [2, 3, 0, 0]);
    // Without an external definition the inline one serves; with one, that one.
    let user = "int f(int); kernel void test(global int *p) { *p = f(1); }";
    assert_eq!(words(&linked(&[user, "inline int f(int x) { return x + 1; }"])), [2, 0, 0, 0]);
    let both = linked(&[user, "inline int f(int x) { return 5; }", "int f(int x) { return x + 7; }"]);
    assert_eq!(words(&both), [8, 0, 0, 0]);
}

#[test]
fn addresses_in_initialisers_follow() {
    let program = linked(&[
        "extern constant int *constant where; kernel void test(global int *p) { p[0] = where[1]; p[1] = where[0]; }",
        "constant int values[] = {1, 2, 3}; constant int *constant where = values + 1;",
    ]);
    assert_eq!(words(&program), [3, 2, 0, 0]);
}

#[test]
fn builtins_come_once() {
    let source = |n: usize| format!("float f{n}(float x) {{ return sin(x) + exp2(x) + {n}; }}");
    let mut sources: Vec<String> = (0..40).map(source).collect();
    let calls: String = (0..40).map(|n| format!("sum += f{n}(0.0f);")).collect();
    let declared: String = (0..40).map(|n| format!("float f{n}(float);")).collect();
    sources.push(format!("{declared} kernel void test(global int *p) {{ float sum = 0; {calls} p[0] = (int)sum; }}"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    assert_eq!(words(&linked(&sources)), [40 + 780, 0, 0, 0]);
}

#[test]
fn variables_are_shared_unless_static() {
    let program = linked(&[
        "extern global int counter; void step(void); static global int own = 5;
         kernel void test(global int *p) { step(); step(); p[0] = counter; p[1] = own; counter = 100; step(); p[2] = counter; }",
        "global int counter = 10; static global int own = 1; void step(void) { counter += own; own *= 2; }",
    ]);
    assert_eq!(words(&program), [13, 5, 104, 0]);
    assert_eq!(words(&program), [128, 5, 132, 0], "the variables live as long as the program");
}

#[test]
fn linkers_complain() {
    let user = "int f(int); kernel void test(global int *p) { *p = f(1); }";
    for (sources, want) in [
        (&[user][..], "<kernel>:1:52: error: undefined reference to 'f'"),
        (
            &[user, "int f(int x) { return 1; }", "int f(int x) { return 2; }"],
            "error: 'f' is defined more than once in the linked programs\n",
        ),
        (&[user, "int f(float x) { return 1; }"], "error: 'f' is declared and defined with different types\n"),
        (
            &[user, "constant int f = 1;"],
            "error: 'f' is a function in one of the linked programs and a variable in another\n",
        ),
        (&[user, "static int f(int x) { return x; }"], "undefined reference to 'f'"),
        (
            &["kernel void k(void) {}", "kernel void k(void) {}"],
            "error: 'k' is defined more than once in the linked programs\n",
        ),
        (
            &[
                "int b(int); int a(int x) { return b(x); } kernel void k(void) { a(1); }",
                "int a(int); int b(int x) { return a(x); }",
            ],
            "error: 'b' calls itself through another of the linked programs: recursion is not supported\n",
        ),
        (
            &["extern constant int a[4]; kernel void k(global int *p) { *p = a[3]; }", "constant int a[2] = {1, 2};"],
            "error: 'a' is declared larger than it is defined\n",
        ),
    ] {
        let log = refused(sources);
        assert!(log.contains(want), "{sources:?}: {log}");
    }
}

/// What was declared but is not used needs no definition.
#[test]
fn unused_declarations_are_no_matter() {
    let program = linked(&[
        "int nowhere(int); extern constant int nothing; kernel void test(global int *p) { *p = sizeof(nothing); }",
        "int nowhere(int);",
    ]);
    assert_eq!(words(&program), [4, 0, 0, 0]);
}

/// Files read from disk are reported, and stand in for the files when they are gone.
#[test]
fn included_files_can_be_kept() {
    let dir = std::env::temp_dir().join(format!("clift-link-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("sub")).expect("temporary folder");
    std::fs::write(dir.join("a.h"), "#include \"sub/b.h\"\n").expect("file");
    std::fs::write(dir.join("sub/b.h"), "#include \"c.h\"\n#define B 1\n").expect("file");
    std::fs::write(dir.join("sub/c.h"), "#define C 2\n").expect("file");
    let options = format!("-I \"{}\"", dir.display());
    let source = b"#include <a.h>\nkernel void test(global int *p) { p[0] = B; p[1] = C; p[2] = D; }";
    let headers = [Header { name: "d.h".into(), text: "#define D 3\n".into(), kind: HeaderKind::Named }];
    let mut source = source.to_vec();
    source.splice(0..0, *b"#include \"d.h\"\n");
    let first = compile(&source, &options, &headers);
    assert!(first.object.is_ok(), "{}", first.log);
    std::fs::remove_dir_all(&dir).expect("removed");
    assert!(compile(&source, &options, &headers).object.is_err());
    let mut all = headers.to_vec();
    all.extend(first.included);
    assert_eq!(all.len(), 4);
    let again = compile(&source, &options, &all);
    let object = again.object.unwrap_or_else(|_| panic!("{}", again.log));
    let program = Program::from(link(&[object]).program.expect("complete"));
    assert_eq!(words(&program), [1, 2, 3, 0]);
}

/// However definitions are spread over objects, the program is the one that a single source makes.
#[test]
fn spreading_definitions_changes_nothing() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let start = std::time::Instant::now();
    while start.elapsed().as_millis() < 1000 {
        let n = 2 + random(8);
        let mut declared = String::from("struct s { int a; long b; };");
        let mut defined = Vec::new();
        for i in 0..n {
            declared
                .push_str(&format!("int f{i}(int x, struct s v); extern constant int c{i}[]; extern global int g{i};"));
            // Calls go to functions of higher numbers only.
            let mut calls = String::new();
            for _ in 0..if i + 1 < n { random(3) } else { 0 } {
                calls.push_str(&format!("x += f{}(x + {}, v);", i + 1 + random(n - i - 1), random(9)));
            }
            let (c, g) = (random(n), random(n));
            defined.push(format!(
                "int f{i}(int x, struct s v) {{ {calls} g{g} += x & 7; v.b += {i}; return x * c{c}[{}] + v.a + (int)v.b; }}",
                random(2)
            ));
            defined.push(format!("constant int c{i}[] = {{{}, {}}};", random(100), random(100)));
            defined.push(format!("global int g{i} = {};", random(100)));
        }
        defined.push(format!(
            "kernel void test(global int *p) {{ struct s v = {{3, 4}}; local int l; l = f{}(p[0], v); barrier(1);
             p[1] = l; p[2] = f0(l, v) + g{}; p[3] = c{}[1]; }}",
            random(n),
            random(n),
            random(n)
        ));
        let whole = format!("{declared}{}", defined.join("\n"));
        let mut objects = vec![declared.clone(); 1 + random(4)];
        let n_objects = objects.len();
        for definition in &defined {
            objects[random(n_objects)].push_str(definition);
        }
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        assert_eq!(words(&linked(&objects)), words(&Program::new(&whole)), "{objects:#?}");
    }
}
