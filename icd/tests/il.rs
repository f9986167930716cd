//! Programs from SPIR-V: what makes one, specialization constants, queries, binaries, and linking with programs from
//! source. What a module means is the compiler's tests' matter.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;
#[path = "common/spirv.rs"]
mod spirv;

use clift::dispatch::lookup;
use common::*;
use spirv::{module, op, text};
use std::ffi::CStr;

fn create(world: &World, il: &[u8]) -> cl::cl_program {
    let mut err = 1;
    // SAFETY: all pointers are valid.
    let program = unsafe { clCreateProgramWithIL(world.context, il.as_ptr().cast(), il.len(), &raw mut err) };
    assert_eq!(err, 0);
    program
}

fn build(program: cl::cl_program, options: &CStr) -> cl::cl_int {
    // SAFETY: all pointers are null or valid.
    unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) }
}

fn set<T>(program: cl::cl_program, id: u32, value: T) -> cl::cl_int {
    // SAFETY: all pointers are valid.
    unsafe { clSetProgramSpecializationConstant(program, id, size_of::<T>(), (&raw const value).cast()) }
}

/// The bytes that a query of a program gives.
fn info(program: cl::cl_program, name: cl::cl_program_info) -> Vec<u8> {
    let mut size = usize::MAX;
    // SAFETY: all pointers are null or valid.
    unsafe {
        assert_eq!(clGetProgramInfo(program, name, 0, null_mut(), &raw mut size), 0);
        let mut value = vec![0u8; size];
        assert_eq!(clGetProgramInfo(program, name, size, value.as_mut_ptr().cast(), null_mut()), 0);
        value
    }
}

#[test]
fn modules_are_checked_before_there_is_a_program() {
    let world = World::new();
    let il = module(None);
    let from = |bytes: &[u8]| {
        // SAFETY: all pointers are valid.
        code_of(|err| unsafe { clCreateProgramWithIL(world.context, bytes.as_ptr().cast(), bytes.len(), err) })
    };
    // SAFETY: null is allowed.
    let from_null = || code_of(|err| unsafe { clCreateProgramWithIL(world.context, null(), 4, err) });
    check(&[
        ("null", cl::CL_INVALID_VALUE, &from_null),
        ("no bytes", cl::CL_INVALID_VALUE, &|| from(&[])),
        ("magic alone", cl::CL_INVALID_VALUE, &|| from(&il[..4])),
        ("header alone", cl::CL_INVALID_VALUE, &|| from(&il[..16])),
        ("half an instruction", cl::CL_INVALID_VALUE, &|| from(&il[..il.len() - 12])),
        ("half a word", cl::CL_INVALID_VALUE, &|| from(&il[..il.len() - 2])),
        ("source", cl::CL_INVALID_VALUE, &|| from(b"kernel void k(global int *out) { *out = 42; }   ")),
        ("an instruction without words", cl::CL_INVALID_VALUE, &|| from(&[&il[..], &[0; 4]].concat())),
    ]);
    let swapped: Vec<u8> = il.as_chunks::<4>().0.iter().flat_map(|word| word.iter().rev().copied()).collect();
    for il in [il, swapped] {
        let program = create(&world, &il);
        assert_eq!(info(program, cl::CL_PROGRAM_IL), il, "as it was given");
        assert_eq!(info(program, cl::CL_PROGRAM_SOURCE), b"\0");
        assert_eq!(set(program, 5, 1u32), 0);
        // SAFETY: the program is ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
    assert_eq!(lookup(b"clCreateProgramWithILKHR"), clCreateProgramWithIL as *const ());
}

#[test]
fn specialization_constants_are_checked() {
    let world = World::new();
    let (program, other) =
        (create(&world, &module(None)), world.program("kernel void k(global int *out) { *out = 42; }"));
    // SAFETY: null is allowed.
    let null_value = || unsafe { clSetProgramSpecializationConstant(program, 5, 4, null()) };
    check(&[
        ("right", 0, &|| set(program, 5, 1u32)),
        ("again", 0, &|| set(program, 5, 2u32)),
        ("a boolean", 0, &|| set(program, 7, 1u8)),
        ("no such", cl::CL_INVALID_SPEC_ID, &|| set(program, 6, 1u32)),
        ("too small", cl::CL_INVALID_VALUE, &|| set(program, 5, 1u16)),
        ("too large", cl::CL_INVALID_VALUE, &|| set(program, 5, 1u64)),
        ("a boolean of four bytes", cl::CL_INVALID_VALUE, &|| set(program, 7, 1u32)),
        ("null", cl::CL_INVALID_VALUE, &null_value),
        ("a program from source", cl::CL_INVALID_PROGRAM, &|| set(other, 5, 1u32)),
        ("no program", cl::CL_INVALID_PROGRAM, &|| set(null_mut(), 5, 1u32)),
    ]);
    assert!(info(other, cl::CL_PROGRAM_IL).is_empty());
    // SAFETY: the programs are ours.
    unsafe {
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseProgram(other), 0);
    }
}

#[test]
fn what_does_not_build_has_a_log() {
    let world = World::new();
    // A function whose result is of no type.
    let mut il = module(None);
    il.extend(op(54, &[99, 21, 0, 98]).iter().flat_map(|word| word.to_le_bytes()));
    let program = create(&world, &il);
    let compile = |options: &CStr| {
        // SAFETY: all pointers are null or valid.
        unsafe { clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null(), None, null_mut()) }
    };
    check(&[
        ("build", cl::CL_BUILD_PROGRAM_FAILURE, &|| build(program, c"")),
        ("compile", cl::CL_COMPILE_PROGRAM_FAILURE, &|| compile(c"")),
        ("build: options", cl::CL_INVALID_BUILD_OPTIONS, &|| build(program, c"-nonsense")),
        ("compile: options", cl::CL_INVALID_COMPILER_OPTIONS, &|| compile(c"-nonsense")),
        ("build again", cl::CL_BUILD_PROGRAM_FAILURE, &|| build(program, c"-cl-std=CL3.0 -cl-mad-enable")),
    ]);
    assert!(!world.log(program).is_empty());
    // SAFETY: the program is ours.
    assert_eq!(unsafe { clReleaseProgram(program) }, 0);
}

#[test]
fn the_device_says_what_it_reads() {
    let world = World::new();
    let ask = |name| {
        let mut size = usize::MAX;
        // SAFETY: all pointers are null or valid.
        unsafe {
            assert_eq!(clGetDeviceInfo(world.device, name, 0, null_mut(), &raw mut size), 0);
            let mut value = vec![0u8; size];
            assert_eq!(clGetDeviceInfo(world.device, name, size, value.as_mut_ptr().cast(), null_mut()), 0);
            value
        }
    };
    let versions = (0..=6).map(|minor| format!("SPIR-V_1.{minor}")).collect::<Vec<_>>().join(" ");
    assert_eq!(ask(cl::CL_DEVICE_IL_VERSION), [versions.as_bytes(), b"\0"].concat());
    let list = ask(cl::CL_DEVICE_ILS_WITH_VERSION);
    for (minor, row) in list.chunks(size_of::<cl::cl_name_version>()).enumerate() {
        assert_eq!(row[..4], cl::make_version(1, minor as u32, 0).to_ne_bytes());
        assert_eq!(row[4..11], *b"SPIR-V\0");
    }
    assert_eq!(list.len(), 7 * size_of::<cl::cl_name_version>());
    let strings = |name| -> Vec<String> {
        let words = ask(name);
        let pointers = words.as_chunks().0.iter().map(|&word| usize::from_ne_bytes(word));
        // SAFETY: the answer is a list of pointers to strings.
        let string = |at| unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(at)) };
        pointers.map(|at| string(at).to_str().expect("plain text").to_owned()).collect()
    };
    assert_eq!(strings(cl::CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR), clift_jit::spirv::EXTENDED_SETS);
    assert_eq!(strings(cl::CL_DEVICE_SPIRV_EXTENSIONS_KHR), clift_jit::spirv::EXTENSIONS);
    let capabilities: Vec<u8> = clift_jit::spirv::CAPABILITIES.iter().flat_map(|n| n.to_ne_bytes()).collect();
    assert_eq!(ask(cl::CL_DEVICE_SPIRV_CAPABILITIES_KHR), capabilities);
}

/// What kernel `k` of a built program writes.
fn run(world: &World, program: cl::cl_program) -> i32 {
    run_items(world, program, 1)[0]
}

/// The same for this many work-items.
fn run_items(world: &World, program: cl::cl_program, global: usize) -> Vec<i32> {
    let (kernel, buffer) = (world.kernel(program, "k"), world.buffer(4 * global));
    let mut got = vec![0i32; global];
    let queue = world.queue;
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
        let status = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &raw const global, null(), 0, null(), null_mut());
        assert_eq!(status, 0);
        let (to, size) = (got.as_mut_ptr().cast(), 4 * global);
        assert_eq!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, size, to, 0, null(), null_mut()), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
    }
    got
}

/// The same program from its binary, not built.
fn reloaded(world: &World, program: cl::cl_program) -> cl::cl_program {
    let size = info(program, cl::CL_PROGRAM_BINARY_SIZES);
    let size = usize::from_ne_bytes(*size.first_chunk().expect("a size"));
    let (mut binary, mut err) = (vec![0u8; size], 1);
    let mut place = binary.as_mut_ptr();
    // SAFETY: all pointers are null or valid.
    unsafe {
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARIES, 8, (&raw mut place).cast(), null_mut()), 0);
        let (device, from) = (&raw const world.device, binary.as_ptr());
        let (size, from) = (&raw const size, &raw const from);
        let again = clCreateProgramWithBinary(world.context, 1, device, size, from, null_mut(), &raw mut err);
        assert_eq!(err, 0);
        again
    }
}

#[test]
fn constants_are_those_of_the_last_build() {
    let world = World::new();
    let program = create(&world, &module(None));
    assert_eq!(build(program, c"-cl-std=CL2.0 -DNOTHING"), 0, "{}", world.log(program));
    assert_eq!(run(&world, program), 42, "the module's own");
    assert_eq!((set(program, 5, 7u32), run(&world, program)), (0, 42), "not built since");
    assert_eq!((build(program, c""), run(&world, program)), (0, 7));
    assert_eq!((set(program, 7, 255u8), build(program, c""), run(&world, program)), (0, 0, -7));
    assert_eq!(info(program, cl::CL_PROGRAM_KERNEL_NAMES), b"k\0");
    let again = reloaded(&world, program);
    assert!(info(again, cl::CL_PROGRAM_IL).is_empty());
    assert_eq!((build(again, c""), run(&world, again)), (0, -7), "{}", world.log(again));
    assert_eq!((set(program, 7, 0u8), build(program, c""), run(&world, program)), (0, 0, 7));
    // SAFETY: the programs are ours.
    unsafe {
        assert_eq!(clReleaseProgram(again), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn kernels_of_modules_have_arguments_with_names() {
    let world = World::new();
    let program = create(&world, &module(None));
    assert_eq!(build(program, c"-cl-kernel-arg-info"), 0, "{}", world.log(program));
    let kernel = world.kernel(program, "k");
    let (mut space, mut name, mut attributes) = (0 as cl::cl_uint, [0u8; 8], [1u8; 4]);
    // SAFETY: all pointers are null or valid.
    unsafe {
        let to = (&raw mut space).cast();
        assert_eq!(clGetKernelArgInfo(kernel, 0, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER, 4, to, null_mut()), 0);
        let to = name.as_mut_ptr().cast();
        assert_eq!(clGetKernelArgInfo(kernel, 0, cl::CL_KERNEL_ARG_NAME, 8, to, null_mut()), 0);
        let to = attributes.as_mut_ptr().cast();
        assert_eq!(clGetKernelInfo(kernel, cl::CL_KERNEL_ATTRIBUTES, 4, to, null_mut()), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    assert_eq!((space, &name[..4]), (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, &b"out\0"[..]));
    // "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string returned from
    // this query will be empty."
    assert_eq!(attributes[0], 0);
}

#[test]
fn modules_are_linked_with_programs_from_source() {
    let world = World::new();
    let caller = create(&world, &module(Some(("twice", 1))));
    let callee = world.program("int twice(int n) { return 2 * n; }");
    assert_eq!(set(caller, 5, 8u32), 0);
    let compile = |program| {
        // SAFETY: all pointers are null or valid.
        let status = unsafe { clCompileProgram(program, 0, null(), null(), 0, null(), null(), None, null_mut()) };
        assert_eq!(status, 0, "{}", world.log(program));
    };
    compile(caller);
    compile(callee);
    let link = |parts: &[cl::cl_program]| {
        let (mut err, n) = (1, parts.len() as u32);
        // SAFETY: all pointers are null or valid.
        let program = unsafe {
            clLinkProgram(world.context, 0, null(), null(), n, parts.as_ptr(), None, null_mut(), &raw mut err)
        };
        (program, err)
    };
    let again = reloaded(&world, caller);
    for caller in [caller, again] {
        let (program, err) = link(&[caller, callee]);
        assert_eq!(err, 0, "{}", world.log(program));
        assert_eq!(run(&world, program), 16);
        // SAFETY: the program is ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
    let (program, err) = link(&[caller]);
    assert_eq!(err, cl::CL_LINK_PROGRAM_FAILURE);
    assert!(world.log(program).contains("twice"), "{}", world.log(program));
    for program in [program, again, caller, callee] {
        // SAFETY: the programs are ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
}

/// `out[get_global_id(0)] = get_global_id(0)`, with the id as a variable in global memory that is imported: so do some
/// front ends.
#[test]
fn built_in_variables_may_be_imports() {
    let [void, int, long, vector, of_id, pointer, kernel, id, k, out, value, x, n, at] =
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 16, 0];
    let mut add = |code, operands: &[&[u32]]| words.extend(op(code, &operands.concat()));
    [4, 5, 6, 11].iter().for_each(|&capability| add(17, &[&[capability]]));
    add(14, &[&[2, 2]]);
    add(15, &[&[6, k], &text("k")]);
    add(71, &[&[id, 41], &text("__spirv_BuiltInGlobalInvocationId"), &[1]]);
    add(71, &[&[id, 11, 28]]);
    add(19, &[&[void]]);
    add(21, &[&[int, 32, 0]]);
    add(21, &[&[long, 64, 0]]);
    add(23, &[&[vector, long, 3]]);
    add(32, &[&[of_id, 5, vector]]);
    add(32, &[&[pointer, 5, int]]);
    add(33, &[&[kernel, void, pointer]]);
    add(59, &[&[of_id, id, 5]]);
    add(54, &[&[void, k, 0, kernel]]);
    add(55, &[&[pointer, out]]);
    add(248, &[&[15]]);
    add(61, &[&[vector, value, id]]);
    add(81, &[&[long, x, value, 0]]);
    add(113, &[&[int, n, x]]);
    add(70, &[&[pointer, at, out, x]]);
    add(62, &[&[at, n]]);
    add(253, &[]);
    add(56, &[]);
    let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let world = World::new();
    let program = create(&world, &il);
    assert_eq!(build(program, c""), 0, "{}", world.log(program));
    assert_eq!(run_items(&world, program, 40), (0..40).collect::<Vec<i32>>());
    // SAFETY: the program is ours.
    assert_eq!(unsafe { clReleaseProgram(program) }, 0);
}

/// Names that LLVM's translator keeps where SPIR-V has no instruction.
#[test]
fn intrinsics_of_llvm_may_be_imports() {
    let world = World::new();
    for (name, want) in
        [("llvm.usub.sat.i32", 0), ("llvm.ssub.sat.i32", 84), ("llvm.uadd.sat.i32", -1), ("llvm.sadd.sat.i32", 0)]
    {
        let program = create(&world, &module(Some((name, 2))));
        assert_eq!(build(program, c""), 0, "{}", world.log(program));
        assert_eq!(run(&world, program), want, "{name}");
        // SAFETY: the program is ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
    let program = create(&world, &module(Some(("llvm.umul.sat.i32", 2))));
    assert_eq!(build(program, c""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(world.log(program).contains("llvm.umul.sat.i32"), "{}", world.log(program));
    // SAFETY: the program is ours.
    assert_eq!(unsafe { clReleaseProgram(program) }, 0);
}
