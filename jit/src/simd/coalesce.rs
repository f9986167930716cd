//! Gather and scatter coalescing: accesses whose lanes differ in the displacement only, by a few bytes, become one
//! access of larger elements, of up to 64 bits. That is every vector of the program's whose places are not regular,
//! the members of a record, and the channels of a pixel. `interleave` has taken regular places at small distances
//! before.
//!
//! ```text
//! a = gather i8 p, i, m + 0            ab = gather i16 p, i, m + 0
//! b = gather i8 p, i, m + 1       →    a = trunc ab ; b = trunc (ab >> 8)
//! ```
//! Records of 16 bytes, such as points of four floats, are not gathered, as that takes a load for each half of each
//! lane in the machine: if all lanes load, each loads its own, and the vectors are turned to have an element of all
//! records each.
//!
//! ```text
//! x = gather f32 p, i + 0 ; .. ; w = gather f32 p, i + 12
//!   →   r(0) .. r(15) = load f32x4 p + i(lane)
//!       x, y, z, w = columns of r
//! ```
//! Gathers may leave bytes out that lie between those that are asked for; of three quarters of an element the last is
//! not accessed. Takes SSA form in lanes.

use super::Config;
use super::access::{Group, LaneAddress, groups, replace};
use super::transpose_rows::turned;
use crate::analysis::alias::Alias;
use crate::analysis::range::upper_bound;
use crate::ir::op::Flags;
use crate::ir::{Attr, Builder, Func, Imm, Inst, Op, Scalar, Type, Value};
use crate::pass::forward::Forward;
use smallvec::SmallVec;

/// Accesses are grouped within so many bytes.
const REACH: i64 = 64;
/// Bytes of the largest element.
const MOST: i64 = 8;
/// Bytes of a record that each lane loads by itself.
const RECORD: i64 = 16;

/// Rewrites what can be; true if there was anything.
pub(crate) fn run(func: &mut Func, config: Config) -> bool {
    let accesses = |func: &Func, i: Inst| matches!(func.insts[i].op, Op::Gather | Op::Scatter);
    if func.live_insts().filter(|&(_, i)| accesses(func, i)).nth(1).is_none() {
        return false;
    }
    // One by one, elements are loaded as they are.
    let gaps = config.always || config.target.gather;
    let alias = Alias::new(func);
    let mut forward = Forward::new(func);
    let mut any = false;
    for block in func.layout.clone() {
        let found = groups(func, &alias, block, &|_| Some(REACH));
        let words: Vec<Group> = found.iter().flat_map(|group| split(func, group, gaps)).collect();
        any |= !words.is_empty();
        replace(func, block, &words, |b, word| match word.loads {
            true if is_record(word) => load_records(b, &mut forward, word),
            true => load(b, &mut forward, word),
            false => store(b, word),
        });
    }
    forward.apply(func);
    any
}

/// The parts of a group that become one access each; `gaps`: loads may leave elements out.
fn split(func: &Func, group: &Group, gaps: bool) -> Vec<Group> {
    let size = i64::from(group.size);
    let aligned = |inst: Inst| size == 1 || func.insts[inst].attr.align != 1;
    let gaps = gaps && group.loads && size <= 2 && group.members.iter().all(|member| aligned(member.inst));
    let mut places: Vec<i64> = group.members.iter().map(|member| member.at).collect();
    places.sort_unstable();
    places.dedup();
    let all = func.const_bits(group.mask).is_some_and(|bits| bits & 1 == 1);
    let records = group.loads && all && matches!(size, 4 | 8) && i64::from(group.lanes) * size >= RECORD;
    let mut parts = Vec::new();
    let mut rest = &places[..];
    while let Some(&low) = rest.first() {
        let has = |n: i64| rest.contains(&(low + n * size));
        let is_whole = |n: i64| n * size <= MOST && (1..n).all(has);
        let record = RECORD / size;
        if records && (1..record).all(has) {
            let end = low + RECORD;
            let members = group.members.iter().copied().filter(|member| (low..end).contains(&member.at)).collect();
            parts.push(group.part(members));
            rest = &rest[rest.partition_point(|&at| at < end)..];
            continue;
        }
        let n = match [8, 4].into_iter().find(|&n| is_whole(n)) {
            Some(n) => n,
            None if gaps => (1..4).rev().find(|&n| has(n)).map_or(1, |last| last + 1),
            None if is_whole(2) => 2,
            None => 1,
        };
        let is_in = |at: i64| at >= low && at < low + n * size;
        if n > 1 {
            let members = group.members.iter().copied().filter(|member| is_in(member.at)).collect();
            parts.push(group.part(members));
        }
        rest = &rest[rest.partition_point(|&at| is_in(at))..];
    }
    parts
}

/// The type of the elements that hold all members of a group, the displacement of the first, and what else the access
/// says.
fn word(b: &Builder, group: &Group) -> (Type, Imm, Attr) {
    let (low, high) = group.ends();
    let span = (high - low) as u32 + group.size;
    let bytes = span.next_power_of_two();
    let attr = b.func.insts[group.members[0].inst].attr;
    let attr = if 4 * span == 3 * bytes {
        Attr { align: group.size as u8, flags: attr.flags | Flags::THREE, ..attr }
    } else {
        Attr { align: 1, ..attr }
    };
    let imm = Imm::Scale { scale: group.address.scale, disp: group.address.disp + low };
    (Type::int(bytes).with_lanes(group.lanes), imm, attr)
}

/// True for what lanes load by themselves.
fn is_record(group: &Group) -> bool {
    let (low, high) = group.ends();
    high - low + i64::from(group.size) == RECORD
}

/// Loads the members of a group as records, one for each lane.
fn load_records(b: &mut Builder, forward: &mut Forward, group: &Group) {
    let low = group.ends().0;
    let LaneAddress { root, index, scale, disp } = group.address;
    let elements = (RECORD / i64::from(group.size)) as u8;
    let record = Type::int(group.size).with_lanes(elements);
    let attr = Attr { align: 1, ..b.func.insts[group.members[0].inst].attr };
    let ty = b.func.ty(index).lane();
    let row = |b: &mut Builder<'_>, lane: u8| {
        let mut place = b.emit(Op::Extract, ty, &[index], Imm::Lane(lane));
        if ty != Type::I64 {
            place = b.convert(Op::Sext, Type::I64, place);
        }
        let at = b.ptr_add(root, place, scale, disp + low);
        b.load(record, at, attr)
    };
    let columns = turned(b, group.lanes, elements, row);
    for member in &group.members {
        let old = b.func.insts[member.inst].result.expect("a gather has a result");
        let v = b.bitcast(b.func.ty(old), columns[((member.at - low) / i64::from(group.size)) as usize]);
        forward.set(old, v);
    }
}

/// Loads the members of a group as one.
fn load(b: &mut Builder, forward: &mut Forward, group: &Group) {
    let (ty, imm, attr) = word(b, group);
    let zero = b.bits(ty, 0);
    let args = [group.address.root, group.address.index, group.mask, zero];
    let whole = b.typed(Op::Gather, ty, &args, imm, attr);
    let parts: SmallVec<[Value; 2]> = match ty.elem {
        Scalar::I64 => halves(b, whole).into_iter().collect(),
        _ => [whole].into_iter().collect(),
    };
    let low = group.ends().0;
    let narrow = Type::int(group.size).with_lanes(group.lanes);
    for member in &group.members {
        let at = (member.at - low) as usize;
        let mut v = parts[at / 4];
        let ty = b.func.ty(v);
        if !at.is_multiple_of(4) {
            v = b.op_bits(Op::Lshr, v, 8 * (at as u64 % 4));
        }
        if ty != narrow {
            v = b.convert(Op::Trunci, narrow, v);
        }
        let old = b.func.insts[member.inst].result.expect("a gather has a result");
        let ty = b.func.ty(old);
        let v = b.bitcast(ty, v);
        forward.set(old, v);
    }
}

/// Stores the members of a group, which leave no gaps, as one.
fn store(b: &mut Builder, group: &Group) {
    let (_, imm, attr) = word(b, group);
    let ty = Type::int(group.size).with_lanes(group.lanes);
    let mut members = group.members.clone();
    members.sort_unstable_by_key(|member| member.at);
    let values = members.iter().map(|member| b.func.insts[member.inst].args[2]).collect::<SmallVec<[Value; 8]>>();
    let mut parts: SmallVec<[Value; 8]> = values.into_iter().map(|v| b.bitcast(ty, v)).collect();
    while parts.len() > 1 {
        parts = parts.chunks(2).map(|pair| join(b, pair[0], pair[1])).collect();
    }
    let args = [group.address.root, group.address.index, parts[0], group.mask];
    b.push(Op::Scatter, None, &args, imm, attr);
}

/// Integers of twice the size.
pub(super) fn join(b: &mut Builder, low: Value, high: Value) -> Value {
    let ty = b.func.ty(low);
    let (wide, n) = (Type::int(2 * ty.elem.bytes()).with_lanes(ty.lanes), ty.lanes);
    if wide.elem == Scalar::I64 {
        let picks = Imm::Lanes((0..2 * n).map(|i| i / 2 + (i % 2) * n).collect());
        let woven = b.emit(Op::Shuffle, ty.with_lanes(2 * n), &[low, high], picks);
        return b.convert(Op::Bitcast, wide, woven);
    }
    let [low, high] = [low, high].map(|v| b.convert(Op::Zext, wide, v));
    let high = b.op_bits(Op::Shl, high, ty.elem.bits().into());
    b.op(Op::Or, &[low, high])
}

/// The lower and the upper halves of 64-bit lanes.
pub(super) fn halves(b: &mut Builder, v: Value) -> [Value; 2] {
    let n = b.func.ty(v).lanes;
    let words = b.convert(Op::Bitcast, Type::I32.with_lanes(2 * n), v);
    let pick = |from: u8| Imm::Lanes((0..n).map(|lane| 2 * lane + from).collect());
    [0, 1].map(|from| b.emit(Op::Shuffle, Type::I32.with_lanes(n), &[words, words], pick(from)))
}

/// Elements that are taken out of larger ones and extended to that size again stay where they are; `pass::simplify`
/// does the same, but would take shuffles apart by now.
///
/// ```text
/// b = trunc i8 w ; e = zext i32 b ; f = uitofp f32 b   →   e = and w, 255 ; f = sitofp f32 e
/// ```
pub(crate) fn keep_extended(func: &mut Func) -> bool {
    let mut forward = Forward::new(func);
    let mut any = false;
    for block in func.layout.clone() {
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            let origin = func.insts[inst].origin;
            any |= extended(&mut Builder::new(func, block).with_origin(origin), &mut forward, inst).is_some();
            func.blocks[block].insts.push(inst);
        }
    }
    forward.apply(func);
    any
}

fn extended(b: &mut Builder, forward: &mut Forward, inst: Inst) -> Option<()> {
    let data = &b.func.insts[inst];
    let (Op::Zext | Op::Uitofp, result) = (data.op, data.result?) else { return None };
    let (op, narrow) = (data.op, data.args[0]);
    let word = b.func.def_inst(narrow).filter(|data| data.op == Op::Trunci)?.args[0];
    let [to, ty, from] = [result, word, narrow].map(|v| b.func.ty(v));
    if !ty.is_vector() || to.elem.bits() != ty.elem.bits() || to.elem == Scalar::F16 {
        return None;
    }
    let ones = (1 << from.elem.bits()) - 1;
    let kept = if upper_bound(b.func, word) <= ones { word } else { b.op_bits(Op::And, word, ones) };
    match op {
        Op::Zext => forward.set(result, kept),
        _ => (b.func.insts[inst].op, b.func.insts[inst].args) = (Op::Sitofp, [kept].into_iter().collect()),
    }
    Some(())
}
