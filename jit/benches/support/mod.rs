//! What benches of this crate share: a kernel that runs on memory made here, without a runtime.

use clift_jit::{ArgKind, Env, KernelCode, Program, SpecKey, build};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first kernel of a program, compiled.
pub struct Kernel {
    program: Arc<Program>,
    pub code: KernelCode,
}

impl Kernel {
    /// Compiles OpenCL C 3.0 for work-groups of this size, or of any.
    pub fn new(source: &str, local_size: Option<[u32; 3]>) -> Self {
        let built = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
        let program = built.program.unwrap_or_else(|_| panic!("{source}\n{}", built.log));
        let key = SpecKey { local_size, ..SpecKey::of_ids([0; 3], [1; 3]) };
        let code = program.code(0, key).unwrap_or_else(|e| panic!("{}", e.message));
        Self { program, code }
    }

    /// What a launch takes of so many groups of `group` work-items each. The arrays are the kernel's buffers, in turn,
    /// and have room for what it accesses there; every other argument is `number`.
    pub fn time(&self, arrays: &mut [Vec<u128>], number: u64, group: u64, groups: u64) -> Duration {
        let info = &self.program.kernels()[0];
        let mut args = vec![0u64; info.arg_block_bytes.div_ceil(8) + 1];
        let mut buffers = arrays.iter_mut();
        for arg in &info.args {
            args[arg.offset / 8] = match arg.kind {
                ArgKind::Buffer { .. } => aligned(buffers.next().expect("an array for each buffer")) as u64,
                _ => number,
            };
        }
        let (mut scratch, mut local) = (memory(self.code.scratch_bytes(group)), memory(info.local_bytes));
        let env = Env {
            global_size: [group * groups, 1, 1],
            global_offset: [0; 3],
            local_size: [group, 1, 1],
            num_groups: [groups, 1, 1],
            work_dim: 1,
            local: aligned(&mut local),
            local_bytes: info.local_bytes as u64,
            scratch: aligned(&mut scratch),
            scratch_bytes: self.code.scratch_bytes(group) as u64,
            races: std::ptr::null_mut(),
        };
        let start = Instant::now();
        // SAFETY: the block holds all arguments, and buffers are large enough, as the caller sees to; local and scratch
        // memory are as large as the code asks.
        unsafe { self.code.run(args.as_ptr().cast(), &env, 0..groups) }
        start.elapsed()
    }
}

/// So many bytes, with room to align them.
pub fn memory(bytes: usize) -> Vec<u128> {
    vec![0; bytes / 16 + 32]
}

/// Where such bytes begin.
pub fn aligned(memory: &mut [u128]) -> *mut u8 {
    (memory.as_mut_ptr() as usize).next_multiple_of(128) as *mut u8
}
