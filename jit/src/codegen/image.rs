//! Executable memory: code is copied in, relocated and sealed (never writable and executable at once), and unmapped
//! when the last owner goes. Knows nothing of KIR or Cranelift's IR.
#![allow(unsafe_code, reason = "maps and writes executable memory")]

use super::object::Symbol;
use crate::error::CodeError;
use serde::{Deserialize, Serialize};
use std::ptr::NonNull;

/// One function's machine code before it has an address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Blob {
    /// Code, with its constants behind it.
    pub code: Vec<u8>,
    /// Alignment in bytes, a power of two.
    pub align: usize,
    /// Places to patch.
    pub relocs: Vec<Reloc>,
}

/// A place to patch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Reloc {
    /// Byte offset in the blob.
    pub offset: usize,
    /// What to write.
    pub kind: RelocKind,
    /// What it refers to.
    pub target: Target,
    /// Added to the target's address.
    pub addend: i64,
}

/// Encoding of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelocKind {
    /// 64-bit address.
    Abs8,
    /// 32-bit distance from the place (x86-64).
    Rel4,
    /// 26-bit word distance in a branch (aarch64).
    Arm64Call,
}

impl RelocKind {
    /// How many bytes are patched.
    pub fn bytes(self) -> usize {
        match self {
            Self::Abs8 => 8,
            Self::Rel4 | Self::Arm64Call => 4,
        }
    }
}

/// What a relocation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// Another blob of the same image, by number.
    Blob(usize),
    /// What each process has elsewhere.
    Symbol(Symbol),
}

impl From<Symbol> for Target {
    fn from(symbol: Symbol) -> Self {
        Self::Symbol(symbol)
    }
}

/// A read-only executable mapping.
pub struct Image {
    base: NonNull<u8>,
    len: usize,
    offsets: Vec<usize>,
}

// SAFETY: the mapping is immutable after construction.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Lays out the blobs in order, relocates and seals them; `address` says where symbols are.
    ///
    /// # Errors
    /// `CodeError` if memory is short, a relocation does not reach, or a symbol has no address.
    pub fn new(blobs: &[Blob], address: impl Fn(Symbol) -> Option<usize>) -> Result<Self, CodeError> {
        let mut offsets = Vec::with_capacity(blobs.len());
        let mut len = 0usize;
        for blob in blobs {
            len = len.next_multiple_of(blob.align.max(16));
            offsets.push(len);
            len += blob.code.len();
        }
        // SAFETY: sysconf has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096);
        let len = len.max(1).next_multiple_of(page);
        // SAFETY: a fresh anonymous mapping, placed by the system.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let base = match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => base,
            _ => return Err(CodeError::new(format!("no memory for {len} bytes of machine code"))),
        };
        let image = Self { base, len, offsets };
        // SAFETY: the mapping is ours, `len` bytes long, writable, and nobody else knows it yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(base.as_ptr(), len) };
        for (blob, &offset) in blobs.iter().zip(&image.offsets) {
            bytes[offset..offset + blob.code.len()].copy_from_slice(&blob.code);
            for reloc in &blob.relocs {
                let target = match reloc.target {
                    Target::Blob(n) => Some(image.address(n)),
                    Target::Symbol(symbol) => address(symbol),
                };
                let target = target.ok_or_else(|| CodeError::new("generated code refers to what is not there"))?;
                image.relocate(bytes, offset + reloc.offset, reloc, target as i64)?;
            }
        }
        // SAFETY: the range is the mapping made above; `bytes` is not used any more.
        if unsafe { libc::mprotect(base.as_ptr().cast(), len, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
            return Err(CodeError::new("the system refuses executable memory"));
        }
        #[cfg(target_arch = "aarch64")]
        super::icache::flush(base.as_ptr(), len);
        Ok(image)
    }

    /// Patches the place `at` with the address `target`, as `reloc` says.
    fn relocate(&self, bytes: &mut [u8], at: usize, reloc: &Reloc, target: i64) -> Result<(), CodeError> {
        let value = target.wrapping_add(reloc.addend);
        let distance = value.wrapping_sub(self.base.as_ptr() as i64 + at as i64);
        let far = || CodeError::new("a call in generated code does not reach its target");
        match reloc.kind {
            RelocKind::Abs8 => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
            RelocKind::Rel4 => {
                let distance = i32::try_from(distance).map_err(|_| far())?;
                bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
            }
            RelocKind::Arm64Call => {
                if distance % 4 != 0 || !(-(1 << 27)..1 << 27).contains(&distance) {
                    return Err(far());
                }
                let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                let word = (word & 0xfc00_0000) | ((distance >> 2) as u32 & 0x03ff_ffff);
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Address of a blob.
    pub fn address(&self, blob: usize) -> usize {
        self.base.as_ptr() as usize + self.offsets[blob]
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and no code in it runs any more: whoever runs it holds an owner of this image.
        unsafe {
            libc::munmap(self.base.as_ptr().cast(), self.len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first blob calls the second, which gives the address of a symbol plus 2.
    #[cfg(target_arch = "x86_64")]
    fn caller_and_callee() -> [Blob; 2] {
        // 0: call blob 1; ret.   1: mov rax, imm64; ret.
        let caller = Blob {
            code: vec![0xe8, 0, 0, 0, 0, 0xc3],
            align: 16,
            relocs: vec![Reloc { offset: 1, kind: RelocKind::Rel4, target: Target::Blob(1), addend: -4 }],
        };
        let callee = Blob {
            code: vec![0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3],
            align: 16,
            relocs: vec![Reloc { offset: 2, kind: RelocKind::Abs8, target: Symbol::DataStart.into(), addend: 2 }],
        };
        [caller, callee]
    }

    #[cfg(target_arch = "aarch64")]
    fn caller_and_callee() -> [Blob; 2] {
        let code = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // 0: mov x9, x30; bl blob 1; ret x9.   1: ldr x0, [pc, 8]; ret; the address.
        let caller = Blob {
            code: code(&[0xaa1e_03e9, 0x9400_0000, 0xd65f_0120]),
            align: 16,
            relocs: vec![Reloc { offset: 4, kind: RelocKind::Arm64Call, target: Target::Blob(1), addend: 0 }],
        };
        let callee = Blob {
            code: code(&[0x5800_0040, 0xd65f_03c0, 0, 0]),
            align: 16,
            relocs: vec![Reloc { offset: 8, kind: RelocKind::Abs8, target: Symbol::DataStart.into(), addend: 2 }],
        };
        [caller, callee]
    }

    #[test]
    fn relocated_code_runs() {
        let image = Image::new(&caller_and_callee(), |_| Some(40)).expect("memory");
        // SAFETY: the bytes at this address are the function encoded above.
        let f = unsafe { std::mem::transmute::<usize, extern "C" fn() -> u64>(image.address(0)) };
        assert_eq!(f(), 42);
    }

    #[test]
    fn unreachable_targets_are_errors() {
        let [mut blob, _] = caller_and_callee();
        blob.relocs[0].target = Symbol::DataStart.into();
        assert!(Image::new(std::slice::from_ref(&blob), |_| Some(1)).is_err());
        assert!(Image::new(&[blob], |_| None).is_err());
    }
}
