//! Builtin functions of OpenCL C: what their names mean, which overloads they have and where their bodies are.
//!
//! `lookup` finds the rows of a public name, `lookup_intrinsic` those of a `__clift_` name that only bodies may call,
//! and `source` the text of a body file. The families `as_<type>` and `convert_<type>[_sat][_rounding]` (`Conversion`)
//! are resolved from the name and have no rows; `vec_step` and `sizeof` are operators.
//!
//! Body files under `jit/builtins/` are OpenCL C in *builtin mode*: C overloads (several functions with one name and
//! different parameter types) are allowed, `__clift_` intrinsics are visible, FP contraction is off, a name defined in
//! the file hides the builtin of that name for the overloads it defines, everything else resolves as in a user's
//! program of the highest version with every feature, unqualified pointer parameters point to the generic address
//! space. `#include "x.clh"` finds `jit/builtins/include/x.clh` (see `include`). Bodies of elementwise rows are scalar.
//! A row may name a second function of its file for `float` where the build options permit less precision
//! (`Row::relaxed`); `native_` and `half_` rows name it too. Where they ask for the nearest results, `Row::rounded` has
//! the function and its file. Knows nothing of the AST or of sema.

mod conversion;
pub mod library;
pub mod sig;
mod source;
mod special;
pub mod table;

pub use conversion::Conversion;
pub use sig::{
    Accesses, Attrs, Body, Concrete, Elem, Elems, Missing, Needs, Pat, Pointee, Quals, Row, Spaces, Widths, mangle,
};
pub use source::{include, includes, paths, source};
pub use special::{AtomicFn, PipeBy, PipeEnd, PipeFn, Special, SubGroupFn};

use std::sync::OnceLock;

/// Rows of the public builtin `name`, in table order; empty if there is no such builtin in any version.
pub fn lookup(name: &str) -> &'static [&'static Row] {
    range(index(&PUBLIC, table::PUBLIC), name)
}

/// Rows of the intrinsic `name` (`__clift_…`), which only body files may call.
pub fn lookup_intrinsic(name: &str) -> &'static [&'static Row] {
    range(index(&INTRINSIC, table::INTRINSIC), name)
}

/// Why a program of `version` with the features that `enabled` accepts cannot call `name` although it is a builtin:
/// `Some` only if every row is out of reach; then what the first row lacks.
pub fn missing(name: &str, version: u16, enabled: &dyn Fn(&str) -> bool) -> Option<Missing> {
    let rows = lookup(name);
    let mut lacks = rows.iter().map(|row| row.missing(version, enabled));
    let first = lacks.next()??;
    lacks.all(|lack| lack.is_some()).then_some(first)
}

/// Every public builtin name once, sorted: for suggestions after an undeclared name.
pub fn names() -> impl Iterator<Item = &'static str> {
    let rows = index(&PUBLIC, table::PUBLIC);
    rows.chunk_by(|a, b| a.name == b.name).map(|rows| rows[0].name)
}

static PUBLIC: OnceLock<Vec<&'static Row>> = OnceLock::new();
static INTRINSIC: OnceLock<Vec<&'static Row>> = OnceLock::new();

/// All rows of `tables` sorted by name (stable, so table order stays within a name); made once per process.
fn index(cell: &'static OnceLock<Vec<&'static Row>>, tables: &'static [&'static [Row]]) -> &'static [&'static Row] {
    cell.get_or_init(|| {
        let mut rows: Vec<&'static Row> = tables.iter().copied().flatten().collect();
        rows.sort_by_key(|row| row.name);
        rows
    })
}

fn range(rows: &'static [&'static Row], name: &str) -> &'static [&'static Row] {
    let start = rows.partition_point(|row| row.name < name);
    let len = rows[start..].partition_point(|row| row.name == name);
    &rows[start..start + len]
}
