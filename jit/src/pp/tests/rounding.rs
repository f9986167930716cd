//! `SELECT_ROUNDING_MODE` and `__ROUNDING_MODE__`.

use super::{expand, expand_with, messages};

/// Expands a source that has warnings.
fn expand_warned(source: &str) -> String {
    expand_with("", source, &[]).0
}

/// Expands `source` below a line that enables the extension.
fn enabled(source: &str) -> String {
    let text = expand(&format!("#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n{source}"));
    let (pragma, rest) = text.split_once('>').expect("the pragma");
    assert!(pragma.starts_with("<Extension("), "{text}");
    rest.trim_start().to_owned()
}

#[test]
fn the_macro_names_the_mode() {
    let source = "__ROUNDING_MODE__\n#pragma OPENCL SELECT_ROUNDING_MODE rtz\n__ROUNDING_MODE__\n\
                  #pragma OPENCL SELECT_ROUNDING_MODE rtp\n__ROUNDING_MODE__\n\
                  #pragma OPENCL SELECT_ROUNDING_MODE rtn\n__ROUNDING_MODE__\n\
                  #pragma OPENCL SELECT_ROUNDING_MODE rte\n__ROUNDING_MODE__";
    assert_eq!(enabled(source), "rte <Rounding(Rtz)> rtz <Rounding(Rtp)> rtp <Rounding(Rtn)> rtn <Rounding(Rte)> rte");
}

#[test]
fn operator_form_works_inside_macros() {
    let source = "#define RM(m) _Pragma(#m) __ROUNDING_MODE__\n\
                  __ROUNDING_MODE__ RM(OPENCL SELECT_ROUNDING_MODE rtp) x __ROUNDING_MODE__";
    assert_eq!(enabled(source), "rte <Rounding(Rtp)> rtp x rtp");
    let source = "#define TEXT(x) #x\n#define MODE(m) PRAGMA(OPENCL SELECT_ROUNDING_MODE m)\n\
                  #define PRAGMA(x) _Pragma(#x)\nMODE(rtz) __ROUNDING_MODE__ MODE(rtn) __ROUNDING_MODE__";
    assert_eq!(enabled(source), "<Rounding(Rtz)> rtz <Rounding(Rtn)> rtn");
    let source = "#define DOWN _Pragma(\"OPENCL SELECT_ROUNDING_MODE rtn\")\nDOWN __ROUNDING_MODE__";
    assert_eq!(enabled(source), "<Rounding(Rtn)> rtn");
}

#[test]
fn functions_can_be_remapped() {
    let source = "#define CAT_(a, b) a ## b\n#define CAT(a, b) CAT_(a, b)\n#define foo CAT(foo_, __ROUNDING_MODE__)\n\
                  foo(1)\n#pragma OPENCL SELECT_ROUNDING_MODE rtp\nfoo(2)\n{\n\
                  #pragma OPENCL SELECT_ROUNDING_MODE rtz\nfoo(3) } foo(4)";
    assert_eq!(enabled(source), "foo_rte(1) <Rounding(Rtp)> foo_rtp(2) { <Rounding(Rtz)> foo_rtz(3) } foo_rtp(4)");
}

#[test]
fn a_compound_statement_ends_its_regions() {
    let source = "#define M __ROUNDING_MODE__\n#define UP _Pragma(\"OPENCL SELECT_ROUNDING_MODE rtp\")\n\
                  { M UP M { M } { UP M } M } M UP { } M { M } } M";
    let want =
        "{ rte <Rounding(Rtp)> rtp { rtp } { <Rounding(Rtp)> rtp } rtp } rte <Rounding(Rtp)> { } rtp { rtp } } rtp";
    assert_eq!(enabled(source), want);
}

/// Arguments are expanded ahead of their place, and again there.
#[test]
fn arguments_keep_their_regions() {
    let source = "#define M __ROUNDING_MODE__\n#define ID(x) x\n#define TWICE(x) x x\n#define NONE(x)\n\
                  #define UP _Pragma(\"OPENCL SELECT_ROUNDING_MODE rtp\")\n\
                  ID({ UP M }) M TWICE({ UP M } M) NONE(UP) M ID(UP M) M";
    let up = "<Rounding(Rtp)> rtp";
    assert_eq!(enabled(source), format!("{{ {up} }} rte {{ {up} }} rte {{ {up} }} rte rte {up} rtp"));
}

#[test]
fn without_the_extension_there_is_a_warning_and_no_effect() {
    let needs = "SELECT_ROUNDING_MODE needs '#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable' above it; \
                 pragma ignored";
    let select = "#pragma OPENCL SELECT_ROUNDING_MODE rtz\n__ROUNDING_MODE__";
    assert_eq!((expand_warned(select), messages(select)), ("rte".to_owned(), vec![needs.to_owned()]));
    let operator = "_Pragma(\"OPENCL SELECT_ROUNDING_MODE rtz\") __ROUNDING_MODE__";
    assert_eq!((expand_warned(operator), messages(operator)), ("rte".to_owned(), vec![needs.to_owned()]));
    let enable = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n";
    for off in ["cl_khr_select_fprounding_mode", "all"] {
        let source = format!("{enable}#pragma OPENCL EXTENSION {off} : disable\n{select}");
        assert_eq!(messages(&source), [needs], "{off}");
        assert!(expand_warned(&source).ends_with("rte"));
    }
    assert!(messages(&format!("{enable}{select}")).is_empty());
}

#[test]
fn unknown_modes_are_told_and_ignored() {
    for mode in ["up", "", "rtz rtz", "RTZ", "2", "rto"] {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n\
             #pragma OPENCL SELECT_ROUNDING_MODE rtp\n#pragma OPENCL SELECT_ROUNDING_MODE {mode}\n__ROUNDING_MODE__"
        );
        let message = "expected rte, rtz, rtp or rtn after SELECT_ROUNDING_MODE; pragma ignored";
        assert_eq!(messages(&source), [message], "{mode}");
        assert!(expand_warned(&source).ends_with("rtp"));
    }
}

#[test]
fn the_extension_is_a_macro() {
    assert_eq!(expand("cl_khr_select_fprounding_mode"), "1");
}
