//! Where a rounding mode holds: what `SELECT_ROUNDING_MODE` and the braces around it say of the place that has been
//! read. Sema applies the same rules to statements. Spec: "Rounding Modes".

use crate::lex::token::PragmaRounding;
use smallvec::SmallVec;

/// The state at a place in the token stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// `cl_khr_select_fprounding_mode` is enabled.
    pub(super) is_enabled: bool,
    /// In force here.
    pub(super) mode: PragmaRounding,
    /// In force around each compound statement that is open here.
    around: SmallVec<[PragmaRounding; 16]>,
}

impl Region {
    /// At `{`.
    pub(super) fn open(&mut self) {
        self.around.push(self.mode);
    }

    /// At `}`: back to what held before the compound statement.
    pub(super) fn close(&mut self) {
        if let Some(mode) = self.around.pop() {
            self.mode = mode;
        }
    }
}
