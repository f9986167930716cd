//! Values that a whole launch or a whole group shares: kernel arguments, sizes, group ids; and the loops over groups
//! and work-items.

use super::assemble::GroupBuilder;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Imm, IntPred, Op, SlotId, Term, Type, Value};
use crate::launch::{AddrSpace, ArgInfo, ArgKind, Env, ID_ALIGN};
use std::mem::offset_of;

/// Launch-wide values, all made in the entry block.
pub(super) struct Launch {
    /// Kernel arguments.
    pub params: Vec<Value>,
    pub gsz: [Value; 3],
    pub goff: [Value; 3],
    pub elsz: [Value; 3],
    pub ngrp: [Value; 3],
    pub work_dim: Value,
    /// Local memory of this worker.
    pub local: Value,
    /// Scratch memory of this worker.
    pub scratch: Value,
    /// Work-items of a group, at most.
    pub items: Value,
}

/// Values of one group, made in the first block of the group loop's body.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub id: [Value; 3],
    /// Size of this group.
    pub lsz: [Value; 3],
    /// Global id of its first work-item.
    pub base: [Value; 3],
}

/// Variables of the group loop.
pub(super) struct GroupLoop {
    pub g: SlotId,
    ids: [SlotId; 3],
    head: Block,
    exit: Block,
    pub values: Group,
}

/// An open loop nest over the work-items of a group; code goes into its body until it is closed.
pub(super) struct ItemLoop {
    /// Where a work-item's code goes when it is done.
    pub latch: Block,
    pub lid: [Value; 3],
    pub gid: [Value; 3],
    /// The work-item's number in the order of the loops: its linear local id if x is the innermost dimension.
    pub index: Value,
    /// Loops from the outermost in.
    levels: Vec<Level>,
}

/// A loop of the nest.
struct Level {
    var: SlotId,
    body: Block,
    now: Value,
    end: Value,
}

/// Attributes of loads from the argument block and `Env`.
fn invariant() -> Attr {
    Attr { flags: Flags::INVARIANT, ..Attr::default() }
}

impl GroupBuilder<'_> {
    /// Reads arguments and sizes. The current block is the entry.
    pub(super) fn launch_values(&mut self, args: &[ArgInfo]) -> Launch {
        let [block, env] = [0, 1].map(|i| self.b.func.blocks[self.b.block].params[i]);
        let field = |this: &mut Self, at: usize, ty: Type| {
            let ptr = this.b.ptr_off(env, at as i64);
            this.b.load(ty, ptr, invariant())
        };
        let local = field(self, offset_of!(Env, local), Type::ptr(AddrSpace::Local));
        let scratch = field(self, offset_of!(Env, scratch), Type::ptr(AddrSpace::Private));
        let triple = |this: &mut Self, at: usize| std::array::from_fn(|d| field(this, at + 8 * d, Type::I64));
        let gsz = triple(self, offset_of!(Env, global_size));
        let goff = triple(self, offset_of!(Env, global_offset));
        // So that it is seen to be a multiple.
        let goff = if self.key.aligned_ids { goff.map(|v| self.b.op_bits(Op::And, v, !(ID_ALIGN - 1))) } else { goff };
        let ngrp = triple(self, offset_of!(Env, num_groups));
        let elsz = match self.key.local_size {
            Some(size) => size.map(|n| self.b.i64(i64::from(n))),
            None => triple(self, offset_of!(Env, local_size)),
        };
        let plane = self.b.op(Op::Mul, &[elsz[0], elsz[1]]);
        let items = self.b.op(Op::Mul, &[plane, elsz[2]]);
        let wide_dim = field(self, offset_of!(Env, work_dim), Type::I64);
        let work_dim = self.b.convert(Op::Trunci, Type::I32, wide_dim);
        let mut params = Vec::new();
        for (n, (arg, &ty)) in args.iter().zip(&self.old.params).enumerate() {
            let at = self.b.ptr_off(block, arg.offset as i64);
            params.push(match arg.kind {
                ArgKind::Local => {
                    let offset = self.b.load(Type::I64, at, invariant());
                    let start = self.b.emit(Op::PtrAdd, ty, &[local, offset], Imm::Scale { scale: 1, disp: 0 });
                    self.local_base(start, -1 - n as i64)
                }
                // A struct is passed as the address of its bytes in the block.
                ArgKind::Value if ty.is_ptr() => at,
                ArgKind::Buffer { space: AddrSpace::Global } if n < 64 && self.key.disjoint >> n & 1 != 0 => {
                    let flags = Flags::INVARIANT | Flags::DISJOINT;
                    self.b.load(ty, at, Attr { flags, ..Attr::default() })
                }
                _ => self.b.load(ty, at, invariant()),
            });
        }
        Launch { params, gsz, goff, elsz, ngrp, work_dim, local, scratch, items }
    }

    /// A pointer as the start of an object in local memory: a variable has the number of the byte it starts at,
    /// argument n the number -1 - n.
    pub(super) fn local_base(&mut self, start: Value, number: i64) -> Value {
        self.b.emit(Op::LocalBase, Type::ptr(AddrSpace::Local), &[start], Imm::Disp(number))
    }

    /// Opens the loop over groups `[g0, g1)`; the current block becomes its body. Groups are numbered in the order of
    /// `loop_order`.
    pub(super) fn open_groups(&mut self) -> GroupLoop {
        let entry = self.b.func.entry();
        let [g0, g1] = [self.b.func.blocks[entry].params[2], self.b.func.blocks[entry].params[3]];
        let g = self.slot_for(Type::I64);
        let ids: [SlotId; 3] = std::array::from_fn(|_| self.slot_for(Type::I64));
        self.write_slot(g, g0);
        let order @ [_, middle, inner] = self.loop_order;
        let [n_inner, n_middle] = [inner, middle].map(|d| self.launch().ngrp[d]);
        let number = self.b.op(Op::RemU, &[g0, n_inner]);
        let rows = self.b.op(Op::DivU, &[g0, n_inner]);
        let row = self.b.op(Op::RemU, &[rows, n_middle]);
        let plane = self.b.op(Op::DivU, &[rows, n_middle]);
        for (d, v) in order.into_iter().zip([plane, row, number]) {
            self.write_slot(ids[d], v);
        }
        let [head, body, exit] = std::array::from_fn(|_| self.b.func.add_block());
        self.jump(head);
        self.b.enter(head);
        let now = self.read_slot(g, Type::I64);
        let more = self.b.icmp(IntPred::ULt, now, g1);
        self.b.branch(more, body, exit);
        self.b.enter(body);
        let id: [Value; 3] = ids.map(|slot| self.read_slot(slot, Type::I64));
        let (elsz, gsz, goff) = (self.launch().elsz, self.launch().gsz, self.launch().goff);
        let start: [Value; 3] = std::array::from_fn(|d| self.b.op(Op::Mul, &[id[d], elsz[d]]));
        let lsz = match self.key.local_size {
            Some(_) => elsz,
            // A trailing group may be smaller.
            None => std::array::from_fn(|d| {
                let left = self.b.op(Op::Sub, &[gsz[d], start[d]]);
                self.b.op(Op::MinU, &[elsz[d], left])
            }),
        };
        let base = std::array::from_fn(|d| self.b.op(Op::Add, &[start[d], goff[d]]));
        GroupLoop { g, ids, head, exit, values: Group { id, lsz, base } }
    }

    /// Advances to the next group and closes the loop; the current block becomes the one behind it.
    pub(super) fn close_groups(&mut self, groups: &GroupLoop) {
        let one = self.b.i64(1);
        let zero = self.b.i64(0);
        let now = self.read_slot(groups.g, Type::I64);
        let next = self.b.op(Op::Add, &[now, one]);
        self.write_slot(groups.g, next);
        let (order, ngrp) = (self.loop_order, self.launch().ngrp);
        let mut carry = one;
        for d in order.into_iter().rev() {
            let next = self.b.op(Op::Add, &[groups.values.id[d], carry]);
            if d == order[0] {
                self.write_slot(groups.ids[d], next);
                break;
            }
            let wraps = self.b.icmp(IntPred::Eq, next, ngrp[d]);
            let v = self.b.op(Op::Select, &[wraps, zero, next]);
            self.write_slot(groups.ids[d], v);
            carry = self.b.convert(Op::Zext, Type::I64, wraps);
        }
        self.jump(groups.head);
        self.b.enter(groups.exit);
        self.b.end(Term::Ret(None));
    }

    /// Opens the loop nest over the group's work-items.
    pub(super) fn open_items(&mut self) -> ItemLoop {
        let zero = self.b.i64(0);
        let group = self.group();
        if self.sub_group.is_some_and(|n| !self.has_whole_rows(n)) {
            return self.open_linear();
        }
        let mut lid = [zero; 3];
        let mut gid = group.base;
        // Of rows and planes in front of this one, and within the row.
        let mut index = zero;
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        let mut levels = Vec::new();
        for d in self.loop_order {
            if self.key.local_size.is_some_and(|size| size[d] == 1) {
                continue;
            }
            let var = self.slot_for(Type::I64);
            self.write_slot(var, zero);
            let body = self.b.func.add_block();
            self.jump(body);
            self.b.enter(body);
            lid[d] = self.read_slot(var, Type::I64);
            // See `launch::MAX_WORK_ITEM_ID`.
            gid[d] = self.b.op_attr(Op::Add, &[group.base[d], lid[d]], exact);
            let before = self.b.op_attr(Op::Mul, &[index, group.lsz[d]], exact);
            index = self.b.op_attr(Op::Add, &[before, lid[d]], exact);
            levels.push(Level { var, body, now: lid[d], end: group.lsz[d] });
        }
        if let Some(innermost) = levels.last() {
            self.b.func.blocks[innermost.body].items = true;
        }
        if let [.., outer, _] = &levels[..] {
            self.b.func.blocks[outer.body].rows = Some(0);
        }
        let latch = self.b.func.add_block();
        ItemLoop { latch, lid, gid, index, levels }
    }

    /// True if each row of work-items is whole sub-groups of this size.
    pub(super) fn has_whole_rows(&self, sub_group: u8) -> bool {
        self.key.local_size.is_some_and(|size| size[0].is_multiple_of(u32::from(sub_group)))
    }

    /// Opens one loop over all work-items of the group, by linear local id: sub-groups may go from row to row.
    fn open_linear(&mut self) -> ItemLoop {
        let zero = self.b.i64(0);
        let (group, size) = (self.group(), self.key.local_size);
        let end = self.items_of(group.lsz);
        let (mut index, mut levels) = (zero, Vec::new());
        if size != Some([1, 1, 1]) {
            let var = self.slot_for(Type::I64);
            self.write_slot(var, zero);
            let body = self.b.func.add_block();
            self.jump(body);
            self.b.enter(body);
            index = self.read_slot(var, Type::I64);
            self.b.func.blocks[body].items = true;
            levels.push(Level { var, body, now: index, end });
        }
        let is_one = |d: usize| size.is_some_and(|size| size[d] == 1);
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        let mut lid = [zero; 3];
        let mut rest = index;
        for (d, lid) in lid.iter_mut().enumerate() {
            // The last dimension that has several takes what is left.
            if (d + 1..3).all(is_one) {
                *lid = rest;
                break;
            }
            *lid = self.b.op(Op::RemU, &[rest, group.lsz[d]]);
            rest = self.b.op(Op::DivU, &[rest, group.lsz[d]]);
        }
        let gid = std::array::from_fn(|d| self.b.op_attr(Op::Add, &[group.base[d], lid[d]], exact));
        let latch = self.b.func.add_block();
        ItemLoop { latch, lid, gid, index, levels }
    }

    /// Work-items of a group of this size.
    pub(super) fn items_of(&mut self, size: [Value; 3]) -> Value {
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        let plane = self.b.op_attr(Op::Mul, &[size[0], size[1]], exact);
        self.b.op_attr(Op::Mul, &[plane, size[2]], exact)
    }

    /// The value of a query about sub-groups, which have `n` work-items.
    pub(super) fn sub_group_query(&mut self, op: Op, n: u8, items: &ItemLoop) -> Value {
        let (group, launch) = (self.group(), self.launch().elsz);
        let count = |this: &mut Self, size: [Value; 3]| {
            let all = this.items_of(size);
            let up = this.b.op_bits(Op::Add, all, u64::from(n) - 1);
            this.b.op_bits(Op::Lshr, up, n.trailing_zeros().into())
        };
        // Of a whole row, that much is known of `lid.x`.
        let index = if self.has_whole_rows(n) { items.lid[0] } else { items.index };
        let v = match op {
            Op::SgLid => self.b.op_bits(Op::And, index, u64::from(n) - 1),
            Op::SgId => self.b.op_bits(Op::Lshr, items.index, n.trailing_zeros().into()),
            Op::SgNum => count(self, group.lsz),
            Op::SgEnum => count(self, launch),
            Op::SgSize if !self.has_whole_rows(n) => {
                let all = self.items_of(group.lsz);
                let first = self.b.op_bits(Op::And, index, -i64::from(n) as u64);
                let left = self.b.op(Op::Sub, &[all, first]);
                self.b.op_bits(Op::MinU, left, n.into())
            }
            _ => self.b.i64(n.into()),
        };
        // No group has so many.
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        self.b.typed(Op::Trunci, Type::I32, &[v], Imm::None, exact)
    }

    /// In place of the loop: code that does not depend on the work-item and runs once. It may ask for the ids of
    /// dimensions of size 1.
    pub(super) fn no_items(&mut self) -> ItemLoop {
        let zero = self.b.i64(0);
        let gid = self.group().base;
        let latch = self.b.func.add_block();
        ItemLoop { latch, lid: [zero; 3], gid, index: zero, levels: Vec::new() }
    }

    /// Closes the loop nest, whose latch is the current block; that becomes the one behind it.
    pub(super) fn close_items(&mut self, items: &ItemLoop) {
        // No group is empty, so the test comes last.
        for &Level { var, body, now, end } in items.levels.iter().rev() {
            let one = self.b.i64(1);
            let next = self.b.op(Op::Add, &[now, one]);
            self.write_slot(var, next);
            let more = self.b.icmp(IntPred::ULt, next, end);
            let exit = self.b.func.add_block();
            self.b.branch(more, body, exit);
            self.b.enter(exit);
        }
    }
}
