//! Code whose registers were allocated in a hurry (`KernelCode::is_hasty`) is made once more, in the background, when
//! its launches have taken many times as long as it took to make (tiered compilation). Both compute the same bits.
//!
//! Counts and keeps only: `executable` makes code.

use crate::exec::ndrange::Compiled;
use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Launches must have taken so many times as long as code took to make in a hurry. Without, one of 28,000 instructions
/// took two to four times as long.
const PATIENCE: u64 = 4;

/// The second code of a piece, if there is one.
#[derive(Default)]
pub struct Thorough {
    spent_ns: AtomicU64,
    is_asked_for: AtomicBool,
    code: OnceCell<Arc<Compiled>>,
}

impl Thorough {
    /// The code, when it has been made.
    pub fn code(&self) -> Option<&Arc<Compiled>> {
        self.code.get()
    }

    /// Keeps the code.
    pub fn keep(&self, code: Arc<Compiled>) {
        let _ = self.code.set(code);
    }

    /// Counts a launch of hasty code that will take about so long; true, for one launch only, if it is time for better
    /// code.
    pub fn is_due(&self, hasty: &Compiled, expected_ns: u64) -> bool {
        let spent = self.spent_ns.fetch_add(expected_ns, Relaxed).saturating_add(expected_ns);
        u128::from(spent) >= hasty.making.as_nanos() * u128::from(PATIENCE) && !self.is_asked_for.swap(true, Relaxed)
    }
}
