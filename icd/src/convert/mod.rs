//! C's numbers and property lists as the runtime's types: enumerations, flags, settings. What can be wrong here is the
//! form, under the code that the specification gives for it: a number that names nothing that there is, a property that
//! stands twice or without what it needs. Whether what was named fits is the runtime's to say. Must not dereference C
//! pointers.

pub mod command_buffer;
pub mod context;
pub mod device;
pub mod image;
pub mod queue;
pub mod sampler;

use crate::error::{Error, Result, Status, fail};

/// "the same property name is specified more than once"
pub fn distinct_names<T: PartialEq>(pairs: &[(T, T)], status: Status) -> Result {
    let repeats =
        pairs.iter().enumerate().any(|(idx, (name, _))| pairs[..idx].iter().any(|(earlier, _)| earlier == name));
    if repeats {
        return Err(Error::Spec { status, condition: "the same property name is specified more than once" });
    }
    Ok(())
}

/// Properties of queries about memory objects, of which there are none, as C wrote them.
pub fn no_properties(pairs: Option<&[(u64, u64)]>) -> Result<Vec<u64>> {
    match pairs {
        None => Ok(Vec::new()),
        Some([]) => Ok(vec![0]),
        Some(_) => fail(Status::InvalidProperty, "a property name in properties is not a supported property name"),
    }
}

/// A property list as C wrote it, with its terminator.
pub fn flat<T: Copy + Default>(pairs: &[(T, T)]) -> Vec<T> {
    pairs.iter().flat_map(|&(name, value)| [name, value]).chain([T::default()]).collect()
}
