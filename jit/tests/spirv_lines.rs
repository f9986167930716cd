//! Messages about a SPIR-V module name the line of the source, the instruction and its place, whoever finds the mistake
//! and whatever the lines come from: `OpLine`, OpenCL.DebugInfo.100, NonSemantic.Shader.DebugInfo.100. Debug
//! information that is wrong does no harm.

#[path = "support/il.rs"]
mod il;

use ::spirv::NonsemanticShaderDebuginfo100Op as Debug;
use clift_jit::launch::SpecKey;
use clift_jit::{build_il, spirv};
use il::{Kernel, Op, kernel, string};

/// The log of a module that is refused.
fn log(what: &str, il: &[u8]) -> String {
    let _ = (spirv::check(il), spirv::disassemble(il));
    let built = build_il(il, &[], "");
    assert!(built.program.is_err(), "{what}: accepted");
    built.log
}

/// Refused, with a log that begins so.
fn refused(what: &str, il: &[u8], expected: &str) {
    let log = log(what, il);
    assert!(log.strip_prefix("error: ").is_some_and(|log| log.starts_with(expected)), "{what}: {log}");
}

fn accepted(what: &str, il: &[u8]) {
    let _ = (spirv::check(il), spirv::disassemble(il));
    let built = build_il(il, &[], "");
    assert!(built.program.is_ok(), "{what}: {}", built.log);
}

/// A set of debug instructions in a kernel's module.
struct Lines {
    k: Kernel,
    set: u32,
    file: u32,
    /// The name of another file, `b.cl`.
    other: u32,
    /// Whether numbers are constants.
    by_id: bool,
    main: u32,
    block: u32,
}

const SETS: [(&str, bool); 2] = [("OpenCL.DebugInfo.100", false), ("NonSemantic.Shader.DebugInfo.100", true)];

impl Lines {
    /// With a source `a.cl`, whose kernel is at 10:3 and a block of it at 12:7.
    fn new((name, by_id): (&str, bool)) -> Self {
        let mut k = kernel();
        let set = k.w.result(Op::ExtInstImport, &string(name));
        let [path, other, title] = ["a.cl", "b.cl", "k"].map(|text| k.w.result(Op::String, &string(text)));
        let mut lines = Self { k, set, file: 0, other, by_id, main: 0, block: 0 };
        lines.file = lines.debug(Debug::DebugSource, &[path]);
        let [line, column] = [10, 3].map(|n| lines.number(n));
        let mut operands = vec![title, 0, lines.file, line, column, 0, 0, 0, line];
        operands.extend((!by_id).then_some(lines.k.main));
        lines.main = lines.debug(Debug::DebugFunction, &operands);
        let [line, column] = [12, 7].map(|n| lines.number(n));
        lines.block = lines.debug(Debug::DebugLexicalBlock, &[lines.file, line, column, lines.main]);
        lines
    }

    /// A number as operand of a debug instruction.
    fn number(&mut self, n: u32) -> u32 {
        if self.by_id { self.k.w.value(Op::Constant, self.k.int, &[n]) } else { n }
    }

    fn debug(&mut self, what: Debug, operands: &[u32]) -> u32 {
        let words = [&[self.set, what as u32], operands].concat();
        self.k.w.value(Op::ExtInst, self.k.void, &words)
    }

    /// Begins the kernel's body.
    fn begin(&mut self) -> u32 {
        let param = self.k.begin();
        if self.by_id {
            self.debug(Debug::DebugFunctionDefinition, &[self.main, self.k.main]);
        }
        param
    }

    /// An instruction that is wrong.
    fn wrong(mut self) -> Vec<u8> {
        self.k.w.value(Op::IAdd, self.k.int, &[self.k.one, 999]);
        self.k.end()
    }
}

#[test]
fn lines() {
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    k.begin();
    k.w.inst(Op::Line, &[file, 3, 5]);
    k.w.value(Op::IAdd, k.int, &[k.one, 999]);
    refused("in a body", &k.end(), "a.cl:3:5: %999 is used before it is defined (OpIAdd at word ");
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    k.w.inst(Op::Line, &[file, 4, 0]);
    k.w.result(Op::TypeInt, &[7, 0]);
    refused("outside", &k.whole(), "a.cl:4: integers of 7 bits are not supported (OpTypeInt at word ");
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    let p = k.begin();
    let [then, end, x] = [k.w.id(), k.w.id(), k.w.id()];
    let cond = k.w.value(Op::IEqual, k.bool, &[k.one, k.one]);
    k.w.inst(Op::BranchConditional, &[cond, then, end]);
    k.w.inst(Op::Label, &[then]);
    k.w.inst(Op::IAdd, &[k.int, x, k.one, k.one]);
    k.w.inst(Op::Branch, &[end]);
    k.w.inst(Op::Label, &[end]);
    k.w.inst(Op::Line, &[file, 9, 1]);
    k.w.inst(Op::Store, &[p, x]);
    let log = log("by the verifier", &k.end());
    assert!(log.starts_with("error: a.cl:9:1: ") && log.contains("(OpStore at word "), "{log}");
}

/// A line holds until a block ends, whatever comes between: what a function begins with, too.
#[test]
fn lines_hold_until_blocks_end() {
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    k.w.inst(Op::Line, &[file, 3, 5]);
    k.begin();
    k.w.value(Op::IAdd, k.int, &[k.one, 999]);
    refused("in front of a function", &k.end(), "a.cl:3:5: %999");
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    k.begin();
    k.w.inst(Op::Line, &[file, 3, 5]);
    let next = k.w.id();
    k.w.inst(Op::Branch, &[next]);
    k.w.inst(Op::Label, &[next]);
    k.w.value(Op::IAdd, k.int, &[k.one, 999]);
    refused("of the block before", &k.end(), "%999");
}

/// What phis want and do not get is the phi's mistake.
#[test]
fn phis() {
    let mut k = kernel();
    let file = k.w.result(Op::String, &string("a.cl"));
    k.begin();
    let next = k.w.id();
    k.w.inst(Op::Branch, &[next]);
    k.w.inst(Op::Label, &[next]);
    k.w.inst(Op::Line, &[file, 6, 2]);
    k.w.value(Op::Phi, k.int, &[k.one, 999]);
    let log = log("phi", &k.end());
    assert!(log.starts_with("error: a.cl:6:2: a phi of block") && log.contains("(OpPhi at word"), "{log}");
}

/// Where no line is known, the innermost scope tells where it begins, and its function.
#[test]
fn scopes() {
    for set in SETS {
        let mut lines = Lines::new(set);
        lines.begin();
        refused("function", &lines.wrong(), "a.cl:10:3: in function 'k': %999");
        let mut lines = Lines::new(set);
        lines.begin();
        lines.debug(Debug::DebugScope, &[lines.block]);
        // A line that is none.
        lines.k.w.inst(Op::Line, &[lines.other, 0, 0]);
        refused("block", &lines.wrong(), "a.cl:12:7: in function 'k': %999");
        let mut lines = Lines::new(set);
        lines.begin();
        lines.debug(Debug::DebugScope, &[lines.block]);
        lines.debug(Debug::DebugNoScope, &[]);
        refused("no scope", &lines.wrong(), "a.cl:10:3: in function 'k': %999");
        let mut lines = Lines::new(set);
        let line = lines.number(12);
        let part = lines.debug(Debug::DebugLexicalBlockDiscriminator, &[lines.file, line, lines.block]);
        lines.begin();
        lines.debug(Debug::DebugScope, &[part]);
        refused("part", &lines.wrong(), "a.cl:12:7: in function 'k': %999");
    }
}

#[test]
fn inlined_code_names_its_callers() {
    for set in SETS {
        let mut lines = Lines::new(set);
        let [first, second] = [20, 30].map(|n| lines.number(n));
        let outer = lines.debug(Debug::DebugInlinedAt, &[second, lines.main]);
        let inner = lines.debug(Debug::DebugInlinedAt, &[first, lines.block, outer]);
        lines.begin();
        lines.debug(Debug::DebugScope, &[lines.block, inner]);
        let log = log("inlined", &lines.wrong());
        assert!(log.ends_with(", inlined at a.cl:20, inlined at a.cl:30)\n"), "{log}");
    }
}

/// Variables of the module and of functions, and functions, have lines of their own.
#[test]
fn declarations() {
    for set in SETS {
        let mut lines = Lines::new(set);
        let byte = lines.k.w.result(Op::TypeInt, &[8, 0]);
        let pointer = lines.k.w.result(Op::TypePointer, &[5, byte]);
        let variable = lines.k.w.value(Op::Variable, pointer, &[5, lines.k.one]);
        let [line, column] = [4, 9].map(|n| lines.number(n));
        lines.debug(Debug::DebugGlobalVariable, &[0, 0, lines.file, line, column, 0, 0, variable, 0]);
        let log_text = log("variable", &lines.k.whole());
        let expected = log_text.starts_with("error: a.cl:4:9: ") && log_text.contains("(OpVariable at word");
        assert!(expected, "{log_text}");

        let mut lines = Lines::new(set);
        let [line, column] = [14, 5].map(|n| lines.number(n));
        let local = lines.debug(Debug::DebugLocalVariable, &[0, 0, lines.file, line, column, lines.block, 0]);
        lines.begin();
        // The class is another than the type's.
        let variable = lines.k.w.value(Op::Variable, lines.k.pointer, &[5]);
        lines.debug(Debug::DebugDeclare, &[local, variable, 0]);
        refused("local variable", &lines.k.end(), "a.cl:14:5: variables of functions are private (OpVariable");

        let mut lines = Lines::new(set);
        lines.k.w.inst(Op::ExecutionMode, &[lines.k.main, 17, 0, 1, 1]);
        lines.begin();
        refused("kernel", &lines.k.end(), "a.cl:10:3: a work-group size is zero (OpFunction at word");
    }
}

/// Lines of NonSemantic.Shader.DebugInfo.100, whose numbers are constants. `OpLine` and it may take turns.
#[test]
fn lines_of_constants() {
    let [_, set] = SETS;
    type Make = fn(&mut Lines, [u32; 4]);
    let cases: &[(&str, Make, &str)] = &[
        (
            "line",
            |lines, [a, b, c, d]| {
                lines.debug(Debug::DebugLine, &[lines.file, a, b, c, d]);
            },
            "a.cl:21:23: %999",
        ),
        (
            "no line",
            |lines, [a, b, c, d]| {
                lines.debug(Debug::DebugLine, &[lines.file, a, b, c, d]);
                lines.debug(Debug::DebugNoLine, &[]);
            },
            "a.cl:10:3: in function",
        ),
        (
            "another line",
            |lines, [a, b, c, d]| {
                lines.debug(Debug::DebugLine, &[lines.file, a, b, c, d]);
                lines.k.w.inst(Op::Line, &[lines.other, 5, 6]);
                lines.debug(Debug::DebugNoLine, &[]);
            },
            "b.cl:5:6: %999",
        ),
        (
            "no such line",
            |lines, [a, b, c, d]| {
                lines.debug(Debug::DebugLine, &[lines.file, a, b, c, d]);
                lines.k.w.inst(Op::NoLine, &[]);
            },
            "a.cl:21:23: %999",
        ),
        (
            "end of a block",
            |lines, [a, b, c, d]| {
                lines.debug(Debug::DebugLine, &[lines.file, a, b, c, d]);
                let next = lines.k.w.id();
                lines.k.w.inst(Op::Branch, &[next]);
                lines.k.w.inst(Op::Label, &[next]);
            },
            "a.cl:10:3: in function",
        ),
    ];
    for (what, change, expected) in cases {
        let mut lines = Lines::new(set);
        let numbers = [21, 22, 23, 24].map(|n| lines.number(n));
        lines.begin();
        change(&mut lines, numbers);
        refused(what, &lines.wrong(), expected);
    }
}

/// A name that nobody defines is told where it is used first.
#[test]
fn undefined_functions_and_variables() {
    for set in SETS {
        let import = |lines: &mut Lines, id: u32| {
            lines.k.w.inst(Op::Decorate, &[&[id, 41][..], &string("away"), &[1]].concat());
        };
        let mut lines = Lines::new(set);
        let callee = lines.k.w.id();
        import(&mut lines, callee);
        lines.k.w.inst(Op::Function, &[lines.k.void, callee, 0, lines.k.ty]);
        lines.k.w.value(Op::FunctionParameter, lines.k.pointer, &[]);
        lines.k.w.inst(Op::FunctionEnd, &[]);
        let param = lines.begin();
        lines.k.w.inst(Op::Line, &[lines.other, 5, 6]);
        lines.k.w.value(Op::FunctionCall, lines.k.void, &[callee, param]);
        let expected = "b.cl:5:6: undefined reference to 'away' (OpFunctionCall at word ";
        refused("function", &lines.k.end(), expected);
        let mut lines = Lines::new(set);
        let variable = lines.k.w.id();
        import(&mut lines, variable);
        lines.k.w.inst(Op::Variable, &[lines.k.pointer, variable, 5]);
        let [line, column] = [4, 9].map(|n| lines.number(n));
        lines.debug(Debug::DebugGlobalVariable, &[0, 0, lines.file, line, column, 0, 0, variable, 0]);
        lines.begin();
        refused("variable", &lines.k.end(), "a.cl:4:9: undefined reference to 'away' (OpVariable at word ");
    }
}

/// Debug instructions with any operands: too few of them, of other kinds, of themselves. The module is as good as
/// without them, and messages about other things are as good.
#[test]
fn wrong_debug_information_does_no_harm() {
    for set in SETS {
        for number in (0..40).chain(99..112).chain([u32::MAX]) {
            for n_operands in 0..12 {
                for kind in 0..6 {
                    let mut lines = Lines::new(set);
                    let text = lines.k.w.result(Op::String, &[0xffff_ff41, 0x0041_ffff]);
                    let real = lines.k.w.result(Op::TypeFloat, &[32]);
                    let number_of_reals = lines.k.w.value(Op::Constant, real, &[u32::MAX]);
                    let param = lines.begin();
                    let itself = lines.k.w.words[3];
                    let operand =
                        [0, itself, text, number_of_reals, u32::MAX, if lines.by_id { param } else { lines.main }];
                    let words = [&[lines.set, number][..], &vec![operand[kind]; n_operands]].concat();
                    lines.k.w.value(Op::ExtInst, lines.k.void, &words);
                    let scope = if kind == 1 { itself } else { lines.block };
                    lines.debug(Debug::DebugScope, &[scope, itself]);
                    let what = format!("{number} with {n_operands} operands of kind {kind}");
                    if n_operands == 11 {
                        lines.k.w.inst(Op::Line, &[text, u32::MAX, u32::MAX]);
                        accepted(&what, &lines.k.end());
                    } else {
                        let log = log(&what, &lines.wrong());
                        assert!(log.contains("%999 is used") && !log.contains("internal"), "{what}: {log}");
                    }
                }
            }
        }
    }
}

/// A kernel may have names and texts in any character set.
#[test]
fn texts_in_any_character_set() {
    let mut k = kernel();
    let file = k.w.result(Op::String, &[0x00e4_f6fc]);
    k.w.inst(Op::Name, &[k.main, 0x00e4_f6fc]);
    k.begin();
    k.w.inst(Op::Line, &[file, 3, 5]);
    accepted("texts", &k.end());
}

/// Debug instructions that name what comes later. Spec: SPV_KHR_relaxed_extended_instruction.
#[test]
fn forward_references() {
    let mut lines = Lines::new(SETS[1]);
    lines.k.w.inst(Op::Extension, &string("SPV_KHR_relaxed_extended_instruction"));
    let operands = [lines.k.void, 900, lines.set, Debug::DebugTypeFunction as u32, 901, 902];
    lines.k.w.inst(Op::ExtInstWithForwardRefsKHR, &operands);
    lines.k.w.inst(Op::ExtInstWithForwardRefsKHR, &[lines.k.void, 901, lines.set, Debug::DebugInfoNone as u32]);
    accepted("forward references", &lines.k.whole());
}

/// A module of a compiler, with the instruction number `n` of a kind changed: that operand becomes `%1`.
fn changed(il: &[u8], op: Op, n: usize, operand: usize) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(il[4 * at..4 * at + 4].try_into().expect("four bytes"));
    let starts = std::iter::successors(Some(5), |&at| Some(at + (word(at) >> 16) as usize));
    let mut places = starts.take_while(|&at| 4 * at < il.len()).filter(|&at| word(at) & 0xffff == op as u32);
    let at = 4 * (places.nth(n).expect("there is one") + 1 + operand);
    [&il[..at], &1u32.to_le_bytes(), &il[at + 4..]].concat()
}

/// What compilers make of lines.
#[test]
fn modules_of_compilers() {
    let module = include_bytes!("spirv/lines-15.spv");
    let inlined = ", inlined at /src/lines.cl:22)\n";
    let cases: &[(Op, usize, usize, &str, &str)] = &[
        (Op::SRem, 0, 2, "/src/lines.cl:14:14: ", " (OpSRem at word "),
        (Op::Function, 0, 0, "/src/lines.cl:12: ", " (OpFunction at word "),
        (Op::Variable, 0, 3, "/src/lines.cl:2: ", " (OpVariable at word "),
        (Op::IMul, 0, 2, "/src/lines.cl:8:22: ", inlined),
        (
            Op::ShiftLeftLogical,
            0,
            2,
            "/src/lines.cl:4:36: ",
            ", inlined at /src/lines.cl:8, inlined at /src/lines.cl:22)\n",
        ),
        (Op::FunctionCall, 0, 3, "/src/lines.cl:22:35: ", " (OpFunctionCall at word "),
        // The kernel that calls the function of its name.
        (Op::FunctionCall, 1, 3, "%1 is used ", " (OpFunctionCall at word "),
    ];
    for &(op, n, operand, start, rest) in cases {
        let log = log("changed", &changed(module, op, n, operand));
        assert!(log.starts_with(&format!("error: {start}")) && log.contains(rest), "{op:?} {n}: {log}");
    }
    let module = include_bytes!("spirv/lines-shader.spv");
    let cases: &[(Op, usize, usize, &str)] = &[
        (Op::IAdd, 0, 2, "/src/shader.cl:7:3: %1 is used "),
        (Op::IMul, 0, 2, "/src/shader.cl:5:1: in function 'shader': %1 is used "),
        (Op::BranchConditional, 0, 0, "/src/shader.cl:6:2: in function 'shader': %1 is used "),
        (Op::BitwiseXor, 0, 2, "/src/shader.cl:5:1: in function 'shader': %1 is used "),
        (Op::BitwiseOr, 0, 2, "/src/shader.cl:6:2: in function 'shader': %1 is used "),
        (Op::Store, 0, 1, "/src/shader.cl:9:5: %1 is used "),
        (Op::Variable, 0, 3, "/src/shader.cl:2:9: %1 "),
    ];
    for &(op, n, operand, expected) in cases {
        refused(&format!("{op:?} {n}"), &changed(module, op, n, operand), expected);
    }
}

/// The text of a module tells numbers from ids.
#[test]
fn texts_of_debug_instructions() {
    let text = |il| spirv::disassemble(il).expect("it is read");
    let literals = text(include_bytes!("spirv/lines-15.spv"));
    assert!(literals.contains("OpExtInst %11 %2 DebugLexicalBlock %70 19 5 %84\n"), "{literals}");
    let constants = text(include_bytes!("spirv/lines-22.spv"));
    assert!(constants.contains(" DebugTypeBasic %34 %"), "{constants}");
}

/// A source of three lines, of which the second is long.
fn source() -> [String; 2] {
    ["first\nsec".to_owned(), format!("ond{}\r\nthird\n", " +".repeat(50))]
}

/// What the module says of the place of what its kernel stores.
fn shown(il: &[u8]) -> Vec<(String, u32, String)> {
    let built = build_il(il, &[], "");
    let program = built.program.unwrap_or_else(|_| panic!("{}", built.log));
    let lines = program.annotate(0, SpecKey::default()).expect("code");
    lines.into_iter().map(|line| (line.file, line.line, line.text)).collect()
}

/// A kernel that stores at line 2 of a file.
fn stores_at(mut k: Kernel, file: u32) -> Vec<u8> {
    let at = k.begin();
    k.w.inst(Op::Line, &[file, 2, 1]);
    k.w.inst(Op::Store, &[at, k.one]);
    k.end()
}

/// Texts may come in pieces; nothing is read from a file.
#[test]
fn texts_of_sources() {
    let [first, rest] = source();
    let second = first.clone() + &rest;
    let second = second.lines().nth(1).expect("three lines").to_owned();
    let expected = |text: &str| vec![("Cargo.toml".to_owned(), 2, text.to_owned())];
    let path = |k: &mut Kernel| k.w.result(Op::String, &string("Cargo.toml"));

    let mut k = kernel();
    let file = path(&mut k);
    k.w.inst(Op::Source, &[&[3, 300_000, file][..], &string(&first)].concat());
    k.w.inst(Op::SourceContinued, &string(&rest));
    // That of another file is not mixed up with it.
    k.w.inst(Op::Source, &[3, 300_000]);
    k.w.inst(Op::SourceContinued, &string("more\nmore"));
    assert_eq!(shown(&stores_at(k, file)), expected(&second));

    let mut k = kernel();
    let file = path(&mut k);
    k.w.inst(Op::Source, &[3, 300_000, file]);
    assert_eq!(shown(&stores_at(k, file)), expected(""), "the file is there, and not looked at");

    for (set, by_id) in SETS {
        let with = |text: &[&str], source: &[&str]| {
            let mut k = kernel();
            let set = k.w.result(Op::ExtInstImport, &string(set));
            let file = path(&mut k);
            let text: Vec<u32> = text.iter().map(|text| k.w.result(Op::String, &string(text))).collect();
            let source: Vec<u32> = source.iter().map(|text| k.w.result(Op::String, &string(text))).collect();
            let words = [&[set, Debug::DebugSource as u32, file][..], &text].concat();
            k.w.value(Op::ExtInst, k.void, &words);
            for more in source {
                k.w.value(Op::ExtInst, k.void, &[set, Debug::DebugSourceContinued as u32, more]);
            }
            shown(&stores_at(k, file))
        };
        assert_eq!(with(&[&(first.clone() + &rest)], &[]), expected(&second), "{set}");
        assert_eq!(with(&["//__CSK_MD5:0123\nno text"], &[]), expected(""), "{set}");
        assert_eq!(with(&[], &["no text\nno text"]), expected(""), "{set}");
        if by_id {
            assert_eq!(with(&[&first], &[&rest]), expected(&second), "{set}");
        }
    }
}

/// One string as the text of many files does not take memory for each.
#[test]
fn texts_are_no_larger_than_the_module() {
    let mut k = kernel();
    let set = k.w.result(Op::ExtInstImport, &string(SETS[0].0));
    let text = k.w.result(Op::String, &string(&"x".repeat(200_000)));
    let files: Vec<u32> = (0..50_000).map(|n| k.w.result(Op::String, &string(&format!("{n}.cl")))).collect();
    for &file in &files {
        k.w.value(Op::ExtInst, k.void, &[set, Debug::DebugSource as u32, file, text]);
    }
    let at = k.begin();
    for file in [files[0], files[files.len() - 1]] {
        k.w.inst(Op::Line, &[file, 1, 1]);
        // Volatile, so that none of them is dead.
        k.w.inst(Op::Store, &[at, k.one, 1]);
    }
    let lines = shown(&k.end());
    assert!(lines.iter().any(|(file, _, text)| file == "0.cl" && text.len() == 200_000));
    assert!(lines.iter().any(|(file, _, text)| file == "49999.cl" && text.is_empty()));
}
