//! The side of a child process: runs what it is given on the driver that its environment names, one job after another.
//! Jobs and replies are frames, a length of four bytes and as many bytes.

use super::generate::{INPUTS, TILE_BYTES};
use clift_kernels_test::host::{Failure, Host, Range};
use std::io::{self, Read, Write};

/// Work-items, and of a group, in two dimensions. The first leaves a smaller last group, which not every OpenCL takes.
pub const LAUNCHES: [[usize; 4]; 4] = [[10, 1, 4, 1], [8, 1, 4, 1], [4, 8, 4, 4], [48, 1, 16, 1]];
/// Values of `out`.
pub const OUTPUTS: usize = 64;

/// `CL_RGBA`.
const RGBA: u32 = 0x10B5;
/// `CL_UNSIGNED_INT8`.
const UNSIGNED_INT8: u32 = 0x10DA;

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What each launch left in `out`, nothing where there was none, or it was refused.
    Left(Vec<Vec<u8>>),
    /// The program did not build, or a call failed.
    Refused(String),
    /// The process ended, or there was no answer.
    Died(String),
}

/// A program and how it is run.
#[derive(Clone, Debug)]
pub struct Job {
    /// OpenCL C.
    pub source: String,
    /// Options of the build.
    pub options: String,
    /// Values of `in`.
    pub inputs: Vec<i32>,
    /// The one launch that there is, or all.
    pub only: Option<u8>,
}

/// Writes a frame.
pub fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u32).to_le_bytes())?;
    to.write_all(bytes)
}

/// Reads a frame.
pub fn read_frame(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Sends a job.
pub fn send(to: &mut impl Write, job: &Job) -> io::Result<()> {
    write_frame(to, job.source.as_bytes())?;
    write_frame(to, job.options.as_bytes())?;
    let inputs: Vec<u8> = job.inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
    write_frame(to, &inputs)?;
    write_frame(to, job.only.as_slice())?;
    to.flush()
}

/// Reads a reply.
pub fn reply(from: &mut impl Read) -> io::Result<Outcome> {
    let message = String::from_utf8_lossy(&read_frame(from)?).into_owned();
    if !message.is_empty() {
        return Ok(Outcome::Refused(message));
    }
    let left: io::Result<Vec<Vec<u8>>> = LAUNCHES.iter().map(|_| read_frame(from)).collect();
    Ok(Outcome::Left(left?))
}

/// Runs jobs until there are no more.
///
/// Errors: no driver, or the other side has gone.
pub fn serve() -> Result<(), String> {
    let host = Host::new()?;
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    while let Ok(source) = read_frame(&mut from) {
        let options = String::from_utf8_lossy(&read_frame(&mut from).map_err(|e| e.to_string())?).into_owned();
        let inputs = read_frame(&mut from).map_err(|e| e.to_string())?;
        let only = read_frame(&mut from).map_err(|e| e.to_string())?;
        let launches = |n: usize| only.first().is_none_or(|&only| usize::from(only) == n);
        let answer = |to: &mut io::StdoutLock<'_>| match run(&host, &source, &options, &inputs, launches) {
            Ok(left) => {
                write_frame(to, &[])?;
                left.iter().try_for_each(|bytes| write_frame(to, bytes))?;
                to.flush()
            }
            Err(failure) => {
                write_frame(to, failure.to_string().as_bytes())?;
                to.flush()
            }
        };
        answer(&mut to).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// What each of these `launches` leaves, nothing for the others.
fn run(
    host: &Host,
    source: &[u8],
    options: &str,
    input_bytes: &[u8],
    launches: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<u8>>, Failure> {
    assert_eq!(input_bytes.len(), 4 * INPUTS, "as many as programs read");
    let program = host.build(source, options)?;
    let kernel = program.kernel("k")?;
    let inputs = host.buffer(input_bytes)?;
    kernel.set_buffer(1, Some(&inputs))?;
    kernel.set_local(2, TILE_BYTES)?;
    // Bytes as texels, for programs with an image.
    let image = if String::from_utf8_lossy(source).contains("read_only image2d_t") {
        let image = host.image([RGBA, UNSIGNED_INT8], [8, 8])?;
        image.write_image([8, 8], input_bytes)?;
        kernel.set_buffer(3, Some(&image))?;
        Some(image)
    } else {
        None
    };
    let mut left = Vec::new();
    for (n, [columns, rows, local_columns, local_rows]) in LAUNCHES.into_iter().enumerate() {
        if !launches(n) {
            left.push(Vec::new());
            continue;
        }
        let out = host.buffer(&[0xa5; 8 * OUTPUTS])?;
        kernel.set_buffer(0, Some(&out))?;
        let range = Range {
            dims: if rows == 1 { 1 } else { 2 },
            global: [columns, rows, 1],
            local: Some([local_columns, local_rows, 1]),
            offset: None,
        };
        match host.run(&kernel, &range) {
            Err(_) if left.is_empty() => left.push(Vec::new()),
            outcome => {
                outcome?;
                left.push(out.read(8 * OUTPUTS)?);
            }
        }
    }
    drop(image);
    Ok(left)
}
