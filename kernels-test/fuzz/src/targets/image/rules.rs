//! The rules of the specification about descriptions of images ("Creating Image Objects"), as far as the test makes
//! such descriptions: which codes a call may return. Where several rules are broken, any of their codes will do.

use super::super::common::*;
use super::{BUFFER_BYTES, Image};

/// Order, type and bytes of a texel; the last ones are no formats.
pub const FORMATS: [(u32, u32, usize); 20] = [
    (cl::CL_RGBA, cl::CL_UNORM_INT8, 4),
    (cl::CL_RGBA, cl::CL_FLOAT, 16),
    (cl::CL_RGBA, cl::CL_SIGNED_INT16, 8),
    (cl::CL_R, cl::CL_UNSIGNED_INT8, 1),
    (cl::CL_R, cl::CL_HALF_FLOAT, 2),
    (cl::CL_RG, cl::CL_UNSIGNED_INT32, 8),
    (cl::CL_BGRA, cl::CL_UNORM_INT8, 4),
    (cl::CL_ARGB, cl::CL_SIGNED_INT8, 4),
    (cl::CL_RGB, cl::CL_UNORM_SHORT_565, 2),
    (cl::CL_RGB, cl::CL_UNORM_INT_101010, 4),
    (cl::CL_DEPTH, cl::CL_FLOAT, 4),
    (cl::CL_DEPTH, cl::CL_UNORM_INT16, 2),
    (cl::CL_sRGBA, cl::CL_UNORM_INT8, 4),
    (cl::CL_INTENSITY, cl::CL_FLOAT, 4),
    (cl::CL_LUMINANCE, cl::CL_UNORM_INT8, 1),
    (cl::CL_A, cl::CL_SNORM_INT16, 2),
    (cl::CL_RA, cl::CL_SNORM_INT8, 2),
    (cl::CL_RGBA, cl::CL_UNORM_SHORT_565, 2),
    (1, cl::CL_UNORM_INT8, 4),
    (cl::CL_RGBA, 1, 4),
];
/// How many of them are formats.
const GOOD_FORMATS: usize = 17;

/// Where the memory of an image comes from.
#[derive(Debug)]
pub enum Parent {
    None,
    Buffer {
        is_read_only: bool,
    },
    /// A place among the images.
    Image(usize),
}

/// Bits of flags that say what kernels and the host may do.
const ACCESS: u64 = cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY;
const HOST: u64 = cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS;

impl Parent {
    fn flags(&self, images: &[Image]) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Buffer { is_read_only: true } => Some(cl::CL_MEM_READ_ONLY),
            Self::Buffer { .. } => Some(cl::CL_MEM_READ_WRITE),
            Self::Image(at) => Some(images[at].flags),
        }
    }

    /// The flags of an image for which `flags` were given: what these do not say is as it is for the parent.
    pub fn inherited(&self, flags: u64, images: &[Image]) -> u64 {
        let theirs = self.flags(images).unwrap_or(0);
        let missing = [ACCESS, HOST].iter().filter(|&bits| flags & bits == 0);
        missing.fold(flags, |flags, bits| flags | theirs & bits)
    }
}

/// What the device can have.
pub struct Limits {
    size_2d: [usize; 2],
    size_3d: [usize; 3],
    layers: usize,
    texels: usize,
    bytes: u64,
}

impl Limits {
    pub fn of(world: &World) -> Self {
        let ask = |name| {
            let mut value = 0u64;
            // SAFETY: the value has eight bytes.
            let code = unsafe { clGetDeviceInfo(world.device, name, 8, (&raw mut value).cast(), null_mut()) };
            assert_eq!(code, 0);
            value
        };
        let size = |name| ask(name) as usize;
        Self {
            size_2d: [cl::CL_DEVICE_IMAGE2D_MAX_WIDTH, cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT].map(size),
            size_3d: [
                cl::CL_DEVICE_IMAGE3D_MAX_WIDTH,
                cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                cl::CL_DEVICE_IMAGE3D_MAX_DEPTH,
            ]
            .map(size),
            layers: size(cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
            texels: size(cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE),
            bytes: ask(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        }
    }

    /// The largest width, height, depth and number of layers; 0 for sizes that the type has not.
    fn sizes(&self, image_type: u32) -> [usize; 4] {
        let [width, height] = self.size_2d;
        match image_type {
            cl::CL_MEM_OBJECT_IMAGE1D => [width, 0, 0, 0],
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => [self.texels, 0, 0, 0],
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => [width, 0, 0, self.layers],
            cl::CL_MEM_OBJECT_IMAGE2D => [width, height, 0, 0],
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => [width, height, 0, self.layers],
            _ => [self.size_3d[0], self.size_3d[1], self.size_3d[2], 0],
        }
    }
}

/// What a call asks for.
pub struct Wanted<'a> {
    pub flags: cl::cl_mem_flags,
    pub format: usize,
    pub desc: &'a cl::cl_image_desc,
    pub parent: &'a Parent,
    pub has_host: bool,
}

/// Sizes in the order of `Limits::sizes`.
fn sizes(desc: &cl::cl_image_desc) -> [usize; 4] {
    [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size]
}

/// Bytes of the first level, with its pitches; nothing if they are too many to count.
pub fn bytes(desc: &cl::cl_image_desc, element: usize) -> Option<usize> {
    let (is_tall, is_deep) = match desc.image_type {
        cl::CL_MEM_OBJECT_IMAGE2D => (true, None),
        cl::CL_MEM_OBJECT_IMAGE3D => (true, Some(desc.image_depth)),
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => (true, Some(desc.image_array_size)),
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => (false, Some(desc.image_array_size)),
        _ => (false, None),
    };
    let row = desc.image_row_pitch.max(desc.image_width.checked_mul(element)?);
    let slice = row.checked_mul(if is_tall { desc.image_height } else { 1 })?;
    let slices = is_deep.map_or(Some(slice), |n| slice.max(desc.image_slice_pitch).checked_mul(n))?;
    isize::try_from(slices).ok().map(|_| slices)
}

/// The codes that creation may return.
pub fn codes(wanted: &Wanted<'_>, images: &[Image], limits: &Limits) -> Vec<i32> {
    let mut codes = Vec::new();
    flags(wanted, images, &mut codes);
    description(wanted, images, limits, &mut codes);
    if wanted.format >= GOOD_FORMATS {
        codes.push(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    let (order, _, element) = FORMATS[wanted.format];
    let is_flat = [cl::CL_MEM_OBJECT_IMAGE2D, cl::CL_MEM_OBJECT_IMAGE2D_ARRAY].contains(&wanted.desc.image_type);
    if order == cl::CL_DEPTH && !is_flat {
        codes.push(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    match bytes(wanted.desc, element) {
        None => codes.extend([cl::CL_INVALID_IMAGE_SIZE, cl::CL_MEM_OBJECT_ALLOCATION_FAILURE]),
        // Levels take less than the first one again.
        Some(bytes) if 2 * bytes as u64 > limits.bytes => {
            codes.push(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE);
            if bytes as u64 <= limits.bytes && codes.len() == 1 {
                codes.push(0);
            }
        }
        Some(_) => {}
    }
    if codes.is_empty() { vec![0] } else { codes }
}

/// Rules about flags and the host pointer.
fn flags(wanted: &Wanted<'_>, images: &[Image], codes: &mut Vec<i32>) {
    let flags = wanted.flags;
    let several = |bits: u64| (flags & bits).count_ones() > 1;
    let pointer = cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR;
    let is_both =
        flags & cl::CL_MEM_USE_HOST_PTR != 0 && flags & (cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR) != 0;
    if several(ACCESS) || several(HOST) || is_both || flags >> 40 != 0 {
        codes.push(cl::CL_INVALID_VALUE);
    }
    if (flags & pointer != 0) != wanted.has_host {
        codes.push(cl::CL_INVALID_HOST_PTR);
    }
    if wanted.desc.num_mip_levels > 1 && wanted.has_host {
        codes.push(cl::CL_INVALID_HOST_PTR);
    }
    let Some(theirs) = wanted.parent.flags(images) else { return };
    if flags & (pointer | cl::CL_MEM_ALLOC_HOST_PTR) != 0 {
        codes.push(cl::CL_INVALID_VALUE);
    }
    // An image has no more access than what it shares memory with.
    let denied = [
        (cl::CL_MEM_READ_ONLY, cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY),
        (cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY),
        (cl::CL_MEM_HOST_READ_ONLY, cl::CL_MEM_HOST_WRITE_ONLY),
        (cl::CL_MEM_HOST_WRITE_ONLY, cl::CL_MEM_HOST_READ_ONLY),
        (cl::CL_MEM_HOST_NO_ACCESS, cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY),
    ];
    if denied.iter().any(|&(has, wants)| theirs & has != 0 && flags & wants != 0) {
        codes.push(cl::CL_INVALID_VALUE);
    }
}

/// Rules about the description.
fn description(wanted: &Wanted<'_>, images: &[Image], limits: &Limits, codes: &mut Vec<i32>) {
    let (desc, element) = (wanted.desc, FORMATS[wanted.format].2);
    let bad = cl::CL_INVALID_IMAGE_DESCRIPTOR;
    let is_image = [
        cl::CL_MEM_OBJECT_IMAGE1D,
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
        cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
        cl::CL_MEM_OBJECT_IMAGE2D,
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        cl::CL_MEM_OBJECT_IMAGE3D,
    ]
    .contains(&desc.image_type);
    if !is_image || desc.num_samples != 0 {
        codes.push(bad);
    }
    let (most, given) = (limits.sizes(desc.image_type), sizes(desc));
    if (0..4).any(|i| most[i] != 0 && !(1..=most[i]).contains(&given[i])) {
        codes.push(cl::CL_INVALID_IMAGE_SIZE);
    }
    let is_in_buffer = matches!(wanted.parent, Parent::Buffer { .. });
    let is_buffer_type = desc.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if is_buffer_type && !is_in_buffer {
        codes.push(bad);
    }
    if desc.num_mip_levels > 1 {
        let longest = (0..3).filter(|&i| most[i] != 0).map(|i| given[i]).max().unwrap_or(1).max(1);
        if is_buffer_type || !matches!(wanted.parent, Parent::None) || desc.num_mip_levels > longest.ilog2() + 1 {
            codes.push(bad);
        }
    }
    let has_slices = most[2] != 0 || most[3] != 0;
    let (row, slice) = (desc.image_row_pitch, if has_slices { desc.image_slice_pitch } else { 0 });
    let packed = given[0].wrapping_mul(element);
    let has_pitches = wanted.has_host || !matches!(wanted.parent, Parent::None);
    let rows = if row == 0 { packed } else { row };
    let slices = rows.wrapping_mul(if most[1] == 0 { 1 } else { given[1] });
    if (row != 0 || slice != 0) && !has_pitches
        || row != 0 && (row < packed || !row.is_multiple_of(element))
        || slice != 0 && (slice < slices || rows == 0 || !slice.is_multiple_of(rows))
    {
        codes.push(bad);
    }
    match *wanted.parent {
        Parent::None => {}
        Parent::Buffer { .. } => {
            // Rows and slices of buffers are aligned to texels.
            if [row, desc.image_slice_pitch].iter().any(|pitch| !pitch.is_multiple_of(element)) {
                codes.push(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
            }
            if bytes(desc, element).is_none_or(|bytes| bytes > BUFFER_BYTES) {
                codes.push(cl::CL_INVALID_IMAGE_SIZE);
            }
        }
        Parent::Image(at) => {
            let theirs = &images[at];
            let their_packed = theirs.desc.image_width * FORMATS[theirs.format].2;
            let is_same = desc.image_type == cl::CL_MEM_OBJECT_IMAGE2D
                && theirs.desc.image_type == cl::CL_MEM_OBJECT_IMAGE2D
                && theirs.desc.num_mip_levels <= 1
                && given[..2] == sizes(&theirs.desc)[..2]
                && (row == 0
                    || row == theirs.desc.image_row_pitch
                    || theirs.desc.image_row_pitch == 0 && row == their_packed);
            if !is_same {
                codes.push(bad);
            }
            if !is_view(wanted.format, theirs.format) {
                codes.push(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
            }
        }
    }
}

/// Spec: "Compatible Image Channel Orders".
fn is_view(a: usize, b: usize) -> bool {
    let ((order, data_type, _), (other, other_type, _)) = (FORMATS[a], FORMATS[b]);
    let pairs = [(cl::CL_RGBA, cl::CL_sRGBA), (cl::CL_R, cl::CL_DEPTH)];
    let is_pair = pairs.iter().any(|&pair| pair == (order, other) || pair == (other, order));
    data_type == other_type && (order == other || is_pair)
}

/// What is asked of an image is what was said of it.
pub fn check_queries(image: &Image) {
    let ask = |name| {
        let mut value = 0usize;
        // SAFETY: the value has room for a size.
        let code = unsafe { clGetImageInfo(image.handle, name, 8, (&raw mut value).cast(), null_mut()) };
        assert_eq!(code, 0);
        value
    };
    let (desc, element) = (&image.desc, image.element());
    assert_eq!(ask(cl::CL_IMAGE_ELEMENT_SIZE), element);
    assert_eq!(ask(cl::CL_IMAGE_WIDTH), desc.image_width);
    let row = ask(cl::CL_IMAGE_ROW_PITCH);
    assert!(row >= desc.image_width * element && row.is_multiple_of(element), "row pitch {row}");
    let (height, slice) = (ask(cl::CL_IMAGE_HEIGHT), ask(cl::CL_IMAGE_SLICE_PITCH));
    assert!(slice == 0 || slice >= row * height.max(1), "slice pitch {slice} of {height} rows of {row}");
}
