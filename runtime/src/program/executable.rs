//! A built program's kernels, and the machine code in memory: for each kernel a list of pieces by specialisation,
//! that only grows and is read without a lock, each with rivals that may be faster (`rivals`), variants for values of
//! arguments (`variants`) and better code (`thorough`). Bounds how many there are. The compiler itself keeps nothing.

use super::contest::Trial;
use super::midway::Midway;
use super::rivals::{Next, Rivals};
use super::thorough::Thorough;
use super::variants::{Advice, Variant, Variants};
use crate::check::objects;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::exec::ndrange::Compiled;
use crate::exec::pool::{self, Pool};
use crate::record::Source;
use crate::trace;
use clift_jit::launch::{ArgValues, LaneChoice};
use clift_jit::{ArgInfo, KernelCode, KernelInfo, SpecKey};
use once_cell::sync::OnceCell;
use std::collections::HashMap;
use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a launch takes.
pub struct Chosen {
    /// Code.
    pub code: Arc<Compiled>,
    /// Where to tell how long groups took.
    pub trial: Option<Trial>,
    /// Rivals, if there are such that are not decided.
    pub midway: Option<Midway>,
}

impl Chosen {
    /// This code, of which nothing is to be found out.
    pub fn new(code: &Arc<Compiled>) -> Self {
        Self { code: Arc::clone(code), trial: None, midway: None }
    }
}

/// Where kernels come from: the compiler's program, or hand-made code in tests.
pub trait KernelSource: Send + Sync {
    /// Metadata, in source order.
    fn kernels(&self) -> &[KernelInfo];
    /// Makes machine code of kernel `index` for `key`.
    ///
    /// # Errors
    /// `Internal` ← code generation failed.
    fn code(&self, index: usize, key: SpecKey) -> Result<KernelCode>;
    /// Bytes of its program-scope variables in the global address space.
    fn global_variable_bytes(&self) -> usize {
        0
    }
    /// Address and bytes of one of them, which lives as long as this does.
    fn variable(&self, _name: &str) -> Option<(usize, usize)> {
        None
    }
    /// The compiler's program, if that is where kernels come from.
    fn program(&self) -> Option<&clift_jit::Program> {
        None
    }
}

impl KernelSource for clift_jit::Program {
    fn program(&self) -> Option<&clift_jit::Program> {
        Some(self)
    }
    fn kernels(&self) -> &[KernelInfo] {
        self.kernels()
    }
    fn code(&self, index: usize, key: SpecKey) -> Result<KernelCode> {
        self.code(index, key).map_err(|e| Error::Internal { message: e.message })
    }
    fn global_variable_bytes(&self) -> usize {
        self.global_variable_bytes()
    }
    fn variable(&self, name: &str) -> Option<(usize, usize)> {
        self.variable(name)
    }
}

/// After this many exact sizes further ones use the code for any size.
const MAX_EXACT_SIZES: usize = 32;
/// Code that takes so long to make, and has no lanes for groups of this many work-items, is made for any size when
/// another one comes.
const LONG_TO_MAKE: Duration = Duration::from_millis(50);
const LEAST_FOR_LANES: u64 = 8;
/// With this many pieces of code for strides of 1 further ones know no strides.
const MAX_STRIDED: usize = 8;
/// With this many pieces of code further launches use the code for any images.
const MAX_SPECIAL: usize = 64;

/// A built program's kernels with the code that has been made for launches, and what that code is known to cost: for
/// all kernel objects, since many programs make new ones for each launch.
pub struct Executable {
    source: Arc<dyn KernelSource>,
    /// Of each kernel.
    code: Vec<Pieces>,
    /// Numbers of kernels.
    by_name: HashMap<String, usize>,
    /// What a recording says of the program.
    pub(crate) recorded: OnceCell<Arc<Source>>,
}

/// A program-scope variable in the global address space.
pub struct Variable {
    /// Where it is, as long as this value lives.
    pub address: usize,
    /// Bytes.
    pub size: usize,
    _code: Arc<Executable>,
}

/// A kernel's code by specialisation: the first piece, which leads to the next.
type Pieces = OnceCell<Box<Piece>>;

/// Code for one key, made by the first thread that asks, for which others wait; nothing as long as that fails.
struct Piece {
    key: SpecKey,
    code: OnceCell<Arc<Compiled>>,
    thorough: Thorough,
    rivals: Rivals,
    /// By the choice of lanes that they are to be better than.
    variants: [Variants; LaneChoice::COUNT],
    next: Pieces,
}

impl Piece {
    /// True if it tells that code for the exact size of `wanted` is not worth what it takes to make.
    fn is_as_good_for_any_size(&self, wanted: SpecKey) -> bool {
        let (Some(size), Some(code)) = (self.key.local_size, self.code.get()) else { return false };
        let items = size.iter().map(|&n| u64::from(n)).product::<u64>();
        let is_alike = SpecKey { local_size: None, ..self.key } == SpecKey { local_size: None, ..wanted };
        is_alike && !code.code.is_lanes() && items >= LEAST_FOR_LANES && code.making >= LONG_TO_MAKE
    }
}

impl Executable {
    /// These kernels.
    pub fn new(source: Arc<dyn KernelSource>) -> Self {
        if source.program().is_some_and(|program| !program.checks().is_empty()) {
            objects::keep();
        }
        let code = source.kernels().iter().map(|_| Pieces::new()).collect();
        let kernels = source.kernels().iter().enumerate().filter(|(_, info)| !info.is_block);
        let names = kernels.map(|(index, info)| (info.name.clone(), index));
        let by_name = names.collect();
        Self { source, code, by_name, recorded: OnceCell::new() }
    }

    /// Begins to make code of kernel `index`, which a launch is likely to follow, if it names its local size: then the
    /// specialisation is known, unless there are images or pointers into the same memory. A launch that comes before
    /// the code is there waits for it. A failure is reported where the code is asked for.
    pub fn prepare(self: &Arc<Self>, index: usize, pool: &Pool) {
        if self.code[index].get().is_some() {
            return;
        }
        let Some(key) = fixed_key(&self.source.kernels()[index]) else { return };
        // From now on there is a piece, for which one job is enough.
        self.piece(index, key);
        let this = Arc::downgrade(self);
        pool.in_background(move || {
            // Nobody wants code of a program that is gone.
            if let Some(this) = this.upgrade() {
                let _ = this.code(index, key);
            }
        });
    }

    /// The kernels.
    pub fn source(&self) -> &dyn KernelSource {
        &*self.source
    }

    /// The number of the kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The variable of this name.
    pub fn variable(self: &Arc<Self>, name: &str) -> Option<Variable> {
        let (address, size) = self.source.variable(name)?;
        Some(Variable { address, size, _code: Arc::clone(self) })
    }

    /// Code of kernel `index` for `wanted`; for less special launches if there are many pieces already.
    ///
    /// # Errors
    /// `Internal` ← code generation failed.
    pub fn code(&self, index: usize, wanted: SpecKey) -> Result<Arc<Compiled>> {
        self.piece_for(index, wanted).map(|(_, code)| Arc::clone(code))
    }

    /// The same for a launch of so many groups; better code may be made in the background.
    ///
    /// # Errors
    /// As `code`.
    pub fn code_for_launch(
        self: &Arc<Self>,
        index: usize,
        wanted: SpecKey,
        groups: u64,
        pool: &Pool,
    ) -> Result<Arc<Compiled>> {
        let (piece, code) = self.piece_for(index, wanted)?;
        Ok(Arc::clone(self.best(index, piece, code, groups, pool)))
    }

    /// The better one of a piece's codes for a launch of so many groups.
    fn best<'p>(
        self: &Arc<Self>,
        index: usize,
        piece: &'p Piece,
        code: &'p Arc<Compiled>,
        groups: u64,
        pool: &Pool,
    ) -> &'p Arc<Compiled> {
        if !code.code.is_hasty() {
            return code;
        }
        if let Some(better) = piece.thorough.code() {
            return better;
        }
        if piece.thorough.is_due(code, code.expected_ns(groups)) {
            let (this, key) = (Arc::downgrade(self), piece.key);
            pool.in_background(move || {
                if let Some(this) = this.upgrade()
                    && let Ok(better) = this.make(index, SpecKey { thorough: true, ..key })
                {
                    this.piece(index, key).thorough.keep(better);
                }
            });
        }
        code
    }

    /// Code of kernel `index` for a launch of so many groups that passes these values: `code` for `wanted`, or a rival
    /// or variant, which are made in the background when they are worth it.
    ///
    /// # Errors
    /// As `code`.
    pub fn code_for_values(
        self: &Arc<Self>,
        index: usize,
        wanted: SpecKey,
        values: &ArgValues,
        groups: u64,
        pool: &Pool,
    ) -> Result<Chosen> {
        let (piece, any) = self.piece_for(index, self.with_few_strides(index, wanted))?;
        let base = self.best(index, piece, any, groups, pool);
        // First the better code, whose groups tell what variants gain.
        if base.code.is_hasty() {
            return Ok(Chosen::new(base));
        }
        let (any, lanes) = match piece.rivals.next(base, values, groups) {
            Next::Code(code, lanes) => (code, lanes),
            Next::Trial(code, trial) => return Ok(Chosen { code, trial: Some(trial), midway: None }),
            Next::Make(code, lanes, other) => {
                let (this, key, of) = (Arc::downgrade(self), piece.key, Arc::clone(base));
                let is_begun = pool.in_background(move || {
                    if let Some(this) = this.upgrade() {
                        this.make_rival(index, key, &of, other);
                    }
                });
                if !is_begun {
                    piece.rivals.not_made(base, other);
                }
                (code, lanes)
            }
        };
        let midway = piece.rivals.are_open(base).then(|| Midway::new(self, index, piece.key, [base, any]));
        let chosen = Chosen { midway, ..Chosen::new(any) };
        let others = values.without(&piece.key.values);
        if others.is_empty() {
            return Ok(chosen);
        }
        match piece.variants[lanes as usize].advise(&others, any.expected_ns(groups), any.making) {
            Advice::None => {}
            Advice::Take(variant) => {
                let (code, trial) = variant.choose(any);
                return Ok(Chosen { code, trial, midway: None });
            }
            Advice::Make(variant) => {
                let values = variant.values.with(&piece.key.values);
                let (this, key) = (Arc::downgrade(self), SpecKey { values, thorough: true, lanes, ..piece.key });
                pool.in_background(move || {
                    if let Some(this) = this.upgrade() {
                        this.make_variant(index, key, &variant);
                    }
                });
            }
        }
        Ok(chosen)
    }

    /// The rivals of the code for a key.
    pub(super) fn rivals(&self, index: usize, key: SpecKey) -> &Rivals {
        &self.piece(index, key).rivals
    }

    /// Makes a rival on the calling thread, in the midst of a launch.
    pub(super) fn make_rival_midway(&self, index: usize, key: SpecKey, of: &Compiled, choice: LaneChoice) {
        pool::in_no_fork(|| self.make_rival(index, key, of, choice));
    }

    /// Makes a rival of a piece's code, of which estimates are in doubt.
    fn make_rival(&self, index: usize, key: SpecKey, of: &Compiled, lanes: LaneChoice) {
        Config::log("kernels", || format!("{}: a rival, {lanes:?}", self.source.kernels()[index].name));
        let made = self.make(index, SpecKey { lanes, thorough: true, ..key });
        self.piece(index, key).rivals.made(of, lanes, made.ok());
    }

    /// Makes a variant's code. There is code for all values, so that nobody need know of a failure.
    fn make_variant(&self, index: usize, key: SpecKey, variant: &Variant) {
        if let Ok(code) = self.make(index, key) {
            let _ = variant.code.set(code);
        }
    }

    fn make(&self, index: usize, key: SpecKey) -> Result<Arc<Compiled>> {
        let name = format!("code of {}", self.source.kernels()[index].name);
        trace::slice(
            &name,
            "build",
            || self.do_make(index, key),
            |event, made| {
                if let Ok(compiled) = made {
                    trace::code(event, compiled, key.local_size);
                }
            },
        )
    }

    fn do_make(&self, index: usize, key: SpecKey) -> Result<Arc<Compiled>> {
        let info = &self.source.kernels()[index];
        if !key.values.is_empty() {
            Config::log("kernels", || {
                let known = key.values.known(info).map(|(arg, bits)| known_value(&info.args[arg], bits));
                format!("{}: code for {}", info.name, known.collect::<Vec<_>>().join(", "))
            });
        }
        let begun = Instant::now();
        let code = self.source.code(index, key)?;
        for remark in code.remarks().iter().map(String::as_str).chain(code.unpublished()) {
            Config::log("kernels", || format!("{}: {remark}", info.name));
        }
        // What comes out of the cache took longer once.
        let making = begun.elapsed().max(code.making());
        Ok(Arc::new(Compiled::new(info, code, making)))
    }

    /// The pieces that there are of a kernel.
    fn pieces(&self, index: usize) -> impl Iterator<Item = &Piece> {
        iter::successors(self.code[index].get().map(Box::as_ref), |piece| piece.next.get().map(Box::as_ref))
    }

    /// The same key, without strides if there are many pieces with some of them already.
    fn with_few_strides(&self, index: usize, wanted: SpecKey) -> SpecKey {
        let strided = || self.pieces(index).filter(|piece| !piece.key.values.is_empty());
        let is_new = || !strided().any(|piece| piece.key == wanted);
        let is_one_more = !wanted.values.is_empty() && is_new() && strided().count() >= MAX_STRIDED;
        if is_one_more { SpecKey { values: ArgValues::default(), ..wanted } } else { wanted }
    }

    /// The piece for `wanted`, or for less special launches, and its code.
    fn piece_for(&self, index: usize, wanted: SpecKey) -> Result<(&Piece, &Arc<Compiled>)> {
        let pieces = || self.pieces(index);
        let found = pieces().find(|piece| piece.key == wanted);
        if let Some((piece, code)) = found.and_then(|piece| Some((piece, piece.code.get()?))) {
            return Ok((piece, code));
        }
        let n_exact = pieces().filter(|piece| piece.key.local_size.is_some()).count();
        let key = match pieces().count() {
            MAX_SPECIAL.. => SpecKey { small_ids: wanted.small_ids, ..SpecKey::default() },
            _ if n_exact < MAX_EXACT_SIZES && !pieces().any(|piece| piece.is_as_good_for_any_size(wanted)) => wanted,
            _ => SpecKey { local_size: None, ..wanted },
        };
        // The child of a fork would wait for ever for code that a thread of its parent was making.
        pool::in_no_fork(|| {
            let piece = self.piece(index, key);
            Ok((piece, piece.code.get_or_try_init(|| self.make(index, key))?))
        })
    }

    /// The piece for a key, which is added if there is none.
    fn piece(&self, index: usize, key: SpecKey) -> &Piece {
        let mut end = &self.code[index];
        loop {
            let piece = end.get_or_init(|| {
                let (thorough, rivals, variants) = Default::default();
                Box::new(Piece { key, code: OnceCell::new(), thorough, rivals, variants, next: Pieces::new() })
            });
            if piece.key == key {
                return piece;
            }
            end = &piece.next;
        }
    }
}

/// What an integer argument is known to be, for people.
fn known_value(arg: &ArgInfo, bits: u64) -> String {
    let unused = 64 - 8 * arg.size as u32;
    match arg.type_name.starts_with('u') {
        true => format!("{} = {bits}", arg.name),
        false => format!("{} = {}", arg.name, ((bits << unused) as i64) >> unused),
    }
}

/// The key of every launch of usual size, if it is known before.
fn fixed_key(info: &KernelInfo) -> Option<SpecKey> {
    if info.args.iter().any(|arg| arg.kind.is_opaque()) {
        return None;
    }
    let [Ok(x), Ok(y), Ok(z)] = info.reqd_work_group_size?.map(u32::try_from) else { return None };
    let (disjoint, small_args) = (info.pointers.separable, info.long_args().next().is_some());
    let ids = SpecKey::of_ids([0; 3], [1; 3]);
    Some(SpecKey { local_size: Some([x, y, z]), small_args, disjoint, ..ids })
}
