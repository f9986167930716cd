//! Dead store elimination within blocks: a store goes if each of its bytes is stored again behind it, and nothing in
//! between may read them. Addresses are the same where their base and constant distance are. (Work-items that look on
//! without synchronisation have a data race.) Takes kernel form, where loads of what nothing can change read no buffer
//! that is stored to. Goes backwards through each block. Linear.

use crate::analysis::address::Address;
use crate::analysis::alias::{Alias, Class, is_pure_call};
use crate::ir::op::Flags;
use crate::ir::{Func, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most bases that are kept in mind.
const MOST_BASES: usize = 16;
/// Larger stores stay.
const MOST_BYTES: u32 = 128;

/// What is stored behind a place, by bases: their class, and bytes at distances from them.
type Stored = FxHashMap<Value, (Class, FxHashSet<i64>)>;

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let alias = Alias::new(func);
    let mut stored = Stored::default();
    for block in func.layout.clone() {
        stored.clear();
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept: Vec<_> =
            insts.into_iter().rev().filter(|&inst| !is_dead(func, &alias, &func.insts[inst], &mut stored)).collect();
        kept.reverse();
        func.blocks[block].insts = kept;
    }
}

/// True for a store that nothing sees; takes note of what an instruction stores or reads.
fn is_dead(func: &Func, alias: &Alias, data: &InstData, stored: &mut Stored) -> bool {
    let is_plain = !data.attr.flags.contains(Flags::VOLATILE);
    match data.op {
        Op::Store if is_plain => {
            let ty = func.ty(data.args[1]);
            let class = alias.class(func, data.args[0]);
            let (Some(class), true) = (class, ty.bytes() <= MOST_BYTES) else { return false };
            let (base, bytes) = bytes(func, data.args[0], ty.bytes());
            if let Some((_, behind)) = stored.get_mut(&base) {
                let n = behind.len();
                behind.extend(bytes);
                return behind.len() == n;
            }
            if stored.len() == MOST_BASES {
                stored.clear();
            }
            stored.insert(base, (class, bytes.collect()));
            false
        }
        Op::Load if is_plain => {
            let size = data.result.map_or(0, |v| func.ty(v).bytes());
            if let Some(class) = alias.load_class(func, data) {
                let (base, bytes) = bytes(func, data.args[0], size);
                let meets = alias.overlaps(class);
                stored.retain(|&other, (class, _)| other == base || meets >> class.index() & 1 == 0);
                if let Some((_, behind)) = stored.get_mut(&base) {
                    bytes.for_each(|byte| _ = behind.remove(&byte));
                }
            }
            false
        }
        op if op.is_pure() || is_pure_call(data) => false,
        _ => {
            stored.clear();
            false
        }
    }
}

/// The bytes of an access, as a base and distances from it.
fn bytes(func: &Func, ptr: Value, size: u32) -> (Value, impl Iterator<Item = i64>) {
    let (base, disp) = Address::offset(func, ptr);
    (base, (0..i64::from(size)).map(move |n| disp.wrapping_add(n)))
}
