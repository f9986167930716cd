//! `clift run`: one kernel on data from files and the command line, through the driver's objects.

#![allow(unsafe_code, reason = "lends its own vectors to commands that it waits for")]

use super::input::{self, Input};
use super::sizes::Sizes;
use super::value::{self, Arg, Element};
use super::{Result, print, shown};
use clift_runtime::check;
use clift_runtime::context::Context;
use clift_runtime::kernel::{ArgValue, Kernel};
use clift_runtime::memory::buffer::{Mem, MemFlags, MemType};
use clift_runtime::memory::format::Format;
use clift_runtime::memory::host::HostPtr;
use clift_runtime::memory::image::Shape;
use clift_runtime::object::Obj;
use clift_runtime::platform::Platform;
use clift_runtime::program::Program;
use clift_runtime::queue::command::{Command, WorkSizes};
use clift_runtime::queue::{Blocking, Queue, QueueFlags, WantEvent};
use std::fs;
use std::path::{Path, PathBuf};

/// Options of run.
#[derive(clap::Args)]
#[command(after_help = value::HELP)]
pub struct Args {
    /// OpenCL C source, or a SPIR-V module
    file: PathBuf,
    /// Name of the kernel
    kernel: String,
    /// Work-items in each dimension: X or X,Y or X,Y,Z
    #[arg(long, value_name = "SIZES")]
    global: Sizes,
    /// Work-group size in each dimension
    #[arg(long, value_name = "SIZES")]
    local: Option<Sizes>,
    /// First global id in each dimension
    #[arg(long, value_name = "SIZES")]
    offset: Option<Sizes>,
    /// Options of clBuildProgram
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    options: String,
    /// The kernel's arguments, see below
    args: Vec<String>,
}

/// A buffer argument and what happens to it afterwards.
struct Buffer {
    mem: Obj<Mem>,
    after: After,
}

enum After {
    Nothing,
    Write(PathBuf),
    Print(value::Element),
}

/// Builds, sets arguments, runs, writes results.
pub fn run(args: &Args) -> Result {
    let input = input::read(&args.file)?;
    let devices = Platform::get().devices();
    let context = Context::create(devices, Vec::new(), None).map_err(|error| error.to_string())?;
    let queue = Queue::create(&context, &devices[0], QueueFlags::empty(), Vec::new(), 0).map_err(|e| e.to_string())?;
    let failed = |error: clift_runtime::Error| format!("{}: {error}", shown(&args.file));
    let program = match input {
        Input::Source(source) => Program::create_with_source(&context, source),
        Input::Module(il) => Program::create_with_il(&context, &il).map_err(failed)?,
    };
    check::name_program(program.number(), shown(&args.file));
    check::sink::start();
    let built = program.build(args.options.as_bytes(), None);
    eprint!("{}", program.build_log());
    built.map_err(failed)?;
    let kernel = program.create_kernel(&args.kernel).map_err(|error| error.to_string())?;
    let n_args = kernel.info().args.len();
    if n_args != args.args.len() {
        return Err(format!("kernel `{}` has {n_args} arguments, {} are given", args.kernel, args.args.len()));
    }
    let mut buffers = Vec::new();
    for (index, text) in args.args.iter().enumerate() {
        buffers.extend(set(&context, &kernel, index as u32, text)?);
    }
    launch(&queue, &kernel, args)?;
    for buffer in &buffers {
        finish(&queue, buffer)?;
    }
    Ok(())
}

fn set(context: &Obj<Context>, kernel: &Obj<Kernel>, index: u32, text: &str) -> Result<Option<Buffer>> {
    let why = |error: clift_runtime::Error| format!("argument {index} `{text}`: {error}");
    let buffer = |data: Vec<u8>, after| {
        // SAFETY: `create_buffer` copies `data.len()` bytes before it returns.
        let start = unsafe { HostPtr::new(data.as_ptr().cast_mut()) };
        let flags = MemFlags::COPY_HOST_PTR.bits();
        let mem = Mem::create_buffer(context, flags, data.len(), start, Vec::new()).map_err(why)?;
        kernel.set_arg(index, ArgValue::Mem(Some(&mem))).map_err(why)?;
        Ok(Some(Buffer { mem, after }))
    };
    match value::parse(text)? {
        Arg::In(path) => buffer(read(&path)?, After::Nothing),
        Arg::Out(path, size) => buffer(vec![0; size], After::Write(path)),
        Arg::InOut(from, to) => buffer(read(&from)?, After::Write(to)),
        Arg::Print(element, n) => {
            let size = n.checked_mul(element.size()).ok_or_else(|| format!("argument {index} `{text}`: too large"))?;
            buffer(vec![0; size], After::Print(element))
        }
        Arg::Zero(size) => buffer(vec![0; size], After::Nothing),
        Arg::Image(element, size) => {
            let mem =
                image(context, element, &size.0).map_err(|error| format!("argument {index} `{text}`: {error}"))?;
            kernel.set_arg(index, ArgValue::Mem(Some(&mem))).map_err(why)?;
            Ok(Some(Buffer { mem, after: After::Nothing }))
        }
        Arg::Null => kernel.set_arg(index, ArgValue::Mem(None)).map_err(why).map(|()| None),
        Arg::Local(size) => kernel.set_arg(index, ArgValue::Local(size)).map_err(why).map(|()| None),
        Arg::Bytes(bytes) => kernel.set_arg(index, ArgValue::Bytes(&bytes)).map_err(why).map(|()| None),
    }
}

/// An image of zeros.
fn image(context: &Obj<Context>, element: Element, size: &[usize]) -> Result<Obj<Mem>> {
    let data_type = match element {
        Element::I8 => cl_sys::CL_SIGNED_INT8,
        Element::U8 => cl_sys::CL_UNSIGNED_INT8,
        Element::I16 => cl_sys::CL_SIGNED_INT16,
        Element::U16 => cl_sys::CL_UNSIGNED_INT16,
        Element::I32 => cl_sys::CL_SIGNED_INT32,
        Element::U32 => cl_sys::CL_UNSIGNED_INT32,
        Element::F32 => cl_sys::CL_FLOAT,
        Element::I64 | Element::U64 | Element::F64 => return Err("no image has elements of 64 bits".into()),
    };
    let mem_type = match size.len() {
        1 => MemType::Image1d,
        2 => MemType::Image2d,
        _ => MemType::Image3d,
    };
    let [width, height, depth] = std::array::from_fn(|n| size.get(n).copied().unwrap_or(1));
    let shape = Shape {
        mem_type,
        width,
        height,
        depth,
        layers: 1,
        row_pitch: 0,
        slice_pitch: 0,
        mip_levels: 0,
        samples: 0,
        source: None,
    };
    let format = Format { order: cl_sys::CL_RGBA, data_type };
    let texels =
        width.checked_mul(height).and_then(|n| n.checked_mul(depth)).and_then(|n| n.checked_mul(4 * element.size()));
    let zeros = vec![0u8; texels.ok_or("too large")?];
    // SAFETY: `create_image` copies the texels, which are all there, before it returns.
    let start = unsafe { HostPtr::new(zeros.as_ptr().cast_mut()) };
    let flags = MemFlags::COPY_HOST_PTR.bits();
    Mem::create_image(context, flags, Some(format), &shape, start, Vec::new()).map_err(|error| error.to_string())
}

fn launch(queue: &Obj<Queue>, kernel: &Obj<Kernel>, args: &Args) -> Result {
    let dims = args.global.0.len();
    let same = |sizes: &Option<Sizes>, name| match sizes {
        Some(sizes) if sizes.0.len() != dims => {
            Err(format!("--{name} and --global differ in the number of dimensions"))
        }
        _ => Ok(()),
    };
    same(&args.local, "local")?;
    same(&args.offset, "offset")?;
    let sizes = WorkSizes {
        dims: dims as u32,
        offset: args.offset.as_ref().map(|sizes| &sizes.0[..]),
        global: Some(&args.global.0),
        local: args.local.as_ref().map(|sizes| &sizes.0[..]),
    };
    let command = Command::ndrange(kernel, queue.device(), sizes).map_err(|error| error.to_string())?;
    queue.enqueue(command, &[], Blocking::Yes, WantEvent::No).map(drop).map_err(|error| error.to_string())
}

fn finish(queue: &Obj<Queue>, buffer: &Buffer) -> Result {
    if matches!(buffer.after, After::Nothing) {
        return Ok(());
    }
    let mut data = vec![0u8; buffer.mem.size()];
    // SAFETY: the read is blocking, so `data` is not touched after the call.
    let target = unsafe { HostPtr::new(data.as_mut_ptr()) }.ok_or("no memory")?;
    let command = Command::read_buffer(&buffer.mem, 0, data.len(), target).map_err(|error| error.to_string())?;
    queue.enqueue(command, &[], Blocking::Yes, WantEvent::No).map_err(|error| error.to_string())?;
    match &buffer.after {
        After::Nothing => Ok(()),
        After::Write(path) => fs::write(path, &data).map_err(|error| format!("{}: {error}", shown(path))),
        After::Print(element) => {
            let values: Vec<String> = data.chunks_exact(element.size()).map(|bytes| element.decode(bytes)).collect();
            print(&(values.join(" ") + "\n"))
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", shown(path)))
}
