//! DWARF of variables and their types: for each the function that it belongs to, or the copy of that which came in, and
//! where it is, from the frame pointer on. Spec: DWARF Debugging Information Format, version 4, "Data Object and Object
//! List Entries", "Type Entries".

use super::dwarf::{ABI, Key};
use super::{LineTable, Place, Scope};
use crate::ir::variable::{Encoding, VariableType};
use crate::places::Frame;
use gimli::write::{Address, AttributeValue, DwarfUnit, Expression, FileId, Range, RangeList, UnitEntryId};
use gimli::{DwAte, DwTag, Register, constants as dw};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Types that have been written.
pub(super) type Types = FxHashMap<Arc<VariableType>, UnitEntryId>;

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

/// Writes the variables of a function, which came in by these calls and has this entry. Names that mean one thing in
/// all of a function can be used in all of it, others in their blocks.
pub(super) fn write(
    dwarf: &mut DwarfUnit,
    types: &mut Types,
    files: &FxHashMap<&str, FileId>,
    (address, table): (u64, &LineTable),
    calls: &Path<'_>,
    entry: UnitEntryId,
) -> Owner {
    let is_own = |place: &&Place| path(&place.declared.iter().collect::<Vec<_>>()) == *calls;
    let own: Vec<&Place> = table.variables.iter().filter(is_own).collect();
    let mut scopes: Vec<&Scope> = own.iter().filter_map(|place| scope_among(&own, place)).collect();
    scopes.sort_by_key(|scope| (&scope.file, scope.places[0], std::cmp::Reverse(scope.places[1])));
    scopes.dedup();
    let mut owner = Owner { entry, blocks: Vec::new() };
    for scope in scopes {
        let block = dwarf.unit.add(owner.at(&scope.file, scope.places[0]), dw::DW_TAG_lexical_block);
        let ranges = dwarf.unit.ranges.add(RangeList(ranges(address, table, calls, scope)));
        dwarf.unit.get_mut(block).set(dw::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
        owner.blocks.push((scope.clone(), block));
    }
    for place in &own {
        let block = scope_among(&own, place).and_then(|scope| owner.blocks.iter().find(|(other, _)| other == scope));
        variable(dwarf, types, files, block.map_or(entry, |&(_, block)| block), place);
    }
    owner
}

/// The scope of a variable that shares its name with another one of its function.
fn scope_among<'p>(own: &[&Place], place: &'p Place) -> Option<&'p Scope> {
    let is_alone = own.iter().filter(|other| other.name == place.name).count() == 1;
    place.scope.as_ref().filter(|_| !is_alone)
}

/// Says of a function what the places of its variables are told from: the frame pointer.
pub(super) fn set_frame_base(dwarf: &mut DwarfUnit, function: UnitEntryId) {
    let mut base = Expression::new();
    base.op_reg(Register(ABI.0));
    dwarf.unit.get_mut(function).set(dw::DW_AT_frame_base, AttributeValue::Exprloc(base));
}

/// Where code of a function, which came in by these calls, is between two places of its source.
fn ranges(address: u64, table: &LineTable, of: &Path<'_>, scope: &Scope) -> Vec<Range> {
    let [first, last] = scope.places;
    let ends = table.rows.iter().skip(1).map(|&(at, _)| at).chain([table.len]);
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (&(start, chain), end) in table.rows.iter().zip(ends) {
        let frames: Vec<&Frame> = table.user_frames(chain).collect();
        let Some(depth) = frames.len().checked_sub(of.len() + 1) else { continue };
        let at = (frames[depth].line, frames[depth].column);
        if frames[depth].file == scope.file && path(&frames[depth..]) == *of && (first..=last).contains(&at) {
            match found.last_mut() {
                Some(before) if before.1 == start => before.1 = end,
                _ => found.push((start, end)),
            }
        }
    }
    let at = |offset: u32| Address::Constant(address + u64::from(offset));
    found.into_iter().map(|(start, end)| Range::StartEnd { begin: at(start), end: at(end) }).collect()
}

fn variable(
    dwarf: &mut DwarfUnit,
    types: &mut Types,
    files: &FxHashMap<&str, FileId>,
    parent: UnitEntryId,
    place: &Place,
) {
    let ty = type_entry(dwarf, types, &place.variable.ty);
    let tag = if place.variable.is_parameter { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
    let entry = dwarf.unit.add(parent, tag);
    let mut location = Expression::new();
    location.op_fbreg(place.offset);
    if place.variable.is_address {
        location.op_deref();
    }
    let declared = &place.declared[0];
    let variable = dwarf.unit.get_mut(entry);
    variable.set(dw::DW_AT_name, AttributeValue::String(place.name.clone().into()));
    variable.set(dw::DW_AT_decl_file, AttributeValue::FileIndex(files.get(&*declared.file).copied()));
    variable.set(dw::DW_AT_decl_line, AttributeValue::Udata(declared.line.into()));
    variable.set(dw::DW_AT_type, AttributeValue::UnitRef(ty));
    variable.set(dw::DW_AT_location, AttributeValue::Exprloc(location));
}

/// The entry of a type, which is written if it is new.
fn type_entry(dwarf: &mut DwarfUnit, types: &mut Types, ty: &Arc<VariableType>) -> UnitEntryId {
    if let Some(&entry) = types.get(ty) {
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
    types.insert(Arc::clone(ty), entry);
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
