//! Build states. What the compiler accepts is its own tests' matter: the sources here are empty or wrong in any
//! language.

use super::build::LinkCallback;
use super::*;
use crate::platform::Platform;

fn context() -> Obj<Context> {
    Context::create(Platform::get().devices(), Vec::new(), None).expect("context")
}

#[test]
fn a_failed_build_leaves_a_log_and_no_kernels() {
    let program = Program::create_with_source(&context(), b"kernel void f( {".to_vec());
    assert_eq!(program.build_status(), BuildStatus::None);
    assert_eq!(program.build(b"", None), Err(Error::BuildFailure));
    assert_eq!(program.build_status(), BuildStatus::Error);
    assert!(!program.build_log().is_empty());
    assert_eq!(program.kernel_names().map_err(|e| e.status()), Err(Status::InvalidProgramExecutable));
    assert!(program.binary().is_empty());
}

#[test]
fn a_callback_comes_after_the_build() {
    let program = Program::create_with_source(&context(), b"kernel void f( {".to_vec());
    let (tx, rx) = std::sync::mpsc::channel();
    let theirs = Arc::clone(&program);
    let done: Callback = Box::new(move || tx.send(theirs.build_status()).expect("test waits"));
    assert_eq!(program.build(b"", Some(done)), Ok(()));
    assert_eq!(rx.recv(), Ok(BuildStatus::Error));
}

#[test]
fn links_need_compiled_objects() {
    let context = context();
    let program = Program::create_with_source(&context, b"kernel void f( {".to_vec());
    let codes = |options: &str, inputs: &[Obj<Program>]| {
        link(&context, options.as_bytes(), inputs, None).1.map_err(|e| e.status())
    };
    assert_eq!(codes("", &[]), Err(Status::InvalidValue));
    assert_eq!(codes("", &[Arc::clone(&program)]), Err(Status::InvalidOperation));
    assert_eq!(codes("-nonsense", &[program]), Err(Status::InvalidLinkerOptions));
}

#[test]
fn language_version_decides_about_trailing_groups() {
    let allows = |options: &str| {
        Unit::new(Input::Text { source: Arc::default(), headers: Vec::new() }, options.into()).allows_non_uniform()
    };
    assert!(!allows(""));
    assert!(!allows("-cl-std=CL1.2"));
    assert!(allows("-cl-std=CL2.0"));
    assert!(allows(" -DX  -cl-std=CL3.0"));
    assert!(!allows("-D \"X= -cl-std=CL3.0\""));
    assert!(!allows("-cl-std=CL3.0 -cl-uniform-work-group-size"));
    let allows = |options: &str| {
        Unit::new(Input::Module { il: Arc::default(), constants: Vec::new() }, options.into()).allows_non_uniform()
    };
    assert!(allows(""));
    assert!(!allows("-cl-uniform-work-group-size"));
}

fn compiled(context: &Obj<Context>, source: &str) -> Obj<Program> {
    let program = Program::create_with_source(context, source.as_bytes().to_vec());
    assert_eq!(program.compile(b"", &[], None), Ok(()), "{}", program.build_log());
    program
}

const CALLER: &str = "int f(int); kernel void k(global int *p) { *p = f(1); }";
const CALLEE: &str = "int g(int); int f(int x) { return g(x) + 1; }";
const LAST: &str = "int g(int x) { return x + 1; }";

/// Objects, libraries and executables come back from their binaries as what they were.
#[test]
fn binaries_of_every_type_come_back() {
    let context = context();
    let reload = |program: &Obj<Program>| {
        let again = Program::create_with_binary(&context, &program.binary()).expect("own binary");
        assert_eq!(again.binary_type(), program.binary_type());
        assert_eq!(again.build_status(), BuildStatus::None);
        again
    };
    let objects = [CALLER, CALLEE, LAST].map(|source| reload(&compiled(&context, source)));
    let (library, result) = link(&context, b"-create-library -enable-link-options", &objects[1..], None);
    assert_eq!(result, Ok(()));
    let library = reload(&library.expect("program"));
    assert_eq!(library.binary_type(), BinaryType::Library);
    assert_eq!(library.build(b"", None).map_err(|e| e.status()), Err(Status::InvalidBinary));
    let (program, result) = link(&context, b"", &[objects[0].clone(), library], None);
    let program = program.expect("program");
    assert_eq!(result, Ok(()), "{}", program.build_log());
    assert_eq!(program.kernel_names(), Ok(vec!["k".to_owned()]));
    let again = reload(&program);
    assert_eq!(again.build(b"-cl-opt-disable", None), Ok(()), "{}", again.build_log());
    assert_eq!(again.kernel_names(), Ok(vec!["k".to_owned()]));
    assert_eq!(again.build_options(), "-cl-opt-disable");
    assert_eq!(again.build(b"-nonsense", None), Err(Error::BuildOptions));
    assert_eq!(again.build(b"", None), Ok(()), "a failed build does not spoil the binary");
}

#[test]
fn failed_links_leave_a_program_with_a_log() {
    let context = context();
    let object = compiled(&context, CALLER);
    let (program, result) = link(&context, b"", std::slice::from_ref(&object), None);
    assert_eq!(result, Err(Error::LinkFailure));
    let program = program.expect("program");
    assert_eq!(program.build_status(), BuildStatus::Error);
    assert!(program.build_log().contains("undefined reference to 'f'"), "{}", program.build_log());
    assert!(program.binary().is_empty());
    let twice = [object.clone(), object.clone()];
    assert_eq!(link(&context, b"-create-library", &twice, None).1, Err(Error::LinkFailure));
    let codes = |options: &str| {
        link(&context, options.as_bytes(), std::slice::from_ref(&object), None).1.map_err(|e| e.status())
    };
    assert_eq!(codes("-enable-link-options"), Err(Status::InvalidLinkerOptions));
    assert_eq!(codes("-create-library"), Ok(()), "a library may lack something");
}

#[test]
fn links_run_in_the_background() {
    let context = context();
    let objects = [CALLER, CALLEE, LAST].map(|source| compiled(&context, source));
    let (tx, rx) = std::sync::mpsc::channel();
    let done: LinkCallback =
        Box::new(move |program| tx.send((program.build_status(), program.binary_type())).expect("test waits"));
    let (program, result) = link(&context, b"", &objects, Some(done));
    assert_eq!(result, Ok(()));
    assert_eq!(rx.recv(), Ok((BuildStatus::Success, BinaryType::Executable)));
    assert!(program.expect("program").create_kernel("k").is_ok());
}

/// An object that is a module: a kernel without arguments that does nothing, and a constant, which is set.
fn module_binary() -> Vec<u8> {
    let header: &[u32] = &[0x0723_0203, 0x0001_0000, 0, 9, 0];
    let capabilities: &[u32] = &[0x0002_0011, 4, 0x0002_0011, 6, 0x0003_000e, 2, 2];
    let names: &[u32] = &[0x0004_000f, 6, 3, 0x6b, 0x0004_0047, 5, 1, 7];
    let types: &[u32] = &[0x0002_0013, 1, 0x0003_0021, 2, 1, 0x0002_0014, 4, 0x0003_0031, 4, 5];
    let body: &[u32] = &[0x0005_0036, 1, 3, 0, 2, 0x0002_00f8, 8, 0x0001_00fd, 0x0001_0038];
    let words = [header, capabilities, names, types, body].concat();
    let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(Program::create_with_il(&context(), &il).is_ok_and(|program| program.set_spec_constant(7, &[1]).is_ok()));
    let unit = Unit::new(Input::Module { il: il.into(), constants: vec![(7, vec![1])] }, String::new());
    binary::write(BinaryType::CompiledObject, &[unit])
}

/// Damaged binaries with a right checksum: whatever they hold, loading, building and linking them ends.
#[test]
fn mutated_binaries_do_no_harm() {
    let context = context();
    let objects = [CALLER, CALLEE, LAST].map(|source| compiled(&context, source));
    let (program, _) = link(&context, b"", &objects, None);
    let executable = program.expect("program").binary();
    let binaries = [executable, objects[0].binary(), module_binary()];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let start = std::time::Instant::now();
    let (mut loaded, mut n) = (0, 0);
    // On a busy machine few are done in this time.
    while n < 100 || start.elapsed().as_millis() < 1000 {
        let mut bytes = binaries[random(3)].clone();
        bytes.truncate(bytes.len() - 8);
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                2 => drop(bytes.splice(at..at, [random(256) as u8; 3])),
                _ => drop(bytes.drain(at..(at + random(9)).min(bytes.len()))),
            }
        }
        bytes.extend(binary::checksum(&bytes).to_le_bytes());
        n += 1;
        let Ok(program) = Program::create_with_binary(&context, &bytes) else { continue };
        loaded += 1;
        match program.binary_type() {
            BinaryType::Executable => drop(program.build(b"", None)),
            _ => drop(link(&context, b"", &[program], None)),
        }
    }
    assert!(loaded > 0 && loaded < n, "{loaded} of {n} loaded");
}

/// One source on many threads, and the same program object asked for twice at once.
#[test]
fn builds_run_side_by_side() {
    let context = context();
    let shared = Program::create_with_source(&context, LAST.as_bytes().to_vec());
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (context, shared) = (&context, &shared);
            scope.spawn(move || {
                let source = format!("kernel void k{}(global float *p) {{ *p = sin(*p); }}", n % 2);
                for _ in 0..20 {
                    let program = Program::create_with_source(context, source.clone().into_bytes());
                    assert_eq!(program.build(b"", None), Ok(()), "{}", program.build_log());
                    assert!(program.create_kernel(&format!("k{}", n % 2)).is_ok());
                    let outcome = shared.build(b"", None).map_err(|e| e.status());
                    assert!(matches!(outcome, Ok(()) | Err(Status::InvalidOperation)), "{outcome:?}");
                }
            });
        }
    });
    assert_eq!(shared.build_status(), BuildStatus::Success);
}

#[test]
fn a_build_that_a_fork_has_cut_off_has_failed() {
    let program = Program::create_with_source(&context(), b"kernel void f(void) {}".to_vec());
    let lost = Built { forks: fork::count().wrapping_sub(1), ..Built::begun("", Vec::new()) };
    *program.built.lock() = lost;
    assert_eq!(program.build_status(), BuildStatus::Error);
    assert_eq!(program.kernel_names().map_err(|e| e.status()), Err(Status::InvalidProgramExecutable));
    assert_eq!(program.build(b"", None), Ok(()));
    assert_eq!(program.kernel_names(), Ok(vec!["f".to_owned()]));
}

#[test]
fn kernels_wait_for_a_build_on_another_thread() {
    let program = Program::create_with_source(&context(), Vec::new());
    *program.built.lock() = Built::begun("", Vec::new());
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| program.kernel_names().map_err(|e| e.status()));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waits.is_finished());
        assert_eq!(program.build_status(), BuildStatus::InProgress);
        drop(super::build::Ending(&program));
        assert_eq!(waits.join().expect("no panic"), Err(Status::InvalidProgramExecutable));
    });
}
