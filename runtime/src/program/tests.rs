//! Build states. What the compiler accepts is its own tests' matter: the sources here are empty or wrong in any language.

use super::*;
use crate::platform::Platform;

fn context() -> Obj<Context> {
    Context::create(Platform::get().devices(), Vec::new(), None).expect("context")
}

#[test]
fn a_failed_build_leaves_a_log_and_no_kernels() {
    let program = Program::create_with_source(&context(), b"kernel void f( {".to_vec());
    assert_eq!(program.build_status(), BuildStatus::None);
    assert_eq!(program.build("", None), Err(Error::BuildFailure));
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
    assert_eq!(program.build("", Some(done)), Ok(()));
    assert_eq!(rx.recv(), Ok(BuildStatus::Error));
}

#[test]
fn links_need_compiled_objects() {
    let context = context();
    let program = Program::create_with_source(&context, b"kernel void f( {".to_vec());
    let codes =
        |options: &str, inputs: &[Obj<Program>]| link(&context, options, inputs, None).1.map_err(|e| e.status());
    assert_eq!(codes("", &[]), Err(Status::InvalidValue));
    assert_eq!(codes("", &[Arc::clone(&program)]), Err(Status::InvalidOperation));
    assert_eq!(codes("-nonsense", &[program]), Err(Status::InvalidLinkerOptions));
}

#[test]
fn language_version_decides_about_trailing_groups() {
    assert!(!build::allows_non_uniform(""));
    assert!(!build::allows_non_uniform("-cl-std=CL1.2"));
    assert!(build::allows_non_uniform(" -DX  -cl-std=CL3.0"));
    assert!(!build::allows_non_uniform("-cl-std=CL3.0 -cl-uniform-work-group-size"));
}
