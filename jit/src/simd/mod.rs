//! The SPMD vectoriser: loops over work-items, as `wg` makes them, run W work-items at a time in the lanes of vectors.
//!
//! ```text
//! loop items i in 0..n: body        →   loop i in 0, W, .. while i + W <= n: body of W lanes
//!                                       loop i up to n: body
//! ```
//! `loops` finds an item loop and brings it into shape; `shape` decides which values are the same in all lanes (uniform), grow by
//! a constant from lane to lane (affine), or vary, and which branches do, `aligned` which comparisons do not; `order` turns
//! control flow that varies into a sequence of blocks under masks (partial linearisation: branches that all lanes take together
//! stay); `widen` writes the code, with `inst` for instructions, `memory` for loads and stores, `serial` for what must be done
//! lane by lane, `record` for vectors of the program's that stay whole, `chain` for what one work-item hands to the next
//! (`carry` tells which kind that is) and `tail` for work-items that do not fill a vector; `emit` makes the instructions,
//! `dominate` mends what skipped blocks break, and `edge` splits loops where a comparison of lanes changes.
//! In front of all that, `narrow` gives private arrays elements of one size, `shrink` gives arithmetic small ones, `interior`
//! makes loops without guards and clamps for work-items away from edges, with `growth` also for such whose indices do not wrap, and
//! `induction` gives counters 64 bits. Behind it, `thread` does away with tests whose outcome is known, `window` improves loops
//! that gather from local memory, with what `split` knows of their indices, and `jam` takes several rows or vectors of
//! work-items at once; `near` leaves it the registers; `interleave` makes whole accesses and shuffles of what lanes
//! access a few elements apart, `three` and `pair` one gather of neighbours, and `quad` loads of rows of memory that
//! lanes read element by element. Values and masks that meet at joins are variables in slots first; `pass::mem2reg`
//! makes SSA form of them.
//!
//! A lane computes bit for bit what the scalar loop computes: same operations in the same order, floating accumulation over
//! work-items included. Work-items of one group between two barriers may be interleaved in any way, and lanes in lockstep
//! are one of them. Lane form of KIR: `ir::op`. Must not know Cranelift, registers or machine features beyond `Config`.

mod aligned;
mod carry;
mod chain;
pub mod claims;
mod cost;
mod dominate;
mod edge;
mod emit;
mod growth;
mod induction;
mod inst;
mod interior;
mod interleave;
mod jam;
mod loops;
mod memory;
mod narrow;
mod near;
mod order;
mod pair;
mod quad;
mod record;
mod serial;
mod shape;
mod shrink;
mod split;
mod tail;
mod thread;
mod three;
mod widen;
mod window;

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::{Block, Func, Imm, Inst, Module, Op};
use crate::pass::alias::is_pure_call;
use once_cell::sync::OnceCell;
use std::fmt;
use tail::Vectors;

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { region, width, text } = self;
        match width {
            1 => write!(f, "region {region}: scalar: {text}"),
            _ => write!(f, "region {region}: {width} lanes: {text}"),
        }
    }
}

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
    /// Where that is possible and pays, one more vector under a mask, behind those that are full; on machines with mask registers
    /// as `Masked` if there are none of those or the loop is long.
    Last,
}

/// What the vectoriser may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Fewest work-items per vector, a power of two of at least 2.
    pub min_width: u8,
    /// Most work-items per vector, a power of two, at most 32. Twice as many where small elements would not fill a register.
    pub max_width: u8,
    /// Vectorise whatever can be, however dear.
    pub always: bool,
    /// Bytes of a vector register, for estimates.
    pub register_bytes: u8,
    /// Gathers and scatters take the processor about twice as long as they do elsewhere, for estimates.
    pub slow_gathers: bool,
    /// Work-items that do not fill a vector.
    pub tails: Tails,
    /// So many rows of work-items at once, at most, wherever that is possible; none: where it pays.
    pub rows: Option<u8>,
}

impl Config {
    /// So many lanes, whatever they cost.
    pub fn always(width: u8) -> Self {
        Self {
            min_width: width,
            max_width: width,
            always: true,
            register_bytes: 16,
            slow_gathers: false,
            tails: Tails::Scalar,
            rows: Some(4),
        }
    }
    /// True if masked accesses, gathers and shifts by lane are instructions, at least for lanes of 32 and 64 bits.
    fn is_wide(self) -> bool {
        self.register_bytes > 16
    }
    /// True if scatters and masked accesses to narrow lanes are instructions as well.
    fn has_scatter(self) -> bool {
        self.register_bytes > 32
    }
}

/// What became of one item loop, for developers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The loop's place among the function's item loops.
    pub region: usize,
    /// Lanes; 1 if the loop stays scalar.
    pub width: u8,
    /// Why it stays scalar, or which accesses it makes.
    pub text: String,
}

/// What `CLIFT_FORCE` decides in place of the compiler, for tests and benchmarks: words separated by commas. `width=N`: N
/// lanes, at most 32, wherever lanes are possible at all, however dear; 1 for scalar code. `masked` or `last`: then work-items
/// that do not fill a vector run in lanes as well (`Tails`). `rows=N`: at most N rows of work-items at once, but as many of 4
/// and 2 as are possible, however dear; 1 for none. `generic`: code that takes launches of any size, ids, images and buffers. `large`:
/// code for launches that fill more memory than the caches hold. `resume`: regions of a kernel share one copy of its blocks.
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
    /// `wg::Sharing::Resume` always.
    pub resume: bool,
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

/// Vectorises all item loops of a work-group function that can be and are worth it.
pub fn run(module: &Module, func: &mut Func, config: Config) -> Vec<Remark> {
    if !func.layout.iter().any(|&b| func.blocks[b].items) {
        return Vec::new();
    }
    let scalar = func.clone();
    let loops = prepare(module, func);
    let (n_rows, rows) = rows_around(func, loops.iter().map(|&(_, header, _)| header));
    let mut remarks = Vec::new();
    for (region, header, place) in loops {
        let (width, text) = vectorise(func, header, config).unwrap_or_else(|why| (1, why));
        remarks.push(Remark { region, width, text: format!("{place}{text}") });
    }
    func.is_lanes = remarks.iter().any(|r| r.width > 1);
    if func.is_lanes {
        crate::pass::run_lanes(func);
        if config.is_wide() {
            near::run(func);
        }
        let moved = thread::run(func) | window::run(func, config);
        let jammed = jam::run(func, config);
        if moved || jammed.iter().any(Option::is_some) {
            crate::pass::run_lanes(func);
        }
        // No pass in between changes the order of loops.
        for (remark, rows) in remarks.iter_mut().zip(rows).filter(|_| jammed.len() == n_rows) {
            if let Some(n) = rows.and_then(|at| jammed[at]) {
                remark.text.push_str(&format!(", {n} rows at once"));
            }
        }
        if edge::run(func) {
            crate::pass::run_lanes(func);
        }
        let arranged = config.is_wide() && quad::run(func);
        if interleave::run(func, config) | arranged {
            crate::pass::run_arranged(func);
        }
        let threes = (config.always || config.is_wide()) && three::run(func);
        if pair::run(func) | threes {
            pair::keep_extended(func);
        }
        crate::pass::share_divisions(func);
    } else {
        *func = scalar;
        crate::pass::run_scalar(func);
    }
    remarks
}

/// How many loops over rows there are, and for each item loop the number of the one that it is in.
fn rows_around(func: &Func, items: impl Iterator<Item = Block>) -> (usize, Vec<Option<usize>>) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let headers: Vec<Block> = func.layout.iter().copied().filter(|&b| func.blocks[b].rows).collect();
    let holds = |rows: Block, b: Block| loops.loops.iter().any(|l| l.header == rows && l.blocks.contains(&b));
    (headers.len(), items.map(|b| headers.iter().position(|&rows| holds(rows, b))).collect())
}

/// Brings in the bodies of pure functions that item loops call, makes loops of their own for work-items away from edges, and
/// turns small branches into selections. The item loops: number of the region, header, and what is special.
fn prepare(module: &Module, func: &mut Func) -> Vec<(usize, Block, &'static str)> {
    let mut budget = MAX_INLINED;
    while let Some((block, at)) = find_call(module, func, budget) {
        let Imm::Func(callee) = func.insts[func.blocks[block].insts[at]].imm else { unreachable!("a call") };
        let callee = &module.funcs[callee];
        budget -= callee.n_live_insts();
        let place = func.layout.iter().position(|&b| b == block).expect("in the layout");
        crate::pass::inline::inline_call(func, place, at, callee);
    }
    let narrowed = narrow::run(func);
    let headers: Vec<Block> = func.layout.iter().copied().filter(|&b| func.blocks[b].items).collect();
    // Extensions of first values are asked about in front of the loops, then.
    headers.iter().for_each(|&header| induction::widen_counters(func, header));
    let mut loops = Vec::new();
    for (region, header) in headers.into_iter().enumerate() {
        loops.extend(interior::split(func, header).into_iter().map(|(header, place)| (region, header, place)));
    }
    for &(_, header, _) in &loops {
        // Of counters, those that do not wrap in the copies that `interior` made.
        induction::widen_counters(func, header);
        induction::widen_joins(func, header);
    }
    crate::pass::bound::run_in_rows(func);
    crate::pass::run_before_lanes(func, narrowed || budget < MAX_INLINED);
    shrink::run(func);
    loops.retain(|(_, header, _)| func.layout.contains(header));
    loops
}

/// A call in an item loop whose callee's body may come in.
fn find_call(module: &Module, func: &Func, budget: usize) -> Option<(Block, usize)> {
    let is_call = |inst: Inst| func.insts[inst].op == Op::Call;
    if !func.live_insts().any(|(_, inst)| is_call(inst)) {
        return None;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let items = loops.loops.iter().filter(|l| func.blocks[l.header].items);
    items.flat_map(|l| &l.blocks).find_map(|&block| {
        let at = func.blocks[block].insts.iter().position(|&inst| {
            let data = &func.insts[inst];
            let Imm::Func(callee) = data.imm else { return false };
            let callee = &module.funcs[callee];
            is_pure_call(data) && callee.has_body() && callee.n_live_insts() <= budget
        })?;
        Some((block, at))
    })
}

fn vectorise(func: &mut Func, header: Block, config: Config) -> Result<(u8, String), String> {
    let items = loops::ItemLoop::prepare(func, header)?;
    let mut config = config;
    while config.max_width > config.min_width && !memory::holds_slots(func, &items, config.max_width) {
        config.max_width /= 2;
    }
    let facts = shape::Facts::new(func, &items);
    let shapes = shape::Shapes::analyse(func, &items, &facts, config.max_width)?;
    memory::check_slots(func, &items, config.max_width)?;
    if shapes.carried.shared().iter().any(|&v| shapes.of(v) != shape::Shape::Uniform) {
        return Err("a value goes from work-item to work-item".into());
    }
    if shapes.may_wait(func, &items, &facts) {
        return Err("work-items may wait for each other".into());
    }
    let tails = if tail::may_mask(func, &items, &facts, &shapes) { config.tails } else { Tails::Scalar };
    let width =
        if config.always { config.max_width } else { cost::width(func, &items, &facts, &shapes, config, tails)? };
    let twice = 2 * config.max_width;
    if !config.always
        && width == config.max_width
        && cost::Cost::new(func, &facts, &shapes, width, config).twice_pays(&items)
        && memory::check_slots(func, &items, twice).is_ok()
        && let Ok(shapes) = shape::Shapes::analyse(func, &items, &facts, twice)
    {
        return Ok((twice, widen::widen(func, &items, &facts, &shapes, twice, Vectors::Full, config)));
    }
    let pays = || config.always || cost::Cost::new(func, &facts, &shapes, width, config).last_pays(&items);
    let few = tail::trips(func, &items).is_some_and(|n| n < u64::from(width));
    let (vectors, last) = match tails {
        Tails::Scalar => (Vectors::Full, false),
        _ if tail::is_even(func, &items, width) => (Vectors::Full, false),
        Tails::Masked => (Vectors::Masked, false),
        Tails::Last if config.has_scatter() && (few || tail::is_long(func, &items)) => (Vectors::Masked, false),
        Tails::Last if !config.has_scatter() && !pays() => (Vectors::Full, false),
        Tails::Last if few => (Vectors::One, false),
        Tails::Last => (Vectors::Full, true),
    };
    let rest = last.then(|| tail::Rest::before(func, &items, width));
    let mut text = widen::widen(func, &items, &facts, &shapes, width, vectors, config);
    if let Some(rest) = rest
        && rest.widen(func, &items, width, config).is_ok()
    {
        text.push_str(", the last under a mask");
    }
    Ok((width, text))
}
