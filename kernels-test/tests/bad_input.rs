//! Bad input of every kind through the C API: the specification's error code, a message in the log where there is one,
//! and the process goes on. Handles and pointers have their own tables in `icd/tests`.

use clift_kernels_test::host::{Host, Range};

const BUILD_PROGRAM_FAILURE: i32 = -11;
const INVALID_BUFFER_SIZE: i32 = -61;
const INVALID_KERNEL_ARGS: i32 = -52;
const INVALID_WORK_GROUP_SIZE: i32 = -54;
const INVALID_WORK_ITEM_SIZE: i32 = -55;
const INVALID_ARG_INDEX: i32 = -49;
const INVALID_ARG_SIZE: i32 = -51;
const INVALID_KERNEL_NAME: i32 = -46;
const INVALID_GLOBAL_WORK_SIZE: i32 = -63;
const INVALID_BUILD_OPTIONS: i32 = -43;

const GOOD: &str = "kernel void k(global int *p, int v) { p[get_global_id(0)] = v + (int)get_global_id(0); }";

fn range(global: usize, local: usize) -> Range {
    Range { dims: 1, global: [global, 1, 1], local: Some([local, 1, 1]), offset: None }
}

/// Builds and runs a good program: whatever went before did no harm.
fn goes_on(host: &Host) {
    let program = host.build(GOOD.as_bytes(), "").expect("a good program builds");
    let kernel = program.kernel("k").expect("the kernel is there");
    let buffer = host.buffer(&[0; 16]).expect("a small buffer");
    kernel.set_buffer(0, Some(&buffer)).expect("a buffer argument");
    kernel.set_value(1, &7i32.to_ne_bytes()).expect("an int argument");
    host.run(&kernel, &range(4, 4)).expect("a good launch");
    let bytes = buffer.read(16).expect("the result");
    let values: Vec<i32> = bytes.chunks(4).map(|b| i32::from_ne_bytes(b.try_into().expect("four bytes"))).collect();
    assert_eq!(values, [7, 8, 9, 10]);
}

/// A build must fail with this code and these words in the log.
fn refused(source: &[u8], options: &str, code: i32, words: &str) {
    let host = Host::new().expect("the driver opens");
    match host.build(source, options) {
        Ok(_) => panic!("built: {words}"),
        Err(failure) => {
            assert_eq!(failure.code, code, "{}", failure.log);
            assert!(failure.log.contains(words), "no `{words}` in the log:\n{}", failure.log);
        }
    }
    goes_on(&host);
}

#[test]
fn ten_thousand_parentheses() {
    let source = format!("kernel void k(global int *p) {{ p[0] = {}1{}; }}", "(".repeat(10_000), ")".repeat(10_000));
    refused(source.as_bytes(), "", BUILD_PROGRAM_FAILURE, "nesting level exceeds");
}

#[test]
fn an_endless_macro() {
    let mut source = String::new();
    for n in 0..40 {
        source.push_str(&format!("#define M{n} M{} M{} M{}\n", n + 1, n + 1, n + 1));
    }
    source.push_str("kernel void k(global int *p) { p[0] = M0; }\n");
    refused(source.as_bytes(), "", BUILD_PROGRAM_FAILURE, "macro expansion is too large");
}

#[test]
fn a_missing_include() {
    refused(b"#include \"nowhere.h\"\nkernel void k() {}", "", BUILD_PROGRAM_FAILURE, "nowhere.h");
}

#[test]
fn recursion_direct_and_mutual() {
    let direct = "int f(int x) { return x ? f(x - 1) : 0; } kernel void k(global int *p) { p[0] = f(3); }";
    refused(direct.as_bytes(), "", BUILD_PROGRAM_FAILURE, "recursion");
    let mutual = "int g(int); int f(int x) { return g(x); } int g(int x) { return f(x); } kernel void k() { f(1); }";
    refused(mutual.as_bytes(), "", BUILD_PROGRAM_FAILURE, "recursion");
}

#[test]
fn an_unknown_build_option() {
    refused(GOOD.as_bytes(), "-cl-no-such-option", INVALID_BUILD_OPTIONS, "-cl-no-such-option");
}

#[test]
fn several_errors_with_their_places() {
    let host = Host::new().expect("the driver opens");
    let source = "kernel void k(global int *p) {\n    p[0] = unknown_a;\n    p[1] = unknown_b;\n}\n";
    let log = host.build(source.as_bytes(), "").err().expect("refused").log;
    assert!(log.contains(":2:12: error:") && log.contains(":3:12: error:") && log.contains('^'), "{log}");
}

#[test]
fn work_sizes_that_do_not_fit() {
    let host = Host::new().expect("the driver opens");
    let program = host.build(GOOD.as_bytes(), "-cl-std=CL1.2").expect("builds");
    let kernel = program.kernel("k").expect("the kernel is there");
    let buffer = host.buffer(&[0; 4096]).expect("a buffer");
    kernel.set_buffer(0, Some(&buffer)).expect("a buffer argument");
    kernel.set_value(1, &1i32.to_ne_bytes()).expect("an int argument");
    let code = |range: &Range| host.run(&kernel, range).err().map(|failure| failure.code);
    assert_eq!(code(&range(10, 4)), Some(INVALID_WORK_GROUP_SIZE), "10 is no multiple of 4 in 1.2");
    assert_eq!(code(&range(8, 0)), Some(INVALID_WORK_GROUP_SIZE), "a local size of zero");
    let huge = code(&range(1 << 20, 1 << 20));
    assert!(huge == Some(INVALID_WORK_ITEM_SIZE) || huge == Some(INVALID_WORK_GROUP_SIZE), "{huge:?}");
    let overflow = Range { dims: 1, global: [usize::MAX, 1, 1], local: None, offset: Some([usize::MAX, 0, 0]) };
    let overflow = code(&overflow).expect("refused");
    assert!([INVALID_GLOBAL_WORK_SIZE, -56].contains(&overflow), "{overflow}");
    goes_on(&host);
}

#[test]
fn arguments_missing_or_wrong() {
    let host = Host::new().expect("the driver opens");
    let program = host.build(GOOD.as_bytes(), "").expect("builds");
    assert_eq!(program.kernel("nope").err().map(|f| f.code), Some(INVALID_KERNEL_NAME));
    let kernel = program.kernel("k").expect("the kernel is there");
    assert_eq!(host.run(&kernel, &range(4, 4)).err().map(|f| f.code), Some(INVALID_KERNEL_ARGS), "never set");
    assert_eq!(kernel.set_value(1, &[1, 2]).err().map(|f| f.code), Some(INVALID_ARG_SIZE));
    assert_eq!(kernel.set_value(2, &[0; 4]).err().map(|f| f.code), Some(INVALID_ARG_INDEX));
    goes_on(&host);
}

#[test]
fn buffer_sizes_that_overflow() {
    let host = Host::new().expect("the driver opens");
    for size in [0, usize::MAX, usize::MAX / 2] {
        let mut code = 0;
        // SAFETY: no host memory is given; only the size is looked at.
        #[allow(unsafe_code, reason = "a call of the C API")]
        let handle = unsafe { (host.cl.create_buffer)(host.context, 1, size, std::ptr::null_mut(), &mut code) };
        assert!(handle.is_null() && code == INVALID_BUFFER_SIZE, "size {size}: {code}");
    }
    goes_on(&host);
}
