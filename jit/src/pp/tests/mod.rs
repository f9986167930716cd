//! The preprocessor as a whole: text in, tokens and logs out. `robust` has limits, random input and rendered
//! diagnostics.

mod robust;
mod rounding;

use super::Preprocessor;
use crate::diag::Style;
use crate::intern::kw;
use crate::lex::float::{Format, convert};
use crate::lex::raw::RawKind;
use crate::lex::token::{
    FloatSuffix, IntFlags, IntToken, PragmaExtension, PragmaKind, PragmaRounding, PragmaSwitch, Punct, Token,
    TokenFlags, TokenKind,
};
use crate::session::Session;
use crate::source::{Header, HeaderKind};
use std::fmt::Write;

/// The text after preprocessing: tokens with a blank where there is white space.
fn expand_with(options: &str, source: &str, headers: &[Header]) -> (String, String) {
    let mut session = Session::new(options);
    let mut pp = Preprocessor::new(&mut session, source.as_bytes(), headers);
    let mut out = String::new();
    loop {
        let token = pp.next_unit();
        if token.kind == RawKind::Eof {
            break;
        }
        if token.flags.is_spaced() && !out.is_empty() {
            out.push(' ');
        }
        match token.kind {
            RawKind::Pragma => write!(out, "<{:?}>", pp.pragmas[token.data as usize]).unwrap(),
            _ => out.push_str(token.text(&pp.session.interner)),
        }
    }
    (out, session.log(Style::Plain))
}

/// `expand_with` for sources without mistakes.
fn expand(source: &str) -> String {
    let (out, log) = expand_with("", source, &[]);
    assert_eq!(log, "", "{source}");
    out
}

/// The build log of a source.
fn log(source: &str) -> String {
    tokens(source.as_bytes()).1
}

/// The messages in the log, without places.
fn messages(source: &str) -> Vec<String> {
    let mut session = Session::new("");
    Preprocessor::new(&mut session, source.as_bytes(), &[]).tokens();
    session.diags.list().iter().map(|d| d.message.clone()).collect()
}

fn tokens(source: &[u8]) -> (Vec<TokenKind>, String) {
    let mut session = Session::new("");
    let tokens = Preprocessor::new(&mut session, source, &[]).tokens();
    (tokens.iter().map(|t| t.kind).collect(), session.log(Style::Plain))
}

fn header(name: &str, text: &str) -> Header {
    Header { name: name.into(), text: text.into(), kind: HeaderKind::Named }
}

#[test]
fn object_macros() {
    assert_eq!(expand("#define A 1\n#define B A + A\nB; C"), "1 + 1; C");
    assert_eq!(expand("#define E\n[E] [ E ]"), "[] [ ]");
    assert_eq!(expand("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(expand("#define A A b\nA"), "A b");
    assert_eq!(expand("#define A 1\n#undef A\n#undef A\nA"), "A");
    assert_eq!(expand("# \n#\n# define A 2 // c\n/* x */ # /* y */ define B A /* z\n */\nB"), "2");
}

#[test]
fn function_macros() {
    assert_eq!(expand("#define F(x) x+x\nF(1) F (2) F\n(3) F ( (4,5) ) F"), "1+1 2+2 3+3 (4,5)+(4,5) F");
    assert_eq!(expand("#define F(x,y) [x|y]\nF(,) F(a,) F( , b c)"), "[|] [a|] [|b c]");
    assert_eq!(expand("#define Z() z\nZ() Z( ) Z"), "z z Z");
    assert_eq!(expand("#define F(x) x\n#define G F\nG(1) F(F)(2) F(F(3))"), "1 F(2) 3");
    assert_eq!(expand("#define F (x)\nF"), "(x)");
    assert_eq!(
        expand("#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(MAX(1, 2), 3)"),
        "((((1) > (2) ? (1) : (2))) > (3) ? (((1) > (2) ? (1) : (2))) : (3))"
    );
    // The arguments may hold directives, comments and line ends.
    assert_eq!(expand("#define F(x) {x}\nF(1 // one\n#define Q 7\n+ Q)"), "{1 + 7}");
    assert_eq!(expand("#define F(x) x G\n#define G(y) y\nF(G)(1)"), "G 1");
}

#[test]
fn variadic_macros() {
    assert_eq!(expand("#define P(f, ...) p(f, __VA_ARGS__)\nP(a, b, c) P(a, ) P(a)"), "p(a, b, c) p(a, ) p(a, )");
    assert_eq!(expand("#define P(...) p(__VA_ARGS__) #__VA_ARGS__\nP(a,b , c) P()"), "p(a,b , c) \"a,b , c\" p() \"\"");
    assert_eq!(expand("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(a) P(a,) P(a, b, c)"), "p(a) p(a) p(a,b, c)");
    assert_eq!(expand("#define P(f, rest...) p(f, ## rest)\nP(a) P(a, 1, 2)"), "p(a) p(a, 1, 2)");
}

#[test]
fn c99_example_3() {
    // C99, 6.10.3.5, example 3.
    let source = "\
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
";
    assert_eq!(
        expand(source),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); \
         f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); \
         int i[] = { 1, 23, 4, 5, }; \
         char c[2][6] = { \"hello\", \"\" };"
    );
}

#[test]
fn c99_example_4() {
    // C99, 6.10.3.5, example 4; the include becomes a string here.
    let source = r#"
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
== 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
"#;
    assert_eq!(
        expand(source),
        r#"printf("x" "1" "= %d, x" "2" "= %s", x1, x2); fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s); "vers2.h" "hello"; "hello" ", world""#
    );
}

#[test]
fn c99_example_5_and_7() {
    // C99, 6.10.3.5, examples 5 and 7.
    assert_eq!(
        expand(
            "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };"
        ),
        "int j[] = { 123, 45, 67, 89, 10, 11, 12, };"
    );
    let source = "\
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test):\\
 printf(__VA_ARGS__))
debug(\"Flag\");
debug(\"X = %d\\n\", x);
showlist(The first, second, and third items.);
report(x>y, \"x is %d but y is %d\", x, y);
";
    assert_eq!(
        expand(source),
        "fprintf(stderr, \"Flag\"); fprintf(stderr, \"X = %d\\n\", x); \
         puts(\"The first, second, and third items.\"); \
         ((x>y)?puts(\"x>y\"): printf(\"x is %d but y is %d\", x, y));"
    );
}

#[test]
fn c99_example_of_hash_hash() {
    // C99, 6.10.3.3: the result of ## is no operator.
    let source = "\
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
";
    assert_eq!(expand(source), "char p[] = \"x ## y\";");
}

#[test]
fn redefinition() {
    // C99, 6.10.3.5, example 6.
    let same =
        "#define OBJ (1-1)\n#define OBJ /* x */ (1-1) /* y */\n#define F(a) ( a )\n#define F( a )( /* x */ a \\\n )\n";
    assert_eq!(messages(same), [""; 0]);
    for other in ["#define OBJ (0)", "#define OBJ (1 - 1)", "#define OBJ(x) (1-1)"] {
        assert_eq!(messages(&format!("#define OBJ (1-1)\n{other}\n")), ["macro 'OBJ' redefined"], "{other}");
    }
    // Programs may have their own idea of our constants.
    assert_eq!(expand("#define M_PI 3\nM_PI"), "3");
}

#[test]
fn stringify() {
    assert_eq!(
        expand(
            r##"#define S(x) #x
S( a  +   b ) S("a\n") S('"') S("\\") S(a/**/b) S()"##
        ),
        r#""a + b" "\"a\\n\"" "'\"'" "\"\\\\\"" "a b" """#
    );
    assert_eq!(expand("#define S(x) #x\n#define X(x) S(x)\n#define E\nX(a E-b) X(E)"), "\"a -b\" \"\"");
    assert_eq!(messages("#define S(x) #x\nS(\\)"), ["'#' does not make a valid string literal of this argument"]);
}

#[test]
fn paste_mistakes() {
    assert_eq!(messages("#define J(a,b) a##b\nJ(+,x)"), ["pasting formed '+x', which is no token"]);
    assert_eq!(messages("#define J(a,b) a##b\nJ(/,/)"), ["pasting formed '//', which is no token"]);
    assert_eq!(expand("#define J(a,b) a##b\nJ(<,<=) J(1,e3) J(.,5) J(L,x)"), "<<= 1e3 .5 Lx");
    assert_eq!(expand("#define O a##b##c\n#define abc 9\nO"), "9");
    assert_eq!(
        messages("#define A ## b\n#define B a ##\n"),
        ["'##' cannot appear at either end of a macro expansion"; 2]
    );
    assert_eq!(messages("#define F(x) #y"), ["'#' is not followed by a macro parameter"]);
    assert_eq!(expand("#define O #x\nO"), "#x");
}

#[test]
fn bad_definitions() {
    for (source, message) in [
        ("#define", "macro name missing"),
        ("#define 3", "macro name must be an identifier"),
        ("#define defined", "this name cannot be a macro"),
        ("#define F(", "missing ')' in macro parameter list"),
        ("#define F(a", "missing ')' in macro parameter list"),
        ("#define F(a,", "missing ')' in macro parameter list"),
        ("#define F(a b)", "expected ',' or ')' in macro parameter list"),
        ("#define F(a,a) a", "duplicate macro parameter name"),
        ("#define F(1) a", "expected a parameter name in macro parameter list"),
        ("#define F(..., a) a", "expected ',' or ')' in macro parameter list"),
        ("#define F __VA_ARGS__", "__VA_ARGS__ can only appear in the expansion of a variadic macro"),
        ("#define A+1", "white space is missing after the macro's name"),
        ("#undef", "macro name missing"),
        ("#undef A B", "extra tokens at end of #undef directive"),
        ("#foo", "invalid preprocessing directive '#foo'"),
        ("#+", "invalid preprocessing directive"),
        ("#define F(x) x\nF(1", "unterminated argument list invoking macro 'F'"),
        ("#define F(x) x\nF(1,2)", "too many arguments for macro 'F': it takes 1, here are 2"),
        ("#define F(x,y) x\nF(1)", "too few arguments for macro 'F': it takes 2, here is 1"),
        ("#define F() x\nF(1)", "too many arguments for macro 'F': it takes 0, here is 1"),
        ("#define F(x,y,...) x\nF(1)", "too few arguments for macro 'F': it takes at least 2, here is 1"),
    ] {
        assert_eq!(messages(source), [message], "{source}");
    }
}

#[test]
fn conditionals() {
    assert_eq!(expand("#if 1\na\n#else\nb\n#endif\nc"), "a c");
    assert_eq!(expand("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif"), "b");
    assert_eq!(expand("#ifdef X\na\n#else\nb\n#endif\n#define X\n#ifdef X\nc\n#endif\n#ifndef X\nd\n#endif"), "b c");
    assert_eq!(expand("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 0\n#else\nc\n#endif"), "c");
    assert_eq!(expand("#if 0\n#error no\n don't \"open\n/* #endif\n*/ #bogus\n#if bogus(\n#endif\n#endif\nx"), "x");
    assert_eq!(expand("#if 1\n#elif 1/0\n#endif\n#if 0 && 1/0\n#endif\n#ifdef A\n#elifndef A\ny\n#endif"), "y");
    assert_eq!(expand("#define D defined(A)\n#define A\n#if D && defined A && !defined(B)\nok\n#endif"), "ok");
    for (source, message) in [
        ("#if\n#endif", "#if with no expression"),
        ("#if 1", "unterminated conditional directive"),
        ("#endif", "#endif without #if"),
        ("#else", "#else without #if"),
        ("#elif 1", "#elif without #if"),
        ("#if 0\n#else\n#else\n#endif", "#else after #else"),
        ("#if 1\n#else\n#elif 1\n#endif", "#elif after #else"),
        ("#ifdef\n#endif", "macro name missing in #ifdef"),
        ("#if defined\n#endif", "operator 'defined' needs a macro name"),
        ("#if 1\n#endif x", "extra tokens at end of #endif directive"),
    ] {
        assert_eq!(messages(source), [message], "{source}");
    }
}

#[test]
fn what_the_compiler_has() {
    let holds = |text: &str| expand(&format!("#if {text}\nyes\n#else\nno\n#endif")) == "yes";
    for has in ["__has_builtin", "__has_attribute", "__has_feature", "__has_extension"] {
        assert_eq!(expand(&format!("#ifdef {has}\nyes\n#endif")), "yes");
        assert!(holds(&format!("defined {has} && !{has}(__builtin_nontemporal_load)")), "{has}");
        let message = format!("'{has}' needs a name in parentheses");
        for rest in ["", "(", "()", "(1)", "(a", "(a b)", "(a, b)"] {
            assert_eq!(messages(&format!("#if {has}{rest}\n#endif")).first(), Some(&message), "{has}{rest}");
        }
    }
    assert!(holds("__has_builtin(__builtin_expect) && __has_builtin(__builtin_astype) && !__has_builtin(sin)"));
    assert!(holds("__has_attribute(aligned) && __has_attribute(__packed__) && !__has_attribute(bogus)"));
    assert!(holds("__has_extension(c_static_assert)"));
    // The name is not expanded, the whole may come out of a macro, and stands anywhere.
    assert_eq!(expand("#define packed 1\n#define HAS(x) __has_attribute(x)\n#if HAS(aligned)\nok\n#endif"), "ok");
    assert_eq!(expand("#define packed 1\n__has_attribute(packed)"), "1");
}

#[test]
fn condition_arithmetic() {
    for (text, holds) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 9", true),
        ("10 - 3 - 2 == 5", true),
        ("-1 < 0", true),
        ("-1 < 0u", false),
        ("-1 > 0u", true),
        ("1 ? 0 : 1", false),
        ("0 ? 1 : 0 ? 1 : 2", true),
        ("1 || 1/0", true),
        ("0 && 1/0", false),
        ("(1 ? 2 : 1/0) == 2", true),
        ("1 << 40 == 1099511627776", true),
        ("0xffffffffffffffff == -1", true),
        ("0x7fffffffffffffff + 1 < 0", true),
        ("-7 / 2 == -3 && -7 % 2 == -1", true),
        ("-8 >> 1 == -4", true),
        ("'A' == 65 && '\\n' == 10 && '\\377' < 0", true),
        ("~0 == -1 && !0 && +1", true),
        ("5 & 3 ^ 1 | 8", true),
        ("1 < 2 == 1", true),
        ("undefined_name", false),
        ("true && !false", true),
        ("(-1 ? -1 : 0u) > 0", true),
        ("-9223372036854775807 - 1 < 0 && (-9223372036854775807 - 1) / -1 < 0", true),
        ("__OPENCL_C_VERSION__ >= CL_VERSION_1_2", true),
    ] {
        assert_eq!(expand(&format!("#if {text}\nyes\n#endif")) == "yes", holds, "{text}");
    }
    for (text, message) in [
        ("1/0", "division by zero in #if expression"),
        ("1 %0", "division by zero in #if expression"),
        ("1 +", "expected a value in #if expression"),
        ("(1", "expected ')' in #if expression"),
        ("1 ? 2", "expected ':' in #if expression"),
        ("1 2", "unexpected token at end of #if expression"),
        ("1.0", "floating-point constant in #if expression"),
        ("\"a\"", "invalid token in #if expression"),
        ("F(1)", "function-like macro 'F' is not defined"),
        ("1 , 2", "comma operator in #if expression"),
        ("1 = 1", "unexpected token at end of #if expression"),
        ("1x", "invalid suffix 'x' on integer constant"),
    ] {
        assert_eq!(messages(&format!("#if {text}\n#endif")), [message], "{text}");
    }
}

#[test]
fn includes() {
    let headers = [
        header("a.h", "#pragma once\nA __FILE__ __LINE__"),
        header("dir/b.h", "#include \"c.h\"\nB"),
        header("dir/c.h", "#ifndef C_H\n#define C_H\nC\n#endif\n"),
        header("self.h", "#include \"self.h\"\n#include \"self.h\"\n"),
    ];
    let run = |source| expand_with("", source, &headers);
    assert_eq!(run("#include \"a.h\"\n#include <a.h>\nx").0, "A \"a.h\" 2 x");
    assert_eq!(run("#include <dir/b.h>\n#include \"dir/b.h\"").0, "C B B");
    assert_eq!(run("#define H <a.h>\n#include H\n#define G \"dir/c.h\"\n#include G").0, "A \"a.h\" 2 C");
    assert!(run("#include \"none.h\"\nx y z").1.contains("<kernel>:1:10: error: 'none.h' file not found\n"));
    assert!(run("#include \"self.h\"").1.contains("error: #include is nested too deeply\n"));
    assert_eq!(
        run("#include").1,
        "<kernel>:1:1: error: expected \"FILENAME\" or <FILENAME>\n1 | #include\n  | ^^^^^^^^\n"
    );
    let (_, log) =
        expand_with("", "\n#include \"e.h\"\n", &[header("e.h", "#include <f.h>\n"), header("f.h", "#error deep\n")]);
    assert_eq!(
        log,
        "in file included from e.h:1:\nin file included from <kernel>:2:\n\
         f.h:1:1: error: #error deep\n1 | #error deep\n  | ^^^^^^^^^^^\n"
    );
}

#[test]
fn includes_from_disk() {
    let dir = std::env::temp_dir().join(format!("clift-pp-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("sub")).unwrap();
    std::fs::write(dir.join("one.h"), "#include \"sub/two.h\"\none").unwrap();
    std::fs::write(dir.join("sub/two.h"), "#include \"three.h\"\ntwo").unwrap();
    std::fs::write(dir.join("sub/three.h"), "three\n").unwrap();
    let options = format!("-I \"{}\"", dir.display());
    let (out, log) = expand_with(&options, "#include <one.h>\n", &[]);
    let embedded = expand_with(&options, "#include <one.h>\n", &[header("one.h", "embedded")]).0;
    let folder = expand_with(&options, "#include <sub>\n", &[]).1;
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!((out.as_str(), log.as_str()), ("three two one", ""));
    assert_eq!(embedded, "embedded");
    let headers = [header("a/one.h", "#include \"../b/two.h\"\n"), header("./b/two.h", "both")];
    assert_eq!(expand_with("", "#include \"./a/../a/./one.h\"\n", &headers).0, "both");
    assert!(folder.contains("'sub' file not found"));
}

#[test]
fn places() {
    assert_eq!(expand("__LINE__\n\\\n__LINE__ /*\n\n*/ __LINE__"), "1 3 5");
    assert_eq!(expand("#line 40 \"x.cl\"\n__LINE__ __FILE__\n__LINE__"), "40 \"x.cl\" 41");
    assert_eq!(
        expand("#define L 7 \"a\\\\b\"\n#line L\n__LINE__ __FILE__\n#line 100\n__LINE__ __FILE__"),
        "7 \"a\\\\b\" 100 \"a\\\\b\""
    );
    assert_eq!(expand("# 5 \"pre.cl\" 1 3\n__LINE__ __FILE__"), "5 \"pre.cl\"");
    assert_eq!(expand("#define F(x) x __LINE__\n\nF(\n__LINE__)"), "4 3");
    assert_eq!(expand("__COUNTER__ __COUNTER__"), "0 1");
    assert_eq!(expand("__FILE__ \"\""), "\"<kernel>\" \"\"");
    for (source, message) in [
        ("#line", "#line needs a line number"),
        ("#line x", "#line needs a decimal line number"),
        ("#line 0x10", "#line needs a decimal line number"),
        ("#line 4294967296", "line number out of range"),
        ("#line 3 x", "#line needs a string literal as file name"),
    ] {
        assert_eq!(messages(source), [message], "{source}");
    }
    let text = "#line 20 \"orig.cl\"\n  @\n";
    assert!(log(text).starts_with("orig.cl:20:3: error: stray '@' in program\n20 |   @\n"), "{}", log(text));
}

#[test]
fn predefined_macros() {
    let (major, minor) = crate::features::VERSION;
    let numbers = expand("__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_3_0 __ENDIAN_LITTLE__");
    assert_eq!(numbers, format!("{major}{minor}0 120 300 1"));
    let version = |options| expand_with(options, "__OPENCL_C_VERSION__ __opencl_c_fp64 cl_khr_fp64 cl_khr_icd", &[]).0;
    assert_eq!(version("-cl-std=CL1.0"), "100 __opencl_c_fp64 1 cl_khr_icd");
    assert_eq!(version("-cl-std=CL2.0"), "200 __opencl_c_fp64 1 cl_khr_icd");
    assert_eq!(version("-cl-std=CL3.0"), "300 1 1 cl_khr_icd");
    let version = |options| expand_with(options, "CL_VERSION_3_1 memory_order_relaxed memory_scope_all_devices", &[]).0;
    assert_eq!(version("-cl-std=CL1.2"), "CL_VERSION_3_1 memory_order_relaxed memory_scope_all_devices");
    assert_eq!(version("-cl-std=CL2.0"), "CL_VERSION_3_1 0 memory_scope_all_devices");
    assert_eq!(version("-cl-std=CL3.1"), "310 0 3");
    assert_eq!(expand("__FAST_RELAXED_MATH__ __FINITE_MATH_ONLY__"), "__FAST_RELAXED_MATH__ __FINITE_MATH_ONLY__");
    assert_eq!(expand_with("-cl-fast-relaxed-math", "__FAST_RELAXED_MATH__ __FINITE_MATH_ONLY__", &[]).0, "1 1");
    assert_eq!(
        expand("__kernel_exec(4, float4) void f();"),
        "__kernel __attribute__((work_group_size_hint(4, 1, 1))) __attribute__((vec_type_hint(float4))) void f();"
    );
    assert_eq!(
        expand("#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nx\n#endif").rsplit(' ').next(),
        Some("x")
    );
    assert_eq!(expand("#undef INT_MAX\nINT_MAX\n#if FLT_DIG == 6 && FLT_MIN_EXP == -125\nok\n#endif"), "INT_MAX ok");
    let names: Vec<&str> = super::predefined::names().collect();
    let session = Session::new("");
    assert_eq!(session.interner.len(), kw::COUNT as usize + names.len(), "a word stands twice");
    // Every row is a definition that parses.
    for options in ["-cl-std=CL3.0 -cl-fast-relaxed-math", "-cl-std=CL1.0"] {
        for name in &names {
            let operand = if name.starts_with("__has_") { "(x)" } else { "" };
            let text = format!("#ifdef {name}\n{name}{operand}\n#endif\n");
            let (_, log) = expand_with(options, &text, &[]);
            assert_eq!(log, "", "{name}");
        }
    }
}

#[test]
fn constants_are_exact() {
    let value = |name: &str| {
        let mut session = Session::new("");
        let tokens = Preprocessor::new(&mut session, name.as_bytes(), &[]).tokens();
        let TokenKind::Float(float) = tokens[0].kind else { panic!("{name}") };
        let text = session.interner.text(float.text).to_owned();
        (float.value, float.suffix, convert(&text, Format::Float, PragmaRounding::Rtz).bits as u32)
    };
    assert_eq!(value("INFINITY"), (f64::INFINITY, FloatSuffix::Float, f32::INFINITY.to_bits()));
    assert_eq!(value("HUGE_VAL").0, f64::INFINITY);
    assert!(value("NAN").0.is_nan() && f32::from_bits(value("NAN").2).is_nan());
    use std::f32::consts as c32;
    use std::f64::consts as c64;
    for (name, double, float) in [
        ("M_E", c64::E, c32::E),
        ("M_LOG2E", c64::LOG2_E, c32::LOG2_E),
        ("M_LOG10E", c64::LOG10_E, c32::LOG10_E),
        ("M_LN2", c64::LN_2, c32::LN_2),
        ("M_LN10", c64::LN_10, c32::LN_10),
        ("M_PI", c64::PI, c32::PI),
        ("M_PI_2", c64::FRAC_PI_2, c32::FRAC_PI_2),
        ("M_PI_4", c64::FRAC_PI_4, c32::FRAC_PI_4),
        ("M_1_PI", c64::FRAC_1_PI, c32::FRAC_1_PI),
        ("M_2_PI", c64::FRAC_2_PI, c32::FRAC_2_PI),
        ("M_2_SQRTPI", c64::FRAC_2_SQRT_PI, c32::FRAC_2_SQRT_PI),
        ("M_SQRT2", c64::SQRT_2, c32::SQRT_2),
        ("M_SQRT1_2", c64::FRAC_1_SQRT_2, c32::FRAC_1_SQRT_2),
        ("DBL_MAX", f64::MAX, f32::MAX),
        ("DBL_MIN", f64::MIN_POSITIVE, 0.0),
        ("DBL_EPSILON", f64::EPSILON, f64::EPSILON as f32),
    ] {
        assert_eq!((value(name).0, value(name).1), (double, FloatSuffix::None), "{name}");
        assert_eq!(value(name).2, if name == "DBL_MAX" { f32::MAX.to_bits() } else { value(name).2 });
        if name.starts_with("M_") {
            let name = format!("{name}_F");
            assert_eq!((value(&name).2, value(&name).1), (float.to_bits(), FloatSuffix::Float), "{name}");
        }
    }
    assert_eq!(value("FLT_MAX").2, f32::MAX.to_bits());
    assert_eq!(value("FLT_MIN").2, f32::MIN_POSITIVE.to_bits());
    assert_eq!(value("FLT_EPSILON").2, f32::EPSILON.to_bits());
    assert_eq!(value("MAXFLOAT").2, f32::MAX.to_bits());
}

#[test]
fn code_can_tell_that_it_is_checked_and_that_it_need_not_be() {
    let source = "#ifdef __CLIFT_CHECK__\nchecked\n#else\nnot\n#endif";
    assert_eq!(expand_with("-clift-check=memory", source, &[]).0, "checked");
    assert_eq!(expand_with("", source, &[]).0, "not");
    let text = "#define F four five\none\n#pragma CLIFT CHECK OFF\ntwo _Pragma(\"CLIFT CHECK ON\") three\n\
                #pragma CLIFT CHECK OFF\nF\n#include \"six.h\"\n#pragma CLIFT CHECK DEFAULT\nF";
    let mut session = Session::new("");
    let headers = [header("six.h", "six\n#pragma CLIFT CHECK OFF\nseven\n")];
    let tokens = Preprocessor::new(&mut session, text.as_bytes(), &headers).tokens();
    let names = tokens.iter().filter_map(|token| match token.kind {
        TokenKind::Ident(name) => Some((session.interner.text(name), session.sources.is_checked(token.span))),
        _ => None,
    });
    let expected = [
        ("one", true),
        ("two", false),
        ("three", true),
        ("four", false),
        ("five", false),
        ("six", true),
        ("seven", false),
        ("four", true),
        ("five", true),
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn pragmas() {
    let kinds = |source: &str| {
        let (tokens, log) = tokens(source.as_bytes());
        let kinds = tokens.into_iter().filter_map(|t| if let TokenKind::Pragma(kind) = t { Some(kind) } else { None });
        (kinds.collect::<Vec<_>>(), log)
    };
    let names = Session::new("").interner;
    let fp64 = names.get("cl_khr_fp64").unwrap();
    for (source, kind) in [
        ("#pragma OPENCL FP_CONTRACT ON", PragmaKind::FpContract(PragmaSwitch::On)),
        ("#pragma STDC FP_CONTRACT OFF", PragmaKind::FpContract(PragmaSwitch::Off)),
        ("_Pragma(\"OPENCL FP_CONTRACT DEFAULT\")", PragmaKind::FpContract(PragmaSwitch::Default)),
        ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable", PragmaKind::Extension(fp64, PragmaExtension::Enable)),
        ("#pragma OPENCL EXTENSION cl_khr_fp64: disable", PragmaKind::Extension(fp64, PragmaExtension::Disable)),
        ("#pragma OPENCL EXTENSION all : disable", PragmaKind::Extension(kw::ALL, PragmaExtension::Disable)),
        ("#pragma unroll", PragmaKind::Unroll(None)),
        ("#define N 4\n#pragma unroll N", PragmaKind::Unroll(Some(4))),
        ("#pragma unroll(8)", PragmaKind::Unroll(Some(8))),
        ("#pragma unroll 1", PragmaKind::NoUnroll),
        ("#pragma GCC unroll 2", PragmaKind::Unroll(Some(2))),
        ("#pragma clang loop unroll(disable)", PragmaKind::NoUnroll),
        ("#pragma clang loop unroll_count(3)", PragmaKind::Unroll(Some(3))),
        ("#pragma nounroll", PragmaKind::NoUnroll),
    ] {
        assert_eq!(kinds(source), (vec![kind], String::new()), "{source}");
    }
    for ignored in [
        "#pragma",
        "#pragma foo bar",
        "#pragma 3 \"x",
        "#pragma STDC FENV_ACCESS ON",
        "#pragma unroll x",
        "_Pragma(\"\")",
    ] {
        assert_eq!(kinds(ignored), (vec![], String::new()), "{ignored}");
    }
    for (bad, message) in [
        ("#pragma OPENCL", "#pragma OPENCL needs more; ignored"),
        ("#pragma STDC FP_CONTRACT off", "expected ON, OFF or DEFAULT after FP_CONTRACT; pragma ignored"),
        ("#pragma OPENCL FP_CONTRACT ON OFF", "expected ON, OFF or DEFAULT after FP_CONTRACT; pragma ignored"),
        ("#pragma OPENCL FP_CONTRACT", "expected ON, OFF or DEFAULT after FP_CONTRACT; pragma ignored"),
        ("#pragma OPENCL EXTENSION cl_khr_fp64", "expected 'EXTENSION name : enable' or ': disable'; pragma ignored"),
        ("#pragma OPENCL EXTENSION all : enable", "'all' can only be disabled; pragma ignored"),
        ("#pragma OPENCL EXTENSION cl_x_y : enable", "extension 'cl_x_y' is not supported; pragma ignored"),
        (
            "#pragma OPENCL SELECT_ROUNDING_MODE up",
            "expected rte, rtz, rtp or rtn after SELECT_ROUNDING_MODE; pragma ignored",
        ),
        ("#pragma CLIFT CHECK", "expected CHECK ON or CHECK OFF after CLIFT; pragma ignored"),
        ("#pragma CLIFT NOCHECK ON", "expected CHECK ON or CHECK OFF after CLIFT; pragma ignored"),
        ("#pragma OPENCL NONSENSE", "unknown pragma OPENCL NONSENSE; ignored"),
        ("_Pragma(OPENCL)", "_Pragma takes a string literal in parentheses"),
    ] {
        assert_eq!(messages(bad), [message], "{bad}");
    }
    assert_eq!(
        expand(
            "#define ID(x) x\nID(a _Pragma(\"unroll 2\") b)\n#define cat(a,b) a##b\ncat(convert_float_,__ROUNDING_MODE__)"
        ),
        "a <Unroll(Some(2))> b convert_float___ROUNDING_MODE__"
    );
}

#[test]
fn literals() {
    let (kinds, log) = tokens(b"1u 0x10L 2.5f 'a' \"x\" \"y\\n\" /* c */\n\"z\" a");
    assert_eq!(log, "");
    assert_eq!(kinds[0], TokenKind::Int(IntToken { value: 1, flags: IntFlags::UNSIGNED | IntFlags::DECIMAL }));
    assert_eq!(kinds[1], TokenKind::Int(IntToken { value: 16, flags: IntFlags::LONG }));
    assert!(matches!(kinds[2], TokenKind::Float(f) if f.value == 2.5 && f.suffix == FloatSuffix::Float));
    assert_eq!(kinds[3], TokenKind::Char(97));
    assert!(matches!(kinds[4], TokenKind::Str(_)));
    assert!(matches!(kinds[5], TokenKind::Ident(_)));
    assert_eq!(kinds.len(), 7);
    let mut session = Session::new("");
    let all = Preprocessor::new(&mut session, b"\"x\" \"y\\0\" __FILE__", &[]).tokens();
    let TokenKind::Str(literal) = all[0].kind else { panic!() };
    assert_eq!(session.strings.bytes(literal), b"xy\0<kernel>");
    for (source, message) in [
        ("\"abc\nx", "missing terminating \" character"),
        ("'a\n", "missing terminating ' character"),
        ("''", "empty character constant"),
        ("1q", "invalid suffix 'q' on integer constant"),
        ("`", "stray '`' in program"),
        ("#define O #\nO", "stray '#' in program"),
        ("\u{201c}", "unexpected character '\u{201c}' <U+201C>"),
        ("\u{1}", "unexpected character <U+0001>"),
        ("/* abc", "unterminated /* comment"),
        ("\"\\q\"", "unknown escape sequence '\\q'"),
    ] {
        assert_eq!(messages(source), [message], "{source}");
    }
}

#[test]
fn token_flags_and_spans() {
    let source = b"ab +\n  c\\\nd e";
    let mut session = Session::new("");
    let all: Vec<Token> = Preprocessor::new(&mut session, source, &[]).tokens();
    let base = all[0].span.lo;
    let spans: Vec<(u32, u32)> = all.iter().map(|t| (t.span.lo - base, t.span.hi - base)).collect();
    assert_eq!(spans, [(0, 2), (3, 4), (7, 11), (12, 13), (13, 13)]);
    let flags: Vec<TokenFlags> = all.iter().map(|t| t.flags).collect();
    let (bol, space) = (TokenFlags::BOL, TokenFlags::SPACE);
    assert_eq!(flags[..4], [bol, space, bol | space, space]);
    assert!(matches!(all[2].kind, TokenKind::Ident(s) if session.interner.text(s) == "cd"));
    assert_eq!(session.sources.lookup(all[3].span.lo).line, 3);
}

#[test]
fn punctuation() {
    for &punct in Punct::ALL {
        let (kinds, log) = tokens(format!("a {punct} b").as_bytes());
        if matches!(punct, Punct::Hash | Punct::HashHash) {
            assert!(log.contains("stray"), "{punct}");
        } else {
            assert_eq!(kinds[1], TokenKind::Punct(punct));
        }
    }
    assert_eq!(expand("a+++b a<<=b a->b a...b <:x:> <% %>"), "a+++b a<<=b a->b a...b [x] { }");
}

#[test]
fn odd_bytes() {
    assert_eq!(expand("a\r\nb\\\r\nc \\\r\n d"), "a bc d");
    assert_eq!(expand("\u{feff}a /* \u{e9} */ \"\u{e9}\" \u{e9}t\u{e9}"), "a \"\u{e9}\" \u{e9}t\u{e9}");
    let (kinds, log) = tokens(b"a\0b");
    assert_eq!(kinds.len(), 3);
    assert!(log.contains("warning: null character ignored"));
    for bad in [&b"int \xff;"[..], b"\xf0\x90"] {
        assert!(tokens(bad).1.contains("error: unexpected byte 0x"), "{bad:?}");
    }
    // Comments, strings and characters in another encoding pass through.
    for good in [&b"// \xc3\x28\nx"[..], b"/* Gr\xfc\xdfe */ x", b"// \xf0\x90\\\n\xff\nx"] {
        assert_eq!(tokens(good).0.len(), 2, "{good:?}: {}", tokens(good).1);
        assert_eq!(tokens(good).1, "");
    }
    let mut session = Session::new("");
    let source = b"#define S(x) #x\n\"\\x41\xe9\\\xe9\" S(\"\xc3\x28\xff\") '\xe9'";
    let all = Preprocessor::new(&mut session, source, &[]).tokens();
    let TokenKind::Str(literal) = all[0].kind else { panic!() };
    assert_eq!(session.strings.bytes(literal), b"A\xe9\xe9\"\xc3\x28\xff\"");
    assert_eq!(all[1].kind, TokenKind::Char(-23));
    let (_, log) = tokens(b"/* \xe9 */ \xe9 \"\xe9\" @");
    assert!(log.contains("1 | /* \u{fffd} */ \u{fffd} \"\u{fffd}\" @"), "{log}");
    let (_, log) = tokens(b"x \\ \ny");
    assert!(log.contains("warning: backslash and newline separated by space"));
    assert_eq!(messages("a \\"), ["stray '\\' in program"]);
    assert_eq!(expand("/\\\n/ comment\\\nmore\nx /\\\n* c *\\\n/ y"), "x y");
}

#[test]
fn command_line() {
    let (out, log) = expand_with("-DN=4 -DF(x)=x*N -D E= -DB", "F(2) [E] B", &[]);
    assert_eq!((out.as_str(), log.as_str()), ("2*4 [] 1", ""));
    let mut session = Session::new("-DBAD=@");
    Preprocessor::new(&mut session, b"int x = BAD;", &[]).tokens();
    assert_eq!(
        session.log(Style::Plain),
        "<kernel>:1:9: error: stray '@' in program\n1 | int x = BAD;\n  |         ^^^\n\
         <command line>:1:13: note: in expansion of macro 'BAD'\n1 | #define BAD @\n  |             ^\n"
    );
}
