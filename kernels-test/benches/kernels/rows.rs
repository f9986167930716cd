//! What a row of the table is, and the list of all rows. What a row computes lies in `tuned` and `unseen`.

use std::sync::LazyLock;

use clap::ValueEnum;

use crate::data::Case;
use crate::{tuned, unseen};

/// All rows in the order of the table.
pub static ROWS: LazyLock<Vec<&'static Row>> = LazyLock::new(|| tuned::ROWS.iter().chain(unseen::ROWS).collect());

/// Rows whose geometric mean is taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Group {
    /// As fast as memory or a cache.
    Bandwidth,
    /// As fast as the arithmetic units.
    Compute,
    /// Work-groups that share local memory.
    Local,
    /// Operations of sub-groups.
    Subgroup,
    /// One built-in function of float.
    Math,
    /// Of double.
    Double,
    /// Of half.
    Half,
    /// Kernels as other programs have them, which no pass was tuned on.
    Unseen,
}

impl Group {
    /// Whether the passes were developed with the kernels of this group at hand.
    pub fn is_tuned(self) -> bool {
        self != Self::Unseen
    }
}

/// What is timed.
pub enum Work {
    /// A kernel.
    Kernel {
        /// In this folder.
        file: &'static str,
        /// In that file.
        kernel: &'static str,
        /// Of the build.
        options: &'static str,
    },
    /// `clEnqueueCopyBuffer` from the first argument to the second.
    Copy,
    /// `clEnqueueFillBuffer` of the first argument with the second.
    Fill,
}

/// A row of the table.
pub struct Row {
    /// In the table.
    pub name: &'static str,
    /// For the means.
    pub group: Group,
    /// In OpenCL.
    pub work: Work,
    /// A device property that must not be 0.
    pub needs: Option<u32>,
    /// Name of the C version, if there is one.
    pub c: Option<&'static str>,
    /// Makes the data.
    pub setup: fn() -> Case,
}
