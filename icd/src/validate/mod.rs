//! The specification's conditions, each under its own words, in one order everywhere: handles → pointers and counts →
//! flags and enums → sizes and ranges → same context → device support → allocate. A check returns what the runtime takes.
//! Must not dereference C pointers.

pub mod buffer;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod image;
pub mod kernel;
pub mod program;
pub mod queue;

use crate::error::{Error, Result, Status, ensure};
use std::ffi::c_void;

/// "pfn_notify is NULL but user_data is not NULL".
pub fn notify(is_given: bool, user_data: *mut c_void) -> Result {
    ensure!(is_given || user_data.is_null(), InvalidValue, "pfn_notify is NULL but user_data is not NULL");
    Ok(())
}

/// A callback that must be there.
pub fn callback<F>(function: Option<F>) -> Result<F> {
    function.ok_or(Error::Spec { status: Status::InvalidValue, condition: "pfn_notify is NULL" })
}

/// "the same property name is specified more than once"
pub fn distinct_names<T: PartialEq>(pairs: &[(T, T)], status: Status) -> Result {
    let repeats =
        pairs.iter().enumerate().any(|(idx, (name, _))| pairs[..idx].iter().any(|(earlier, _)| earlier == name));
    if repeats {
        return Err(Error::Spec { status, condition: "the same property name is specified more than once" });
    }
    Ok(())
}

/// A property list as C wrote it, with its terminator.
pub fn flat<T: Copy + Default>(pairs: &[(T, T)]) -> Vec<T> {
    pairs.iter().flat_map(|&(name, value)| [name, value]).chain([T::default()]).collect()
}
