//! Test cases: an OpenCL C file whose lines that begin with `//@ ` say how to run it and what must come out.
//!
//! | directive | meaning |
//! |---|---|
//! | `options: …` | build options |
//! | `build-error: text` | the build must fail with this in the log; may stand several times |
//! | `build-log: text` | the build succeeds and its log holds this |
//! | `kernel: name` | starts a run of this kernel; the directives below belong to it, arguments in order |
//! | `global: x [y [z]]` | work-items, 1 if absent |
//! | `local: x [y [z]]`, `offset: x [y [z]]` | group size, first global id |
//! | `in: TYPE = list` | buffer with these values, not looked at afterwards |
//! | `out: TYPE [ulp N] = list` | buffer filled with 0xa5, afterwards these values |
//! | `inout: TYPE [ulp N] = list -> list` | buffer with values before and after |
//! | `value: TYPE = list` | argument by value: the bytes of all values, one after the other |
//! | `local-bytes: N` | argument of type `__local T *` |
//! | `null:` | null buffer |
//! | `again: N` | the buffer of argument N (from 0, an earlier one) once more |
//! | `same-as: kernel` | this kernel, run on the same arguments, leaves the same bytes in all buffers |
//!
//! `value` says how lists are written.

use crate::host::{Buffer, Host, Kernel, Program, Range};
use crate::value::{Type, Want};

const FILL: u8 = 0xa5;

/// A case, read from its directives.
#[derive(Debug, Default)]
pub struct Case {
    /// Build options.
    pub options: String,
    errors: Vec<String>,
    logs: Vec<String>,
    /// Launches in order.
    pub runs: Vec<Run>,
}

/// A launch.
#[derive(Debug)]
pub struct Run {
    /// The kernel's name.
    pub kernel: String,
    /// Sizes.
    pub range: Range,
    /// Arguments in order.
    pub args: Vec<Arg>,
    same_as: Option<String>,
}

/// An argument.
#[derive(Debug)]
pub enum Arg {
    /// A buffer: elements, what it holds before and is to hold afterwards, and how many ulp off that may be.
    Buffer {
        /// Type of the elements.
        ty: Type,
        /// Bytes before.
        before: Vec<u8>,
        /// Values after.
        after: Option<(Vec<Want>, u64)>,
    },
    /// The bytes of a value.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
    /// The null buffer.
    Null,
    /// The buffer of an earlier argument.
    Again(usize),
}

impl Case {
    /// Reads the directives of a source.
    ///
    /// Errors: a directive is unknown, wrong or in the wrong place, or the case would check nothing.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut case = Self::default();
        for (n, line) in source.lines().enumerate() {
            if let Some(text) = line.trim_start().strip_prefix("//@") {
                let (name, text) = text.split_once(':').ok_or(format!("line {}: no colon in directive", n + 1))?;
                case.directive(name.trim(), text.trim()).map_err(|e| format!("line {}: {e}", n + 1))?;
            }
        }
        let checks = |run: &Run| {
            run.same_as.is_some() || run.args.iter().any(|arg| matches!(arg, Arg::Buffer { after: Some(_), .. }))
        };
        if case.errors.is_empty() && case.logs.is_empty() && case.runs.is_empty() {
            return Err("no directive says what to check".into());
        }
        if let Some(run) = case.runs.iter().find(|run| !checks(run)) {
            return Err(format!("nothing is checked after kernel {}", run.kernel));
        }
        if !case.errors.is_empty() && !case.runs.is_empty() {
            return Err("a build that fails and a kernel to run".into());
        }
        Ok(case)
    }

    /// True if kernels run.
    pub fn has_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Builds and runs the case, from its source or from a SPIR-V module made of that, and gives what its kernels
    /// leave: a line for each buffer, of elements as `Type::digits` writes them, or `_` where the case takes anything.
    ///
    /// Errors: what went wrong, with the build log or the first difference.
    pub fn run(&self, source: &[u8]) -> Result<String, String> {
        let host = Host::new()?;
        let program = match host.build(source, &self.options) {
            Ok(_) if !self.errors.is_empty() => return Err("the build should have failed".into()),
            Ok(program) => program,
            Err(failure) if failure.code != -11 || self.errors.is_empty() => return Err(failure.into()),
            Err(failure) => {
                let missing = self.errors.iter().find(|text| !failure.log.contains(text.as_str()));
                return missing
                    .map_or(Ok(String::new()), |text| Err(format!("`{text}` is not in the log:\n{}", failure.log)));
            }
        };
        let log = if self.logs.is_empty() { String::new() } else { program.log() };
        if let Some(text) = self.logs.iter().find(|text| !log.contains(text.as_str())) {
            return Err(format!("`{text}` is not in the log:\n{log}"));
        }
        self.runs
            .iter()
            .map(|run| run.run(&host, &program).map_err(|e| format!("kernel {}: {e}", run.kernel)))
            .collect()
    }

    fn directive(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "options" => self.options = text.into(),
            "build-error" => self.errors.push(text.into()),
            "build-log" => self.logs.push(text.into()),
            "kernel" => {
                let range = Range { dims: 1, global: [1; 3], local: None, offset: None };
                self.runs.push(Run { kernel: text.into(), range, args: Vec::new(), same_as: None });
            }
            _ => {
                let run = self.runs.last_mut().ok_or(format!("`{name}` before `kernel`"))?;
                run.directive(name, text)?;
            }
        }
        Ok(())
    }
}

impl Run {
    fn directive(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "global" => (self.range.global, self.range.dims) = sizes(text, 1)?,
            "local" => self.range.local = Some(sizes(text, 1)?.0),
            "offset" => self.range.offset = Some(sizes(text, 0)?.0),
            "same-as" => self.same_as = Some(text.into()),
            "in" => {
                let (ty, list, _) = typed(text)?;
                self.args.push(Arg::Buffer { ty, before: ty.bytes(&ty.parse(list)?), after: None });
            }
            "out" => {
                let (ty, list, ulp) = typed(text)?;
                let after = ty.parse(list)?;
                let before = vec![FILL; after.len() * ty.size()];
                self.args.push(Arg::Buffer { ty, before, after: Some((after, ulp)) });
            }
            "inout" => {
                let (ty, lists, ulp) = typed(text)?;
                let (before, after) = lists.split_once("->").ok_or("no `->`")?;
                let (before, after) = (ty.parse(before)?, ty.parse(after)?);
                if before.len() != after.len() {
                    return Err(format!("{} values before, {} after", before.len(), after.len()));
                }
                self.args.push(Arg::Buffer { ty, before: ty.bytes(&before), after: Some((after, ulp)) });
            }
            "value" => {
                let (ty, list, _) = typed(text)?;
                self.args.push(Arg::Value(ty.bytes(&ty.parse(list)?)));
            }
            "local-bytes" => self.args.push(Arg::Local(text.parse().map_err(|_| format!("`{text}`: not a number"))?)),
            "null" => self.args.push(Arg::Null),
            "again" => {
                let n: usize = text.parse().map_err(|_| format!("`{text}`: not a number"))?;
                if !matches!(self.args.get(n), Some(Arg::Buffer { .. })) {
                    return Err(format!("argument {n} is no buffer before this one"));
                }
                self.args.push(Arg::Again(n));
            }
            _ => return Err(format!("unknown directive `{name}`")),
        }
        Ok(())
    }

    /// Runs it, and gives what it leaves.
    fn run(&self, host: &Host, program: &Program<'_>) -> Result<String, String> {
        let results = self.launch(host, program, &self.kernel)?;
        for (at, (arg, bytes)) in self.args.iter().zip(&results).enumerate() {
            if let Arg::Buffer { ty, after: Some((after, ulp)), .. } = arg {
                ty.compare(bytes, after, *ulp).map_err(|e| format!("argument {at}: {e}"))?;
            }
        }
        if let Some(other) = &self.same_as {
            let others = self.launch(host, program, other)?;
            if let Some(at) = results.iter().zip(&others).position(|(a, b)| a != b) {
                return Err(format!("argument {at} differs from what {other} leaves"));
            }
        }
        Ok(self.args.iter().zip(&results).map(|(arg, bytes)| arg.left(bytes)).collect())
    }

    /// Runs a kernel and returns what its arguments hold afterwards; nothing for those that are no buffers.
    fn launch(&self, host: &Host, program: &Program<'_>, name: &str) -> Result<Vec<Vec<u8>>, String> {
        let kernel = program.kernel(name)?;
        let mut buffers: Vec<Option<Buffer<'_>>> = Vec::new();
        for (at, arg) in self.args.iter().enumerate() {
            if let &Arg::Again(n) = arg {
                kernel.set_buffer(at as u32, buffers[n].as_ref())?;
            }
            buffers.push(arg.set(host, &kernel, at as u32).map_err(|e| format!("argument {at}: {e}"))?);
        }
        host.run(&kernel, &self.range)?;
        let read = |(arg, buffer): (&Arg, &Option<Buffer<'_>>)| match (arg, buffer) {
            (Arg::Buffer { before, .. }, Some(buffer)) => buffer.read(before.len()),
            _ => Ok(Vec::new()),
        };
        Ok(self.args.iter().zip(&buffers).map(read).collect::<Result<_, _>>()?)
    }
}

impl Arg {
    /// The line for what is left in it; nothing if it is no buffer.
    fn left(&self, bytes: &[u8]) -> String {
        let Self::Buffer { ty, after, .. } = self else { return String::new() };
        let is_any = |at: usize| after.as_ref().is_some_and(|(after, _)| after.get(at) == Some(&Want::Any));
        let digits = ty.digits(bytes).enumerate().map(|(at, digits)| if is_any(at) { "_".into() } else { digits });
        digits.collect::<Vec<_>>().join(" ") + "\n"
    }

    fn set<'h>(&self, host: &'h Host, kernel: &Kernel<'_>, at: u32) -> Result<Option<Buffer<'h>>, String> {
        match self {
            Self::Buffer { before, .. } => {
                let buffer = host.buffer(before)?;
                kernel.set_buffer(at, Some(&buffer))?;
                return Ok(Some(buffer));
            }
            Self::Value(bytes) => kernel.set_value(at, bytes)?,
            Self::Local(size) => kernel.set_local(at, *size)?,
            Self::Null => kernel.set_buffer(at, None)?,
            Self::Again(_) => {}
        }
        Ok(None)
    }
}

/// `TYPE [ulp N] = rest`
fn typed(text: &str) -> Result<(Type, &str, u64), String> {
    let (head, list) = text.split_once('=').ok_or("no `=`")?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let (name, ulp) = match words[..] {
        [name] => (name, 0),
        [name, "ulp", n] => (name, n.parse().map_err(|_| format!("`{n}`: not a number of ulp"))?),
        _ => return Err(format!("`{head}`: not TYPE or TYPE ulp N")),
    };
    Ok((Type::from_name(name).ok_or(format!("unknown type `{name}`"))?, list, ulp))
}

fn sizes(text: &str, rest: usize) -> Result<([usize; 3], u32), String> {
    let mut sizes = [rest; 3];
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() || words.len() > 3 {
        return Err(format!("`{text}`: not one to three sizes"));
    }
    for (size, word) in sizes.iter_mut().zip(&words) {
        *size = word.parse().map_err(|_| format!("`{word}`: not a size"))?;
    }
    Ok((sizes, words.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_directives_are_errors() {
        let fine = "//@ kernel: k\n//@ out: int = 1\n";
        assert!(Case::parse(fine).is_ok());
        for bad in ["//@ krenel: k\n", "//@ kernel: k\n", "//@ out: int = 1\n", "//@ kernel k", "kernel void k() {}"] {
            assert!(Case::parse(bad).is_err(), "{bad}");
        }
        for line in
            ["out: int 1", "out: itn = 1", "out: int ulp = 1", "global: a", "inout: int = 1", "value: int = 1.5"]
        {
            assert!(Case::parse(&format!("{fine}//@ {line}\n")).is_err(), "{line}");
        }
    }
}
