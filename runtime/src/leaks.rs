//! The leak report (`CLIFT_LOG=leaks`): which objects are still alive when the process ends.
#![allow(unsafe_code, reason = "registers a function with the C library")]

use crate::config::Config;
use crate::object::{Kind, leak_report};

/// Prints the report when the process ends.
pub fn report_at_exit() {
    // SAFETY: `at_exit` is a function without captures that cannot unwind: it only reads counters and prints.
    unsafe { libc::atexit(at_exit) };
}

extern "C" fn at_exit() {
    // A panic must not leave a C callback; printing fails if stderr is closed.
    let _ = std::panic::catch_unwind(|| {
        // The platform and its root device stay.
        let kept = |kind| u64::from(matches!(kind, Kind::Platform | Kind::Device));
        let leaked =
            leak_report().into_iter().filter_map(|(kind, n)| Some((kind, n - kept(kind))).filter(|row| row.1 > 0));
        let list: Vec<String> = leaked.map(|(kind, n)| format!("{n} {}", kind.name())).collect();
        let what = if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
        Config::log("leaks", || format!("still alive: {what}"));
    });
}
