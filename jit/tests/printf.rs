//! `printf` from source to text: what sema packs, generated code passes and the formatter prints, for every type that
//! can be an argument. The interpreter's side is `filetests/run/printf.kir`; the numbers' digits are tested beside the
//! formatter.

#![allow(unsafe_code, reason = "runs generated code")]

use clift_jit::printf::output;

#[path = "support/kernel.rs"]
mod kernel;
use kernel::{Buffer, Program};

/// What `statements` print on one work-item, and the value of `status` at their end.
fn printed(declarations: &str, statements: &str) -> (String, u32) {
    let source =
        format!("{declarations}\nkernel void test(global int *o) {{ int status = 0; {statements} o[0] = status; }}");
    let program = Program::new(&source);
    let mut buffer = Buffer::zeroed(16);
    output::take();
    program.run("test", 1, &mut [&mut buffer]);
    (String::from_utf8(output::take()).expect("UTF-8"), buffer.words()[0])
}

#[test]
fn every_type_is_passed() {
    for (statements, want) in [
        (r#"status = printf("%d %i %u %x %X %o", -1, 2, 3u, 255, 255u, 8);"#, "-1 2 3 ff FF 10"),
        (r#"printf("%ld %lu %lx", -1L, ~0UL, 1L << 40);"#, "-1 18446744073709551615 10000000000"),
        (
            r#"printf("%hhd %hhu %hd %hu %d", (char)-1, (uchar)255, (short)-2, (ushort)65535, (char)-3);"#,
            "-1 255 -2 65535 -3",
        ),
        (r#"printf("%d %d %c%c", true, 5 > 6, 'o', 'k');"#, "1 0 ok"),
        (
            r#"printf("%f %e %g %a %.3f %lf", 1.5f, 1.5, 0.1f, 1.0f, 2.0f / 3, -0.0);"#,
            "1.500000 1.500000e+00 0.1 0x1p+0 0.667 -0.000000",
        ),
        (r#"printf("%f %F %e", INFINITY, -INFINITY, NAN);"#, "inf -INF nan"),
        (
            r#"char2 a = {-1, 1}; uchar3 b = {1, 2, 255}; char16 c = 7; printf("%v2hhd %v3hhu %v16hhx", a, b, c);"#,
            "-1,1 1,2,255 7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7",
        ),
        (
            r#"short4 a = {-1, 2, 3, 4}; ushort8 b = 65535; printf("%v4hd %v8hx", a, b);"#,
            "-1,2,3,4 ffff,ffff,ffff,ffff,ffff,ffff,ffff,ffff",
        ),
        (
            r#"int3 a = {-1, 2, 3}; uint2 b = ~0u; printf("%v3hld|%5v2hlu|%-5v3hli|", a, b, a);"#,
            "-1,2,3|4294967295,4294967295|-1   ,2    ,3    |",
        ),
        (r#"long2 a = {-1, 1L << 33}; ulong4 b = 3; printf("%v2ld %v4lu", a, b);"#, "-1,8589934592 3,3,3,3"),
        (
            r#"float4 a = {1, 2, 3, 4}; float3 b = 0.5f; printf("%2.2v4hlf %v3hlg", a, b);"#,
            "1.00,2.00,3.00,4.00 0.5,0.5,0.5",
        ),
        (
            r#"double2 a = {0.1, 1e300}; double16 b = 1; printf("%v2lg %.1v16lf", a, b);"#,
            "0.1,1e+300 1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0",
        ),
        (r#"printf("%s %.2s|%6s|%-6s|", "text", "text", "text", "text");"#, "text te|  text|text  |"),
        (r#"printf("%s %s", names[1], "with \"%d\" inside");"#, "two with \"%d\" inside"),
        (r#"printf(format, 7); printf(status ? "a" : "b");"#, "<7>b"),
        (r#"printf("%p", (global int *)0); printf("|%p", (constant char *)0x1234);"#, "0x0|0x1234"),
        (r#"status = printf("");"#, ""),
        (r#"printf("tab\tnew\nquote\"'back\\ %% \101\x42");"#, "tab\tnew\nquote\"'back\\ % AB"),
        (r#"printf("stops here\0 not here");"#, "stops here"),
        (r#"for (int i = 0; i < 3; i++) printf("%d,", i); helper(5);"#, "0,1,2,[5]"),
        (r#"enum { A = 4 } e = A; uchar c = 200; printf("%d %d %d", e, A, c);"#, "4 4 200"),
        (
            r#"half h = 1.5h; half3 v = {0.1h, -2.0h, 65504.0h}; printf("%f %g %v3hg %.1v3hf", h, (half)0.1h, v, v);"#,
            "1.500000 0.0999756 0.0999756,-2,65504 0.1,-2.0,65504.0",
        ),
        (r#"size_t n = 5; printf("%lu %d", n, sizeof(int));"#, "5 4"),
    ] {
        let declarations = "constant char *constant names[] = {\"one\", \"two\"}; constant char format[] = \"<%d>\";
            void helper(int x) { printf(\"[%d]\", x); }";
        let (text, status) = printed(declarations, statements);
        assert_eq!((text.as_str(), status), (want, 0), "{statements}");
    }
}

#[test]
fn wrong_formats_fail_at_run_time() {
    for (statement, want) in [
        (r#"status = printf("%d %d", 1);"#, "1 %d"),
        (r#"status = printf("50%");"#, "50%"),
        (r#"status = printf("%y", 1);"#, "%y"),
    ] {
        assert_eq!(printed("", statement), (want.to_owned(), u32::MAX), "{statement}");
    }
}

/// Strings are of the program's data, however a pointer to them came about; at other places nothing is read.
#[test]
fn strings_lie_in_the_programs_data() {
    let declarations = "constant char text[] = \"text\"; constant char raw[3] = {'r', 'a', 'w'};
        constant char *constant names[] = {\"one\", \"two\"};
        void show(constant char *s) { printf(\"[%s]\", s); }";
    let wild = "constant char *p = (constant char *)(size_t)";
    for (statements, want) in [
        (r#"printf("%s %s", text, text + 1);"#.to_owned(), "text ext"),
        (r#"printf("%.3s|%.2s", raw, &raw[1]);"#.to_owned(), "raw|aw"),
        (r#"show("a"); show(text); show(names[o[0] + 1]); show(&names[0][1]);"#.to_owned(), "[a][text][two][ne]"),
        (r#"constant char *p = o[0] ? "yes" : "no"; printf("%s", p); p = names[o[0]]; show(p);"#.to_owned(), "no[one]"),
        (r#"printf("%s", o[0] ? text : "literal"); printf("%s", (o[0]++, "comma"));"#.to_owned(), "literalcomma"),
        (r#"constant char *p = 0; show(p); printf("%.3s", p);"#.to_owned(), "[(null)](nu"),
        (format!("{wild}(o[0] + 0x1000); show(p); printf(\"%.4s|%12s\", p, p);"), "[(invalid)](inv|   (invalid)"),
        (format!("{wild}o; show(p);"), "[(invalid)]"),
        (format!("{wild}&o; show(p);"), "[(invalid)]"),
        (
            format!("{wild}-1; show(p); show(text - 100000000); show(text + 100000000);"),
            "[(invalid)][(invalid)][(invalid)]",
        ),
    ] {
        assert_eq!(printed(declarations, &statements).0, want, "{statements}");
    }
    let format = format!("{wild}(o[0] + 0x1000); status = printf(p, 1);");
    assert_eq!(printed(declarations, &format), (String::new(), u32::MAX));
}
