//! The interpreter's address space: memory objects far apart, so that every access is checked against the object its
//! address lies in. An address is an ordinary 64-bit number and may be stored, loaded and computed with. Knows no KIR
//! but types.

use super::value::{self, Lanes};
use crate::check::Bounds;
use crate::ir::ty::Type;

/// What an object stands for, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A buffer of the host.
    Buffer,
    /// A program-scope variable.
    Global,
    /// A local variable or local argument of one group.
    Local,
    /// A private slot of one activation.
    Slot,
    /// The argument block or the launch's `Env`.
    Args,
    /// Scratch memory of a work-group function.
    Scratch,
}

/// Why an access is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No live object has these bytes.
    OutOfBounds,
    /// The object is read-only.
    ReadOnly,
}

struct Object {
    kind: Kind,
    bytes: Vec<u8>,
    is_writable: bool,
}

/// All objects.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Option<Object>>,
    free: Vec<usize>,
}

/// log2 of the distance between objects.
const OBJECT_BITS: u32 = 36;

impl Memory {
    /// Adds an object and returns its address, which is aligned for everything. Zero is nobody's address.
    pub fn add(&mut self, kind: Kind, bytes: Vec<u8>, is_writable: bool) -> u64 {
        let object = Some(Object { kind, bytes, is_writable });
        let index = match self.free.pop() {
            Some(index) => {
                self.objects[index] = object;
                index
            }
            None => {
                self.objects.push(object);
                self.objects.len() - 1
            }
        };
        (index as u64 + 1) << OBJECT_BITS
    }
    /// Ends an object's life.
    pub fn remove(&mut self, address: u64) {
        if let Some(index) = index(address)
            && self.objects.get(index).is_some_and(Option::is_some)
        {
            self.objects[index] = None;
            self.free.push(index);
        }
    }
    /// Makes an object read-only.
    pub fn protect(&mut self, address: u64) {
        if let Some(Some(object)) = index(address).and_then(|i| self.objects.get_mut(i)) {
            object.is_writable = false;
        }
    }
    /// The whole object that starts at an address.
    pub fn object(&self, address: u64) -> Option<&[u8]> {
        self.objects.get(index(address)?)?.as_ref().map(|o| o.bytes.as_slice())
    }
    /// What lies at an address.
    pub fn kind(&self, address: u64) -> Option<Kind> {
        self.objects.get(index(address)?)?.as_ref().map(|o| o.kind)
    }
    /// What may be done with the object at an address.
    pub fn bounds(&self, address: u64) -> Bounds {
        let Some(object) = index(address).and_then(|i| self.objects.get(i)?.as_ref()) else {
            return Bounds { start: address, ..Bounds::default() };
        };
        let readable = object.bytes.len() as u64;
        let writable = if object.is_writable { readable } else { 0 };
        Bounds { start: address - offset(address), readable, writable }
    }
    /// Bytes at an address.
    ///
    /// # Errors
    /// `Fault` if they are not all in one object.
    pub fn bytes(&self, address: u64, len: u64) -> Result<&[u8], Fault> {
        let object = index(address).and_then(|i| self.objects.get(i)?.as_ref()).ok_or(Fault::OutOfBounds)?;
        let at = offset(address);
        let end = at.checked_add(len).filter(|end| *end <= object.bytes.len() as u64).ok_or(Fault::OutOfBounds)?;
        Ok(&object.bytes[at as usize..end as usize])
    }
    /// Bytes at an address, to be written.
    ///
    /// # Errors
    /// `Fault` if they are not all in one object, or that is read-only.
    pub fn bytes_mut(&mut self, address: u64, len: u64) -> Result<&mut [u8], Fault> {
        let object = index(address).and_then(|i| self.objects.get_mut(i)?.as_mut()).ok_or(Fault::OutOfBounds)?;
        let at = offset(address);
        let end = at.checked_add(len).filter(|end| *end <= object.bytes.len() as u64).ok_or(Fault::OutOfBounds)?;
        if !object.is_writable {
            return Err(Fault::ReadOnly);
        }
        Ok(&mut object.bytes[at as usize..end as usize])
    }
    /// Loads a value.
    ///
    /// # Errors
    /// As for `bytes`.
    pub fn load(&self, address: u64, ty: Type) -> Result<Lanes, Fault> {
        Ok(value::from_bytes(ty.elem, self.bytes(address, u64::from(ty.bytes()))?))
    }
    /// Stores a value.
    ///
    /// # Errors
    /// As for `bytes_mut`.
    pub fn store(&mut self, address: u64, ty: Type, lanes: &[u64]) -> Result<(), Fault> {
        let bytes = value::to_bytes(ty.elem, lanes);
        self.bytes_mut(address, bytes.len() as u64)?.copy_from_slice(&bytes);
        Ok(())
    }
}

fn index(address: u64) -> Option<usize> {
    (address >> OBJECT_BITS).checked_sub(1).map(|i| i as usize)
}

fn offset(address: u64) -> u64 {
    address & ((1 << OBJECT_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        let mut memory = Memory::default();
        let a = memory.add(Kind::Buffer, vec![1, 2, 3, 4], true);
        let b = memory.add(Kind::Global, vec![9; 8], false);
        assert_eq!(memory.load(a, Type::I32).unwrap().as_slice(), [0x0403_0201]);
        assert_eq!(memory.load(a + 1, Type::I32), Err(Fault::OutOfBounds));
        assert_eq!(memory.load(b - 1, Type::I8), Err(Fault::OutOfBounds));
        assert_eq!(memory.load(0, Type::I8), Err(Fault::OutOfBounds));
        assert_eq!(memory.load(u64::MAX, Type::I64), Err(Fault::OutOfBounds));
        assert_eq!(memory.store(b, Type::I8, &[0]), Err(Fault::ReadOnly));
        memory.remove(a);
        assert_eq!(memory.load(a, Type::I8), Err(Fault::OutOfBounds));
        assert_eq!(memory.add(Kind::Slot, vec![0], true), a);
    }
}
