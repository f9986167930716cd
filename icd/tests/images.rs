//! Images through the C API from end to end: host memory with pitches, kernels with samplers, copies, fills, maps,
//! images in buffers.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::{image_desc as desc, *};

fn format(order: u32, data_type: u32) -> cl::cl_image_format {
    cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type }
}

fn image(
    world: &World,
    flags: u64,
    format: cl::cl_image_format,
    desc: &cl::cl_image_desc,
    host: *mut c_void,
) -> cl::cl_mem {
    let mut err = 1;
    // SAFETY: the descriptions are valid, the host memory is as large as they say.
    let image = unsafe { clCreateImage(world.context, flags, &raw const format, desc, host, &raw mut err) };
    assert_eq!(err, 0);
    image
}

fn read(world: &World, image: cl::cl_mem, region: [usize; 3], bytes: usize) -> Vec<u8> {
    let mut out = vec![0u8; bytes];
    let (zero, to) = ([0usize; 3], out.as_mut_ptr().cast());
    // SAFETY: `out` has room for the packed region.
    let status = unsafe {
        clEnqueueReadImage(world.queue, image, 1, zero.as_ptr(), region.as_ptr(), 0, 0, to, 0, null(), null_mut())
    };
    assert_eq!(status, 0);
    out
}

fn set<T>(kernel: cl::cl_kernel, index: u32, value: &T) {
    // SAFETY: the value has this size.
    assert_eq!(unsafe { clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()) }, 0);
}

fn release(mems: &[cl::cl_mem]) {
    for &mem in mems {
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseMemObject(mem) }, 0);
    }
}

#[test]
fn a_kernel_samples_host_memory_and_writes_what_a_map_shows() {
    const W: usize = 16;
    const H: usize = 8;
    const PITCH: usize = 80;
    let world = World::new();
    // Rows of 16 RGBA texels of 4 bytes, 80 bytes apart.
    let mut bytes: Vec<u8> = (0..PITCH * H).map(|i| (i * 7 + i / PITCH) as u8).collect();
    let flat = desc(cl::CL_MEM_OBJECT_IMAGE2D, [W, H, 0, 0]);
    let pitched = cl::cl_image_desc { image_row_pitch: PITCH, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [W, H, 0, 0]) };
    let rgba8 = || format(cl::CL_RGBA, cl::CL_UNORM_INT8);
    let source =
        image(&world, cl::CL_MEM_READ_ONLY | cl::CL_MEM_USE_HOST_PTR, rgba8(), &pitched, bytes.as_mut_ptr().cast());
    let copied =
        image(&world, cl::CL_MEM_READ_ONLY | cl::CL_MEM_COPY_HOST_PTR, rgba8(), &pitched, bytes.as_mut_ptr().cast());
    let target = image(&world, cl::CL_MEM_READ_WRITE, format(cl::CL_RGBA, cl::CL_FLOAT), &flat, null_mut());
    let program = world.built(
        "float4 at(read_only image2d_t im, sampler_t s, int2 p) {
             return read_imagef(im, s, (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(im)));
         }
         kernel void k(read_only image2d_t a, write_only image2d_t b, sampler_t s) {
             int2 p = (int2)(get_global_id(0), get_global_id(1));
             write_imagef(b, p, at(a, s, p) * 255.0f);
         }",
    );
    let kernel = world.kernel(program, "k");
    let mut err = 1;
    // SAFETY: pointers are null or valid.
    unsafe {
        let sampler =
            clCreateSampler(world.context, cl::CL_TRUE, cl::CL_ADDRESS_REPEAT, cl::CL_FILTER_LINEAR, &raw mut err);
        assert_eq!(err, 0);
        for from in [source, copied] {
            set(kernel, 0, &from);
            set(kernel, 1, &target);
            set(kernel, 2, &sampler);
            let sizes = [W, H];
            let (queue, offset) = (world.queue, null());
            let status =
                clEnqueueNDRangeKernel(queue, kernel, 2, offset, sizes.as_ptr(), null(), 0, null(), null_mut());
            assert_eq!(status, 0);
            let (origin, region) = ([1usize, 2, 0], [W - 1, H - 2, 1]);
            let (mut row, mut slice) = (0usize, 7usize);
            let (o, r, none) = (origin.as_ptr(), region.as_ptr(), null_mut());
            let (row_at, slice_at, e) = (&raw mut row, &raw mut slice, &raw mut err);
            let map = clEnqueueMapImage(queue, target, 1, cl::CL_MAP_READ, o, r, row_at, slice_at, 0, null(), none, e);
            assert_eq!((err, row, slice), (0, W * 16, 0));
            for y in 2..H {
                for x in 1..W {
                    let texel = map.cast::<u8>().add((y - 2) * row + (x - 1) * 16).cast::<[f32; 4]>().read_unaligned();
                    for (c, got) in texel.into_iter().enumerate() {
                        let want = f32::from(bytes[y * PITCH + x * 4 + c]);
                        assert!((got - want).abs() < 0.01, "texel {x}, {y}: {texel:?}, channel {c} should be {want}");
                    }
                }
            }
            assert_eq!(clEnqueueUnmapMemObject(queue, target, map, 0, null(), none), 0);
            assert_eq!(clFinish(queue), 0);
        }
        let mut answer = [0usize; 2];
        for (name, want) in [(cl::CL_IMAGE_ROW_PITCH, PITCH), (cl::CL_IMAGE_WIDTH, W), (cl::CL_IMAGE_SLICE_PITCH, 0)] {
            assert_eq!(clGetImageInfo(source, name, 8, answer.as_mut_ptr().cast(), null_mut()), 0);
            assert_eq!(answer[0], want);
        }
        assert_eq!(clReleaseSampler(sampler), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    release(&[source, copied, target]);
}

#[test]
fn regions_move_between_images_and_buffers() {
    let world = World::new();
    let u8s = || format(cl::CL_R, cl::CL_UNSIGNED_INT8);
    let volume = image(&world, 0, u8s(), &desc(cl::CL_MEM_OBJECT_IMAGE3D, [4, 3, 2, 0]), null_mut());
    let layers = image(&world, 0, u8s(), &desc(cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 0, 0, 5]), null_mut());
    let flat = image(&world, 0, u8s(), &desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 3, 0, 0]), null_mut());
    let buffer = world.buffer(64);
    let queue = world.queue;
    let data: Vec<u8> = (0..24).collect();
    let (zero, all) = ([0usize; 3], [4usize, 3, 2]);
    let (slice, layer) = ([4usize, 3, 1], [0usize, 0, 1]);
    let mut back = [0u8; 64];
    let none = null_mut();
    // SAFETY: pointers are null or valid, and memory is as large as regions and pitches say.
    unsafe {
        let from = data.as_ptr().cast();
        let (z, a, s, l) = (zero.as_ptr(), all.as_ptr(), slice.as_ptr(), layer.as_ptr());
        assert_eq!(clEnqueueWriteImage(queue, volume, 1, z, a, 0, 0, from, 0, null(), none), 0);
        // The second slice becomes a flat image.
        assert_eq!(clEnqueueCopyImage(queue, volume, flat, l, z, s, 0, null(), none), 0);
        assert_eq!(read(&world, flat, slice, 12), data[12..]);
        // Through a buffer into layers 1 to 3 of an array, whose layers stand where rows would.
        let (at, three) = ([0usize, 1, 0], [4usize, 3, 1]);
        assert_eq!(clEnqueueCopyImageToBuffer(queue, flat, buffer, z, s, 20, 0, null(), none), 0);
        let status =
            clEnqueueCopyBufferToImage(queue, buffer, layers, 20, at.as_ptr(), three.as_ptr(), 0, null(), none);
        assert_eq!(status, 0);
        let whole = read(&world, layers, [4, 5, 1], 20);
        assert_eq!(whole[..4], [0; 4]);
        assert_eq!(whole[4..16], data[12..]);
        assert_eq!(whole[16..], [0; 4]);
        // A fill of a column, read with pitches.
        let colour = [200u32, 1, 2, 3];
        let (column, two) = ([1usize, 0, 0], [1usize, 3, 2]);
        let (c, col, t) = (colour.as_ptr().cast(), column.as_ptr(), two.as_ptr());
        assert_eq!(clEnqueueFillImage(queue, volume, c, col, t, 0, null(), none), 0);
        let to = back.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadImage(queue, volume, 1, z, a, 7, 25, to, 0, null(), none), 0);
    }
    for (i, &byte) in data.iter().enumerate() {
        let (x, y, z) = (i % 4, i / 4 % 3, i / 12);
        assert_eq!(back[z * 25 + y * 7 + x], if x == 1 { 200 } else { byte });
    }
    release(&[volume, layers, flat, buffer]);
}

#[test]
fn images_in_buffers_share_their_memory() {
    let world = World::new();
    let buffer = world.buffer(256);
    let line = cl::cl_image_desc { buffer, ..desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [64, 0, 0, 0]) };
    let square = cl::cl_image_desc { buffer, image_row_pitch: 32, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 8, 0, 0]) };
    let line = image(&world, 0, format(cl::CL_R, cl::CL_UNSIGNED_INT32), &line, null_mut());
    let square = image(&world, 0, format(cl::CL_R, cl::CL_UNSIGNED_INT32), &square, null_mut());
    let program = world.built(
        "kernel void k(write_only image1d_buffer_t out) {
             int i = get_global_id(0);
             write_imageui(out, i, (uint4)(i * i));
         }",
    );
    let kernel = world.kernel(program, "k");
    set(kernel, 0, &line);
    let mut parent: cl::cl_mem = null_mut();
    // SAFETY: pointers are null or valid.
    unsafe {
        // The last items are outside: their writes store nothing.
        let items = 100usize;
        let (queue, none) = (world.queue, null_mut());
        assert_eq!(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &raw const items, null(), 0, null(), none), 0);
        let (to, size) = ((&raw mut parent).cast(), size_of::<cl::cl_mem>());
        assert_eq!(clGetImageInfo(line, cl::CL_IMAGE_BUFFER, size, to, null_mut()), 0);
        assert_eq!(parent, buffer);
    }
    let texels: Vec<u32> = read(&world, square, [4, 8, 1], 128)
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes(c.try_into().expect("four bytes")))
        .collect();
    let want: Vec<u32> = (0..32u32).map(|i| i % 4 + i / 4 * 8).map(|i| i * i).collect();
    assert_eq!(texels, want);
    // SAFETY: ours.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    // A view keeps what it shows alive.
    release(&[buffer, line]);
    assert_eq!(read(&world, square, [1, 1, 1], 4), [0; 4]);
    release(&[square]);
}

#[test]
fn sub_groups_read_and_write_blocks_of_rows() {
    const W: usize = 40;
    const H: usize = 6;
    let world = World::new();
    let mut bytes: Vec<u8> = (0..W * H).map(|i| (i * 11 + i / W) as u8).collect();
    let flat = desc(cl::CL_MEM_OBJECT_IMAGE2D, [W / 4, H, 0, 0]);
    let rgba8 = || format(cl::CL_RGBA, cl::CL_UNSIGNED_INT8);
    let flags = cl::CL_MEM_READ_ONLY | cl::CL_MEM_COPY_HOST_PTR;
    let source = image(&world, flags, rgba8(), &flat, bytes.as_mut_ptr().cast());
    let target = image(&world, cl::CL_MEM_COPY_HOST_PTR, rgba8(), &flat, bytes.as_mut_ptr().cast());
    let program = world.built(
        "kernel __attribute__((intel_reqd_sub_group_size(8))) void k(
             read_only image2d_t a, write_only image2d_t b, global uint *words, global ushort *halves) {
             uint lane = get_sub_group_local_id();
             uint4 v = intel_sub_group_block_read4(a, (int2)(20, 3));
             vstore4(v, lane, words);
             vstore2(intel_sub_group_block_read_us2(a, (int2)(3, 1)), lane, halves);
             intel_sub_group_block_write2(b, (int2)(20, 5), ~v.xy);
         }",
    );
    let kernel = world.kernel(program, "k");
    let (words, halves) = (world.buffer(128), world.buffer(32));
    set(kernel, 0, &source);
    set(kernel, 1, &target);
    set(kernel, 2, &words);
    set(kernel, 3, &halves);
    // What is beyond the right edge is the last element of the row, what is below the last row.
    let word = |x: usize, y: usize| {
        let at = y.min(H - 1) * W + x.min(W - 4);
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    };
    let want_words: Vec<u8> =
        (0..8).flat_map(|lane| (0..4).flat_map(move |k| word(20 + 4 * lane, 3 + k).to_le_bytes())).collect();
    let want_halves: Vec<u8> = (0..8)
        .flat_map(|lane| [1, 2].map(|y| y * W + 3 + 2 * lane))
        .flat_map(|at| [bytes[at], bytes[at + 1]])
        .collect();
    let mut want_image = bytes.clone();
    for lane in 0..5 {
        let at = 5 * W + 20 + 4 * lane;
        want_image[at..at + 4].copy_from_slice(&(!word(20 + 4 * lane, 3)).to_le_bytes());
    }
    let (mut got_words, mut got_halves) = (vec![0u8; 128], vec![0u8; 32]);
    // SAFETY: pointers are null or valid.
    unsafe {
        let items = 8usize;
        let (queue, none) = (world.queue, null_mut());
        let size = &raw const items;
        assert_eq!(clEnqueueNDRangeKernel(queue, kernel, 1, null(), size, size, 0, null(), none), 0);
        assert_eq!(clEnqueueReadBuffer(queue, words, 1, 0, 128, got_words.as_mut_ptr().cast(), 0, null(), none), 0);
        assert_eq!(clEnqueueReadBuffer(queue, halves, 1, 0, 32, got_halves.as_mut_ptr().cast(), 0, null(), none), 0);
    }
    assert_eq!((got_words, got_halves), (want_words, want_halves));
    assert_eq!(read(&world, target, [W / 4, H, 1], W * H), want_image);
    // SAFETY: ours.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    release(&[source, target, words, halves]);
}

#[test]
fn formats_hold_what_the_full_profile_demands() {
    let world = World::new();
    let kinds = [
        cl::CL_MEM_OBJECT_IMAGE1D,
        cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
        cl::CL_MEM_OBJECT_IMAGE2D,
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        cl::CL_MEM_OBJECT_IMAGE3D,
    ];
    for kind in kinds {
        for flags in [cl::CL_MEM_READ_ONLY, cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_WRITE, 1 << 12] {
            let (mut list, mut n) = ([[0u32; 2]; 200], 0u32);
            let to = list.as_mut_ptr().cast();
            // SAFETY: 200 entries have room.
            assert_eq!(unsafe { clGetSupportedImageFormats(world.context, flags, kind, 200, to, &raw mut n) }, 0);
            let list = &list[..n as usize];
            for wanted in [[cl::CL_RGBA, cl::CL_UNORM_INT8], [cl::CL_BGRA, cl::CL_UNORM_INT8], [cl::CL_R, cl::CL_FLOAT]]
            {
                assert!(list.contains(&wanted), "{kind:#x} {flags:#x} lacks {wanted:x?}");
            }
            let holds_depth = kind == cl::CL_MEM_OBJECT_IMAGE2D || kind == cl::CL_MEM_OBJECT_IMAGE2D_ARRAY;
            assert_eq!(list.contains(&[cl::CL_DEPTH, cl::CL_FLOAT]), holds_depth);
        }
    }
}

#[test]
fn one_kernel_reads_and_writes_images_of_all_formats_turn_by_turn() {
    let world = World::new();
    let program = world.built(
        "kernel void k(read_only image2d_t a, write_only image2d_t b, read_only image2d_t c, sampler_t s, global float4 *out) {
             int2 p = (int2)(get_global_id(0), get_global_id(1));
             int i = p.y * get_global_size(0) + p.x;
             out[i] = read_imagef(a, s, convert_float2(p) + 0.5f);
             write_imagef(b, p, (float4)(0, 1, 0, 1));
             out[i + get_global_size(0) * get_global_size(1)] = read_imagef(c, p);
         }",
    );
    let kernel = world.kernel(program, "k");
    const N: usize = 20;
    let (mut list, mut n, mut err) = ([[0u32; 2]; 200], 0u32, 1);
    let (kind, to) = (cl::CL_MEM_OBJECT_IMAGE2D, list.as_mut_ptr().cast());
    // SAFETY: pointers are null or valid.
    let out = unsafe {
        let flags = cl::CL_MEM_READ_WRITE;
        assert_eq!(clGetSupportedImageFormats(world.context, flags, kind, 200, to, &raw mut n), 0);
        clCreateBuffer(world.context, flags, 2 * N * N * 16, null_mut(), &raw mut err)
    };
    assert_eq!(err, 0);
    let flat = desc(kind, [N, N, 0, 0]);
    // What a colour is after a way through a texel, by channel order.
    let through = |order: u32, [r, g, b, a]: [f32; 4]| match order {
        0x10B0 => [r, 0.0, 0.0, 1.0],
        0x10B1 => [0.0, 0.0, 0.0, a],
        0x10B2 => [r, g, 0.0, 1.0],
        0x10B3 => [r, 0.0, 0.0, a],
        0x10B4 => [r, g, b, 1.0],
        0x10B8 => [r; 4],
        0x10B9 => [r, r, r, 1.0],
        _ => [r, g, b, a],
    };
    let is_integer = |data_type: u32| matches!(data_type, 0x10D7..=0x10DC | 0x10E6..=0x10E8);
    let formats: Vec<[u32; 2]> =
        list[..n as usize].iter().copied().filter(|f| !is_integer(f[1]) && f[0] != cl::CL_DEPTH).collect();
    assert!(formats.len() > 40);
    // Twice, so that code that was made before serves again.
    for (turn, &[order, data_type]) in formats.iter().chain(&formats).enumerate() {
        let from = image(&world, cl::CL_MEM_READ_WRITE, format(order, data_type), &flat, null_mut());
        let target = image(&world, cl::CL_MEM_READ_WRITE, format(order, data_type), &flat, null_mut());
        // A second launch reads what the first one wrote.
        let launches = 1 + turn % 2;
        let mut results = vec![[0f32; 4]; 2 * N * N];
        // SAFETY: pointers are null or valid.
        unsafe {
            let filter = [cl::CL_FILTER_NEAREST, cl::CL_FILTER_LINEAR][turn % 2];
            let sampler = clCreateSampler(world.context, 0, cl::CL_ADDRESS_CLAMP_TO_EDGE, filter, &raw mut err);
            assert_eq!(err, 0);
            let (queue, colour) = (world.queue, [1.0f32, 0.0, 1.0, 0.0]);
            let (origin, region, none) = ([0usize; 3], [N, N, 1], null_mut());
            for im in [from, target] {
                let (colour, origin, region) = (colour.as_ptr().cast(), origin.as_ptr(), region.as_ptr());
                assert_eq!(clEnqueueFillImage(queue, im, colour, origin, region, 0, null(), none), 0);
            }
            set(kernel, 0, &from);
            set(kernel, 1, &target);
            set(kernel, 2, &from);
            set(kernel, 3, &sampler);
            set(kernel, 4, &out);
            let sizes = [N, N];
            for _ in 0..launches {
                let sizes = sizes.as_ptr();
                assert_eq!(clEnqueueNDRangeKernel(queue, kernel, 2, null(), sizes, null(), 0, null(), none), 0);
                set(kernel, 2, &target);
            }
            let to = results.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(queue, out, 1, 0, 2 * N * N * 16, to, 0, null(), none), 0);
            assert_eq!(clReleaseSampler(sampler), 0);
        }
        let read = through(order, [1.0, 0.0, 1.0, 0.0]);
        let copied = if launches == 1 { read } else { through(order, [0.0, 1.0, 0.0, 1.0]) };
        for (i, &got) in results.iter().enumerate() {
            let want = if i < N * N { read } else { copied };
            assert_eq!(got, want, "{order:x} {data_type:x} at {i} in turn {turn}");
        }
        release(&[from, target]);
    }
    release(&[out]);
    // SAFETY: ours.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// cl_ext_image_from_buffer: kernels, commands and the buffer see the same bytes, whatever the type.
#[test]
fn images_of_every_type_lie_in_buffers() {
    let world = World::new();
    for (kind, sizes, pitches, region) in [
        (cl::CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0], [0, 0], [5, 1, 1]),
        // Nothing lies behind its one row.
        (cl::CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0], [4096, 0], [5, 1, 1]),
        (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 3], [32, 64], [5, 3, 1]),
        (cl::CL_MEM_OBJECT_IMAGE2D, [5, 4, 0, 0], [32, 0], [5, 4, 1]),
        (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 4, 0, 3], [32, 160], [5, 4, 3]),
        (cl::CL_MEM_OBJECT_IMAGE3D, [5, 4, 3, 0], [24, 96], [5, 4, 3]),
    ] {
        let bytes: Vec<u8> = (0..1024).map(|i| (i * 7 + i / 256) as u8).collect();
        let (flags, mut err) = (cl::CL_MEM_READ_WRITE | cl::CL_MEM_COPY_HOST_PTR, 1);
        // SAFETY: `bytes` has as many as are copied.
        let buffer =
            unsafe { clCreateBuffer(world.context, flags, 1024, bytes.as_ptr().cast_mut().cast(), &raw mut err) };
        assert_eq!(err, 0);
        let desc = cl::cl_image_desc {
            image_row_pitch: pitches[0],
            image_slice_pitch: pitches[1],
            buffer,
            ..desc(kind, sizes)
        };
        let view = image(&world, 0, format(cl::CL_RGBA, cl::CL_UNSIGNED_INT8), &desc, null_mut());
        let (row, slice) = match kind {
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => (pitches[1], 0),
            _ => (pitches[0], pitches[1]),
        };
        let place = |x: usize, y: usize, z: usize| 4 * x + y * row + z * slice;
        let texels: Vec<[usize; 3]> = (0..region[2])
            .flat_map(|z| (0..region[1]).flat_map(move |y| (0..region[0]).map(move |x| [x, y, z])))
            .collect();
        let want: Vec<u8> = texels.iter().flat_map(|&[x, y, z]| bytes[place(x, y, z)..][..4].to_vec()).collect();
        assert_eq!(read(&world, view, region, want.len()), want, "{kind:x}");
        let colour = [1u32, 2, 3, 4];
        let (origin, none) = ([0usize; 3], null_mut());
        let mut found = vec![0u8; 1024];
        // SAFETY: pointers are valid.
        unsafe {
            let (colour, origin, region) = (colour.as_ptr().cast(), origin.as_ptr(), region.as_ptr());
            assert_eq!(clEnqueueFillImage(world.queue, view, colour, origin, region, 0, null(), none), 0);
            let to = found.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(world.queue, buffer, 1, 0, 1024, to, 0, null(), none), 0);
            let (mut parent, to) = (null_mut::<c_void>(), cl::CL_MEM_ASSOCIATED_MEMOBJECT);
            assert_eq!(clGetMemObjectInfo(view, to, 8, (&raw mut parent).cast(), null_mut()), 0);
            assert_eq!(parent, buffer);
        }
        // SAFETY: handles are live; the bytes behind the image's are the buffer's.
        unsafe {
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            let code = clEnqueueCopyImageToBuffer(world.queue, view, buffer, origin, region, 768, 0, null(), none);
            assert_eq!((code, clFinish(world.queue)), (0, 0), "{kind:x}");
        }
        let mut want = bytes;
        texels.iter().for_each(|&[x, y, z]| want[place(x, y, z)..][..4].copy_from_slice(&[1, 2, 3, 4]));
        assert_eq!(found, want, "{kind:x}: texels are filled and nothing else");
        release(&[view, buffer]);
    }
}

/// The source with its images' levels said where OpenCL C cannot: of a read without a sampler, and of the sizes.
/// ```c
/// kernel void look(read_only image2d_t im, int level, sampler_t s, global float *out) {
///     out[0] = read_imagef(im, (int2)(0, 0)).x;           // Lod level
///     out[1] = get_image_width(im);                       // of level
///     out[2] = get_image_height(im);                      // of level
///     out[3] = read_imagef(im, s, (float2)(0.5f, 0.5f), (float)level).x;
///     float2 d = (float2)(exp2((float)level) / 8.0f, 0.0f);
///     out[4] = read_imagef(im, s, (float2)(0.5f, 0.5f), d, d).x;
///     out[5] = get_image_num_mip_levels(im);
/// }
/// kernel void put(write_only image2d_t im, int level, float x) {
///     write_imagef(im, (int2)(get_global_id(0), get_global_id(1)), level, (float4)(x));
/// }
/// ```
#[test]
fn modules_read_and_write_levels() {
    let world = World::new();
    let desc = cl::cl_image_desc { num_mip_levels: 4, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [8, 4, 0, 0]) };
    let mem = image(&world, 0, format(cl::CL_RGBA, cl::CL_FLOAT), &desc, null_mut());
    let il = include_bytes!("modules/levels.spv");
    let (out, none, mut err) = (world.buffer(24), null_mut(), 1);
    // SAFETY: pointers are null or valid, sizes are those of what is there.
    unsafe {
        let program = clCreateProgramWithIL(world.context, il.as_ptr().cast(), il.len(), &raw mut err);
        assert_eq!((err, clBuildProgram(program, 1, &raw const world.device, null(), None, null_mut())), (0, 0));
        let sampler =
            clCreateSampler(world.context, 1, cl::CL_ADDRESS_CLAMP_TO_EDGE, cl::CL_FILTER_NEAREST, &raw mut err);
        assert_eq!(err, 0);
        let (put, look) = (world.kernel(program, "put"), world.kernel(program, "look"));
        set(put, 0, &mem);
        set(look, 0, &mem);
        set(look, 2, &sampler);
        set(look, 3, &out);
        for level in 0..4i32 {
            set(put, 1, &level);
            set(put, 2, &(level as f32 + 0.5));
            let items = [8usize, 4];
            assert_eq!(clEnqueueNDRangeKernel(world.queue, put, 2, null(), items.as_ptr(), null(), 0, null(), none), 0);
        }
        // Behind the last level the last one is read.
        for level in [0, 1, 2, 3, 9, -1i32] {
            set(look, 1, &level);
            let (one, mut got) = (1usize, [0f32; 6]);
            assert_eq!(
                clEnqueueNDRangeKernel(world.queue, look, 1, null(), &raw const one, null(), 0, null(), none),
                0
            );
            let to = got.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(world.queue, out, 1, 0, 24, to, 0, null(), none), 0);
            let at = if level < 0 { 3 } else { level.min(3) };
            let (value, size) = (at as f32 + 0.5, |n: i32| (n >> at).max(1) as f32);
            assert_eq!(got[..3], [value, size(8), size(4)], "level {level}");
            assert_eq!(got[5], 4.0);
            if level >= 0 {
                assert_eq!(got[3..5], [value; 2], "samples of level {level}");
            }
        }
        for kernel in [put, look] {
            assert_eq!(clReleaseKernel(kernel), 0);
        }
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseSampler(sampler), 0);
    }
    release(&[mem, out]);
}
