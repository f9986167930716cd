//! `clift build`: the compiler alone, with its diagnostics on stderr and, if asked, a stage's text on stdout.

use super::annotate;
use super::input::{self, Input};
use super::sizes::Sizes;
use super::{Result, print, shown};
use clap::ValueEnum;
use clift_jit::diag::Style;
use clift_jit::image::format::{data_type, order};
use clift_jit::image::{Fact, ImageFacts};
use clift_jit::ir::Module;
use clift_jit::launch::ArgValues;
use clift_jit::{ArgKind, Emit, KernelInfo, SpecKey, spirv};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Options of build.
#[derive(clap::Args)]
pub struct Args {
    /// OpenCL C source, or a SPIR-V module
    file: PathBuf,
    /// Print a stage of the compilation
    #[arg(long, value_name = "STAGE")]
    emit: Option<Stage>,
    /// Say of each loop over work-items how many run side by side in vector lanes, or why not
    #[arg(long, conflicts_with = "emit")]
    remarks: bool,
    /// Print what a pass of the compiler changes, or each of them if this is `all`
    #[arg(long, value_name = "PASS", conflicts_with_all = ["emit", "remarks", "kernel"])]
    print_after: Option<String>,
    /// Print source lines with the machine instructions that they become, and how many lanes those have
    #[arg(long, conflicts_with_all = ["emit", "remarks", "print_after"])]
    annotate: bool,
    /// Only this kernel (default: all of the file)
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Compile for work-groups of exactly this size (default: for any)
    #[arg(long, value_name = "SIZES")]
    local: Option<Sizes>,
    /// Compile for images of this format, e.g. RGBA,UNORM_INT8 (default: for any)
    #[arg(long, value_name = "ORDER,TYPE", value_parser = format)]
    images: Option<Fact>,
    /// Compile for this value of an integer argument, e.g. width=640 (default: for any)
    #[arg(long = "value", value_name = "ARG=N", value_parser = value)]
    values: Vec<(String, i64)>,
    /// Compile for buffers that are larger than the caches
    #[arg(long)]
    large: bool,
    /// Options of clBuildProgram, after --
    #[arg(last = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// What `--emit` prints.
#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// The kernel in the compiler's own representation
    Kir,
    /// The same for a whole work-group
    Group,
    /// The code generator's input
    Clif,
    /// Machine code
    Asm,
    /// The instructions of a SPIR-V module
    SpirvText,
}

/// Compiles the file.
pub fn run(args: &Args) -> Result {
    let (input, options) = (input::read(&args.file)?, args.options.join(" "));
    if let Some(Stage::SpirvText) = args.emit {
        let Input::Module(il) = &input else { return Err(format!("{}: not SPIR-V", shown(&args.file))) };
        return print(&spirv::disassemble(il).map_err(|why| format!("{}: {why}", shown(&args.file)))?);
    }
    let built = match &input {
        Input::Source(source) => clift_jit::build_styled(source, &options, &[], style()),
        Input::Module(il) => clift_jit::build_il(il, &[], &options),
    };
    eprint!("{}", built.log);
    let program = built.program.map_err(|_| format!("{}: not compiled", shown(&args.file)))?;
    let is_asked = |name: &str| program.kernels().iter().any(|k| ArgValues::default().learn(k, name, 0));
    if let Some((name, _)) = args.values.iter().find(|(name, _)| !is_asked(name)) {
        return Err(format!("{}: no kernel asks for an integer argument `{name}`", shown(&args.file)));
    }
    if let Some(pass) = &args.print_after {
        let lowered = match &input {
            Input::Source(source) => clift_jit::lowered(source, &options),
            Input::Module(il) => clift_jit::lowered_il(il, &[], &options),
        };
        return print_after(args, lowered?, pass);
    }
    let stage = match args.emit {
        Some(Stage::Kir) => Emit::Kir,
        Some(Stage::Group) => Emit::WorkGroup,
        Some(Stage::Clif) => Emit::Clif,
        Some(Stage::Asm) => Emit::Asm,
        None if args.remarks => Emit::Remarks,
        // Printed below.
        None if args.annotate => Emit::Asm,
        None | Some(Stage::SpirvText) => return Ok(()),
    };
    let wanted = |name: &str| args.kernel.as_deref().is_none_or(|kernel| kernel == name);
    let kernels = program.kernels().iter().enumerate().filter(|(_, kernel)| wanted(&kernel.name));
    let mut n_kernels = 0;
    let local_size = args.local.as_ref().map(Sizes::narrow).transpose()?;
    for (index, kernel) in kernels {
        let key = key(args, local_size, kernel);
        let text = match args.annotate {
            true => program.annotate(index, key).map(|lines| annotate::text(kernel, &lines)),
            false => program.emit(index, key, stage),
        };
        print(&text.map_err(|error| format!("{}: {}", kernel.name, error.message))?)?;
        n_kernels += 1;
    }
    match &args.kernel {
        Some(name) if n_kernels == 0 => Err(format!("{}: there is no kernel `{name}`", shown(&args.file))),
        _ => Ok(()),
    }
}

/// Prints what a pass changes, each time that it changes something.
fn print_after(args: &Args, lowered: Module, pass: &str) -> Result {
    let local_size = args.local.as_ref().map(Sizes::narrow).transpose()?;
    let changes = clift_jit::changes(lowered, pass, |info| key(args, local_size, info))?;
    let mut text = String::new();
    for change in changes.iter().filter(|change| change.before != change.after) {
        text += &format!("-- {} in `{}`\n{}", change.pass, change.func, change.diff(3));
    }
    print(&text)
}

/// For which launches a kernel is compiled.
fn key(args: &Args, local_size: Option<[u32; 3]>, kernel: &KernelInfo) -> SpecKey {
    let streams = if args.large { u64::MAX } else { 0 };
    let mut images = ImageFacts::default();
    let opaque = kernel.args.iter().filter(|arg| arg.kind.is_opaque());
    for (fact, arg) in images.iter_mut().zip(opaque) {
        *fact = args.images.filter(|_| arg.kind != ArgKind::Sampler).unwrap_or_default();
    }
    let mut values = ArgValues::default();
    for (name, value) in &args.values {
        values.learn(kernel, name, *value);
    }
    SpecKey {
        local_size,
        small_args: kernel.long_args().next().is_some(),
        images,
        streams,
        disjoint: kernel.pointers.separable,
        values,
        ..SpecKey::of_ids([0; 3], [1; 3])
    }
}

/// An argument's name and value.
fn value(text: &str) -> std::result::Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a value is an argument's name, =, and an integer")?;
    let value = value.parse().map_err(|error| format!("{value}: {error}"))?;
    Ok((name.to_owned(), value))
}

/// The format that an option names.
fn format(text: &str) -> std::result::Result<Fact, String> {
    let (order, data_type) = text.split_once(',').ok_or("a format is a channel order, a comma, and a channel type")?;
    let find = |names: &[(&str, u32)], name: &str| names.iter().find(|row| row.0 == name).map(|row| row.1);
    let order = find(order::NAMES, order).ok_or_else(|| format!("there is no channel order CL_{order}"))?;
    let data_type =
        find(data_type::NAMES, data_type).ok_or_else(|| format!("there is no channel type CL_{data_type}"))?;
    Ok(Fact::image(order, data_type, true))
}

/// Colours on a terminal, unless the user does not want any.
fn style() -> Style {
    let is_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if is_wanted && std::io::stderr().is_terminal() { Style::Colour } else { Style::Plain }
}
