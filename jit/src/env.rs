//! Environment variables: the one place where the library reads them. A process that has more rights than whoever
//! started it (setuid, setgid, capabilities of its file) must not print or write files because that one says so: to
//! such a process no variable is set, as with `secure_getenv`.
#![cfg_attr(target_os = "linux", allow(unsafe_code, reason = "asks the C library what the system said at the start"))]

use std::ffi::OsString;

/// The value of a variable, if it may be heeded and is Unicode.
pub fn var(name: &str) -> Option<String> {
    var_os(name)?.into_string().ok()
}

/// The value of a variable, if it may be heeded.
pub fn var_os(name: &str) -> Option<OsString> {
    heeded(is_secure(), || std::env::var_os(name))
}

fn heeded(is_secure: bool, read: impl FnOnce() -> Option<OsString>) -> Option<OsString> {
    if is_secure { None } else { read() }
}

/// True if the process has rights that its environment's author may lack.
fn is_secure() -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: a query without arguments in memory; 0 if the system says nothing of it.
        unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
    }
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_with_more_rights() {
        assert_eq!(heeded(false, || Some("-".into())), Some("-".into()));
        assert_eq!(heeded(true, || panic!("must not be read")), None);
    }

    #[test]
    fn tests_are_not_secure() {
        assert_eq!(var_os("PATH"), std::env::var_os("PATH"));
        assert_eq!(var("no such name"), None);
    }
}
