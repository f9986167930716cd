//! The `clift` command-line tool: opens the driver's library, in which the tool's commands are (`cli`), and ends with
//! the code that they return.

#[path = "cli/library.rs"]
mod library;

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

/// What a command that cannot begin ends with, as shells say of one that is not there.
const NO_LIBRARY: u8 = 127;

fn main() -> ExitCode {
    let code = library::find().and_then(|library| {
        let arguments = std::env::args_os().map(|argument| CString::new(argument.into_vec()));
        let arguments: Vec<CString> = arguments.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        call(&library, &arguments)
    });
    match code {
        Ok(code) => ExitCode::from(code as u8),
        Err(failure) => {
            eprintln!("clift: {failure}");
            ExitCode::from(NO_LIBRARY)
        }
    }
}

/// Calls `clift_main` of the library.
#[allow(unsafe_code, reason = "calls another of our files by name")]
fn call(library: &std::path::Path, arguments: &[CString]) -> Result<c_int, String> {
    type Main = unsafe extern "C" fn(c_int, *const *const c_char) -> c_int;
    let failed = |error: libloading::Error| format!("{}: {error}", library.display());
    let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    // SAFETY: what is loaded is the driver, which stays loaded; the pointers are to strings that outlive the call.
    unsafe {
        let library = libloading::Library::new(library).map_err(failed)?;
        let main = library.get::<Main>(b"clift_main\0").map_err(failed)?;
        Ok(main(arguments.len() as c_int, pointers.as_ptr()))
    }
}
