//! What work-items do together beside `stmt`'s exchanges through local memory (collectives, sub-groups, atomics,
//! structures in local memory), and memory of other kinds: images, generic pointers, halves in memory.

use super::{Generator, Int, Need, Place, Ty, UInt, ULong};

impl Generator {
    pub(super) fn has(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// A variable that is hashed in the end.
    fn result(&mut self, name: String, ty: Ty) {
        self.scope.push(Place::Variable { text: name, ty, writable: true, addressable: true });
    }

    /// Something in uniform control flow that all work-items of the group take part in.
    pub(super) fn together(&mut self) {
        match self.rng.below(4) {
            0 if self.has(Need::Collectives) => self.collective(),
            1 if self.has(Need::SubGroups) => self.sub_group(),
            2 => self.structures(),
            _ if self.has(Need::Collectives) => self.collective(),
            _ if self.has(Need::SubGroups) => self.sub_group(),
            _ => self.atomics(),
        }
    }

    fn collective(&mut self) {
        let name = self.name("c");
        let (elem, ops): (_, &[&str]) = match self.rng.below(3) {
            0 => (Int, &["min", "max"]),
            1 => (UInt, &["add", "min", "max"]),
            _ => (ULong, &["add", "min", "max"]),
        };
        let ty = Ty::scalar(elem);
        let (value, op) = (self.argument(ty, 2), self.rng.of(ops));
        let of = elem.name();
        self.line(&format!("{of} {name} = {value};"));
        let call = match self.rng.below(5) {
            0 => format!("work_group_reduce_{op}({name})"),
            1 => format!("work_group_scan_inclusive_{op}({name})"),
            2 => format!("work_group_scan_exclusive_{op}({name})"),
            3 => {
                let from = self.rng.of(&["0", "in[7] & 1", "get_local_size(0) - 1"]);
                let rows = format!("work_group_broadcast({name}, {from}, 0)");
                // All work-items choose the same.
                format!("get_work_dim() == 2 ? {rows} : work_group_broadcast({name}, {from})")
            }
            // What is true is known only not to be 0.
            _ => format!("work_group_{}((int){name}) != 0", self.rng.of(&["all", "any"])),
        };
        self.line(&format!("{name} = {call};"));
        self.result(name, ty);
    }

    /// Functions of sub-groups in terms that do not depend on how large these are.
    fn sub_group(&mut self) {
        let (value, name) = (self.argument(Ty::scalar(UInt), 2), self.name("g"));
        self.line(&format!("uint {name} = {value};"));
        match self.rng.below(4) {
            0 | 1 => {
                let (op, start) = self.rng.of(&[("add", "0u"), ("max", "0u"), ("min", "~0u")]);
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("if (lid == 0) tile[0] = {start};"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("uint r{name} = sub_group_reduce_{op}({name});"));
                self.line(&format!("if (get_sub_group_local_id() == 0) atomic_{op}(tile, r{name});"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("{name} ^= tile[0];"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
            }
            2 => self.line(&format!(
                "{name} += sub_group_scan_inclusive_add({name}) - {name} == sub_group_scan_exclusive_add({name});"
            )),
            _ => self.line(&format!(
                "{name} += (get_sub_group_local_id() == 0 ? sub_group_broadcast({name}, 0) == {name} : \
                 (sub_group_broadcast({name}, 0), 1)) + (sub_group_any({name} & 1) != 0 || ({name} & 1) == 0);"
            )),
        }
        self.result(name, Ty::scalar(UInt));
    }

    /// Structures that others read.
    fn structures(&mut self) {
        let name = self.name("r");
        let step = self.rng.below(5);
        self.line(&format!("local S0 l{name}[16]; l{name}[lid] = s0;"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let field = self.rng.of(&["f0", "f1.z", "f2[2]", "f3.g0"]);
        self.line(&format!("uint {name} = l{name}[(lid + {step}) % items].{field};"));
        if self.rng.one_in(2) {
            self.line(&format!("s0.f3 = l{name}[items - 1 - lid].f3;"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.result(name, Ty::scalar(UInt));
    }

    /// Atomic operations whose order does not matter.
    fn atomics(&mut self) {
        let (value, name) = (self.argument(Ty::scalar(UInt), 2), self.name("a"));
        self.line(&format!("uint {name} = {value};"));
        self.line(&format!("local atomic_uint l{name};"));
        let start = self.rng.below(9);
        self.line(&format!("if (lid == 0) atomic_init(&l{name}, {start});"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let how = "memory_order_relaxed, memory_scope_work_group";
        // Not all need to take part.
        let some = self.condition(1);
        if self.rng.one_in(3) {
            self.line(&format!("uint o{name} = atomic_load_explicit(&l{name}, {how});"));
            self.line(&format!(
                "if ({some}) while (!atomic_compare_exchange_strong_explicit(&l{name}, &o{name}, o{name} + {name}, \
                 memory_order_relaxed, {how})) ;"
            ));
        } else {
            let op = self.rng.of(&["add", "sub", "or", "xor", "and", "min", "max"]);
            self.line(&format!("if ({some}) atomic_fetch_{op}_explicit(&l{name}, {name}, {how});"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.line(&format!("{name} ^= atomic_load_explicit(&l{name}, {how});"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.result(name, Ty::scalar(UInt));
    }

    /// Images, pointers to either of two kinds of memory, halves in memory.
    pub(super) fn memories(&mut self) {
        let name = self.name("m");
        match self.rng.below(3) {
            0 if self.has(Need::Images) => {
                let [x, y] = [(); 2].map(|()| self.mixed(1));
                let (mode, ty) = (self.rng.of(&["CLAMP", "CLAMP_TO_EDGE"]), Ty { elem: UInt, lanes: 4 });
                let sampler = format!("CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_{mode} | CLK_FILTER_NEAREST");
                self.line(&format!("const sampler_t s{name} = {sampler};"));
                let at = format!("(int2)((int)({x} & 15) - 4, (int)({y} & 15) - 4)");
                self.line(&format!("uint4 {name} = read_imageui(img, s{name}, {at});"));
                self.result(name, ty);
            }
            1 => {
                let (value, mode) =
                    (self.expr(Ty::scalar(super::Float), 2), self.rng.of(&["", "_rte", "_rtz", "_rtp"]));
                self.line(&format!("float f{name} = {value}; if (isnan(f{name})) f{name} = 1;"));
                let at = self.rng.below(2);
                self.line(&format!("vstore_half{mode}(f{name}, {at}, (local half *)(tile + lid));"));
                self.line(&format!("uint {name} = vload_half({at}, (local half *)(tile + lid)) > f{name};"));
                // No word is read where halves were written.
                self.line("tile[lid] = 5;");
                self.result(name, Ty::scalar(UInt));
            }
            _ => {
                let condition = self.condition(1);
                let other = self.rng.below(99);
                self.line(&format!("uint v{name} = {other};"));
                self.line(&format!("uint {name} = EITHER({condition}, tile + lid, &v{name});"));
                self.result(name, Ty::scalar(UInt));
            }
        }
    }
}
