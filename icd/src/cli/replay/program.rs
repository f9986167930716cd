//! Recorded programs on a driver: built in one call where that will do, else compiled with their headers and linked.

#![allow(unsafe_code, reason = "calls the C API")]

use super::driver::{Driver, Handle, call, create, run};
use crate::cli::Result;
use clift_runtime::record::entry::{Input, Program, Unit};
use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};

const PROGRAM_BUILD_LOG: u32 = 0x1183;
/// Bytes of a build log that are shown.
const LOG_BYTES: usize = 2000;

/// Objects of a driver that go with this value.
struct Programs<'d>(&'d Driver, Vec<Handle>);

impl Drop for Programs<'_> {
    fn drop(&mut self) {
        for program in &self.1 {
            // Nobody is left to tell.
            let _ = run!(self.0, release_program(*program));
        }
    }
}

/// Releases what `build` returned.
pub fn release(driver: &Driver, program: Handle) {
    drop(Programs(driver, vec![program]));
}

/// Builds a program in a context; the caller's to release.
pub fn build(driver: &Driver, context: Handle, program: &Program) -> Result<Handle> {
    if let [unit] = &program.units[..]
        && unit.headers().is_empty()
    {
        let handle = create(driver, context, unit)?;
        let options = c_string(&unit.options)?;
        let device = driver.device;
        let built = run!(driver, build_program(handle, 1, &device, options.as_ptr(), null(), null_mut()));
        return built.map(|()| handle).map_err(|why| {
            let why = format!("{why}{}", log(driver, handle));
            drop(Programs(driver, vec![handle]));
            why
        });
    }
    let mut parts = Programs(driver, Vec::new());
    for unit in &program.units {
        let handle = create(driver, context, unit)?;
        parts.1.push(handle);
        compile(driver, context, handle, unit)?;
    }
    let (device, n) = (driver.device, parts.1.len() as u32);
    let options = c"".as_ptr();
    create!(driver, link_program(context, 1, &device, options, n, parts.1.as_ptr(), null(), null_mut()))
}

fn compile(driver: &Driver, context: Handle, handle: Handle, unit: &Unit) -> Result {
    let mut headers = Programs(driver, Vec::new());
    let mut names = Vec::new();
    let recorded = unit.headers();
    let whole = recorded.iter().map(|(name, text)| (name.as_str(), text));
    // What several would be meant by is left out: an error is better than another text.
    let is_clear =
        |end: &str, text: &String| recorded.iter().all(|(name, other)| other == text || ends(name).all(|of| of != end));
    let parts = recorded.iter().flat_map(|(name, text)| ends(name).map(move |end| (end, text)));
    let parts = parts.filter(|(end, text)| is_clear(end, text));
    for (name, text) in whole.chain(parts) {
        if names.iter().all(|known: &CString| known.as_bytes() != name.as_bytes()) {
            names.push(c_string(name)?);
            headers.1.push(source(driver, context, text.as_bytes())?);
        }
    }
    let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let options = c_string(&unit.options)?;
    let (device, n) = (driver.device, names.len() as u32);
    // Lists of nothing are null.
    let (texts, pointers) = if n == 0 { (null(), null()) } else { (headers.1.as_ptr(), pointers.as_ptr()) };
    run!(driver, compile_program(handle, 1, &device, options.as_ptr(), n, texts, pointers, null(), null_mut()))
        .map_err(|why| format!("{why}{}", log(driver, handle)))
}

/// How else an `#include` may name a file of this path: from a folder on the way there.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..]).filter(|end| !end.is_empty())
}

fn create(driver: &Driver, context: Handle, unit: &Unit) -> Result<Handle> {
    match &unit.input {
        Input::Text { source: text, .. } => source(driver, context, text),
        Input::Module { il, constants } => {
            let handle = create!(driver, create_il_program(context, il.as_ptr().cast(), il.len()))?;
            for (id, value) in constants {
                run!(driver, set_constant(handle, *id, value.len(), value.as_ptr().cast()))?;
            }
            Ok(handle)
        }
    }
}

fn source(driver: &Driver, context: Handle, text: &[u8]) -> Result<Handle> {
    let (start, length) = (text.as_ptr().cast::<c_char>(), text.len());
    // A length of zero says that the text ends with a zero.
    let start = if length == 0 { c"".as_ptr() } else { start };
    create!(driver, create_program(context, 1, &start, &length))
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| "the recording has a text with a zero byte in it".to_owned())
}

/// The start of a build's log, on lines of its own.
fn log(driver: &Driver, program: Handle) -> String {
    let mut size = 0;
    let asked = run!(driver, get_build_info(program, driver.device, PROGRAM_BUILD_LOG, 0, null_mut(), &mut size));
    let mut text = vec![0u8; if asked.is_ok() { size.min(1 << 24) } else { 0 }];
    let place = text.as_mut_ptr().cast();
    let read = run!(driver, get_build_info(program, driver.device, PROGRAM_BUILD_LOG, text.len(), place, null_mut()));
    let text = String::from_utf8_lossy(if read.is_ok() { &text } else { &[] });
    let text: String = text.trim_matches(['\0', '\n', ' ']).chars().take(LOG_BYTES).collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// What a unit is compiled with besides its source.
trait Headers {
    fn headers(&self) -> Vec<(String, String)>;
}

impl Headers for Unit {
    fn headers(&self) -> Vec<(String, String)> {
        if let Input::Text { headers, .. } = &self.input { headers.clone() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::ends;

    #[test]
    fn files_have_the_names_by_which_they_may_be_included() {
        assert_eq!(ends("/a/b/c.h").collect::<Vec<_>>(), ["a/b/c.h", "b/c.h", "c.h"]);
        assert_eq!(ends("b/c.h").collect::<Vec<_>>(), ["c.h"]);
        assert_eq!(ends("c.h").count() + ends("").count(), 0);
    }
}
