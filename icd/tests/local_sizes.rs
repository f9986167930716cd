//! The local size when the caller gives none: what is suggested is what runs, groups are not tiny on prime and odd
//! sizes, and rows come first.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

/// Both tell the local size that they ran with; the second meets at a barrier.
const SOURCE: &str = "
kernel void tell(global uint *out) {
    size_t at = get_global_linear_id();
    if (at == 0) for (uint d = 0; d < 3; d++) out[d] = (uint)get_local_size(d);
    atomic_inc(&out[3]);
}
kernel void meet(global uint *out, local uint *t) {
    t[get_local_linear_id()] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_linear_id() == 0) for (uint d = 0; d < 3; d++) out[d] = (uint)get_local_size(d);
    atomic_add((volatile global uint *)&out[3], t[get_local_linear_id()]);
}";

const SIZES: &[[usize; 3]] = &[
    [1, 1, 1],
    [7, 1, 1],
    [1021, 1, 1],
    [1_000_003, 1, 1],
    [99_999, 1, 1],
    [4096, 1, 1],
    [1021, 1021, 1],
    [1920, 1080, 1],
    [3, 4099, 1],
    [17, 19, 23],
    [640, 3, 5],
];

#[test]
fn the_suggestion_is_what_runs() {
    let world = World::new();
    let program = world.program(SOURCE);
    // SAFETY: the options are a C string.
    let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
    assert_eq!(status, 0, "{}", world.log(program));
    let buffer = world.buffer(16);
    for name in ["tell", "meet"] {
        let kernel = world.kernel(program, name);
        // SAFETY: pointers are valid, handles live.
        unsafe {
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
            if name == "meet" {
                assert_eq!(clSetKernelArg(kernel, 1, 4096, null()), 0);
            }
            for size in SIZES {
                let dims = if size[2] > 1 { 3 } else { 2 };
                let items: usize = size.iter().product();
                let mut wanted = [1usize; 3];
                let global = size.as_ptr();
                let to = wanted.as_mut_ptr();
                assert_eq!(clGetKernelSuggestedLocalWorkSize(world.queue, kernel, dims, null(), global, to), 0);
                let zero = 0u32;
                let pattern = (&raw const zero).cast();
                assert_eq!(clEnqueueFillBuffer(world.queue, buffer, pattern, 4, 0, 16, 0, null(), null_mut()), 0);
                let status =
                    clEnqueueNDRangeKernel(world.queue, kernel, dims, null(), global, null(), 0, null(), null_mut());
                assert_eq!(status, 0);
                let mut told = [0u32; 4];
                let at = told.as_mut_ptr().cast();
                assert_eq!(clEnqueueReadBuffer(world.queue, buffer, 1, 0, 16, at, 0, null(), null_mut()), 0);
                assert_eq!(told[..3], wanted.map(|n| n as u32), "{name} {size:?}");
                assert_eq!(told[3] as usize, items, "{name} {size:?}: every item once");
                let group: usize = wanted.iter().product();
                assert!(group >= items.min(16), "{name} {size:?}: groups of {wanted:?}");
                assert!(wanted[0] >= size[0].min(16), "{name} {size:?}: rows of {wanted:?}");
            }
            assert_eq!(clReleaseKernel(kernel), 0);
        }
    }
    // SAFETY: live handles.
    unsafe { assert_eq!((clReleaseMemObject(buffer), clReleaseProgram(program)), (0, 0)) };
}
