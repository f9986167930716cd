//! Integers put together of bytes, by shifts and masks or as vectors of bytes, become one load, or one reversal of
//! bytes; integers put together of two runs of another's bits, as is done where there are no 64-bit shifts, become one
//! rotation (load combining; GCC's bswap pass, LLVM's `collectBitParts`, here `analysis::fields`).
//!
//! ```text
//! load p << 24 | load p + 1 << 16 | load p + 2 << 8 | load p + 3     →   bswap (load i32 p)
//! rotl (x & 0xff00ff, 24) | rotl (x & 0xff00ff00, 8)                 →   bswap x
//! v = bitcast i32x2 x ; bitcast i64 (v << 8 | v.yx >> 24)            →   rotl (x, 8)
//! ```
//! Loads of one block with nothing between that writes, of which nobody else wants anything; the address may be any.
//! Kernel form, behind what makes addresses and constants known. Linear: what a run of bits is follows from operands'.

use super::forward::Forward;
use crate::analysis::address::Address;
use crate::analysis::alias::is_pure_call;
use crate::analysis::fields::{Byte, Bytes, Fields, Sources, Unit};
use crate::ir::entity::Entity;
use crate::ir::op::{Effects, Flags};
use crate::ir::{Attr, Block, Builder, Func, Inst, InstData, Op, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Deepest look into bitwise operations.
const DEPTH: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let (in_bits, in_bytes) = (Sources::new(func, Unit::Bits), Sources::new(func, Unit::Bytes));
    let uses = func.use_counts();
    let mut forward = Forward::new(func);
    for block in func.layout.clone() {
        let loads = loads(func, block);
        let mut covered: FxHashSet<Value> = FxHashSet::default();
        let mut found: Vec<(usize, Value, Whole)> = Vec::new();
        for (at, &inst) in func.blocks[block].insts.iter().enumerate().rev() {
            let Some(v) = func.insts[inst].result.filter(|v| !covered.contains(v)) else { continue };
            if !puts_together(&func.insts[inst]) {
                continue;
            }
            let bytes = |fields: &Fields| Whole::of(func, &fields.bytes(), &loads, &uses);
            let is_number = !func.ty(v).is_vector();
            let (place, whole, known) = match in_bits.moved(v).and_then(|fields| Whole::rotated(func, inst, fields)) {
                Some(whole) => (at, whole, &in_bits),
                None => match in_bytes.moved(v).filter(|_| is_number).and_then(bytes) {
                    Some((last, whole)) => (last.unwrap_or(at), whole, &in_bytes),
                    None => continue,
                },
            };
            cover(func, known, v, &mut covered);
            found.push((place, v, whole));
        }
        if !found.is_empty() {
            rewrite(func, block, found, &mut forward);
        }
    }
    forward.apply(func);
}

/// True for what may put integers together whose bits are all there.
fn puts_together(data: &InstData) -> bool {
    matches!(data.op, Op::Or | Op::Xor | Op::Add | Op::Rotl | Op::Bitcast | Op::Build | Op::Shuffle)
}

/// A load of a block: its number there, how many instructions that may write are in front of it, and where it loads.
struct Load {
    at: usize,
    writes: usize,
    root: Value,
    disp: i64,
    inst: Inst,
}

fn loads(func: &Func, block: Block) -> FxHashMap<Value, Load> {
    let mut writes = 0;
    let mut loads = FxHashMap::default();
    for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
        let data = &func.insts[inst];
        match data.result {
            Some(v) if data.op == Op::Load => {
                if !data.attr.flags.contains(Flags::VOLATILE) {
                    let (root, disp) = Address::offset(func, data.args[0]);
                    loads.insert(v, Load { at, writes, root, disp, inst });
                }
            }
            _ => {
                let effects = data.op.row().effects;
                let may_write = effects.intersects(Effects::WRITES | Effects::ORDERED | Effects::CONVERGENT);
                writes += usize::from(may_write && !is_pure_call(data));
            }
        }
    }
    loads
}

/// What takes the place of an integer.
struct Whole {
    from: From,
    /// Bytes; those above are zero.
    size: u32,
    is_reversed: bool,
    /// By so many bits to the left.
    rotated: u32,
}

enum From {
    Value(Value),
    /// One load from the pointer of this, which is the lowest.
    Memory(Inst, Attr),
}

impl Whole {
    /// Of a rotation of another integer of this size, if an instruction is more than that.
    fn rotated(func: &Func, inst: Inst, fields: &Fields) -> Option<Self> {
        let data = &func.insts[inst];
        let ty = func.ty(data.result?);
        let (v, by) = fields.rotated().filter(|(v, _)| func.ty(*v).bytes() == ty.bytes())?;
        // What only moves the parts of a vector is free where they are in registers of their own.
        let moves_parts = |v: Value| func.ty(v).is_vector() && by % func.ty(v).elem.bits() == 0;
        // Vectors that are never one number stay: joining and parting them takes as long as shifting the parts.
        let is_found = |ty: Type| !ty.is_vector() || is_one_number(func, v, DEPTH);
        let is_more = match data.op {
            Op::Rotl => ty.is_vector() && by % ty.elem.bits() != 0,
            // As parts of another size they are no parts.
            Op::Bitcast => {
                let from = func.ty(data.args[0]);
                !moves_parts(data.result?) && (moves_parts(data.args[0]) || !is_found(from))
            }
            _ => !moves_parts(data.result?),
        };
        let is_more = is_more && is_found(ty);
        is_more.then_some(Self { from: From::Value(v), size: ty.bytes(), is_reversed: false, rotated: by })
    }

    /// Of an integer with these bytes, and the number in the block of the last load that it is made of.
    fn of(func: &Func, bytes: &Bytes, loads: &FxHashMap<Value, Load>, uses: &[u32]) -> Option<(Option<usize>, Self)> {
        let n = bytes.iter().rposition(|&byte| byte != Byte::Zero)? + 1;
        let mut places: SmallVec<[(Value, u32); 8]> = SmallVec::new();
        for byte in &bytes[..n] {
            match *byte {
                Byte::Of(v, at) => places.push((v, at)),
                Byte::Zero => return None,
            }
        }
        if !matches!(n, 2 | 4 | 8) {
            return None;
        }
        let size = n as u32;
        let first = places[0].0;
        if places.iter().all(|place| place.0 == first) {
            let is_reversed = (0..size).zip(&places).all(|(i, place)| place.1 == size - 1 - i);
            // A rotation does no less than a reversal of two bytes.
            let whole = Self { from: From::Value(first), size, is_reversed, rotated: 0 };
            return (is_reversed && size > 2).then_some((None, whole));
        }
        let all: Option<SmallVec<[(&Load, i64); 8]>> = places
            .iter()
            .map(|&(v, at)| {
                let load = loads.get(&v).filter(|_| uses[v.index()] == 1)?;
                Some((load, load.disp.wrapping_add(at.into())))
            })
            .collect();
        let all = all?;
        let (one, start) = all[0];
        let is_near = |load: &Load| load.root == one.root && load.writes == one.writes;
        let rises = |by: i64| (0..).zip(&all).all(|(i, (_, at))| *at == start.wrapping_add(by * i));
        let is_reversed = rises(-1);
        if !all.iter().all(|(load, _)| is_near(load)) || !is_reversed && !rises(1) {
            return None;
        }
        let (lowest, at) = if is_reversed { all[n - 1] } else { all[0] };
        if at != lowest.disp {
            return None;
        }
        let flags = all.iter().fold(func.insts[lowest.inst].attr.flags, |f, (l, _)| f & func.insts[l.inst].attr.flags);
        let attr = Attr { align: 1, flags, ..func.insts[lowest.inst].attr };
        let last = all.iter().map(|(load, _)| load.at).max();
        Some((last, Self { from: From::Memory(lowest.inst, attr), size, is_reversed, rotated: 0 }))
    }

    fn emit(self, b: &mut Builder<'_>, ty: Type) -> Value {
        let part = Type::int(self.size);
        let mut v = match self.from {
            From::Memory(inst, attr) => {
                let ptr = b.func.insts[inst].args[0];
                b.load(part, ptr, attr)
            }
            From::Value(v) if b.func.ty(v).bytes() > self.size => {
                let whole = Type::int(b.func.ty(v).bytes());
                let v = b.bitcast(whole, v);
                b.convert(Op::Trunci, part, v)
            }
            From::Value(v) => b.bitcast(part, v),
        };
        if self.is_reversed {
            v = b.op(Op::Bswap, &[v]);
        }
        if self.rotated > 0 {
            v = b.op_bits(Op::Rotl, v, self.rotated.into());
        }
        if ty.bytes() == self.size { b.bitcast(ty, v) } else { b.convert(Op::Zext, ty, v) }
    }
}

/// True for integers, and for vectors whose bits are of one: for other vectors if any of what a bitwise operation joins
/// is that.
fn is_one_number(func: &Func, v: Value, depth: u32) -> bool {
    let one = |v: Value| !func.ty(v).is_vector();
    one(v)
        || func.def_inst(v).is_some_and(|data| match data.op {
            Op::Bitcast => one(data.args[0]),
            Op::And | Op::Or | Op::Xor if depth > 0 => data.args.iter().any(|&v| is_one_number(func, v, depth - 1)),
            _ => false,
        })
}

/// Notes what an integer is put together of: none of it is put together by itself.
fn cover(func: &Func, known: &Sources, v: Value, covered: &mut FxHashSet<Value>) {
    let mut todo = vec![v];
    while let Some(v) = todo.pop() {
        if covered.insert(v) {
            let args = func.def_inst(v).into_iter().flat_map(|data| &data.args);
            todo.extend(args.filter(|&arg| known.moved(*arg).is_some()));
        }
    }
}

/// Inserts what takes the place of values behind the instructions of these numbers.
fn rewrite(func: &mut Func, block: Block, mut found: Vec<(usize, Value, Whole)>, forward: &mut Forward) {
    found.sort_by_key(|f| f.0);
    let mut found = found.into_iter().peekable();
    for (at, inst) in std::mem::take(&mut func.blocks[block].insts).into_iter().enumerate() {
        func.blocks[block].insts.push(inst);
        while let Some((_, old, whole)) = found.next_if(|f| f.0 == at) {
            let origin = func.def_inst(old).map(|data| data.origin);
            let mut b = Builder::new(func, block);
            b.origin = origin.unwrap_or(b.origin);
            let ty = b.func.ty(old);
            let new = whole.emit(&mut b, ty);
            forward.set(old, new);
        }
    }
}
