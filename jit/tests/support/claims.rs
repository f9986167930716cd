//! Checks the claims of all kernels of a source, on arguments made up for them, and counts.
#![allow(dead_code, reason = "each test uses a part")]

use clift_jit::claims::{CLAIMS, Given, Report, Setup, Skip, check};
use clift_jit::interp::{ErrorKind, Launch};
use clift_jit::ir::Module;
use clift_jit::launch::{ArgInfo, ArgKind, KernelInfo};
use clift_jit::lowered;
use clift_jit::pipeline::Runner;
use std::collections::BTreeMap;

/// Bytes of a buffer.
const BUFFER: usize = 1 << 15;
/// Bytes of local memory.
const LOCAL: u64 = 1 << 13;

/// What came of many kernels.
#[derive(Default)]
pub struct Tally {
    pub kernels: usize,
    pub report: Report,
    /// Kernels left out, by reason.
    pub skipped: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    /// Takes in one kernel's result.
    pub fn add(&mut self, name: &str, result: Result<Report, Skip>) {
        match result {
            Ok(mut report) => {
                self.kernels += 1;
                report.violations.iter_mut().for_each(|violation| violation.locate(name));
                self.report.add(report);
            }
            Err(skip) => {
                let (why, text) = match skip {
                    Skip::Undefined(text) => ("undefined", text),
                    Skip::Race(text) => ("race", text),
                    Skip::Broken(error) => {
                        let why = match error.kind {
                            ErrorKind::Memory(_) => "out of bounds",
                            ErrorKind::Steps => "too long",
                            ErrorKind::Divergence | ErrorKind::NotUniform => "not met by all",
                            _ => "other",
                        };
                        (why, error.to_string())
                    }
                };
                self.skip(why, format!("{name}: {text}"));
            }
        }
    }

    pub fn skip(&mut self, why: &'static str, text: String) {
        self.skipped.entry(why).or_default().push(text);
    }

    /// Tells what was counted.
    pub fn print(&self) {
        let skipped: Vec<String> = self.skipped.iter().map(|(why, list)| format!("{} {why}", list.len())).collect();
        println!("{} kernels checked; skipped: {}", self.kernels, skipped.join(", "));
        CLAIMS.iter().zip(self.report.checked).for_each(|(claim, n)| println!("{n:>12} {claim:?}"));
        self.report.violations.iter().for_each(|text| println!("VIOLATION {text}"));
    }
}

/// A seeded stream of small numbers.
pub struct Small(pub u64);

impl Small {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Elements of a type of OpenCL C, as small as makes sense.
    fn elements(&mut self, type_name: &str, bytes: usize) -> Vec<u8> {
        let name = type_name.trim_end_matches('*').trim_end_matches(|c: char| c.is_ascii_digit());
        let mut out = Vec::with_capacity(bytes + 8);
        while out.len() < bytes {
            let x = self.below(16);
            match name {
                "char" | "uchar" | "bool" => out.push(x as u8),
                "short" | "ushort" => out.extend((x as u16).to_le_bytes()),
                "half" => out.extend((0x3c00 + 0x40 * x as u16).to_le_bytes()),
                "long" | "ulong" | "size_t" | "ptrdiff_t" => out.extend(x.to_le_bytes()),
                "float" => out.extend((x as f32 * 0.75 - 2.0).to_le_bytes()),
                "double" => out.extend((x as f64 * 0.75 - 2.0).to_le_bytes()),
                _ => out.extend((x as u32).to_le_bytes()),
            }
        }
        out.truncate(bytes);
        out
    }
}

/// Arguments for a kernel; none if it takes something else than values, buffers and local memory, or enqueues blocks,
/// which the interpreter does not run.
pub fn arguments(info: &KernelInfo, rng: &mut Small) -> Option<Vec<Given>> {
    let given = |arg: &ArgInfo| match arg.kind {
        ArgKind::Value => Some(Given::Value(rng.elements(&arg.type_name, arg.size))),
        ArgKind::Buffer { .. } => Some(Given::Buffer(rng.elements(&arg.type_name, BUFFER))),
        ArgKind::Local => Some(Given::Local(LOCAL)),
        ArgKind::Image { .. } | ArgKind::Sampler | ArgKind::Pipe { .. } | ArgKind::Queue => None,
    };
    if info.enqueues {
        return None;
    }
    info.args.iter().map(given).collect()
}

/// Checks each kernel of a source.
pub fn source(tally: &mut Tally, name: &str, source: &str, options: &str, steps: u64) {
    let Ok(lowered) = lowered(source.as_bytes(), options) else { return tally.skip("not built", name.into()) };
    let mut module = lowered.clone();
    Runner::default().program(&mut module);
    for (kernel, (info, _)) in module.kernels.iter().enumerate() {
        let name = format!("{name} {}", info.name);
        let Some(args) = arguments(info, &mut Small(1)) else {
            tally.skip("images", name);
            continue;
        };
        let local = info.reqd_work_group_size.unwrap_or([20, 1, 1]);
        let launch = Launch {
            work_dim: 1,
            global_size: [2 * local[0], local[1], local[2]],
            global_offset: [0; 3],
            local_size: local,
        };
        tally.add(&name, run(&lowered, &module, kernel, &args, launch, steps));
    }
}

/// Checks one kernel.
pub fn run(
    lowered: &Module,
    module: &Module,
    kernel: usize,
    args: &[Given],
    launch: Launch,
    steps: u64,
) -> Result<Report, Skip> {
    check(&Setup { lowered, module, kernel, args, launch, steps, widths: &[4, 16] })
}
