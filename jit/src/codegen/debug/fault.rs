//! Which line an address of machine code belongs to, for whoever handles a fault there (`CLIFT_FAULT=1`). Must not know
//! signals.

use super::LineTable;
use crate::places::Frame;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Code in memory, by its address.
static CODE: Mutex<BTreeMap<u64, LineTable>> = Mutex::new(BTreeMap::new());

/// True if the environment asks for it.
pub(super) fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| crate::env::var("CLIFT_FAULT").as_deref() == Some("1"))
}

/// Functions that are known until this goes: before their code does.
pub(in super::super) struct Known(Vec<u64>);

/// Makes functions known, if that is wanted.
pub(in super::super) fn know(functions: &[(u64, &LineTable)]) -> Known {
    if !is_wanted() {
        return Known(Vec::new());
    }
    CODE.lock().extend(functions.iter().map(|&(address, table)| (address, table.clone())));
    Known(functions.iter().map(|&(address, _)| address).collect())
}

impl Drop for Known {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            let mut code = CODE.lock();
            self.0.iter().for_each(|address| _ = code.remove(address));
        }
    }
}

/// The places of the instruction at an address, innermost first; nothing if it is not one of generated code. Allocates
/// nothing.
pub fn with_place<T>(address: usize, use_it: impl FnOnce(&[Frame]) -> T) -> Option<T> {
    let code = CODE.lock();
    let (&start, table) = code.range(..=address as u64).next_back()?;
    let offset = u32::try_from(address as u64 - start).ok().filter(|&offset| offset < table.len)?;
    Some(use_it(table.frames(offset)))
}
