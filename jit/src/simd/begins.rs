//! Where the variables of joins begin: a join is entered under masks and may be skipped, so that what an edge to it
//! assigns would seem to be needed from one turn of a loop to the next, in a register each. Nothing is: all ways to a
//! join pass its immediate dominator, at which its variables become undefined and its mask has no lanes. That keeps
//! live ranges short, and their sum linear in code that goes straight on. Must not know what is assigned.

use super::shape::{Facts, Shape};
use super::widen::Widen;
use crate::ir::{Block, Imm, Op};
use rustc_hash::FxHashMap;

/// Joins by the block at which their variables begin, which is in the same loop as they are. Those of loops' headers
/// begin outside of the loops.
pub(super) fn begins(facts: &Facts, order: &[Block]) -> FxHashMap<Block, Vec<Block>> {
    let mut begins: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    let header = |l: usize| facts.loops.loops[l].header;
    for &join in order.iter().filter(|&&b| b != facts.items.header) {
        let mut around = facts.inner_loop(join);
        if around.is_some_and(|l| header(l) == join) {
            around = around.and_then(|l| facts.parent(l));
        }
        let mut at = facts.dom.idom(join);
        // What leaves an inner loop is brought in several of its turns.
        while let Some(inner) = at.and_then(|b| facts.inner_loop(b)).filter(|&l| Some(l) != around) {
            at = facts.dom.idom(header(inner));
        }
        if let Some(at) = at {
            begins.entry(at).or_default().push(join);
        }
    }
    begins
}

impl Widen<'_> {
    /// Begins the variables of the joins that a block decides about.
    pub(super) fn begin_variables(&mut self, joins: &[Block]) {
        for &join in joins {
            for param in self.func.blocks[join].params.clone() {
                // What keeps the values of lanes that have left a loop is for those behind it, too.
                if self.shapes.carried.hidden(param).is_some() || self.is_kept(param) {
                    continue;
                }
                let ty = self.func.ty(param);
                let is_varying = self.shapes.of(param) == Shape::Varying;
                let types = if is_varying { self.lane_types(ty) } else { [ty].into_iter().collect() };
                for (slot, ty) in self.param_slots(param).into_iter().zip(types) {
                    let nothing = self.emit(Op::Undef, ty, &[], Imm::None);
                    self.write(slot, nothing);
                }
            }
            if let Some(slot) = self.mask_of_edges(join) {
                let none = self.constant(self.mask_type(), 0);
                self.write(slot, none);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::Module;
    use crate::pipeline::Runner;
    use crate::target::Target;
    use crate::{SpecKey, lowered, simd, wg};

    /// Two long ways in a loop, of which each is skipped where no lane takes it.
    const SKIPPED: &str = "\
kernel void k(global float *a, global const int *b, int n) {
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++) {
        float t;
        int u = b[i + j];
        if (u > 7)
            t = exp(a[u]) + sqrt(a[u + 1]) / a[u + 2] + a[u + 3] / a[u + 5];
        else
            t = log(a[u]) + sqrt(a[u + 7]) / a[u + 6] + a[u + 4] / a[u + 8];
        s += t;
    }
    a[i] = s;
}
";

    fn program() -> Module {
        let mut module = lowered(SKIPPED.as_bytes(), "-cl-std=CL3.0").expect("it compiles");
        Runner::default().program(&mut module);
        module
    }

    #[test]
    fn nothing_goes_round_loops_that_no_turn_looks_at() {
        let module = program();
        let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
        let config = simd::Config { target: &Target::AVX512, ..simd::Config::always(16) };
        let (group, _) = Runner::default().kernel(&module, 0, key, wg::Sharing::Auto, Some(config));
        let func = &group.func;
        let (_, _, loops) = crate::ir::dom::Loops::of_func(func);
        let headers = loops.loops.iter().map(|l| l.header);
        let carried: Vec<usize> = headers
            .map(|header| func.blocks[header].params.iter().filter(|&&v| func.ty(v).is_vector()).count())
            .collect();
        // The sum goes round the loop over `j`.
        assert_eq!(carried.iter().sum::<usize>(), 1, "{carried:?}");
    }
}
