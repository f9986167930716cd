//! Files that the library writes under names that others can guess, such as those that profilers look for: whoever put
//! a link of this name in a shared folder must not have another file written, nor read what is written.
#![allow(unsafe_code, reason = "asks the system who runs the process")]

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file for writing, behind what is in it, and for reading; makes it if it is not there.
///
/// # Errors
/// What the system says; `PermissionDenied` if there is something else of this name: a link, or another user's.
pub fn append(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().create(true).read(true).append(true).mode(0o644).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    // SAFETY: a query that cannot fail.
    let user = unsafe { libc::geteuid() };
    match found.is_file() && found.nlink() == 1 && found.uid() == user && found.mode() & 0o002 == 0 {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a file of this user's alone")),
    }
}

/// As `append`, without what was in it.
///
/// # Errors
/// As `append`.
pub fn replace(path: &Path) -> io::Result<File> {
    let file = append(path)?;
    file.set_len(0)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    #[test]
    fn files_keep_or_lose_what_is_in_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        append(&path).expect("new").write_all(b"one").expect("written");
        // As a program's own umask has it where each user is a group.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("ours");
        append(&path).expect("ours").write_all(b"two").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"onetwo");
        let mut file = replace(&path).expect("ours");
        file.write_all(b"three").expect("written");
        file.rewind().expect("a file");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("read");
        assert_eq!(text, "three");
    }

    #[test]
    fn nothing_else_of_this_name_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, victim) = (folder.path().join("a"), folder.path().join("victim"));
        let refuse = |what: &str| {
            assert!(append(&path).is_err(), "{what}");
            assert!(replace(&path).is_err(), "{what}");
            fs::remove_file(&path).expect("there");
        };
        fs::write(&victim, "precious").expect("written");
        symlink(&victim, &path).expect("a link");
        refuse("a symbolic link");
        symlink(folder.path().join("none"), &path).expect("a link");
        refuse("a symbolic link to nothing");
        fs::hard_link(&victim, &path).expect("a link");
        refuse("another name of a file");
        fs::write(&path, "").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o606)).expect("ours");
        refuse("a file that others write");
        fs::write(&path, "").expect("written");
        match chown(&path, Some(1), None) {
            Ok(()) => refuse("another user's file"),
            Err(error) => eprintln!("not tried as another user's: {error}"),
        }
        assert_eq!(fs::read(&victim).expect("there"), b"precious");
        assert!(!folder.path().join("none").exists());
    }
}
