//! Atomics of a machine with weak memory order. Each keeps what was stored to it, and a load gives any of the values
//! that C11 allows: none older than the last one that happened before it, or than one that somebody had read before it,
//! nor, if both are sequentially consistent, than the last one that is. Which one is part of the schedule. What happens
//! before what is known by `shuttle`'s vector clocks: those of its locks and threads, and of a message that an
//! acquiring load receives of the store that it reads.
//!
//! Not seen here: values that are not stored yet when they are loaded (out of thin air), and data beside the atomics.
//! Reference: Norris, Demsky, "CDSchecker: Checking Concurrent Data Structures Written with C/C++ Atomics", 2013.
#![allow(missing_docs, reason = "as the standard library's")]
#![allow(unsafe_code, reason = "threads of a scenario run one by one")]

pub use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use shuttle::current::{self, TaskId};
use shuttle::rand::Rng;
use shuttle::sync::atomic::AtomicBool as Message;
use std::cell::RefCell;
use std::sync::Arc;

/// Scenarios that have begun: what was stored before the last one is one value.
static SCENARIOS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A new scenario begins.
pub fn begin() {
    SCENARIOS.fetch_add(1, Relaxed);
}

/// Which one it is.
pub fn scenario() -> u64 {
    SCENARIOS.load(Relaxed)
}

/// A point in the life of a thread.
#[derive(Clone, Copy)]
struct Moment {
    thread: TaskId,
    time: u32,
}

impl Moment {
    fn now() -> Self {
        let thread = current::me();
        Self { thread, time: time_of(thread, &current::clock()) }
    }

    /// Whether it happened before what a thread does that has this clock.
    fn is_known(self, clock: &[u32]) -> bool {
        time_of(self.thread, clock) >= self.time
    }
}

fn time_of(thread: TaskId, clock: &[u32]) -> u32 {
    clock.get(usize::from(thread)).copied().unwrap_or(0)
}

#[derive(Clone)]
struct Store<T> {
    value: T,
    /// None: before all.
    at: Option<Moment>,
    is_sequential: bool,
    /// Received by those who acquire: of the store and of those whose releases it continues.
    messages: Vec<Arc<Message>>,
}

struct History<T> {
    scenario: u64,
    /// In modification order.
    stores: Vec<Store<T>>,
    /// Who has read which store.
    reads: Vec<(Moment, usize)>,
}

/// An atomic variable.
pub struct Atomic<T> {
    first: T,
    /// None until it is used.
    history: RefCell<Option<History<T>>>,
}

/// As the standard library's, of which the scenarios use these.
pub type AtomicBool = Atomic<bool>;
pub type AtomicI32 = Atomic<i32>;
pub type AtomicU32 = Atomic<u32>;
pub type AtomicU64 = Atomic<u64>;
pub type AtomicUsize = Atomic<usize>;

// SAFETY: `shuttle` runs one thread at a time, and none is interrupted where a history is borrowed.
unsafe impl<T: Send> Sync for Atomic<T> {}
impl<T> std::panic::RefUnwindSafe for Atomic<T> {}

impl<T: Copy> Atomic<T> {
    pub const fn new(value: T) -> Self {
        Self { first: value, history: RefCell::new(None) }
    }

    pub fn get_mut(&mut self) -> &mut T {
        let first = self.first;
        let history = self.history.get_mut().get_or_insert_with(|| History::of(first));
        let last = history.stores.len() - 1;
        &mut history.stores[last].value
    }

    pub fn load(&self, order: Ordering) -> T {
        if !is_modelled() {
            return self.with(|history| history.last().value);
        }
        send();
        let store = self.with(|history| {
            let least = history.least(order);
            let which = match history.stores.len() - least {
                1 => least,
                n => least + shuttle::rand::thread_rng().gen_range(0..n),
            };
            history.reads.push((Moment::now(), which));
            history.stores[which].clone()
        });
        acquire(&store, order);
        store.value
    }

    pub fn store(&self, value: T, order: Ordering) {
        if !is_modelled() {
            return self.with(|history| history.begin_with(value));
        }
        let message = send();
        let messages = Vec::from_iter(releases(order).then_some(message));
        self.with(|history| history.add(value, order, messages));
    }

    pub fn swap(&self, value: T, order: Ordering) -> T {
        self.update(order, order, |_| Some(value)).unwrap_or_else(|before| before)
    }

    pub fn fetch_update(&self, set: Ordering, fetch: Ordering, f: impl FnMut(T) -> Option<T>) -> Result<T, T> {
        self.update(set, fetch, f)
    }

    /// A read-modify-write operation: of the last value.
    fn update(&self, set: Ordering, fetch: Ordering, f: impl FnOnce(T) -> Option<T>) -> Result<T, T> {
        if !is_modelled() {
            return self.with(|history| {
                let before = history.last().value;
                f(before).map(|after| history.begin_with(after)).map_or(Err(before), |()| Ok(before))
            });
        }
        let message = send();
        let (before, is_set) = self.with(|history| {
            let before = history.last().clone();
            let which = history.stores.len() - 1;
            history.reads.push((Moment::now(), which));
            let after = f(before.value);
            if let Some(value) = after {
                let mut messages = before.messages.clone();
                messages.extend(releases(set).then_some(message));
                history.add(value, set, messages);
            }
            (before, after.is_some())
        });
        acquire(&before, if is_set { set } else { fetch });
        if is_set { Ok(before.value) } else { Err(before.value) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut History<T>) -> R) -> R {
        let mut history = self.history.borrow_mut();
        let history = history.get_or_insert_with(|| History::of(self.first));
        if history.scenario != scenario() {
            *history = History::of(history.last().value);
        }
        f(history)
    }
}

impl<T: Copy + PartialEq> Atomic<T> {
    pub fn compare_exchange(&self, from: T, to: T, set: Ordering, fetch: Ordering) -> Result<T, T> {
        self.update(set, fetch, |value| (value == from).then_some(to))
    }
}

macro_rules! arithmetic {
    ($($ty:ty)*) => {
        $(impl Atomic<$ty> {
            pub fn fetch_add(&self, by: $ty, order: Ordering) -> $ty {
                self.update(order, order, |value| Some(value.wrapping_add(by))).unwrap_or_else(|before| before)
            }

            pub fn fetch_sub(&self, by: $ty, order: Ordering) -> $ty {
                self.update(order, order, |value| Some(value.wrapping_sub(by))).unwrap_or_else(|before| before)
            }

            pub fn fetch_max(&self, other: $ty, order: Ordering) -> $ty {
                self.update(order, order, |value| Some(value.max(other))).unwrap_or_else(|before| before)
            }
        })*
    };
}

arithmetic!(i32 u32 u64 usize);

impl<T: Copy> History<T> {
    fn of(value: T) -> Self {
        let first = Store { value, at: None, is_sequential: true, messages: Vec::new() };
        Self { scenario: scenario(), stores: vec![first], reads: Vec::new() }
    }

    /// All that there was before counts no more.
    fn begin_with(&mut self, value: T) {
        *self = Self::of(value);
    }

    fn last(&self) -> &Store<T> {
        &self.stores[self.stores.len() - 1]
    }

    fn add(&mut self, value: T, order: Ordering, messages: Vec<Arc<Message>>) {
        self.stores.push(Store { value, at: Some(Moment::now()), is_sequential: order == SeqCst, messages });
    }

    /// The oldest store that this thread may read now.
    fn least(&self, order: Ordering) -> usize {
        let clock = current::clock();
        let is_known = |store: &Store<T>| store.at.is_none_or(|at| at.is_known(&clock));
        let is_bound = |store: &Store<T>| is_known(store) || order == SeqCst && store.is_sequential;
        let stored = self.stores.iter().rposition(is_bound).unwrap_or(0);
        let read = self.reads.iter().filter(|(at, _)| at.is_known(&clock)).map(|&(_, which)| which).max();
        stored.max(read.unwrap_or(0))
    }
}

/// False outside of a scenario, and where its remains are dropped.
fn is_modelled() -> bool {
    current::try_get_current_task().is_some() && !std::thread::panicking()
}

/// Another thread may go on here, and time passes; what this thread knows is for those who acquire it.
fn send() -> Arc<Message> {
    let message = Arc::new(Message::new(false));
    message.store(true, SeqCst);
    message
}

fn acquire<T>(store: &Store<T>, order: Ordering) {
    if matches!(order, Acquire | AcqRel | SeqCst) {
        store.messages.iter().for_each(|message| _ = message.load(SeqCst));
    }
}

fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}
