//! What a row works on: its arguments, made from fixed random numbers, and helpers that check results.

use clift_kernels_test::host::Range;

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

/// Every `step`th of the floats in `got` lies within `error` of `want`, relative to it or to 1, whichever is greater.
pub fn near(got: &[u8], step: usize, error: f64, want: impl Fn(usize) -> f64) -> Result<(), String> {
    all_near((0..got.len() / 4).step_by(step), error, |i| f32_at(got, i), want)
}

/// The same of some elements of any type.
pub fn all_near(
    elements: impl Iterator<Item = usize>,
    error: f64,
    got: impl Fn(usize) -> f64,
    want: impl Fn(usize) -> f64,
) -> Result<(), String> {
    for i in elements {
        let (got, want) = (got(i), want(i));
        let off = (got - want).abs();
        if off.is_nan() || off > error * want.abs().max(1.0) {
            return Err(format!("element {i} is {got} where {want} is right"));
        }
    }
    Ok(())
}

/// Every `step`th of the words in `got` is that of `want`.
pub fn same(got: &[u8], step: usize, want: impl Fn(usize) -> u32) -> Result<(), String> {
    match (0..got.len() / 4).step_by(step).find(|&i| u32_at(got, i) != want(i)) {
        Some(i) => Err(format!("element {i} is {:#x} where {:#x} is right", u32_at(got, i), want(i))),
        None => Ok(()),
    }
}
