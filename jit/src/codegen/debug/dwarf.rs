//! DWARF 4 of machine code that has its address: lines, functions and those that came in, and how to unwind frames.
//! Spec: DWARF Debugging Information Format, version 4; System V ABI, AMD64 and AArch64 supplements.

use super::{LineTable, Place, ProgramPlace, variables};
use crate::ir::variable::IDS;
use crate::places::Frame;
use gimli::write::{
    Address, AttributeValue, CallFrameInstruction as Cfa, CommonInformationEntry, DirectoryId, DwarfUnit, EhFrame,
    EndianVec, Error, FileId, FrameDescriptionEntry, FrameTable, LineProgram, LineString, Range, RangeList, Sections,
    UnitEntryId,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, Register, constants as dw};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A section's name and contents.
pub(super) type Section = (&'static str, Vec<u8>);

const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 8 };

/// `.eh_frame` has versions of its own, and no other than this.
const FRAMES: Encoding = Encoding { version: 1, ..ENCODING };

/// A function that came in, once for each place that calls it.
#[derive(Default)]
struct Inlined<'t> {
    ranges: Vec<(u32, u32)>,
    inner: BTreeMap<Key<'t>, Inlined<'t>>,
}

/// Function, and the file, line and column that call it.
pub(super) type Key<'t> = (&'t str, &'t str, u32, u32);

/// The sections of debug information of functions and of variables of the program, at these addresses.
///
/// # Errors
/// What cannot be written.
pub(super) fn sections(
    functions: &[(u64, &LineTable)],
    program: &[(u64, ProgramPlace)],
) -> Result<Vec<Section>, Error> {
    let mut dwarf = DwarfUnit::new(ENCODING);
    let all = || functions.iter().flat_map(|(_, table)| table.chains.iter().flatten());
    let main = all().find(|frame| !frame.is_library && frame.line > 0).map_or("<kernel>", |frame| &frame.file);
    let dir = std::env::current_dir().map_or_else(|_| "/".into(), |dir| dir.to_string_lossy().into_owned());
    let text = |text: &str| LineString::String(text.bytes().filter(|&b| b != 0).collect());
    let mut lines = LineProgram::new(ENCODING, LineEncoding::default(), text(&dir), None, text(main), None);
    let mut files: FxHashMap<&str, FileId> = FxHashMap::default();
    let root_dir: DirectoryId = lines.default_directory();
    let declared = program.iter().map(|(_, place)| &place.declared);
    for frame in all().chain(declared).filter(|frame| !frame.is_library && !frame.file.is_empty()) {
        files.entry(&frame.file).or_insert_with(|| lines.add_file(text(&frame.file), root_dir, None));
    }
    for &(address, table) in functions {
        sequence(&mut lines, &files, address, table);
    }
    dwarf.unit.line_program = lines;
    let root = dwarf.unit.root();
    let ranges = functions
        .iter()
        .map(|&(address, table)| Range::StartLength { begin: Address::Constant(address), length: table.len.into() });
    let ranges = dwarf.unit.ranges.add(RangeList(ranges.collect()));
    let unit = dwarf.unit.get_mut(root);
    unit.set(dw::DW_AT_producer, AttributeValue::String("Clift".into()));
    unit.set(dw::DW_AT_language, AttributeValue::Language(dw::DW_LANG_C99));
    unit.set(dw::DW_AT_name, AttributeValue::String(main.into()));
    unit.set(dw::DW_AT_comp_dir, AttributeValue::String(dir.into_bytes()));
    unit.set(dw::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
    unit.set(dw::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
    let mut types = variables::Types::default();
    for &(address, table) in functions {
        function(&mut dwarf, &mut types, &files, address, table);
    }
    for (address, place) in program {
        variables::of_program(&mut dwarf, &mut types, &files, *address, place);
    }
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections)?;
    let mut all: Vec<Section> = Vec::new();
    sections.for_each(|id, data| {
        if !data.slice().is_empty() {
            all.push((id.name(), data.slice().to_vec()));
        }
        Ok::<(), Error>(())
    })?;
    Ok(all)
}

/// The rows of a function's lines.
fn sequence(lines: &mut LineProgram, files: &FxHashMap<&str, FileId>, address: u64, table: &LineTable) {
    lines.begin_sequence(Some(Address::Constant(address)));
    let mut last = None;
    for &(at, chain) in &table.rows {
        let Some(frame) = table.user_frames(chain).next() else { continue };
        let Some(&file) = files.get(frame.file.as_str()) else { continue };
        if last.replace((&frame.file, frame.line, frame.column)) == Some((&frame.file, frame.line, frame.column)) {
            continue;
        }
        let row = lines.row();
        row.address_offset = at.into();
        (row.file, row.line, row.column) = (file, frame.line.into(), frame.column.into());
        row.is_statement = true;
        lines.generate_row();
    }
    lines.end_sequence(table.len.into());
}

/// A function with those that came in.
fn function<'t>(
    dwarf: &mut DwarfUnit,
    types: &mut variables::Types,
    files: &FxHashMap<&str, FileId>,
    address: u64,
    table: &'t LineTable,
) {
    let root = dwarf.unit.root();
    let entry = dwarf.unit.add(root, dw::DW_TAG_subprogram);
    let func = dwarf.unit.get_mut(entry);
    func.set(dw::DW_AT_name, AttributeValue::String(table.function.clone().into()));
    func.set(dw::DW_AT_external, AttributeValue::Flag(true));
    func.set(dw::DW_AT_low_pc, AttributeValue::Address(Address::Constant(address)));
    func.set(dw::DW_AT_high_pc, AttributeValue::Udata(table.len.into()));
    let mut tree: Inlined<'t> = Inlined::default();
    let ends = table.rows.iter().skip(1).map(|&(at, _)| at).chain([table.len]);
    for (&(start, chain), end) in table.rows.iter().zip(ends) {
        let outwards: Vec<&Frame> = table.user_frames(chain).collect();
        let mut at = &mut tree;
        for call in variables::path(&outwards) {
            at = at.inner.entry(call).or_default();
            match at.ranges.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => at.ranges.push((start, end)),
            }
        }
    }
    variables::set_frame_base(dwarf, entry);
    let places = variables::by_path(table);
    let mut writer = Writer { dwarf, types, files, origins: FxHashMap::default(), places, address, table };
    writer.body(entry, &mut Vec::new(), &tree);
}

/// Writes what is in a function.
struct Writer<'w, 't> {
    dwarf: &'w mut DwarfUnit,
    types: &'w mut variables::Types,
    files: &'w FxHashMap<&'w str, FileId>,
    /// Entries of functions that came in, by name.
    origins: FxHashMap<&'t str, UnitEntryId>,
    /// Variables by the calls through which their functions came in.
    places: FxHashMap<variables::Path<'t>, Vec<&'t Place>>,
    address: u64,
    table: &'t LineTable,
}

impl<'t> Writer<'_, 't> {
    /// Variables of a function that came in by these calls, and the functions that came in there. The kernel's ids are
    /// variables of each, so that conditions of breakpoints may name them.
    fn body(&mut self, entry: UnitEntryId, calls: &mut variables::Path<'t>, tree: &Inlined<'t>) {
        let code = (self.address, self.table);
        let mut own = self.places.get(calls).cloned().unwrap_or_default();
        if !calls.is_empty() {
            let of_kernel = self.places.get(&variables::Path::new()).into_iter().flatten();
            own.extend(of_kernel.filter(|place| IDS.contains(&&*place.name)));
        }
        let owner = variables::write(self.dwarf, self.types, self.files, code, calls, &own, entry);
        for (&key, inner) in &tree.inner {
            let (_, file, line, column) = key;
            let entry = self.inlined(owner.at(file, (line, column)), key, inner);
            calls.push(key);
            self.body(entry, calls, inner);
            calls.pop();
        }
    }

    fn inlined(&mut self, parent: UnitEntryId, (name, file, line, column): Key<'t>, tree: &Inlined<'t>) -> UnitEntryId {
        let dwarf = &mut *self.dwarf;
        let root = dwarf.unit.root();
        let origin = *self.origins.entry(name).or_insert_with(|| {
            let origin = dwarf.unit.add(root, dw::DW_TAG_subprogram);
            let func = dwarf.unit.get_mut(origin);
            func.set(dw::DW_AT_name, AttributeValue::String(name.into()));
            func.set(dw::DW_AT_inline, AttributeValue::Inline(dw::DW_INL_inlined));
            origin
        });
        let entry = dwarf.unit.add(parent, dw::DW_TAG_inlined_subroutine);
        let at = |offset: u32| Address::Constant(self.address + u64::from(offset));
        let ranges = tree.ranges.iter().map(|&(start, end)| Range::StartEnd { begin: at(start), end: at(end) });
        let ranges = dwarf.unit.ranges.add(RangeList(ranges.collect()));
        let call = dwarf.unit.get_mut(entry);
        call.set(dw::DW_AT_abstract_origin, AttributeValue::UnitRef(origin));
        call.set(dw::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
        call.set(dw::DW_AT_call_file, AttributeValue::FileIndex(self.files.get(file).copied()));
        call.set(dw::DW_AT_call_line, AttributeValue::Udata(line.into()));
        call.set(dw::DW_AT_call_column, AttributeValue::Udata(column.into()));
        entry
    }
}

/// Registers in DWARF, and where the frame pointer is set: frame pointer, stack pointer, return address, bytes of code
/// that save the first and that copy the second to it.
#[cfg(target_arch = "x86_64")]
pub(super) const ABI: (u16, u16, u16, u32, u32) = (6, 7, 16, 1, 4);
#[cfg(not(target_arch = "x86_64"))]
pub(super) const ABI: (u16, u16, u16, u32, u32) = (29, 31, 30, 4, 8);

/// `.eh_frame` of functions at these addresses, for debuggers and for `__register_frame`.
///
/// # Errors
/// What cannot be written.
pub(super) fn eh_frame(functions: &[(u64, &LineTable)]) -> Result<Vec<u8>, Error> {
    let (fp, sp, ra, saved, set) = ABI;
    let [fp, sp, ra] = [fp, sp, ra].map(Register);
    let mut frames = FrameTable::default();
    let mut cie = CommonInformationEntry::new(FRAMES, 1, -8, ra);
    cie.fde_address_encoding = dw::DW_EH_PE_absptr;
    if cfg!(target_arch = "x86_64") {
        cie.add_instruction(Cfa::Cfa(sp, 8));
        cie.add_instruction(Cfa::Offset(ra, -8));
    } else {
        cie.add_instruction(Cfa::Cfa(sp, 0));
    }
    let cie = frames.add_cie(cie);
    for &(address, table) in functions {
        let mut fde = FrameDescriptionEntry::new(Address::Constant(address), table.len);
        fde.add_instruction(saved, Cfa::CfaOffset(16));
        fde.add_instruction(saved, Cfa::Offset(fp, -16));
        if !cfg!(target_arch = "x86_64") {
            fde.add_instruction(saved, Cfa::Offset(ra, -8));
        }
        fde.add_instruction(set, Cfa::CfaRegister(fp));
        let mut at = set;
        for (n, &reg) in (0..).zip(&table.saved.pushed) {
            // Those from r8 on have a prefix. In DWARF they have the numbers of the encoding, and so has rbx.
            at += if reg > 7 { 2 } else { 1 };
            let dwarf = if reg > 7 { u16::from(reg) } else { 3 };
            fde.add_instruction(at, Cfa::Offset(Register(dwarf), -24 - 8 * n));
        }
        for &(back, end) in table.saved.epilogues.iter().filter(|(_, end)| *end <= table.len) {
            fde.add_instruction(back, Cfa::RememberState);
            fde.add_instruction(back, Cfa::Cfa(sp, 8));
            fde.add_instruction(back, Cfa::Restore(fp));
            if end < table.len {
                fde.add_instruction(end, Cfa::RestoreState);
            }
        }
        frames.add_fde(cie, fde);
    }
    let mut section = EhFrame(EndianVec::new(LittleEndian));
    frames.write_eh_frame(&mut section)?;
    let mut bytes = section.slice().to_vec();
    // The end, as `__register_frame` wants it.
    bytes.extend_from_slice(&[0; 4]);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{FrameLayout, Scope};
    use super::*;
    use crate::ir::Origin;
    use crate::ir::variable::{Encoding, Variable, VariableType};
    use gimli::read::{self, UnwindSection};
    use gimli::{BaseAddresses, EndianSlice, LittleEndian, SectionId};

    const START: u64 = 0x1000;

    /// A kernel of 20 bytes; from byte 7 to 9 it has a function of its own that came in.
    fn table() -> LineTable {
        let frame = |function: &str, line| Frame {
            function: function.into(),
            file: "k.cl".into(),
            line,
            column: 3,
            ..Frame::default()
        };
        LineTable {
            function: "k".into(),
            rows: vec![(0, 0), (7, 1), (9, 0)],
            chains: vec![vec![frame("k", 7)], vec![frame("f", 2), frame("k", 8)]],
            len: 20,
            saved: FrameLayout::default(),
            variables: Vec::new(),
        }
    }

    fn read_back(written: &[Section]) -> read::Dwarf<EndianSlice<'_, LittleEndian>> {
        let section = |id: SectionId| {
            let found = written.iter().find(|(name, _)| *name == id.name());
            Ok::<_, read::Error>(EndianSlice::new(found.map_or(&[][..], |(_, data)| data), LittleEndian))
        };
        read::Dwarf::load(section).expect("sections")
    }

    #[test]
    fn lines_and_functions_are_read_as_they_were_written() {
        let written = sections(&[(START, &table())], &[]).expect("sections");
        let dwarf = read_back(&written);
        let header = dwarf.units().next().expect("a unit").expect("a unit");
        let unit = dwarf.unit(header).expect("a unit");
        let (mut rows, mut lines) = (unit.line_program.clone().expect("lines").rows(), Vec::new());
        while let Some((_, row)) = rows.next_row().expect("a row") {
            lines.push((row.address() - START, row.line().map_or(0, |line| line.get()), row.end_sequence()));
        }
        let lines: Vec<_> = lines.iter().map(|&(at, line, end)| (at, if end { 0 } else { line })).collect();
        assert_eq!(lines, [(0, 7), (7, 2), (9, 7), (20, 0)]);
        let (mut entries, mut seen) = (unit.entries(), Vec::new());
        while let Some(entry) = entries.next_dfs().expect("an entry") {
            let mut ranges = dwarf.die_ranges(&unit, entry).expect("ranges");
            if let Some(range) = ranges.next().expect("a range") {
                seen.push((entry.tag(), range.begin - START, range.end - START));
            }
        }
        let inlined = dw::DW_TAG_inlined_subroutine;
        let expected = [(dw::DW_TAG_compile_unit, 0, 20), (dw::DW_TAG_subprogram, 0, 20), (inlined, 7, 9)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn variables_have_types_and_places_in_their_functions() {
        let mut table = table();
        let int = VariableType::Base { name: "int".into(), encoding: Encoding::Signed, size: 4 };
        let int2 = VariableType::Vector { name: "int2".into(), elem: int.clone().into(), lanes: 2, size: 8 };
        let mut add = |name: &str, ty: &VariableType, declared: Vec<Frame>, scope, is_address| {
            let ty = ty.clone().into();
            let variable = Variable { is_address, ..Variable::new(ty, Origin::UNKNOWN) };
            table.variables.push(Place { name: name.into(), variable, declared, scope, offset: -24 });
        };
        let scope = |line| Some(Scope { file: "k.cl".into(), places: [(line, 1), (line, 9)] });
        let [f, k] = [1, 0].map(|n| super::tests::table().chains[n].clone());
        add("x", &int, f, None, false);
        add("y", &int2, k.clone(), None, true);
        add("z", &int, k.clone(), scope(7), false);
        add("z", &int, k, scope(9), false);
        let written = sections(&[(START, &table)], &[]).expect("sections");
        let dwarf = read_back(&written);
        let unit = dwarf.unit(dwarf.units().next().expect("a unit").expect("a unit")).expect("a unit");
        let (mut entries, mut seen) = (unit.entries(), Vec::new());
        while let Some(entry) = entries.next_dfs().expect("an entry") {
            let name = entry.attr_value(dw::DW_AT_name).and_then(|name| dwarf.attr_string(&unit, name).ok());
            let location = match entry.attr_value(dw::DW_AT_location) {
                Some(read::AttributeValue::Exprloc(expression)) => expression.0.to_vec(),
                _ => continue,
            };
            seen.push((entry.depth(), name.expect("a name").to_string_lossy().into_owned(), location));
        }
        let at = |more: &[u8]| [&[dw::DW_OP_fbreg.0, 0x68][..], more].concat();
        let expected = [(3, "z", at(&[])), (3, "z", at(&[])), (2, "y", at(&[dw::DW_OP_deref.0])), (3, "x", at(&[]))];
        assert_eq!(seen, expected.map(|(depth, name, place)| (depth, name.to_owned(), place)));
    }

    #[test]
    fn frames_are_found_by_their_callees() {
        let bytes = eh_frame(&[(START, &table())]).expect("frames");
        let frames = read::EhFrame::new(&bytes, LittleEndian);
        let (bases, mut context) = (BaseAddresses::default(), read::UnwindContext::new());
        let (fp, sp, _, _, set) = ABI;
        let mut cfa = |at: u64| {
            let cie = read::EhFrame::cie_from_offset;
            let row = frames.unwind_info_for_address(&bases, &mut context, START + at, cie).expect("a row");
            row.cfa().clone()
        };
        let rule = |register, offset| read::CfaRule::RegisterAndOffset { register: Register(register), offset };
        let before = if cfg!(target_arch = "x86_64") { 8 } else { 0 };
        assert_eq!([cfa(0), cfa(set.into())], [rule(sp, before), rule(fp, 16)]);
    }
}
