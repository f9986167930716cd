//! Images: what the bytes describe is created, and regions of it are written, read, filled and copied; each call says
//! what the specification's rules do (`rules`), and texels are where an array in the test has them.

#![allow(unsafe_code, reason = "calls the C API")]

mod commands;
mod rules;

use super::choices::Choices;
use super::common::*;
use rules::{FORMATS, Parent};
use std::cell::LazyCell;

/// Bytes of host memory, of which images may be made.
const HOST_BYTES: usize = 1 << 16;
/// Bytes of the buffers.
const BUFFER_BYTES: usize = 4096;
/// Larger images have no array beside them.
const KNOWN_BYTES: usize = 1 << 15;
/// Images at a time, and steps.
const IMAGES: usize = 4;
const STEPS: usize = 40;

/// What lives as long as the process.
struct Fixture {
    world: World,
    buffers: [cl::cl_mem; 2],
    limits: rules::Limits,
}

thread_local! {
    static FIXTURE: LazyCell<Fixture> = LazyCell::new(|| {
        let world = World::new();
        let buffers = [cl::CL_MEM_READ_WRITE, cl::CL_MEM_READ_ONLY].map(|flags| world.buffer_with(flags, BUFFER_BYTES));
        let limits = rules::Limits::of(&world);
        Fixture { world, buffers, limits }
    });
}

/// An image that was made.
struct Image {
    handle: cl::cl_mem,
    desc: cl::cl_image_desc,
    /// A row of `FORMATS`.
    format: usize,
    flags: cl::cl_mem_flags,
    /// The texels of its first level, packed, if nothing else shares them.
    texels: Option<Vec<u8>>,
}

impl Image {
    /// Bytes of a texel.
    fn element(&self) -> usize {
        FORMATS[self.format].2
    }

    /// Sizes in the order of an origin, of a level.
    fn extent(&self, level: u32) -> [usize; 3] {
        let cl::cl_image_desc { image_width, image_height, image_depth, image_array_size, .. } = self.desc;
        let half = |size: usize| (size >> level).max(1);
        match self.desc.image_type {
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => [half(image_width), image_array_size, 1],
            cl::CL_MEM_OBJECT_IMAGE2D => [half(image_width), half(image_height), 1],
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => [half(image_width), half(image_height), image_array_size],
            cl::CL_MEM_OBJECT_IMAGE3D => [half(image_width), half(image_height), half(image_depth)],
            _ => [half(image_width), 1, 1],
        }
    }

    /// The level that an origin names. Spec: "Specifying Mipmap Levels to Image Operations".
    fn level(&self, origin: &mut [usize; 4]) -> usize {
        if self.desc.num_mip_levels <= 1 {
            return 0;
        }
        let at = match self.desc.image_type {
            cl::CL_MEM_OBJECT_IMAGE1D => 1,
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY | cl::CL_MEM_OBJECT_IMAGE2D => 2,
            _ => 3,
        };
        std::mem::take(&mut origin[at])
    }
}

/// Makes images and uses them as the bytes say.
pub fn run(bytes: &[u8]) {
    FIXTURE.with(|fixture| {
        let (mut choices, mut images) = (Choices::Bytes(bytes), Vec::new());
        let mut host = vec![0u64; HOST_BYTES / 8];
        for _ in 0..STEPS {
            if choices.is_empty() {
                break;
            }
            if images.is_empty() || images.len() < IMAGES && choices.below(3) == 0 {
                create(fixture, &mut choices, &mut images, &mut host);
            } else {
                commands::one(fixture, &mut choices, &mut images);
            }
        }
        // SAFETY: the handles are ours, and commands that use host memory have ended.
        unsafe {
            assert_eq!(clFinish(fixture.world.queue), 0);
            images.iter().rev().for_each(|image| assert_eq!(clReleaseMemObject(image.handle), 0));
            assert_eq!(clFinish(fixture.world.queue), 0);
        }
    });
}

const TYPES: [u32; 8] = [
    cl::CL_MEM_OBJECT_IMAGE2D,
    cl::CL_MEM_OBJECT_IMAGE1D,
    cl::CL_MEM_OBJECT_IMAGE3D,
    cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
    cl::CL_MEM_OBJECT_BUFFER,
    0,
];

const FLAGS: [u64; 14] = [
    0,
    cl::CL_MEM_READ_WRITE,
    cl::CL_MEM_READ_ONLY,
    cl::CL_MEM_WRITE_ONLY,
    cl::CL_MEM_COPY_HOST_PTR,
    cl::CL_MEM_USE_HOST_PTR,
    cl::CL_MEM_ALLOC_HOST_PTR,
    cl::CL_MEM_HOST_READ_ONLY,
    cl::CL_MEM_HOST_WRITE_ONLY,
    cl::CL_MEM_HOST_NO_ACCESS,
    cl::CL_MEM_KERNEL_READ_AND_WRITE,
    cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY,
    cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR,
    1 << 40,
];

/// A size that is small, or at the edge of what there is.
fn size(choices: &mut Choices<'_>) -> usize {
    match choices.below(256) {
        small @ 0..240 => small % 20,
        byte => [16383, 16384, 16385, 65536, 1 << 31, usize::MAX][byte % 6],
    }
}

/// An image of some description: it is there, or refused with one of the codes of the rules that it breaks.
fn create(fixture: &Fixture, choices: &mut Choices<'_>, images: &mut Vec<Image>, host: &mut [u64]) {
    let mut flags = choices.of(&FLAGS);
    if choices.below(3) == 0 {
        flags |= choices.of(&FLAGS);
    }
    let format = choices.below(FORMATS.len());
    let image_type = choices.of(&TYPES);
    let mut desc = image_desc(image_type, std::array::from_fn(|_| size(choices)));
    let element = FORMATS[format].2;
    let odd = choices.below(16);
    if odd & 1 != 0 {
        desc.image_row_pitch = desc.image_width.wrapping_mul(element).wrapping_add(choices.below(9));
    }
    if odd & 2 != 0 {
        desc.image_slice_pitch = desc.image_row_pitch.wrapping_mul(desc.image_height).wrapping_add(choices.below(33));
    }
    if odd & 4 != 0 {
        desc.num_mip_levels = choices.below(6) as u32;
    }
    let mut parent = Parent::None;
    if odd & 8 != 0 {
        match choices.below(8) {
            0 => desc.num_samples = choices.below(3) as u32,
            n @ 1..5 => {
                desc.buffer = fixture.buffers[n & 1];
                parent = Parent::Buffer { is_read_only: n & 1 != 0 };
            }
            _ if !images.is_empty() => {
                let at = choices.below(images.len());
                desc.buffer = images[at].handle;
                parent = Parent::Image(at);
            }
            _ => {}
        }
    }
    let has_host = flags & (cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_USE_HOST_PTR) != 0;
    let has_host = has_host != (choices.below(16) == 15);
    // A pointer has as many bytes as the description wants.
    if has_host && rules::bytes(&desc, element).is_none_or(|bytes| bytes > HOST_BYTES) {
        return;
    }
    let wanted = rules::Wanted { flags, format, desc: &desc, parent: &parent, has_host };
    let allowed = rules::codes(&wanted, images, &fixture.limits);
    let (order, data_type, _) = FORMATS[format];
    let names = cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
    let mut code = 1;
    // SAFETY: pointers are null or valid; host memory outlives the images, and is as large as the description says.
    let handle = unsafe {
        let memory = if has_host { host.as_mut_ptr().cast() } else { null_mut() };
        clCreateImage(fixture.world.context, flags, &raw const names, &raw const desc, memory, &raw mut code)
    };
    let told = || format!("flags {flags:#x}, {FORMATS_ROW:?}, {image_type:#x}", FORMATS_ROW = FORMATS[format]);
    let sizes = [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size];
    let pitches = [desc.image_row_pitch, desc.image_slice_pitch];
    let (levels, samples) = (desc.num_mip_levels, desc.num_samples);
    assert!(
        allowed.contains(&code),
        "clCreateImage says {code}, not one of {allowed:?}: {}, {sizes:?}, pitches {pitches:?}, {levels} levels, \
         {samples} samples, {parent:?}, host pointer: {has_host}",
        told()
    );
    assert_eq!(handle.is_null(), code != 0);
    if code != 0 {
        return;
    }
    let flags = parent.inherited(flags, images);
    if let Parent::Image(at) = parent {
        images[at].texels = None;
    }
    let bytes = rules::bytes(&desc, element).expect("it was made");
    let is_alone = matches!(parent, Parent::None) && flags & cl::CL_MEM_USE_HOST_PTR == 0;
    let mut image = Image { handle, desc, format, flags, texels: None };
    if is_alone && bytes <= KNOWN_BYTES {
        commands::clear(fixture, &mut image);
    }
    images.push(image);
    rules::check_queries(images.last().expect("just pushed"));
}
