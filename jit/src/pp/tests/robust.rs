//! Bad input: limits that end in errors, random bytes, and what the log says.

use super::{expand, expand_with, header, log, messages};
use crate::diag::Style;
use crate::lex::token::TokenKind;
use crate::pp::Preprocessor;
use crate::session::Session;
use std::fmt::Write;
use std::time::Instant;

#[test]
fn limits_end_in_errors() {
    let started = Instant::now();
    // Doubles 40 times.
    let mut laughs = String::from("#define A0 x x\n");
    for i in 1..40 {
        writeln!(laughs, "#define A{i} A{} A{}", i - 1, i - 1).unwrap();
    }
    laughs.push_str("A39");
    assert_eq!(messages(&laughs), ["macro expansion is too large (endless macro?)"]);
    let mut args = String::from("#define D(x) x x\n");
    args.push_str(&"D(".repeat(60));
    args.push('x');
    args.push_str(&")".repeat(60));
    assert_eq!(messages(&args), ["macro expansion is too large (endless macro?)"]);
    let mut chain = String::from("#define B0 x\n");
    for i in 1..5000 {
        writeln!(chain, "#define B{i} B{}", i - 1).unwrap();
    }
    chain.push_str("B4999");
    assert_eq!(messages(&chain), ["macro expansions are nested too deeply"]);
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(messages(&nested), ["macro calls are nested too deeply inside arguments"]);
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(1500), ")".repeat(1500));
    assert_eq!(messages(&nested), ["macro calls are nested too deeply inside arguments"]);
    let fits = format!("#define F(x) x\n{}1{}", "F(".repeat(150), ")".repeat(150));
    assert_eq!(expand(&fits), "1");
    assert_eq!(messages(&"#if 1\n".repeat(100_000)), ["conditional directives are nested too deeply"]);
    assert_eq!(
        messages(&("#if ".to_owned() + &"(".repeat(100_000))),
        ["#if expression is nested too deeply", "unterminated conditional directive"]
    );
    assert_eq!(
        messages(&("#if ".to_owned() + &"- ".repeat(100_000) + "1\n#endif")),
        ["#if expression is nested too deeply"]
    );
    let stringy = "#define S(x) #x\n#define T(x) S(x)\n".to_owned() + &"T(".repeat(40) + "\"\\\"" + &")".repeat(40);
    assert!(!messages(&stringy).is_empty());
    let many = "@\n".repeat(1000);
    assert!(log(&many).ends_with("error: too many errors emitted, stopping now\n"));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn random_bytes_do_no_harm() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % n
    };
    let pieces = [
        "#define ",
        "#define F(x,...) ",
        "#undef F\n",
        "#if ",
        "#ifdef F\n",
        "#else\n",
        "#elif ",
        "#endif\n",
        "#include ",
        "\"",
        "'",
        "(",
        ")",
        ",",
        "##",
        "#",
        "__VA_ARGS__",
        "F",
        "x",
        "defined",
        "\\\n",
        "\n",
        "\n#",
        " ",
        "/*",
        "*/",
        "//",
        "1",
        "0x",
        "1e+",
        "_Pragma",
        "#pragma OPENCL ",
        "EXTENSION",
        "#line 7\n",
        "__LINE__",
        "__FILE__",
        "\u{e9}",
        "\0",
        "\r\n",
        "-",
        "?",
        ":",
        "...",
        "<a.h>",
        "%:",
        "@",
    ];
    for round in 0..3000 {
        let mut source = Vec::new();
        for _ in 0..next(60) {
            if round % 3 == 0 {
                source.push(next(256) as u8);
            } else {
                source.extend_from_slice(pieces[next(pieces.len())].as_bytes());
            }
        }
        let mut session = Session::new("-DF(x)=x+F(x)");
        let headers = [header("a.h", "#define G F(\n")];
        let tokens = Preprocessor::new(&mut session, &source, &headers).tokens();
        assert_eq!(tokens.last().map(|t| t.kind), Some(TokenKind::Eof));
        for token in &tokens {
            session.sources.levels(token.span);
        }
        session.log(Style::Plain);
    }
}

#[test]
fn golden_diagnostics() {
    let source = "\
#define INNER(a) (a @ 1)
#define OUTER(b) INNER(b) + b
kernel void f(global int *p) {
\tp[0] = OUTER(2);
    p[1] = 08;
#warning look here
}
";
    assert_eq!(
        log(source),
        "\
<kernel>:4:9: error: stray '@' in program
4 |     p[0] = OUTER(2);
  |            ^^^^^
<kernel>:2:18: note: in expansion of macro 'OUTER'
2 | #define OUTER(b) INNER(b) + b
  |                  ^^^^^
<kernel>:1:21: note: in expansion of macro 'INNER'
1 | #define INNER(a) (a @ 1)
  |                     ^
<kernel>:5:12: error: invalid digit '8' in octal constant
5 |     p[1] = 08;
  |            ^^
<kernel>:6:1: warning: #warning look here
6 | #warning look here
  | ^^^^^^^^^^^^^^^^^^
"
    );
    let long = format!("int a = {}@{};", "1 + ".repeat(500), " + 1".repeat(500));
    let text = log(&long);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "<kernel>:1:2009: error: stray '@' in program");
    assert!(lines[1..].iter().all(|l| l.len() <= 130), "{text}");
    assert_eq!(lines[1].find('@'), lines[2].find('^'), "{text}");
    let (mut werror, mut quiet) = (Session::new("-Werror"), Session::new("-w"));
    Preprocessor::new(&mut werror, b"#warning w\n", &[]).tokens();
    Preprocessor::new(&mut quiet, b"#warning w\n", &[]).tokens();
    assert!(werror.log(Style::Plain).starts_with("<kernel>:1:1: error: #warning w [-Werror]\n"));
    assert_eq!((quiet.log(Style::Plain).as_str(), quiet.diags.has_errors()), ("", false));
    assert!(werror.log(Style::Colour).contains("\x1b[31m"));
    // Ends in different expansions: what surrounds both is shown.
    let mut session = Session::new("");
    let tokens = Preprocessor::new(&mut session, b"#define L foo(\n#define R )\nx = L 1 R;", &[]).tokens();
    let span = tokens[2].span.to(tokens[5].span);
    session.diags.error(span, "here");
    assert!(
        session.log(Style::Plain).starts_with("<kernel>:3:5: error: here\n3 | x = L 1 R;\n  |     ^^^^^\n"),
        "{}",
        session.log(Style::Plain)
    );
}

#[test]
fn endless_text_ends() {
    let started = Instant::now();
    // Names, strings and empty expansions that double with every macro.
    let mut source = String::from(
        "#define J(a, b) a##b\n#define CAT(a, b) J(a, b)\n#define S0 \"0123456789abcdef\"\n#define N0 x\n#define E0\n",
    );
    for i in 1..60 {
        let p = i - 1;
        writeln!(source, "#define S{i} S{p} S{p}\n#define N{i} CAT(N{p}, N{p})\n#define E{i} E{p} E{p}").unwrap();
    }
    let last = |line: &str| messages(&format!("{source}{line}\n")).last().cloned().unwrap_or_default();
    let too_large = "macro expansion is too large (endless macro?)";
    let too_much = "the program makes too much text of macros and string literals";
    assert!([too_large, too_much].contains(&last("N40").as_str()));
    assert!([too_large, too_much].contains(&last("S59").as_str()));
    assert_eq!(last("E40"), too_large);
    // Each use is within its limit, all together are not.
    assert_eq!(last(&"E15 \n#if E15 1\n#endif\n".repeat(1000)), too_large);
    let long = format!(
        "#define L \"{}\"\n#define L2 L L L L L L L L\n#define L3 L2 L2 L2 L2 L2 L2 L2 L2\nL3 L3 L3",
        "x".repeat(1 << 20)
    );
    assert_eq!(messages(&long), [too_much]);
    let big = header("big.h", &"/*\n*/".repeat(3 << 20));
    let includes = "#include \"big.h\"\n".repeat(50);
    assert!(expand_with("", &includes, &[big]).1.contains("error: the program is too large\n"));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn messages_are_one_line() {
    let text = log(&format!("#error a\u{1b}[31m\tb\n#line 1 \"x\\ny\"\n@\n#error {}\n", "z".repeat(5000)));
    assert!(text.lines().all(|l| l.len() < 600 && !l.contains('\u{1b}')), "{text}");
    assert!(text.contains("x y:1:1: error: stray '@' in program\n"), "{text}");
}
