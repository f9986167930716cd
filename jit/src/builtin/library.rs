//! The builtin library as KIR: body files compiled by this same compiler at first use, once per process, and linked
//! into the modules that want them. Must not know signatures (`sig`) or user sources.

use crate::ir::entity::Entity;
use crate::ir::{Func, FuncId, GlobalId, Imm, Module, Op};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A compiled body file, or why it does not compile (a mistake of ours).
type Compiled = Result<Arc<Module>, String>;

/// Compiled files by path.
static FILES: Mutex<Option<Files>> = Mutex::new(None);

type Files = FxHashMap<&'static str, Arc<OnceCell<Compiled>>>;

/// The module of a body file, e.g. `math/exp.cl`.
fn module(file: &'static str, compile: &dyn Fn(&'static str) -> Compiled) -> Compiled {
    let cell = FILES.lock().get_or_insert_default().entry(file).or_default().clone();
    // The lock is not held while compiling: a file may want another one.
    cell.get_or_init(|| compile(file)).clone()
}

/// Gives the declarations in `wanted` their bodies, with all that those call, from the files named beside them.
/// `compile` makes the module of a file: as lowered, everything it wanted linked in.
///
/// # Errors
/// A message naming what is missing: a body file that does not compile or does not define a function that a row names.
pub fn link(
    module_: &mut Module,
    wanted: &[(FuncId, &'static str)],
    compile: &dyn Fn(&'static str) -> Compiled,
) -> Result<(), String> {
    let mut importer = Importer { to: module_, funcs: FxHashMap::default(), globals: FxHashMap::default() };
    for &(id, file) in wanted {
        let library = module(file, compile)?;
        let name = importer.to.funcs[id].name.clone();
        let found = library.funcs.iter().find(|(_, f)| f.has_body() && f.name == name).map(|(id, _)| id);
        let source = found.ok_or_else(|| format!("builtins/{file} does not define {name}"))?;
        let declared = &importer.to.funcs[id];
        let body = &library.funcs[source];
        if declared.params != body.params || declared.ret != body.ret {
            return Err(format!("builtins/{file} defines {name} with other types than its row"));
        }
        importer.import(file, &library, source, Some(id));
    }
    Ok(())
}

/// Copies functions with their callees and globals.
struct Importer<'m> {
    to: &'m mut Module,
    funcs: FxHashMap<(&'static str, FuncId), FuncId>,
    globals: FxHashMap<(&'static str, GlobalId), GlobalId>,
}

impl Importer<'_> {
    fn import(&mut self, file: &'static str, from: &Module, id: FuncId, into: Option<FuncId>) -> FuncId {
        if let (Some(&known), None) = (self.funcs.get(&(file, id)), into) {
            return known;
        }
        let mut func: Func = from.funcs[id].clone();
        func.is_builtin = true;
        self.to.adopt_origins(&mut func.origins, &from.sources);
        let place = match into {
            Some(place) => place,
            None => self.to.funcs.push(Func::declaration(func.name.clone(), func.params.clone(), func.ret)),
        };
        self.funcs.insert((file, id), place);
        for n in 0..func.insts.len() {
            let inst = &mut func.insts[Entity::from_index(n)];
            match (inst.op, &inst.imm) {
                (Op::Call, Imm::Func(callee)) => {
                    let callee = self.import(file, from, *callee, None);
                    inst.imm = Imm::Func(callee);
                }
                (Op::GlobalAddr, Imm::Global(global)) => {
                    let global = self.global(file, from, *global);
                    inst.imm = Imm::Global(global);
                }
                _ => {}
            }
        }
        self.to.funcs[place] = func;
        place
    }

    fn global(&mut self, file: &'static str, from: &Module, id: GlobalId) -> GlobalId {
        if let Some(&known) = self.globals.get(&(file, id)) {
            return known;
        }
        let mut global = from.globals[id].clone();
        let relocs = std::mem::take(&mut global.init.relocs);
        let new = self.to.globals.push(global);
        self.globals.insert((file, id), new);
        let relocs = relocs.into_iter().map(|(at, to, add)| (at, self.global(file, from, to), add)).collect();
        self.to.globals[new].init.relocs = relocs;
        new
    }
}
