//! The leak report (`CLIFT_LOG=leaks`): which objects are still alive when the process ends.
#![allow(unsafe_code, reason = "registers a function with the C library")]

use crate::object::{Kind, leak_report};
use std::io::{Cursor, Write};
use std::time::Duration;

/// How long the report waits for commands that end: a program may leave once it has released everything, and what a
/// command holds goes with the command, whose thread may have to wait for a processor.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints the report when the process ends.
pub fn report_at_exit() {
    // SAFETY: `at_exit` is a function without captures that cannot unwind: it only reads counters and prints.
    unsafe { libc::atexit(at_exit) };
}

/// Allocates nothing and takes no lock: a signal's handler may have called `exit` in the middle of anything.
extern "C" fn at_exit() {
    const STEP: Duration = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    while leaked().next().is_some() && waited < PATIENCE {
        std::thread::sleep(STEP);
        waited += STEP;
    }
    let mut line = Cursor::new([0; 512]);
    // More than the line holds is left out; printing fails if stderr is closed.
    let _ = write_report(&mut line);
    let length = line.position() as usize;
    // SAFETY: the bytes are `line`'s.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, line.get_ref().as_ptr().cast(), length) };
}

fn write_report(line: &mut impl Write) -> std::io::Result<()> {
    write!(line, "clift: still alive: ")?;
    let mut separator = "";
    for (kind, n) in leaked() {
        write!(line, "{separator}{n} {}", kind.name())?;
        separator = ", ";
    }
    writeln!(line, "{}", if separator.is_empty() { "nothing" } else { "" })
}

/// What is alive, by kind, but for the platform and its root device, which stay.
fn leaked() -> impl Iterator<Item = (Kind, u64)> {
    let kept = |kind| u64::from(matches!(kind, Kind::Platform | Kind::Device));
    leak_report()
        .into_iter()
        .filter_map(move |(kind, n)| Some((kind, n.saturating_sub(kept(kind)))).filter(|row| row.1 > 0))
}
