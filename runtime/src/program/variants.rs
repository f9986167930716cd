//! Code for the values of integer arguments that launches of a kernel keep passing (profile-guided specialisation).
//! Which values these are is seen at launches; code for them is made when launches that pass them have taken many
//! times as long as that will take, so that what it costs is little of what has been spent, whatever comes. It computes
//! the same bits. Whether it is faster is measured: launches take turns until both have run often enough.
//!
//! Counts and decides only: `executable` makes code, `exec::ndrange` measures it.

use super::contest::{Contest, Trial, Turn};
use crate::exec::ndrange::Compiled;
use crate::sync::{Mutex, Rank};
use clift_jit::launch::ArgValues;
use once_cell::sync::OnceCell;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// Sets of values that are told apart before there is code for any of them.
const MAX_SETS: usize = 4;
/// Most pieces of code for values, beside one for all.
const MAX_VARIANTS: usize = 4;
/// Launches that must have passed the same values.
const LEAST_LAUNCHES: u32 = 3;
/// Launches must have taken so many times as long as code takes to make.
const PATIENCE: u32 = 10;
/// What code takes to make at least.
const LEAST_MAKING: Duration = Duration::from_millis(2);

/// The variants of a piece of code, and what its launches pass.
pub struct Variants {
    state: Mutex<State>,
}

impl Default for Variants {
    fn default() -> Self {
        Self { state: Mutex::new(Rank::Leaf, State::default()) }
    }
}

#[derive(Default)]
struct State {
    seen: SmallVec<[Seen; 1]>,
    made: SmallVec<[Arc<Variant>; 1]>,
    /// Launches have nothing in common.
    given_up: bool,
}

/// Launches that passed the same.
struct Seen {
    values: ArgValues,
    launches: u32,
    spent_ns: u64,
}

/// Code for some values, as soon as it has been made.
pub struct Variant {
    /// What launches pass to have this code.
    pub values: ArgValues,
    /// The code; none while it is being made, or if that failed.
    pub code: OnceCell<Arc<Compiled>>,
    /// Of the code for any values and this.
    contest: Arc<Contest>,
}

/// What to do for a launch.
pub enum Advice {
    /// Nothing is known of its values.
    None,
    /// Code for its values is worth making.
    Make(Arc<Variant>),
    /// There is code for its values.
    Take(Arc<Variant>),
}

impl Variant {
    fn new(values: ArgValues) -> Self {
        Self { values, code: OnceCell::new(), contest: Arc::default() }
    }

    /// The code that a launch takes, of that for any values and this, and where it says how long it took.
    pub fn choose(&self, any: &Arc<Compiled>) -> (Arc<Compiled>, Option<Trial>) {
        let Some(special) = self.code.get() else { return (Arc::clone(any), None) };
        match self.contest.turn([any, special]) {
            Turn::Trial(code, trial) => (code, Some(trial)),
            Turn::Waits => (Arc::clone(any), None),
            Turn::Over => {
                // What has not run yet may be as fast as it was hoped to be.
                let is_slower = self.contest.result().is_some_and(|[any, special]| special > any);
                (Arc::clone(if is_slower { any } else { special }), None)
            }
        }
    }
}

impl Variants {
    /// Advice for a launch that passes these values and will take about so long with the code for any values, which it
    /// took so long to make.
    pub fn advise(&self, values: &ArgValues, expected_ns: u64, making: Duration) -> Advice {
        // Whoever has it now counts; and in the child of a fork, nobody may ever give it back.
        let Some(mut state) = self.state.try_lock() else { return Advice::None };
        if let Some(variant) = state.made.iter().find(|variant| variant.values.holds_for(values)) {
            return Advice::Take(Arc::clone(variant));
        }
        if state.given_up || state.made.len() == MAX_VARIANTS {
            return Advice::None;
        }
        let Some(at) = state.place(values) else { return Advice::None };
        let seen = &mut state.seen[at];
        seen.launches = seen.launches.saturating_add(1);
        seen.spent_ns = seen.spent_ns.saturating_add(expected_ns);
        let worth = making.max(LEAST_MAKING).saturating_mul(PATIENCE);
        if seen.launches < LEAST_LAUNCHES || u128::from(seen.spent_ns) < worth.as_nanos() {
            return Advice::None;
        }
        let seen = state.seen.remove(at);
        let variant = Arc::new(Variant::new(seen.values));
        state.made.push(Arc::clone(&variant));
        Advice::Make(variant)
    }
}

impl State {
    /// The launches that a launch of these values is one of. If there are too many kinds, they become one kind, of the
    /// values that they have in common; nothing if there are none.
    fn place(&mut self, values: &ArgValues) -> Option<usize> {
        if let Some(at) = self.seen.iter().position(|seen| seen.values.holds_for(values)) {
            return Some(at);
        }
        if self.seen.len() < MAX_SETS {
            self.seen.push(Seen { values: *values, launches: 0, spent_ns: 0 });
            return Some(self.seen.len() - 1);
        }
        let common = self.seen.iter().fold(*values, |common, seen| common.common(&seen.values));
        self.given_up = common.is_empty();
        let joined = Seen {
            values: common,
            launches: self.seen.iter().fold(0, |sum: u32, seen| sum.saturating_add(seen.launches)),
            spent_ns: self.seen.iter().fold(0, |sum: u64, seen| sum.saturating_add(seen.spent_ns)),
        };
        self.seen = SmallVec::from_iter([joined]);
        (!self.given_up).then_some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::contest::tests::code;
    use super::*;
    use clift_jit::KernelInfo;
    use clift_jit::launch::{ArgInfo, ArgKind};
    use std::iter;

    const MS: u64 = 1_000_000;

    /// Values of three arguments.
    fn values(of: [i64; 3]) -> ArgValues {
        let arg = |n: usize| ArgInfo {
            name: n.to_string(),
            type_name: "int".into(),
            kind: ArgKind::Value,
            offset: 4 * n,
            size: 4,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
            streamed_bytes: 0,
        };
        let info = KernelInfo { args: (0..3).map(arg).collect(), integers: 0b111, ..KernelInfo::default() };
        let block: Vec<u8> = of.iter().flat_map(|&n| (n as i32).to_le_bytes()).collect();
        ArgValues::of(&info, &block)
    }

    /// What a variant is made for, if a launch asks for one.
    fn asked(variants: &Variants, of: [i64; 3], ms: u64) -> Option<ArgValues> {
        match variants.advise(&values(of), ms * MS, Duration::ZERO) {
            Advice::Make(variant) => Some(variant.values),
            Advice::None | Advice::Take(_) => None,
        }
    }

    #[test]
    fn code_is_worth_making_after_many_times_its_cost() {
        let variants = Variants::default();
        assert_eq!([1, 17].map(|ms| asked(&variants, [1, 2, 3], ms)), [None; 2]);
        assert_eq!(asked(&variants, [1, 2, 4], 100), None, "another kind");
        assert_eq!(asked(&variants, [1, 2, 3], 2), Some(values([1, 2, 3])));
        assert!(matches!(variants.advise(&values([1, 2, 3]), 0, Duration::ZERO), Advice::Take(_)));
        // Few launches say little, and what takes long to make waits longer.
        let variants = Variants::default();
        assert_eq!([100, 100].map(|ms| asked(&variants, [1, 2, 3], ms)), [None; 2]);
        let long = Duration::from_millis(30);
        assert!(matches!(variants.advise(&values([1, 2, 3]), 50 * MS, long), Advice::None));
        assert!(matches!(variants.advise(&values([1, 2, 3]), 50 * MS, long), Advice::Make(_)));
    }

    #[test]
    fn what_varies_is_left_out() {
        let variants = Variants::default();
        let made = (0..100).find_map(|n| asked(&variants, [640, n, 480], 5));
        let made = made.expect("made at last");
        assert!(made.holds_for(&values([640, -1, 480])) && !made.holds_for(&values([641, 0, 480])));
        // Launches that have nothing in common.
        let variants = Variants::default();
        assert!((0..100).all(|n| asked(&variants, [n, n + 1, n + 2], 100).is_none()));
        assert!(variants.state.lock().given_up);
    }

    #[test]
    fn there_are_so_many_variants() {
        let variants = Variants::default();
        let made = (0..100).filter(|&n| (0..3).any(|_| asked(&variants, [n, n, n], 100).is_some()));
        assert_eq!(made.count(), MAX_VARIANTS);
    }

    #[test]
    fn launches_and_their_time_are_counted_to_the_end() {
        let variants = Variants::default();
        let making = Duration::from_secs(1 << 40);
        let ask = |n: i64| matches!(variants.advise(&values([n, n, n]), u64::MAX / 2, making), Advice::None);
        assert!(ask(1));
        variants.state.lock().seen[0].launches = u32::MAX - 1;
        assert!((0..3).all(|_| ask(1)));
        let counted = variants.state.lock().seen[0].launches;
        assert_eq!((counted, variants.state.lock().seen[0].spent_ns), (u32::MAX, u64::MAX));
        // Kinds that become one have their sum.
        assert!((2..100).all(ask));
        assert!(variants.state.lock().seen.iter().all(|seen| seen.launches > 0));
    }

    #[test]
    fn the_faster_code_is_chosen() {
        let any = code(&[]);
        for (costs, special_wins) in [([10, 9], true), ([10, 11], false)] {
            let variant = Variant::new(values([1, 2, 3]));
            let choose = || variant.choose(&any);
            assert!(Arc::ptr_eq(&choose().0, &any), "there is no other");
            let special = code(&[]);
            assert!(variant.code.set(Arc::clone(&special)).is_ok());
            let trials: Vec<_> = iter::repeat_with(choose).take_while(|(_, trial)| trial.is_some()).collect();
            assert!(trials.iter().any(|(code, _)| Arc::ptr_eq(code, &special)));
            let measure = |(code, trial): (Arc<Compiled>, Option<Trial>)| {
                trial.map(|trial| trial.measured(costs[usize::from(Arc::ptr_eq(&code, &special))]))
            };
            trials.into_iter().for_each(|launch| _ = measure(launch));
            while measure(choose()).is_some() {}
            assert_eq!(Arc::ptr_eq(&choose().0, &special), special_wins);
        }
    }
}
