//! Images: creation, shape, pitches, and where a region of texels lies. The texels themselves are bytes of the memory
//! object's storage; kernels find them by the descriptor kept here. Moves no bytes after creation.

use super::buffer::{Mem, MemFlags, MemType, Parts};
use super::external::Properties;
use super::format::{Format, order, supported};
use super::host::{HostPtr, Storage};
use super::region::{Rect, RectSide};
use super::requirements;
use crate::context::Context;
use crate::device::caps::Caps;
use crate::error::{Error, Result};
use crate::memory::stream::Stores;
use crate::object::Obj;
use crate::status::Status;
use clift_jit::image::{Fact, ImageAccess, ImageDesc, ImageShape, channel};
use std::sync::Arc;

/// Rows of images made from buffers lie this many texels apart, or a multiple of it.
pub const PITCH_ALIGN_TEXELS: u32 = 1;
/// A buffer's memory is aligned to this many texels, or a multiple of it, where an image is made from it.
pub const BASE_ALIGN_TEXELS: u32 = 1;

/// Mip levels start at multiples of so many bytes from the first.
const LEVEL_ALIGN: usize = 64;

/// What `clCreateImage` is given besides flags, format and pointer: `cl_image_desc`. Members that the type does not use
/// are ignored.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Not `MemType::Buffer`.
    pub mem_type: MemType,
    /// Texels.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
    /// Layers of an array.
    pub layers: usize,
    /// Bytes, 0 for packed rows.
    pub row_pitch: usize,
    /// Bytes, 0 for packed slices.
    pub slice_pitch: usize,
    /// `num_mip_levels`; 0 and 1 both mean a single one.
    pub mip_levels: u32,
    /// `num_samples`
    pub samples: u32,
    /// Buffer or image to share memory with.
    pub source: Option<&'a Obj<Mem>>,
}

impl Shape<'_> {
    /// Checks what sizes have no part in.
    ///
    /// # Errors
    /// `InvalidImageDescriptor` ← there are samples, or levels of a type that has none.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.samples == 0, descriptor_error("num_samples is not 0"));
        // "Mip-mapped images cannot be created for CL_MEM_OBJECT_IMAGE1D_BUFFER images …"; depth images have them all
        // the same, as the conformance suite wants.
        let may = self.mip_levels <= 1 || self.mem_type != MemType::Image1dBuffer;
        ensure!(may, descriptor_error("1D image buffers have no mip levels"));
        Ok(())
    }
}

/// What a memory object that is an image knows besides.
pub struct Image {
    mem_type: MemType,
    format: Format,
    /// Width, height, depth, layers; 0 for those that the type does not have, as queries say it.
    sizes: [usize; 4],
    row_pitch: usize,
    /// 0 where there are no slices or layers.
    slice_pitch: usize,
    /// As the caller said it, with 0 for a single one.
    mip_levels: u32,
    /// Of all levels in order, the first of which stands for the image.
    descs: Box<[ImageDesc]>,
    size: usize,
}

fn size_error(condition: &'static str) -> Error {
    Error::spec(Status::InvalidImageSize, condition)
}

fn descriptor_error(condition: &'static str) -> Error {
    Error::spec(Status::InvalidImageDescriptor, condition)
}

/// The sizes that a type has: of `[width, height, depth, layers]`.
pub(super) const fn used_sizes(mem_type: MemType) -> [bool; 4] {
    match mem_type {
        MemType::Buffer | MemType::Pipe | MemType::Image1d | MemType::Image1dBuffer => [true, false, false, false],
        MemType::Image1dArray => [true, false, false, true],
        MemType::Image2d => [true, true, false, false],
        MemType::Image2dArray => [true, true, false, true],
        MemType::Image3d => [true, true, true, false],
    }
}

/// The largest sizes: `[width, height, depth, layers]`.
pub(super) fn max_sizes(mem_type: MemType, caps: &Caps) -> [usize; 4] {
    let [d2_width, d2_height] = caps.image2d_max;
    match mem_type {
        MemType::Image1dBuffer => [caps.image_max_buffer_texels, 1, 1, 1],
        MemType::Image3d => {
            let [width, height, depth] = caps.image3d_max;
            [width, height, depth, 1]
        }
        _ => [d2_width, d2_height, 1, caps.image_max_layers],
    }
}

impl Image {
    /// Checks sizes and pitches; the address comes later.
    pub(super) fn new(context: &Context, format: Format, shape: &Shape<'_>, has_pitches: bool) -> Result<Self> {
        let used = used_sizes(shape.mem_type);
        let given = [shape.width, shape.height, shape.depth, shape.layers];
        // "the image dimensions specified in image_desc are not valid or exceed the maximum image dimensions … for all
        // devices in context"
        let fits = |caps: &Caps| {
            let max = max_sizes(shape.mem_type, caps);
            (0..4).all(|i| !used[i] || (1..=max[i]).contains(&given[i]))
        };
        ensure!(
            context.devices().iter().any(|device| fits(device.caps())),
            size_error("the image dimensions are 0 or exceed the maximum image dimensions of all devices in context")
        );
        let size = |i: usize| if used[i] { given[i] } else { 1 };
        let layout = format.layout();
        let rule = "image_width is no multiple of the texels that share bytes";
        ensure!(size(0).is_multiple_of(format.block_texels()), descriptor_error(rule));
        let rule = "images whose texels share bytes have no mip levels";
        ensure!(format.block_texels() == 1 || shape.mip_levels <= 1, descriptor_error(rule));
        let texel_bytes = layout.texel_bytes as usize;
        // Sizes are at most 2^31, a texel 16 bytes: none of these products wraps.
        let packed_row = format.row_bytes(size(0));
        let row_pitch = if has_pitches && shape.row_pitch != 0 { shape.row_pitch } else { packed_row };
        ensure!(
            (shape.row_pitch == 0 || has_pitches) && row_pitch >= packed_row && row_pitch.is_multiple_of(texel_bytes),
            descriptor_error("image_row_pitch is not 0 and too small, no multiple of the element size, or not allowed")
        );
        let has_slices = used[2] || used[3];
        let packed_slice =
            row_pitch.checked_mul(size(1)).ok_or(size_error("the image does not fit the address space"))?;
        let slice_pitch = match shape.slice_pitch {
            pitch if has_slices && has_pitches && pitch != 0 => pitch,
            _ => packed_slice,
        };
        ensure!(
            (shape.slice_pitch == 0 || has_pitches || !has_slices)
                && slice_pitch >= packed_slice
                && slice_pitch.is_multiple_of(row_pitch),
            descriptor_error("image_slice_pitch is not 0 and too small, no multiple of the row pitch, or not allowed")
        );
        let sizes = [0, 1, 2, 3].map(|i| if used[i] { given[i] } else { 0 });
        let [width, height, depth, layers] = [0, 1, 2, 3].map(|i| size(i) as i32);
        let mut image = Self {
            mem_type: shape.mem_type,
            format,
            sizes,
            row_pitch,
            slice_pitch: if has_slices { slice_pitch } else { 0 },
            mip_levels: shape.mip_levels,
            descs: Box::new([]),
            size: 0,
        };
        let mut base = ImageDesc {
            data: 0,
            row_pitch: row_pitch as u64,
            slice_pitch: slice_pitch as u64,
            width,
            height,
            depth,
            layers,
            data_type: format.data_type,
            order: format.order,
            texel_bytes: layout.texel_bytes,
            channels: layout.channels,
            offset: layout.offset,
            border_alpha: layout.border_alpha,
            fast: layout.fast,
            levels: shape.mip_levels.max(1).into(),
        };
        image.size = image.first_level_bytes()?;
        if i32::try_from(image.size).is_ok() {
            base.channels |= channel::SMALL;
        }
        image.add_levels(base)?;
        Ok(image)
    }

    /// The descriptors of all levels, of which `base` is the first, with offsets in the place of addresses.
    /// Spec: "Mipmap Images": each level has half the size of the one before, rounded down.
    fn add_levels(&mut self, base: ImageDesc) -> Result<()> {
        let longest = base.width.max(base.height).max(base.depth);
        let rule = "num_mip_levels is larger than the sizes of the image allow";
        ensure!(base.levels <= u64::from(longest.ilog2()) + 1, descriptor_error(rule));
        let mut descs = vec![base];
        for level in 1..base.levels {
            let [width, height, depth] = [base.width, base.height, base.depth].map(|size| (size >> level).max(1));
            let row_pitch = self.format.row_bytes(width as usize) as u64;
            let slice_pitch = row_pitch * height as u64;
            let data = self.size.next_multiple_of(LEVEL_ALIGN) as u64;
            descs.push(ImageDesc { data, row_pitch, slice_pitch, width, height, depth, ..base });
            // Less than the first level, whose size is no more than half of the address space.
            self.size = (data + slice_pitch * (depth * base.layers) as u64) as usize;
        }
        self.descs = descs.into();
        Ok(())
    }

    /// Says where the first texel is.
    fn place_at(&mut self, address: usize) {
        self.descs.iter_mut().for_each(|desc| desc.data += address as u64);
    }

    /// What code for kernels that get it may rely on.
    pub(crate) fn fact(&self) -> Fact {
        Fact::image(self.format.order, self.format.data_type, self.descs[0].channels & channel::SMALL != 0)
    }

    /// Bytes from the first texel to the end of the last slice, of the last level.
    pub(super) fn size_bytes(&self) -> usize {
        self.size
    }

    fn first_level_bytes(&self) -> Result<usize> {
        let slices = self.sizes[2].max(self.sizes[3]).max(1);
        let slice = match self.slice_pitch {
            // One row, whatever comes behind it.
            0 if self.sizes[1] == 0 => Some(self.format.row_bytes(self.sizes[0])),
            0 => self.row_pitch.checked_mul(self.sizes[1]),
            pitch => Some(pitch),
        };
        let bytes = slice.and_then(|slice| slice.checked_mul(slices)).filter(|&bytes| isize::try_from(bytes).is_ok());
        bytes.ok_or(size_error("the image does not fit the address space"))
    }

    /// `CL_MEM_TYPE`.
    pub fn mem_type(&self) -> MemType {
        self.mem_type
    }

    /// `CL_IMAGE_FORMAT`.
    pub fn format(&self) -> Format {
        self.format
    }

    /// `CL_IMAGE_ELEMENT_SIZE` in bytes.
    pub fn element_bytes(&self) -> usize {
        self.format.element_bytes()
    }

    /// `CL_IMAGE_ROW_PITCH` in bytes.
    pub fn row_pitch(&self) -> usize {
        self.row_pitch
    }

    /// `CL_IMAGE_SLICE_PITCH` in bytes; 0 for types without slices and layers.
    pub fn slice_pitch(&self) -> usize {
        self.slice_pitch
    }

    /// `CL_IMAGE_WIDTH`, `_HEIGHT`, `_DEPTH`, `_ARRAY_SIZE`; 0 for sizes that the type does not have.
    pub fn sizes(&self) -> [usize; 4] {
        self.sizes
    }

    /// Address of the descriptor, which lives as long as the memory object.
    pub(crate) fn desc_address(&self) -> usize {
        self.descs.as_ptr().addr()
    }

    /// `CL_IMAGE_NUM_MIP_LEVELS`: as it was said on creation.
    pub fn mip_levels(&self) -> u32 {
        self.mip_levels
    }

    /// Whether there are mip levels and an origin says the level behind its three numbers.
    pub fn has_level_behind_origin(&self) -> bool {
        self.descs.len() > 1 && matches!(self.mem_type, MemType::Image2dArray | MemType::Image3d)
    }

    /// The image's extent in the order of an origin: layers take the place of the first size that is missing.
    fn extent(&self, level: usize) -> [usize; 3] {
        let ImageDesc { width, height, depth, layers, .. } = self.descs[level];
        let [width, height, depth, layers] = [width, height, depth, layers].map(|size| size as usize);
        match self.mem_type {
            MemType::Image1dArray => [width, layers, 1],
            MemType::Image2dArray => [width, height, layers],
            _ => [width, height, depth],
        }
    }

    /// Pitches of a level in bytes: from row to row, from slice to slice or 0 for types without slices and layers.
    pub(crate) fn level_pitches(&self, level: usize) -> [usize; 2] {
        let slice_pitch = if self.slice_pitch == 0 { 0 } else { self.descs[level].slice_pitch as usize };
        [self.descs[level].row_pitch as usize, slice_pitch]
    }

    /// Origin in a level, and the level. Spec: "Specifying Mipmap Levels to Image Operations".
    fn level_of(&self, [x, y, z, behind]: Origin) -> ([usize; 3], usize) {
        match self.mem_type {
            _ if self.descs.len() == 1 => ([x, y, z], 0),
            MemType::Image1d => ([x, 0, z], y),
            MemType::Image1dArray | MemType::Image2d => ([x, y, 0], z),
            _ => ([x, y, z], behind),
        }
    }

    /// Checks origin and region in texels.
    ///
    /// # Errors
    /// `InvalidMipLevel` ← there is no such level; `InvalidValue` ← the region leaves the image or has a zero, or
    /// breaks the rules of the image's type.
    pub fn region(&self, origin: Origin, region: [usize; 3]) -> Result<Region> {
        let (origin, level) = self.level_of(origin);
        let rule = "the mip level specified in origin is not a valid level for image";
        ensure!(level < self.descs.len(), Error::spec(Status::InvalidMipLevel, rule));
        let extent = self.extent(level);
        let fits =
            (0..3).all(|i| region[i] > 0 && origin[i].checked_add(region[i]).is_some_and(|end| end <= extent[i]));
        let rule = "the region being accessed specified by origin and region is out of bounds or empty";
        ensure!(fits, Error::spec(Status::InvalidValue, rule));
        let rule = "origin[0] or region[0] is no multiple of the texels that share bytes";
        let is_whole = [origin[0], region[0]].iter().all(|x| x.is_multiple_of(self.format.block_texels()));
        ensure!(is_whole, Error::spec(Status::InvalidValue, rule));
        Ok(Region { origin, region, level })
    }

    /// Where a region lies in the image's bytes.
    pub(crate) fn rect(&self, region: &Region) -> Result<Rect> {
        let [row_pitch, slice_pitch] = match (self.mem_type, self.level_pitches(region.level)) {
            (MemType::Image1dArray, [_, layer]) => [layer, 0],
            (_, pitches) => pitches,
        };
        let origin = [self.format.row_bytes(region.origin[0]), region.origin[1], region.origin[2]];
        let rect = Rect::spaced(RectSide { origin, row_pitch, slice_pitch }, self.bytes_region(region))?;
        Ok(rect.shifted((self.descs[region.level].data - self.descs[0].data) as usize))
    }

    /// Where a region lies in host memory, or in a buffer, that holds it alone; pitches may be 0 for packed.
    ///
    /// # Errors
    /// `RectShape` ← a pitch is too small, or given to a type that has none.
    pub(crate) fn host_rect(&self, region: &Region, row_pitch: usize, slice_pitch: usize) -> Result<Rect> {
        let bytes = self.bytes_region(region);
        ensure!(
            row_pitch == 0 || row_pitch >= bytes[0],
            Error::RectShape { rule: "row_pitch is not 0 and is less than region[0] times the element size" }
        );
        let side = match self.mem_type {
            MemType::Image1dArray => {
                let row = if slice_pitch == 0 { row_pitch } else { slice_pitch };
                RectSide { origin: [0; 3], row_pitch: row, slice_pitch: 0 }
            }
            MemType::Image2dArray | MemType::Image3d => RectSide { origin: [0; 3], row_pitch, slice_pitch },
            _ => {
                let rule = "slice_pitch is not 0 although the image has no slices";
                ensure!(slice_pitch == 0, Error::RectShape { rule });
                RectSide { origin: [0; 3], row_pitch, slice_pitch: 0 }
            }
        };
        Rect::spaced(side, bytes)
    }

    fn bytes_region(&self, region: &Region) -> [usize; 3] {
        [self.format.row_bytes(region.region[0]), region.region[1], region.region[2]]
    }

    /// Whether the image may be passed to a parameter of this type.
    pub(crate) fn fits(&self, shape: ImageShape) -> bool {
        let is_depth = self.format.order == order::DEPTH;
        match shape {
            ImageShape::D1 => self.mem_type == MemType::Image1d,
            ImageShape::D1Buffer => self.mem_type == MemType::Image1dBuffer,
            ImageShape::D1Array => self.mem_type == MemType::Image1dArray,
            ImageShape::D2 => self.mem_type == MemType::Image2d && !is_depth,
            ImageShape::D2Depth => self.mem_type == MemType::Image2d && is_depth,
            ImageShape::D2Array => self.mem_type == MemType::Image2dArray && !is_depth,
            ImageShape::D2ArrayDepth => self.mem_type == MemType::Image2dArray && is_depth,
            ImageShape::D3 => self.mem_type == MemType::Image3d,
        }
    }
}

/// A region of texels inside an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First texel.
    pub origin: [usize; 3],
    /// Texels in each direction, none 0.
    pub region: [usize; 3],
    /// Mip level.
    pub level: usize,
}

/// Where a region starts, as callers say it: x, y, z and, behind the dimensions that the image has, the mip level.
pub type Origin = [usize; 4];

impl Region {
    /// Whether two regions of one image have a texel in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        // No sum wraps: `Image::region` checked them.
        let apart = |i: usize| {
            self.origin[i] + self.region[i] <= other.origin[i] || other.origin[i] + other.region[i] <= self.origin[i]
        };
        self.level == other.level && !(0..3).any(apart)
    }
}

/// Formats of images of this type with these flags: kernels may use each in every way that the flags allow.
pub fn formats(mem_type: MemType, flags: MemFlags) -> Vec<Format> {
    let all = supported(matches!(mem_type, MemType::Image2d | MemType::Image2dArray));
    let is_only_read = !access_fits(flags, ImageAccess::Write);
    all.filter(|format| is_only_read || format.is_writable()).collect()
}

/// Whether kernels may use an image with these flags in this way.
pub(crate) fn access_fits(flags: MemFlags, access: ImageAccess) -> bool {
    match access {
        ImageAccess::Read => !flags.contains(MemFlags::WRITE_ONLY),
        ImageAccess::Write => !flags.intersects(MemFlags::READ_ONLY | MemFlags::IMMUTABLE),
        ImageAccess::ReadWrite => !flags.intersects(MemFlags::READ_ONLY | MemFlags::WRITE_ONLY | MemFlags::IMMUTABLE),
    }
}

impl Mem {
    /// `clCreateImage` and its kin; `flags` are the caller's bits, `properties` the caller's list with its terminator
    /// or empty. What is in new memory is undefined.
    ///
    /// # Errors
    /// `InvalidOperation` ← no device supports images; `InvalidValue` ← flags; `InvalidImageFormatDescriptor`;
    /// `InvalidImageDescriptor`; `InvalidImageSize`; `InvalidHostPtr`; `ImageFormatNotSupported`;
    /// `MemObjectAllocationFailure`.
    ///
    /// Spec: OpenCL API, "Creating Image Objects".
    pub fn create_image(
        context: &Obj<Context>,
        flags: u64,
        format: Option<Format>,
        shape: &Shape<'_>,
        host_ptr: Option<HostPtr>,
        properties: impl Into<Properties>,
    ) -> Result<Obj<Self>> {
        let properties = properties.into();
        let is_external = properties.external.is_some();
        // "there are no devices in context that support images"
        let supports = context.devices().iter().any(|device| device.caps().image_support);
        ensure!(supports, Error::spec(Status::InvalidOperation, "there are no devices in context that support images"));
        let is_view = shape.source.is_some();
        let flags = if is_view { MemFlags::check(flags)? } else { MemFlags::check_new(flags, is_external)? };
        properties.check(context, flags, host_ptr)?;
        ensure!(!(is_view && is_external), descriptor_error("mem_object is not NULL beside an external memory handle"));
        let rule = "CL_MEM_FORCE_HOST_MEMORY_INTEL is for buffers";
        ensure!(!flags.contains(MemFlags::FORCE_HOST_MEMORY), Error::spec(Status::InvalidValue, rule));
        // "image_format is NULL", "values specified in image_format are not valid"
        let format = format.filter(|f| f.is_valid()).ok_or(Error::spec(
            Status::InvalidImageFormatDescriptor,
            "image_format is NULL or its values are not valid",
        ))?;
        shape.check()?;
        if shape.mip_levels > 1 {
            ensure!(!is_view && !is_external, descriptor_error("images in other memory have no mip levels"));
            let rule = "an image with mip levels takes no host_ptr";
            let has_ptr = host_ptr.is_some() || flags.intersects(MemFlags::USE_HOST_PTR | MemFlags::COPY_HOST_PTR);
            ensure!(!has_ptr, Error::spec(Status::InvalidHostPtr, rule));
        }
        // "host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags", and its mirror
        let wants_ptr = flags.intersects(MemFlags::USE_HOST_PTR | MemFlags::COPY_HOST_PTR);
        const PTR: Error = Error::spec(Status::InvalidHostPtr, "host_ptr and CL_MEM_USE/COPY_HOST_PTR disagree");
        if let Some(source) = shape.source {
            ensure!(Arc::ptr_eq(source.context(), context), Error::ContextMismatch);
            // "CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with CL_MEM_IMMUTABLE_EXT"
            let rule = "CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with it";
            let both = !source.flags().contains(MemFlags::IMMUTABLE) || flags.contains(MemFlags::IMMUTABLE);
            ensure!(both, Error::spec(Status::InvalidValue, rule));
            let flags = source.inherited_flags(flags)?;
            ensure!(host_ptr.is_none(), PTR);
            check_supported(shape.mem_type, flags, format)?;
            return Self::create_view(source, flags, format, shape, properties);
        }
        ensure!(shape.mem_type != MemType::Image1dBuffer, descriptor_error("a 1D image buffer needs a buffer"));
        ensure!(wants_ptr == host_ptr.is_some(), PTR);
        let flags = flags.or_default();
        let mut image = Image::new(context, format, shape, host_ptr.is_some() || is_external)?;
        check_supported(shape.mem_type, flags, format)?;
        let size = image.size_bytes();
        ensure!(size as u64 <= context.max_alloc_bytes(), Error::Allocation { size });
        let storage = match (&properties.external, host_ptr) {
            (Some(external), _) => Storage::shared(external.fd, size)?,
            (None, Some(ptr)) if flags.contains(MemFlags::USE_HOST_PTR) => Storage::borrowed(ptr, size),
            (None, Some(ptr)) => {
                let storage = Storage::recycled(context.recycler(), size)?;
                storage.span().write_from(ptr, size, Stores::suiting(size));
                storage
            }
            (None, None) => Storage::recycled(context.recycler(), size)?,
        };
        image.place_at(storage.address());
        let host_ptr = host_ptr.filter(|_| flags.contains(MemFlags::USE_HOST_PTR));
        Ok(Self::from_parts(Parts {
            context: Arc::clone(context),
            flags,
            size,
            offset: 0,
            storage: Arc::new(storage),
            parent: None,
            host_ptr,
            properties,
            pipe: None,
            image: Some(Box::new(image)),
            uses_svm: false,
        }))
    }

    /// An image that shares the memory of a buffer or of another image.
    fn create_view(
        source: &Obj<Self>,
        flags: MemFlags,
        format: Format,
        shape: &Shape<'_>,
        properties: Properties,
    ) -> Result<Obj<Self>> {
        let mut image = match (source.image(), shape.mem_type) {
            (None, _) if source.pipe().is_none() => {
                // "the row pitch, or slice pitch … or base address alignment do not follow the rules"
                let alignment = requirements::alignment(Some(format));
                let places = [source.data_address(), shape.row_pitch, shape.slice_pitch];
                let rule = "address or pitches are not aligned as an image in a buffer has to be";
                let is_aligned = places.iter().all(|place| place.is_multiple_of(alignment));
                ensure!(is_aligned, Error::spec(Status::InvalidImageFormatDescriptor, rule));
                // A 1D image has one row, so its pitch does no harm; the conformance suite gives one.
                let image = Image::new(source.context(), format, shape, true)?;
                // "the buffer passed in mem_object is too small to be used as a data store for the image"
                ensure!(image.size_bytes() <= source.size(), size_error("the image is larger than the buffer"));
                image
            }
            (Some(theirs), MemType::Image2d) if theirs.mem_type == MemType::Image2d && theirs.descs.len() == 1 => {
                // "All of the values specified in image_desc must match the image descriptor information"
                let same = [shape.width, shape.height] == theirs.sizes[..2]
                    && (shape.row_pitch == 0 || shape.row_pitch == theirs.row_pitch);
                ensure!(same, descriptor_error("image_desc differs from that of mem_object"));
                let rule = "the channel order is not compatible with that of mem_object";
                ensure!(format.is_view_of(theirs.format), Error::spec(Status::InvalidImageFormatDescriptor, rule));
                let shape = Shape { row_pitch: theirs.row_pitch, slice_pitch: 0, ..*shape };
                Image::new(source.context(), format, &shape, true)?
            }
            _ => return Err(descriptor_error("mem_object does not suit image_type")),
        };
        let size = image.size_bytes().min(source.size());
        image.place_at(source.data_address());
        Ok(Self::from_parts(Parts {
            size,
            parent: Some(Arc::clone(source)),
            properties,
            image: Some(Box::new(image)),
            ..source.shared_parts(flags)
        }))
    }
}

/// "there are no devices in context that support image_format"
pub(super) fn check_supported(mem_type: MemType, flags: MemFlags, format: Format) -> Result<()> {
    let condition = "there are no devices in context that support image_format";
    ensure!(formats(mem_type, flags).contains(&format), Error::spec(Status::ImageFormatNotSupported, condition));
    Ok(())
}
