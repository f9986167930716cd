//! Which values point to constant places in private slots, and of which slots the address goes elsewhere: what scalar
//! replacement of aggregates asks first.

use crate::ir::entity::Entity;
use crate::ir::{Func, Imm, Inst, InstData, Op, SlotId, Value};
use rustc_hash::FxHashMap;

/// An address in a slot.
pub type Place = (SlotId, i64);

/// Pointers into a function's slots.
pub struct SlotPointers {
    /// Where they point.
    pub places: FxHashMap<Value, Place>,
    /// For each slot, whether not all accesses to it are known.
    pub escaped: Vec<bool>,
}

impl SlotPointers {
    /// Those of a function whose blocks are in reverse postorder. `access` gets all loads, stores, fills and copies
    /// that have a place in a slot as one of their first two operands, with these, and says whether it knows what they
    /// access.
    pub fn new(func: &Func, mut access: impl FnMut(Inst, &InstData, [Option<Place>; 2]) -> bool) -> Self {
        let mut this = Self { places: FxHashMap::default(), escaped: vec![false; func.slots.len()] };
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                this.visit(func, inst, &mut access);
            }
            func.blocks[block].term.for_each_value(|v| this.escape(v));
        }
        this
    }

    fn escape(&mut self, v: Value) {
        if let Some((slot, _)) = self.places.get(&v) {
            self.escaped[slot.index()] = true;
        }
    }

    fn visit(&mut self, func: &Func, inst: Inst, access: &mut impl FnMut(Inst, &InstData, [Option<Place>; 2]) -> bool) {
        let data = &func.insts[inst];
        let places = [0, 1].map(|n| data.args.get(n).and_then(|p| self.places.get(p)).copied());
        let is_access =
            matches!(data.op, Op::Load | Op::Store | Op::Memset | Op::Memcpy) && places.iter().any(Option::is_some);
        let made = match (data.op, &data.imm, places[0]) {
            (Op::SlotAddr, Imm::Slot(slot), _) => Some((*slot, 0)),
            (Op::PtrOff, Imm::Disp(disp), Some((slot, at))) => Some((slot, at.wrapping_add(*disp))),
            (Op::PtrAdd, Imm::Scale { scale, disp }, Some((slot, at))) => func.const_bits(data.args[1]).map(|index| {
                let moved = (index as i64).wrapping_mul(i64::from(*scale));
                (slot, moved.wrapping_add(*disp).wrapping_add(at))
            }),
            _ => None,
        };
        match made {
            Some(place) => self.places.extend(data.result.map(|r| (r, place))),
            None if is_access && access(inst, data, places) => {
                if data.op == Op::Store {
                    self.escape(data.args[1]);
                }
            }
            None => data.args.iter().for_each(|&arg| self.escape(arg)),
        }
    }
}
