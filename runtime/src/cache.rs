//! A folder of bytes that were expensive to make, found by a hash of all that they were made of: each entry is a file
//! that appears whole (written beside its place and renamed), ends with a checksum, and goes when the folder is full
//! and it was not used for longest. What cannot be read, or was damaged, is as if it were not there; what cannot be
//! written is not. Must not know what the bytes are.

use crate::config::{Config, Place};
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// Most bytes of all entries.
const MAX_BYTES: u64 = 512 << 20;
/// How many bytes processes write, on average, from one look whether there are too many to the next.
const LOOK_EVERY: u64 = MAX_BYTES / 16;
/// What a file takes at least.
const LEAST_FILE: u64 = 4096;
/// An entry's time of use is exact to this.
const USE_STEP: Duration = Duration::from_secs(3600);
/// What a process that was killed left half written goes after this time.
const MAX_WRITING: Duration = Duration::from_secs(600);
/// How names of files begin that are being written.
const WRITING: &str = "new-";
/// Bytes of a checksum.
const SUM: usize = 32;

/// What an entry is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; 32]);

/// Makes a key of parts: other parts, in number, order or bytes, make another key.
#[derive(Clone, Default)]
pub struct KeyMaker(Sha256);

impl KeyMaker {
    /// Adds a part.
    pub fn put(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The key of the parts so far.
    pub fn key(&self) -> Key {
        Key(self.0.clone().finalize().into())
    }
}

impl Key {
    /// Begins the key of something that belongs to what this is the key of.
    pub fn part(&self) -> KeyMaker {
        let mut maker = KeyMaker::default();
        maker.put(&self.0);
        maker
    }

    /// A number like a random one.
    fn draw(&self) -> u64 {
        let (first, _) = self.0.split_first_chunk().expect("32 bytes");
        u64::from_le_bytes(*first)
    }

    fn name(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// An entry's checksum; an entry under another one's name has a wrong one.
    fn checksum(&self, bytes: &[u8]) -> [u8; SUM] {
        let mut maker = self.part();
        maker.put(bytes);
        maker.key().0
    }
}

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    dir: PathBuf,
    max_bytes: u64,
}

impl Cache {
    /// The cache that the environment asks for; none if that is `off` or there is no good place.
    pub fn of_process() -> Option<&'static Self> {
        static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
        let open = || match &Config::get().cache {
            Place::Nowhere => None,
            Place::Dir(dir) => Self::open(dir, MAX_BYTES)
                .inspect_err(|error| Config::log("build", || format!("no cache in {}: {error}", dir.display())))
                .ok(),
        };
        CACHE.get_or_init(open).as_ref()
    }

    /// The entries in a folder, which is made when the first one is stored.
    ///
    /// # Errors
    /// The folder is another user's, or others may write in it: its contents will be run.
    pub fn open(dir: &Path, max_bytes: u64) -> io::Result<Self> {
        match fs::metadata(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(found) => check_owner(&found)?,
        }
        Ok(Self { dir: dir.to_owned(), max_bytes })
    }

    /// What is stored for a key.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.dir.join(key.name());
        // A pipe in its place holds nobody up.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).ok()?;
        let is_good =
            |found: &fs::Metadata| found.is_file() && found.len() <= self.max_bytes && check_owner(found).is_ok();
        let found = file.metadata().ok().filter(is_good)?;
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
        (&file).take(found.len()).read_to_end(&mut bytes).ok()?;
        let whole = bytes.split_last_chunk::<SUM>().is_some_and(|(bytes, sum)| key.checksum(bytes) == *sum);
        if !whole {
            Config::log("build", || format!("damaged: {}", path.display()));
            let _ = fs::remove_file(&path);
            return None;
        }
        bytes.truncate(bytes.len() - SUM);
        if found.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age > USE_STEP)) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(bytes)
    }

    /// Stores bytes for a key, if that can be done.
    pub fn store(&self, key: &Key, bytes: &[u8]) {
        if let Err(error) = self.write(key, bytes) {
            Config::log("build", || format!("not stored in {}: {error}", self.dir.display()));
        }
        // The more bytes the likelier: so processes need not know what others wrote, and most look never.
        if key.draw() % LOOK_EVERY < (bytes.len() as u64).max(LEAST_FILE) {
            let _ = self.trim();
        }
    }

    fn write(&self, key: &Key, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if (bytes.len() + SUM) as u64 > self.max_bytes / 4 {
            return Err(io::Error::other("too large"));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        check_owner(&fs::metadata(&self.dir)?)?;
        let name = format!("{WRITING}{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let path = self.dir.join(name);
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(bytes)?;
            file.write_all(&key.checksum(bytes))?;
            fs::rename(&path, self.dir.join(key.name()))
        };
        write().inspect_err(|_| _ = fs::remove_file(&path))
    }

    /// If there are too many bytes, removes entries, those first that were not used for longest, until a quarter is
    /// free.
    fn trim(&self) -> io::Result<()> {
        let (mut entries, mut total) = (Vec::new(), 0);
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            // Others may have removed it meanwhile.
            let Ok(found) = entry.metadata() else { continue };
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|_| found.is_file()) else { continue };
            let used = found.modified()?;
            if name.starts_with(WRITING) {
                if used.elapsed().is_ok_and(|age| age > MAX_WRITING) {
                    let _ = fs::remove_file(entry.path());
                }
            } else if is_entry(name) {
                let bytes = found.len().max(LEAST_FILE);
                total += bytes;
                entries.push((used, bytes, entry.path()));
            }
        }
        if total <= self.max_bytes {
            return Ok(());
        }
        entries.sort_unstable();
        for (_, bytes, path) in entries {
            if total <= self.max_bytes / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
        Ok(())
    }
}

/// Whether a file's name is a key's.
fn is_entry(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|c| c.is_ascii_hexdigit())
}

/// Refuses what another user owns or may write.
#[allow(unsafe_code, reason = "asks the system who runs the process")]
fn check_owner(found: &fs::Metadata) -> io::Result<()> {
    // SAFETY: a query that cannot fail.
    let user = unsafe { libc::geteuid() };
    match found.uid() == user && found.permissions().mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "others may write there")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::ffi::OsStringExt;

    fn key(text: &str) -> Key {
        let mut maker = KeyMaker::default();
        maker.put(text.as_bytes());
        maker.key()
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("there");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("there").file_name().into_string().expect("ours")).collect();
        names.sort();
        names
    }

    #[test]
    fn keys_tell_where_parts_end() {
        let of = |parts: &[&str]| {
            let mut maker = KeyMaker::default();
            parts.iter().for_each(|part| maker.put(part.as_bytes()));
            maker.key()
        };
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
        assert_ne!(of(&["a"]).part().key(), of(&["a"]));
    }

    #[test]
    fn entries_are_found_again_and_damage_is_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let place = dir.path().join("a/b");
        let cache = Cache::open(&place, 1 << 20).expect("good");
        assert_eq!(cache.load(&key("a")), None);
        cache.store(&key("a"), b"bytes");
        cache.store(&key("e"), b"");
        assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"bytes"[..]));
        assert_eq!(cache.load(&key("e")).as_deref(), Some(&b""[..]));
        assert_eq!(names(&place).len(), 2, "nothing is left of writing");
        // Under another name it is another entry's.
        fs::copy(place.join(key("a").name()), place.join(key("b").name())).expect("copied");
        assert_eq!(cache.load(&key("b")), None);
        let path = place.join(key("a").name());
        let whole = fs::read(&path).expect("there");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("written");
            assert_eq!(cache.load(&key("a")), None);
            fs::write(&path, &whole[..at]).expect("written");
            assert_eq!(cache.load(&key("a")), None);
        }
        cache.store(&key("a"), b"again");
        assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"again"[..]));
    }

    #[allow(unsafe_code, reason = "makes a pipe")]
    #[test]
    fn folders_that_others_may_write_are_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
        let cache = Cache::open(dir.path(), 1 << 20).expect("good");
        cache.store(&key("a"), b"bytes");
        mode(&dir.path().join(key("a").name()), 0o666);
        assert_eq!(cache.load(&key("a")), None);
        fs::remove_file(dir.path().join(key("a").name())).expect("there");
        let path =
            std::ffi::CString::new(dir.path().join(key("a").name()).into_os_string().into_vec()).expect("a path");
        // SAFETY: a string that ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        assert_eq!(cache.load(&key("a")), None, "a pipe");
        mode(dir.path(), 0o777);
        assert!(Cache::open(dir.path(), 1 << 20).is_err());
        cache.store(&key("c"), b"bytes");
        assert_eq!(cache.load(&key("c")), None);
        mode(dir.path(), 0o755);
        assert!(Cache::open(dir.path(), 1 << 20).is_ok());
    }

    #[test]
    fn full_folders_lose_what_was_not_used_for_longest() {
        let dir = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(dir.path(), 40_960).expect("good");
        let all: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        for (n, name) in all.iter().enumerate() {
            cache.write(&key(name), &[0; 1000]).expect("written");
            let file = File::options().write(true).open(dir.path().join(key(name).name())).expect("there");
            file.set_modified(SystemTime::now() - USE_STEP * 2 * (20 - n as u32)).expect("ours");
        }
        // A use makes the first one the last, and a file that is not ours stays.
        assert!(cache.load(&key("0")).is_some());
        fs::write(dir.path().join("README"), [0; 5000]).expect("written");
        fs::write(dir.path().join("new-1-1"), b"half").expect("written");
        let half = File::options().write(true).open(dir.path().join("new-1-1")).expect("there");
        half.set_modified(SystemTime::now() - MAX_WRITING * 2).expect("ours");
        cache.trim().expect("read");
        let left: Vec<&str> = all.iter().map(String::as_str).filter(|name| cache.load(&key(name)).is_some()).collect();
        assert_eq!(left, ["0", "6", "7", "8", "9", "10", "11"]);
        assert_eq!(names(dir.path()).len(), 8);
    }
}
