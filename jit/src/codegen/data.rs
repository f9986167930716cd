//! Memory of a program's program-scope variables: one block per program, shared by the code of all its kernels.
#![allow(unsafe_code, reason = "owns raw memory that generated code reads and writes")]

use crate::error::CodeError;
use crate::ir::entity::Arena;
use crate::ir::{Global, GlobalId};
use crate::race::shadow;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

/// The variables' memory, initialised. Lives as long as the program or any code of it.
pub struct ProgramData {
    base: NonNull<u8>,
    layout: Layout,
    offsets: Vec<usize>,
}

// SAFETY: the fields never change; the memory behind `base` is touched by generated code only, under OpenCL's memory
// model.
unsafe impl Send for ProgramData {}
// SAFETY: as above.
unsafe impl Sync for ProgramData {}

impl ProgramData {
    /// Lays out and initialises a module's variables.
    ///
    /// # Errors
    /// `CodeError` if they do not fit in memory.
    pub fn new(globals: &Arena<GlobalId, Global>) -> Result<Arc<Self>, CodeError> {
        let too_large = || CodeError::too_large("program-scope variables are too large");
        let mut offsets = Vec::with_capacity(globals.len());
        let mut size = 0u64;
        for global in globals.values() {
            // Variables are kept on different cache lines only if they ask for it.
            let align = u64::from(global.align.max(1));
            size = size.checked_next_multiple_of(align).ok_or_else(too_large)?;
            offsets.push(usize::try_from(size).map_err(|_| too_large())?);
            size = size.checked_add(global.size.max(1)).ok_or_else(too_large)?;
        }
        let align = globals.values().map(|g| g.align).max().unwrap_or(1).max(128) as usize;
        let size = usize::try_from(size).map_err(|_| too_large())?.max(1);
        let layout = Layout::from_size_align(size, align).map_err(|_| too_large())?;
        // SAFETY: the size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(too_large)?;
        let data = Self { base, layout, offsets };
        // SAFETY: `size` fresh zeroed bytes that nobody else knows yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(base.as_ptr(), size) };
        for (id, global) in globals.iter() {
            let start = data.offsets[id.0 as usize];
            let end = start + usize::try_from(global.size).map_err(|_| too_large())?;
            let place = &mut bytes[start..end];
            let n = global.init.bytes.len().min(place.len());
            place[..n].copy_from_slice(&global.init.bytes[..n]);
            for &(at, target, addend) in &global.init.relocs {
                let address = data.address(target).unwrap_or(0).wrapping_add_signed(addend as isize) as u64;
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                let Some(word) = at.checked_add(8).and_then(|end| place.get_mut(at..end)) else {
                    return Err(CodeError::new(format!("initialiser of `{}` ends beyond it", global.name)));
                };
                word.copy_from_slice(&address.to_le_bytes());
            }
        }
        Ok(Arc::new(data))
    }

    /// Where the memory begins and ends.
    pub fn bounds(&self) -> [usize; 2] {
        let start = self.base.as_ptr() as usize;
        [start, start + self.layout.size()]
    }

    /// Address of a variable, if the module had it.
    pub fn address(&self, global: GlobalId) -> Option<usize> {
        self.offsets.get(global.0 as usize).map(|offset| self.base.as_ptr() as usize + offset)
    }
}

impl Drop for ProgramData {
    fn drop(&mut self) {
        let [start, end] = self.bounds();
        shadow::forget(start as u64, (end - start) as u64);
        // SAFETY: allocated in `new` with this layout; no code that uses it is left, as such code holds an `Arc` to it.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Init;
    use crate::launch::AddrSpace;

    #[test]
    fn initialisers_and_relocations_are_applied() {
        let mut globals = Arena::new();
        let global = |name: &str, size, align, init| Global {
            name: name.into(),
            space: AddrSpace::Constant,
            size,
            align,
            init,
            variable: None,
        };
        globals.push(global("a", 3, 1, Init { bytes: vec![7, 8], relocs: vec![] }));
        globals.push(global("b", 16, 64, Init { bytes: vec![], relocs: vec![(8, GlobalId(0), 1)] }));
        let data = ProgramData::new(&globals).expect("fits");
        let (a, b) = (data.address(GlobalId(0)).expect("there"), data.address(GlobalId(1)).expect("there"));
        assert_eq!(b % 64, 0);
        // SAFETY: both lie in `data`, which lives.
        let (tail, pointer) = unsafe { (*(a as *const [u8; 3]), *((b + 8) as *const usize)) };
        assert_eq!(tail, [7, 8, 0]);
        assert_eq!(pointer, a + 1);
        assert_eq!(data.address(GlobalId(2)), None);
    }
}
