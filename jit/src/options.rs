//! The options string of `clBuildProgram`, `clCompileProgram` and `clLinkProgram`.
//! Spec: "Compiler Options", "Linker Options".

use crate::check::Kinds;
use crate::diag::{Diagnostics, Warnings};
use crate::source::{SourceMap, Span};

/// Version of OpenCL C that a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[allow(missing_docs, reason = "the versions themselves")]
pub enum Std {
    Cl1_0,
    Cl1_1,
    #[default]
    Cl1_2,
    Cl2_0,
    Cl3_0,
    Cl3_1,
}

bitflags::bitflags! {
    /// Options without a value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct OptionFlags: u32 {
        /// `-cl-single-precision-constant`
        const SINGLE_PRECISION_CONSTANT = 1 << 0;
        /// `-cl-denorms-are-zero`; implied by unsafe math.
        const DENORMS_ARE_ZERO = 1 << 1;
        /// `-cl-fp32-correctly-rounded-divide-sqrt`
        const CORRECT_DIVIDE_SQRT = 1 << 2;
        /// `-cl-opt-disable`
        const OPT_DISABLE = 1 << 3;
        /// `-cl-strict-aliasing`
        const STRICT_ALIASING = 1 << 4;
        /// `-cl-mad-enable`; implied by unsafe math.
        const MAD_ENABLE = 1 << 5;
        /// `-cl-no-signed-zeros`; implied by unsafe math.
        const NO_SIGNED_ZEROS = 1 << 6;
        /// `-cl-unsafe-math-optimizations`; implied by fast relaxed math.
        const UNSAFE_MATH = 1 << 7;
        /// `-cl-finite-math-only`; implied by fast relaxed math.
        const FINITE_MATH = 1 << 8;
        /// `-cl-fast-relaxed-math`
        const FAST_RELAXED_MATH = 1 << 9;
        /// `-cl-uniform-work-group-size`
        const UNIFORM_WORK_GROUP = 1 << 10;
        /// `-cl-no-subgroup-ifp`
        const NO_SUBGROUP_IFP = 1 << 11;
        /// `-cl-kernel-arg-info`
        const KERNEL_ARG_INFO = 1 << 12;
        /// `-g`
        const DEBUG_INFO = 1 << 13;
        /// `-create-library` (linker)
        const CREATE_LIBRARY = 1 << 14;
        /// `-enable-link-options` (linker)
        const ENABLE_LINK_OPTIONS = 1 << 15;
        /// `-clift-zero-private`: private variables begin as zeros.
        const ZERO_PRIVATE = 1 << 16;
        /// `-clift-correctly-rounded`: functions of `float` whose results are the nearest ones, where there are such.
        const CORRECTLY_ROUNDED = 1 << 17;
    }
}

/// Which functions on `float` the build options want. Functions that have no such form serve all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// What the specification asks for without options.
    #[default]
    Normal,
    /// Within the table for unsafe math.
    Less,
    /// The nearest number, of two equally near ones the even one.
    Nearest,
}

/// What an options string asks for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-cl-std=`; OpenCL C 1.2 without it.
    pub std: Std,
    /// Options without a value.
    pub flags: OptionFlags,
    /// `-w`, `-Werror`.
    pub warnings: Warnings,
    /// `-D` in order, as the lines `#define name value`.
    pub defines: String,
    /// `-I` in order.
    pub include_dirs: Vec<String>,
    /// `-clift-check`, and what the process asks for: what code is checked for.
    pub check: Kinds,
}

impl Std {
    /// Version times 100, as `__OPENCL_C_VERSION__` gives it.
    pub fn number(self) -> u32 {
        match self {
            Self::Cl1_0 => 100,
            Self::Cl1_1 => 110,
            Self::Cl1_2 => 120,
            Self::Cl2_0 => 200,
            Self::Cl3_0 => 300,
            Self::Cl3_1 => 310,
        }
    }
}

impl OptionFlags {
    /// Which functions on `float` serve: that results are the nearest ones was asked for, less precision permitted.
    pub fn precision(self) -> Precision {
        if self.contains(Self::CORRECTLY_ROUNDED) {
            Precision::Nearest
        } else if self.contains(Self::UNSAFE_MATH) {
            Precision::Less
        } else {
            Precision::Normal
        }
    }

    /// Whether denormal results may be zeros. Spec: "Optimization Options".
    pub fn may_flush_denormals(self) -> bool {
        self.contains(Self::DENORMS_ARE_ZERO) && self.precision() != Precision::Nearest
    }
}

impl Options {
    /// Parses an options string, which becomes the file `<options>`. Mistakes are errors in `diags`; what can be
    /// understood is in the result all the same.
    pub fn parse(text: &str, sources: &mut SourceMap, diags: &mut Diagnostics) -> Self {
        let mut options = Self { check: Kinds::from_env(), ..Self::default() };
        // Line ends are white space here, and a log wants them that way.
        let line = text.replace(['\n', '\r', '\0'], " ");
        let Some(file) = sources.add_file("<options>", line.clone().into(), Span::DUMMY) else {
            diags.error(Span::DUMMY, "the options string is too long");
            return options;
        };
        let words = match words(&line, sources.start(file)) {
            Ok(words) => words,
            Err(span) => {
                diags.error(span, "missing closing quote in options");
                return options;
            }
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if let Err((span, message)) = options.apply(&word, &mut words) {
                diags.error(span, message);
            }
        }
        let implies = |flags: &mut OptionFlags, when: OptionFlags, then: OptionFlags| {
            if flags.contains(when) {
                *flags |= then;
            }
        };
        implies(
            &mut options.flags,
            OptionFlags::FAST_RELAXED_MATH,
            OptionFlags::UNSAFE_MATH | OptionFlags::FINITE_MATH,
        );
        implies(
            &mut options.flags,
            OptionFlags::UNSAFE_MATH,
            OptionFlags::MAD_ENABLE | OptionFlags::NO_SIGNED_ZEROS | OptionFlags::DENORMS_ARE_ZERO,
        );
        options
    }

    fn apply(&mut self, word: &Word, rest: &mut impl Iterator<Item = Word>) -> Result<(), (Span, String)> {
        let text = word.text.as_str();
        if let Some(&(_, flag)) = FLAGS.iter().find(|row| row.0 == text) {
            self.flags |= flag;
            return Ok(());
        }
        if text == "-clift-check" {
            self.check = Kinds::ALL;
            return Ok(());
        }
        let Some((option, value)) = VALUES.iter().find_map(|row| Some((row.1, text.strip_prefix(row.0)?))) else {
            return match text {
                "-w" => {
                    self.warnings = Warnings::Drop;
                    Ok(())
                }
                "-Werror" => {
                    if self.warnings != Warnings::Drop {
                        self.warnings = Warnings::Error;
                    }
                    Ok(())
                }
                _ => Err((word.span, format!("unknown option '{text}'"))),
            };
        };
        let mut span = word.span;
        let mut value = value.to_owned();
        if value.is_empty() && !matches!(option, ValueOption::Std | ValueOption::Check) {
            let Some(next) = rest.next() else { return Err((span, format!("option '{text}' needs a value"))) };
            span = next.span;
            value = next.text;
        }
        match option {
            ValueOption::Define => {
                let (name, body) = value.split_once('=').unwrap_or((&value, "1"));
                if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    return Err((span, format!("'{name}' cannot be a macro's name")));
                }
                self.defines.push_str("#define ");
                self.defines.push_str(name);
                self.defines.push(' ');
                self.defines.push_str(body);
                self.defines.push('\n');
            }
            ValueOption::Include => self.include_dirs.push(value),
            ValueOption::Std => {
                self.std = match value.as_str() {
                    "CL" | "CL1.0" => Std::Cl1_0,
                    "CL1.1" => Std::Cl1_1,
                    "CL1.2" => Std::Cl1_2,
                    "CL2.0" => Std::Cl2_0,
                    "CL3.0" => Std::Cl3_0,
                    "CL3.1" => Std::Cl3_1,
                    other => {
                        return Err((span, format!("'{other}' is no version of OpenCL C")));
                    }
                };
            }
            ValueOption::Check => {
                for name in value.split(',').map(str::trim) {
                    let unknown = || (span, format!("there are no checks of '{name}'"));
                    self.check |= Kinds::named(name).ok_or_else(unknown)?;
                }
            }
            ValueOption::Language => {
                if !matches!(value.as_str(), "cl" | "clc") {
                    return Err((span, format!("language '{value}' is not supported")));
                }
            }
        }
        Ok(())
    }
}

/// Options without a value.
const FLAGS: &[(&str, OptionFlags)] = &[
    ("-cl-single-precision-constant", OptionFlags::SINGLE_PRECISION_CONSTANT),
    ("-cl-denorms-are-zero", OptionFlags::DENORMS_ARE_ZERO),
    ("-cl-fp32-correctly-rounded-divide-sqrt", OptionFlags::CORRECT_DIVIDE_SQRT),
    ("-cl-opt-disable", OptionFlags::OPT_DISABLE),
    ("-cl-strict-aliasing", OptionFlags::STRICT_ALIASING),
    ("-cl-mad-enable", OptionFlags::MAD_ENABLE),
    ("-cl-no-signed-zeros", OptionFlags::NO_SIGNED_ZEROS),
    ("-cl-unsafe-math-optimizations", OptionFlags::UNSAFE_MATH),
    ("-cl-finite-math-only", OptionFlags::FINITE_MATH),
    ("-cl-fast-relaxed-math", OptionFlags::FAST_RELAXED_MATH),
    ("-cl-uniform-work-group-size", OptionFlags::UNIFORM_WORK_GROUP),
    ("-cl-no-subgroup-ifp", OptionFlags::NO_SUBGROUP_IFP),
    ("-cl-kernel-arg-info", OptionFlags::KERNEL_ARG_INFO),
    ("-g", OptionFlags::DEBUG_INFO),
    ("-create-library", OptionFlags::CREATE_LIBRARY),
    ("-enable-link-options", OptionFlags::ENABLE_LINK_OPTIONS),
    ("-clift-zero-private", OptionFlags::ZERO_PRIVATE),
    ("-clift-correctly-rounded", OptionFlags::CORRECTLY_ROUNDED),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueOption {
    Define,
    Include,
    Std,
    Language,
    Check,
}

/// Options with a value: it follows at once, or (but for `-cl-std=`) as the next word.
const VALUES: &[(&str, ValueOption)] = &[
    ("-D", ValueOption::Define),
    ("-I", ValueOption::Include),
    ("-cl-std=", ValueOption::Std),
    ("-x", ValueOption::Language),
    ("-clift-check=", ValueOption::Check),
];

/// A word of the options string.
struct Word {
    /// Without quotes and escapes.
    text: String,
    span: Span,
}

/// Splits at white space. `"` and `'` keep things together, a backslash takes the meaning from a quote, a space or a
/// backslash (but not inside `'`). The error is where an open quote is.
fn words(text: &str, base: u32) -> Result<Vec<Word>, Span> {
    let mut words = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
            continue;
        }
        let mut word = String::new();
        let mut quote: Option<(usize, char)> = None;
        let mut end = text.len();
        while let Some(&(at, c)) = chars.peek() {
            if quote.is_none() && c.is_whitespace() {
                end = at;
                break;
            }
            chars.next();
            match (quote, c) {
                (Some((_, '\'')), '\\') => word.push(c),
                (_, '\\') => {
                    match chars
                        .next_if(|&(_, next)| matches!(next, '"' | '\'' | '\\') || next == ' ' && quote.is_none())
                    {
                        Some((_, escaped)) => word.push(escaped),
                        None => word.push('\\'),
                    }
                }
                (None, '"' | '\'') => quote = Some((at, c)),
                (Some((_, open)), c) if c == open => quote = None,
                (_, c) => word.push(c),
            }
        }
        if let Some((at, _)) = quote {
            let lo = base + at as u32;
            return Err(Span { lo, hi: lo + 1 });
        }
        words.push(Word { text: word, span: Span { lo: base + start as u32, hi: base + end as u32 } });
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{OptionFlags, Options, Std};
    use crate::check::Kinds;
    use crate::diag::{Diagnostics, Style, Warnings};
    use crate::intern::Interner;
    use crate::source::SourceMap;

    fn parse(text: &str) -> (Options, String) {
        let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
        let options = Options::parse(text, &mut sources, &mut diags);
        (options, diags.render(&sources, &Interner::new(), Style::Plain))
    }

    #[test]
    fn defines_and_folders() {
        let (options, log) =
            parse(r#"-D A -DB -DC=3 -D D="a b" -DE=\"text\" "-DF=x y" -DG= -DH='"q"' -I /inc -Ia\ b -I "c d""#);
        assert_eq!(log, "");
        let lines: Vec<&str> = options.defines.lines().collect();
        let expected = ["A 1", "B 1", "C 3", "D a b", "E \"text\"", "F x y", "G ", "H \"q\""];
        assert_eq!(lines, expected.map(|line| format!("#define {line}")));
        assert_eq!(options.include_dirs, ["/inc", "a b", "c d"]);
    }

    #[test]
    fn checks_have_names() {
        let (options, log) = parse("-clift-check=memory,api -clift-check=values");
        assert_eq!((options.check, log.as_str()), (Kinds::MEMORY | Kinds::VALUES | Kinds::SHIFTS, ""));
        let (_, log) = parse("-clift-check=memory,race");
        assert!(log.contains("there are no checks of 'race'"), "{log}");
    }

    #[test]
    fn every_flag_of_the_specification() {
        for (text, flag) in super::FLAGS {
            let (options, log) = parse(text);
            assert_eq!(log, "", "{text}");
            assert!(options.flags.contains(*flag), "{text}");
        }
        let (options, _) = parse("-cl-fast-relaxed-math");
        assert!(
            options.flags.contains(OptionFlags::MAD_ENABLE | OptionFlags::FINITE_MATH | OptionFlags::NO_SIGNED_ZEROS)
        );
        let (options, _) = parse("-cl-mad-enable");
        assert_eq!(options.flags, OptionFlags::MAD_ENABLE);
    }

    #[test]
    fn versions_and_warnings() {
        assert_eq!(parse("").0.std, Std::Cl1_2);
        assert_eq!(parse("-cl-std=CL3.0").0.std, Std::Cl3_0);
        assert_eq!(parse(" -cl-std=CL1.1  -cl-std=CL1.0\n").0.std, Std::Cl1_0);
        for (number, version) in [(100, "1.0"), (110, "1.1"), (120, "1.2"), (200, "2.0"), (300, "3.0"), (310, "3.1")] {
            let (options, log) = parse(&format!("-cl-std=CL{version}"));
            assert_eq!((options.std.number(), log.as_str()), (number, ""));
        }
        assert_eq!(parse("-w").0.warnings, Warnings::Drop);
        assert_eq!(parse("-Werror").0.warnings, Warnings::Error);
        assert_eq!(parse("-x cl -g").1, "");
    }

    #[test]
    fn mistakes_are_shown_in_place() {
        assert_eq!(
            parse("-DX=1 -cl-unknown").1,
            "<options>:1:7: error: unknown option '-cl-unknown'\n1 | -DX=1 -cl-unknown\n  |       ^^^^^^^^^^^\n"
        );
        for (text, message) in [
            ("-cl-std=CL4.0", "'CL4.0' is no version of OpenCL C"),
            ("-cl-std=CL2.1", "'CL2.1' is no version of OpenCL C"),
            ("-D", "option '-D' needs a value"),
            ("-D 3=4", "'3' cannot be a macro's name"),
            ("-DX=\"a", "missing closing quote in options"),
            ("x.cl", "unknown option 'x.cl'"),
            ("-x spir", "language 'spir' is not supported"),
            ("-", "unknown option '-'"),
            ("-Wall", "unknown option '-Wall'"),
        ] {
            assert!(parse(text).1.contains(&format!("error: {message}\n")), "{text}: {}", parse(text).1);
        }
    }
}
