//! Bad input to images, samplers and commands on images: each condition with its code. And what the queries say of good
//! ones.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const RW: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE;
const RGBA8: (u32, u32) = (cl::CL_RGBA, cl::CL_UNORM_INT8);

fn desc(image_type: u32, [width, height, depth, layers]: [usize; 4], pitches: [usize; 2]) -> cl::cl_image_desc {
    cl::cl_image_desc {
        image_type,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: layers,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

fn of(buffer: cl::cl_mem, desc: cl::cl_image_desc) -> cl::cl_image_desc {
    cl::cl_image_desc { buffer, ..desc }
}

/// Creates an image; `host` is null or has 4096 bytes.
fn create(
    world: &World,
    flags: u64,
    (order, data_type): (u32, u32),
    desc: &cl::cl_image_desc,
    host: *mut c_void,
) -> (cl::cl_mem, i32) {
    let format = cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
    let mut err = 1;
    // SAFETY: pointers are valid; the host pointer has as many bytes as the tests' descriptions want.
    let image = unsafe { clCreateImage(world.context, flags, &raw const format, desc, host, &raw mut err) };
    assert_eq!(image.is_null(), err != 0, "{err}");
    (image, err)
}

fn made(world: &World, format: (u32, u32), desc: &cl::cl_image_desc) -> cl::cl_mem {
    let (image, err) = create(world, RW, format, desc, null_mut());
    assert_eq!(err, 0);
    image
}

fn flat(width: usize, height: usize) -> cl::cl_image_desc {
    desc(cl::CL_MEM_OBJECT_IMAGE2D, [width, height, 0, 0], [0; 2])
}

#[test]
fn creation() {
    let world = World::new();
    let mut bytes = [0u8; 4096];
    let host = bytes.as_mut_ptr().cast::<c_void>();
    let buffer = world.buffer(4096);
    let read_only = world.buffer_with(cl::CL_MEM_READ_ONLY, 4096);
    let code = |flags, format, desc: &cl::cl_image_desc, host| {
        let (image, err) = create(&world, flags, format, desc, host);
        if !image.is_null() {
            // SAFETY: just made.
            unsafe { clReleaseMemObject(image) };
        }
        err
    };
    let (d2, d3) = (cl::CL_MEM_OBJECT_IMAGE2D, cl::CL_MEM_OBJECT_IMAGE3D);
    let (array, line) = (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, cl::CL_MEM_OBJECT_IMAGE1D_BUFFER);
    let (size, bad_desc) = (cl::CL_INVALID_IMAGE_SIZE, cl::CL_INVALID_IMAGE_DESCRIPTOR);
    let bad_format = cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    let using = cl::CL_MEM_USE_HOST_PTR;
    check(&[
        ("width 0", size, &|| code(RW, RGBA8, &flat(0, 4), null_mut())),
        ("height 0", size, &|| code(RW, RGBA8, &flat(4, 0), null_mut())),
        ("huge", size, &|| code(RW, RGBA8, &flat(usize::MAX, 4), null_mut())),
        ("depth 0", size, &|| code(RW, RGBA8, &desc(d3, [4, 4, 0, 0], [0; 2]), null_mut())),
        ("no layers", size, &|| code(RW, RGBA8, &desc(array, [4, 4, 0, 0], [0; 2]), null_mut())),
        ("a buffer's type", bad_desc, &|| {
            code(RW, RGBA8, &desc(cl::CL_MEM_OBJECT_BUFFER, [4, 4, 1, 1], [0; 2]), null_mut())
        }),
        ("mip levels", bad_desc, &|| {
            code(RW, RGBA8, &cl::cl_image_desc { num_mip_levels: 2, ..flat(4, 4) }, null_mut())
        }),
        ("pitch without memory", bad_desc, &|| code(RW, RGBA8, &desc(d2, [4, 4, 0, 0], [16, 0]), null_mut())),
        ("short pitch", bad_desc, &|| code(using, RGBA8, &desc(d2, [4, 4, 0, 0], [12, 0]), host)),
        ("odd pitch", bad_desc, &|| code(using, RGBA8, &desc(d2, [4, 4, 0, 0], [18, 0]), host)),
        ("short slices", bad_desc, &|| code(using, RGBA8, &desc(d3, [4, 4, 2, 0], [16, 48]), host)),
        ("odd slices", bad_desc, &|| code(using, RGBA8, &desc(d3, [4, 4, 2, 0], [16, 72]), host)),
        ("no such order", bad_format, &|| code(RW, (1, cl::CL_UNORM_INT8), &flat(4, 4), null_mut())),
        ("no such type", bad_format, &|| code(RW, (cl::CL_RGBA, 1), &flat(4, 4), null_mut())),
        ("packed type of another order", bad_format, &|| {
            code(RW, (cl::CL_RGBA, cl::CL_UNORM_SHORT_565), &flat(4, 4), null_mut())
        }),
        ("depth in three dimensions", cl::CL_IMAGE_FORMAT_NOT_SUPPORTED, &|| {
            code(RW, (cl::CL_DEPTH, cl::CL_FLOAT), &desc(d3, [4, 4, 4, 0], [0; 2]), null_mut())
        }),
        ("contradicting flags", cl::CL_INVALID_VALUE, &|| {
            code(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, RGBA8, &flat(4, 4), null_mut())
        }),
        ("use nothing", cl::CL_INVALID_HOST_PTR, &|| code(using, RGBA8, &flat(4, 4), null_mut())),
        ("pointer without flag", cl::CL_INVALID_HOST_PTR, &|| code(RW, RGBA8, &flat(4, 4), host)),
        ("buffer image without buffer", bad_desc, &|| code(RW, RGBA8, &desc(line, [4, 0, 0, 0], [0; 2]), null_mut())),
        ("buffer too small", size, &|| code(RW, RGBA8, &of(buffer, desc(line, [1025, 0, 0, 0], [0; 2])), null_mut())),
        ("3D in a buffer", bad_desc, &|| code(RW, RGBA8, &of(buffer, desc(d3, [4, 4, 4, 0], [0; 2])), null_mut())),
        ("more access than the buffer", cl::CL_INVALID_VALUE, &|| {
            code(RW, RGBA8, &of(read_only, desc(line, [4, 0, 0, 0], [0; 2])), null_mut())
        }),
        ("pointer flags on a buffer", cl::CL_INVALID_VALUE, &|| {
            code(using, RGBA8, &of(buffer, desc(line, [4, 0, 0, 0], [0; 2])), host)
        }),
        ("2D in a buffer", 0, &|| code(0, RGBA8, &of(buffer, desc(d2, [8, 8, 0, 0], [64, 0])), null_mut())),
        ("null format", bad_format, &|| {
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateImage(world.context, RW, null(), &flat(4, 4), null_mut(), err) })
        }),
        ("null description", bad_desc, &|| {
            let format = cl::cl_image_format { image_channel_order: RGBA8.0, image_channel_data_type: RGBA8.1 };
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateImage(world.context, RW, &format, null(), null_mut(), err) })
        }),
        ("property", cl::CL_INVALID_PROPERTY, &|| {
            let list = [0x7777u64, 1, 0];
            // SAFETY: the list is terminated.
            code_of(|err| unsafe {
                clCreateImageWithProperties(world.context, list.as_ptr(), RW, null(), null(), null_mut(), err)
            })
        }),
        ("flat 3D image", size, &|| {
            let format = cl::cl_image_format { image_channel_order: RGBA8.0, image_channel_data_type: RGBA8.1 };
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateImage3D(world.context, RW, &format, 4, 4, 1, 0, 0, null_mut(), err) })
        }),
        ("pitch of a 2D image", size, &|| {
            let format = cl::cl_image_format { image_channel_order: RGBA8.0, image_channel_data_type: RGBA8.1 };
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateImage2D(world.context, RW, &format, 4, 4, 16, null_mut(), err) })
        }),
        ("formats of a buffer", cl::CL_INVALID_VALUE, &|| {
            // SAFETY: pointers are null.
            unsafe { clGetSupportedImageFormats(world.context, 0, cl::CL_MEM_OBJECT_BUFFER, 0, null_mut(), null_mut()) }
        }),
        ("formats for unknown flags", cl::CL_INVALID_VALUE, &|| {
            // SAFETY: pointers are null.
            unsafe { clGetSupportedImageFormats(world.context, 1 << 40, d2, 0, null_mut(), null_mut()) }
        }),
    ]);
    // SAFETY: ours.
    unsafe {
        clReleaseMemObject(buffer);
        clReleaseMemObject(read_only);
    }
}

#[test]
fn samplers() {
    let world = World::new();
    let (none, nearest) = (cl::CL_ADDRESS_NONE, cl::CL_FILTER_NEAREST);
    // SAFETY: pointers are null or valid.
    let simple = |n, a, f| code_of(|err| unsafe { clCreateSampler(world.context, n, a, f, err) });
    // SAFETY: the lists are terminated.
    let listed =
        |list: &[u64]| code_of(|err| unsafe { clCreateSamplerWithProperties(world.context, list.as_ptr(), err) });
    let mode = u64::from(cl::CL_SAMPLER_ADDRESSING_MODE);
    check(&[
        ("coordinates", cl::CL_INVALID_VALUE, &|| simple(2, none, nearest)),
        ("addressing", cl::CL_INVALID_VALUE, &|| simple(0, 1, nearest)),
        ("filter", cl::CL_INVALID_VALUE, &|| simple(0, none, none)),
        ("no such property", cl::CL_INVALID_VALUE, &|| listed(&[1, 1, 0])),
        ("twice", cl::CL_INVALID_VALUE, &|| listed(&[mode, none.into(), mode, none.into(), 0])),
        ("value", cl::CL_INVALID_VALUE, &|| listed(&[mode, 1 << 33, 0])),
    ]);
    let list = [mode, u64::from(cl::CL_ADDRESS_REPEAT), 0];
    let (mut err, mut value, mut back) = (1, 0u32, [0u64; 3]);
    // SAFETY: pointers are valid.
    unsafe {
        let sampler = clCreateSamplerWithProperties(world.context, list.as_ptr(), &raw mut err);
        assert_eq!(err, 0);
        let mut ask = |name| {
            let to = (&raw mut value).cast();
            assert_eq!(clGetSamplerInfo(sampler, name, 4, to, null_mut()), 0);
            value
        };
        assert_eq!(ask(cl::CL_SAMPLER_ADDRESSING_MODE), cl::CL_ADDRESS_REPEAT);
        assert_eq!(ask(cl::CL_SAMPLER_FILTER_MODE), cl::CL_FILTER_NEAREST);
        assert_eq!(ask(cl::CL_SAMPLER_NORMALIZED_COORDS), cl::CL_TRUE);
        assert_eq!(ask(cl::CL_SAMPLER_REFERENCE_COUNT), 1);
        let to = back.as_mut_ptr().cast();
        assert_eq!(clGetSamplerInfo(sampler, cl::CL_SAMPLER_PROPERTIES, 24, to, null_mut()), 0);
        assert_eq!(back, list);
        assert_eq!(clRetainSampler(sampler), 0);
        assert_eq!(clReleaseSampler(sampler), 0);
        assert_eq!(clReleaseSampler(sampler), 0);
    }
}

#[test]
fn commands() {
    let world = World::new();
    let image = made(&world, RGBA8, &flat(8, 8));
    let other = made(&world, (cl::CL_RGBA, cl::CL_UNSIGNED_INT8), &flat(8, 8));
    let (hidden, err) = create(&world, RW | cl::CL_MEM_HOST_NO_ACCESS, RGBA8, &flat(8, 8), null_mut());
    assert_eq!(err, 0);
    let buffer = world.buffer(64);
    let queue = world.queue;
    let mut bytes = [0u8; 1024];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    let at = |o: &'static [usize; 3]| o.as_ptr();
    static ZERO: [usize; 3] = [0, 0, 0];
    static ALL: [usize; 3] = [8, 8, 1];
    static HALF: [usize; 3] = [4, 8, 1];
    static TEXEL: [usize; 3] = [1, 1, 1];
    static DEEP: [usize; 3] = [1, 1, 2];
    static THREE: [usize; 3] = [3, 0, 0];
    static FAR: [usize; 3] = [usize::MAX, 0, 0];
    // SAFETY: pointers are null or valid, and memory has room for all of the image.
    unsafe {
        let read = |mem, origin, region, row: usize, slice: usize, to| {
            clEnqueueReadImage(queue, mem, 1, at(origin), at(region), row, slice, to, 0, null(), null_mut())
        };
        let map = |mem, flags, region, row: *mut usize| {
            let (slice, event) = (null_mut(), null_mut());
            code_of(|err| {
                clEnqueueMapImage(queue, mem, 1, flags, at(&ZERO), at(region), row, slice, 0, null(), event, err)
            })
        };
        let copy = |from, to, to_at, region| {
            clEnqueueCopyImage(queue, from, to, at(&ZERO), at(to_at), at(region), 0, null(), null_mut())
        };
        let out = |region, offset| {
            clEnqueueCopyImageToBuffer(queue, image, buffer, at(&ZERO), at(region), offset, 0, null(), null_mut())
        };
        let mut row = 0usize;
        let row = &raw mut row;
        check(&[
            ("read a buffer", cl::CL_INVALID_MEM_OBJECT, &|| read(buffer, &ZERO, &TEXEL, 0, 0, memory)),
            ("read to null", cl::CL_INVALID_VALUE, &|| read(image, &ZERO, &ALL, 0, 0, null_mut())),
            ("read nothing", cl::CL_INVALID_VALUE, &|| read(image, &ZERO, &ZERO, 0, 0, memory)),
            ("read too deep", cl::CL_INVALID_VALUE, &|| read(image, &ZERO, &DEEP, 0, 0, memory)),
            ("read too far", cl::CL_INVALID_VALUE, &|| read(image, &FAR, &ALL, 0, 0, memory)),
            ("read beyond", cl::CL_INVALID_VALUE, &|| read(image, &THREE, &ALL, 0, 0, memory)),
            ("short pitch", cl::CL_INVALID_VALUE, &|| read(image, &ZERO, &ALL, 31, 0, memory)),
            ("slices of a flat image", cl::CL_INVALID_VALUE, &|| read(image, &ZERO, &ALL, 32, 256, memory)),
            ("hidden from the host", cl::CL_INVALID_OPERATION, &|| read(hidden, &ZERO, &ALL, 0, 0, memory)),
            ("read all", 0, &|| read(image, &ZERO, &ALL, 0, 0, memory)),
            ("null origin", cl::CL_INVALID_VALUE, &|| {
                clEnqueueReadImage(queue, image, 1, null(), at(&ALL), 0, 0, memory, 0, null(), null_mut())
            }),
            ("fill with null", cl::CL_INVALID_VALUE, &|| {
                clEnqueueFillImage(queue, image, null(), at(&ZERO), at(&ALL), 0, null(), null_mut())
            }),
            ("fill a buffer", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueFillImage(queue, buffer, memory, at(&ZERO), at(&ALL), 0, null(), null_mut())
            }),
            ("copy to another format", cl::CL_IMAGE_FORMAT_MISMATCH, &|| copy(image, other, &ZERO, &ALL)),
            ("copy onto itself", cl::CL_MEM_COPY_OVERLAP, &|| copy(image, image, &THREE, &HALF)),
            ("copy beyond", cl::CL_INVALID_VALUE, &|| copy(image, hidden, &THREE, &ALL)),
            ("copy to a buffer as image", cl::CL_INVALID_MEM_OBJECT, &|| copy(image, buffer, &ZERO, &TEXEL)),
            ("copy more than the buffer has", cl::CL_INVALID_VALUE, &|| out(&ALL, 0)),
            ("copy behind the buffer", cl::CL_INVALID_VALUE, &|| out(&TEXEL, 61)),
            ("copy a texel", 0, &|| out(&TEXEL, 60)),
            ("map with bad flags", cl::CL_INVALID_VALUE, &|| map(image, 8, &ALL, row)),
            ("map what is hidden", cl::CL_INVALID_OPERATION, &|| map(hidden, 1, &ALL, row)),
            ("map without a place for the pitch", cl::CL_INVALID_VALUE, &|| map(image, 1, &ALL, null_mut())),
            ("map a buffer", cl::CL_INVALID_MEM_OBJECT, &|| map(buffer, 1, &ALL, row)),
            ("an image as buffer", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueReadBuffer(queue, image, 1, 0, 4, memory, 0, null(), null_mut())
            }),
            ("image info of a buffer", cl::CL_INVALID_MEM_OBJECT, &|| {
                clGetImageInfo(buffer, cl::CL_IMAGE_WIDTH, 0, null_mut(), null_mut())
            }),
        ]);
        for mem in [image, other, hidden, buffer] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}

#[test]
fn kernel_arguments() {
    let world = World::new();
    let program = world.built(
        "kernel void k(read_only image2d_t r, write_only image2d_t w, sampler_t s, read_only image3d_t v) {
             write_imagef(w, (int2)(0), read_imagef(r, s, (float2)(0.5f)) + read_imagef(v, s, (int4)(0)));
         }",
    );
    let kernel = world.kernel(program, "k");
    let image = made(&world, RGBA8, &flat(4, 4));
    let depth = made(&world, (cl::CL_DEPTH, cl::CL_FLOAT), &flat(4, 4));
    let (read_only, err) = create(&world, cl::CL_MEM_READ_ONLY, RGBA8, &flat(4, 4), null_mut());
    assert_eq!(err, 0);
    let buffer = world.buffer(64);
    let set = |index, mem: cl::cl_mem| {
        // SAFETY: the value is a handle.
        unsafe { clSetKernelArg(kernel, index, size_of::<cl::cl_mem>(), (&raw const mem).cast()) }
    };
    check(&[
        ("buffer", cl::CL_INVALID_MEM_OBJECT, &|| set(0, buffer)),
        ("null", cl::CL_INVALID_MEM_OBJECT, &|| set(0, null_mut())),
        ("depth image", cl::CL_INVALID_ARG_VALUE, &|| set(0, depth)),
        ("flat image as volume", cl::CL_INVALID_ARG_VALUE, &|| set(3, image)),
        ("write what is read only", cl::CL_INVALID_ARG_VALUE, &|| set(1, read_only)),
        ("image as sampler", cl::CL_INVALID_SAMPLER, &|| set(2, image)),
        ("null sampler", cl::CL_INVALID_SAMPLER, &|| set(2, null_mut())),
        ("size", cl::CL_INVALID_ARG_SIZE, &|| {
            // SAFETY: nothing is read.
            unsafe { clSetKernelArg(kernel, 0, 4, (&raw const image).cast()) }
        }),
        ("read only", 0, &|| set(0, read_only)),
        ("image", 0, &|| set(1, image)),
    ]);
    // SAFETY: ours.
    unsafe {
        for mem in [image, depth, read_only, buffer] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}
