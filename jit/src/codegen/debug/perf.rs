//! The files that Linux' `perf` reads: `/tmp/perf-PID.map` with names, and `jit-PID.dump` with names, code and lines
//! for `perf inject --jit`. Spec: jitdump-specification.txt and jit-interface.txt of the kernel's
//! tools/perf/Documentation.
#![allow(unsafe_code, reason = "code is read from where it lies; perf finds the file by a mapping")]

use super::LineTable;
use crate::files;
use parking_lot::Mutex;
use std::any::Any;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// The map, of this process.
static MAP: Mutex<Option<Map>> = Mutex::new(None);
/// The dump, of this process.
static DUMP: Mutex<Option<Dump>> = Mutex::new(None);

struct Map {
    file: File,
    /// Bytes that this process has written.
    bytes: u64,
}

struct Dump {
    file: File,
    /// Bytes that this process has written.
    bytes: u64,
    /// Number of the next piece of code.
    next: u64,
}

/// Keeps others from writing while the process forks.
pub(super) fn hold() -> [Box<dyn Any>; 2] {
    [Box::new(MAP.lock()), Box::new(DUMP.lock())]
}

/// The child of a fork has files of its own, with the code that it has from its parent.
pub(super) fn forked() {
    let mut map = MAP.lock();
    if let Some(old) = map.take() {
        *map = open_map().ok();
        let lines = read(&old.file, 0, old.bytes);
        map.iter_mut().for_each(|map| map.write(&lines));
    }
    let mut dump = DUMP.lock();
    if let Some(old) = dump.take() {
        *dump = open().ok();
        let mut records = read(&old.file, HEADER.into(), old.bytes);
        let (mut at, own) = (0, who());
        while let Some(head) = records.get(at..at + 8) {
            let [id, size] = [0, 4].map(|n| u32::from_le_bytes([head[n], head[n + 1], head[n + 2], head[n + 3]]));
            if let (0, Some(place)) = (id, records.get_mut(at + 16..at + 24)) {
                place.copy_from_slice(&own);
            }
            at += size.max(8) as usize;
        }
        dump.iter_mut().for_each(|dump| {
            dump.write(&records);
            dump.next = old.next;
        });
    }
}

/// A part of a file, whose place of writing stays where it is: a parent has the same.
fn read(file: &File, from: u64, to: u64) -> Vec<u8> {
    let mut bytes = vec![0; to.saturating_sub(from) as usize];
    if file.read_exact_at(&mut bytes, from).is_err() {
        bytes.clear();
    }
    bytes
}

fn open_map() -> std::io::Result<Map> {
    let path = format!("/tmp/perf-{}.map", std::process::id());
    // Another runtime of this process may have written to it.
    Ok(Map { file: files::append(path.as_ref())?, bytes: 0 })
}

impl Map {
    fn write(&mut self, lines: &[u8]) {
        if self.file.write_all(lines).is_ok() {
            self.bytes += lines.len() as u64;
        }
    }
}

impl Dump {
    fn write(&mut self, records: &[u8]) {
        if self.file.write_all(records).is_ok() {
            self.bytes += records.len() as u64;
        }
    }
}

/// Adds functions to the map. Whatever fails, a profiler only misses names.
pub(super) fn map(functions: &[(u64, &LineTable)]) {
    let mut map = MAP.lock();
    if map.is_none() {
        *map = open_map().ok();
    }
    let Some(map) = &mut *map else { return };
    let lines = functions.iter().map(|(address, table)| format!("{address:x} {:x} {}\n", table.len, table.function));
    map.write(lines.collect::<String>().as_bytes());
}

/// Adds functions to the dump, in the current directory or that which `CLIFT_PERF_DIR` names.
pub(super) fn jitdump(functions: &[(u64, &LineTable)]) {
    let mut dump = DUMP.lock();
    if dump.is_none() {
        *dump = open().ok();
    }
    let Some(dump) = &mut *dump else { return };
    for &(address, table) in functions {
        // SAFETY: the code is there, readable, and no one writes it.
        let code = unsafe { std::slice::from_raw_parts(address as *const u8, table.len as usize) };
        let records = [debug_info(address, table), load(dump.next, address, table, code)].concat();
        dump.write(&records);
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

/// Bytes in front of the records.
const HEADER: u32 = 40;

fn open() -> std::io::Result<Dump> {
    let dir = crate::env::var("CLIFT_PERF_DIR").unwrap_or_else(|| ".".into());
    let path = std::path::Path::new(&dir).join(format!("jit-{}.dump", std::process::id()));
    let mut file = files::replace(&path)?;
    let machine: u32 = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    let mut header = Vec::new();
    for word in [0x4a69_5444, 1, HEADER, machine, 0, std::process::id()] {
        header.extend_from_slice(&word.to_le_bytes());
    }
    header.extend([now(), 0].map(u64::to_le_bytes).concat());
    file.write_all(&header)?;
    // SAFETY: a fresh mapping, which stays until the process ends: `perf record` takes down that there is one.
    let mark = unsafe {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        libc::mmap(std::ptr::null_mut(), 4096, protection, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
    };
    if mark == libc::MAP_FAILED {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(Dump { file, bytes: HEADER.into(), next: 0 })
    }
}

/// A record: its number, and what follows the time.
fn record(id: u32, body: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(body.len() + 16);
    record.extend([id, body.len() as u32 + 16].map(u32::to_le_bytes).concat());
    record.extend_from_slice(&now().to_le_bytes());
    record.extend_from_slice(body);
    record
}

/// Process and thread.
fn who() -> [u8; 8] {
    // SAFETY: a query without arguments.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    (u64::from(thread) << 32 | u64::from(std::process::id())).to_le_bytes()
}

/// `JIT_CODE_LOAD`
fn load(index: u64, address: u64, table: &LineTable, code: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(code.len() + 64);
    body.extend(who());
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
