//! Variables of the source for debuggers, from what debug information says of those of a module and of its functions:
//! names, types, and the code that they are seen from. It is gathered in front of the translation, for modules that are
//! built with `-g -cl-opt-disable` only. What is wrong is left out. Spec: OpenCL.DebugInfo.100 and
//! NonSemantic.Shader.DebugInfo.100, "Type Information", "Local Variables", "Global Variables".

use super::lines::{DebugInst, Lines};
use super::words::{Id, Words};
use crate::ir::origin::Origins;
use crate::ir::variable::{Encoding, ProgramVariable, Variable, VariableType};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{NonsemanticShaderDebuginfo100Op as Debug, Op};
use std::sync::Arc;

/// Levels of types in each other, of records behind pointers, and of blocks, that are looked at.
const DEPTH: u32 = 64;
const RECORDS: u32 = 3;
const BLOCKS: usize = 64;

/// Operations of a `DebugExpression`.
const SWAP: u32 = 5;
const XDEREF: u32 = 6;
const CONSTU: u32 = 8;

/// A variable of a function: its name, and what debuggers know of it.
pub(super) type Described = (String, Box<Variable>);

/// The variables that debug information describes, by their ids.
#[derive(Default)]
pub(super) struct Variables {
    /// Those of functions.
    pub private: FxHashMap<Id, Described>,
    /// Those of the module.
    pub module: FxHashMap<Id, Box<ProgramVariable>>,
    /// Functions that have the work-item's ids as variables: kernels, or what they call if the source knows nothing of
    /// them, since compilers wrap kernels that are called by others.
    pub with_ids: FxHashSet<Id>,
}

impl Variables {
    /// Gathers them.
    pub fn of(words: &Words, kernels: &[(Id, String)]) -> Self {
        let lines = Lines::of(words);
        let kernels: FxHashSet<Id> = kernels.iter().map(|&(id, _)| id).collect();
        let mut reader = Reader { lines: &lines, known: FxHashMap::default() };
        let (blocks, mut all) = (reader.blocks(), Self::default());
        let (mut function, mut places) = (0, FxHashMap::default());
        for inst in words.insts() {
            let declared = Span { lo: inst.at as u32, hi: inst.end() as u32 };
            match (inst.op(), inst.words) {
                (Some(Op::Function), &[_, id, ..]) => {
                    function = id;
                    if kernels.contains(&id) && lines.describes(id) {
                        all.with_ids.insert(id);
                    }
                }
                (Some(Op::FunctionCall), &[_, _, callee, ..])
                    if kernels.contains(&function) && !lines.describes(function) =>
                {
                    all.with_ids.insert(callee);
                }
                (Some(Op::Variable | Op::UntypedVariableKHR), &[_, id, ..]) => {
                    places.insert(id, declared);
                }
                _ => {}
            }
            let Some(debug) = lines.debug(&inst) else { continue };
            match (debug.what, debug.operands) {
                (Debug::DebugDeclare, &[local, id, expression, ..]) if reader.is_all(expression) => {
                    if let Some(found) = reader.private(local, declared, &blocks) {
                        all.private.entry(id).or_insert(found);
                    }
                }
                (Debug::DebugGlobalVariable, &[name, ty, _, _, _, _, _, id, ..]) => {
                    if let (Some(name), Some(ty)) = (lines.text(name), reader.ty(ty, DEPTH, RECORDS)) {
                        let found = ProgramVariable { name, ty, declared, origins: Origins::default() };
                        all.module.entry(id).or_insert(Box::new(found));
                    }
                }
                _ => {}
            }
        }
        for (id, variable) in &mut all.module {
            variable.declared = places.get(id).copied().unwrap_or(variable.declared);
        }
        all
    }
}

struct Reader<'l, 'w> {
    lines: &'l Lines<&'w Words>,
    /// Types, with the levels of records behind pointers; nothing for those that are wrong, too deep or being read.
    known: FxHashMap<(Id, u32), Option<Arc<VariableType>>>,
}

impl Reader<'_, '_> {
    /// Whether a variable is all of what is declared: its address is used as it is, but for its address space.
    fn is_all(&self, expression: Id) -> bool {
        let Some(DebugInst { what: Debug::DebugExpression, operands, .. }) = self.lines.debug_of(expression) else {
            return false;
        };
        let operation = |&id: &Id| {
            let DebugInst { what: Debug::DebugOperation, operands: &[op, ..], by_id } = self.lines.debug_of(id)? else {
                return None;
            };
            self.lines.number(op, by_id)
        };
        let operations: Vec<_> = operands.iter().take(4).map(operation).collect();
        operations.is_empty() || operations == [CONSTU, SWAP, XDEREF].map(Some)
    }

    /// The code of each block of the source, inner ones included.
    fn blocks(&self) -> FxHashMap<Id, Arc<[Span]>> {
        let mut blocks: FxHashMap<Id, Vec<Span>> = FxHashMap::default();
        for (scope, code) in self.lines.scopes() {
            let mut at = scope;
            for _ in 0..BLOCKS {
                let Some(DebugInst { what, operands, .. }) = self.lines.debug_of(at) else { break };
                let parent = match (what, operands) {
                    (Debug::DebugLexicalBlock, &[_, _, _, parent, ..]) => parent,
                    (Debug::DebugLexicalBlockDiscriminator, &[_, _, parent, ..]) => parent,
                    _ => break,
                };
                blocks.entry(at).or_default().push(code);
                at = parent;
            }
        }
        blocks.into_iter().map(|(block, code)| (block, code.into())).collect()
    }

    fn private(&mut self, local: Id, declared: Span, blocks: &FxHashMap<Id, Arc<[Span]>>) -> Option<Described> {
        let DebugInst { what: Debug::DebugLocalVariable, operands, .. } = self.lines.debug_of(local)? else {
            return None;
        };
        let &[name, ty, _, _, _, parent, _, ref number @ ..] = operands else { return None };
        let variable = Variable {
            scope: blocks.get(&parent).cloned(),
            is_parameter: !number.is_empty(),
            ..Variable::new(self.ty(ty, DEPTH, RECORDS)?, declared.into())
        };
        Some((self.lines.text(name)?, Box::new(variable)))
    }

    /// A type; nothing if it is wrong, or too deep.
    fn ty(&mut self, id: Id, depth: u32, records: u32) -> Option<Arc<VariableType>> {
        if let Some(known) = self.known.get(&(id, records)) {
            return known.clone();
        }
        self.known.insert((id, records), None);
        let new = self.new_ty(id, depth.checked_sub(1)?, records);
        self.known.insert((id, records), new.clone());
        new
    }

    fn new_ty(&mut self, id: Id, depth: u32, records: u32) -> Option<Arc<VariableType>> {
        let lines = self.lines;
        let debug = lines.debug_of(id)?;
        let mut inner = |id| self.ty(id, depth, records);
        let number = |id| lines.number(id, true).map(u64::from);
        // In the older set some numbers are themselves.
        let direct = |word| lines.number(word, debug.by_id);
        Some(Arc::new(match (debug.what, debug.operands) {
            (Debug::DebugTypeBasic, &[name, bits, encoding, ..]) => VariableType::Base {
                name: lines.text(name)?,
                encoding: encoding_of(direct(encoding)?)?,
                size: u8::try_from(number(bits)?.div_ceil(8)).ok()?,
            },
            (Debug::DebugTypePointer, &[base, ..]) => {
                VariableType::Pointer(records.checked_sub(1).and_then(|records| self.ty(base, depth, records)))
            }
            (Debug::DebugTypeQualifier, &[base, ..]) => return inner(base),
            (Debug::DebugTypedef, &[name, base, ..]) => return Some(named(inner(base)?, lines.text(name)?)),
            (Debug::DebugTypeArray, &[elem, ref counts @ ..]) => {
                // What follows them are lower bounds, which are nothing.
                let counts: Vec<u64> = counts.iter().map_while(|&count| number(count)).collect();
                if counts.len() > depth as usize {
                    return None;
                }
                let array = |elem, len| Arc::new(VariableType::Array { elem, len });
                return Some(counts.into_iter().rev().fold(inner(elem)?, array));
            }
            (Debug::DebugTypeVector, &[elem, lanes, ..]) => vector(inner(elem)?, u8::try_from(direct(lanes)?).ok()?)?,
            (Debug::DebugTypeEnum, &[_, base, ..]) => return inner(base),
            (Debug::DebugTypeComposite, &[name, tag, _, _, _, _, _, bits, _, ref members @ ..]) => {
                VariableType::Record {
                    name: lines.text(name).unwrap_or_default(),
                    is_union: direct(tag)? == 2,
                    size: number(bits)? / 8,
                    fields: members.iter().filter_map(|&member| self.field(member, depth, records)).collect(),
                }
            }
            _ => return None,
        }))
    }

    /// Name, offset and type of a member; nothing for bit-fields.
    fn field(&mut self, member: Id, depth: u32, records: u32) -> Option<(String, u64, Arc<VariableType>)> {
        let DebugInst { what: Debug::DebugTypeMember, operands, by_id } = self.lines.debug_of(member)? else {
            return None;
        };
        // The older set names the record, too.
        let &[offset, bits, ..] = operands.get(if by_id { 5.. } else { 6.. })? else { return None };
        let [offset, bits] = [offset, bits].map(|number| self.lines.number(number, true).map(u64::from));
        let (offset, bits) = (offset?, bits?);
        let ty = self.ty(operands[1], depth, records)?;
        let is_part = matches!(*ty, VariableType::Base { size, .. } if u64::from(size) * 8 != bits);
        (offset % 8 == 0 && !is_part).then_some((self.lines.text(operands[0])?, offset / 8, ty))
    }
}

/// What a typedef makes of a type: scalars and vectors get its name.
fn named(ty: Arc<VariableType>, new: String) -> Arc<VariableType> {
    match &*ty {
        VariableType::Base { encoding, size, .. } => {
            Arc::new(VariableType::Base { name: new, encoding: *encoding, size: *size })
        }
        VariableType::Vector { elem, lanes, size, .. } => {
            Arc::new(VariableType::Vector { name: new, elem: elem.clone(), lanes: *lanes, size: *size })
        }
        _ => ty,
    }
}

/// Elements side by side; those of three take the room of four.
fn vector(elem: Arc<VariableType>, lanes: u8) -> Option<VariableType> {
    let VariableType::Base { name, size, .. } = &*elem else { return None };
    let (name, size) = (format!("{name}{lanes}"), u64::from(*size) * u64::from(lanes).next_power_of_two());
    Some(VariableType::Vector { name, elem, lanes, size })
}

/// How the bits of a basic type are read.
fn encoding_of(number: u32) -> Option<Encoding> {
    Some(match number {
        1 | 6 => Encoding::Unsigned,
        2 => Encoding::Boolean,
        3 => Encoding::Float,
        4 => Encoding::Signed,
        5 => Encoding::SignedChar,
        7 => Encoding::UnsignedChar,
        _ => return None,
    })
}
