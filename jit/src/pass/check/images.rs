//! Checks of coordinates, where the specification wants them inside the image: reads without a sampler, or by one with
//! `CLK_ADDRESS_NONE`, and writes. In front of the calls, before what the library does with coordinates has come in.
//!
//! Layers of arrays are clamped by reads, whatever the sampler; writes want them inside.

use super::plant::{Plant, Plants};
use super::site;
use crate::image::{ImageDesc, ImageShape, sampler};
use crate::ir::check::{Checked, Object, ObjectKind};
use crate::ir::{Attr, Builder, Flags, Func, FuncId, Imm, Inst, IntPred, Module, Op, Type, Value};
use smallvec::SmallVec;
use std::mem::offset_of;

/// An access to an image.
#[derive(Clone)]
struct Access {
    image: Value,
    sampler: Option<Value>,
    coords: Value,
    /// The mip level that is written, if the call says it.
    level: Option<Value>,
    /// Where the descriptor has the sizes that coordinates have to be below.
    sizes: SmallVec<[usize; 3]>,
}

/// Notes the checks of a function of a module, from which it has been taken out.
pub(super) fn find(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let Some((access, writes)) = access(module, func, inst) else { continue };
        if !module.is_checked(func, data.origin) {
            continue;
        }
        module.checks.objects.push(Object { what: ObjectKind::Image, name: name(func, access.image), size: 0 });
        let object = module.checks.objects.len() as u32 - 1;
        let dims = access.sizes.len() as u8;
        let number = site(module, id, data.origin, Checked::Texel { writes, dims, object });
        let ask = move |b: &mut Builder<'_>| access.is_inside(b);
        plants.entry(inst).or_default().push(Plant::Check(number, None, Box::new(ask)));
    }
}

/// What a call accesses, if it is of a function whose coordinates may have to be inside, and whether it writes.
fn access(module: &Module, func: &Func, inst: Inst) -> Option<(Access, bool)> {
    let data = &func.insts[inst];
    // As `builtin::sig::mangle` names them: `read_imagef.image2d_t.sampler.v2f32`.
    let name = &module.funcs[data.callee()?].name;
    let mut words = name.split('.');
    let writes = match words.next()? {
        "read_imagef" | "read_imagei" | "read_imageui" => false,
        "write_imagef" | "write_imagei" | "write_imageui" => true,
        _ => return None,
    };
    let shape = words.next()?;
    let shape = ImageShape::ALL.into_iter().find(|of| of.name() == shape)?;
    let has_sampler = words.next()? == "sampler";
    let at = 1 + usize::from(has_sampler);
    let has_level = data.args.len() > at + 1 + usize::from(writes);
    if has_level && !writes {
        // Samples of levels have normalised coordinates.
        return None;
    }
    let access = Access {
        image: data.args[0],
        sampler: has_sampler.then(|| data.args[1]),
        coords: *data.args.get(at)?,
        level: has_level.then(|| data.args[at + 1]),
        sizes: sizes(shape, writes),
    };
    Some((access, writes))
}

fn sizes(shape: ImageShape, writes: bool) -> SmallVec<[usize; 3]> {
    let (width, height) = (offset_of!(ImageDesc, width), offset_of!(ImageDesc, height));
    let layers = writes.then_some(offset_of!(ImageDesc, layers));
    let (sizes, last): (&[usize], _) = match shape {
        ImageShape::D1 | ImageShape::D1Buffer => (&[width], None),
        ImageShape::D1Array => (&[width], layers),
        ImageShape::D2 | ImageShape::D2Depth => (&[width, height], None),
        ImageShape::D2Array | ImageShape::D2ArrayDepth => (&[width, height], layers),
        ImageShape::D3 => (&[width, height], Some(offset_of!(ImageDesc, depth))),
    };
    sizes.iter().copied().chain(last).collect()
}

/// The variable that an image was read from.
fn name(func: &Func, image: Value) -> String {
    let loaded = func.def_inst(image).filter(|data| data.op == Op::Load).map(|data| data.args[0]);
    match loaded.and_then(|from| func.def_inst(from)).map(|data| &data.imm) {
        Some(&Imm::Slot(slot)) => func.slots[slot].name.clone(),
        _ => String::new(),
    }
}

impl Access {
    /// A number of 32 bits in a descriptor.
    fn field(&self, b: &mut Builder<'_>, desc: Value, offset: usize) -> Value {
        let place = b.ptr_off(desc, offset as i64);
        b.load(Type::I32, place, Attr { flags: Flags::INVARIANT, ..Attr::default() })
    }

    /// True at run time if the coordinates are inside or need not be; what a report says: the descriptor's address,
    /// then two numbers of 32 bits a word, of which the first three are the texel and the others the image's sizes: 0
    /// for a level that the image does not have.
    fn is_inside(&self, b: &mut Builder<'_>) -> (Value, [Value; 4]) {
        let of = b.func.ty(self.coords);
        let flag = |b: &mut Builder<'_>, sampler: Value, bit: u32| {
            let bits = b.op_bits(Op::And, sampler, bit.into());
            b.icmp_bits(IntPred::Ne, bits, 0)
        };
        let is_free = self.sampler.map(|sampler| flag(b, sampler, sampler::ADDRESS));
        let zero = b.bits(Type::I32, 0);
        let (is_level, desc) = match self.level {
            None => (None, self.image),
            Some(level) => {
                let levels = self.field(b, self.image, offset_of!(ImageDesc, levels));
                let is = b.icmp(IntPred::ULt, level, levels);
                let level = b.op(Op::Select, &[is, level, zero]);
                let level = b.convert(Op::Zext, Type::I64, level);
                (Some(is), b.ptr_add(self.image, level, size_of::<ImageDesc>() as u32, 0))
            }
        };
        let mut inside: Option<Value> = None;
        let mut numbers: SmallVec<[Value; 6]> = SmallVec::new();
        let mut sizes: SmallVec<[Value; 3]> = SmallVec::new();
        for (n, &offset) in self.sizes.iter().enumerate() {
            let mut at = match of.is_vector() {
                true => b.emit(Op::Extract, of.lane(), &[self.coords], Imm::Lane(n as u8)),
                false => self.coords,
            };
            let mut size = self.field(b, desc, offset);
            if let Some(is) = is_level {
                size = b.op(Op::Select, &[is, size, zero]);
            }
            if let (true, Some(sampler)) = (of.is_float(), self.sampler) {
                let scale = b.convert(Op::Sitofp, Type::F32, size);
                let texels = b.op(Op::Fmul, &[at, scale]);
                let is_normalised = flag(b, sampler, sampler::NORMALIZED);
                let texels = b.op(Op::Select, &[is_normalised, texels, at]);
                let below = b.op(Op::Floor, &[texels]);
                at = b.convert(Op::Fptosi, Type::I32, below);
            }
            let is = b.icmp(IntPred::ULt, at, size);
            inside = Some(b.and(inside, is));
            numbers.push(at);
            sizes.push(size);
        }
        numbers.resize(3, zero);
        sizes.resize(3, zero);
        numbers.extend(sizes);
        let mut words = [b.convert(Op::PtrToInt, Type::I64, self.image); 4];
        for (word, pair) in words[1..].iter_mut().zip(numbers.chunks(2)) {
            let [low, high] = [pair[0], pair[1]].map(|v| b.convert(Op::Zext, Type::I64, v));
            let high = b.op_bits(Op::Shl, high, 32);
            *word = b.op(Op::Or, &[low, high]);
        }
        let mut right = inside.expect("an image has a width");
        if let Some(is_free) = is_free {
            right = b.op(Op::Or, &[right, is_free]);
        }
        (right, words)
    }
}
