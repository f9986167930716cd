//! Stores of one integer's parts beside each other become one store (store merging, as GCC has it), of the integer or
//! of its bytes reversed.
//!
//! ```text
//! store p, trunc (x >> 24) ; store p + 1, trunc (x >> 16) ; store p + 2, trunc (x >> 8) ; store p + 3, trunc x
//!   →   store p, bswap x
//! ```
//! Stores of one block, between which nothing is accessed that may lie there. Kernel form, behind what makes addresses
//! and constants known. In scalar code constants beside each other are merged as well, up to a vector of them; lanes do
//! better with each of their own. Linear: few stores are looked at together.

use crate::analysis::address::Address;
use crate::analysis::alias::{Alias, is_pure_call};
use crate::analysis::fields::{Byte, Bytes, Sources, Unit};
use crate::ir::op::{Effects, Flags};
use crate::ir::{Attr, Block, Builder, Func, Inst, InstData, Op, Type, Value};
use rustc_hash::FxHashMap;

/// A store that may become a part of another.
struct Part {
    /// Number in the block.
    at: usize,
    inst: Inst,
    /// Bytes from where address arithmetic starts.
    start: i64,
    bytes: Bytes,
}

/// One store in place of several.
struct Merged {
    parts: Vec<Inst>,
    /// Whose pointer is that of the lowest byte.
    lowest: Inst,
    stored: Stored,
    /// Bytes.
    size: u32,
    attr: Attr,
}

/// What it stores.
enum Stored {
    /// Bytes of a value, from this one on.
    Bytes { value: Value, from: u32, is_reversed: bool },
    /// These eight bytes, or the first of them, or all of them twice.
    Constant(u64),
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    merge(func, false);
}

/// Merges stores of constants.
pub fn run_constants(func: &mut Func) {
    merge(func, true);
}

fn merge(func: &mut Func, constants: bool) {
    func.remove_unreachable();
    let known = Sources::new(func, Unit::Bytes);
    let alias = Alias::new(func);
    for block in func.layout.clone() {
        let (parts, merged) = (Vec::new(), FxHashMap::default());
        let merged = Walk { func, known: &known, alias: &alias, constants, near: None, parts, merged }.block(block);
        if !merged.is_empty() {
            rewrite(func, block, merged);
        }
    }
}

struct Walk<'f> {
    func: &'f Func,
    known: &'f Sources,
    alias: &'f Alias,
    /// Stores of constants are looked for, and no others.
    constants: bool,
    /// What the addresses of `parts` are offsets from.
    near: Option<Value>,
    parts: Vec<Part>,
    /// By the number in the block of the last part.
    merged: FxHashMap<usize, Merged>,
}

impl Walk<'_> {
    fn block(mut self, block: Block) -> FxHashMap<usize, Merged> {
        for (at, &inst) in self.func.blocks[block].insts.iter().enumerate() {
            let data = &self.func.insts[inst];
            if let Some((root, part)) = self.part(at, inst) {
                let is_free = |p: &Part| p.end() <= part.start || part.end() <= p.start;
                if self.near != Some(root) || self.parts.len() == MAX_PARTS || !self.parts.iter().all(is_free) {
                    self.merge();
                    self.near = Some(root);
                }
                self.parts.push(part);
            } else if !self.parts.is_empty() && self.may_touch(data) {
                self.merge();
            }
        }
        self.merge();
        self.merged
    }

    fn part(&self, at: usize, inst: Inst) -> Option<(Value, Part)> {
        let data = &self.func.insts[inst];
        let is_plain = data.op == Op::Store && !data.attr.flags.contains(Flags::VOLATILE);
        let v = *data.args.get(1).filter(|_| is_plain)?;
        let ty = self.func.ty(v);
        let bytes = if self.constants {
            let bits = self.func.const_bits(v).filter(|_| is_number(ty))?;
            (0..ty.bytes()).map(|i| if bits >> (8 * i) & 0xff == 0 { Byte::Zero } else { Byte::Of(v, i) }).collect()
        } else {
            let is_small = ty.is_int() && !ty.is_vector() && ty.bytes() < 8;
            self.known.bytes(self.func, v).filter(|_| is_small)?
        };
        let (root, start) = Address::offset(self.func, data.args[0]);
        Some((root, Part { at, inst, start, bytes }))
    }

    /// True if an instruction may access what the parts do.
    fn may_touch(&self, data: &InstData) -> bool {
        let effects = data.op.row().effects;
        if is_pure_call(data) || !effects.intersects(Effects::READS | Effects::WRITES | Effects::ORDERED) {
            return false;
        }
        if data.op != Op::Load {
            return true;
        }
        let ty = data.result.map(|v| self.func.ty(v));
        let (root, start) = Address::offset(self.func, data.args[0]);
        if self.near == Some(root) {
            let end = start.saturating_add(ty.map_or(0, |ty| i64::from(ty.bytes())));
            return self.parts.iter().any(|part| part.start < end && start < part.end());
        }
        let Some(class) = self.alias.load_class(self.func, data) else { return true };
        let written = self.parts.iter().map(|part| self.alias.writes(self.func, &self.func.insts[part.inst]));
        written.fold(0, |all, classes| all | classes) >> class.index() & 1 != 0
    }

    /// Merges what can be of the parts so far.
    fn merge(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by_key(|part| part.start);
        let mut rest = &parts[..];
        while let [_, ..] = rest {
            let found = match self.constants {
                true => [16, 8, 4, 2].into_iter().find_map(|size| self.constant_of(rest, size)),
                false => [8, 4, 2].into_iter().find_map(|size| self.merged_of(rest, size)),
            };
            rest = &rest[found.as_ref().map_or(1, |m| m.parts.len())..];
            if let Some(merged) = found {
                let last = parts.iter().filter(|p| merged.parts.contains(&p.inst)).map(|p| p.at).max();
                self.merged.insert(last.expect("there are some"), merged);
            }
        }
    }

    /// The first of these parts that make up so many bytes side by side: how many, if they are several, and the bytes.
    fn first_of(parts: &[Part], size: u32) -> Option<(usize, Vec<Byte>)> {
        let mut bytes: Vec<Byte> = Vec::new();
        let mut n = 0;
        while bytes.len() < size as usize {
            let part = parts.get(n).filter(|part| part.start == parts[0].start + bytes.len() as i64)?;
            bytes.extend_from_slice(&part.bytes);
            n += 1;
        }
        (bytes.len() == size as usize && n > 1).then_some((n, bytes))
    }

    /// The first of these parts as one store of so many bytes.
    fn merged_of(&self, parts: &[Part], size: u32) -> Option<Merged> {
        let (n, bytes) = Self::first_of(parts, size)?;
        let places: Option<Vec<(Value, u32)>> = bytes
            .iter()
            .map(|byte| match *byte {
                Byte::Of(v, at) => Some((v, at)),
                Byte::Zero => None,
            })
            .collect();
        let places = places?;
        let (value, first) = places[0];
        let rises = (first..).zip(&places).all(|(at, place)| *place == (value, at));
        let falls = || places.iter().zip(0..).all(|(place, i)| *place == (value, first.wrapping_sub(i)));
        let is_reversed = !rises;
        if self.func.const_bits(value).is_some() || is_reversed && !falls() {
            return None;
        }
        let from = if is_reversed { first + 1 - size } else { first };
        Some(self.merged(&parts[..n], size, Stored::Bytes { value, from, is_reversed }))
    }

    /// The same of constants.
    fn constant_of(&self, parts: &[Part], size: u32) -> Option<Merged> {
        let (n, bytes) = Self::first_of(parts, size)?;
        let number = |bytes: &[Byte]| {
            let byte = |byte: &Byte| match *byte {
                Byte::Of(v, at) => self.func.const_bits(v).map_or(0, |bits| bits >> (8 * at) & 0xff),
                Byte::Zero => 0,
            };
            bytes.iter().rev().fold(0, |number, b| number << 8 | byte(b))
        };
        let low = number(&bytes[..bytes.len().min(8)]);
        let is_one = bytes.len() <= 8 || low == number(&bytes[8..]);
        is_one.then(|| self.merged(&parts[..n], size, Stored::Constant(low)))
    }

    fn merged(&self, parts: &[Part], size: u32, stored: Stored) -> Merged {
        let lowest = parts[0].inst;
        let attr = self.func.insts[lowest].attr;
        let flags = parts.iter().fold(attr.flags, |flags, p| flags & self.func.insts[p.inst].attr.flags);
        let parts = parts.iter().map(|part| part.inst).collect();
        Merged { parts, lowest, stored, size, attr: Attr { flags, align: 1, ..attr } }
    }
}

/// True for what has up to eight bytes, and no parts.
fn is_number(ty: Type) -> bool {
    !ty.is_vector() && (ty.is_int() || ty.is_float()) && ty != Type::I1
}

/// Stores that are looked at together.
const MAX_PARTS: usize = 64;

impl Part {
    fn end(&self) -> i64 {
        self.start.saturating_add(self.bytes.len() as i64)
    }
}

impl Merged {
    fn emit(&self, b: &mut Builder<'_>) {
        let part = Type::int(self.size.min(8));
        let v = match self.stored {
            Stored::Constant(bits) if self.size > 8 => b.bits(part.with_lanes((self.size / 8) as u8), bits),
            Stored::Constant(bits) => b.bits(part, bits),
            Stored::Bytes { value, from, is_reversed } => {
                let whole = Type::int(b.func.ty(value).bytes());
                let mut v = b.bitcast(whole, value);
                if from > 0 {
                    v = b.op_bits(Op::Lshr, v, 8 * u64::from(from));
                }
                if part != whole {
                    v = b.convert(Op::Trunci, part, v);
                }
                if is_reversed { b.op(Op::Bswap, &[v]) } else { v }
            }
        };
        let ptr = b.func.insts[self.lowest].args[0];
        b.store(ptr, v, self.attr);
    }
}

/// Puts each store where the last of its parts was.
fn rewrite(func: &mut Func, block: Block, merged: FxHashMap<usize, Merged>) {
    let gone: rustc_hash::FxHashSet<Inst> = merged.values().flat_map(|m| m.parts.iter().copied()).collect();
    for (at, inst) in std::mem::take(&mut func.blocks[block].insts).into_iter().enumerate() {
        if let Some(merged) = merged.get(&at) {
            let origin = func.insts[inst].origin;
            let mut b = Builder::new(func, block).with_origin(origin);
            merged.emit(&mut b);
        }
        if !gone.contains(&inst) {
            func.blocks[block].insts.push(inst);
        }
    }
}
