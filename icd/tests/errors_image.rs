//! Bad input to images, samplers and commands on images: each condition with its code. And what the queries say of good
//! ones.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const RW: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE;
const RGBA8: (u32, u32) = (cl::CL_RGBA, cl::CL_UNORM_INT8);

fn desc(image_type: u32, sizes: [usize; 4], [row, slice]: [usize; 2]) -> cl::cl_image_desc {
    cl::cl_image_desc { image_row_pitch: row, image_slice_pitch: slice, ..image_desc(image_type, sizes) }
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
        ("more mip levels than sizes", bad_desc, &|| {
            code(RW, RGBA8, &cl::cl_image_desc { num_mip_levels: 4, ..flat(4, 7) }, null_mut())
        }),
        ("mip levels of depth", 0, &|| {
            code(RW, (cl::CL_DEPTH, cl::CL_FLOAT), &cl::cl_image_desc { num_mip_levels: 2, ..flat(4, 4) }, null_mut())
        }),
        ("mip levels in a buffer", bad_desc, &|| {
            let desc = cl::cl_image_desc { num_mip_levels: 2, ..desc(d2, [8, 8, 0, 0], [64, 0]) };
            code(0, RGBA8, &of(buffer, desc), null_mut())
        }),
        ("mip levels of host memory", cl::CL_INVALID_HOST_PTR, &|| {
            code(using, RGBA8, &cl::cl_image_desc { num_mip_levels: 2, ..flat(4, 4) }, host)
        }),
        ("mip levels", 0, &|| code(RW, RGBA8, &cl::cl_image_desc { num_mip_levels: 3, ..flat(4, 7) }, null_mut())),
        ("samples", bad_desc, &|| code(RW, RGBA8, &cl::cl_image_desc { num_samples: 2, ..flat(4, 4) }, null_mut())),
        ("alpha first but not its order", bad_format, &|| code(RW, (cl::CL_RGBA, 0x10E5), &flat(4, 4), null_mut())),
        ("padded, in an order that is not", bad_format, &|| code(RW, (cl::CL_BGRA, 0x10E1), &flat(4, 4), null_mut())),
        ("odd pitch in a buffer", bad_format, &|| {
            code(0, RGBA8, &of(buffer, desc(d2, [4, 4, 0, 0], [18, 0])), null_mut())
        }),
        ("odd slices in a buffer", bad_format, &|| {
            code(0, RGBA8, &of(buffer, desc(d3, [4, 4, 2, 0], [16, 65])), null_mut())
        }),
        ("odd memory of a buffer", bad_format, &|| {
            // SAFETY: the memory lives on, and is as large as the size says.
            unsafe {
                let (mut err, odd) = (1, host.byte_add(1));
                let buffer = clCreateBuffer(world.context, using, 64, odd, &raw mut err);
                assert_eq!(err, 0);
                let err = code(0, RGBA8, &of(buffer, desc(line, [4, 0, 0, 0], [0; 2])), null_mut());
                clReleaseMemObject(buffer);
                err
            }
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
        ("3D in a buffer", 0, &|| code(RW, RGBA8, &of(buffer, desc(d3, [4, 4, 64, 0], [0; 2])), null_mut())),
        ("3D in a small buffer", size, &|| code(RW, RGBA8, &of(buffer, desc(d3, [4, 4, 65, 0], [0; 2])), null_mut())),
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
        ("mip filter", cl::CL_INVALID_VALUE, &|| listed(&[cl::CL_SAMPLER_MIP_FILTER_MODE_KHR.into(), 1, 0])),
        ("no level", cl::CL_INVALID_VALUE, &|| {
            let [one, two] = [1f32, 2.0].map(|lod| u64::from(lod.to_bits()));
            listed(&[cl::CL_SAMPLER_LOD_MIN_KHR.into(), two, cl::CL_SAMPLER_LOD_MAX_KHR.into(), one, 0])
        }),
        ("level that is no number", cl::CL_INVALID_VALUE, &|| {
            listed(&[cl::CL_SAMPLER_LOD_MIN_KHR.into(), f32::NAN.to_bits().into(), 0])
        }),
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

#[test]
fn levels_of_commands() {
    let world = World::new();
    let levels = |desc| cl::cl_image_desc { num_mip_levels: 3, ..desc };
    let d1 = made(&world, RGBA8, &levels(desc(cl::CL_MEM_OBJECT_IMAGE1D, [8, 0, 0, 0], [0; 2])));
    let d2 = made(&world, RGBA8, &levels(flat(8, 8)));
    let d3 = made(&world, RGBA8, &levels(desc(cl::CL_MEM_OBJECT_IMAGE3D, [8, 8, 8, 0], [0; 2])));
    let mut bytes = [0u8; 4096];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: the origins have as many numbers as the images want, memory has room for any region.
    unsafe {
        let read = |image, origin: &[usize], region: [usize; 3]| {
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            clEnqueueReadImage(world.queue, image, 1, origin, region, 0, 0, memory, 0, null(), null_mut())
        };
        let fill = |image, origin: &[usize]| {
            let region = [1usize; 3];
            clEnqueueFillImage(world.queue, image, memory, origin.as_ptr(), region.as_ptr(), 0, null(), null_mut())
        };
        let copy = |from, to, from_at: &[usize], to_at: &[usize], region: [usize; 3]| {
            let (from_at, to_at, region) = (from_at.as_ptr(), to_at.as_ptr(), region.as_ptr());
            clEnqueueCopyImage(world.queue, from, to, from_at, to_at, region, 0, null(), null_mut())
        };
        let map = |image, origin: &[usize]| {
            let (region, mut row, mut slice) = ([1usize; 3], 0usize, 0usize);
            let (origin, region, row, slice) = (origin.as_ptr(), region.as_ptr(), &raw mut row, &raw mut slice);
            code_of(|err| {
                let event = null_mut();
                clEnqueueMapImage(world.queue, image, 1, 1, origin, region, row, slice, 0, null(), event, err)
            })
        };
        check(&[
            ("level 3 of a line", cl::CL_INVALID_MIP_LEVEL, &|| read(d1, &[0, 3, 0], [1, 1, 1])),
            ("level 3", cl::CL_INVALID_MIP_LEVEL, &|| read(d2, &[0, 0, 3], [1, 1, 1])),
            ("level 3 of a volume", cl::CL_INVALID_MIP_LEVEL, &|| read(d3, &[0, 0, 0, 3], [1, 1, 1])),
            ("a level far away", cl::CL_INVALID_MIP_LEVEL, &|| read(d3, &[0, 0, 0, usize::MAX], [1, 1, 1])),
            ("beyond level 2", cl::CL_INVALID_VALUE, &|| read(d2, &[0, 0, 2], [3, 2, 1])),
            ("two levels at once", cl::CL_INVALID_VALUE, &|| read(d2, &[0, 0, 1], [1, 1, 2])),
            ("all of level 2", 0, &|| read(d3, &[0, 0, 0, 2], [2, 2, 2])),
            ("fill level 3", cl::CL_INVALID_MIP_LEVEL, &|| fill(d2, &[0, 0, 3])),
            ("fill level 2", 0, &|| fill(d2, &[1, 1, 2])),
            ("copy from level 3", cl::CL_INVALID_MIP_LEVEL, &|| copy(d2, d1, &[0, 0, 3], &[0, 0, 0], [1, 1, 1])),
            ("copy to level 3", cl::CL_INVALID_MIP_LEVEL, &|| copy(d2, d1, &[0, 0, 0], &[0, 3, 0], [1, 1, 1])),
            ("copy onto itself", cl::CL_MEM_COPY_OVERLAP, &|| copy(d2, d2, &[0, 0, 1], &[1, 0, 1], [2, 2, 1])),
            ("copy to the next level", 0, &|| copy(d2, d2, &[0, 0, 0], &[0, 0, 1], [4, 4, 1])),
            ("map level 3", cl::CL_INVALID_MIP_LEVEL, &|| map(d2, &[0, 0, 3])),
            ("an image of an image with levels", cl::CL_INVALID_IMAGE_DESCRIPTOR, &|| {
                let (image, err) = create(&world, RW, RGBA8, &of(d2, flat(8, 8)), null_mut());
                assert!(image.is_null());
                err
            }),
        ]);
        for mem in [d1, d2, d3] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}

#[test]
fn requirements() {
    let world = World::new();
    let ask = |properties: &[u64], flags, format: Option<(u32, u32)>, desc: Option<&cl::cl_image_desc>, name| {
        let format =
            format.map(|(order, ty)| cl::cl_image_format { image_channel_order: order, image_channel_data_type: ty });
        let format = format.as_ref().map_or(null(), std::ptr::from_ref);
        let (desc, properties) = (desc.map_or(null(), std::ptr::from_ref), properties.as_ptr());
        let mut value = 0u64;
        let to = (&raw mut value).cast();
        // SAFETY: pointers are null or valid.
        unsafe { get_requirements_info(world.context, properties, flags, format, desc, name, 8, to, null_mut()) }
    };
    let (pitch, bytes) = (cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT);
    let (height, depth) = (cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT);
    let (width, layers) = (cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT);
    let line = desc(cl::CL_MEM_OBJECT_IMAGE1D, [4, 0, 0, 0], [0; 2]);
    let (bad_desc, bad_format) = (cl::CL_INVALID_IMAGE_DESCRIPTOR, cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let square = flat(4, 4);
    check(&[
        ("property", cl::CL_INVALID_PROPERTY, &|| ask(&[0x7777, 1, 0], RW, None, None, pitch)),
        ("flags", cl::CL_INVALID_VALUE, &|| ask(&[0], 1 << 40, None, None, pitch)),
        ("contradicting flags", cl::CL_INVALID_VALUE, &|| ask(&[0], RW | cl::CL_MEM_READ_ONLY, None, None, pitch)),
        ("format", bad_format, &|| ask(&[0], RW, Some((cl::CL_RGBA, 1)), None, pitch)),
        ("format that no image has", bad_format, &|| ask(&[0], RW, Some((cl::CL_RGB, cl::CL_FLOAT)), None, pitch)),
        ("depth of a line", bad_format, &|| ask(&[0], RW, Some((cl::CL_DEPTH, cl::CL_FLOAT)), Some(&line), pitch)),
        ("type", bad_desc, &|| ask(&[0], RW, None, Some(&desc(1, [4; 4], [0; 2])), pitch)),
        ("sizes", bad_desc, &|| ask(&[0], RW, None, Some(&flat(0, 4)), pitch)),
        ("mip levels", bad_desc, &|| {
            ask(&[0], RW, None, Some(&cl::cl_image_desc { num_mip_levels: 4, ..flat(4, 4) }), pitch)
        }),
        ("samples", bad_desc, &|| {
            let samples = cl::cl_image_desc { num_samples: 5, ..square };
            let codes = [width, bytes].map(|name| ask(&[0], RW, Some(RGBA8), Some(&samples), name));
            if codes[0] == codes[1] { codes[0] } else { 0 }
        }),
        ("levels of a 1D image buffer", bad_desc, &|| {
            let line = desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [4, 0, 0, 0], [0; 2]);
            ask(&[0], RW, Some(RGBA8), Some(&cl::cl_image_desc { num_mip_levels: 2, ..line }), width)
        }),
        ("width beside too many levels", bad_desc, &|| {
            ask(&[0], RW, None, Some(&cl::cl_image_desc { num_mip_levels: 77, ..square }), width)
        }),
        ("height beside half a texel", bad_desc, &|| {
            ask(&[0], RW, Some(RGBA8), Some(&cl::cl_image_desc { image_row_pitch: 18, ..square }), height)
        }),
        ("width beside some levels", 0, &|| {
            ask(&[0], RW, None, Some(&cl::cl_image_desc { num_mip_levels: 3, ..square }), width)
        }),
        ("no type", bad_desc, &|| ask(&[0], RW, None, Some(&desc(0, [4; 4], [0; 2])), pitch)),
        ("size without format", cl::CL_INVALID_VALUE, &|| ask(&[0], RW, None, Some(&square), bytes)),
        ("size without description", cl::CL_INVALID_VALUE, &|| ask(&[0], RW, Some(RGBA8), None, bytes)),
        ("height of a line", bad_desc, &|| ask(&[0], RW, None, Some(&line), height)),
        ("depth of a square", bad_desc, &|| ask(&[0], RW, None, Some(&square), depth)),
        ("layers of a square", bad_desc, &|| ask(&[0], RW, None, Some(&square), layers)),
        ("height beside too large a width", bad_desc, &|| ask(&[0], RW, None, Some(&flat(usize::MAX, 0)), height)),
        ("height of any type", 0, &|| ask(&[0], 0, None, Some(&desc(0, [0; 4], [0; 2])), height)),
        ("any alignment", 0, &|| ask(&[0], 0, None, None, pitch)),
    ]);
}
