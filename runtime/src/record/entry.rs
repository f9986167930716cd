//! What a recording is made of, as values, and their bytes in a chunk. Bytes come from files that anybody may have
//! made: reading them trusts no count and no number.

/// A program: what every kernel of it was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Translation units, more than one if it was linked from several.
    pub units: Vec<Unit>,
}

/// A translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Options of its compilation.
    pub options: String,
    /// What was compiled.
    pub input: Input,
}

/// What a unit was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// OpenCL C.
    Text {
        /// The source.
        source: Vec<u8>,
        /// Names and texts of what it includes: of `clCompileProgram`, and of files by their paths.
        headers: Vec<(String, String)>,
    },
    /// SPIR-V.
    Module {
        /// The module.
        il: Vec<u8>,
        /// Identifiers and values of the specialization constants that were set.
        constants: Vec<(u32, Vec<u8>)>,
    },
}

/// A launch as it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Number of the program.
    pub program: u32,
    /// Name of the kernel.
    pub kernel: String,
    /// `work_dim`, 1 to 3.
    pub dims: u32,
    /// Global offset, 0 in dimensions that there are not.
    pub offset: [u64; 3],
    /// Global size, 1 in dimensions that there are not.
    pub global: [u64; 3],
    /// Local size that the program asked for; none if the choice was the driver's.
    pub local: Option<[u64; 3]>,
    /// The size of groups that ran: kernels that cannot tell may run in others than was asked for.
    pub chosen: [u64; 3],
    /// `CL_CONTEXT_MEMORY_INITIALIZE_KHR` of the context: bits 0 (local) and 1 (private).
    pub zeros: u32,
    /// What the arguments lead to: different memory each.
    pub memories: Vec<Memory>,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// What may make a replay differ.
    pub doubts: Vec<String>,
    /// What is missing for a replay.
    pub gaps: Vec<String>,
}

/// A range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What it was.
    pub kind: MemoryKind,
    /// Bytes.
    pub size: u64,
    /// Number of what was in it before the launch.
    pub before: u32,
}

/// What memory was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Of a buffer.
    Buffer,
    /// Of a buffer in the program's memory, at an address that lies so many bytes behind a multiple of 4096.
    HostBuffer(u32),
    /// Of an image.
    Image,
    /// Known by its address to the kernel: shared virtual memory, unified shared memory.
    Pointer(u64),
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name in the source, if that is known.
    pub name: String,
    /// Its type as `CL_KERNEL_ARG_TYPE_NAME` says it.
    pub type_name: String,
    /// Pointers: the kernel does not write through it.
    pub is_const: bool,
    /// What it is set to.
    pub value: Value,
}

/// What an argument is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Bytes.
    Bytes(Vec<u8>),
    /// A null pointer.
    Null,
    /// Local memory of so many bytes.
    Local(u64),
    /// A buffer.
    Buffer(View),
    /// An image.
    Image(View, Image),
    /// A sampler.
    Sampler(Sampler),
    /// An address in `Pointer` memory.
    Pointer {
        /// Number of the memory in the launch.
        memory: u32,
        /// Bytes from its start to where the argument points.
        offset: u64,
    },
    /// An address of which nothing is known.
    Address(u64),
}

/// A memory object's part of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Number of the memory in the launch.
    pub memory: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// What kernels may do with it: those bits of `cl_mem_flags`.
    pub flags: u64,
}

/// What an image is besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// `cl_mem_object_type`
    pub mem_type: u32,
    /// `cl_channel_order`
    pub order: u32,
    /// `cl_channel_type`
    pub data_type: u32,
    /// Width, height, depth, layers; 0 for those that the type does not have.
    pub sizes: [u64; 4],
    /// Bytes of a texel; 1 where texels share bytes.
    pub texel_bytes: u32,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from slice to slice, 0 if there are none.
    pub slice_pitch: u64,
    /// It is made from a buffer.
    pub is_of_buffer: bool,
}

/// A sampler's settings, in the API's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// `CL_SAMPLER_NORMALIZED_COORDS`
    pub is_normalized: bool,
    /// `cl_addressing_mode`
    pub addressing: u32,
    /// `cl_filter_mode`
    pub filter: u32,
}

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Number of the launch.
    pub launch: u32,
    /// Numbers of what was in its memories afterwards; none if that memory was gone.
    pub after: Vec<Option<u32>>,
}

/// A value that has bytes.
pub trait Entry: Sized {
    /// Appends the bytes.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes the bytes off the front; `None` if they are no such value.
    fn read(from: &mut &[u8]) -> Option<Self>;

    /// The bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// The value, if these are its bytes and no more.
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        Self::read(&mut bytes).filter(|_| bytes.is_empty())
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(
        impl Entry for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
            fn read(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )* };
}
numbers!(u8, u32, u64);

impl Entry for bool {
    fn write(&self, out: &mut Vec<u8>) {
        u8::from(*self).write(out);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        match u8::read(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// A list: the count, then each. Every value has a byte at least, so a count that is too large ends with the bytes.
impl<T: Entry> Entry for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        self.iter().for_each(|value| value.write(out));
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        let count = u64::read(from)?;
        (0..count).map(|_| T::read(from)).collect()
    }
}

impl Entry for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        out.extend(self.as_bytes());
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        let bytes: Vec<u8> = Vec::read(from)?;
        Self::from_utf8(bytes).ok()
    }
}

impl<T: Entry> Entry for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        self.iter().for_each(|value| value.write(out));
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        if bool::read(from)? { T::read(from).map(Some) } else { Some(None) }
    }
}

impl<T: Entry, const N: usize> Entry for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(out));
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::read(from)).collect();
        values?.try_into().ok()
    }
}

impl<A: Entry, B: Entry> Entry for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

/// The bytes of a struct are those of its fields.
macro_rules! fields {
    ($($ty:ident { $($field:ident),* })*) => { $(
        impl Entry for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)*
            }
            fn read(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Entry::read(from)?),* })
            }
        }
    )* };
}
fields! {
    Program { units }
    Unit { options, input }
    Launch { program, kernel, dims, offset, global, local, chosen, zeros, memories, args, doubts, gaps }
    Memory { kind, size, before }
    Arg { name, type_name, is_const, value }
    View { memory, offset, size, flags }
    Image { mem_type, order, data_type, sizes, texel_bytes, row_pitch, slice_pitch, is_of_buffer }
    Sampler { is_normalized, addressing, filter }
    Outcome { launch, after }
}

impl Entry for Input {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text { source, headers } => {
                0u8.write(out);
                source.write(out);
                headers.write(out);
            }
            Self::Module { il, constants } => {
                1u8.write(out);
                il.write(out);
                constants.write(out);
            }
        }
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::read(from)? {
            0 => Self::Text { source: Entry::read(from)?, headers: Entry::read(from)? },
            1 => Self::Module { il: Entry::read(from)?, constants: Entry::read(from)? },
            _ => return None,
        })
    }
}

impl Entry for MemoryKind {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Buffer => (0u8, 0u64).write(out),
            Self::HostBuffer(behind) => (1u8, u64::from(*behind)).write(out),
            Self::Image => (2u8, 0u64).write(out),
            Self::Pointer(address) => (3u8, *address).write(out),
        }
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(match Entry::read(from)? {
            (0u8, 0u64) => Self::Buffer,
            (1, behind @ 0..4096) => Self::HostBuffer(behind as u32),
            (2, 0) => Self::Image,
            (3, address) => Self::Pointer(address),
            _ => return None,
        })
    }
}

impl Entry for Value {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => {
                0u8.write(out);
                bytes.write(out);
            }
            Self::Null => 1u8.write(out),
            Self::Local(bytes) => (2u8, *bytes).write(out),
            Self::Buffer(view) => {
                3u8.write(out);
                view.write(out);
            }
            Self::Image(view, image) => {
                4u8.write(out);
                view.write(out);
                image.write(out);
            }
            Self::Sampler(sampler) => {
                5u8.write(out);
                sampler.write(out);
            }
            Self::Pointer { memory, offset } => (6u8, (*memory, *offset)).write(out),
            Self::Address(address) => (7u8, *address).write(out),
        }
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::read(from)? {
            0 => Self::Bytes(Entry::read(from)?),
            1 => Self::Null,
            2 => Self::Local(Entry::read(from)?),
            3 => Self::Buffer(Entry::read(from)?),
            4 => Self::Image(Entry::read(from)?, Entry::read(from)?),
            5 => Self::Sampler(Entry::read(from)?),
            6 => Self::Pointer { memory: Entry::read(from)?, offset: Entry::read(from)? },
            7 => Self::Address(Entry::read(from)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: Entry + PartialEq + std::fmt::Debug>(value: &T) {
        let bytes = value.to_bytes();
        assert_eq!(T::from_bytes(&bytes).as_ref(), Some(value));
        for cut in 0..bytes.len() {
            assert_eq!(T::from_bytes(&bytes[..cut]), None, "{cut} bytes");
        }
        // What any change of a byte makes of it does no harm.
        for at in 0..bytes.len() {
            for with in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= with;
                let _ = T::from_bytes(&changed);
            }
        }
    }

    #[test]
    fn values_come_back_and_cut_bytes_are_none() {
        let text = Input::Text { source: b"kernel".to_vec(), headers: vec![("a.h".into(), "int".into())] };
        let module = Input::Module { il: vec![3, 2], constants: vec![(1, vec![4]), (2, Vec::new())] };
        let units = [text, module].map(|input| Unit { options: "-DA".into(), input });
        round_trip(&Program { units: units.to_vec() });
        let view = View { memory: 1, offset: 128, size: 64, flags: 4 };
        let image = Image {
            mem_type: 0x10f1,
            order: 1,
            data_type: 2,
            sizes: [3, 4, 0, 0],
            texel_bytes: 4,
            row_pitch: 12,
            slice_pitch: 0,
            is_of_buffer: true,
        };
        let values = vec![
            Value::Bytes(vec![1, 2]),
            Value::Null,
            Value::Local(9),
            Value::Buffer(view),
            Value::Image(view, image),
            Value::Sampler(Sampler { is_normalized: true, addressing: 3, filter: 4 }),
            Value::Pointer { memory: 2, offset: 8 },
            Value::Address(77),
        ];
        let arg = |value| Arg { name: "x".into(), type_name: "float*".into(), is_const: false, value };
        let kinds = [MemoryKind::Buffer, MemoryKind::HostBuffer(64), MemoryKind::Image, MemoryKind::Pointer(1 << 40)];
        round_trip(&Launch {
            program: 3,
            kernel: "f".into(),
            dims: 2,
            offset: [1, 0, 0],
            global: [64, 2, 1],
            local: Some([8, 1, 1]),
            chosen: [8, 1, 1],
            zeros: 1,
            memories: kinds.iter().map(|&kind| Memory { kind, size: 5, before: 6 }).collect(),
            args: values.into_iter().map(arg).collect(),
            doubts: vec!["a".into()],
            gaps: Vec::new(),
        });
        round_trip(&Outcome { launch: 1, after: vec![Some(3), None] });
    }

    #[test]
    fn counts_are_not_trusted() {
        assert_eq!(Vec::<u8>::from_bytes(&u64::MAX.to_le_bytes()), None);
        assert_eq!(Vec::<(u32, Vec<u8>)>::from_bytes(&[0xff; 40]), None);
    }
}
