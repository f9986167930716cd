//! A recording as a reader sees it: programs and launches in memory, contents in the file until they are asked for.
//! After `open` every number in it leads to something that fits.

use super::entry::{Entry, Image, Launch, MemoryKind, Outcome, Program, Value, View};
use super::format::{Chunk, Index, Kind, N_COUNTERS, Reader};
use crate::memory::buffer::{MemFlags, MemType};
use crate::memory::format::Format;
use crate::memory::image::formats;
use std::path::{Path, PathBuf};

/// A recording.
pub struct Recording {
    path: PathBuf,
    reader: Reader,
    /// Programs, by number.
    pub programs: Vec<Program>,
    /// Launches, by number.
    pub launches: Vec<Launch>,
    /// How they ended, none if they did not.
    pub outcomes: Vec<Option<Outcome>>,
    contents: Vec<Chunk>,
    /// It was finished: nothing is missing at the end.
    pub is_whole: bool,
    /// By the numbers of `format::Counter`.
    pub counters: [u64; N_COUNTERS],
}

impl Recording {
    /// Reads a file but for contents of memory.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn open(path: &Path) -> Result<Self, String> {
        let named = |why: String| format!("{}: {why}", path.display());
        Self::read(path).map_err(named)
    }

    fn read(path: &Path) -> Result<Self, String> {
        let mut reader = Reader::open(path).map_err(|error| error.to_string())?;
        let Index { chunks, is_whole, .. } = reader.index().map_err(|error| error.to_string())?;
        let counters = reader.counters;
        let mut this = Self {
            path: path.to_owned(),
            reader,
            programs: Vec::new(),
            launches: Vec::new(),
            outcomes: Vec::new(),
            contents: Vec::new(),
            is_whole,
            counters,
        };
        for (n, chunk) in chunks.iter().enumerate() {
            this.add(chunk).map_err(|why| format!("chunk {n} is not what it should be: {why}"))?;
        }
        Ok(this)
    }

    fn add(&mut self, chunk: &Chunk) -> Result<(), String> {
        fn parsed<T: Entry>(reader: &mut Reader, chunk: &Chunk) -> Result<T, String> {
            let bytes = reader.read(chunk).map_err(|error| error.to_string())?;
            T::from_bytes(&bytes).ok_or_else(|| format!("no {:?}", chunk.kind))
        }
        match chunk.kind {
            Kind::Program => self.programs.push(parsed(&mut self.reader, chunk)?),
            Kind::Contents => self.contents.push(*chunk),
            Kind::Launch => {
                let launch: Launch = parsed(&mut self.reader, chunk)?;
                self.check_launch(&launch)?;
                self.launches.push(launch);
                self.outcomes.push(None);
            }
            Kind::Outcome => {
                let outcome: Outcome = parsed(&mut self.reader, chunk)?;
                self.check_outcome(&outcome)?;
                let place = outcome.launch as usize;
                self.outcomes[place] = Some(outcome);
            }
            Kind::End => {}
        }
        Ok(())
    }

    /// The bytes with a number, which is one that a launch or an outcome names.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn contents(&mut self, number: u32) -> Result<Vec<u8>, String> {
        let named = |why: String| format!("{}: {why}", self.path.display());
        let chunk = self.contents.get(number as usize).ok_or_else(|| named(format!("no contents {number}")))?;
        self.reader.read(chunk).map_err(|error| named(error.to_string()))
    }

    fn check_contents(&self, number: u32, size: u64) -> Result<(), String> {
        match self.contents.get(number as usize) {
            Some(chunk) if chunk.raw_bytes == size => Ok(()),
            _ => Err(format!("there are no contents {number} of {size} bytes")),
        }
    }

    fn check_launch(&self, launch: &Launch) -> Result<(), String> {
        let program = self.programs.get(launch.program as usize);
        let program = program.ok_or_else(|| format!("there is no program {}", launch.program))?;
        if program.units.is_empty() {
            return Err("a program of nothing".into());
        }
        let extents = launch.global.iter().chain(&launch.chosen).chain(launch.local.iter().flatten());
        if !(1..=3).contains(&launch.dims) || extents.into_iter().any(|&n| n == 0) || launch.zeros > 3 {
            return Err("sizes of a launch that there cannot be".into());
        }
        for memory in &launch.memories {
            self.check_contents(memory.before, memory.size)?;
            let end = match memory.kind {
                MemoryKind::Pointer(address) => address.checked_add(memory.size),
                _ => Some(memory.size),
            };
            let is_good = memory.size > 0 && end.is_some_and(|end| end <= 1 << 56);
            is_good.then_some(()).ok_or("memory that there cannot be")?;
        }
        launch.args.iter().try_for_each(|arg| {
            let fits = match &arg.value {
                Value::Buffer(view) => fits(launch, view) && kind(launch, view) != Some(MemoryKind::Image),
                Value::Image(view, image) => {
                    let is_own = kind(launch, view) == Some(MemoryKind::Image);
                    fits(launch, view) && is_own != image.is_of_buffer && is_possible(image, view)
                }
                Value::Pointer { memory, offset } => launch
                    .memories
                    .get(*memory as usize)
                    .is_some_and(|memory| *offset <= memory.size && matches!(memory.kind, MemoryKind::Pointer(_))),
                Value::Bytes(bytes) => !bytes.is_empty(),
                Value::Null | Value::Local(_) | Value::Sampler(_) | Value::Address(_) => true,
            };
            if fits { Ok(()) } else { Err(format!("argument `{}` does not fit its memory", arg.name)) }
        })
    }

    fn check_outcome(&self, outcome: &Outcome) -> Result<(), String> {
        let launch = self.launches.get(outcome.launch as usize);
        let launch = launch.ok_or_else(|| format!("there is no launch {}", outcome.launch))?;
        if outcome.after.len() != launch.memories.len() {
            return Err("an outcome of another launch".into());
        }
        let pairs = outcome.after.iter().zip(&launch.memories);
        pairs
            .filter_map(|(after, memory)| Some(((*after)?, memory.size)))
            .try_for_each(|(n, s)| self.check_contents(n, s))
    }
}

fn kind(launch: &Launch, view: &View) -> Option<MemoryKind> {
    launch.memories.get(view.memory as usize).map(|memory| memory.kind)
}

fn fits(launch: &Launch, view: &View) -> bool {
    let memory = launch.memories.get(view.memory as usize);
    let end = view.offset.checked_add(view.size);
    view.size > 0 && memory.zip(end).is_some_and(|(memory, end)| end <= memory.size)
}

/// Whether there are such images, and all texels lie in the view.
fn is_possible(image: &Image, view: &View) -> bool {
    let format = Format { order: image.order, data_type: image.data_type };
    let types = [MemType::Image2d, MemType::Image3d, MemType::Image2dArray, MemType::Image1d, MemType::Image1dArray];
    let mut types = types.into_iter().chain([MemType::Image1dBuffer]);
    let Some(mem_type) = types.find(|&known| known as u32 == image.mem_type) else { return false };
    let is_known = formats(mem_type, MemFlags::READ_ONLY).contains(&format);
    if !is_known || format.layout().texel_bytes != image.texel_bytes {
        return false;
    }
    let [width, height, depth, layers] = image.sizes;
    let blocks = Some(width / format.block_texels() as u64).filter(|n| n * format.block_texels() as u64 == width);
    let row = blocks.and_then(|n| n.checked_mul(format.row_bytes(format.block_texels()) as u64));
    let slices = depth.max(layers).max(1);
    let rows = row.filter(|&row| row > 0 && row <= image.row_pitch).and_then(|row| {
        let rest = image.row_pitch.checked_mul(height.max(1) - 1)?;
        rest.checked_add(row)
    });
    let is_sliced = slices == 1 || rows.is_some_and(|rows| rows <= image.slice_pitch);
    let end = rows.and_then(|rows| image.slice_pitch.checked_mul(slices - 1)?.checked_add(rows));
    is_sliced && end.is_some_and(|end| end <= view.size)
}
