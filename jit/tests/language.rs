//! The language from source to machine code: each case of `tests/language/*.txt` is a kernel body with the values that
//! it must leave in `o[0]`, `o[1]`, …. A case is `== name`, declarations, `--`, statements, `=> values`; values are
//! ints, or floats with a trailing `f` which the body stores with `F(index, value)`.
#![allow(unsafe_code, reason = "runs generated code")]

use clift_jit::features::ATTRIBUTES;
use clift_jit::{BuildError, Env, SpecKey, build, compile, link};

/// Attributes that `__has_attribute` tells of are known.
#[test]
fn attributes_to_ask_for_are_known() {
    for name in ATTRIBUTES.iter().chain(&["bogus"]) {
        let built = build(format!("struct __attribute__(({name})) S {{ int x; }};").as_bytes(), "", &[]);
        assert_eq!(built.log.contains("unknown attribute"), *name == "bogus", "{name}: {}", built.log);
    }
}

/// Words of the output buffer.
const WORDS: usize = 64;

#[repr(C, align(128))]
struct Memory([u8; 1 << 20]);

fn run(declarations: &str, body: &str) -> Result<Vec<i32>, String> {
    let source = format!(
        "#define F(i, x) (((global float *)o)[i] = (x))\n{declarations}\nkernel void test(global int *o, global float *f) {{\n{body}\n}}\n"
    );
    let built = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
    let program = built.program.map_err(|_| built.log)?;
    let kernel = program.kernels().iter().position(|k| k.name == "test").ok_or("no kernel")?;
    let code = program
        .code(kernel, SpecKey { local_size: None, small_ids: true, ..SpecKey::default() })
        .map_err(|e| e.message)?;
    let mut out = vec![0i32; WORDS];
    let input: Vec<f32> = (0..WORDS).map(|i| i as f32 + 0.5).collect();
    let mut local = Box::new(Memory([0; 1 << 20]));
    let mut scratch = Box::new(Memory([0; 1 << 20]));
    if code.scratch_bytes(1) > (1 << 20) - 256 {
        return Err(format!("{} bytes of scratch", code.scratch_bytes(1)));
    }
    let args = [out.as_mut_ptr() as u64, input.as_ptr() as u64];
    let env = Env {
        global_size: [1; 3],
        global_offset: [0; 3],
        local_size: [1; 3],
        num_groups: [1; 3],
        work_dim: 1,
        local: local.0[128..].as_mut_ptr(),
        local_bytes: (1 << 20) - 256,
        scratch: scratch.0[128..].as_mut_ptr(),
        scratch_bytes: (1 << 20) - 256,
        races: std::ptr::null_mut(),
    };
    // SAFETY: the argument block holds two buffers that are large enough for every case; memory is as `Env` asks.
    unsafe { code.run(args.as_ptr().cast(), &env, 0..1) };
    Ok(out)
}

/// A value as the case writes it, as bits.
fn expected(word: &str) -> i32 {
    match word.strip_suffix('f').filter(|_| !word.starts_with("0x")) {
        Some(float) => float.parse::<f32>().expect("a float").to_bits() as i32,
        None => match word.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).expect("a hex number") as i32,
            None => word.parse::<i64>().expect("an integer") as i32,
        },
    }
}

fn file(text: &str) {
    let mut wrong = String::new();
    for case in format!("\n{text}").split("\n== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (declarations, rest) = rest.split_once("--\n").expect("`--`");
        let (body, values) = rest.split_once("\n=> ").expect("`=>`");
        let want: Vec<i32> = values.split_whitespace().map(expected).collect();
        match run(declarations, body) {
            Ok(got) if got[..want.len()] == want[..] => {}
            Ok(got) => {
                let floats: Vec<f32> = got[..want.len()].iter().map(|&b| f32::from_bits(b as u32)).collect();
                wrong += &format!("{name}: got {:?} ({floats:?}), want {}\n", &got[..want.len()], values.trim());
            }
            Err(log) => wrong += &format!("{name}: {log}\n"),
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn scalars() {
    file(include_str!("language/scalars.txt"));
}

#[test]
fn vectors() {
    file(include_str!("language/vectors.txt"));
}

#[test]
fn memory() {
    file(include_str!("language/memory.txt"));
}

#[test]
fn generic_pointers_and_globals() {
    file(include_str!("language/generic.txt"));
}

#[test]
fn atomics() {
    file(include_str!("language/atomics.txt"));
}

#[test]
fn control() {
    file(include_str!("language/control.txt"));
}

#[test]
fn builtins() {
    file(include_str!("language/builtins.txt"));
}

#[test]
fn rounding() {
    file(include_str!("language/rounding.txt"));
}

#[test]
fn undefined_names_are_told_but_compile() {
    let source = b"void other(int); extern constant float table[4]; kernel void k(global float *p);\n\
        kernel void test(global float *p) { other(1); p[0] = table[1] + sizeof(table); k(p); }";
    let built = build(source, "", &[]);
    assert_eq!(built.program.err(), Some(BuildError::Link));
    let lines: Vec<&str> = built.log.lines().filter(|line| line.contains("error")).collect();
    let names =
        lines.iter().map(|line| line.rsplit("undefined reference to ").next().unwrap_or("")).collect::<Vec<_>>();
    assert_eq!(names, ["'other'", "'table'", "'k'"], "{}", built.log);
    let object = compile(source, "", &[]).object.expect("what is missing may come from another object");
    let others =
        "void other(int x) {} constant float table[4] = {1, 2, 3, 4}; kernel void k(global float *p) { *p = 7; }";
    let others = compile(others.as_bytes(), "", &[]).object.expect("compiles");
    let linked = link(&[object, others]);
    let names: Vec<String> = linked.program.expect("complete").kernels().iter().map(|k| k.name.clone()).collect();
    assert_eq!(names, ["test", "k"], "a declaration is no kernel of its object");
}
