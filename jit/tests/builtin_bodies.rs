//! Every body file goes through the front end without a word, and defines what the rows promise, with the promised
//! types.

use clift_jit::builtin::{self, Body, Concrete, table};
use clift_jit::diag::Style;
use clift_jit::ir::{Module, verify};
use clift_jit::options::Precision;
use clift_jit::session::Session;
use clift_jit::{Header, HeaderKind};
use clift_jit::{lower, parse, pp, sema};
use std::collections::HashMap;

/// A body file in KIR, its calls to other files still open.
fn compile(file: &str) -> Module {
    let mut session = Session::new("-cl-std=CL3.0");
    let headers: Vec<Header> = builtin::includes()
        .map(|(name, text)| Header { name: name.to_owned(), text: text.to_owned(), kind: HeaderKind::Named })
        .collect();
    let tokens = pp::Preprocessor::new(&mut session, builtin::source(file).as_bytes(), &headers).tokens();
    let ast = parse::parse(&tokens, &mut session);
    let unit = sema::check(&mut session, &ast, sema::Mode::Builtin);
    let log = session.log(Style::Plain);
    assert!(log.is_empty(), "{file}:\n{log}");
    let module = lower::lower(&unit, lower::Extras::empty()).module;
    if let Err(errors) = verify::verify(&module) {
        panic!("{file}:\n{errors}");
    }
    module
}

const PRECISIONS: [Precision; 3] = [Precision::Normal, Precision::Less, Precision::Nearest];

#[test]
fn body_files_compile_and_define_what_rows_name() {
    let mut modules: HashMap<&'static str, Module> = HashMap::new();
    for row in table::PUBLIC.iter().copied().flatten() {
        if !matches!(row.body, Body::Cl { .. }) {
            continue;
        }
        let forms = |(elem, width)| PRECISIONS.map(|precision| (row.with_precision(elem, precision), elem, width));
        for (row, elem, width) in row.instances().flat_map(forms) {
            let Some((file, symbol)) = row.symbol(elem, width) else { continue };
            let module = modules.entry(file).or_insert_with(|| compile(file));
            let func = module.funcs.values().find(|func| func.name == symbol && func.has_body());
            let func = func.unwrap_or_else(|| panic!("{file} does not define {symbol}, wanted by {}", row.name));
            assert_eq!(func.params.len(), row.params.len(), "{symbol}");
            let result = row.ret.concrete(elem, width);
            assert_eq!(func.ret.is_some(), result != Concrete::Void, "{symbol}");
        }
    }
    // Files that only other files use are compiled too.
    for path in builtin::paths().iter().filter(|path| !path.starts_with("include/")) {
        modules.entry(path).or_insert_with(|| compile(path));
    }
}
