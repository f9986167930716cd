//! `clift build`: the compiler alone, with its diagnostics on stderr and, if asked, a stage's text on stdout.

use super::sizes::Sizes;
use super::{Result, print, shown};
use clap::ValueEnum;
use clift_jit::diag::Style;
use clift_jit::image::format::{data_type, order};
use clift_jit::image::{Fact, ImageFacts};
use clift_jit::{ArgKind, Emit, KernelInfo, SpecKey};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Options of build.
#[derive(clap::Args)]
pub struct Args {
    /// OpenCL C source
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
    /// Only this kernel (default: all of the file)
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Compile for work-groups of exactly this size (default: for any)
    #[arg(long, value_name = "SIZES")]
    local: Option<Sizes>,
    /// Compile for images of this format, e.g. RGBA,UNORM_INT8 (default: for any)
    #[arg(long, value_name = "ORDER,TYPE", value_parser = format)]
    images: Option<Fact>,
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
}

impl From<Stage> for Emit {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Kir => Self::Kir,
            Stage::Group => Self::WorkGroup,
            Stage::Clif => Self::Clif,
            Stage::Asm => Self::Asm,
        }
    }
}

/// Compiles the file.
pub fn run(args: &Args) -> Result {
    let source = source(&args.file)?;
    let built = clift_jit::build_styled(&source, &args.options.join(" "), &[], style());
    eprint!("{}", built.log);
    let program = built.program.map_err(|_| format!("{}: not compiled", shown(&args.file)))?;
    if let Some(pass) = &args.print_after {
        return print_after(args, &source, pass);
    }
    let stage = match args.emit {
        Some(stage) => Emit::from(stage),
        None if args.remarks => Emit::Remarks,
        None => return Ok(()),
    };
    let wanted = |name: &str| args.kernel.as_deref().is_none_or(|kernel| kernel == name);
    let kernels = program.kernels().iter().enumerate().filter(|(_, kernel)| wanted(&kernel.name));
    let mut n_kernels = 0;
    let local_size = args.local.as_ref().map(Sizes::narrow).transpose()?;
    for (index, kernel) in kernels {
        let text = program.emit(index, key(args, local_size, kernel), stage);
        print(&text.map_err(|error| format!("{}: {}", kernel.name, error.message))?)?;
        n_kernels += 1;
    }
    match &args.kernel {
        Some(name) if n_kernels == 0 => Err(format!("{}: there is no kernel `{name}`", shown(&args.file))),
        _ => Ok(()),
    }
}

/// Prints what a pass changes, each time that it changes something.
fn print_after(args: &Args, source: &[u8], pass: &str) -> Result {
    let local_size = args.local.as_ref().map(Sizes::narrow).transpose()?;
    let changes = clift_jit::changes(source, &args.options.join(" "), pass, |info| key(args, local_size, info))?;
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
    SpecKey { local_size, small_ids: true, images, streams, disjoint: kernel.pointers.separable }
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

/// A file's text under its own name, so that diagnostics show it.
pub fn source(path: &Path) -> Result<Vec<u8>> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", shown(path)))?;
    let name = shown(path).replace('\\', "\\\\").replace('"', "\\\"");
    let mut source = format!("#line 1 \"{}\"\n", name.replace('\n', " ")).into_bytes();
    source.extend(text);
    Ok(source)
}

/// Colours on a terminal, unless the user does not want any.
fn style() -> Style {
    let is_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if is_wanted && std::io::stderr().is_terminal() { Style::Colour } else { Style::Plain }
}
