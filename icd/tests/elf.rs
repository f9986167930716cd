//! `libclift.so` as a file: its name, what it needs, what it exports, and that its own names bind to itself.

use object::elf::{
    DF_1_NODELETE, DF_1_NOW, DT_FLAGS_1, DT_NEEDED, DT_SONAME, DT_TEXTREL, FileHeader64, PF_W, PF_X, PT_GNU_RELRO,
    PT_GNU_STACK, PT_LOAD, ProgramHeader64,
};
use object::endian::Endianness;
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{Object, ObjectSymbol, ObjectSymbolTable, RelocationTarget};
use std::path::PathBuf;

/// The newest library near this test.
fn library() -> Vec<u8> {
    let test = std::env::current_exe().expect("a test knows where it is");
    let deps = test.parent().expect("it is in a folder");
    let places = [deps.join("libclift.so"), deps.join("../libclift.so")];
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    let path =
        places.iter().filter(|path| path.exists()).max_by_key(|path| age(path)).expect("cargo built libclift.so");
    std::fs::read(path).expect("it can be read")
}

/// Strings of the dynamic section under `tag`.
fn dynamic_strings(data: &[u8], tag: u32) -> Vec<String> {
    let header = FileHeader64::<Endianness>::parse(data).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, data).expect("sections");
    let (entries, strings) = sections.dynamic(endian, data).expect("a dynamic section").expect("one");
    let strings = sections.strings(endian, data, strings).expect("its strings");
    let wanted = entries.iter().filter(|entry| entry.tag32(endian) == Some(tag));
    wanted.map(|entry| String::from_utf8_lossy(entry.string(endian, strings).expect("a string")).into_owned()).collect()
}

#[test]
fn its_name_is_libclift_so() {
    assert_eq!(dynamic_strings(&library(), DT_SONAME), ["libclift.so"]);
}

/// Numbers of the dynamic section under `tag`.
fn dynamic_numbers(data: &[u8], tag: u32) -> Vec<u64> {
    let header = FileHeader64::<Endianness>::parse(data).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, data).expect("sections");
    let (entries, _) = sections.dynamic(endian, data).expect("a dynamic section").expect("one");
    let wanted = entries.iter().filter(|entry| entry.tag32(endian) == Some(tag));
    wanted.map(|entry| entry.d_val(endian)).collect()
}

/// Worker threads and generated code outlive any `dlclose`.
#[test]
fn it_stays_loaded() {
    let flags = dynamic_numbers(&library(), DT_FLAGS_1);
    assert!(flags.iter().any(|flags| flags & u64::from(DF_1_NODELETE) != 0));
}

/// Nothing of it is writable and executable, stacks of threads included; all names are bound when it is loaded, and
/// what they are bound to is read-only from then on.
#[test]
fn it_is_hardened() {
    let data = library();
    let header = FileHeader64::<Endianness>::parse(&*data).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let headers: &[ProgramHeader64<_>] = header.program_headers(endian, &*data).expect("program headers");
    let of = |kind| headers.iter().filter(move |header| header.p_type(endian) == kind);
    assert!(of(PT_LOAD).all(|header| header.p_flags(endian) & (PF_W | PF_X) != PF_W | PF_X));
    let stacks: Vec<u32> = of(PT_GNU_STACK).map(|header| header.p_flags(endian) & PF_X).collect();
    assert_eq!(stacks, [0], "one that says that no stack is executable");
    assert_eq!(of(PT_GNU_RELRO).count(), 1);
    assert!(dynamic_numbers(&data, DT_FLAGS_1).iter().any(|flags| flags & u64::from(DF_1_NOW) != 0));
    assert!(dynamic_numbers(&data, DT_TEXTREL).is_empty());
}

#[test]
fn it_needs_no_loader_and_nothing_but_the_c_library() {
    for name in dynamic_strings(&library(), DT_NEEDED) {
        let is_expected = ["libc.so", "libm.so", "libgcc_s.so", "ld-linux", "libdl.so", "libpthread.so", "librt.so"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        assert!(is_expected, "{name}");
    }
}

#[test]
fn it_exports_the_api_what_debuggers_ask_for_and_the_tool() {
    let data = library();
    let file = ElfFile64::<Endianness>::parse(&*data).expect("an ELF file");
    let mut exported: Vec<&str> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().expect("a name"))
        .collect();
    exported.sort_unstable();
    let mut wanted: Vec<&str> = clift::dispatch::ENTRIES
        .iter()
        .filter(|entry| entry.is_supported)
        .map(|entry| entry.name)
        // Functions of extensions are found by name; those of the loader alone stand in the file.
        .filter(|name| {
            name.starts_with("clIcd")
                || !["KHR", "EXT", "IMG", "INTEL", "PoCL"].iter().any(|vendor| name.ends_with(vendor))
        })
        // Where gdb and lldb look for code that was made at run time.
        .chain(["__jit_debug_descriptor", "__jit_debug_register_code"])
        // What the tool's program calls.
        .chain(["clift_main"])
        .collect();
    wanted.sort_unstable();
    assert_eq!(exported, wanted);
}

/// In a process with a loader, a name of ours is also the loader's: a dispatch table bound to that would loop.
#[test]
fn its_own_names_bind_to_itself() {
    let data = library();
    let file = ElfFile64::<Endianness>::parse(&*data).expect("an ELF file");
    let symbols = file.dynamic_symbol_table().expect("dynamic symbols");
    for (_, relocation) in file.dynamic_relocations().expect("dynamic relocations") {
        if let RelocationTarget::Symbol(idx) = relocation.target() {
            let name = symbols.symbol_by_index(idx).and_then(|symbol| symbol.name().map(str::to_owned));
            let name = name.expect("a name");
            assert!(!name.starts_with("cl") || !name[2..].starts_with(char::is_uppercase), "{name}");
        }
    }
}
