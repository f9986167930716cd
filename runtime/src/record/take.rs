//! Finds the memory that a launch can reach: what its arguments lead to, and whatever allocations of the context hold
//! an address of each other, as a collector of garbage would look for them: every aligned word that might be an address
//! is one. Ranges that overlap become one, so that a replay can lay them out alike.

use super::entry::{Arg, Image, MemoryKind, Sampler, Value, View};
use super::{Facts, Taken};
use crate::context::Context;
use crate::memory::buffer::{Mem, MemFlags, MemType};
use crate::memory::host::Storage;
use crate::sampler::{Addressing, Filter};
use clift_jit::image::sampler;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::sync::Arc;

/// Ranges start at a multiple of this where that can be, so that addresses are alike in a replay.
const PAGE: usize = 4096;

/// Numbers of each allocation that are tried as addresses.
const MAX_STRANGE: usize = 1 << 16;

/// What a launch can reach.
pub struct Reach {
    /// By address; different memory each.
    pub regions: Vec<Region>,
    /// Arguments, which name regions by their places.
    pub args: Vec<Arg>,
    /// What may make a replay differ.
    pub doubts: Vec<String>,
    /// What is missing for a replay.
    pub gaps: Vec<String>,
}

/// A range of addresses.
pub struct Region {
    range: Range<usize>,
    pieces: Vec<Piece>,
}

/// Memory from one source.
struct Piece {
    range: Range<usize>,
    source: Source,
}

/// Whose memory it is.
#[derive(Clone)]
enum Source {
    /// A buffer's.
    Buffer(Arc<Storage>),
    /// An image's.
    Image(Arc<Storage>),
    /// An allocation of shared virtual memory.
    Svm,
    /// An allocation of unified shared memory.
    Usm,
}

/// Finds the memory of a launch; `None` if it has more bytes than there is room.
pub fn reach(facts: &Facts, room: u64) -> Option<Reach> {
    let allocations = Allocations::of(&facts.context);
    let mut pieces = Vec::new();
    for arg in &facts.args {
        match arg {
            Taken::Mem(mem) => add_object(&mut pieces, mem),
            Taken::Address(address) => pieces.extend(allocations.at(*address)),
            Taken::Bytes(_) | Taken::Null | Taken::Local(_) | Taken::Sampler(_) => {}
        }
    }
    let is_strange = !allocations.0.is_empty() && follow(&mut pieces, facts, &allocations, room)?;
    let regions = merge(pieces);
    let total: usize = regions.iter().map(Region::len).sum();
    if total as u64 > room {
        return None;
    }
    let mut reach = Reach { regions, args: Vec::new(), doubts: Vec::new(), gaps: Vec::new() };
    if facts.executable.source().global_variable_bytes() > 0 {
        reach.doubts.push("variables at program scope are as they are when the program starts".into());
    }
    if facts.executable.source().kernels()[facts.index].may_wait {
        reach.doubts.push("it may wait for what others write, and these may be other launches or the host".into());
    }
    if facts.executable.source().kernels()[facts.index].enqueues {
        reach.gaps.push("it enqueues blocks, asks for device queues and events, or has barriers of all groups".into());
    } else if facts.is_concurrent {
        reach.gaps.push("its groups run at the same time".into());
    }
    if is_strange {
        let doubt = "shared memory holds what may be addresses of memory that Clift does not know";
        reach.doubts.push(doubt.into());
    }
    let infos = &facts.executable.source().kernels()[facts.index].args;
    for (index, (taken, info)) in facts.args.iter().zip(infos).enumerate() {
        let value = reach.value(taken);
        if matches!(taken, Taken::Mem(mem) if mem.image().is_some_and(|image| image.mip_levels() > 1)) {
            reach.gaps.push(format!("argument {index} is an image with mip levels"));
        }
        if matches!(taken, Taken::Mem(mem) if mem.pipe().is_some()) {
            reach.gaps.push(format!("argument {index} is a pipe"));
        }
        if let Value::Address(address) = value {
            reach.gaps.push(format!("argument {index} is the address {address:#x} in memory that Clift does not know"));
        }
        reach.args.push(Arg {
            name: info.name.clone(),
            type_name: info.type_name.clone(),
            is_const: info.is_const,
            value,
        });
    }
    reach.check_images();
    Some(reach)
}

/// Adds a memory object's bytes to those of others in the same storage.
fn add_object(pieces: &mut Vec<Piece>, mem: &Mem) {
    let (storage, start) = (mem.storage(), mem.data_address());
    let end = start + mem.size();
    let same = pieces.iter_mut().find_map(|piece| match &piece.source {
        Source::Buffer(other) | Source::Image(other) if Arc::ptr_eq(other, storage) => Some(piece),
        _ => None,
    });
    let offset = start - storage.address();
    let start = start - offset % PAGE;
    match same {
        Some(piece) => piece.range = piece.range.start.min(start)..piece.range.end.max(end),
        None => {
            let is_own = mem.image().is_some() && !is_of_buffer(mem);
            let source = if is_own { Source::Image } else { Source::Buffer };
            pieces.push(Piece { range: start..end, source: source(Arc::clone(storage)) });
        }
    }
}

/// Whether it is an image in the memory of a buffer.
fn is_of_buffer(mem: &Mem) -> bool {
    mem.parent().is_some_and(|parent| parent.image().is_none())
}

/// The allocations of a context, by address.
struct Allocations(Vec<Piece>);

impl Allocations {
    fn of(context: &Context) -> Self {
        let svm = context.svm_allocations().into_iter().map(|range| Piece { range, source: Source::Svm });
        let usm = context.usm_allocations().into_iter().map(|range| Piece { range, source: Source::Usm });
        let mut all: Vec<Piece> = svm.chain(usm).collect();
        all.sort_by_key(|piece| piece.range.start);
        Self(all)
    }

    /// The place of the allocation that an address lies in or is the end of.
    fn place(&self, address: usize) -> Option<usize> {
        let behind = self.0.partition_point(|piece| piece.range.start <= address);
        let place = behind.checked_sub(1)?;
        (address <= self.0[place].range.end).then_some(place)
    }

    fn at(&self, address: usize) -> Option<Piece> {
        let Piece { range, source } = &self.0[self.place(address)?];
        Some(Piece { range: range.clone(), source: source.clone() })
    }
}

/// Adds the allocations of which addresses lie in arguments or in memory that can be reached. Says whether there are
/// addresses of other memory in these allocations; `None` if there is no room for all.
fn follow(pieces: &mut Vec<Piece>, facts: &Facts, allocations: &Allocations, room: u64) -> Option<bool> {
    let mut found = BTreeSet::new();
    let mut strange = Vec::new();
    for piece in pieces.iter() {
        found.extend(allocations.place(piece.range.start).filter(|_| piece.source.is_allocation()));
    }
    let mut work: Vec<Vec<u8>> = Vec::new();
    for arg in &facts.args {
        if let Taken::Bytes(bytes) = arg {
            work.push(bytes.clone());
        }
    }
    let mut total = 0;
    let mut at = 0;
    loop {
        while let Some(bytes) = work.pop() {
            let words = bytes.as_chunks::<8>().0.iter().map(|word| usize::from_ne_bytes(*word));
            for place in words.filter_map(|word| allocations.place(word)) {
                if found.insert(place) {
                    let Piece { range, source } = &allocations.0[place];
                    pieces.push(Piece { range: range.clone(), source: source.clone() });
                }
            }
        }
        let Some(piece) = pieces.get(at) else { break };
        total += piece.range.len() as u64;
        if total > room {
            return None;
        }
        let bytes = piece.read(&facts.context);
        if piece.source.is_allocation() {
            let words = bytes.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).map(|word| usize::from_ne_bytes(*word));
            strange.extend(words.filter(|&word| word > PAGE && allocations.place(word).is_none()).take(MAX_STRANGE));
        }
        work.extend(bytes);
        at += 1;
    }
    Some(is_any_address(&strange))
}

/// Whether any of these numbers is an address of memory that may be written.
fn is_any_address(numbers: &[usize]) -> bool {
    let maps =
        if numbers.is_empty() { String::new() } else { fs::read_to_string("/proc/self/maps").unwrap_or_default() };
    let range = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        rest.starts_with("rw").then_some(number(start)?..number(end)?)
    };
    let ranges: Vec<Range<usize>> = maps.lines().filter_map(range).collect();
    numbers.iter().any(|number| ranges.iter().any(|range| range.contains(number)))
}

/// Ranges that overlap as one.
fn merge(mut pieces: Vec<Piece>) -> Vec<Region> {
    pieces.sort_by_key(|piece| (piece.range.start, piece.range.end));
    let mut regions: Vec<Region> = Vec::new();
    for piece in pieces {
        match regions.last_mut() {
            Some(last) if piece.range.start < last.range.end => {
                last.range.end = last.range.end.max(piece.range.end);
                let is_new = !last.pieces.iter().any(|p| p.range == piece.range);
                last.pieces.extend(is_new.then_some(piece));
            }
            _ => regions.push(Region { range: piece.range.clone(), pieces: vec![piece] }),
        }
    }
    regions
}

impl Source {
    fn is_allocation(&self) -> bool {
        matches!(self, Self::Svm | Self::Usm)
    }
}

impl Piece {
    /// What is in it; none if it is gone.
    fn read(&self, context: &Context) -> Option<Vec<u8>> {
        match &self.source {
            Source::Buffer(storage) | Source::Image(storage) => {
                Some(storage.span().sub(self.range.start - storage.address(), self.range.len()).to_vec())
            }
            Source::Svm => context.svm_contents(self.range.start).filter(|bytes| bytes.len() == self.range.len()),
            Source::Usm => context.usm_contents(self.range.start).filter(|bytes| bytes.len() == self.range.len()),
        }
    }
}

impl Region {
    /// Bytes.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// What is in it; none if it is gone.
    pub fn read(&self, context: &Context) -> Option<Vec<u8>> {
        if let [piece] = &self.pieces[..] {
            return piece.read(context);
        }
        let mut all = vec![0; self.len()];
        for piece in &self.pieces {
            let at = piece.range.start - self.range.start;
            all[at..at + piece.range.len()].copy_from_slice(&piece.read(context)?);
        }
        Some(all)
    }

    /// What it was.
    pub fn kind(&self) -> MemoryKind {
        let has = |is: fn(&Source) -> bool| self.pieces.iter().any(|piece| is(&piece.source));
        if has(Source::is_allocation) {
            MemoryKind::Pointer(self.range.start as u64)
        } else if has(|source| matches!(source, Source::Image(_))) {
            MemoryKind::Image
        } else if has(|source| matches!(source, Source::Buffer(storage) if storage.is_borrowed())) {
            MemoryKind::HostBuffer((self.range.start % PAGE) as u32)
        } else {
            MemoryKind::Buffer
        }
    }
}

impl Reach {
    fn value(&self, taken: &Taken) -> Value {
        match taken {
            Taken::Bytes(bytes) => Value::Bytes(bytes.clone()),
            Taken::Null | Taken::Address(0) => Value::Null,
            Taken::Local(size) => Value::Local(*size as u64),
            Taken::Sampler(bits) => Value::Sampler(settings(*bits)),
            Taken::Address(address) => match self.place(*address) {
                Some((memory, offset)) => Value::Pointer { memory, offset },
                None => Value::Address(*address as u64),
            },
            Taken::Mem(mem) => {
                let Some((memory, offset)) = self.place(mem.data_address()) else { return Value::Null };
                let flags = mem.flags() & (MemFlags::READ_WRITE | MemFlags::WRITE_ONLY | MemFlags::READ_ONLY);
                let view = View { memory, offset, size: mem.size() as u64, flags: flags.bits() };
                mem.image().map_or(Value::Buffer(view), |_| Value::Image(view, image(mem)))
            }
        }
    }

    /// The region that an address lies in, or else is the end of, and where.
    fn place(&self, address: usize) -> Option<(u32, u64)> {
        let in_it = self.regions.iter().position(|region| region.range.contains(&address));
        let at_end = || self.regions.iter().position(|region| region.range.end == address);
        let place = in_it.or_else(at_end)?;
        Some((place as u32, (address - self.regions[place].range.start) as u64))
    }

    /// Images with memory of their own must have it for themselves.
    fn check_images(&mut self) {
        for (place, region) in self.regions.iter().enumerate() {
            let mut values = self.args.iter().map(|arg| &arg.value).filter(|value| match value {
                Value::Buffer(view) | Value::Image(view, _) => view.memory as usize == place,
                _ => false,
            });
            let first = values.next();
            if region.kind() == MemoryKind::Image && !values.all(|value| Some(value) == first) {
                self.gaps.push("images share their memory with other arguments".into());
            }
        }
    }
}

fn image(mem: &Mem) -> Image {
    let Some(image) = mem.image() else { unreachable!("the caller has looked") };
    let format = image.format();
    Image {
        mem_type: mem.mem_type() as u32,
        order: format.order,
        data_type: format.data_type,
        sizes: image.sizes().map(|size| size as u64),
        texel_bytes: format.layout().texel_bytes,
        row_pitch: image.row_pitch() as u64,
        slice_pitch: image.slice_pitch() as u64,
        is_of_buffer: is_of_buffer(mem) || mem.mem_type() == MemType::Image1dBuffer,
    }
}

fn settings(bits: u32) -> Sampler {
    let addressing = match bits & 0xe {
        sampler::CLAMP_TO_EDGE => Addressing::ClampToEdge,
        sampler::CLAMP => Addressing::Clamp,
        sampler::REPEAT => Addressing::Repeat,
        sampler::MIRRORED_REPEAT => Addressing::MirroredRepeat,
        _ => Addressing::None,
    };
    let filter = if bits & sampler::LINEAR != 0 { Filter::Linear } else { Filter::Nearest };
    Sampler { is_normalized: bits & sampler::NORMALIZED != 0, addressing: addressing as u32, filter: filter as u32 }
}
