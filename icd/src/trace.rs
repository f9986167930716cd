//! The optional log of refused calls: `CLIFT_LOG=api` prints one line for each on stderr. Silent otherwise.

use crate::error::Error;
use clift_runtime::config::Config;

/// A call that ended in an error.
pub fn error(name: &str, error: &Error) {
    if Config::get().logs("api") {
        eprintln!("clift: {name}: {:?}: {error}", error.status());
    }
}
