//! The optional log of refused calls: `CLIFT_LOG=api` prints one line for each on stderr. Silent otherwise, panics of
//! our own included.

use crate::error::Error;
use clift_runtime::config::Config;
use std::cell::Cell;
use std::panic::PanicHookInfo;
use std::sync::Once;

thread_local!(static IN_CALL: Cell<bool> = const { Cell::new(false) });

/// A call that ended in an error.
pub fn error(name: &str, error: &Error) {
    if Config::get().logs("api") {
        eprintln!("clift: {name}: {:?}: {error}", error.status());
    }
}

/// While it lives, a panic of this thread is ours.
pub struct InCall(bool);

impl InCall {
    /// From now on.
    pub fn enter() -> Self {
        Self(IN_CALL.replace(true))
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        IN_CALL.set(self.0);
    }
}

/// Keeps panics of our own (in a call, or on a thread of ours) from printing: they end in an error code. Panics of the
/// rest of the process go where they went before.
pub fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_ours() {
                previous(info);
            } else if Config::get().logs("api") {
                report(info);
            }
        }));
    });
}

fn is_ours() -> bool {
    IN_CALL.get() || std::thread::current().name().is_some_and(|name| name.starts_with("clift-"))
}

fn report(info: &PanicHookInfo<'_>) {
    eprintln!("clift: internal error: {info}");
}
