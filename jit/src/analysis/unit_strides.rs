//! Integer arguments that are strides: something that is not the same in the whole launch is multiplied by them on the
//! way to an address, or an address or index goes on by them from turn to turn. If such an argument is 1, neighbours
//! are side by side, which is worth knowing (symbolic strides, as in LLVM's loop access analysis). A hint, not a proof.
//! Takes kernel form. Linear.

use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Inst, Op, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers of such arguments, as bits.
pub fn find(func: &Func) -> u64 {
    let is_integer = |ty: Type| matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64);
    let params = (0..u64::BITS).zip(&func.blocks[func.entry()].params);
    let args: FxHashMap<Value, u64> =
        params.filter(|(_, param)| is_integer(func.ty(**param))).map(|(n, &param)| (param, 1 << n)).collect();
    if args.is_empty() {
        return 0;
    }
    let cfg = Cfg::new(func);
    let fixed = fixed(func, &cfg);
    let mut search = Search { func, cfg, args, fixed, found: 0, todo: Vec::new() };
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        if data.op == Op::PtrAdd {
            let walks = matches!(func.values[data.args[0]].def, ValueDef::Param(block, _) if block != func.entry());
            search.todo.push((data.args[1], walks));
        }
    }
    search.run()
}

/// For each value whether constants and arguments alone make it.
fn fixed(func: &Func, cfg: &Cfg) -> Vec<bool> {
    let mut fixed = vec![false; func.values.len()];
    func.blocks[func.entry()].params.iter().for_each(|param| fixed[param.index()] = true);
    for data in func.data_of(cfg.rpo()) {
        let computes = data.op == Op::Const || data.op.is_pure() && !data.args.is_empty();
        if let Some(v) = data.result {
            fixed[v.index()] = computes && data.args.iter().all(|arg| fixed[arg.index()]);
        }
    }
    fixed
}

struct Search<'a> {
    func: &'a Func,
    cfg: Cfg,
    /// Integer arguments and their bits.
    args: FxHashMap<Value, u64>,
    /// Values that are the same in the whole launch.
    fixed: Vec<bool>,
    found: u64,
    /// Parts of addresses to look at, and whether they are added to what goes round a loop.
    todo: Vec<(Value, bool)>,
}

impl Search<'_> {
    fn run(mut self) -> u64 {
        let mut seen = FxHashSet::default();
        while let Some((v, walks)) = self.todo.pop() {
            if !seen.insert((v, walks)) {
                continue;
            }
            match self.func.values[v].def {
                ValueDef::Param(block, _) if block == self.func.entry() && walks => self.found |= self.bit(v),
                ValueDef::Param(block, _) if block == self.func.entry() => {}
                ValueDef::Param(block, at) => self.edges(block, at as usize, v),
                ValueDef::Inst(inst) => self.inst(inst, walks),
            }
        }
        self.found
    }

    /// The bit of the argument that a value is, perhaps in another size.
    fn bit(&self, mut v: Value) -> u64 {
        while let Some(data) = self.func.def_inst(v).filter(|d| matches!(d.op, Op::Sext | Op::Zext | Op::Trunci)) {
            v = data.args[0];
        }
        self.args.get(&v).copied().unwrap_or_default()
    }

    /// What a block is handed as a part of an address.
    fn edges(&mut self, block: Block, at: usize, param: Value) {
        let handed: Vec<Value> = self.cfg.handed(self.func, block, at).map(|(_, v)| v).collect();
        for v in handed {
            match self.func.def_inst(v).map(|data| (data.op, &data.args[..])) {
                Some((Op::Add, &[a, by])) if a == param => self.todo.push((by, true)),
                Some((Op::Add, &[by, b])) if b == param => self.todo.push((by, true)),
                _ => self.todo.push((v, false)),
            }
        }
    }

    fn inst(&mut self, inst: Inst, walks: bool) {
        let data = &self.func.insts[inst];
        match (data.op, &data.args[..]) {
            (Op::Mul, &[a, b]) => {
                for (factor, of) in [(a, b), (b, a)] {
                    // In a loop, what goes on by a product goes on by its factors.
                    if walks || !self.fixed[of.index()] {
                        self.found |= self.bit(factor);
                    }
                    self.todo.push((of, walks && self.fixed[factor.index()]));
                }
            }
            (Op::Add | Op::Sub | Op::Sext | Op::Zext | Op::Trunci, args) => {
                self.todo.extend(args.iter().map(|&arg| (arg, walks)));
            }
            (Op::Shl, &[a, _]) => self.todo.push((a, walks)),
            (Op::Select, &[_, a, b]) => self.todo.extend([(a, walks), (b, walks)]),
            (Op::And | Op::MinS | Op::MinU | Op::MaxS | Op::MaxU, &[a, b]) => {
                self.todo.extend([(a, false), (b, false)]);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lowered;
    use crate::pipeline::Runner;

    /// The names of the arguments of a kernel that are strides.
    fn strides(body: &str) -> Vec<String> {
        let source = format!(
            "kernel void k(global float *x, global float *y, int n, int inc, int start, uint ld, long other) {{
                size_t i = get_global_id(0);
                {body}
            }}"
        );
        let mut module = lowered(source.as_bytes(), "").unwrap_or_else(|log| panic!("{log}"));
        Runner::default().program(&mut module);
        let info = &module.kernels[0].0;
        (0..info.args.len()).filter(|n| info.strides >> n & 1 != 0).map(|n| info.args[n].name.clone()).collect()
    }

    #[test]
    fn factors_of_indices_are_strides() {
        for (body, expected) in [
            ("y[i * inc + start] = x[i];", &["inc"][..]),
            ("y[start + other * (long)i] = x[n * start];", &["other"]),
            ("for (int k = 0; k < n; k++) y[i] += x[i * ld + k * inc];", &["inc", "ld"]),
            ("for (size_t k = i; k < n; k += 64) y[k * inc] = x[start + k];", &["inc"]),
            ("for (int k = start; k < n; k += inc) y[k] = 1;", &["inc"]),
            ("global float *p = x + start; for (int k = 0; k < n; k++) { y[i] += *p; p += inc; }", &["inc"]),
            ("y[i] = x[i] * inc;", &[]),
            ("if (i < n) y[i + start] = x[i << inc];", &[]),
        ] {
            assert_eq!(strides(body), expected, "{body}");
        }
    }
}
