//! Joins the dependency graph of a context with the threads that run commands.

/// Graph, ready list and sleepers of one context.
pub struct Scheduler {}

impl Scheduler {
    /// Empty; starts no thread.
    pub const fn new() -> Self {
        Self {}
    }
}

impl Default for Scheduler {
    fn default() -> Self {
        Self::new()
    }
}
