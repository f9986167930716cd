//! Rivals of the code of a launch that goes on long enough to decide between them itself: programs that launch a kernel
//! once have the better code, too, for most of its groups (`exec::scout`).
//!
//! Finds, makes and remembers only: which code is better `exec` measures.

use super::executable::Executable;
use crate::exec::ndrange::Compiled;
use clift_jit::SpecKey;
use clift_jit::launch::LaneChoice;
use clift_jit::stack;
use std::sync::Arc;
use std::time::Duration;

/// What is left to be done of a launch takes so many times as long as its rivals take to make, one after the other.
const PATIENCE: u32 = 10;

/// The code of a launch that may choose another one while it runs.
pub struct Midway {
    executable: Arc<Executable>,
    index: usize,
    key: SpecKey,
    /// With which it began.
    of: Arc<Compiled>,
}

impl Midway {
    /// That of a kernel's launches with this key, which begin with `of`.
    pub(super) fn new(executable: &Arc<Executable>, index: usize, key: SpecKey, of: &Arc<Compiled>) -> Self {
        Self { executable: Arc::clone(executable), index, key, of: Arc::clone(of) }
    }

    /// The best code that is known.
    pub fn code(&self) -> &Arc<Compiled> {
        let rival = self.executable.best_rival(self.index, self.key);
        rival.filter(|code| self.may_run(code)).unwrap_or(&self.of)
    }

    /// The rival that is to be tried next, if it is there or worth making for work that takes so long on one thread;
    /// adds what that took to what has been spent on others.
    pub fn rival(&self, left_ns: u64, spent: &mut Duration) -> Option<(LaneChoice, &Arc<Compiled>)> {
        let is_worth = |making: Duration| u128::from(left_ns) >= ((*spent + making) * PATIENCE).as_nanos();
        let (found, making) = self.executable.rival_midway(self.index, self.key, is_worth)?;
        *spent += making;
        Some(found).filter(|(_, code)| self.may_run(code))
    }

    /// Remembers whether a rival is better, for this launch and later ones.
    pub fn settle(&self, choice: LaneChoice, wins: bool) {
        self.executable.settle(self.index, self.key, choice, wins);
    }

    /// The calling thread has room on its stack for the code with which the launch began; it may be the program's own.
    fn may_run(&self, code: &Compiled) -> bool {
        let bytes = code.code.stack_bytes();
        bytes <= self.of.code.stack_bytes() || stack::has_room(bytes)
    }
}
