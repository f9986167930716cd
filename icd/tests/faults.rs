//! `CLIFT_FAULT=1`: what is told of a fault in a kernel, and who gets it afterwards.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SOURCE: &str = "void put(global int *p, ulong at)
{
    p[at] = 1;
}
kernel void far(global int *p, ulong at)
{
    if (get_group_id(0) == 1 && get_group_id(1) == 2)
        put(p, at);
}
kernel void near_by(global int *p, ulong at)
{
    p[get_global_id(0)] = 1;
}
";

fn tool(folder: &Path, isa: &str, kernel: &str) -> Command {
    std::fs::write(folder.join("far.cl"), SOURCE).expect("it can be written");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_clift"));
    tool.current_dir(folder).env_remove("LD_LIBRARY_PATH").env("CLIFT_CACHE", "off").env("CLIFT_ISA", isa);
    tool.args(["run", "far.cl", kernel, "--global", "16,16", "--local", "4,4", "zero:4096", "u64:0xffffff0000000000"]);
    tool
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_line_the_group_and_the_nearest_memory_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for isa in ["scalar", "v128", "avx2"] {
        let output = tool(folder.path(), isa, "far").env("CLIFT_FAULT", "1").output().expect("it starts");
        let said = said(&output);
        assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{isa}: {said}");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.starts_with("far.cl:3:"), "{isa}: {said}");
        let what = ": fault: SIGSEGV in kernel `far`, work-group (1, 2, 0), at address 0x";
        assert!(first.contains(what), "{isa}: {said}");
        assert!(said.contains("\n  called from far.cl:8:"), "{isa}: {said}");
        assert!(said.contains("\n  nearest: buffer 1 of 4096 bytes"), "{isa}: {said}");
        assert_eq!(said.matches("fault:").count(), 1, "{isa}: {said}");
    }
}

#[test]
fn nothing_is_told_unless_it_is_asked_for_and_happens() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = tool(folder.path(), "v128", "far").output().expect("it starts");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
    assert!(!said(&output).contains("fault"), "{}", said(&output));
    let output = tool(folder.path(), "v128", "near_by").env("CLIFT_FAULT", "1").output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
}

/// A program in C that handles SIGSEGV itself, and sends itself another signal of the kind.
const HOST: &str = r##"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

static void handled(int signal) { _exit(signal == SIGSEGV ? 7 : 8); }

int main(int argc, char **argv) {
    const char *source = "kernel void far(global int *p, ulong at) { p[at] = 1; }";
    const size_t one = 1;
    cl_ulong at = strcmp(argv[1], "sent") ? -1ul << 40 : 0;
    if (!strcmp(argv[1], "handler")) signal(SIGSEGV, handled);
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "far", NULL);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    clSetKernelArg(kernel, 1, sizeof at, &at);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    clFinish(queue);
    raise(SIGSEGV);
    return argc;
}
"##;

/// The newest library near this test.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_clift")).parent().expect("a folder").to_owned();
    let places = [folder.join("libclift.so"), folder.join("deps/libclift.so")];
    let age = |path: &&PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    places.iter().filter(|path| path.is_file()).max_by_key(age).expect("cargo built libclift.so").clone()
}

#[test]
fn a_program_s_own_handler_gets_the_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let (library, program) = (library(), folder.path().join("host"));
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-test/hosts/include");
    std::fs::write(folder.path().join("host.c"), HOST).expect("it can be written");
    let made = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .current_dir(folder.path())
        .args(["-std=gnu11", "-o", "host", "host.c", "-I"])
        .arg(headers)
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", library.parent().expect("a folder").display()))
        .output()
        .expect("there is a C compiler");
    assert!(made.status.success(), "{}", said(&made));
    let run = |how: &str| {
        let mut host = Command::new(&program);
        host.arg(how).env("CLIFT_FAULT", "1").env("CLIFT_CACHE", "off").env_remove("LD_LIBRARY_PATH");
        host.output().expect("it starts")
    };
    let output = run("handler");
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("fault: SIGSEGV in kernel `far`, work-group (0, 0, 0)"), "{}", said(&output));
    assert!(said(&output).contains("\n  nearest: buffer 1 of 64 bytes"), "{}", said(&output));
    let output = run("none");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    assert!(said(&output).contains("fault: SIGSEGV in kernel `far`"), "{}", said(&output));
    // What somebody sends is no fault of a kernel's.
    let output = run("sent");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    assert!(output.stderr.is_empty(), "{}", said(&output));
}
