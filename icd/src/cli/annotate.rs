//! How `clift build --annotate` shows source lines with their machine code: in colours on a terminal that wants them.

use clift_jit::KernelInfo;
use clift_jit::codegen::Annotated;
use std::fmt::Write as _;
use std::io::IsTerminal;

/// Most columns of an instruction's bytes: those of long ones are cut off.
const BYTES: usize = 22;

/// What a colour begins and ends with.
struct Style {
    head: &'static str,
    dim: &'static str,
    lanes: &'static str,
    end: &'static str,
}

/// The text of a kernel.
pub fn text(kernel: &KernelInfo, lines: &[Annotated]) -> String {
    let is_coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    write(kernel, lines, is_coloured)
}

fn write(kernel: &KernelInfo, lines: &[Annotated], is_coloured: bool) -> String {
    let style = match is_coloured {
        true => Style { head: "\x1b[1m", dim: "\x1b[2m", lanes: "\x1b[36m", end: "\x1b[0m" },
        false => Style { head: "", dim: "", lanes: "", end: "" },
    };
    let Style { head, dim, lanes, end } = style;
    let mut text = String::new();
    let bytes: u32 = lines.iter().map(|line| line.bytes).sum();
    let _ = writeln!(text, "{head}kernel {}{end}: {bytes} bytes of code", kernel.name);
    let (mut file, mut before) = ("", 0);
    for line in lines {
        if line.file != file {
            file = &line.file;
            let _ = writeln!(text, "{dim}{file}{end}");
        } else if line.line > before + 1 {
            let _ = writeln!(text, "{dim}       ⋮{end}");
        }
        before = line.line;
        let width = if line.lanes > 1 { format!("{} lanes", line.lanes) } else { "scalar".into() };
        let source = line.text.trim_end();
        let _ = writeln!(text, "{lanes}{width:>9}{end} {head}{:>5} | {source}{end}", line.line);
        if line.code.is_empty() {
            let _ = writeln!(text, "{dim}{:>18}{} bytes{end}", "", line.bytes);
        }
        for (function, at, code) in &line.code {
            let (bytes, instruction) = code.split_once("  ").unwrap_or((code, ""));
            let cut = if bytes.len() > BYTES { format!("{}…", &bytes[..BYTES - 1]) } else { bytes.to_owned() };
            let of = if *function == kernel.name { String::new() } else { format!("  ; in {function}") };
            let _ = writeln!(text, "{dim}{at:>16x}  {cut:<BYTES$}{end}  {}{dim}{of}{end}", instruction.trim());
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_above_their_instructions() {
        let program = clift_jit::build(b"kernel void k(global int *p) {\n p[get_global_id(0)] *= 3;\n}", "", &[]);
        let program = program.program.unwrap_or_else(|_| panic!("{}", program.log));
        let lines = program.annotate(0, Default::default()).expect("code");
        let plain = write(&program.kernels()[0], &lines, false);
        let at = plain.find("    2 |  p[get_global_id(0)] *= 3;").expect(&plain);
        assert!(plain[at..].lines().nth(1).is_some_and(|line| line.starts_with("    ")), "{plain}");
        assert!(!plain.contains('\x1b'));
        assert!(write(&program.kernels()[0], &lines, true).contains("\x1b[1mkernel k\x1b[0m"));
    }
}
