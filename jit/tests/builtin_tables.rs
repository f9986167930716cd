//! The builtin tables as data: every row is found by its name, every body exists, no two rows are one overload.

use clift_jit::builtin::{self, Attrs, Body, Concrete, Elem, Missing, Pat, PipeFn, Row, Special, mangle, table};
use clift_jit::features::BUILTINS;
use std::collections::HashSet;

fn rows(tables: &'static [&'static [Row]]) -> impl Iterator<Item = &'static Row> {
    tables.iter().copied().flatten()
}

#[test]
fn every_row_is_found_by_its_name() {
    for row in rows(table::PUBLIC) {
        assert!(builtin::lookup(row.name).iter().any(|found| std::ptr::eq(*found, row)), "{}", row.name);
        assert!(!row.name.starts_with("__") || row.name.starts_with("__builtin_"), "{}", row.name);
        assert!(!row.cite.is_empty(), "{} names no section", row.name);
        assert!(row.instances().next().is_some(), "{} has no instance", row.name);
    }
    for row in rows(table::INTRINSIC) {
        assert!(builtin::lookup_intrinsic(row.name).iter().any(|found| std::ptr::eq(*found, row)), "{}", row.name);
        assert!(row.name.starts_with("__clift_") && builtin::lookup(row.name).is_empty(), "{}", row.name);
        assert!(matches!(row.body, Body::Op(_)) && row.attrs.contains(Attrs::INTRINSIC), "{}", row.name);
    }
    assert!(builtin::lookup("no_such_function").is_empty());
}

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<_> = builtin::names().collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(names.contains(&"get_global_id") && names.contains(&"tgamma"));
}

#[test]
fn every_body_is_defined_and_every_file_used() {
    let mut used = HashSet::new();
    for row in rows(table::PUBLIC) {
        if let Body::Special(Special::Pipe(_)) = row.body {
            used.insert(PipeFn::FILE);
        }
        let Body::Cl { file, function } = row.body else { continue };
        let text = builtin::source(file);
        assert!(!text.is_empty(), "{file}, the body of {}, is not embedded", row.name);
        // `name(` in a definition or as the argument of the file's own expansion macro.
        let stem = function.strip_suffix("_lane").unwrap_or(function);
        // … or what an included header names its functions by.
        let named =
            text.contains(&format!("#define READ {stem}\n")) || text.contains(&format!("#define WRITE {stem}\n"));
        let defined = named || text.contains(&format!("{stem}(")) || text.contains(&format!("({stem},"));
        assert!(defined, "{file} does not define {function}");
        used.insert(file);
        used.extend(row.rounded.map(|(file, _)| file));
    }
    for path in builtin::paths() {
        let header = path.strip_prefix("include/").and_then(builtin::include);
        assert!(header.is_some() || used.contains(path), "{path} serves no row");
        assert!(builtin::source(path).starts_with("//"), "{path} does not say what it does");
    }
}

#[test]
fn no_two_rows_are_one_overload() {
    let mut seen = HashSet::new();
    for row in rows(table::PUBLIC) {
        for (elem, width) in row.instances() {
            let params = row.params.iter().map(|param| param.concrete(elem, width));
            // A generic-space letter stands for a whole set of spaces, so spell the sets out.
            let spaces: Vec<_> = params
                .clone()
                .filter_map(|param| match param {
                    Concrete::Ptr { spaces, .. } => Some(spaces.bits()),
                    _ => None,
                })
                .collect();
            assert!(seen.insert((mangle(row.name, params), spaces)), "{} at {elem:?} × {width}", row.name);
        }
    }
}

#[test]
fn halves_behind_pointers_have_bodies_of_their_own() {
    for row in rows(table::PUBLIC) {
        let to_half =
            row.params.iter().any(|p| matches!(p, Pat::Out(to) | Pat::Ptr(to, ..) if matches!(to, Pat::T | Pat::E)));
        let via_float = row.elems.has(Elem::Half) && row.attrs.contains(Attrs::HALF_VIA_FLOAT);
        assert!(!(to_half && via_float), "{} would write floats", row.name);
    }
}

#[test]
fn symbols_name_the_scalar_overload_of_elementwise_rows() {
    let exp = builtin::lookup("exp")[0];
    assert_eq!(exp.symbol(Elem::Double, 4), Some(("math/exp.cl", "exp.f64".into())));
    assert_eq!(exp.symbol(Elem::Half, 8), Some(("math/exp.cl", "exp.f32".into())));
    let dot = builtin::lookup("dot").iter().find(|row| row.elems.has(Elem::Float)).expect("there is one");
    assert_eq!(dot.symbol(Elem::Float, 4), Some(("geometric/dot.cl", "dot.v4f32.v4f32".into())));
    let remquo = builtin::lookup("remquo")[0];
    assert_eq!(remquo.symbol(Elem::Float, 2), Some(("math/fmod.cl", "remquo.f32.f32.xi32".into())));
    assert_eq!(builtin::lookup("fma")[0].symbol(Elem::Float, 1), None);
}

#[test]
fn missing_says_what_a_program_lacks() {
    let none = |_: &str| false;
    assert_eq!(builtin::missing("get_enqueued_local_size", 120, &none), Some(Missing::Version(200)));
    assert_eq!(builtin::missing("bit_reverse", 300, &none), Some(Missing::Feature("cl_khr_extended_bit_ops")));
    assert_eq!(builtin::missing("atom_add", 100, &none), None);
    assert_eq!(builtin::missing("sin", 100, &none), None);
    assert_eq!(builtin::missing("no_such_function", 100, &none), None);
}

/// `__has_builtin` knows the functions of the tables with Clang's names, and the two operators.
#[test]
fn programs_can_ask_for_clangs() {
    let operators = ["__builtin_astype", "__builtin_offsetof"];
    let mut found: Vec<&str> =
        builtin::names().filter(|name| name.starts_with("__builtin_")).chain(operators).collect();
    found.sort_unstable();
    assert_eq!(found, BUILTINS);
}
