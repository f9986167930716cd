//! Builds a program and runs one of its kernels natively on buffers of this process, one group after the other.
#![allow(dead_code, reason = "each test uses a part")]

use clift_jit::{ArgKind, Env, SpecKey, build};

/// Bytes with the alignment that buffers have.
pub struct Buffer(Vec<u128>, usize);

impl Buffer {
    /// A buffer with these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0u128; bytes.len().div_ceil(16) + 16];
        for (n, &byte) in bytes.iter().enumerate() {
            words[n / 16] |= u128::from(byte) << (8 * (n % 16));
        }
        Self(words, bytes.len())
    }

    /// A zeroed buffer of `len` bytes.
    pub fn zeroed(len: usize) -> Self {
        Self(vec![0; len.div_ceil(16) + 16], len)
    }

    /// Where the bytes are.
    pub fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).take(self.1).collect()
    }

    /// The bytes as 32-bit words.
    pub fn words(&self) -> Vec<u32> {
        self.bytes().chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("four bytes"))).collect()
    }

    /// The bytes as 32-bit words, where they are.
    pub fn as_words(&self) -> &[u32] {
        // SAFETY: a `u128` is four `u32`, of any bits, and more aligned; the length is within the vector.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.1 / 4) }
    }

    /// The bytes as 64-bit words.
    pub fn long_words(&self) -> Vec<u64> {
        self.bytes().chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes"))).collect()
    }
}

/// A built program.
pub struct Program(std::sync::Arc<clift_jit::Program>);

impl Program {
    /// Builds `source` as OpenCL C 3.0; a failed build fails the test with its log.
    pub fn new(source: &str) -> Self {
        Self::with_options(source, "-cl-std=CL3.0")
    }

    /// Builds `source` with these options; a failed build fails the test with its log.
    pub fn with_options(source: &str, options: &str) -> Self {
        let built = build(source.as_bytes(), options, &[]);
        Self::from(built.program.unwrap_or_else(|_| panic!("{source}\n{}", built.log)))
    }

    /// A program that was built otherwise.
    pub fn from(program: std::sync::Arc<clift_jit::Program>) -> Self {
        Self(program)
    }

    /// Runs kernel `name`, whose arguments are all buffers (for an image one that holds its descriptor), on `items`
    /// work-items in groups of one.
    pub fn run(&self, name: &str, items: u64, buffers: &mut [&mut Buffer]) {
        let words: Vec<u64> = buffers.iter_mut().map(|buffer| buffer.0.as_mut_ptr() as u64).collect();
        self.run_as(name, SpecKey { small_ids: true, ..SpecKey::default() }, [items, 1], &words);
    }

    /// Runs code for `key` of kernel `name` on `n` groups of `size` work-items each. Its arguments are all addresses of
    /// buffers, or samplers.
    pub fn run_as(&self, name: &str, key: SpecKey, [n, size]: [u64; 2], words: &[u64]) {
        let (index, info) =
            self.0.kernels().iter().enumerate().find(|(_, k)| k.name == name).expect("the kernel exists");
        let mut args = vec![0u64; info.arg_block_bytes.div_ceil(8) + 1];
        assert_eq!(info.args.len(), words.len());
        for (arg, &word) in info.args.iter().zip(words) {
            assert!(matches!(arg.kind, ArgKind::Buffer { .. } | ArgKind::Image { .. } | ArgKind::Sampler));
            args[arg.offset / 8] = word;
        }
        let code = self.0.code(index, key).unwrap_or_else(|e| panic!("{name}: {}", e.message));
        let mut scratch = vec![0u128; code.scratch_bytes(size) / 16 + 64];
        let mut local = vec![0u128; info.local_bytes / 16 + 64];
        let align = |words: &mut Vec<u128>| {
            let at = words.as_mut_ptr() as usize;
            ((at + 128).next_multiple_of(128)) as *mut u8
        };
        let env = Env {
            global_size: [n * size, 1, 1],
            global_offset: [0; 3],
            local_size: [size, 1, 1],
            num_groups: [n, 1, 1],
            work_dim: 1,
            local: align(&mut local),
            local_bytes: info.local_bytes as u64,
            scratch: align(&mut scratch),
            scratch_bytes: code.scratch_bytes(size) as u64,
            races: std::ptr::null_mut(),
        };
        // SAFETY: the block holds one live buffer per argument, of the size the caller's kernel expects; scratch and
        // local memory are as large as the code asks, with slack.
        unsafe { code.run(args.as_ptr().cast(), &env, 0..n) }
    }

    /// What the vectoriser says of kernel `name`.
    pub fn remarks(&self, name: &str, key: SpecKey) -> Vec<String> {
        let index = self.0.kernels().iter().position(|k| k.name == name).expect("the kernel exists");
        self.0.code(index, key).unwrap_or_else(|e| panic!("{name}: {}", e.message)).remarks().to_vec()
    }
}
