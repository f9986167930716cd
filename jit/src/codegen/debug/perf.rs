//! The files that Linux' `perf` reads: `/tmp/perf-PID.map` with names, and `jit-PID.dump` with names, code and lines
//! for `perf inject --jit`. Spec: jitdump-specification.txt and jit-interface.txt of the kernel's
//! tools/perf/Documentation.
#![allow(unsafe_code, reason = "code is read from where it lies; perf finds the file by a mapping")]

use super::LineTable;
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;

/// Adds functions to the map. Whatever fails, a profiler only misses names.
pub(super) fn map(functions: &[(u64, &LineTable)]) {
    static MAP: Mutex<Option<File>> = Mutex::new(None);
    let mut map = MAP.lock();
    let path = format!("/tmp/perf-{}.map", std::process::id());
    if map.is_none() {
        *map = File::options().create(true).append(true).open(path).ok();
    }
    let Some(file) = &mut *map else { return };
    let lines = functions.iter().map(|(address, table)| format!("{address:x} {:x} {}\n", table.len, table.function));
    let _ = file.write_all(lines.collect::<String>().as_bytes());
}

struct Dump {
    file: File,
    /// Number of the next piece of code.
    next: u64,
}

/// Adds functions to the dump, in the current directory or that which `CLIFT_PERF_DIR` names.
pub(super) fn jitdump(functions: &[(u64, &LineTable)]) {
    static DUMP: Mutex<Option<Dump>> = Mutex::new(None);
    let mut dump = DUMP.lock();
    if dump.is_none() {
        *dump = open().ok();
    }
    let Some(dump) = &mut *dump else { return };
    for &(address, table) in functions {
        // SAFETY: the code is there, readable, and no one writes it.
        let code = unsafe { std::slice::from_raw_parts(address as *const u8, table.len as usize) };
        let records = [debug_info(address, table), load(dump.next, address, table, code)].concat();
        let _ = dump.file.write_all(&records);
        dump.next += 1;
    }
}

/// The time on the clock that `perf record -k CLOCK_MONOTONIC` uses.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time, which is this function's.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn open() -> std::io::Result<Dump> {
    let dir = crate::env::var("CLIFT_PERF_DIR").unwrap_or_else(|| ".".into());
    let path = std::path::Path::new(&dir).join(format!("jit-{}.dump", std::process::id()));
    let mut file = File::options().create(true).truncate(true).read(true).write(true).open(path)?;
    let machine: u32 = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    let mut header = Vec::new();
    for word in [0x4a69_5444, 1, 40, machine, 0, std::process::id()] {
        header.extend_from_slice(&word.to_le_bytes());
    }
    header.extend([now(), 0].map(u64::to_le_bytes).concat());
    file.write_all(&header)?;
    // SAFETY: a fresh mapping, which stays until the process ends: `perf record` takes down that there is one.
    let mark = unsafe {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        libc::mmap(std::ptr::null_mut(), 4096, protection, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
    };
    if mark == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(Dump { file, next: 0 }) }
}

/// A record: its number, and what follows the time.
fn record(id: u32, body: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(body.len() + 16);
    record.extend([id, body.len() as u32 + 16].map(u32::to_le_bytes).concat());
    record.extend_from_slice(&now().to_le_bytes());
    record.extend_from_slice(body);
    record
}

/// `JIT_CODE_LOAD`
fn load(index: u64, address: u64, table: &LineTable, code: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(code.len() + 64);
    // SAFETY: a query without arguments.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    body.extend([std::process::id(), thread].map(u32::to_le_bytes).concat());
    body.extend([address, address, code.len() as u64, index].map(u64::to_le_bytes).concat());
    body.extend_from_slice(table.function.as_bytes());
    body.push(0);
    body.extend_from_slice(code);
    record(0, &body)
}

/// `JIT_CODE_DEBUG_INFO`, which stands in front of the code.
fn debug_info(address: u64, table: &LineTable) -> Vec<u8> {
    let (mut rows, mut n) = (Vec::new(), 0u64);
    for &(at, chain) in &table.rows {
        let Some(frame) = table.user_frames(chain).next() else { continue };
        rows.extend_from_slice(&(address + u64::from(at)).to_le_bytes());
        rows.extend([frame.line, 0].map(u32::to_le_bytes).concat());
        rows.extend_from_slice(frame.file.as_bytes());
        rows.push(0);
        n += 1;
    }
    let head = [address, n].map(u64::to_le_bytes).concat();
    if n == 0 { Vec::new() } else { record(2, &[head, rows].concat()) }
}
