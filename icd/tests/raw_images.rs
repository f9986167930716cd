//! cl_ext_image_raw10_raw12: rows of numbers of 10 and 12 bits that share bytes, as image sensors give them. Kernels
//! read them; the host and commands move them in blocks.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::{image_desc as desc, *};

const RAW10: u32 = cl::CL_UNSIGNED_INT_RAW10_EXT;
const RAW12: u32 = cl::CL_UNSIGNED_INT_RAW12_EXT;
const READ_ONLY: u64 = cl::CL_MEM_READ_ONLY;

/// Texels of a block, and lower bits of each.
fn block(data_type: u32) -> (usize, u32) {
    if data_type == RAW10 { (4, 2) } else { (2, 4) }
}

/// Numbers that differ in all their bits.
fn numbers(data_type: u32, n: usize) -> Vec<u32> {
    let (_, low) = block(data_type);
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) & ((0x100 << low) - 1)).collect()
}

/// The bytes of rows of so many numbers, one row behind the other, each of `pitch` bytes or packed.
fn packed(data_type: u32, values: &[u32], width: usize, pitch: usize) -> Vec<u8> {
    let (n, low) = block(data_type);
    let row = |row: &[u32]| {
        let mut bytes = Vec::new();
        for block in row.chunks(n) {
            bytes.extend(block.iter().map(|value| (value >> low) as u8));
            let rest = block.iter().rev().fold(0, |bits, value| bits << low | value & ((1 << low) - 1));
            bytes.push(rest as u8);
        }
        bytes.resize(bytes.len().max(pitch), 0xee);
        bytes
    };
    values.chunks(width).flat_map(row).collect()
}

fn image(world: &World, flags: u64, data_type: u32, desc: &cl::cl_image_desc, host: Option<&[u8]>) -> cl::cl_mem {
    let format = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: data_type };
    let (mut err, host) = (1, host.map_or(null_mut(), |bytes| bytes.as_ptr().cast_mut().cast()));
    // SAFETY: the descriptions are valid, the host memory is as large as they say.
    let image = unsafe { clCreateImage(world.context, flags, &raw const format, desc, host, &raw mut err) };
    assert_eq!(err, 0);
    image
}

fn set<T>(kernel: cl::cl_kernel, index: u32, value: &T) {
    // SAFETY: the value has this size.
    assert_eq!(unsafe { clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()) }, 0);
}

fn release(mems: &[cl::cl_mem]) {
    // SAFETY: ours.
    mems.iter().for_each(|&mem| assert_eq!(unsafe { clReleaseMemObject(mem) }, 0));
}

/// Nine images, as code is made for the formats of the first eight only.
fn source(shape: &str, at: &str, far: &str) -> String {
    let images: Vec<String> = (0..9).map(|i| format!("read_only image{shape} im{i}")).collect();
    let sampled = |at: &str| {
        if shape == "1d_buffer_t" { "(uint4)(0, 0, 0, 1)".into() } else { format!("read_imageui(im8, s, {at})") }
    };
    format!(
        "kernel void look({}, sampler_t s, global uint4 *out) {{
             int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
             int i = (z * get_global_size(1) + y) * get_global_size(0) + x;
             out[4 * i] = read_imageui(im0, {at});
             out[4 * i + 1] = read_imageui(im8, {at});
             out[4 * i + 2] = {};
             out[4 * i + 3] = {};
             if (get_image_channel_data_type(im0) == CLK_UNSIGNED_INT_RAW10_EXT) out[4 * i].y += 10;
             if (get_image_channel_data_type(im8) == CLK_UNSIGNED_INT_RAW12_EXT) out[4 * i].y += 12;
         }}",
        images.join(", "),
        if shape == "1d_buffer_t" { format!("read_imageui(im8, {at})") } else { sampled(at) },
        sampled(far),
    )
}

/// Every texel of an image of this shape, as a kernel sees it in several ways.
fn looked_at(
    world: &World,
    [shape, at, far]: [&str; 3],
    region: [usize; 3],
    image: cl::cl_mem,
    data_type: u32,
) -> Vec<u32> {
    let n: usize = region.iter().product();
    let program =
        world.built(&format!("#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n{}", source(shape, at, far)));
    let (kernel, out, mut got) = (world.kernel(program, "look"), world.buffer(64 * n), vec![[[7u32; 4]; 4]; n]);
    let mut err = 1;
    // SAFETY: live handles; `got` has room.
    unsafe {
        let (clamp, nearest) = (cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
        let sampler = clCreateSampler(world.context, cl::CL_FALSE, clamp, nearest, &raw mut err);
        assert_eq!(err, 0);
        (0..9).for_each(|i| set(kernel, i, &image));
        set(kernel, 9, &sampler);
        set(kernel, 10, &out);
        let (none, sizes) = (null(), region.as_ptr());
        assert_eq!(clEnqueueNDRangeKernel(world.queue, kernel, 3, none, sizes, none, 0, null(), null_mut()), 0);
        let to = got.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, out, 1, 0, 64 * n, to, 0, null(), null_mut()), 0);
        assert_eq!(clReleaseSampler(sampler), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    release(&[out]);
    let bits = if data_type == RAW10 { 10 } else { 12 };
    for [first, ninth, sampled, border] in &got {
        let value = first[0];
        assert_eq!((first, ninth), (&[value, bits, 0, 1], &[value, 0, 0, 1]), "{shape}");
        assert_eq!((sampled, border), (ninth, &[0, 0, 0, 1]), "{shape}");
    }
    got.iter().map(|texel| texel[0][0]).collect()
}

#[test]
fn kernels_read_images_of_every_shape() {
    let world = World::new();
    let shapes = [
        (cl::CL_MEM_OBJECT_IMAGE1D, ["1d_t", "x", "-1"], [20, 0, 0, 0], [20, 1, 1]),
        (cl::CL_MEM_OBJECT_IMAGE2D, ["2d_t", "(int2)(x, y)", "(int2)(20, y)"], [20, 7, 0, 0], [20, 7, 1]),
        (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, ["1d_array_t", "(int2)(x, y)", "(int2)(-1, y)"], [20, 0, 0, 5], [20, 5, 1]),
        (
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            ["2d_array_t", "(int4)(x, y, z, 0)", "(int4)(x, -1, z, 0)"],
            [20, 7, 0, 3],
            [20, 7, 3],
        ),
        (cl::CL_MEM_OBJECT_IMAGE3D, ["3d_t", "(int4)(x, y, z, 0)", "(int4)(x, y, 3, 0)"], [20, 7, 3, 0], [20, 7, 3]),
    ];
    for data_type in [RAW10, RAW12] {
        for (image_type, words, sizes, region) in shapes {
            let values = numbers(data_type, region.iter().product());
            let mut desc = desc(image_type, sizes);
            // Rows of a size that no block divides, where there may be several.
            desc.image_row_pitch = if sizes[1] > 0 { 33 } else { 0 };
            let bytes = packed(data_type, &values, 20, desc.image_row_pitch);
            let copied = image(&world, READ_ONLY | cl::CL_MEM_COPY_HOST_PTR, data_type, &desc, Some(&bytes));
            assert_eq!(looked_at(&world, words, region, copied, data_type), values, "{words:?}");
            release(&[copied]);
        }
        // In a buffer that kernels may write.
        let values = numbers(data_type, 20);
        let (bytes, buffer) = (packed(data_type, &values, 20, 0), world.buffer(40));
        let (n, from) = (bytes.len(), bytes.as_ptr().cast());
        // SAFETY: live handles, `n` bytes.
        let code = unsafe { clEnqueueWriteBuffer(world.queue, buffer, 1, 0, n, from, 0, null(), null_mut()) };
        assert_eq!(code, 0);
        for (image_type, words) in [
            (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, ["1d_buffer_t", "x", "x"]),
            (cl::CL_MEM_OBJECT_IMAGE2D, ["2d_t", "(int2)(x, y)", "(int2)(x, 1)"]),
        ] {
            let height = usize::from(image_type == cl::CL_MEM_OBJECT_IMAGE2D);
            let desc = cl::cl_image_desc { buffer, ..desc(image_type, [20, height, 0, 0]) };
            let view = image(&world, READ_ONLY, data_type, &desc, None);
            assert_eq!(looked_at(&world, words, [20, 1, 1], view, data_type), values, "{words:?}");
            release(&[view]);
        }
        release(&[buffer]);
    }
}

/// The host writes a part, another is filled, all is copied to another image and to a buffer, read and mapped.
#[test]
fn commands_move_blocks() {
    const W: usize = 16;
    const H: usize = 6;
    let world = World::new();
    for data_type in [RAW10, RAW12] {
        let flat = desc(cl::CL_MEM_OBJECT_IMAGE2D, [W, H, 0, 0]);
        let [a, b] = [0; 2].map(|_| image(&world, READ_ONLY, data_type, &flat, None));
        let row = packed(data_type, &[0; W], W, 0).len();
        let buffer = world.buffer(row * H);
        let mut values = numbers(data_type, W * H);
        let part = numbers(data_type, 8 * 3).into_iter().map(|v| v ^ 0x155).collect::<Vec<_>>();
        for (y, x) in (0..3).flat_map(|y| (0..8).map(move |x| (y, x))) {
            values[(y + 2) * W + x + 4] = part[y * 8 + x];
        }
        let most = (0x100 << block(data_type).1) - 1;
        values[5 * W + 8..6 * W].fill(most);
        let (all, part) = (packed(data_type, &numbers(data_type, W * H), W, 0), packed(data_type, &part, 8, 24));
        let colour = [99_999u32, 1, 2, 3];
        let mut got = vec![0u8; row * H];
        let (queue, none, mut err) = (world.queue, null(), 1);
        // SAFETY: live handles; regions and memory are as large as said.
        unsafe {
            let write = |origin: [usize; 3], region: [usize; 3], pitch, bytes: &[u8]| {
                let (o, r, from) = (origin.as_ptr(), region.as_ptr(), bytes.as_ptr().cast());
                clEnqueueWriteImage(queue, a, 1, o, r, pitch, 0, from, 0, none, null_mut())
            };
            assert_eq!(write([0; 3], [W, H, 1], 0, &all), 0);
            assert_eq!(write([4, 2, 0], [8, 3, 1], 24, &part), 0);
            let (o, r) = ([8usize, 5, 0], [8usize, 1, 1]);
            let colour = colour.as_ptr().cast();
            assert_eq!(clEnqueueFillImage(queue, a, colour, o.as_ptr(), r.as_ptr(), 0, none, null_mut()), 0);
            let (zero, whole) = ([0usize; 3], [W, H, 1]);
            let (zero, whole) = (zero.as_ptr(), whole.as_ptr());
            assert_eq!(clEnqueueCopyImage(queue, a, b, zero, zero, whole, 0, none, null_mut()), 0);
            assert_eq!(clEnqueueCopyImageToBuffer(queue, b, buffer, zero, whole, 0, 0, none, null_mut()), 0);
            let want = packed(data_type, &values, W, 0);
            let to = got.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(queue, buffer, 1, 0, row * H, to, 0, none, null_mut()), 0);
            assert_eq!(got, want);
            let mut rows = vec![0u8; 40 * H];
            let to = rows.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadImage(queue, b, 1, zero, whole, 40, 0, to, 0, none, null_mut()), 0);
            assert!(rows.chunks(40).zip(want.chunks(row)).all(|(got, want)| &got[..row] == want));
            let (corner, region) = ([12usize, 1, 0], [4usize, 2, 1]);
            let (corner, region, mut pitch) = (corner.as_ptr(), region.as_ptr(), 0);
            let at = (&raw mut pitch, &raw mut err);
            let slice = null_mut();
            let map =
                clEnqueueMapImage(queue, b, 1, cl::CL_MAP_READ, corner, region, at.0, slice, 0, none, null_mut(), at.1);
            assert_eq!((err, pitch), (0, row));
            let in_row = packed(data_type, &[0; 4], 4, 0).len();
            for y in 0..2 {
                let seen = std::slice::from_raw_parts(map.cast::<u8>().add(y * pitch), in_row);
                let at = (y + 1) * W + 12;
                assert_eq!(seen, packed(data_type, &values[at..at + 4], 4, 0));
            }
            assert_eq!(clEnqueueUnmapMemObject(queue, b, map, 0, none, null_mut()), 0);
            let mut size = 0usize;
            assert_eq!(clGetImageInfo(b, cl::CL_IMAGE_ROW_PITCH, 8, (&raw mut size).cast(), null_mut()), 0);
            assert_eq!(size, row);
            assert_eq!(clGetImageInfo(b, cl::CL_IMAGE_ELEMENT_SIZE, 8, (&raw mut size).cast(), null_mut()), 0);
            assert_eq!(size, 2, "the bytes that a number of 10 or 12 bits is in");
        }
        let words = ["2d_t", "(int2)(x, y)", "(int2)(x, -1)"];
        assert_eq!(looked_at(&world, words, [W, H, 1], b, data_type), values);
        release(&[a, b, buffer]);
    }
}

/// Which flags the formats go with, and input that no image of theirs can be made or moved with.
#[test]
fn bad_input() {
    let world = World::new();
    let has = |flags: u64, data_type: u32| {
        let empty = |_| cl::cl_image_format { image_channel_order: 0, image_channel_data_type: 0 };
        let mut list: [_; 256] = std::array::from_fn(empty);
        let (mut n, to) = (0, list.as_mut_ptr());
        let ty = cl::CL_MEM_OBJECT_IMAGE2D;
        // SAFETY: 256 writable formats.
        assert_eq!(unsafe { clGetSupportedImageFormats(world.context, flags, ty, 256, to, &raw mut n) }, 0);
        let mut formats = list[..n as usize].iter();
        formats.any(|f| (f.image_channel_order, f.image_channel_data_type) == (cl::CL_R, data_type))
    };
    let create = |flags, order, data_type, sizes, levels, pitch| {
        let format = cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
        let mut desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, sizes);
        (desc.num_mip_levels, desc.image_row_pitch) = (levels, pitch);
        let bytes = [0u8; 256];
        let host = if pitch == 0 { null_mut() } else { bytes.as_ptr().cast_mut().cast() };
        let flags = if pitch == 0 { flags } else { flags | cl::CL_MEM_COPY_HOST_PTR };
        // SAFETY: valid pointers; the host's memory has 256 bytes.
        code_of(|err| unsafe {
            let mem = clCreateImage(world.context, flags, &raw const format, &raw const desc, host, err);
            clReleaseMemObject(mem);
            mem
        })
    };
    let not_here = cl::CL_IMAGE_FORMAT_NOT_SUPPORTED;
    let (bad, bad_format) = (cl::CL_INVALID_IMAGE_DESCRIPTOR, cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    for (data_type, n, bytes) in [(RAW10, 4, 5), (RAW12, 2, 3)] {
        assert!(has(READ_ONLY, data_type) && has(READ_ONLY | cl::CL_MEM_COPY_HOST_PTR, data_type));
        for flags in [0, cl::CL_MEM_READ_WRITE, cl::CL_MEM_WRITE_ONLY, 1 << 12] {
            assert!(!has(flags, data_type), "{flags:#x}");
        }
        let of_r = |flags, sizes, levels, pitch| create(flags, cl::CL_R, data_type, sizes, levels, pitch);
        let image = image(&world, READ_ONLY, data_type, &desc(cl::CL_MEM_OBJECT_IMAGE2D, [4 * n, 4, 0, 0]), None);
        let transfer = |x: usize, width: usize, pitch| {
            let (origin, region, mut to) = ([x, 0, 0], [width, 1, 1], [0u8; 64]);
            let (o, r, to) = (origin.as_ptr(), region.as_ptr(), to.as_mut_ptr().cast());
            // SAFETY: a live image; the memory is larger than a row.
            unsafe { clEnqueueReadImage(world.queue, image, 1, o, r, pitch, 0, to, 0, null(), null_mut()) }
        };
        check(&[
            ("to read", 0, &|| of_r(READ_ONLY, [4 * n, 4, 0, 0], 0, 0)),
            ("by default", not_here, &|| of_r(0, [4 * n, 4, 0, 0], 0, 0)),
            ("to write", not_here, &|| of_r(cl::CL_MEM_WRITE_ONLY, [4 * n, 4, 0, 0], 0, 0)),
            ("another order", bad_format, &|| create(READ_ONLY, cl::CL_RG, data_type, [4 * n, 4, 0, 0], 0, 0)),
            ("part of a block", bad, &|| of_r(READ_ONLY, [4 * n + 1, 4, 0, 0], 0, 0)),
            ("one mip level", 0, &|| of_r(READ_ONLY, [4 * n, 4, 0, 0], 1, 0)),
            ("mip levels", bad, &|| of_r(READ_ONLY, [4 * n, 4, 0, 0], 2, 0)),
            ("packed rows", 0, &|| of_r(READ_ONLY, [4 * n, 4, 0, 0], 0, 4 * bytes)),
            ("short rows", bad, &|| of_r(READ_ONLY, [4 * n, 4, 0, 0], 0, 4 * bytes - 1)),
            ("a block", 0, &|| transfer(n, n, 0)),
            ("from within a block", cl::CL_INVALID_VALUE, &|| transfer(1, n, 0)),
            ("a part of a block", cl::CL_INVALID_VALUE, &|| transfer(n, n - 1, 0)),
            ("outside", cl::CL_INVALID_VALUE, &|| transfer(n, 4 * n, 0)),
            ("a pitch that is too small", cl::CL_INVALID_VALUE, &|| transfer(0, 2 * n, 2 * bytes - 1)),
        ]);
        let program = world.built("kernel void f(write_only image2d_t im) { write_imageui(im, (int2)(0), 1); }");
        let kernel = world.kernel(program, "f");
        // SAFETY: live handles.
        unsafe {
            let code = clSetKernelArg(kernel, 0, 8, (&raw const image).cast());
            assert_eq!(code, cl::CL_INVALID_ARG_VALUE);
            assert_eq!(clReleaseKernel(kernel), 0);
            assert_eq!(clReleaseProgram(program), 0);
        }
        release(&[image]);
    }
}

/// cl_ext_image_requirements_info tells what such images need.
#[test]
fn requirements() {
    let world = World::new();
    let ask = |flags, width, pitch, name| {
        let format = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: RAW10 };
        let mut desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, [width, 3, 0, 0]);
        desc.image_row_pitch = pitch;
        let mut answer = 0usize;
        let (list, to, size) = (null(), (&raw mut answer).cast(), null_mut());
        let (format, desc) = (&raw const format, &raw const desc);
        // SAFETY: valid pointers, eight writable bytes.
        let code = unsafe { get_requirements_info(world.context, list, flags, format, desc, name, 8, to, size) };
        if code == 0 { Ok(answer) } else { Err(code) }
    };
    let (size, width) = (cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT, cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT);
    assert_eq!(ask(READ_ONLY, 8, 0, size), Ok(30));
    assert_eq!(ask(READ_ONLY, 8, 16, size), Ok(48));
    assert_eq!(ask(READ_ONLY, 0, 16, width), Ok(12), "three blocks fit");
    assert_eq!(ask(READ_ONLY, 6, 0, size), Err(cl::CL_INVALID_IMAGE_DESCRIPTOR));
    assert_eq!(ask(READ_ONLY, 6, 0, width), Err(cl::CL_INVALID_IMAGE_DESCRIPTOR));
    assert_eq!(ask(cl::CL_MEM_READ_WRITE, 8, 0, size), Err(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
}
