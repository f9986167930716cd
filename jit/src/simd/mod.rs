//! The SPMD vectoriser: loops over work-items, as `wg` makes them, run W work-items at a time in the lanes of vectors.
//!
//! ```text
//! loop items i in 0..n: body        →   loop i in 0, W, .. while i + W <= n: body of W lanes
//!                                       loop i up to n: body
//! ```
//! `item_loop` finds an item loop and brings it into shape; `shape` decides which values are the same in all lanes
//! (uniform), grow by a constant from lane to lane (affine), or vary, and which branches do, `multiples` which
//! comparisons do not; `linearise` turns control flow that varies into a sequence of blocks under masks (partial
//! linearisation: branches that all lanes take together stay); `widen` writes the code, with `inst` for instructions,
//! `memory` for loads and stores, `serial` for what must be done lane by lane, `aggregate` for atomic operations that
//! lanes do at once, `packed_records` for vectors of the program's that stay whole, `variables` for what debuggers are
//! told of, `recurrence_code` for what one work-item hands to the next (`recurrence` tells which kind that is) and
//! `epilogue` for work-items that do not fill a vector; `emit` makes the instructions, `ssa_repair` mends what skipped
//! blocks break, and `index_set_split` splits loops where a comparison of lanes changes. In front of all that,
//! `inline_calls` brings in what loops call, `pointer_conversion` makes indices of pointers into private arrays,
//! `unify_elements` gives these elements of one size, `narrow_arith` gives arithmetic small ones,
//! `induction_substitution` has inner loops count from 0 and makes indices of their counters, `versioning` makes loops
//! without guards and clamps for work-items away from edges, with `no_wrap` also for such whose indices do not wrap,
//! and with `one_row` for such whose flat indices have one quotient,
//! and `widen_induction` gives counters 64 bits. Behind it, `mask_threading` does away with tests whose outcome is
//! known, `local_permute` improves loops that gather from local memory, with what `index_split` knows of their indices,
//! and `unroll_and_jam` takes several rows or vectors of work-items at once; `sink_loads` leaves it the registers;
//! `interleave` makes whole accesses and shuffles of what lanes access near each other, `coalesce` one gather of
//! neighbours, both of the groups that `access` finds, `sink_shuffles` keeps what they take apart in the order of
//! memory where all members are computed with alike, `expand_reductions` has reductions of several vectors share their
//! steps, `slp` makes one store of what their results are stored by, and `transpose_rows` loads rows of memory that
//! lanes read element by element. Values and masks that meet at joins are variables in slots first; `pass::mem2reg`
//! makes SSA form of them. Where no loop over work-items gets lanes, `inner_loops` makes item loops of innermost loops
//! whose turns do not depend on each other; in front of it, `search_loops` has loops that look for something go on to
//! their end.
//!
//! A lane computes bit for bit what the scalar loop computes: same operations in the same order, floating accumulation
//! over work-items included. Work-items of one group between two barriers may be interleaved in any way, and lanes in
//! lockstep are one of them. Lane form of KIR: `ir::op`. Must not know code generators, nor machines beyond
//! `Config::target`.

mod access;
mod aggregate;
mod begins;
pub mod claims;
pub(crate) mod coalesce;
mod cost;
mod emit;
mod epilogue;
pub(crate) mod expand_reductions;
pub(crate) mod index_set_split;
mod index_split;
pub(crate) mod induction_substitution;
pub(crate) mod inline_calls;
pub(crate) mod inner_loops;
mod inst;
pub(crate) mod interleave;
mod item_loop;
mod linearise;
pub(crate) mod local_permute;
pub(crate) mod mask_threading;
mod memory;
mod multiples;
pub(crate) mod narrow_arith;
mod no_wrap;
mod one_row;
mod packed_records;
pub(crate) mod pointer_conversion;
mod recurrence;
mod recurrence_code;
mod remark;
pub(crate) mod search_loops;
mod serial;
mod shape;
pub(crate) mod single_sub_groups;
pub(crate) mod sink_loads;
pub(crate) mod sink_shuffles;
pub(crate) mod slp;
mod ssa_repair;
mod sub_group;
mod track;
pub(crate) mod transpose_rows;
pub(crate) mod unify_elements;
mod unroll_and_jam;
mod variables;
mod versioning;
mod widen;
pub(crate) mod widen_induction;

use crate::ir::dom::Loops;
use crate::ir::{Block, Func};
use crate::launch::LaneChoice;
use crate::target::{self, Target};
use cost::Width;
use epilogue::Vectors;
use once_cell::sync::OnceCell;
pub use remark::{Accesses, InLanes, Outcome, Place, Reason, Remark, Rest};
use smallvec::SmallVec;

/// Most instructions of called functions that come into one work-group function.
const MAX_INLINED: usize = 6000;

/// What runs work-items that do not fill a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tails {
    /// The scalar loop.
    #[default]
    Scalar,
    /// Where that is possible, all vectors are under a mask of the work-items that there are.
    Masked,
    /// Where that is possible and pays, one more vector under a mask, behind those that are full; on machines with mask
    /// registers as `Masked` if there are none of those or the loop is long.
    Last,
}

/// What the vectoriser may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// What code is made for, for estimates and for what lanes do not pay without.
    pub target: &'static Target,
    /// Fewest work-items per vector, a power of two of at least 2.
    pub min_width: u8,
    /// Most work-items per vector, a power of two, at most 32. Twice as many where small elements would not fill a
    /// register.
    pub max_width: u8,
    /// Vectorise whatever can be, however dear.
    pub always: bool,
    /// Lanes must be better than scalar code by this much, as far as estimates know.
    pub least_gain: f64,
    /// Work-items that do not fill a vector.
    pub tails: Tails,
    /// Each vector is a sub-group: exactly so many lanes, and no work-item without them.
    pub sub_groups: bool,
    /// So many rows of work-items at once, at most, wherever that is possible; none: where it pays.
    pub rows: Option<u8>,
    /// What goes into lanes are the turns of an inner loop, for estimates.
    pub inner_loop: bool,
    /// Vectors have half as many lanes as estimates choose.
    pub narrower: bool,
}

impl Config {
    /// As many lanes as pay on a target.
    pub fn new(target: &'static Target) -> Self {
        Self {
            target,
            min_width: target.min_lanes,
            max_width: target.max_lanes,
            always: false,
            least_gain: cost::GAIN,
            tails: if target.masked_memory > 0 { Tails::Last } else { Tails::Scalar },
            sub_groups: false,
            rows: None,
            inner_loop: false,
            narrower: false,
        }
    }
    /// As this machine, a choice and `CLIFT_FORCE` have it; `None` for scalar code.
    pub fn of(choice: LaneChoice) -> Option<Self> {
        let force = Force::from_env();
        if let Some(width) = force.width {
            let always = Self::always(width);
            let rows = force.rows.or(always.rows);
            return (width > 1).then_some(Self { tails: force.tails, rows, ..always });
        }
        let least_gain = match choice {
            LaneChoice::Estimated | LaneChoice::Interchanged | LaneChoice::Narrower => cost::GAIN,
            LaneChoice::Fewer => cost::DOUBTFUL.end,
            LaneChoice::More => cost::DOUBTFUL.start,
        };
        let narrower = choice == LaneChoice::Narrower;
        target::lanes().map(|target| Self { rows: force.rows, least_gain, narrower, ..Self::new(target) })
    }
    /// A lane for each work-item of sub-groups of this size.
    pub fn sub_groups(target: &'static Target, size: u8) -> Self {
        let tails = Tails::Masked;
        let (min_width, max_width) = (size, size);
        Self { tails, sub_groups: true, min_width, max_width, always: true, ..Self::new(target) }
    }
    /// So many lanes, whatever they cost, with what every target has.
    pub fn always(width: u8) -> Self {
        Self { min_width: width, max_width: width, always: true, rows: Some(4), ..Self::new(&Target::V128) }
    }
}

/// What `CLIFT_FORCE` decides in place of the compiler, for tests and benchmarks: words separated by commas. `width=N`:
/// N lanes, at most 32, wherever lanes are possible at all, however dear; 1 for scalar code. `masked` or `last`: then
/// work-items that do not fill a vector run in lanes as well (`Tails`). `rows=N`: at most N rows of work-items at once,
/// but as many of 4 and 2 as are possible, however dear; 1 for none. `generic`: code that takes launches of any size,
/// ids, images and buffers. `large`: code for launches that fill more memory than the caches hold. `resume`: regions of
/// a kernel share one copy of its blocks. `values`: code for the values that a launch passes for integers, at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Force {
    /// Lanes.
    pub width: Option<u8>,
    /// With them `Config::tails`.
    pub tails: Tails,
    /// `Config::rows`.
    pub rows: Option<u8>,
    /// No code for particular launches.
    pub generic: bool,
    /// All bits of `SpecKey::streams`.
    pub large: bool,
    /// `wg::Sharing::DispatchLoop` always.
    pub resume: bool,
    /// Code for the values of integer arguments from the first launch on.
    pub values: bool,
}

impl Force {
    /// What the environment says; words that mean nothing are ignored.
    pub fn from_env() -> Self {
        static FORCE: OnceCell<Force> = OnceCell::new();
        *FORCE.get_or_init(|| crate::env::var("CLIFT_FORCE").map_or_else(Self::default, |text| Self::parse(&text)))
    }

    fn parse(text: &str) -> Self {
        let mut force = Self::default();
        for word in text.split(',').map(str::trim) {
            force.generic |= word == "generic";
            force.large |= word == "large";
            force.resume |= word == "resume";
            force.values |= word == "values";
            match word {
                "masked" => force.tails = Tails::Masked,
                "last" => force.tails = Tails::Last,
                _ => {}
            }
            if let Some(rows) = word.strip_prefix("rows=").and_then(|n| n.parse().ok()) {
                force.rows = Some(rows);
            }
            if let Some(width) = word.strip_prefix("width=").and_then(|n| n.parse::<u8>().ok()) {
                force.width = (width.is_power_of_two() && width <= 32).then_some(width);
            }
        }
        force
    }
}

/// A work-group function's loops over work-items on their way into lanes.
#[derive(Debug)]
pub struct Lanes {
    /// What the vectoriser may do.
    pub config: Config,
    /// What became of each loop.
    pub remarks: Vec<Remark>,
    /// Bodies have come in that have not been through the passes of kernel form.
    pub(crate) has_grown: bool,
    /// Number of the loop, header, and what is special about the work-items.
    loops: Vec<(usize, Block, Place)>,
    /// For each remark the number of the loop over rows that its loop is in.
    rows: Vec<Option<u32>>,
}

impl Lanes {
    /// Nothing has been done.
    pub fn new(config: Config) -> Self {
        Self { config, remarks: Vec::new(), has_grown: false, loops: Vec::new(), rows: Vec::new() }
    }
    /// True if lanes gather what lies side by side for the turns of inner loops.
    pub(crate) fn walk(&self) -> bool {
        let is_estimated = !self.config.always && self.config.least_gain == cost::GAIN;
        is_estimated && self.remarks.iter().filter_map(|remark| remark.outcome.lanes()).any(|lanes| lanes.walks)
    }
    /// The headers of loops over work-items, behind `version_loops`.
    pub(crate) fn headers(&self, func: &Func) -> Vec<Block> {
        self.loops.iter().map(|l| l.1).filter(|header| func.layout.contains(header)).collect()
    }
}

/// What may be faster than code of which these are the remarks.
pub(crate) fn rivals(remarks: &[Remark]) -> Vec<LaneChoice> {
    let is_doubtful = |gain: &f64| cost::DOUBTFUL.contains(gain);
    let has_lanes = |remark: &Remark| match &remark.outcome {
        Outcome::Lanes(lanes) => lanes.gain.is_some_and(|gain| cost::doubtful(lanes.doubt).contains(&gain)),
        Outcome::Scalar(_) => false,
    };
    let has_none = |remark: &Remark| match &remark.outcome {
        Outcome::Scalar(Reason::WouldNotPay(gains)) => gains.iter().any(|(gain, _)| is_doubtful(gain)),
        Outcome::Scalar(Reason::InnerLanes(gain)) => is_doubtful(gain),
        _ => false,
    };
    let fewer = remarks.iter().any(has_lanes).then_some(LaneChoice::Fewer);
    let more = remarks.iter().any(has_none).then_some(LaneChoice::More);
    let mut lanes = remarks.iter().filter_map(|remark| remark.outcome.lanes());
    let narrower = lanes.any(|lanes| lanes.gain_of_half.is_some()).then_some(LaneChoice::Narrower);
    fewer.into_iter().chain(more).chain(narrower).collect()
}

/// Headers of loops over work-items.
fn item_headers(func: &Func) -> Vec<Block> {
    func.layout.iter().copied().filter(|&b| func.blocks[b].items).collect()
}

/// Makes loops of their own for work-items away from edges, and for those whose indices do not wrap.
pub(crate) fn version_loops(func: &mut Func, lanes: &mut Lanes) {
    for (region, header) in item_headers(func).into_iter().enumerate() {
        if lanes.config.sub_groups {
            lanes.loops.push((region, header, Place::Any));
            continue;
        }
        lanes.loops.extend(versioning::split(func, header).into_iter().map(|(header, place)| (region, header, place)));
    }
}

/// Puts all loops over work-items into lanes that can be and are worth it.
pub(crate) fn vectorise_loops(func: &mut Func, lanes: &mut Lanes) {
    lanes.loops.retain(|(_, header, _)| func.layout.contains(header));
    // Remarks on loops of an attempt before have no rows any more.
    lanes.rows = vec![None; lanes.remarks.len()];
    lanes.rows.extend(rows_around(func, lanes.loops.iter().map(|&(_, header, _)| header)));
    // Lanes of inner loops that stand in for those of work-items have to be better than these.
    let former = lanes.remarks.len();
    let gains = lanes.remarks.iter().filter_map(|remark| remark.outcome.lanes()?.gain);
    let rival = gains.reduce(f64::max);
    let least_gain = rival.map_or(lanes.config.least_gain, |gain| lanes.config.least_gain.max(cost::BETTER * gain));
    for &(item_loop, header, place) in &lanes.loops {
        let config = Config { least_gain, inner_loop: place == Place::InnerLoop, ..lanes.config };
        let outcome = vectorise(func, header, config).map_or_else(Outcome::Scalar, Outcome::Lanes);
        lanes.remarks.push(Remark { item_loop, place, outcome });
    }
    func.is_lanes = lanes.remarks[former..].iter().any(|remark| remark.outcome.lanes().is_some());
    if rival.is_some() {
        match func.is_lanes {
            true => lanes.remarks[..former].iter_mut().for_each(Remark::give_way),
            false => lanes.remarks.truncate(former),
        }
    }
}

/// Takes several rows or vectors of work-items at once where that pays; true if there were any.
pub(crate) fn jam_loops(func: &mut Func, lanes: &mut Lanes) -> bool {
    let (jammed, any) = unroll_and_jam::run(func, lanes.config);
    for (remark, rows) in lanes.remarks.iter_mut().zip(&lanes.rows) {
        if let Outcome::Lanes(lanes) = &mut remark.outcome {
            lanes.rows = jammed.iter().find(|(at, _)| Some(*at) == *rows).map(|&(_, n)| n);
        }
    }
    any
}

/// Numbers the loops over rows; for each loop over work-items the number of the one that it is in.
fn rows_around(func: &mut Func, items: impl Iterator<Item = Block>) -> Vec<Option<u32>> {
    let (_, _, loops) = Loops::of_func(func);
    let headers: Vec<Block> = func.layout.iter().copied().filter(|&b| func.blocks[b].rows.is_some()).collect();
    (0..).zip(&headers).for_each(|(n, &b)| func.blocks[b].rows = Some(n));
    let holds = |rows: Block, b: Block| loops.loops.iter().any(|l| l.header == rows && l.blocks.contains(&b));
    let around = |b: Block| headers.iter().find(|&&rows| holds(rows, b)).and_then(|&rows| func.blocks[rows].rows);
    items.map(around).collect()
}

fn vectorise(func: &mut Func, header: Block, config: Config) -> Result<InLanes, Reason> {
    if config.sub_groups {
        return vectorise_sub_groups(func, header, config);
    }
    if func.n_live_insts() > config.target.max_insts {
        return Err(Reason::Large);
    }
    let items = item_loop::ItemLoop::prepare(func, header)?;
    let mut config = config;
    while config.max_width > config.min_width && !memory::holds_slots(func, &items, config.max_width) {
        config.max_width /= 2;
    }
    let facts = shape::Facts::new(func, items);
    let items = &facts.items;
    memory::check_slots(func, items, config.max_width)?;
    let Plan { mut shapes, mut width, tails } = plan(func, &facts, config)?;
    let walks = cost::Cost::new(func, &shapes, width.lanes, config).walks_in_step();
    let doubt = cost::doubt(func, &shapes);
    let twice = 2 * config.max_width;
    let may_double = !config.always && width.lanes == config.max_width;
    let double = if may_double { twice_as_many(func, &shapes, config) } else { None };
    if let Some(double) = double.as_ref().filter(|_| !config.narrower) {
        let accesses = widen::widen(func, double, twice, Vectors::Full, config);
        let (rest, gain, rows) = (Rest::Scalar, width.gain, None);
        return Ok(InLanes { width: twice, gain, gain_of_half: gain, accesses, rest, walks, doubt, rows });
    }
    if let Some(gain) = width.gain_of_half.filter(|_| config.narrower && double.is_none()) {
        width = Width { lanes: width.lanes / 2, gain: Some(gain), gain_of_half: None };
        shapes = shape::Shapes::analyse(func, &facts, width.lanes)?;
    }
    let Width { lanes: width, gain, gain_of_half } = width;
    let pays = || config.always || cost::Cost::new(func, &shapes, width, config).last_pays();
    let few = epilogue::trips(func, items).is_some_and(|n| n < u64::from(width));
    let (vectors, last) = match tails {
        Tails::Scalar => (Vectors::Full, false),
        _ if epilogue::is_even(func, items, width) => (Vectors::Full, false),
        Tails::Masked => (Vectors::Masked, false),
        Tails::Last if config.target.masks && (few || epilogue::is_long(func, items)) => (Vectors::Masked, false),
        Tails::Last if !config.target.masks && !pays() => (Vectors::Full, false),
        Tails::Last if few => (Vectors::One, false),
        Tails::Last => (Vectors::Full, true),
    };
    let rest = last.then(|| epilogue::Rest::before(func, items, width));
    let accesses = widen::widen(func, &shapes, width, vectors, config);
    let has_last = rest.is_some_and(|rest| rest.widen(func, items, width, config).is_ok());
    let rest = match vectors {
        Vectors::Masked => Rest::Masks,
        Vectors::One => Rest::OneMask,
        Vectors::Full if has_last => Rest::LastMask,
        Vectors::Full => Rest::Scalar,
    };
    Ok(InLanes { width, gain, gain_of_half, accesses, rest, walks, doubt, rows: None })
}

/// The shapes for twice as many lanes as the configuration has, if those pay: where ids are cut into blocks, more of
/// their lanes may differ.
fn twice_as_many<'f>(func: &Func, shapes: &shape::Shapes<'f>, config: Config) -> Option<shape::Shapes<'f>> {
    let (width, twice) = (config.max_width, 2 * config.max_width);
    let once = cost::Cost::new(func, shapes, width, config);
    let is_possible = once.twice_pays() && memory::check_slots(func, &shapes.facts.items, twice).is_ok();
    let double = is_possible.then(|| shape::Shapes::analyse(func, shapes.facts, twice).ok())??;
    once.are_two_dearer_than(&cost::Cost::new(func, &double, twice, config)).then_some(double)
}

/// How a loop is to go into lanes.
struct Plan<'f> {
    shapes: shape::Shapes<'f>,
    width: Width,
    tails: Tails,
}

/// Decides that; an error says why it cannot or should not. Where lanes pay, those numbers of them are looked at, too,
/// of which a vector lies within one block of ids, as 8 lanes do of `get_local_id(0) / 8`.
fn plan<'f>(func: &Func, facts: &'f shape::Facts, config: Config) -> Result<Plan<'f>, Reason> {
    let best = plan_of(func, facts, config);
    let Ok(Plan { shapes, .. }) = &best else { return best };
    let widths = if config.always { SmallVec::new() } else { shapes.block_widths(func, config.min_width) };
    let narrow = widths.into_iter().filter_map(|n| plan_of(func, facts, Config { max_width: n, ..config }).ok());
    let gain = |plan: &Plan<'_>| plan.width.gain.unwrap_or(0.0);
    Ok(narrow.chain(best).reduce(|a, b| if gain(&a) > gain(&b) { a } else { b }).expect("one at least"))
}

/// The same for at most as many lanes as the configuration says.
fn plan_of<'f>(func: &Func, facts: &'f shape::Facts, config: Config) -> Result<Plan<'f>, Reason> {
    let shapes = shape::Shapes::analyse(func, facts, config.max_width)?;
    if shapes.carried.shared().iter().any(|&v| shapes.of(v) != shape::Shape::Uniform) {
        return Err(Reason::Carried);
    }
    if let Some(reason) = shapes.may_wait(func) {
        return Err(reason);
    }
    let tails = if epilogue::may_mask(func, &shapes) { config.tails } else { Tails::Scalar };
    let width = match config.always {
        true => Width { lanes: config.max_width, gain: None, gain_of_half: None },
        false => cost::width(func, &shapes, config, tails)?,
    };
    Ok(Plan { shapes, width, tails })
}

/// Makes a vector of each sub-group. Whether that pays is no question, and work-items of a sub-group need not wait for
/// each other to get on.
fn vectorise_sub_groups(func: &mut Func, header: Block, config: Config) -> Result<InLanes, Reason> {
    let width = config.max_width;
    let items = item_loop::ItemLoop::prepare_any(func, header)?;
    let facts = shape::Facts::new(func, items);
    let shapes = shape::Shapes::analyse(func, &facts, width)?;
    memory::check_columns(func, &facts.items, width)?;
    let is_even = epilogue::is_even(func, &facts.items, width);
    let (vectors, rest) = if is_even { (Vectors::Full, Rest::Scalar) } else { (Vectors::Masked, Rest::Masks) };
    let accesses = widen::widen(func, &shapes, width, vectors, config);
    let (gain, gain_of_half, rows) = (None, None, None);
    Ok(InLanes { width, gain, gain_of_half, accesses, rest, walks: false, doubt: 1.0, rows })
}
