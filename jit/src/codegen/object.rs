//! What code generation leaves: machine code that may lie anywhere, with its references by symbol, and what a launch
//! has to know of it. It can be kept as bytes and read back by another process of the same library on the same
//! processor; `load` gives it addresses. Must not know where bytes are kept.

use super::Scratch;
use super::data::ProgramData;
use super::debug::{self, LineTable, ProgramPlace};
use super::helper::Helper;
use super::image::{Blob, Image, Target};
use crate::error::CodeError;
use crate::ir::origin::Origins;
use crate::ir::{GlobalId, LocalPlace, Met, Tracked};
use crate::launch::{EntryPoint, KernelCode, LaneChoice};
use crate::race::Sites;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What has an address in each process that code cannot know before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Symbol {
    /// A Rust function.
    Helper(Helper),
    /// A program-scope variable.
    Global(GlobalId),
    /// Where the program's variables begin.
    DataStart,
    /// Where they end.
    DataEnd,
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Helper(helper) => write!(f, "@{helper:?}"),
            Self::Global(global) => write!(f, "@{global}"),
            Self::DataStart => f.write_str("@data"),
            Self::DataEnd => f.write_str("@data_end"),
        }
    }
}

impl Symbol {
    /// Its address in this process, if the program has it.
    fn address(self, data: &ProgramData) -> Option<usize> {
        match self {
            Self::Helper(helper) => Some(helper.address()),
            Self::Global(global) => data.address(global),
            Self::DataStart => Some(data.bounds()[0]),
            Self::DataEnd => Some(data.bounds()[1]),
        }
    }
}

/// Machine code of one kernel for one `SpecKey`, without addresses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodeObject {
    /// The work-group function and its callees.
    pub(super) blobs: Vec<Blob>,
    /// What the function expects at `Env::scratch`.
    pub(super) scratch: Scratch,
    /// See `KernelCode::stack_bytes`.
    pub(super) stack_bytes: usize,
    /// See `KernelCode::is_hasty`.
    pub(super) is_hasty: bool,
    /// See `KernelCode::is_lanes`.
    pub(super) is_lanes: bool,
    /// See `Func::flushes_denormals`.
    pub(super) flushes_denormals: bool,
    /// See `KernelCode::making`.
    pub(crate) making: Duration,
    /// See `KernelCode::remarks`.
    pub(crate) remarks: Vec<String>,
    /// See `KernelCode::rivals`.
    pub(crate) rivals: Vec<LaneChoice>,
    /// See `KernelCode::loop_order`.
    pub(crate) loop_order: [u8; 3],
    /// See `race::Sites`.
    pub(super) tracked: Vec<Tracked>,
    /// See `race::Sites`.
    pub(super) met: Vec<Met>,
    /// See `race::Sites`.
    pub(super) locals: Vec<LocalPlace>,
    /// What the origins in `tracked` and `met` refer to.
    pub(super) origins: Origins,
    /// Of each blob, if somebody wants them; such code is not kept.
    #[serde(skip)]
    pub(super) lines: Vec<LineTable>,
    /// The program's variables that debuggers are told of with it.
    #[serde(skip)]
    pub(super) variables: Vec<(GlobalId, ProgramPlace)>,
}

impl CodeObject {
    /// Bytes of machine code.
    pub(crate) fn bytes(&self) -> usize {
        self.blobs.iter().map(|blob| blob.code.len()).sum()
    }

    fn sites(&self) -> Sites {
        let (tracked, met, locals) = (self.tracked.clone(), self.met.clone(), self.locals.clone());
        Sites { tracked, met, locals, origins: self.origins.clone() }
    }

    /// Puts the code into executable memory. `data` are the variables of the program that the code was made for.
    ///
    /// # Errors
    /// `CodeError` if memory is short, or for a symbol that the program does not have.
    pub fn load(&self, data: &Arc<ProgramData>) -> Result<KernelCode, CodeError> {
        let image = Image::new(&self.blobs, |symbol| symbol.address(data))?;
        let functions: Vec<(u64, &LineTable)> =
            self.lines.iter().enumerate().map(|(n, table)| (image.address(n) as u64, table)).collect();
        let place = |(id, place): &'_ (GlobalId, ProgramPlace)| Some((data.address(*id)? as u64, place.clone()));
        let variables: Vec<(u64, ProgramPlace)> = self.variables.iter().filter_map(place).collect();
        // Go before the image does.
        let published = (!functions.is_empty()).then(|| debug::publish(&functions, &variables)).transpose();
        let (published, unpublished) = published.map_or_else(|why| (None, Some(why)), |published| (published, None));
        let known = debug::fault::know(&functions);
        Ok(KernelCode {
            remarks: self.remarks.clone(),
            rivals: self.rivals.clone(),
            unpublished,
            loop_order: self.loop_order,
            sites: (!self.tracked.is_empty() || !self.met.is_empty()).then(|| Arc::new(self.sites()) as _),
            entry: entry_point(image.address(0)),
            scratch_fixed: self.scratch.fixed,
            scratch_per_item: self.scratch.per_item,
            stack_bytes: self.stack_bytes,
            is_hasty: self.is_hasty,
            is_lanes: self.is_lanes,
            flushes_denormals: self.flushes_denormals,
            making: self.making,
            _image: Arc::new((published, known, image, Arc::clone(data))),
        })
    }

    /// The bytes of which `from_bytes` makes the same object.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("the object has lengths")
    }

    /// An object from bytes; nothing if they are not those of an object.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let object: Self = postcard::from_bytes(bytes).ok()?;
        let n_blobs = object.blobs.len();
        (n_blobs > 0 && object.blobs.iter().all(|blob| is_sound(blob, n_blobs))).then_some(object)
    }
}

/// Whether all places of a blob lie in it, and refer to blobs that there are.
fn is_sound(blob: &Blob, n_blobs: usize) -> bool {
    let in_code = |at: usize, bytes: usize| at.checked_add(bytes).is_some_and(|end| end <= blob.code.len());
    let is_there = |target| !matches!(target, Target::Blob(number) if number >= n_blobs);
    let mut relocs = blob.relocs.iter();
    blob.align.is_power_of_two() && relocs.all(|r| in_code(r.offset, r.kind.bytes()) && is_there(r.target))
}

#[allow(unsafe_code, reason = "the border to generated code")]
fn entry_point(address: usize) -> EntryPoint {
    // SAFETY: the address is that of the root function, compiled with this signature and the C calling convention.
    unsafe { std::mem::transmute::<usize, EntryPoint>(address) }
}

#[cfg(test)]
mod tests {
    use super::super::image::{Reloc, RelocKind};
    use super::*;

    fn object(offset: usize, target: Target) -> CodeObject {
        let relocs = vec![Reloc { offset, kind: RelocKind::Abs8, target, addend: 3 }];
        let blob = Blob { code: vec![0xc3; 12], align: 16, relocs };
        let scratch = Scratch { fixed: 1, per_item: 2 };
        CodeObject {
            blobs: vec![blob],
            scratch,
            is_hasty: false,
            is_lanes: true,
            flushes_denormals: true,
            making: Duration::from_millis(7),
            stack_bytes: 3,
            remarks: vec!["16 lanes".into()],
            rivals: vec![LaneChoice::Fewer],
            loop_order: crate::launch::X_INNERMOST,
            tracked: Vec::new(),
            locals: Vec::new(),
            met: Vec::new(),
            origins: Origins::default(),
            lines: Vec::new(),
            variables: Vec::new(),
        }
    }

    #[test]
    fn objects_survive_the_round_trip() {
        for target in [Target::Blob(0), Target::Symbol(Symbol::Global(GlobalId(7))), Symbol::DataEnd.into()] {
            let before = object(4, target);
            let after = CodeObject::from_bytes(&before.to_bytes()).expect("own bytes");
            assert_eq!(format!("{before:?}"), format!("{after:?}"));
        }
    }

    #[test]
    fn objects_that_refer_to_nothing_are_refused() {
        for bad in [object(5, Target::Blob(0)), object(usize::MAX, Target::Blob(0)), object(0, Target::Blob(1))] {
            assert!(CodeObject::from_bytes(&bad.to_bytes()).is_none());
        }
        let bytes = object(4, Target::Blob(0)).to_bytes();
        for cut in 0..bytes.len() {
            assert!(CodeObject::from_bytes(&bytes[..cut]).is_none());
        }
    }
}
