//! Stores of one integer's parts beside each other become one store (store merging, as GCC has it), of the integer or
//! of its bytes reversed.
//!
//! ```text
//! store p, trunc (x >> 24) ; store p + 1, trunc (x >> 16) ; store p + 2, trunc (x >> 8) ; store p + 3, trunc x
//!   →   store p, bswap x
//! ```
//! Stores of one block, between which nothing is accessed that may lie there. Kernel form, behind what makes addresses
//! and constants known. Linear: few stores are looked at together.

use crate::analysis::address::Address;
use crate::analysis::alias::{Alias, is_pure_call};
use crate::analysis::bytes::{Byte, Bytes, Sources};
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
    value: Value,
    /// The first byte of the value, and how many there are.
    from: u32,
    size: u32,
    is_reversed: bool,
    attr: Attr,
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let known = Sources::new(func);
    let alias = Alias::new(func);
    for block in func.layout.clone() {
        let merged =
            Walk { func, known: &known, alias: &alias, near: None, parts: Vec::new(), merged: FxHashMap::default() }
                .block(block);
        if !merged.is_empty() {
            rewrite(func, block, merged);
        }
    }
}

struct Walk<'f> {
    func: &'f Func,
    known: &'f Sources,
    alias: &'f Alias,
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
        let is_small = ty.is_int() && !ty.is_vector() && ty.bytes() < 8;
        let bytes = self.known.bytes(self.func, v).filter(|_| is_small)?;
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
            let found = [8, 4, 2].into_iter().find_map(|size| self.merged_of(rest, size));
            rest = &rest[found.as_ref().map_or(1, |m| m.parts.len())..];
            if let Some(merged) = found {
                let last = parts.iter().filter(|p| merged.parts.contains(&p.inst)).map(|p| p.at).max();
                self.merged.insert(last.expect("there are some"), merged);
            }
        }
    }

    /// The first of these parts as one store of so many bytes.
    fn merged_of(&self, parts: &[Part], size: u32) -> Option<Merged> {
        let mut bytes: Vec<Byte> = Vec::new();
        let mut n = 0;
        while bytes.len() < size as usize {
            let part = parts.get(n).filter(|part| part.start == parts[0].start + bytes.len() as i64)?;
            bytes.extend_from_slice(&part.bytes);
            n += 1;
        }
        let places: Option<Vec<(Value, u32)>> = bytes
            .iter()
            .map(|byte| match *byte {
                Byte::Of(v, at) => Some((v, at)),
                Byte::Zero => None,
            })
            .collect();
        let places = places.filter(|places| places.len() == size as usize && n > 1)?;
        let (value, first) = places[0];
        let rises = (first..).zip(&places).all(|(at, place)| *place == (value, at));
        let falls = || places.iter().zip(0..).all(|(place, i)| *place == (value, first.wrapping_sub(i)));
        let is_reversed = !rises;
        if self.func.const_bits(value).is_some() || is_reversed && !falls() {
            return None;
        }
        let lowest = parts[0].inst;
        let attr = self.func.insts[lowest].attr;
        let flags = parts[..n].iter().fold(attr.flags, |flags, p| flags & self.func.insts[p.inst].attr.flags);
        Some(Merged {
            parts: parts[..n].iter().map(|part| part.inst).collect(),
            lowest,
            value,
            from: if is_reversed { first + 1 - size } else { first },
            size,
            is_reversed,
            attr: Attr { flags, align: 1, ..attr },
        })
    }
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
        let whole = Type::int(b.func.ty(self.value).bytes());
        let part = Type::int(self.size);
        let mut v = b.bitcast(whole, self.value);
        if self.from > 0 {
            v = b.op_bits(Op::Lshr, v, 8 * u64::from(self.from));
        }
        if part != whole {
            v = b.convert(Op::Trunci, part, v);
        }
        if self.is_reversed {
            v = b.op(Op::Bswap, &[v]);
        }
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
