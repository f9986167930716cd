//! An ELF file in memory about code that lies elsewhere: sections of debug information, a `.text` that has an address
//! and no contents, and a symbol for each function. Spec: System V ABI, "Object Files".

use super::dwarf::Section;

const HEADER: usize = 64;
const SECTION: usize = 64;

const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const NOBITS: u32 = 8;

/// A function for the symbol table: name, address, bytes.
pub(super) type Symbol<'n> = (&'n str, u64, u64);

struct Writer {
    bytes: Vec<u8>,
    headers: Vec<[u64; 10]>,
    names: Vec<u8>,
}

impl Writer {
    /// Adds a section: name, type, flags, address, contents or only their size, link, info, size of an entry.
    fn section(&mut self, name: &str, kind: u32, flags: u64, address: u64, data: Result<&[u8], u64>, link: [u64; 3]) {
        let name_at = self.names.len() as u64;
        self.names.extend_from_slice(name.as_bytes());
        self.names.push(0);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len() as u64;
        let size = data.map_or_else(|size| size, |data| data.len() as u64);
        self.bytes.extend_from_slice(data.unwrap_or_default());
        let [link, info, entry] = link;
        self.headers.push([name_at, kind.into(), flags, address, at, size, link, info, 8, entry]);
    }
}

/// The file.
pub(super) fn file(text: (u64, u64), symbols: &[Symbol<'_>], debug: &[Section], eh_frame: (u64, &[u8])) -> Vec<u8> {
    let mut writer = Writer { bytes: vec![0; HEADER], headers: vec![[0; 10]], names: vec![0] };
    const ALLOC: u64 = 2;
    const EXEC: u64 = 4;
    writer.section(".text", NOBITS, ALLOC | EXEC, text.0, Err(text.1), [0; 3]);
    writer.section(".eh_frame", PROGBITS, ALLOC, eh_frame.0, Ok(eh_frame.1), [0; 3]);
    for (name, data) in debug {
        writer.section(name, PROGBITS, 0, 0, Ok(data), [0; 3]);
    }
    let (mut table, mut strings) = (vec![0u8; 24], vec![0u8]);
    for &(name, address, size) in symbols {
        table.extend_from_slice(&(strings.len() as u32).to_le_bytes());
        // A global function, in `.text`.
        table.extend_from_slice(&[0x12, 0, 1, 0]);
        table.extend_from_slice(&address.to_le_bytes());
        table.extend_from_slice(&size.to_le_bytes());
        strings.extend(name.bytes().filter(|&b| b != 0));
        strings.push(0);
    }
    let strtab = writer.headers.len() as u64 + 1;
    writer.section(".symtab", SYMTAB, 0, 0, Ok(&table), [strtab, 1, 24]);
    writer.section(".strtab", STRTAB, 0, 0, Ok(&strings), [0; 3]);
    let mut names = std::mem::take(&mut writer.names);
    let own = names.len() as u64;
    names.extend_from_slice(b".shstrtab\0");
    writer.section("", STRTAB, 0, 0, Ok(&names), [0; 3]);
    let (last, Writer { mut bytes, mut headers, .. }) = (writer.headers.len() - 1, writer);
    headers[last][0] = own;
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let at = bytes.len() as u64;
    for [name, kind, flags, address, offset, size, link, info, align, entry] in &headers {
        let half = |word: u64| (word as u32).to_le_bytes();
        bytes.extend([half(*name), half(*kind)].concat());
        bytes.extend([flags, address, offset, size].map(|word| word.to_le_bytes()).concat());
        bytes.extend([half(*link), half(*info)].concat());
        bytes.extend([align, entry].map(|word| word.to_le_bytes()).concat());
    }
    let machine: u16 = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    // 64 bits, little endian; an executable: all addresses are final.
    let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0];
    header.extend_from_slice(&machine.to_le_bytes());
    header.extend_from_slice(&1u32.to_le_bytes());
    header.extend([0, 0, at].map(u64::to_le_bytes).concat());
    header.extend_from_slice(&0u32.to_le_bytes());
    header.extend(
        [HEADER as u16, 0, 0, SECTION as u16, headers.len() as u16, last as u16].map(u16::to_le_bytes).concat(),
    );
    bytes[..HEADER].copy_from_slice(&header);
    bytes
}
