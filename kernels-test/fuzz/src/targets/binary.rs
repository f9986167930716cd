//! Binaries of programs. The bytes are a container without its checksum, which is put behind them, so that there is
//! something to find beyond it.

#![allow(unsafe_code, reason = "calls the C API")]

use super::common::*;
use std::cell::LazyCell;

thread_local! {
    static WORLD: LazyCell<World> = LazyCell::new(World::new);
}

/// FNV-1a, as `clift_runtime::program::binary` has it.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &b| (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Loads a binary and builds it: it is refused, or what the program then has as its binary is another one that loads,
/// and the same again.
pub fn run(bytes: &[u8]) {
    let mut binary = bytes.to_vec();
    binary.extend(checksum(bytes).to_le_bytes());
    WORLD.with(|world| {
        let Some(program) = load(world, &binary) else { return };
        let back = binary_of(program);
        let again = load(world, &back).expect("what a program has as its binary loads");
        assert_eq!(binary_of(again), back, "a binary changes on its way");
        // SAFETY: pointers are null; the programs are ours.
        unsafe {
            let code = clBuildProgram(program, 0, null(), null(), None, null_mut());
            let log = world.log(program);
            assert!(!log.contains("internal compiler error"), "{log}");
            if code == 0 {
                let mut kernels = [null_mut(); 4];
                let mut n = 0;
                let code = clCreateKernelsInProgram(program, 4, kernels.as_mut_ptr(), &raw mut n);
                assert!(code == 0 || n > 4 || n == 0, "{code}");
                let made = if code == 0 { n as usize } else { 0 };
                kernels[..made].iter().for_each(|&kernel| assert_eq!(clReleaseKernel(kernel), 0));
            } else {
                assert!(refusals().contains(&code), "{code}");
                assert!(!log.is_empty() || code == cl::CL_INVALID_BINARY, "{code} without a word");
            }
            assert_eq!(clReleaseProgram(again), 0);
            assert_eq!(clReleaseProgram(program), 0);
        }
    });
}

/// What a build of a binary may say.
fn refusals() -> [i32; 5] {
    [
        cl::CL_BUILD_PROGRAM_FAILURE,
        cl::CL_INVALID_BINARY,
        cl::CL_INVALID_BUILD_OPTIONS,
        cl::CL_INVALID_OPERATION,
        cl::CL_LINK_PROGRAM_FAILURE,
    ]
}

/// A program of a binary, or nothing if it is none.
fn load(world: &World, binary: &[u8]) -> Option<cl::cl_program> {
    let (mut status, mut code) = (1, 1);
    let (length, start) = (binary.len(), binary.as_ptr());
    // SAFETY: pointers are valid.
    let program = unsafe {
        let (device, length, start) = (&raw const world.device, &raw const length, &raw const start);
        clCreateProgramWithBinary(world.context, 1, device, length, start, &raw mut status, &raw mut code)
    };
    assert_eq!(program.is_null(), code != 0);
    assert!(code == 0 && status == 0 || code == cl::CL_INVALID_BINARY && status == code, "{code} {status}");
    (code == 0).then_some(program)
}

/// `CL_PROGRAM_BINARIES` of a program for one device.
fn binary_of(program: cl::cl_program) -> Vec<u8> {
    let mut size = 0usize;
    // SAFETY: the size is as large as said, and so is the binary.
    unsafe {
        let to = (&raw mut size).cast();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARY_SIZES, size_of::<usize>(), to, null_mut()), 0);
        let mut bytes = vec![0u8; size];
        let mut start = bytes.as_mut_ptr();
        let to = (&raw mut start).cast();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARIES, size_of::<*mut u8>(), to, null_mut()), 0);
        bytes
    }
}
