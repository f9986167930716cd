//! `clift demo`: C host programs, written as any OpenCL user would, compiled with the system's C compiler and run
//! through the installed OpenCL loader, or linked with the driver where there is none.

use super::{Result, library, print, shown};
use std::ffi::OsStr;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

/// Options of demo.
#[derive(clap::Args)]
pub struct Args {
    /// Files to hash (default: the files of the current folder)
    files: Vec<PathBuf>,
    /// Where pictures go (default: beside this program)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The C compiler
    #[arg(long, value_name = "COMMAND", env = "CC", default_value = "cc")]
    cc: String,
    /// Link the driver directly even if there is a loader
    #[arg(long)]
    direct: bool,
}

/// A file that the programs need, with its path below the working folder.
const FILES: &[(&str, &str)] = &[
    ("common.h", include_str!("../../../kernels-test/hosts/common.h")),
    ("CL/cl.h", include_str!("../../../kernels-test/hosts/include/CL/cl.h")),
    ("probe.c", PROBE),
];

/// The programs, in the order in which they run.
const PROGRAMS: &[(&str, &str)] = &[
    ("saxpy", include_str!("../../../kernels-test/hosts/saxpy.c")),
    ("mandelbrot", include_str!("../../../kernels-test/hosts/mandelbrot.c")),
    ("sha256", include_str!("../../../kernels-test/hosts/sha256.c")),
    ("matmul", include_str!("../../../kernels-test/hosts/matmul.c")),
    ("nbody", include_str!("../../../kernels-test/hosts/nbody.c")),
    ("histogram", include_str!("../../../kernels-test/hosts/histogram.c")),
    ("interval", include_str!("../../../kernels-test/hosts/interval.c")),
    ("graph", include_str!("../../../kernels-test/hosts/graph.c")),
    ("replay", include_str!("../../../kernels-test/hosts/replay.c")),
];

/// Says which platform a loader finds.
const PROBE: &str = r#"#include "common.h"
int main(void) {
    cl_platform_id platform;
    char name[64] = "";
    if (clGetPlatformIDs(1, &platform, NULL)) return 1;
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL)) return 1;
    puts(name);
    return 0;
}
"#;

/// Most files that are hashed by default.
const MAX_FILES: usize = 2000;

/// Compiles and runs all programs.
pub fn run(args: &Args) -> Result {
    let library = library::find()?;
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let work = Work::new(folder.path(), &library, args)?;
    print(&format!("{}\n", work.how))?;
    let compiling: Vec<Child> = PROGRAMS.iter().map(|(name, _)| work.compile(name)).collect::<Result<_>>()?;
    for ((name, _), child) in PROGRAMS.iter().zip(compiling) {
        let output = child.wait_with_output().map_err(|error| format!("{}: {error}", args.cc))?;
        if !output.status.success() {
            return Err(format!(
                "{} cannot compile {name}.c:\n{}",
                args.cc,
                String::from_utf8_lossy(&output.stderr).trim_end()
            ));
        }
    }
    let mut n_failed = 0;
    for (name, _) in PROGRAMS {
        let start = Instant::now();
        let outcome = work.run_program(name, args)?;
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(line) => print(&format!("{line} (process {:.0} ms)\n", seconds * 1e3))?,
            Err(line) => {
                n_failed += 1;
                print(&format!("{name}: FAILED: {line}\n"))?;
            }
        }
    }
    if n_failed > 0 {
        return Err(format!("{n_failed} of {} programs failed", PROGRAMS.len()));
    }
    Ok(())
}

/// A folder with sources and programs, and how they find the driver.
struct Work<'a> {
    folder: &'a Path,
    cc: &'a str,
    /// What comes last on the compiler's command line.
    link: Vec<String>,
    how: String,
}

impl<'a> Work<'a> {
    fn new(folder: &'a Path, library: &Path, args: &'a Args) -> Result<Self> {
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
            made.map_err(|error| format!("{}: {error}", shown(&path)))
        };
        FILES.iter().try_for_each(|(name, text)| put(name, text))?;
        PROGRAMS.iter().try_for_each(|(name, text)| put(&format!("{name}.c"), text))?;
        put("vendors/clift.icd", &format!("{}\n", shown(library)))?;
        let home = library.parent().unwrap_or(Path::new("."));
        let mut work = Self { folder, cc: &args.cc, link: Vec::new(), how: String::new() };
        if !args.direct
            && let Some(loader) = work.loader()?
        {
            work.how = format!("through the loader {loader}, driver {}", shown(library));
            return Ok(work);
        }
        work.link = vec![shown(library), format!("-Wl,-rpath,{}", shown(home))];
        work.how = format!("linked directly with {}", shown(library));
        Ok(work)
    }

    /// A loader that finds Clift, ready to be linked.
    fn loader(&mut self) -> Result<Option<String>> {
        for name in ["libOpenCL.so", "libOpenCL.so.1"] {
            let option = format!("-print-file-name={name}");
            let output = Command::new(self.cc).arg(option).output();
            let output = output.map_err(|error| format!("no C compiler ({}): {error}", self.cc))?;
            let path = Path::new(String::from_utf8_lossy(&output.stdout).trim()).to_path_buf();
            let Some(path) = path.canonicalize().ok().filter(|_| path.is_absolute()) else { continue };
            let path = shown(&path);
            self.link = vec![path.clone()];
            let is_linked = self.compile("probe")?.wait_with_output().is_ok_and(|output| output.status.success());
            let found = self.start("probe", &[]).output();
            if is_linked && found.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"Clift")) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn compile(&self, name: &str) -> Result<Child> {
        Command::new(self.cc)
            .args(["-O2", "-std=gnu11", "-ffp-contract=off", "-I.", "-o", name, &format!("{name}.c")])
            .args(&self.link)
            .arg("-lm")
            .current_dir(self.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("no C compiler ({}): {error}", self.cc))
    }

    fn start(&self, name: &str, args: &[&OsStr]) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command.args(args).env("OCL_ICD_VENDORS", self.folder.join("vendors")).env_remove("OCL_ICD_FILENAMES");
        command
    }

    /// Runs a program; what it printed, or why it failed.
    fn run_program(&self, name: &str, args: &Args) -> Result<std::result::Result<String, String>> {
        let picture = self.folder.join("mandelbrot.ppm");
        let files = match name {
            "mandelbrot" => vec![picture.clone()],
            "sha256" if !args.files.is_empty() => args.files.clone(),
            "sha256" => default_files(),
            _ => Vec::new(),
        };
        let arguments: Vec<&OsStr> = files.iter().map(|path| path.as_os_str()).collect();
        let output = self.start(name, &arguments).output().map_err(|error| format!("{name}: {error}"))?;
        let outcome = outcome(&output);
        match outcome {
            Ok(line) if name == "mandelbrot" => Ok(Ok(format!("{line}, picture in {}", shown(&save(&picture, args)?)))),
            other => Ok(other),
        }
    }
}

/// What a program has printed, or the last line of its complaint.
fn outcome(output: &Output) -> std::result::Result<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match (output.status.success(), text(&output.stdout)) {
        (true, text) if !text.is_empty() => Ok(text),
        (true, _) => Err("it printed nothing".into()),
        (false, _) => match text(&output.stderr).lines().next_back() {
            None => Err(output.status.to_string()),
            Some(line) => Err(format!("{line} ({})", output.status)),
        },
    }
}

/// The regular files below the current folder, without hidden ones and build output; this program if there are none.
fn default_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(".")];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.file_type() {
                Ok(ty) if ty.is_dir() && !is_hidden && entry.file_name() != "target" => folders.push(entry.path()),
                Ok(ty) if ty.is_file() && !is_hidden && files.len() < MAX_FILES => files.push(entry.path()),
                _ => {}
            }
        }
    }
    if files.is_empty() {
        files.extend(std::env::current_exe());
    }
    files
}

/// Turns the program's portable pixmap into a PNG that outlives the temporary folder.
fn save(picture: &Path, args: &Args) -> Result<PathBuf> {
    let tool = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = args.out.clone().unwrap_or_else(|| tool.parent().unwrap_or(Path::new(".")).join("demo"));
    let path = folder.join("mandelbrot.png");
    let why = |error: &dyn std::fmt::Display| format!("{}: {error}", shown(&path));
    let data = fs::read(picture).map_err(|error| why(&error))?;
    let (width, height, pixels) = pixmap(&data).ok_or_else(|| why(&"the program wrote no picture"))?;
    fs::create_dir_all(&folder).map_err(|error| why(&error))?;
    let file = fs::File::create(&path).map_err(|error| why(&error))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| why(&error))?;
    Ok(path)
}

/// Width, height and RGB bytes of a binary portable pixmap with 8 bits per channel.
fn pixmap(data: &[u8]) -> Option<(u32, u32, &[u8])> {
    let mut rest = data.strip_prefix(b"P6\n")?;
    let mut line = || {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        Some(text)
    };
    let (width, height) = line()?.split_once(' ')?;
    let (width, height): (u32, u32) = (width.parse().ok()?, height.parse().ok()?);
    let is_whole = line()? == "255" && rest.len() as u64 == 3 * u64::from(width) * u64::from(height);
    is_whole.then_some((width, height, rest))
}

#[cfg(test)]
mod tests {
    use super::pixmap;

    #[test]
    fn pixmaps_are_read_exactly() {
        assert_eq!(pixmap(b"P6\n2 1\n255\nabcdef"), Some((2, 1, &b"abcdef"[..])));
        assert_eq!(pixmap(b"P6\n2 1\n255\nabcde"), None);
        assert_eq!(pixmap(b"P5\n2 1\n255\nab"), None);
        assert_eq!(pixmap(b""), None);
    }
}
