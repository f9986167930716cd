//! Commands on images. Regions are in texels; what runs is a copy of rectangles of bytes, like that of buffers.

use super::command::{BufferRect, Command, CommandType, FillRect, HostRect, Transfer, Work, map_access};
use crate::check::commands::rows;
use crate::error::{Error, Result};
use crate::memory::buffer::{HostAccess, Mem, MemType};
use crate::memory::host::HostPtr;
use crate::memory::image::{Image, Origin};
use crate::memory::region::Span;
use crate::object::Obj;
use crate::status::Status;
use std::sync::Arc;

/// Where a map of an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedImage {
    /// Address of the region's first texel.
    pub address: usize,
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from slice to slice or from layer to layer; 0 for types without.
    pub slice_pitch: usize,
}

/// The image that a memory object must be.
fn image(mem: &Mem) -> Result<&Image> {
    mem.image().ok_or(Error::spec(Status::InvalidMemObject, "image is not a valid image object"))
}

impl Command {
    /// `clEnqueueReadImage`.
    ///
    /// # Errors
    /// `InvalidMemObject` ← a buffer; `InvalidMipLevel`; `InvalidValue` ← region or pitches; `HostAccess`.
    pub fn read_image(
        mem: &Obj<Mem>,
        origin: Origin,
        region: [usize; 3],
        pitches: [usize; 2],
        target: HostPtr,
    ) -> Result<Self> {
        let payload = host_rect(mem, origin, region, pitches, target)?;
        mem.check_host_access(HostAccess::Read)?;
        Ok(Self::of(CommandType::ReadImage, mem.context(), Work::ReadRect(payload)))
    }

    /// `clEnqueueWriteImage`.
    ///
    /// # Errors
    /// As `read_image`.
    pub fn write_image(
        mem: &Obj<Mem>,
        origin: Origin,
        region: [usize; 3],
        pitches: [usize; 2],
        source: HostPtr,
    ) -> Result<Self> {
        let payload = host_rect(mem, origin, region, pitches, source)?;
        mem.check_host_access(HostAccess::Write)?;
        Ok(Self::of(CommandType::WriteImage, mem.context(), Work::WriteRect(payload)))
    }

    /// `clEnqueueCopyImage`.
    ///
    /// # Errors
    /// `InvalidMemObject` ← a buffer; `ContextMismatch`; `ImageFormatMismatch`; `InvalidValue` ← a region;
    /// `CopyOverlap`.
    pub fn copy_image(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        source_origin: Origin,
        target_origin: Origin,
        region: [usize; 3],
    ) -> Result<Self> {
        let (ours, theirs) = (image(source)?, image(target)?);
        target.check_mutable()?;
        // "src_image and dst_image do not use the same image format"
        let rule = "src_image and dst_image do not use the same image format";
        ensure!(ours.format() == theirs.format(), Error::spec(Status::ImageFormatMismatch, rule));
        let from = ours.region(source_origin, region)?;
        let to = theirs.region(target_origin, region)?;
        ensure!(Arc::ptr_eq(source.context(), target.context()), Error::ContextMismatch);
        // "src_image and dst_image are the same image object and the source and destination regions overlap"
        ensure!(!(Arc::ptr_eq(source, target) && from.overlaps(&to)), Error::CopyOverlap);
        let (from, to) = (ours.rect(&from)?, theirs.rect(&to)?);
        let payload = BufferRect { source: Arc::clone(source), target: Arc::clone(target), from, to };
        Ok(Self::of(CommandType::CopyImage, source.context(), Work::Transfer(Transfer::CopyRect(Box::new(payload)))))
    }

    /// `clEnqueueCopyImageToBuffer`.
    ///
    /// # Errors
    /// `InvalidMemObject` ← the wrong kind of object, or a 1D image buffer made from the target; `ContextMismatch`;
    /// `InvalidValue` ← the region or the bytes in the buffer.
    pub fn copy_image_to_buffer(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        origin: Origin,
        region: [usize; 3],
        offset: usize,
    ) -> Result<Self> {
        target.check_mutable()?;
        let payload = image_and_buffer(source, target, origin, region, offset)?;
        Ok(Self::of(CommandType::CopyImageToBuffer, source.context(), Work::Transfer(Transfer::CopyRect(payload))))
    }

    /// `clEnqueueCopyBufferToImage`.
    ///
    /// # Errors
    /// As `copy_image_to_buffer`.
    pub fn copy_buffer_to_image(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        offset: usize,
        origin: Origin,
        region: [usize; 3],
    ) -> Result<Self> {
        target.check_mutable()?;
        let BufferRect { source: image, target: buffer, from: in_image, to: in_buffer } =
            *image_and_buffer(target, source, origin, region, offset)?;
        let payload = BufferRect { source: buffer, target: image, from: in_buffer, to: in_image };
        Ok(Self::of(
            CommandType::CopyBufferToImage,
            source.context(),
            Work::Transfer(Transfer::CopyRect(Box::new(payload))),
        ))
    }

    /// `clEnqueueFillImage`; `colour` are the bits of four floats or integers (of one float for depth).
    ///
    /// # Errors
    /// `InvalidMemObject` ← a buffer; `InvalidValue` ← the region.
    pub fn fill_image(mem: &Obj<Mem>, colour: [u32; 4], origin: Origin, region: [usize; 3]) -> Result<Self> {
        let image = image(mem)?;
        mem.check_mutable()?;
        let rect = image.rect(&image.region(origin, region)?)?;
        let fill = FillRect { object: Arc::clone(mem), rect, pattern: image.format().encode(colour) };
        Ok(Self::of(CommandType::FillImage, mem.context(), Work::Transfer(Transfer::FillRect(Box::new(fill)))))
    }

    /// `clEnqueueMapImage`; the second result goes to the caller. The map counts once the command is enqueued.
    ///
    /// # Errors
    /// `InvalidMemObject` ← a buffer; `InvalidValue` ← flags or region; `HostAccess`.
    pub fn map_image(mem: &Obj<Mem>, flags: u64, origin: Origin, region: [usize; 3]) -> Result<(Self, MappedImage)> {
        let image = image(mem)?;
        // What may not be done anywhere is said first, as the Khronos suite wants of regions of unusual formats.
        let writes = map_access(mem, flags)?;
        let region = image.region(origin, region)?;
        let rect = image.rect(&region)?;
        let address = mem.data_address() + rect.start;
        let ranges = rows(&rect, mem.data_address());
        let work = Work::Map { object: Arc::clone(mem), address, ranges, writes };
        let [row_pitch, slice_pitch] = image.level_pitches(region.level);
        let mapped = MappedImage { address, row_pitch, slice_pitch };
        Ok((Self::of(CommandType::MapImage, mem.context(), work), mapped))
    }
}

fn host_rect(
    mem: &Obj<Mem>,
    origin: Origin,
    region: [usize; 3],
    [row_pitch, slice_pitch]: [usize; 2],
    host: HostPtr,
) -> Result<Box<HostRect>> {
    let image = image(mem)?;
    let region = image.region(origin, region)?;
    let host_rect = image.host_rect(&region, row_pitch, slice_pitch)?;
    Ok(Box::new(HostRect { buffer: Arc::clone(mem), rect: image.rect(&region)?, host, host_rect }))
}

/// A copy from `mem`, an image, to packed bytes of `buffer`.
fn image_and_buffer(
    mem: &Obj<Mem>,
    buffer: &Obj<Mem>,
    origin: Origin,
    region: [usize; 3],
    offset: usize,
) -> Result<Box<BufferRect>> {
    let image = image(mem)?;
    buffer.check_buffer()?;
    // "src_image is a 1D image buffer object created from dst_buffer"
    let is_own = mem.parent().is_some_and(|parent| Arc::ptr_eq(parent, buffer));
    let rule = "the image is a 1D image buffer object created from the buffer";
    let may = !is_own || image.mem_type() != MemType::Image1dBuffer;
    ensure!(may, Error::spec(Status::InvalidMemObject, rule));
    let region = image.region(origin, region)?;
    let packed = image.host_rect(&region, 0, 0)?;
    // "the region specified by dst_offset and dst_offset + dst_cb refer to a region outside dst_buffer"
    Span::new(offset, packed.size_bytes(), buffer.size())?;
    ensure!(Arc::ptr_eq(mem.context(), buffer.context()), Error::ContextMismatch);
    let to = packed.shifted(offset);
    let from = image.rect(&region)?;
    Ok(Box::new(BufferRect { source: Arc::clone(mem), target: Arc::clone(buffer), from, to }))
}
