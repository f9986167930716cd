//! What an image would need, without making it: `cl_ext_image_requirements_info`.

use super::buffer::{MemFlags, MemType};
use super::format::Format;
use super::image::{Image, Shape, check_supported, max_sizes, used_sizes};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::Obj;
use crate::status::Status;

/// Bytes of the largest texel.
const MAX_TEXEL_BYTES: usize = 16;

/// Alignment of the memory, of the row pitch and of the slice pitch of images in buffers, in bytes: a texel, of the
/// largest format if none is given. A power of two.
pub fn alignment(format: Option<Format>) -> usize {
    format.map_or(MAX_TEXEL_BYTES, |format| format.layout().texel_bytes as usize)
}

/// What is asked about; what is not given may be anything.
pub struct Wanted {
    /// Where the image would be.
    pub context: Obj<Context>,
    /// Its flags.
    pub flags: MemFlags,
    /// Its format.
    pub format: Option<Format>,
    /// Its type and sizes, except for the type, which is there if `mem_type` is.
    pub shape: Option<Shape<'static>>,
    /// Its type; none for a description that leaves it open.
    pub mem_type: Option<MemType>,
}

fn descriptor_error(condition: &'static str) -> Error {
    Error::spec(Status::InvalidImageDescriptor, condition)
}

impl Wanted {
    /// Checks the format.
    ///
    /// # Errors
    /// `InvalidImageFormatDescriptor` ← there is no such format, for images of this type if that is given.
    pub fn check_format(&self) -> Result<()> {
        let Some(format) = self.format else { return Ok(()) };
        let types = self.mem_type.map_or(MemType::IMAGES.to_vec(), |ty| vec![ty]);
        let fits = format.is_valid() && types.into_iter().any(|ty| check_supported(ty, self.flags, format).is_ok());
        ensure!(fits, Error::spec(Status::InvalidImageFormatDescriptor, "the values in image_format are not valid"));
        Ok(())
    }

    /// The image, which has no memory; for a format that is not given, one of the smallest texels.
    ///
    /// # Errors
    /// `InvalidImageDescriptor` ← the description fits no image.
    fn image(&self) -> Result<Option<Image>> {
        let Some(shape) = &self.shape else { return Ok(None) };
        ensure!(self.mem_type.is_some(), descriptor_error("image_type is not valid"));
        shape.check()?;
        let smallest = Format { order: super::format::order::R, data_type: super::format::data_type::UNORM_INT8 };
        let image = Image::new(&self.context, self.format.unwrap_or(smallest), shape, true);
        let image = image.map_err(|_| descriptor_error("the values in image_desc are not valid"))?;
        Ok(Some(image))
    }

    /// `CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT` and those of the pitches, in bytes.
    ///
    /// # Errors
    /// As `image`.
    pub fn alignment(&self) -> Result<usize> {
        self.image()?;
        Ok(alignment(self.format))
    }

    /// `CL_IMAGE_REQUIREMENTS_SIZE_EXT` in bytes.
    ///
    /// # Errors
    /// `InvalidValue` ← format or description are missing; as `image`.
    pub fn size(&self) -> Result<usize> {
        let image = self.image()?.filter(|_| self.format.is_some());
        let image = image.ok_or(Error::spec(Status::InvalidValue, "image_format or image_desc is NULL"))?;
        Ok(image.size_bytes())
    }

    /// `CL_IMAGE_REQUIREMENTS_MAX_…_EXT` of width, height, depth or layers, by number: what images of all types that
    /// have it, and of the sizes and pitches that are given, can have. Sizes of 0 count as not given.
    ///
    /// # Errors
    /// `InvalidImageDescriptor` ← images of the type do not have it, or what is given fits none.
    pub fn max_size(&self, which: usize) -> Result<usize> {
        self.check_open()?;
        let types = MemType::IMAGES.into_iter().filter(|&ty| self.mem_type.is_none_or(|only| only == ty));
        let types = types.filter(|&ty| used_sizes(ty)[which]);
        let most = types.filter_map(|ty| self.max_size_of(ty, which)).min();
        most.ok_or(descriptor_error("images of image_type do not have this size, or others are too large"))
    }

    /// Checks a description of which sizes may be left open.
    fn check_open(&self) -> Result<()> {
        let Some(shape) = &self.shape else { return Ok(()) };
        shape.check()?;
        let texel = self.format.map_or(1, |format| alignment(Some(format)));
        let block = self.format.map_or(1, Format::block_texels);
        ensure!(shape.width.is_multiple_of(block), descriptor_error("a width that no image of the format has"));
        let is_whole = [shape.row_pitch, shape.slice_pitch].iter().all(|pitch| pitch.is_multiple_of(texel));
        ensure!(is_whole, descriptor_error("a pitch is no multiple of the element size"));
        let types = MemType::IMAGES.into_iter().filter(|&ty| self.mem_type.is_none_or(|only| only == ty));
        let caps = self.context.devices().iter().map(|device| device.caps());
        let sizes = types.flat_map(|ty| caps.clone().flat_map(move |caps| max_sizes(ty, caps)[..3].to_vec()));
        let most = sizes.max().unwrap_or(1).ilog2() + 1;
        ensure!(shape.mip_levels <= most, descriptor_error("num_mip_levels is larger than any sizes allow"));
        Ok(())
    }

    /// The same for one type; none if another size is too large.
    fn max_size_of(&self, mem_type: MemType, which: usize) -> Option<usize> {
        let max = self.context.devices().iter().map(|device| max_sizes(mem_type, device.caps()));
        let max = max.reduce(|a, b| std::array::from_fn(|i| a[i].max(b[i])))?;
        let Some(shape) = &self.shape else { return Some(max[which]) };
        let used = used_sizes(mem_type);
        let given = [shape.width, shape.height, shape.depth, shape.layers];
        let others = (0..4).filter(|&i| i != which && used[i]);
        if others.clone().any(|i| given[i] > max[i]) {
            return None;
        }
        // Texels that share bytes: a little more than they take.
        let texel = self.format.map_or(MAX_TEXEL_BYTES, Format::element_bytes);
        let block = self.format.map_or(1, Format::block_texels);
        let rest = others.fold(texel, |bytes, i| bytes.saturating_mul(given[i].max(1)));
        let mut most = max[which].min((self.context.max_alloc_bytes() / rest as u64) as usize);
        match which {
            0 if shape.row_pitch != 0 => {
                let block_bytes = self.format.map_or(texel, |format| format.row_bytes(block));
                most = most.min(shape.row_pitch / block_bytes * block);
            }
            1 if shape.row_pitch != 0 && shape.slice_pitch != 0 => most = most.min(shape.slice_pitch / shape.row_pitch),
            _ => {}
        }
        if which == 0 {
            most -= most % block;
        }
        (most > 0).then_some(most)
    }
}
