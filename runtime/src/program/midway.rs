//! Rivals of the code of a launch that goes on long enough to decide between them itself: programs that launch a kernel
//! once have the better code, too, for most of its groups (`exec::scout`).
//!
//! Finds, makes and remembers only: which code is better `exec` measures.

use super::executable::Executable;
use super::rivals::Rivals;
use crate::config::Config;
use crate::exec::ndrange::Compiled;
use clift_jit::SpecKey;
use clift_jit::launch::LaneChoice;
use clift_jit::stack;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is left to be done of a launch takes so many times as long as its rivals take to make, one after the other.
const PATIENCE: u32 = 10;

/// The code of a launch that may choose another one while it runs.
pub struct Midway {
    executable: Arc<Executable>,
    index: usize,
    key: SpecKey,
    /// Whose rivals these are.
    base: Arc<Compiled>,
    /// With which the launch begins.
    of: Arc<Compiled>,
}

impl Midway {
    /// That of a kernel's launches with this key, for which `base` is estimated to be best, and which begin with `of`.
    pub(super) fn new(
        executable: &Arc<Executable>,
        index: usize,
        key: SpecKey,
        [base, of]: [&Arc<Compiled>; 2],
    ) -> Self {
        Self { executable: Arc::clone(executable), index, key, base: Arc::clone(base), of: Arc::clone(of) }
    }

    fn rivals(&self) -> &Rivals {
        self.executable.rivals(self.index, self.key)
    }

    /// The best code that is known.
    pub fn code(&self) -> &Arc<Compiled> {
        self.rivals().best(&self.base).filter(|code| self.may_run(code)).unwrap_or(&self.of)
    }

    /// The rival that is to be tried next, if it is there, or worth making for work that would take so long on one of
    /// so many threads; adds what that took to what has been spent on others. It is made here.
    pub fn rival(&self, left_ns: u64, threads: usize, spent: &mut Duration) -> Option<(LaneChoice, &Arc<Compiled>)> {
        let (rivals, begun) = (self.rivals(), Instant::now());
        // While one thread makes a rival the others are to have work.
        let patience = PATIENCE.max(2 * threads as u32);
        let is_worth = |making: Duration| u128::from(left_ns) >= ((*spent + making) * patience).as_nanos();
        if let Some(choice) = rivals.to_make(&self.base, is_worth) {
            self.executable.make_rival_midway(self.index, self.key, &self.base, choice);
        }
        *spent += begun.elapsed();
        rivals.undecided(&self.base).filter(|(_, code)| self.may_run(code))
    }

    /// Remembers whether a rival is better, for this launch and later ones.
    pub fn settle(&self, choice: LaneChoice, wins: bool) {
        let verdict = if wins { "better" } else { "not better" };
        Config::log("kernels", || format!("{}: the rival, {choice:?}, is {verdict}", self.base.name()));
        self.rivals().settle(&self.base, choice, wins);
    }

    /// Groups have the same numbers in this code, and the calling thread, which may be the program's own, has room for
    /// it on its stack as for the code with which the launch began.
    fn may_run(&self, code: &Compiled) -> bool {
        let bytes = code.code.stack_bytes();
        let has_room = bytes <= self.of.code.stack_bytes() || stack::has_room(bytes);
        has_room && code.code.loop_order() == self.of.code.loop_order()
    }
}
