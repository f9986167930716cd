//! Who called: the API function that this thread is in, and where in the host program it was called, by its return
//! address. Unwound only for what is noted or reported.
#![allow(unsafe_code, reason = "asks the unwinder and the dynamic linker of the C library")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::fmt;
use std::path::Path;

thread_local!(static NAME: Cell<Option<&'static str>> = const { Cell::new(None) });

/// A call of an API function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function.
    pub name: &'static str,
    /// Return address in the host program; 0: not known.
    pub address: usize,
}

/// While it lives, the thread is in a call of this function.
pub struct InCall(Option<&'static str>);

impl InCall {
    /// From now on.
    pub fn enter(name: &'static str) -> Self {
        Self(NAME.replace(Some(name)))
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        NAME.set(self.0);
    }
}

/// The call that this thread is in; none if it is a thread of ours.
pub fn call() -> Option<Call> {
    NAME.get().map(|name| Call { name, address: return_address(|name| name.starts_with("libOpenCL")) })
}

/// Whether this thread is in a call.
pub(crate) fn is_in_call() -> bool {
    NAME.get().is_some()
}

/// Beginnings of names of files whose code does what others call it for.
const SYSTEM: [&str; 8] = ["libc.", "libc-", "libm.", "libm-", "libstdc++", "ld-linux", "ld-musl", "libOpenCL"];

/// What the host program does at an instruction that faults, or at the call that it does it by, if it stands in the C
/// library. To be asked in the handler of the fault.
pub(super) fn from_fault(instruction: usize) -> Call {
    let is_system = |name: &str| SYSTEM.iter().any(|of| name.starts_with(of));
    let is_library = |address| find(address).is_none_or(|(_, path)| is_system(&file_name(&path)));
    // Addresses are those behind the instruction.
    let address = if is_library(instruction) { return_address(is_system) } else { instruction + 1 };
    Call { name: "host", address }
}

/// An address in the host program, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file that holds it.
    pub module: String,
    /// In bytes from where the file is loaded: what `addr2line -e MODULE` wants.
    pub offset: usize,
    /// The function, if the dynamic linker knows it.
    pub symbol: String,
}

impl Call {
    /// Where it is, if any file holds it.
    pub fn location(&self) -> Option<Location> {
        let (info, module) = find(self.address)?;
        // SAFETY: null or a name in the file's table of symbols.
        let symbol = (!info.dli_sname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_sname) }.to_string_lossy());
        let base = info.dli_fbase.addr();
        // The address is that of the next instruction, which may be on another line.
        let offset = self.address - base - 1;
        Some(Location { module, offset, symbol: symbol.map_or(String::new(), |name| name.into_owned()) })
    }
}

impl fmt::Display for Call {
    /// `clCreateBuffer at program+0x1234 (main)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(Location { module, offset, symbol }) = self.location() {
            let file = file_name(&module);
            write!(f, " at {file}+{offset:#x}")?;
            if !symbol.is_empty() {
                write!(f, " ({symbol})")?;
            }
        }
        Ok(())
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or(path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The file that an address lies in.
fn find(address: usize) -> Option<(libc::Dl_info, String)> {
    if address == 0 {
        return None;
    }
    // SAFETY: all zero is a value of this type; the function fills it in.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    let found = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name of a loaded file.
    let name = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    Some((info, name))
}

type Context = c_void;
unsafe extern "C" {
    fn _Unwind_Backtrace(step: extern "C" fn(*mut Context, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
}

/// What the unwinder's steps look for.
struct Search {
    /// Where this library is loaded.
    own: usize,
    /// Whether a file of this name is passed over, too.
    passes: fn(&str) -> bool,
    steps: usize,
    found: usize,
}

/// Frames of ours above a call.
const MAX_STEPS: usize = 64;

/// The first return address outside of this library and of files that are passed over.
fn return_address(passes: fn(&str) -> bool) -> usize {
    let own = find(return_address as fn(_) -> _ as usize).map_or(0, |(info, _)| info.dli_fbase.addr());
    let mut search = Search { own, passes, steps: 0, found: 0 };
    // SAFETY: the steps get this search, which outlives the walk.
    unsafe { _Unwind_Backtrace(step, (&raw mut search).cast()) };
    search.found
}

extern "C" fn step(context: *mut Context, data: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 4;
    // SAFETY: what `return_address` passed.
    let search = unsafe { &mut *data.cast::<Search>() };
    // SAFETY: the context of this step.
    let address = unsafe { _Unwind_GetIP(context) };
    search.steps += 1;
    if search.steps > MAX_STEPS {
        return STOP;
    }
    let Some((info, name)) = find(address) else { return GO_ON };
    // Tests and the tool have this library in them: the entry points' callers are not told from it.
    if info.dli_fbase.addr() == search.own || (search.passes)(&file_name(&name)) {
        return GO_ON;
    }
    search.found = address;
    STOP
}
