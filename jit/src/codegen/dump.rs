//! Texts of a kernel at each stage of code generation: for `clift build --emit`, and for the developers' switch
//! `CLIFT_DUMP` (a directory, or `-` for standard error).

use super::{Backend, Compiled, Effort, generate};
use crate::error::CodeError;
use crate::files;
use crate::ir::text::write::FuncText;
use crate::ir::{Func, Module};
use crate::pipeline::Legal;
use crate::target::Target;
use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A stage of code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// KIR in legal form, as code generation begins.
    Kir,
    /// Cranelift's IR as it is given to Cranelift.
    Clif,
    /// Machine code of the host.
    Asm,
}

thread_local! {
    static EMITTING: Cell<bool> = const { Cell::new(false) };
}

/// The text of `root` and its callees at a stage, by a back end.
///
/// # Errors
/// As `compile`.
pub fn emit(backend: Backend, module: &Module, root: &Func, stage: Stage) -> Result<String, CodeError> {
    emit_for(backend, super::available(backend)?, module, root, stage)
}

/// As `emit`, whatever this processor has: for a target that is one of the back end's.
///
/// # Errors
/// `CodeError` for what the back end does not cover.
pub fn emit_for(
    backend: Backend,
    target: &'static Target,
    module: &Module,
    root: &Func,
    stage: Stage,
) -> Result<String, CodeError> {
    let (legal, functions) = with_texts(|| generate(backend, target, module, root, Effort::default()))?;
    Ok(if stage == Stage::Kir { kir(module, &legal) } else { text(&legal, &functions, stage) })
}

/// Makes code on this thread, and texts along with it.
pub(super) fn with_texts<T>(make: impl FnOnce() -> T) -> T {
    EMITTING.set(true);
    let made = make();
    EMITTING.set(false);
    made
}

/// Where `CLIFT_DUMP` says texts should go.
fn destination() -> Option<&'static PathBuf> {
    static DESTINATION: OnceLock<Option<PathBuf>> = OnceLock::new();
    DESTINATION.get_or_init(|| crate::env::var_os("CLIFT_DUMP").filter(|v| !v.is_empty()).map(PathBuf::from)).as_ref()
}

/// True if `CLIFT_DUMP` asks for texts of all code.
pub fn is_dumping() -> bool {
    destination().is_some()
}

/// True if texts are to be made along with code.
pub(super) fn wanted() -> bool {
    EMITTING.get() || destination().is_some()
}

/// Writes what `CLIFT_DUMP` asks for. A failure to write is not worth failing a build.
pub(super) fn dump_all(module: &Module, legal: &Legal, functions: &[Compiled]) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Some(destination) = destination() else { return };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    for (stage, suffix) in [(Stage::Kir, "kir"), (Stage::Clif, "clif"), (Stage::Asm, "asm")] {
        let text = if stage == Stage::Kir { kir(module, legal) } else { text(legal, functions, stage) };
        if destination.as_os_str() == "-" {
            eprintln!("{text}");
        } else {
            let name: String =
                legal.root.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
            let _ = std::fs::create_dir_all(destination);
            let path = destination.join(format!("{name}.{number}.{suffix}"));
            let _ = files::replace(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        }
    }
}

/// The functions in KIR.
fn kir(module: &Module, legal: &Legal) -> String {
    let funcs = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, f)| f));
    funcs.map(|func| format!("{}\n", FuncText { module: Some(module), func })).collect()
}

fn text(legal: &Legal, functions: &[Compiled], stage: Stage) -> String {
    let mut text = String::new();
    let names = std::iter::once(&legal.root).chain(legal.callees.iter().map(|(_, f)| f)).map(|f| &f.name);
    for (function, name) in functions.iter().zip(names) {
        let body = match stage {
            Stage::Kir => &None,
            Stage::Clif => &function.clif,
            Stage::Asm => &function.asm,
        };
        let bytes = function.blob.code.len();
        let _ = writeln!(text, "; {name}: {bytes} bytes of code, {} bytes of stack", function.frame_bytes);
        text.push_str(body.as_deref().unwrap_or("; not made by Cranelift; CLIFT_ISA=v128 has it made so\n"));
        text.push('\n');
    }
    text
}
