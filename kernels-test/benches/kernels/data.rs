//! What a row works on: its arguments, made from fixed random numbers, and helpers that check results.

use clift_kernels_test::host::Range;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// An argument of a kernel.
pub enum Arg {
    /// A buffer that is only read.
    In(Vec<u8>),
    /// A buffer with its first contents; checked after a run.
    Out(Vec<u8>),
    /// An image of four bytes (red, green, blue, alpha) for each texel.
    Image {
        /// Width and height.
        size: [usize; 2],
        /// Texels, line by line.
        bytes: Vec<u8>,
    },
    /// Passed by value.
    Value(Vec<u8>),
}

impl Arg {
    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::In(bytes) | Self::Out(bytes) | Self::Value(bytes) | Self::Image { bytes, .. } => bytes,
        }
    }
}

/// Compares results (the `Out` arguments in order) with a reference.
pub type Check = Box<dyn Fn(&[Arg], &[Vec<u8>]) -> Result<(), String>>;

/// One launch.
pub struct Case {
    /// In the kernel's order.
    pub args: Vec<Arg>,
    /// Work-items.
    pub range: Range,
    /// The same work in units of the C version.
    pub units: usize,
    /// Says what is wrong.
    pub check: Check,
}

/// A one-dimensional range.
pub fn line(global: usize, local: usize) -> Range {
    Range { dims: 1, global: [global, 1, 1], local: Some([local, 1, 1]), offset: None }
}

/// A two-dimensional range.
pub fn plane(global: [usize; 2], local: [usize; 2]) -> Range {
    let [global, local] = [global, local].map(|[x, y]| [x, y, 1]);
    Range { dims: 2, global, local: Some(local), offset: None }
}

/// A three-dimensional range.
pub fn volume(global: [usize; 3], local: [usize; 3]) -> Range {
    Range { dims: 3, global, local: Some(local), offset: None }
}

/// Random numbers, always the same.
pub struct Random(pub u64);

impl Random {
    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A float in a half-open range.
    pub fn float(&mut self, [low, high]: [f32; 2]) -> f32 {
        low + (high - low) * (self.bits() >> 8) as f32 / (1 << 24) as f32
    }

    /// Bytes of `n` floats.
    pub fn floats(&mut self, n: usize, range: [f32; 2]) -> Vec<u8> {
        bytes(n, |_| self.float(range).to_le_bytes())
    }

    /// Bytes of `n` words.
    pub fn words(&mut self, n: usize) -> Vec<u8> {
        bytes(n, |_| self.bits().to_le_bytes())
    }
}

/// Bytes of `n` elements.
pub fn bytes<const SIZE: usize>(n: usize, mut element: impl FnMut(usize) -> [u8; SIZE]) -> Vec<u8> {
    let mut all = Vec::with_capacity(n * SIZE);
    for i in 0..n {
        all.extend_from_slice(&element(i));
    }
    all
}

/// A `float` by value.
pub fn float(value: f32) -> Arg {
    Arg::Value(value.to_le_bytes().into())
}

/// An `int` by value.
pub fn int(value: usize) -> Arg {
    Arg::Value((value as i32).to_le_bytes().into())
}

/// A buffer of zeros for results.
pub fn zeros(size: usize) -> Arg {
    Arg::Out(vec![0; size])
}

/// Float `i` of some bytes, widened.
pub fn f32_at(bytes: &[u8], i: usize) -> f64 {
    f64::from(f32::from_bits(u32_at(bytes, i)))
}

/// Word `i` of some bytes.
pub fn u32_at(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[4 * i + k]))
}

/// All floats of some bytes, widened.
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    (0..bytes.len() / 4).map(|i| f32_at(bytes, i)).collect()
}

/// All words of some bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    (0..bytes.len() / 4).map(|i| u32_at(bytes, i)).collect()
}

/// Every float in `got` lies within `error` of `want`, relative to it or to 1, whichever is greater.
pub fn near(got: &[u8], error: f64, want: impl Fn(usize) -> f64 + Sync) -> Result<(), String> {
    all_near(got.len() / 4, [error; 2], |i| f32_at(got, i), want)
}

/// Every one of `n` elements lies within the relative or the absolute error, whichever is wider.
pub fn all_near(
    n: usize,
    [relative, absolute]: [f64; 2],
    got: impl Fn(usize) -> f64 + Sync,
    want: impl Fn(usize) -> f64 + Sync,
) -> Result<(), String> {
    all(n, |i| {
        let (got, want) = (got(i), want(i));
        let off = (got - want).abs();
        let is_right = off <= (relative * want.abs()).max(absolute);
        if is_right { Ok(()) } else { Err(format!("is {got} where {want} is right")) }
    })
}

/// Every word in `got` is that of `want`.
pub fn same(got: &[u8], want: impl Fn(usize) -> u32 + Sync) -> Result<(), String> {
    all(got.len() / 4, |i| {
        let (got, want) = (u32_at(got, i), want(i));
        if got == want { Ok(()) } else { Err(format!("is {got:#x} where {want:#x} is right")) }
    })
}

/// Asks for each of `n` elements, on all processors, and tells of the first one that is wrong.
pub fn all(n: usize, check: impl Fn(usize) -> Result<(), String> + Sync) -> Result<(), String> {
    let wrong = (0..n).into_par_iter().with_min_len(1024).find_map_first(|i| check(i).err().map(|why| (i, why)));
    wrong.map_or(Ok(()), |(i, why)| Err(format!("element {i} {why}")))
}
