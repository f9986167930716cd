//! Who decides in a random test: a generator of random numbers, or the bytes of an input, from which a fuzzer learns
//! what they do.

/// Where choices come from.
#[allow(dead_code, reason = "each test uses a part")]
pub enum Choices<'a> {
    /// The state of xorshift, which is not 0.
    Random(u64),
    /// What has not been used yet.
    Bytes(&'a [u8]),
}

#[allow(dead_code, reason = "each test uses a part")]
impl Choices<'_> {
    /// A number below `n`; 0 if there are no more bytes.
    pub fn below(&mut self, n: usize) -> usize {
        match self {
            Self::Random(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                (*state >> 11) as usize % n
            }
            Self::Bytes(bytes) => {
                let Some((&first, rest)) = bytes.split_first() else { return 0 };
                *bytes = rest;
                usize::from(first) % n
            }
        }
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Whether there are no more bytes.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Bytes([]))
    }
}
