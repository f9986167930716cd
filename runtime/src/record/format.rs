//! The file of a recording: a head, then chunks, each whole or not there. Knows nothing of what is in them: `entry`
//! does.
//!
//! ```text
//! file:   "CLIFTREC"  version u32  counters 4 × u64  chunk…
//! chunk:  kind u32  raw bytes u64  stored bytes u64  checksum u64  what is stored
//! ```
//!
//! Numbers are little-endian. What is stored is raw if it has as many bytes, else deflated (RFC 1951). The checksum is
//! of everything else in the chunk. Programs, contents and launches are numbered in the order of their chunks, each
//! kind from 0, and named by these numbers. A chunk is appended in one call, so a process that dies leaves at most one
//! that is not whole, at the end; `finish` cuts it off and adds the chunk that says that nothing is missing. A file
//! without that chunk is refused unless the caller asks for what there is. The counters (`Counter`) say how much of the
//! program is not in the file. They change in place, so no checksum has them.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a file starts with.
const MAGIC: &[u8; 8] = b"CLIFTREC";
/// The version of the format; files of another are refused.
const VERSION: u32 = 1;
/// Bytes in front of the counters.
const TITLE_BYTES: u64 = 12;
const HEAD_BYTES: u64 = TITLE_BYTES + 8 * N_COUNTERS as u64;
/// How many counters there are.
pub const N_COUNTERS: usize = 4;
const CHUNK_HEAD_BYTES: usize = 28;
/// A chunk other than contents has no more bytes than this, since it is read as a whole; and all of them together.
const MAX_ENTRY_BYTES: u64 = 64 << 20;
const MAX_ENTRIES_BYTES: u64 = 512 << 20;
/// Deflated data cannot have more bytes for each that is stored.
const MAX_RATIO: u64 = 1032;
/// Little is gained by more work, and a program waits for this.
const LEVEL: u8 = 1;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// An `entry::Program`.
    Program = 1,
    /// Bytes of memory.
    Contents = 2,
    /// An `entry::Launch`, without what came out.
    Launch = 3,
    /// An `entry::Outcome` of a launch.
    Outcome = 4,
    /// Nothing: the recording is whole.
    End = 5,
}

/// What of a program is not in its recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Launches beyond the number that is recorded of each kernel and size.
    Repeated,
    /// Launches of kernels that were not asked for.
    OtherKernels,
    /// Launches that would have made it too large.
    TooLarge,
    /// Native kernels, which nothing can record.
    Native,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Program, Self::Contents, Self::Launch, Self::Outcome, Self::End];

    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u32 == number)
    }
}

/// Appends chunks to a file.
pub struct Writer {
    file: File,
}

impl Writer {
    /// A new file; there must be none of this name.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(&[&MAGIC[..], &VERSION.to_le_bytes(), &[0; 8 * N_COUNTERS]].concat())?;
        Ok(Self { file })
    }

    /// Sets a counter.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_counter(&mut self, counter: Counter, value: u64) -> std::io::Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), TITLE_BYTES + 8 * counter as u64)
    }

    /// Appends a chunk.
    ///
    /// # Errors
    /// What the system says.
    pub fn put(&mut self, kind: Kind, raw: &[u8]) -> std::io::Result<()> {
        let packed = miniz_oxide::deflate::compress_to_vec(raw, LEVEL);
        let stored = if packed.len() < raw.len() { &packed[..] } else { raw };
        let mut chunk = Vec::with_capacity(CHUNK_HEAD_BYTES + stored.len());
        chunk.extend((kind as u32).to_le_bytes());
        chunk.extend((raw.len() as u64).to_le_bytes());
        chunk.extend((stored.len() as u64).to_le_bytes());
        let sum = checksum(checksum(SUM_START, &chunk), stored);
        chunk.extend(sum.to_le_bytes());
        chunk.extend(stored);
        self.file.write_all(&chunk)
    }
}

/// Where a chunk lies in its file.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// What it holds.
    pub kind: Kind,
    /// Its bytes, once they are inflated.
    pub raw_bytes: u64,
    stored_bytes: u64,
    head: [u8; CHUNK_HEAD_BYTES],
    /// Of what is stored.
    at: u64,
}

/// A file with chunks.
pub struct Reader {
    file: File,
    /// By the numbers of `Counter`.
    pub counters: [u64; N_COUNTERS],
}

/// The chunks of a file, and whether it is whole.
pub struct Index {
    /// In their order, without the last one, which says that the file is whole.
    pub chunks: Vec<Chunk>,
    /// The file ends with that chunk, and nothing stands behind it.
    pub is_whole: bool,
    /// Bytes from the start that are whole chunks.
    pub whole_bytes: u64,
}

impl Reader {
    /// Opens a file and looks at its head.
    ///
    /// # Errors
    /// What the system says, or that it is no recording, or one of another version.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = [0; HEAD_BYTES as usize];
        file.read_exact(&mut head).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => bad("no recording of clift"),
            _ => error,
        })?;
        if head[..8] != MAGIC[..] {
            return Err(bad("no recording of clift"));
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if version != VERSION {
            return Err(bad(&format!("a recording of version {version}; this clift reads version {VERSION}")));
        }
        let counters = std::array::from_fn(|n| {
            u64::from_le_bytes(std::array::from_fn(|i| head[TITLE_BYTES as usize + 8 * n + i]))
        });
        Ok(Self { file, counters })
    }

    /// Finds the chunks and checks their sums; inflates none. Takes memory for as many as the file has room for.
    ///
    /// # Errors
    /// What the system says, or that the file is damaged; one that only ends too soon is not.
    pub fn index(&mut self) -> std::io::Result<Index> {
        let size = self.file.seek(SeekFrom::End(0))?;
        let mut entries_bytes = 0;
        let mut index = Index { chunks: Vec::new(), is_whole: false, whole_bytes: HEAD_BYTES };
        loop {
            let start = index.whole_bytes;
            if index.is_whole && start < size {
                return Err(bad("something stands behind the end"));
            }
            if size - start < CHUNK_HEAD_BYTES as u64 {
                return Ok(index);
            }
            self.file.seek(SeekFrom::Start(start))?;
            let mut head = [0; CHUNK_HEAD_BYTES];
            self.file.read_exact(&mut head)?;
            let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
            let kind = Kind::of(u32::from_le_bytes(std::array::from_fn(|i| head[i])))
                .ok_or_else(|| bad(&format!("there is no chunk at byte {start}")))?;
            let (raw_bytes, stored_bytes) = (number(4), number(12));
            let at = start + CHUNK_HEAD_BYTES as u64;
            let chunk = Chunk { kind, raw_bytes, stored_bytes, head, at };
            chunk.check_sizes().map_err(|why| bad(&format!("the chunk at byte {start} {why}")))?;
            if stored_bytes > size - at {
                return Ok(index);
            }
            self.check(&chunk)?;
            entries_bytes += if kind == Kind::Contents { 0 } else { raw_bytes };
            if entries_bytes > MAX_ENTRIES_BYTES {
                return Err(bad("programs and launches are larger than those of a recording can be"));
            }
            index.whole_bytes = at + stored_bytes;
            match kind {
                Kind::End => index.is_whole = true,
                _ => index.chunks.push(chunk),
            }
        }
    }

    /// The bytes of a chunk.
    ///
    /// # Errors
    /// What the system says, or that the chunk is damaged.
    pub fn read(&mut self, chunk: &Chunk) -> std::io::Result<Vec<u8>> {
        let damaged = || chunk.damaged();
        self.file.seek(SeekFrom::Start(chunk.at))?;
        // Grows with what is there, whatever the head says.
        let mut stored = Vec::new();
        (&self.file).take(chunk.stored_bytes).read_to_end(&mut stored)?;
        if stored.len() as u64 != chunk.stored_bytes {
            return Err(damaged());
        }
        if chunk.raw_bytes == chunk.stored_bytes {
            return Ok(stored);
        }
        let limit = usize::try_from(chunk.raw_bytes).map_err(|_| damaged())?;
        let raw = miniz_oxide::inflate::decompress_to_vec_with_limit(&stored, limit).map_err(|_| damaged())?;
        if raw.len() == limit { Ok(raw) } else { Err(damaged()) }
    }

    /// Compares a chunk with its checksum, piece by piece.
    fn check(&mut self, chunk: &Chunk) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(chunk.at))?;
        let (head, sum) = chunk.head.split_at(CHUNK_HEAD_BYTES - 8);
        let mut got = checksum(SUM_START, head);
        let (mut left, mut piece) = (chunk.stored_bytes, vec![0; 64 << 10]);
        while left > 0 {
            let n = left.min(piece.len() as u64) as usize;
            self.file.read_exact(&mut piece[..n])?;
            got = checksum(got, &piece[..n]);
            left -= n as u64;
        }
        if got.to_le_bytes()[..] == *sum { Ok(()) } else { Err(chunk.damaged()) }
    }
}

impl Chunk {
    fn damaged(&self) -> Error {
        bad(&format!("the chunk at byte {} is damaged", self.at - CHUNK_HEAD_BYTES as u64))
    }

    fn check_sizes(&self) -> Result<(), &'static str> {
        if self.kind != Kind::Contents && self.raw_bytes > MAX_ENTRY_BYTES {
            return Err("is larger than one of its kind can be");
        }
        let is_possible = self.raw_bytes >= self.stored_bytes
            && self.raw_bytes <= self.stored_bytes.saturating_mul(MAX_RATIO)
            && (self.kind == Kind::End) == (self.raw_bytes == 0 && self.kind != Kind::Contents);
        if is_possible { Ok(()) } else { Err("has sizes that do not fit together") }
    }
}

/// Makes a recording whole: cuts off a chunk that is not, and says so at the end.
///
/// # Errors
/// As `Reader::open` and `Reader::index`.
pub fn finish(path: &Path) -> std::io::Result<()> {
    let index = Reader::open(path)?.index()?;
    if index.is_whole {
        return Ok(());
    }
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.set_len(index.whole_bytes)?;
    file.seek(SeekFrom::End(0))?;
    Writer { file }.put(Kind::End, &[])
}

fn bad(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why.to_owned())
}

const SUM_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a by words: against damage, not against intent. One change in one word always changes it. Goes on from `sum`;
/// pieces have whole words, but for the last.
fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|word| {
        let mut whole = [0; 8];
        whole[..word.len()].copy_from_slice(word);
        u64::from_le_bytes(whole)
    });
    words.fold(sum, |sum, word| (sum ^ word).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn chunks(path: &Path) -> std::io::Result<Vec<(Kind, Vec<u8>)>> {
        let mut reader = Reader::open(path)?;
        let index = reader.index()?;
        if !index.is_whole {
            return Err(bad("not whole"));
        }
        index.chunks.iter().map(|chunk| Ok((chunk.kind, reader.read(chunk)?))).collect()
    }

    #[test]
    fn few_bytes_do_not_become_many() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.clrec");
        let mut writer = Writer::create(&path).expect("a new file");
        let zeros = vec![0; MAX_ENTRY_BYTES as usize];
        let mut error = || {
            writer.put(Kind::Program, &zeros).expect("it can be written");
            Reader::open(&path).expect("a recording").index().err().map(|error| error.to_string())
        };
        assert!((0..8).all(|_| error().is_none()));
        assert!(error().is_some_and(|why| why.contains("larger")));
        assert!(path.metadata().expect("it is there").len() < 4 << 20);
    }

    #[test]
    fn chunks_come_back_and_damage_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.clrec");
        let mut writer = Writer::create(&path).expect("a new file");
        let noise: Vec<u8> = (0..100u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let put = [(Kind::Contents, vec![7; 5000]), (Kind::Contents, Vec::new()), (Kind::Launch, noise)];
        writer.set_counter(Counter::Native, 5).expect("it can be written");
        put.iter().for_each(|(kind, raw)| writer.put(*kind, raw).expect("it can be written"));
        assert!(chunks(&path).is_err(), "not finished");
        finish(&path).expect("it can be finished");
        finish(&path).expect("a second time changes nothing");
        assert_eq!(chunks(&path).expect("whole"), put);
        assert_eq!(Reader::open(&path).expect("a recording").counters, [0, 0, 0, 5]);
        assert!(Writer::create(&path).is_err(), "there is one");
        let whole = fs::read(&path).expect("it is there");
        assert!(whole.len() < 400);
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("it can be written");
            assert!(chunks(&path).is_err(), "the first {cut} bytes");
            // What is whole can be had.
            if cut >= HEAD_BYTES as usize {
                finish(&path).expect("cut off");
                assert!(put.starts_with(&chunks(&path).expect("whole")));
            }
        }
        for at in (0..whole.len()).filter(|at| !(TITLE_BYTES as usize..HEAD_BYTES as usize).contains(at)) {
            for bit in [1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= bit;
                fs::write(&path, &damaged).expect("it can be written");
                assert!(chunks(&path).is_err(), "byte {at} is damaged");
            }
        }
        fs::write(&path, [&whole[..], b"more"].concat()).expect("it can be written");
        assert!(chunks(&path).is_err());
    }
}
