//! Checks that a module keeps KIR's rules and prints what is wrong inside the function's text. `shape` proves that ids,
//! lists and immediates are in order; then `types` proves operand and result types, `ssa` that every use is dominated
//! by its definition. Knows no pass and repairs nothing.

mod shape;
mod ssa;
mod types;

use super::entity::{Block, FuncId, Inst};
use super::func::Func;
use super::module::Module;
use super::text::write::{FuncText, Line};
use crate::source::Span;
use std::fmt;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub line: Line,
    /// What.
    pub message: String,
}

/// The broken rules of one function.
#[derive(Clone, Debug)]
pub struct FuncErrors<'m> {
    module: &'m Module,
    func: &'m Func,
    /// False if the ids are so broken that the text cannot be printed.
    is_printable: bool,
    /// What is wrong, in text order within each check.
    pub errors: Vec<Error>,
}

impl FuncErrors<'_> {
    /// The function's name.
    pub fn name(&self) -> &str {
        &self.func.name
    }
    /// Where in the source an instruction with a broken rule stands.
    pub fn span(&self, error: &Error) -> Option<Span> {
        match error.line {
            Line::Inst(inst) if self.is_printable => Some(self.func.insts[inst].origin.span),
            _ => None,
        }
    }
}

/// The broken rules of a module.
#[derive(Clone, Debug, Default)]
pub struct Errors<'m> {
    /// Broken rules outside functions.
    pub module: Vec<String>,
    /// Functions with errors.
    pub funcs: Vec<FuncErrors<'m>>,
}

/// Verifies a whole module.
///
/// # Errors
/// Every broken rule found; display it for the annotated text.
pub fn verify(module: &Module) -> Result<(), Errors<'_>> {
    let mut errors = Errors { module: shape::module(module), funcs: Vec::new() };
    for id in module.funcs.keys() {
        if let Err(found) = verify_func(module, id) {
            errors.funcs.push(found);
        }
    }
    if errors.module.is_empty() && errors.funcs.is_empty() { Ok(()) } else { Err(errors) }
}

/// Verifies one function of a module. Linear but for the dominator tree.
///
/// # Errors
/// Every broken rule found.
pub fn verify_func(module: &Module, id: FuncId) -> Result<(), FuncErrors<'_>> {
    verify_in(module, &module.funcs[id])
}

/// Verifies a function that may call those of a module.
///
/// # Errors
/// As `verify_func`.
pub fn verify_in<'m>(module: &'m Module, func: &'m Func) -> Result<(), FuncErrors<'m>> {
    verify_with(module, func, true)
}

/// `verify_in` but for types: in legal form operations have types of their own, and so do calls.
///
/// # Errors
/// As `verify_func`.
pub fn verify_legal<'m>(module: &'m Module, func: &'m Func) -> Result<(), FuncErrors<'m>> {
    verify_with(module, func, false)
}

fn verify_with<'m>(module: &'m Module, func: &'m Func, has_kir_types: bool) -> Result<(), FuncErrors<'m>> {
    let mut found = List::default();
    shape::func(module, func, &mut found);
    let is_printable = found.errors.is_empty();
    if is_printable && func.has_body() {
        if has_kir_types {
            types::func(module, func, &mut found);
        }
        ssa::func(func, &mut found);
    }
    if found.errors.is_empty() { Ok(()) } else { Err(FuncErrors { module, func, is_printable, errors: found.errors }) }
}

/// Errors while they are collected.
#[derive(Default)]
struct List {
    errors: Vec<Error>,
}

impl List {
    fn head(&mut self, message: impl Into<String>) {
        self.errors.push(Error { line: Line::Head, message: message.into() });
    }
    fn label(&mut self, block: Block, message: impl Into<String>) {
        self.errors.push(Error { line: Line::Label(block), message: message.into() });
    }
    fn inst(&mut self, inst: Inst, message: impl Into<String>) {
        self.errors.push(Error { line: Line::Inst(inst), message: message.into() });
    }
    fn term(&mut self, block: Block, message: impl Into<String>) {
        self.errors.push(Error { line: Line::Term(block), message: message.into() });
    }
}

impl fmt::Display for Errors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in &self.module {
            writeln!(f, "error: {message}")?;
        }
        self.funcs.iter().try_for_each(|func| func.fmt(f))
    }
}

impl fmt::Display for FuncErrors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_printable {
            for Error { line, message } in &self.errors {
                writeln!(f, "error: {}: {line:?}: {message}", self.func.name)?;
            }
            return Ok(());
        }
        let text = FuncText { module: Some(self.module), func: self.func };
        text.annotated(f, &mut |f, line| {
            for error in self.errors.iter().filter(|e| e.line == line) {
                writeln!(f, "  ;^ error: {}", error.message)?;
            }
            Ok(())
        })
    }
}
