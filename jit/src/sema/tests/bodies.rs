//! Every body file of the builtin library passes sema, and every row finds its overload.

use super::Mode;
use crate::builtin::{self, table};
use crate::session::Session;
use crate::source::{Header, HeaderKind};
use rustc_hash::{FxHashMap, FxHashSet};

#[test]
fn every_row_finds_its_body() {
    let headers: Vec<Header> = builtin::paths()
        .iter()
        .filter_map(|path| path.strip_prefix("include/"))
        .map(|name| Header {
            name: name.into(),
            text: builtin::include(name).unwrap_or("").into(),
            kind: HeaderKind::Named,
        })
        .collect();
    let mut files: FxHashMap<&str, FxHashSet<String>> = FxHashMap::default();
    let mut problems = String::new();
    for &path in builtin::paths().iter().filter(|path| path.ends_with(".cl")) {
        let mut session = Session::new("-cl-std=CL3.0");
        let text = builtin::source(path);
        let tokens = crate::pp::Preprocessor::named(&mut session, path, text.as_bytes(), &headers).tokens();
        let ast = crate::parse::parse(&tokens, &mut session);
        let unit = super::check(&mut session, &ast, Mode::Builtin);
        if !session.diags.list().is_empty() {
            problems += &session.log(crate::diag::Style::Plain);
        }
        let names = unit.funcs.values().filter(|f| f.body.is_some()).map(|f| f.name.clone()).collect();
        files.insert(path, names);
    }
    for row in table::PUBLIC.iter().chain(table::INTRINSIC).flat_map(|rows| rows.iter()) {
        for (elem, width) in row.instances() {
            let Some((file, symbol)) = row.symbol(elem, width) else { continue };
            if !files.get(file).is_some_and(|names| names.contains(&symbol)) {
                problems += &format!("{file} has no {symbol}\n");
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}
