//! The leak report (`CLIFT_LOG=leaks`): which objects are still alive when the process ends.
#![allow(unsafe_code, reason = "registers a function with the C library")]

use crate::object::{Kind, leak_report};
use std::io::{Cursor, Write};

/// Prints the report when the process ends.
pub fn report_at_exit() {
    // SAFETY: `at_exit` is a function without captures that cannot unwind: it only reads counters and prints.
    unsafe { libc::atexit(at_exit) };
}

/// Allocates nothing and takes no lock: a signal's handler may have called `exit` in the middle of anything.
extern "C" fn at_exit() {
    let mut line = Cursor::new([0; 512]);
    // More than the line holds is left out; printing fails if stderr is closed.
    let _ = write_report(&mut line);
    let length = line.position() as usize;
    // SAFETY: the bytes are `line`'s.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, line.get_ref().as_ptr().cast(), length) };
}

fn write_report(line: &mut impl Write) -> std::io::Result<()> {
    write!(line, "clift: still alive: ")?;
    // The platform and its root device stay.
    let kept = |kind| u64::from(matches!(kind, Kind::Platform | Kind::Device));
    let leaked = leak_report()
        .into_iter()
        .filter_map(|(kind, n)| Some((kind, n.saturating_sub(kept(kind)))).filter(|row| row.1 > 0));
    let mut separator = "";
    for (kind, n) in leaked {
        write!(line, "{separator}{n} {}", kind.name())?;
        separator = ", ";
    }
    writeln!(line, "{}", if separator.is_empty() { "nothing" } else { "" })
}
