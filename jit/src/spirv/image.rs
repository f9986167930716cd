//! Image instructions, as calls of OpenCL C's image functions. Spec: SPIR-V, "Image Instructions"; OpenCL SPIR-V
//! Environment, "Image Instructions".

use super::call::Operand;
use super::function::{Def, FuncCx};
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::image::{ImageDesc, ImageShape};
use crate::ir::op::Rounding;
use crate::ir::{Attr, Flags, Imm, Op as Kir, Scalar, Type, Value};
use spirv::{ImageOperands, Op};
use std::mem::offset_of;

/// `CL_SNORM_INT8`, `CL_R`: what SPIR-V numbers from 0.
const FIRST_DATA_TYPE: u64 = 0x10d0;
const FIRST_ORDER: u64 = 0x10b0;

impl FuncCx<'_> {
    /// Image instructions with a result; `None` for others.
    pub(super) fn image(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        Ok(Some(match op {
            Op::SampledImage => {
                let (image, sampler) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.want(sampler, Type::I32)?;
                self.note_shape(inst.word(1)?, inst.word(2)?)?;
                Def::Sampled(image, sampler)
            }
            Op::Image => match self.def(inst.word(2)?)? {
                Def::Sampled(image, _) => Def::Value(image),
                _ => return Err("no sampled image".into()),
            },
            Op::ImageSampleExplicitLod | Op::ImageSampleImplicitLod => {
                let sampled = inst.word(2)?;
                let Def::Sampled(image, sampler) = self.def(sampled)? else { return Err("no sampled image".into()) };
                let shape = self.shape_of(sampled)?;
                let image = Operand { image: Some(shape), ..image.into() };
                let coords = self.coordinates(inst.word(3)?, shape)?;
                let mut args = vec![image, sampler.into(), coords.into()];
                args.extend(self.level_of_detail(inst.rest(4), shape)?.into_iter().map(Operand::from));
                Def::Value(self.read(&args, ty, inst.rest(4))?)
            }
            Op::ImageRead | Op::ImageFetch => {
                let mut image = self.arg(inst.word(2)?)?;
                let shape = image.image.ok_or("no image")?;
                if let [flags, lod, ..] = *inst.rest(4)
                    && ImageOperands::from_bits_retain(flags).contains(ImageOperands::LOD)
                {
                    image = self.level(image, lod)?;
                }
                let coords = self.coordinates(inst.word(3)?, shape)?;
                Def::Value(self.read(&[image, coords.into()], ty, inst.rest(4))?)
            }
            Op::ImageQuerySizeLod | Op::ImageQuerySize => Def::Value(self.size(inst, ty)?),
            Op::ImageQueryFormat | Op::ImageQueryOrder => {
                let (name, first) = match op {
                    Op::ImageQueryFormat => ("get_image_channel_data_type", FIRST_DATA_TYPE),
                    _ => ("get_image_channel_order", FIRST_ORDER),
                };
                let image = self.arg(inst.word(2)?)?;
                let value = self.named(name, &[image], None)?.ok_or("a value is wanted")?;
                let first = self.e.bits(Type::I32, first);
                Def::Value(self.e.same(Kir::Sub, &[value, first]))
            }
            Op::ImageQueryLevels => {
                let image = self.arg(inst.word(2)?)?;
                Def::Value(self.named("get_image_num_mip_levels", &[image], None)?.ok_or("a value is wanted")?)
            }
            Op::ImageQuerySamples => {
                let to = self.kir(ty)?;
                Def::Value(self.e.bits(to, 1))
            }
            _ => return Ok(None),
        }))
    }

    /// The shape of an image with a sampler.
    fn shape_of(&self, sampled: Id) -> Result<ImageShape, String> {
        self.shapes.get(&sampled).copied().ok_or_else(|| "no sampled image".into())
    }

    /// Remembers the shape of an image that gets a sampler.
    fn note_shape(&mut self, id: Id, image: Id) -> Result<(), String> {
        match self.module.ty(self.type_of(image)?)?.kind {
            Kind::Image { shape, .. } => {
                self.shapes.insert(id, shape);
                Ok(())
            }
            _ => Err("no image".into()),
        }
    }

    /// Coordinates as OpenCL C has them: four components where SPIR-V may have three.
    fn coordinates(&mut self, id: Id, shape: ImageShape) -> Result<Value, String> {
        let wanted = match shape {
            ImageShape::D1 | ImageShape::D1Buffer => 1,
            ImageShape::D1Array | ImageShape::D2 | ImageShape::D2Depth => 2,
            _ => 4,
        };
        self.components(id, wanted)
    }

    /// The level of detail that a sample's operands say, or the gradients in its place: none for level 0, which the
    /// functions without one read.
    fn level_of_detail(&mut self, operands: &[u32], shape: ImageShape) -> Result<Vec<Value>, String> {
        let Some((&flags, words)) = operands.split_first() else { return Ok(Vec::new()) };
        let flags = ImageOperands::from_bits_retain(flags);
        let at = usize::from(flags.contains(ImageOperands::BIAS));
        let word = |n: usize| words.get(at + n).copied().ok_or("an image operand is missing");
        if flags.contains(ImageOperands::LOD) {
            let lod = self.value(word(0)?)?;
            self.want(lod, Type::F32)?;
            let is_base = self.e.func.const_bits(lod) == Some(0);
            return Ok(if is_base { Vec::new() } else { vec![lod] });
        }
        if flags.contains(ImageOperands::GRAD) {
            let wanted = match shape {
                ImageShape::D1 | ImageShape::D1Buffer | ImageShape::D1Array => 1,
                ImageShape::D3 => 4,
                _ => 2,
            };
            return Ok(vec![self.components(word(0)?, wanted)?, self.components(word(1)?, wanted)?]);
        }
        Ok(Vec::new())
    }

    /// The image that a mip level of an image is: its descriptor. The last level for those that there are not.
    fn level(&mut self, image: Operand, lod: Id) -> Result<Operand, String> {
        let lod = self.value(lod)?;
        let ty = self.e.func.ty(lod);
        if !ty.is_int() || ty.is_vector() || ty.elem == Scalar::I1 {
            return Err("a mip level is no integer".into());
        }
        if self.e.func.const_bits(lod) == Some(0) {
            return Ok(image);
        }
        let place = self.e.ptr_off(image.value, offset_of!(ImageDesc, levels) as i64);
        let attr = Attr { flags: Flags::INVARIANT, ..Attr::default() };
        let levels = self.e.emit_attr(Kir::Load, Type::I64, &[place], Imm::None, attr);
        let one = self.e.bits(Type::I64, 1);
        let last = self.e.same(Kir::Sub, &[levels, one]);
        let lod = self.e.convert_lanes(lod, Type::I64, [false; 2], false, Rounding::Rte);
        let level = self.e.same(Kir::MinU, &[lod, last]);
        Ok(Operand { value: self.e.ptr_add(image.value, level, size_of::<ImageDesc>() as u64), ..image })
    }

    /// A vector of as many components; four where SPIR-V may have three.
    fn components(&mut self, id: Id, wanted: u8) -> Result<Value, String> {
        let v = self.value(id)?;
        let ty = self.e.func.ty(v);
        if ty.lanes == wanted {
            return Ok(v);
        }
        if wanted == 4 && ty.lanes == 3 {
            let zero = self.e.bits(ty.lane(), 0);
            return Ok(self.e.build(ty.with_lanes(4), &[v, zero]));
        }
        if ty.lanes > wanted {
            let lanes: Vec<u8> = (0..wanted).collect();
            return Ok(if wanted == 1 { self.e.extract(v, 0) } else { self.e.swizzle(v, &lanes) });
        }
        Err("the coordinates have too few components".into())
    }

    /// A read with a result of this type.
    fn read(&mut self, args: &[Operand], ty: Id, operands: &[u32]) -> Result<Value, String> {
        let to = self.kir(ty)?;
        let flags = ImageOperands::from_bits_retain(operands.first().copied().unwrap_or(0));
        let name = match to.elem {
            Scalar::F32 => "read_imagef",
            Scalar::F16 => "read_imageh",
            Scalar::I32 if flags.contains(ImageOperands::ZERO_EXTEND) => "read_imageui",
            Scalar::I32 => "read_imagei",
            _ => return Err("images are read as floats, halves or 32-bit integers".into()),
        };
        let mut value = self.named(name, args, None)?.ok_or("a value is wanted")?;
        if name == "read_imagei" && !flags.contains(ImageOperands::SIGN_EXTEND) {
            // The image's own type decides: of the other one the function gives zeros.
            let unsigned = self.named("read_imageui", args, None)?.ok_or("a value is wanted")?;
            value = self.e.same(Kir::Or, &[value, unsigned]);
        }
        let found = self.e.func.ty(value);
        if found.lanes == 1 && to.lanes == 4 {
            let zero = self.e.bits(to.lane(), 0);
            return Ok(self.e.build(to, &[value, zero, zero, zero]));
        }
        if to.lanes == 1 {
            return Ok(self.e.extract(value, 0));
        }
        self.want(value, to)?;
        Ok(value)
    }

    /// Width, height and depth, then the number of layers.
    fn size(&mut self, inst: &Inst, ty: Id) -> Result<Value, String> {
        let mut image = self.arg(inst.word(2)?)?;
        if let Some(&lod) = inst.words.get(3) {
            image = self.level(image, lod)?;
        }
        let names: &[&str] = match image.image.ok_or("no image")? {
            ImageShape::D1 | ImageShape::D1Buffer => &["width"],
            ImageShape::D1Array => &["width", "array_size"],
            ImageShape::D2 | ImageShape::D2Depth => &["width", "height"],
            ImageShape::D2Array | ImageShape::D2ArrayDepth => &["width", "height", "array_size"],
            ImageShape::D3 => &["width", "height", "depth"],
        };
        let to = self.kir(ty)?;
        if !to.is_int() || usize::from(to.lanes) != names.len() || to.elem == Scalar::I1 {
            return Err("the result does not have the image's dimensions".into());
        }
        let mut sizes = Vec::with_capacity(names.len());
        for name in names {
            let size = self.named(&format!("get_image_{name}"), &[image], None)?.ok_or("a value is wanted")?;
            sizes.push(self.e.convert_lanes(size, to.lane(), [false; 2], false, Rounding::Rte));
        }
        Ok(if let [one] = sizes[..] { one } else { self.e.emit(Kir::Build, to, &sizes, Imm::None) })
    }

    /// `OpImageWrite`; false for other instructions.
    pub(super) fn image_effect(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        if op != Op::ImageWrite {
            return Ok(false);
        }
        let image = self.arg(inst.word(0)?)?;
        let shape = image.image.ok_or("no image")?;
        let coords = self.coordinates(inst.word(1)?, shape)?;
        let mut texel = self.value(inst.word(2)?)?;
        let ty = self.e.func.ty(texel);
        let flags = ImageOperands::from_bits_retain(inst.words.get(3).copied().unwrap_or(0));
        let name = match ty.elem {
            Scalar::F32 => "write_imagef",
            Scalar::F16 => "write_imageh",
            Scalar::I32 if flags.contains(ImageOperands::ZERO_EXTEND) => "write_imageui",
            Scalar::I32 => "write_imagei",
            _ => return Err("images are written as floats, halves or 32-bit integers".into()),
        };
        if matches!(shape, ImageShape::D2Depth | ImageShape::D2ArrayDepth) {
            texel = self.e.extract(texel, 0);
        }
        let mut args = vec![image, coords.into()];
        if flags.contains(ImageOperands::LOD) {
            let lod = self.value(*inst.words.get(4).ok_or("an image operand is missing")?)?;
            self.want(lod, Type::I32)?;
            if self.e.func.const_bits(lod) != Some(0) {
                args.push(lod.into());
            }
        }
        args.push(texel.into());
        self.named(name, &args, None)?;
        if name == "write_imagei" && !flags.contains(ImageOperands::SIGN_EXTEND) {
            // The image's own type decides: for the other one the function stores nothing.
            self.named("write_imageui", &args, None)?;
        }
        Ok(true)
    }
}
