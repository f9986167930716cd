//! Pipe objects: creation, queries, arguments, and each condition of the specification with its code.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

#[test]
fn creation() {
    let world = World::new();
    let create = |flags, size, packets| {
        // SAFETY: no pointers but the status.
        code_of(|err| unsafe { clCreatePipe(world.context, flags, size, packets, null(), err) })
    };
    check(&[
        ("packet size 0", cl::CL_INVALID_PIPE_SIZE, &|| create(0, 0, 4)),
        ("packets too large", cl::CL_INVALID_PIPE_SIZE, &|| create(0, 65537, 4)),
        ("no packets", cl::CL_INVALID_PIPE_SIZE, &|| create(0, 4, 0)),
        ("more than memory", cl::CL_MEM_OBJECT_ALLOCATION_FAILURE, &|| create(0, 65536, u32::MAX)),
        ("read only", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_READ_ONLY, 4, 4)),
        ("host pointer", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_USE_HOST_PTR, 4, 4)),
        ("unknown flag", cl::CL_INVALID_VALUE, &|| create(1 << 40, 4, 4)),
        ("write only", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_WRITE_ONLY, 4, 4)),
        ("read by the host", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_HOST_READ_ONLY, 4, 4)),
        ("copied", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_COPY_HOST_PTR, 4, 4)),
        ("immutable", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_IMMUTABLE_EXT, 4, 4)),
        ("the largest packets", 0, &|| create(0, 65536, 1)),
        ("default flags", 0, &|| create(cl::CL_MEM_READ_WRITE | cl::CL_MEM_HOST_NO_ACCESS, 4, 4)),
        ("no context", cl::CL_INVALID_CONTEXT, &|| {
            // SAFETY: nothing is there.
            code_of(|err| unsafe { clCreatePipe(null_mut(), 0, 4, 4, null(), err) })
        }),
        ("properties", cl::CL_INVALID_VALUE, &|| {
            let list = [0];
            // SAFETY: the list is terminated.
            code_of(|err| unsafe { clCreatePipe(world.context, 0, 4, 4, list.as_ptr(), err) })
        }),
    ]);
}

#[test]
fn use_of_pipes() {
    let world = World::new();
    let buffer = world.buffer(64);
    let program = world.program("kernel void k(write_only pipe int p, global int *b) { write_pipe(p, b); }");
    // SAFETY: pointers are null or valid.
    unsafe {
        let options = c"-cl-std=CL3.0 -cl-kernel-arg-info".as_ptr();
        assert_eq!(clBuildProgram(program, 0, null(), options, None, null_mut()), 0);
        let mut status = 0;
        let pipe = clCreatePipe(world.context, 0, 4, 5, null(), &raw mut status);
        assert_eq!(status, 0);
        let kernel = clCreateKernel(program, c"k".as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let size = size_of::<cl::cl_mem>();
        let set = |index, mem: *const cl::cl_mem, size| clSetKernelArg(kernel, index, size, mem.cast());
        let (mut word, nothing): (_, cl::cl_mem) = (0u32, null_mut());
        let into = (&raw mut word).cast::<c_void>();
        check(&[
            ("a buffer for a pipe", cl::CL_INVALID_MEM_OBJECT, &|| set(0, &raw const buffer, size)),
            ("a pipe for a buffer", cl::CL_INVALID_MEM_OBJECT, &|| set(1, &raw const pipe, size)),
            ("no pipe", cl::CL_INVALID_MEM_OBJECT, &|| set(0, null(), size)),
            ("an SVM pointer for a pipe", cl::CL_INVALID_ARG_VALUE, &|| clSetKernelArgSVMPointer(kernel, 0, null())),
            ("a null pipe", cl::CL_INVALID_MEM_OBJECT, &|| set(0, &raw const nothing, size)),
            ("size of a pipe", cl::CL_INVALID_ARG_SIZE, &|| set(0, &raw const pipe, 4)),
            ("a query of a buffer", cl::CL_INVALID_MEM_OBJECT, &|| {
                clGetPipeInfo(buffer, cl::CL_PIPE_PACKET_SIZE, 4, into, null_mut())
            }),
            ("an unknown query", cl::CL_INVALID_VALUE, &|| clGetPipeInfo(pipe, 0x1234, 4, into, null_mut())),
            ("a small value", cl::CL_INVALID_VALUE, &|| {
                clGetPipeInfo(pipe, cl::CL_PIPE_PACKET_SIZE, 3, into, null_mut())
            }),
            ("an unmap", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueUnmapMemObject(world.queue, pipe, into, 0, null(), null_mut())
            }),
            ("a read", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueReadBuffer(world.queue, pipe, 1, 0, 4, into, 0, null(), null_mut())
            }),
        ]);
        for (name, value) in [(cl::CL_PIPE_PACKET_SIZE, 4), (cl::CL_PIPE_MAX_PACKETS, 5)] {
            assert_eq!(clGetPipeInfo(pipe, name, 4, into, null_mut()), 0);
            assert_eq!((&raw const word).read(), value);
        }
        let mut bytes = 1;
        assert_eq!(clGetPipeInfo(pipe, cl::CL_PIPE_PROPERTIES, 0, null_mut(), &raw mut bytes), 0);
        assert_eq!(bytes, 0);
        assert_eq!(clGetMemObjectInfo(pipe, cl::CL_MEM_TYPE, 4, into, null_mut()), 0);
        assert_eq!((&raw const word).read(), cl::CL_MEM_OBJECT_PIPE);
        let mut qualifier = 0u64;
        let into = (&raw mut qualifier).cast();
        assert_eq!(clGetKernelArgInfo(kernel, 0, cl::CL_KERNEL_ARG_TYPE_QUALIFIER, 8, into, null_mut()), 0);
        assert_eq!((&raw const qualifier).read(), cl::CL_KERNEL_ARG_TYPE_PIPE);
        assert_eq!(set(0, &raw const pipe, size), 0);
        for mem in [pipe, buffer] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// Whatever is for buffers or images alone refuses pipes, and no command but a kernel touches one.
#[test]
fn pipes_in_place_of_buffers_and_images() {
    let world = World::new();
    let (queue, buffer) = (world.queue, world.buffer(64));
    let mut bytes = [0u8; 64];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    let format = cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNORM_INT8 };
    let (none, one) = ([0usize; 3], [1usize; 3]);
    let (origin, region) = (none.as_ptr(), one.as_ptr());
    // SAFETY: handles and pointers are valid, or null where that is allowed.
    unsafe {
        let mut status = 0;
        let pipe = clCreatePipe(world.context, 0, 4, 16, null(), &raw mut status);
        assert_eq!(status, 0);
        let image = clCreateImage2D(world.context, 0, &raw const format, 4, 4, 0, null_mut(), &raw mut status);
        assert_eq!(status, 0);
        let copy = |from, to| clEnqueueCopyBuffer(queue, from, to, 0, 0, 4, 0, null(), null_mut());
        let rect = |from, to| {
            clEnqueueCopyBufferRect(queue, from, to, origin, origin, region, 0, 0, 0, 0, 0, null(), null_mut())
        };
        let rows: &[(&str, cl::cl_int, &dyn Fn() -> cl::cl_int)] = &[
            ("read", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueReadBuffer(queue, pipe, 1, 0, 4, memory, 0, null(), null_mut())
            }),
            ("write", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueWriteBuffer(queue, pipe, 1, 0, 4, memory, 0, null(), null_mut())
            }),
            ("read of a box", cl::CL_INVALID_MEM_OBJECT, &|| {
                let (no, w) = (null(), null_mut());
                clEnqueueReadBufferRect(queue, pipe, 1, origin, origin, region, 0, 0, 0, 0, memory, 0, no, w)
            }),
            ("write of a box", cl::CL_INVALID_MEM_OBJECT, &|| {
                let (no, w) = (null(), null_mut());
                clEnqueueWriteBufferRect(queue, pipe, 1, origin, origin, region, 0, 0, 0, 0, memory, 0, no, w)
            }),
            ("fill", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueFillBuffer(queue, pipe, memory, 4, 0, 4, 0, null(), null_mut())
            }),
            ("copy from", cl::CL_INVALID_MEM_OBJECT, &|| copy(pipe, buffer)),
            ("copy to", cl::CL_INVALID_MEM_OBJECT, &|| copy(buffer, pipe)),
            ("copy of a box from", cl::CL_INVALID_MEM_OBJECT, &|| rect(pipe, buffer)),
            ("copy of a box to", cl::CL_INVALID_MEM_OBJECT, &|| rect(buffer, pipe)),
            ("to an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueCopyBufferToImage(queue, pipe, image, 0, origin, region, 0, null(), null_mut())
            }),
            ("from an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueCopyImageToBuffer(queue, image, pipe, origin, region, 0, 0, null(), null_mut())
            }),
            ("read as an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueReadImage(queue, pipe, 1, origin, region, 0, 0, memory, 0, null(), null_mut())
            }),
            ("fill as an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                clEnqueueFillImage(queue, pipe, memory, origin, region, 0, null(), null_mut())
            }),
            ("map", cl::CL_INVALID_MEM_OBJECT, &|| {
                code_of(|err| clEnqueueMapBuffer(queue, pipe, 1, cl::CL_MAP_READ, 0, 4, 0, null(), null_mut(), err))
            }),
            ("map as an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                let (mut pitch, flags) = (0, cl::CL_MAP_READ);
                let to = &raw mut pitch;
                code_of(|err| {
                    let (no, w) = (null(), null_mut());
                    clEnqueueMapImage(queue, pipe, 1, flags, origin, region, to, null_mut(), 0, no, w, err)
                })
            }),
            ("a part", cl::CL_INVALID_MEM_OBJECT, &|| {
                let part = cl::cl_buffer_region { origin: 0, size: 4 };
                let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
                code_of(|err| clCreateSubBuffer(pipe, 0, kind, (&raw const part).cast(), err))
            }),
            ("an image of it", cl::CL_INVALID_IMAGE_DESCRIPTOR, &|| {
                let mut desc: cl::cl_image_desc = std::mem::zeroed();
                desc.image_type = cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
                desc.image_width = 4;
                desc.buffer = pipe;
                let (format, desc) = (&raw const format, &raw const desc);
                code_of(|err| clCreateImage(world.context, 0, format, desc, null_mut(), err))
            }),
            ("a query of images", cl::CL_INVALID_MEM_OBJECT, &|| {
                clGetImageInfo(pipe, cl::CL_IMAGE_WIDTH, 8, memory, null_mut())
            }),
            ("a query of an image", cl::CL_INVALID_MEM_OBJECT, &|| {
                clGetPipeInfo(image, cl::CL_PIPE_MAX_PACKETS, 4, memory, null_mut())
            }),
            ("a query of nothing", cl::CL_INVALID_MEM_OBJECT, &|| {
                clGetPipeInfo(null_mut(), cl::CL_PIPE_MAX_PACKETS, 4, memory, null_mut())
            }),
        ];
        check(rows);
        assert_eq!(clEnqueueMigrateMemObjects(queue, 1, &raw const pipe, 0, 0, null(), null_mut()), 0);
        assert_eq!(clFinish(queue), 0);
        for mem in [pipe, image, buffer] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}
