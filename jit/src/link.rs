//! Joins compiled objects: one module with everything that they define, every use of a name bound to its definition.
//! Works on KIR as lowered, before builtins are linked in and before any pass, so that a program made of many objects
//! ends as the program that one source with all of it would be. Must not know sources, options or OpenCL objects.
//! Spec: OpenCL API, "Separate Compilation and Linking of Programs".

use crate::hir::Linkage;
use crate::ir::entity::Entity;
use crate::ir::{Func, FuncId, Global, GlobalId, Imm, Init, InstData, LocalVarId, Module, Op};
use crate::lower::Lowered;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A translation unit after `compile`: KIR and what the linker has to know of its names.
#[derive(Clone)]
pub struct Object {
    pub(crate) unit: Lowered,
    /// What it uses but does not define: name, and the error if nobody does.
    pub(crate) undefined: Vec<(String, String)>,
}

/// A module, and the builtin functions that it wants with the files that define them.
type Joined = (Module, Vec<(FuncId, &'static str)>);

/// One module out of all objects. Objects that nobody else holds are taken apart, the others copied.
///
/// # Errors
/// What a linker complains about, a line each: names that are defined twice, as different things, or not at all;
/// functions that call themselves.
pub(crate) fn join(objects: Vec<Arc<Object>>) -> Result<Joined, String> {
    let mut joint = {
        let objects: Vec<&Object> = objects.iter().map(Arc::as_ref).collect();
        let mut linker = Linker { objects: &objects, ..Linker::default() };
        linker.collect();
        linker.check_undefined();
        if linker.joint.errors.is_empty() {
            linker.place();
            linker.bind();
        }
        linker.joint
    };
    if joint.errors.is_empty() {
        joint.to.may_flush_denormals = objects.iter().all(|object| object.unit.module.may_flush_denormals);
        for (number, object) in objects.into_iter().enumerate() {
            joint.to.checks.kinds |= object.unit.module.checks.kinds;
            joint.fill(number, Arc::try_unwrap(object).map_or_else(|shared| shared.unit.clone(), |own| own.unit));
        }
        joint.check_recursion();
    }
    if joint.errors.is_empty() { Ok((joint.to, joint.wanted)) } else { Err(joint.errors) }
}

/// Whether objects can be in one library.
///
/// # Errors
/// A line for each name that is defined twice.
pub(crate) fn check_library(objects: &[&Object]) -> Result<(), String> {
    let mut linker = Linker { objects, ..Linker::default() };
    linker.collect();
    if linker.joint.errors.is_empty() { Ok(()) } else { Err(linker.joint.errors) }
}

/// A definition that other objects can see: number of its object, and what it is there.
#[derive(Clone, Copy)]
enum Definition {
    Func(usize, FuncId),
    Var(usize, GlobalId),
}

/// Finds a place for everything, looking at all objects at once.
#[derive(Default)]
struct Linker<'o> {
    objects: &'o [&'o Object],
    names: FxHashMap<&'o str, Definition>,
    taken: FxHashSet<String>,
    joint: Joint,
}

/// The joined module, and where things go in it.
#[derive(Default)]
struct Joint {
    /// For each object, where its functions, program-scope variables and local variables are in `to`. `None`: declared,
    /// neither defined anywhere nor used.
    funcs: Vec<Vec<Option<FuncId>>>,
    vars: Vec<Vec<Option<GlobalId>>>,
    locals: Vec<u32>,
    /// Object and function, for those whose body only stands in for a definition that there is.
    replaced: FxHashSet<(usize, FuncId)>,
    to: Module,
    wanted: Vec<(FuncId, &'static str)>,
    errors: String,
}

impl<'o> Linker<'o> {
    /// Finds out who defines which name.
    fn collect(&mut self) {
        let objects = self.objects;
        let mut inline = Vec::new();
        for (number, Object { unit, .. }) in objects.iter().enumerate() {
            for (linkage, (id, func)) in unit.func_linkage.iter().zip(unit.module.funcs.iter()) {
                let definition = Definition::Func(number, id);
                match linkage {
                    _ if !func.has_body() => {}
                    Linkage::External => self.define(&func.name, definition),
                    Linkage::Inline => inline.push((func.name.as_str(), definition)),
                    Linkage::Weak | Linkage::Internal => {}
                }
            }
            for (linkage, (id, var)) in unit.var_linkage.iter().zip(unit.module.globals.iter()) {
                if *linkage == Some(Linkage::External) {
                    self.define(&var.name, Definition::Var(number, id));
                }
            }
        }
        self.taken = self.names.keys().map(|&name| name.to_owned()).collect();
        for (name, definition) in inline {
            self.names.entry(name).or_insert(definition);
        }
    }

    fn check_undefined(&mut self) {
        let mut told = FxHashSet::default();
        for (name, message) in self.objects.iter().flat_map(|object| &object.undefined) {
            if !self.names.contains_key(name.as_str()) && told.insert(name) {
                self.joint.errors.push_str(message);
            }
        }
    }

    fn define(&mut self, name: &'o str, definition: Definition) {
        if self.names.insert(name, definition).is_some() {
            self.joint.error(&format!("'{name}' is defined more than once in the linked programs"));
        }
    }

    /// Gives every definition a place in the joined module, and every builtin one for all objects.
    fn place(&mut self) {
        let mut library: FxHashMap<&'o str, FuncId> = FxHashMap::default();
        for (number, Object { unit, .. }) in self.objects.iter().enumerate() {
            let mut funcs = Vec::with_capacity(unit.module.funcs.len());
            for (id, func) in unit.module.funcs.iter() {
                let is_weak = unit.func_linkage.get(id.index()) == Some(&Linkage::Weak);
                let is_replaced = is_weak && self.names.contains_key(func.name.as_str());
                if is_replaced {
                    self.joint.replaced.insert((number, id));
                }
                if is_replaced || !func.has_body() && !func.is_builtin {
                    funcs.push(None);
                    continue;
                }
                if let Some(&known) = library.get(func.name.as_str()).filter(|_| func.is_builtin) {
                    funcs.push(Some(known));
                    continue;
                }
                let is_external = unit.func_linkage.get(id.index()) == Some(&Linkage::External);
                let name = if is_external || func.is_builtin { func.name.clone() } else { self.unique(&func.name) };
                let mut declared = Func::declaration(name, func.params.clone(), func.ret);
                (declared.is_kernel, declared.is_builtin) = (func.is_kernel, func.is_builtin);
                let place = self.joint.to.funcs.push(declared);
                if func.is_builtin {
                    library.insert(&func.name, place);
                }
                funcs.push(Some(place));
            }
            for &(id, file) in &unit.wanted {
                if let Some(place) = funcs[id.index()].filter(|place| !self.joint.wanted.iter().any(|w| w.0 == *place))
                {
                    self.joint.wanted.push((place, file));
                }
            }
            self.joint.funcs.push(funcs);
            let mut vars = Vec::with_capacity(unit.module.globals.len());
            for (linkage, var) in unit.var_linkage.iter().zip(unit.module.globals.values()) {
                vars.push(linkage.map(|linkage| {
                    let is_external = linkage == Linkage::External;
                    let name = if is_external { var.name.clone() } else { self.unique(&var.name) };
                    // `fill` brings the contents.
                    let Global { space, size, align, .. } = *var;
                    let (init, variable) = (Init::default(), None);
                    self.joint.to.globals.push(Global { name, space, size, align, init, variable })
                }));
            }
            self.joint.vars.push(vars);
            self.joint.locals.push(self.joint.to.locals.len() as u32);
            for var in unit.module.locals.values() {
                self.joint.to.locals.push(var.clone());
            }
        }
    }

    /// The name, or a new one if something else has it.
    fn unique(&mut self, name: &str) -> String {
        if name.is_empty() || self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let fresh = (1..).map(|n| format!("{name}.{n}")).find(|fresh| !self.taken.contains(fresh)).unwrap_or_default();
        self.taken.insert(fresh.clone());
        fresh
    }

    /// Gives every declaration the place of its definition.
    fn bind(&mut self) {
        let objects = self.objects;
        for (number, Object { unit, .. }) in objects.iter().enumerate() {
            for (id, func) in unit.module.funcs.iter() {
                if self.joint.funcs[number][id.index()].is_some() {
                    continue;
                }
                match self.names.get(func.name.as_str()) {
                    None => {}
                    Some(&Definition::Func(other, definition)) => {
                        let place = self.joint.funcs[other][definition.index()];
                        let found = &objects[other].unit.module.funcs[definition];
                        if found.params != func.params || found.ret != func.ret {
                            self.joint.error(&format!("'{}' is declared and defined with different types", func.name));
                        }
                        self.joint.funcs[number][id.index()] = place;
                    }
                    Some(Definition::Var(..)) => self.kinds_differ(&func.name),
                }
            }
            for (id, var) in unit.module.globals.iter() {
                if self.joint.vars[number][id.index()].is_some() {
                    continue;
                }
                match self.names.get(var.name.as_str()) {
                    None => {}
                    Some(&Definition::Var(other, definition)) => {
                        let place = self.joint.vars[other][definition.index()];
                        let found = &objects[other].unit.module.globals[definition];
                        if found.space != var.space {
                            let name = &var.name;
                            self.joint.error(&format!("'{name}' is declared and defined in different address spaces"));
                        }
                        // An incomplete struct or array has no size in the declaration.
                        if var.size > found.size {
                            self.joint.error(&format!("'{}' is declared larger than it is defined", var.name));
                        }
                        self.joint.vars[number][id.index()] = place;
                    }
                    Some(Definition::Func(..)) => self.kinds_differ(&var.name),
                }
            }
        }
    }

    fn kinds_differ(&mut self, name: &str) {
        self.joint.error(&format!("'{name}' is a function in one of the linked programs and a variable in another"));
    }
}

impl Joint {
    fn error(&mut self, message: &str) {
        self.errors.push_str("error: ");
        self.errors.push_str(message);
        self.errors.push('\n');
    }

    /// Brings an object's bodies, initialisers and kernels, now that everything has its place.
    fn fill(&mut self, number: usize, unit: Lowered) {
        let Lowered { mut module, var_linkage, .. } = unit;
        let n_kernels = self.to.kernels.len() as u32;
        for id in module.funcs.keys() {
            if !module.funcs[id].has_body() || self.replaced.contains(&(number, id)) {
                continue;
            }
            let mut body = std::mem::replace(&mut module.funcs[id], Func::declaration("", Vec::new(), None));
            for data in body.insts.values_mut() {
                match (data.op, &mut data.imm) {
                    (Op::Call, Imm::Func(callee)) => *callee = self.func(number, *callee, &module),
                    (Op::Device, Imm::Device(_, kernel)) => *kernel += n_kernels,
                    (Op::GlobalAddr, Imm::Global(var)) => *var = self.var(number, *var, &module),
                    (Op::LocalAddr, Imm::LocalVar(var)) => *var = LocalVarId(var.0 + self.locals[number]),
                    _ => {}
                }
            }
            let place = self.func(number, id, &module);
            body.name.clone_from(&self.to.funcs[place].name);
            self.to.adopt_origins(&mut body.origins, &module.sources);
            self.to.funcs[place] = body;
        }
        self.to.is_debug |= module.is_debug;
        self.to.is_scalar |= module.is_scalar;
        for id in module.globals.keys().filter(|id| var_linkage[id.index()].is_some()) {
            let mut init = std::mem::take(&mut module.globals[id].init);
            for (_, target, _) in &mut init.relocs {
                *target = self.var(number, *target, &module);
            }
            let mut variable = std::mem::take(&mut module.globals[id].variable);
            if let Some(variable) = &mut variable {
                self.to.adopt_origins(&mut variable.origins, &module.sources);
            }
            let place = self.var(number, id, &module);
            let global = &mut self.to.globals[place];
            (global.init, global.variable) = (init, variable);
        }
        for (info, id) in std::mem::take(&mut module.kernels) {
            let place = self.func(number, id, &module);
            self.to.kernels.push((info, place));
        }
    }

    fn func(&mut self, number: usize, id: FuncId, from: &Module) -> FuncId {
        self.funcs[number][id.index()].unwrap_or_else(|| {
            self.error(&format!("undefined reference to '{}'", from.funcs[id].name));
            id
        })
    }

    fn var(&mut self, number: usize, id: GlobalId, from: &Module) -> GlobalId {
        self.vars[number][id.index()].unwrap_or_else(|| {
            self.error(&format!("undefined reference to '{}'", from.globals[id].name));
            id
        })
    }

    /// The front end has refused recursion within each object; calls across objects can close a circle.
    fn check_recursion(&mut self) {
        let n = self.to.funcs.len();
        let callees = |func: &Func| func.insts.values().filter_map(InstData::callee).collect();
        let calls: Vec<Vec<FuncId>> = self.to.funcs.values().map(callees).collect();
        // Functions that call nothing (any more) are taken away until none is left, or only circles and their callers.
        let mut n_open: Vec<usize> = calls.iter().map(Vec::len).collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (caller, callees) in calls.iter().enumerate() {
            callees.iter().for_each(|callee| callers[callee.index()].push(caller));
        }
        let mut done: Vec<usize> = (0..n).filter(|&f| n_open[f] == 0).collect();
        let mut next = 0;
        while let Some(&f) = done.get(next) {
            next += 1;
            for &caller in &callers[f] {
                n_open[caller] -= 1;
                if n_open[caller] == 0 {
                    done.push(caller);
                }
            }
        }
        if let Some(f) = (0..n).find(|&f| n_open[f] > 0) {
            // Following open callees from anywhere ends in a circle after at most `n` steps.
            let step = |f: usize| calls[f].iter().map(|c| c.index()).find(|&c| n_open[c] > 0).unwrap_or(f);
            let on_circle = (0..n).fold(f, |f, _| step(f));
            let name = self.to.funcs[FuncId::from_index(on_circle)].name.clone();
            self.error(&format!(
                "'{name}' calls itself through another of the linked programs: recursion is not supported"
            ));
        }
    }
}
