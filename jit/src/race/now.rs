//! An access that generated code tells of, of one work-item of those that do the same in lanes. Must not know what
//! cells make of it.
#![allow(unsafe_code, reason = "addresses that generated code hands over")]

use super::cell::{Access, short_site};
use super::{Code, Form};

/// One access, as generated code tells of it.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub code: Code,
    pub item: u64,
    /// What says where (`Code::form`).
    pub address: u64,
    /// What it writes, if that is known.
    pub value: *const u8,
    /// Work-items of the vector that do the same, and which of them this one is.
    pub mask: u64,
    pub lane: u32,
}

impl Now {
    /// The same of another lane.
    pub fn lane(self, lane: u32) -> Self {
        let by = if self.code.lanes { lane as usize * self.code.value_bytes() as usize } else { 0 };
        Self { item: self.item + u64::from(lane), value: self.value.wrapping_add(by), lane, ..self }
    }

    /// Where a lane accesses memory.
    ///
    /// # Safety
    /// The lane is active, and the call that this is of has not ended.
    pub unsafe fn place_of(self, lane: u32) -> u64 {
        match self.code.form {
            Form::One | Form::Same => self.address,
            Form::Line(stride) => self.address.wrapping_add_signed(i64::from(lane) * i64::from(stride)),
            // SAFETY: an address for each lane lies there.
            Form::Table => unsafe { *(self.address as *const u64).add(lane as usize) },
        }
    }

    /// What it means for bytes of a cell.
    pub fn access(self, bytes: u8) -> Access {
        let Code { kind, site, .. } = self.code;
        Access { item: self.item as u16, bytes, kind, site: short_site(site) }
    }
}
