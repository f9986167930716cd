//! The SPMD vectoriser: loops over work-items, as `wg` makes them, run W work-items at a time in the lanes of vectors.
//!
//! ```text
//! loop items i in 0..n: body        →   loop i in 0, W, .. while i + W <= n: body of W lanes
//!                                       loop i up to n: body
//! ```
//! `loops` finds an item loop and brings it into shape; `shape` decides which values are the same in all lanes (uniform), grow by
//! a constant from lane to lane (affine), or vary, and which branches do; `order` turns control flow that varies into a sequence
//! of blocks under masks (partial linearisation: branches that all lanes take together stay); `widen` writes the code, with
//! `memory` for loads and stores, `serial` for what must be done lane by lane and `carry` for what one work-item hands to the
//! next. Values and masks that meet at joins are variables in slots first; `pass::mem2reg` makes SSA form of them.
//!
//! A lane computes bit for bit what the scalar loop computes: same operations in the same order, floating accumulation over
//! work-items included. Work-items of one group between two barriers may be interleaved in any way, and lanes in lockstep
//! are one of them. Lane form of KIR: `ir::op`. Must not know Cranelift, registers or machine features beyond `Config`.

mod carry;
mod loops;
mod memory;
mod order;
mod serial;
mod shape;
mod widen;

use crate::ir::{Block, Func};
use once_cell::sync::OnceCell;

/// What the vectoriser may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Work-items per vector, a power of two of at least 2.
    pub width: u8,
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

/// What `CLIFT_FORCE` decides in place of the vectoriser, for tests and benchmarks: words separated by commas.
/// `width=N`: N lanes wherever lanes are possible at all, however dear; 1 for scalar code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Force {
    /// Lanes.
    pub width: Option<u8>,
}

impl Force {
    /// What the environment says; words that mean nothing are ignored.
    pub fn from_env() -> Self {
        static FORCE: OnceCell<Force> = OnceCell::new();
        *FORCE.get_or_init(|| std::env::var("CLIFT_FORCE").map_or_else(|_| Self::default(), |text| Self::parse(&text)))
    }

    fn parse(text: &str) -> Self {
        let mut force = Self::default();
        for word in text.split(',').map(str::trim) {
            if let Some(width) = word.strip_prefix("width=").and_then(|n| n.parse::<u8>().ok()) {
                force.width = (width.is_power_of_two() && width <= 64).then_some(width);
            }
        }
        force
    }
}

/// Vectorises all item loops of a work-group function that can be and are worth it.
pub fn run(func: &mut Func, config: Config) -> Vec<Remark> {
    let headers: Vec<Block> = func.layout.iter().copied().filter(|&b| func.blocks[b].items).collect();
    let mut remarks = Vec::new();
    for (region, header) in headers.into_iter().enumerate() {
        let (width, text) = match vectorise(func, header, config) {
            Ok(text) => (config.width, text),
            Err(why) => (1, why),
        };
        remarks.push(Remark { region, width, text });
    }
    if remarks.iter().any(|r| r.width > 1) {
        func.is_lanes = true;
        crate::pass::run_lanes(func);
    }
    remarks
}

fn vectorise(func: &mut Func, header: Block, config: Config) -> Result<String, String> {
    let items = loops::ItemLoop::prepare(func, header)?;
    let facts = shape::Facts::new(func, &items);
    let shapes = shape::Shapes::analyse(func, &items, &facts)?;
    widen::check(func, &items, &shapes)?;
    Ok(widen::widen(func, &items, &facts, &shapes, config.width))
}
