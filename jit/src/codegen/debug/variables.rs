//! DWARF of variables and their types: for each the function that it belongs to, or the copy of that which came in, and
//! where it is, from the frame pointer on. Spec: DWARF Debugging Information Format, version 4, "Data Object and Object
//! List Entries", "Type Entries".

use super::dwarf::{ABI, Key};
use super::{LineTable, Place, ProgramPlace, Scope};
use crate::ir::variable::{Encoding, Variable, VariableType};
use crate::places::Frame;
use gimli::write::{Address, AttributeValue, DwarfUnit, Expression, FileId, Range, RangeList, UnitEntryId};
use gimli::{DwAte, DwTag, Register, constants as dw};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Types that have been written, by where their descriptions are.
pub(super) type Types = FxHashMap<*const VariableType, UnitEntryId>;

/// Calls, from the function to the one that came in.
pub(super) type Path<'t> = Vec<Key<'t>>;

/// The calls through which code at a place came in: the place itself is the first.
pub(super) fn path<'t>(outwards: &[&'t Frame]) -> Path<'t> {
    let calls = outwards.windows(2).rev();
    calls.map(|pair| (&*pair[0].function, &*pair[1].file, pair[1].line, pair[1].column)).collect()
}

/// The entry of a function, or of a copy of one that came in, and those of its blocks that have names of their own.
pub(super) struct Owner {
    entry: UnitEntryId,
    /// Outer ones before inner ones.
    blocks: Vec<(Scope, UnitEntryId)>,
}

impl Owner {
    /// The innermost entry that a place is in.
    pub(super) fn at(&self, file: &str, place: (u32, u32)) -> UnitEntryId {
        let holds = |scope: &Scope| scope.file == file && (scope.places[0]..=scope.places[1]).contains(&place);
        self.blocks.iter().rfind(|(scope, _)| holds(scope)).map_or(self.entry, |&(_, block)| block)
    }
}

/// Variables by the calls through which their function came in.
pub(super) fn by_path(table: &LineTable) -> FxHashMap<Path<'_>, Vec<&Place>> {
    let mut places: FxHashMap<Path<'_>, Vec<&Place>> = FxHashMap::default();
    for place in &table.variables {
        places.entry(path(&place.declared.iter().collect::<Vec<_>>())).or_default().push(place);
    }
    places
}

/// Writes the variables of a function, which came in by these calls and has this entry. Names that mean one thing in
/// all of a function can be used in all of it, others in their blocks.
pub(super) fn write(
    dwarf: &mut DwarfUnit,
    types: &mut Types,
    files: &FxHashMap<&str, FileId>,
    code: (u64, &LineTable),
    calls: &Path<'_>,
    own: &[&Place],
    entry: UnitEntryId,
) -> Owner {
    let mut names: FxHashMap<&str, u32> = FxHashMap::default();
    own.iter().for_each(|place| *names.entry(&place.name).or_default() += 1);
    let mut scopes: Vec<&Scope> = own.iter().filter_map(|place| scope_among(&names, place)).collect();
    scopes.sort_by_key(|scope| (&scope.file, scope.places[0], std::cmp::Reverse(scope.places[1])));
    scopes.dedup();
    let rows = if scopes.is_empty() { Vec::new() } else { rows_of(code, calls) };
    let mut owner = Owner { entry, blocks: Vec::new() };
    for scope in scopes {
        let block = dwarf.unit.add(owner.at(&scope.file, scope.places[0]), dw::DW_TAG_lexical_block);
        let ranges = dwarf.unit.ranges.add(RangeList(ranges(&rows, scope)));
        dwarf.unit.get_mut(block).set(dw::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
        owner.blocks.push((scope.clone(), block));
    }
    for place in own {
        let scope = scope_among(&names, place);
        let block = scope.and_then(|scope| owner.blocks.iter().find(|(other, _)| other == scope));
        variable(dwarf, types, files, block.map_or(entry, |&(_, block)| block), place);
    }
    owner
}

/// The scope of a variable that shares its name with another one of its function.
fn scope_among<'p>(names: &FxHashMap<&str, u32>, place: &'p Place) -> Option<&'p Scope> {
    place.scope.as_ref().filter(|_| names[&*place.name] > 1)
}

/// Says of a function what the places of its variables are told from: the frame pointer.
pub(super) fn set_frame_base(dwarf: &mut DwarfUnit, function: UnitEntryId) {
    let mut base = Expression::new();
    base.op_reg(Register(ABI.0));
    dwarf.unit.get_mut(function).set(dw::DW_AT_frame_base, AttributeValue::Exprloc(base));
}

/// Code of a function: from one address to another, and its place in the function.
struct Row<'t> {
    code: [u64; 2],
    file: &'t str,
    at: (u32, u32),
}

/// The code of a function that came in by these calls, and of what came in there.
fn rows_of<'t>((address, table): (u64, &'t LineTable), calls: &Path<'_>) -> Vec<Row<'t>> {
    let ends = table.rows.iter().skip(1).map(|&(at, _)| at).chain([table.len]);
    let row = |(&(start, chain), end): (&(u32, u32), u32)| {
        let frames: Vec<&'t Frame> = table.user_frames(chain).collect();
        let depth = frames.len().checked_sub(calls.len() + 1)?;
        let code = [start, end].map(|offset| address + u64::from(offset));
        let Frame { file, line, column, .. } = frames[depth];
        (path(&frames[depth..]) == *calls).then_some(Row { code, file, at: (*line, *column) })
    };
    table.rows.iter().zip(ends).filter_map(row).collect()
}

/// Where code is that belongs to a block.
fn ranges(rows: &[Row<'_>], scope: &Scope) -> Vec<Range> {
    let [first, last] = scope.places;
    let mut found: Vec<[u64; 2]> = Vec::new();
    for row in rows.iter().filter(|row| row.file == scope.file && (first..=last).contains(&row.at)) {
        match found.last_mut() {
            Some(before) if before[1] == row.code[0] => before[1] = row.code[1],
            _ => found.push(row.code),
        }
    }
    let range = |[begin, end]: [u64; 2]| [begin, end].map(Address::Constant);
    found.into_iter().map(range).map(|[begin, end]| Range::StartEnd { begin, end }).collect()
}

fn variable(
    dwarf: &mut DwarfUnit,
    types: &mut Types,
    files: &FxHashMap<&str, FileId>,
    parent: UnitEntryId,
    place: &Place,
) {
    let tag = if place.variable.is_parameter { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
    let mut location = Expression::new();
    location.op_fbreg(place.offset);
    if place.variable.is_address {
        location.op_deref();
    }
    let ty = match place.variable.lanes {
        1 => type_entry(dwarf, types, &place.variable.ty),
        lanes => lanes_entry(dwarf, types, &place.variable, lanes),
    };
    let entry = dwarf.unit.add(parent, tag);
    let file = files.get(&*place.declared[0].file).copied();
    describe(dwarf, entry, (&place.name, ty), (file, place.declared[0].line), location);
}

/// Writes a variable of the program.
pub(super) fn of_program(
    dwarf: &mut DwarfUnit,
    types: &mut Types,
    files: &FxHashMap<&str, FileId>,
    address: u64,
    place: &ProgramPlace,
) {
    let ty = type_entry(dwarf, types, &place.ty);
    let root = dwarf.unit.root();
    let entry = dwarf.unit.add(root, dw::DW_TAG_variable);
    let mut location = Expression::new();
    location.op_addr(Address::Constant(address));
    let file = files.get(&*place.declared.file).copied();
    describe(dwarf, entry, (&place.name, ty), (file, place.declared.line), location);
}

/// Writes what an entry says of a variable: name and type, file and line, and where it is.
fn describe(
    dwarf: &mut DwarfUnit,
    entry: UnitEntryId,
    (name, ty): (&str, UnitEntryId),
    (file, line): (Option<FileId>, u32),
    location: Expression,
) {
    let variable = dwarf.unit.get_mut(entry);
    variable.set(dw::DW_AT_name, AttributeValue::String(name.into()));
    variable.set(dw::DW_AT_decl_file, AttributeValue::FileIndex(file));
    variable.set(dw::DW_AT_decl_line, AttributeValue::Udata(line.into()));
    variable.set(dw::DW_AT_type, AttributeValue::UnitRef(ty));
    variable.set(dw::DW_AT_location, AttributeValue::Exprloc(location));
}

/// The entry of a type, which is written if it is new.
fn type_entry(dwarf: &mut DwarfUnit, types: &mut Types, ty: &Arc<VariableType>) -> UnitEntryId {
    if let Some(&entry) = types.get(&Arc::as_ptr(ty)) {
        return entry;
    }
    let entry = match &**ty {
        VariableType::Base { name, encoding, size } => {
            let entry = named(dwarf, dw::DW_TAG_base_type, name, Some(u64::from(*size)));
            dwarf.unit.get_mut(entry).set(dw::DW_AT_encoding, AttributeValue::Encoding(dwarf_encoding(*encoding)));
            entry
        }
        VariableType::Vector { name, elem, lanes, size } => {
            let entry = array(dwarf, types, elem, u64::from(*lanes));
            let vector = dwarf.unit.get_mut(entry);
            vector.set(dw::DW_AT_GNU_vector, AttributeValue::Flag(true));
            vector.set(dw::DW_AT_byte_size, AttributeValue::Udata(*size));
            let alias = named(dwarf, dw::DW_TAG_typedef, name, None);
            dwarf.unit.get_mut(alias).set(dw::DW_AT_type, AttributeValue::UnitRef(entry));
            alias
        }
        VariableType::Array { elem, len } => array(dwarf, types, elem, *len),
        VariableType::Pointer(to) => {
            let to = to.as_ref().map(|to| type_entry(dwarf, types, to));
            let entry = named(dwarf, dw::DW_TAG_pointer_type, "", Some(8));
            if let Some(to) = to {
                dwarf.unit.get_mut(entry).set(dw::DW_AT_type, AttributeValue::UnitRef(to));
            }
            entry
        }
        VariableType::Record { name, is_union, size, fields } => {
            let tag = if *is_union { dw::DW_TAG_union_type } else { dw::DW_TAG_structure_type };
            let entry = named(dwarf, tag, name, Some(*size));
            for (name, offset, ty) in fields {
                let ty = type_entry(dwarf, types, ty);
                let field = dwarf.unit.add(entry, dw::DW_TAG_member);
                let member = dwarf.unit.get_mut(field);
                if !name.is_empty() {
                    member.set(dw::DW_AT_name, AttributeValue::String(name.clone().into()));
                }
                member.set(dw::DW_AT_type, AttributeValue::UnitRef(ty));
                member.set(dw::DW_AT_data_member_location, AttributeValue::Udata(*offset));
            }
            entry
        }
    };
    types.insert(Arc::as_ptr(ty), entry);
    entry
}

/// An entry of a type with a name, if it has one, and a size in bytes, if it has its own.
fn named(dwarf: &mut DwarfUnit, tag: DwTag, name: &str, size: Option<u64>) -> UnitEntryId {
    let root = dwarf.unit.root();
    let entry = dwarf.unit.add(root, tag);
    let ty = dwarf.unit.get_mut(entry);
    if !name.is_empty() {
        ty.set(dw::DW_AT_name, AttributeValue::String(name.into()));
    }
    if let Some(size) = size {
        ty.set(dw::DW_AT_byte_size, AttributeValue::Udata(size));
    }
    entry
}

/// An array of what each lane has.
fn lanes_entry(dwarf: &mut DwarfUnit, types: &mut Types, variable: &Variable, lanes: u8) -> UnitEntryId {
    let entry = array(dwarf, types, &variable.ty, lanes.into());
    if variable.stride != variable.ty.bytes() {
        dwarf.unit.get_mut(entry).set(dw::DW_AT_byte_stride, AttributeValue::Udata(variable.stride));
    }
    entry
}

fn array(dwarf: &mut DwarfUnit, types: &mut Types, elem: &Arc<VariableType>, len: u64) -> UnitEntryId {
    let elem = type_entry(dwarf, types, elem);
    let entry = named(dwarf, dw::DW_TAG_array_type, "", None);
    dwarf.unit.get_mut(entry).set(dw::DW_AT_type, AttributeValue::UnitRef(elem));
    let range = dwarf.unit.add(entry, dw::DW_TAG_subrange_type);
    dwarf.unit.get_mut(range).set(dw::DW_AT_count, AttributeValue::Udata(len));
    entry
}

fn dwarf_encoding(encoding: Encoding) -> DwAte {
    match encoding {
        Encoding::Signed => dw::DW_ATE_signed,
        Encoding::SignedChar => dw::DW_ATE_signed_char,
        Encoding::Unsigned => dw::DW_ATE_unsigned,
        Encoding::UnsignedChar => dw::DW_ATE_unsigned_char,
        Encoding::Boolean => dw::DW_ATE_boolean,
        Encoding::Float => dw::DW_ATE_float,
    }
}
