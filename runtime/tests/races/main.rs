//! Races of queues and events, sought under a scheduler that decides at every lock, wake-up and atomic access which
//! thread goes on. This is the library's own code: the modules below are its source files over other `primitives`.
//! Atomics are those of `weak`, where a load may give what is not the last value, as its order allows.
//!
//! A failure prints the schedule that led to it; `CLIFT_RACE_SCHEDULE` with this text and the scenario's name as
//! argument plays it again. `CLIFT_RACE_ROUNDS` asks for more schedules per scenario than the usual thousand.
#![allow(unused, reason = "the library's files again, of which the scenarios use a part")]

mod ends;
mod litmus;
mod primitives;
mod scenarios;
pub mod weak;

#[path = "../../src/status.rs"]
pub mod status;
#[macro_use]
#[path = "../../src/error.rs"]
pub mod error;
#[path = "../../src/cache.rs"]
mod cache;
#[path = "../../src/callbacks.rs"]
pub mod callbacks;
#[path = "../../src/check/mod.rs"]
pub mod check;
#[path = "../../src/command_buffer/mod.rs"]
pub mod command_buffer;
#[path = "../../src/config.rs"]
pub mod config;
#[path = "../../src/context.rs"]
pub mod context;
#[path = "../../src/device/mod.rs"]
pub mod device;
#[path = "../../src/event.rs"]
pub mod event;
#[path = "../../src/exec/mod.rs"]
pub mod exec;
#[path = "../../src/fork.rs"]
mod fork;
#[path = "../../src/kernel.rs"]
pub mod kernel;
#[path = "../../src/leaks.rs"]
mod leaks;
#[path = "../../src/memory/mod.rs"]
pub mod memory;
#[path = "../../src/object.rs"]
pub mod object;
#[path = "../../src/platform.rs"]
pub mod platform;
#[path = "../../src/program/mod.rs"]
pub mod program;
#[path = "../../src/queue/mod.rs"]
pub mod queue;
#[path = "../../src/record/mod.rs"]
pub mod record;
#[path = "../../src/sampler.rs"]
pub mod sampler;
#[path = "../../src/semaphore.rs"]
pub mod semaphore;
#[path = "../../src/shared_semaphore.rs"]
mod shared_semaphore;
#[path = "../../src/sync.rs"]
pub mod sync;
#[path = "../../src/trace/mod.rs"]
mod trace;

pub use context::Context;
pub use device::Device;
pub use error::{Error, Result};
pub use event::Event;
pub use kernel::Kernel;
pub use memory::buffer::Mem;
pub use object::{Kind, Obj, Object};
pub use platform::Platform;
pub use program::Program;
pub use queue::Queue;
pub use status::Status;

use libtest_mimic::{Arguments, Failed, Trial};
use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler, Scheduler};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Schedules of each kind per scenario.
const ROUNDS: usize = 1000;
/// Preemptions that the second kind places: few, but anywhere.
const DEPTH: usize = 3;

/// Runs a scenario under this scheduler: a begin, the scenario with all its threads, an end.
fn explore(scheduler: impl Scheduler + 'static, scenario: fn()) {
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 18;
    config.silence_warnings = true;
    shuttle::Runner::new(scheduler, config).run(move || {
        no_leaks();
        primitives::begin();
        scenario();
        primitives::end();
    });
    no_leaks();
}

/// After a schedule, when all its threads have ended: nothing but the device is alive.
fn no_leaks() {
    let leaked: Vec<_> = object::leak_report().into_iter().filter(|row| row.0 != Kind::Device).collect();
    assert!(leaked.is_empty(), "still alive: {leaked:?}");
}

fn check(scenario: fn()) -> std::result::Result<(), Failed> {
    let rounds = std::env::var("CLIFT_RACE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let schedule = std::env::var("CLIFT_RACE_SCHEDULE").ok();
    let run = || match &schedule {
        Some(schedule) => explore(ReplayScheduler::new_from_encoded(schedule), scenario),
        None => {
            explore(RandomScheduler::new(rounds), scenario);
            explore(PctScheduler::new(DEPTH, rounds), scenario);
        }
    };
    static FAILED: AtomicBool = AtomicBool::new(false);
    if FAILED.load(Relaxed) {
        return Err("not tried: the scenario that failed has left its threads behind".into());
    }
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| {
        FAILED.store(true, Relaxed);
        "see the schedule above".into()
    })
}

fn main() {
    let mut arguments = Arguments::from_args();
    // Scenarios share the library's statics.
    arguments.test_threads = Some(1);
    let mut trials = vec![Trial::test("weak memory", || litmus::all().map_err(Failed::from))];
    trials.extend(scenarios::ALL.iter().map(|&(name, scenario)| Trial::test(name, move || check(scenario))));
    libtest_mimic::run(&arguments, trials).exit();
}
