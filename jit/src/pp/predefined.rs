//! Predefined macros.

/// The names of all predefined macros.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    [].into_iter()
}
