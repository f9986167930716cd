//! Live memory by address, and what was freed lately: buffers, sub-buffers, images, pipes, SVM and USM allocations
//! with the calls that made them. Filled while checks are on for the process, and from when it has a program with
//! checks; then objects have no numbers, since nobody has counted those before.

use super::host::{self, Call};
use crate::config::Config;
use crate::sync::{Mutex, Rank};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// `clCreateBuffer`.
    Buffer,
    /// `clCreateSubBuffer`.
    SubBuffer,
    /// `clCreateImage`.
    Image,
    /// `clCreatePipe`.
    Pipe,
    /// `clSVMAlloc`.
    Svm,
    /// `cl…MemAllocINTEL`.
    Usm,
    /// A local argument or variable.
    Local,
    /// A private variable.
    Private,
    /// A variable at program scope, constant or global.
    Variable,
    /// Anything else, such as an event.
    Other,
}

impl What {
    /// For people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::SubBuffer => "sub-buffer",
            Self::Image => "image",
            Self::Pipe => "pipe",
            Self::Svm => "SVM allocation",
            Self::Usm => "USM allocation",
            Self::Local => "local memory",
            Self::Private => "private variable",
            Self::Variable => "program-scope variable",
            Self::Other => "object",
        }
    }

    /// Memory without a handle, which is passed as an address.
    pub(super) const fn is_allocation(self) -> bool {
        matches!(self, Self::Svm | Self::Usm)
    }

    const fn n_kinds() -> usize {
        Self::Other as usize + 1
    }
}

/// An object, as a report shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub what: What,
    /// Name of the argument or variable; may be empty.
    pub name: String,
    /// First byte; 0 if it has no address that means anything.
    pub address: usize,
    /// What names it: the handle of a memory object, the address of an allocation; 0: nothing.
    pub key: usize,
    /// Bytes.
    pub size: usize,
    /// The how manieth of its kind the process made, from 1; 0: nobody has counted all.
    pub number: u32,
    /// How it was made.
    pub created: Option<Call>,
    /// How it was freed, if it was.
    pub freed: Option<Call>,
    /// Whether it is no more.
    pub is_freed: bool,
    /// Its memory is a part of the program's own.
    pub is_borrowed: bool,
}

impl Object {
    /// An object of a kernel.
    pub fn named(what: What, name: impl Into<String>, size: usize) -> Self {
        let name = name.into();
        Self {
            what,
            name,
            address: 0,
            key: 0,
            size,
            number: 0,
            created: None,
            freed: None,
            is_freed: false,
            is_borrowed: false,
        }
    }
}

impl fmt::Display for Object {
    /// `` `a`, buffer 3 of 400 bytes, made by clCreateBuffer at program+0x1234 (main) ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "`{}`, ", self.name)?;
        }
        write!(f, "{}", self.what.word())?;
        if self.number > 0 {
            write!(f, " {}", self.number)?;
        }
        if self.what != What::Other {
            write!(f, " of {} byte{}", self.size, if self.size == 1 { "" } else { "s" })?;
        }
        if let Some(call) = &self.created {
            write!(f, ", made by {call}")?;
        }
        if self.is_freed {
            write!(f, ", freed")?;
            if let Some(call) = &self.freed {
                write!(f, " by {call}")?;
            }
        }
        Ok(())
    }
}

/// Freed objects that are remembered.
pub(super) const FREED: usize = 1024;

#[derive(Default)]
struct Tables {
    /// By first byte and, because objects may begin at the same one, by a key.
    live: BTreeMap<(usize, usize), Object>,
    /// First bytes by key.
    keys: HashMap<usize, usize>,
    /// SVM and USM allocations among them, none of which overlap.
    allocations: BTreeSet<usize>,
    /// The largest object so far: how far back a search goes.
    largest: usize,
    /// The oldest first.
    freed: VecDeque<Object>,
    made: [u32; What::n_kinds()],
    /// Allocations that went with their context, never freed.
    abandoned: HashMap<(What, Call), Leak>,
}

/// What a call has made that was never freed.
#[derive(Clone, Debug, Default)]
pub(super) struct Leak {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: usize,
    /// The one that was made first, if it has a number.
    pub first: Option<Object>,
}

impl Leak {
    /// Counts one more; not every object has memory.
    pub fn add(&mut self, object: Option<&Object>) {
        self.count += 1;
        let Some(object) = object else { return };
        self.bytes = self.bytes.saturating_add(object.size);
        if self.first.as_ref().is_none_or(|first| object.number < first.number) {
            self.first = Some(object.clone());
        }
    }
}

impl Tables {
    /// Takes an object out that is no more.
    fn remove(&mut self, key: usize) -> Option<Object> {
        let address = self.keys.remove(&key)?;
        let object = self.live.remove(&(address, key))?;
        if object.what.is_allocation() {
            self.allocations.remove(&address);
        }
        Some(object)
    }
}

static TABLES: Mutex<Option<Tables>> = Mutex::new(Rank::Leaf, None);

/// Keeps the tables as they are, for the time of a fork.
#[allow(unsafe_code, reason = "a guard for the time of a fork")]
pub(crate) fn hold() -> Box<dyn std::any::Any> {
    // SAFETY: a static.
    Box::new(unsafe { TABLES.lock_for_fork() })
}

/// The process has or had a program with checks.
static HAS_CHECKED: AtomicBool = AtomicBool::new(false);

/// There is a program with checks: objects are noted from now on.
pub(crate) fn keep() {
    HAS_CHECKED.store(true, Relaxed);
}

/// Whether objects are noted for the sake of a program with checks.
pub(super) fn has_checked() -> bool {
    HAS_CHECKED.load(Relaxed)
}

/// Whether all objects are noted since the process began.
fn are_all_kept() -> bool {
    super::is_on() || Config::get().fault
}

/// Whether anybody will ask.
fn is_kept() -> bool {
    are_all_kept() || has_checked()
}

/// Notes a new object. `key` names it until it is freed: the address of a handle, or the allocation's own.
pub(crate) fn made(what: What, key: usize, address: usize, size: usize, is_borrowed: bool) {
    if !is_kept() {
        return;
    }
    let created = host::call();
    let mut tables = TABLES.lock();
    let tables = tables.get_or_insert_default();
    let made = &mut tables.made[what as usize];
    *made += 1;
    let number = if are_all_kept() { *made } else { 0 };
    let object = Object { address, key, number, created, is_borrowed, ..Object::named(what, "", size) };
    tables.largest = tables.largest.max(size);
    tables.keys.insert(key, address);
    if what.is_allocation() {
        tables.allocations.insert(address);
    }
    tables.live.insert((address, key), object);
}

/// Notes that an object is no more.
pub(crate) fn freed(key: usize) {
    if !is_kept() {
        return;
    }
    let call = host::call();
    let mut tables = TABLES.lock();
    let Some(tables) = &mut *tables else { return };
    let Some(object) = tables.remove(key) else { return };
    // The memory may be that of a buffer which is not known, and lives on.
    if !are_all_kept() && matches!(object.what, What::SubBuffer | What::Image) {
        return;
    }
    if tables.freed.len() == FREED {
        tables.freed.pop_front();
    }
    tables.freed.push_back(Object { freed: call, is_freed: true, ..object });
}

/// Nothing is known any more of what was freed with this key.
pub(super) fn forget(key: usize) {
    TABLES.lock().as_mut().into_iter().for_each(|tables| tables.freed.retain(|object| object.key != key));
}

/// An allocation is gone with its context.
pub(crate) fn gone(key: usize) {
    if !is_kept() {
        return;
    }
    let mut tables = TABLES.lock();
    let Some(tables) = &mut *tables else { return };
    if let Some(object) = tables.remove(key)
        && let Some(call) = object.created
    {
        tables.abandoned.entry((object.what, call)).or_default().add(Some(&object));
    }
}

/// SVM and USM allocations that have not been freed, by the calls that made them.
pub(super) fn never_freed() -> HashMap<(What, Call), Leak> {
    // A signal's handler may have called `exit` in the middle of anything.
    let Some(tables) = TABLES.try_lock() else { return HashMap::new() };
    let Some(tables) = &*tables else { return HashMap::new() };
    let mut all = tables.abandoned.clone();
    for object in tables.live.values().filter(|object| object.what.is_allocation()) {
        object.created.into_iter().for_each(|call| all.entry((object.what, call)).or_default().add(Some(object)));
    }
    all
}

/// The live objects with these keys, as far as they are known; none if somebody holds the table.
pub(super) fn try_by_keys(keys: &[usize]) -> Vec<Option<Object>> {
    let tables = TABLES.try_lock();
    let tables = tables.as_ref().and_then(|tables| tables.as_ref());
    let find = |key: &usize| tables.and_then(|tables| tables.live.get(&(*tables.keys.get(key)?, *key)).cloned());
    keys.iter().map(find).collect()
}

/// The object with this key: `Object::handle_address` of a memory object, or the address of an allocation.
pub fn by_key(key: usize) -> Option<Object> {
    let tables = TABLES.lock();
    let tables = tables.as_ref()?;
    let address = tables.keys.get(&key)?;
    tables.live.get(&(*address, key)).cloned()
}

/// The object with this key that was freed last.
pub fn freed_by_key(key: usize) -> Option<Object> {
    let tables = TABLES.lock();
    tables.as_ref()?.freed.iter().rev().find(|object| object.key == key).cloned()
}

/// The live object that an address lies in, the smallest if there are several; or else the one that was freed there
/// last.
pub fn at(address: usize) -> Option<Object> {
    that_holds(address, |_| true)
}

/// The same, but for sub-buffers and images, since whoever has a pointer there may have had it from the buffer, and for
/// memory of the program's own, which may go on beyond the buffer.
pub fn whole_at(address: usize) -> Option<Object> {
    that_holds(address, |object| !object.is_borrowed && !matches!(object.what, What::SubBuffer | What::Image))
}

/// The SVM or USM allocation that an address lies in, or else the one that was freed there last.
pub(super) fn allocation_at(address: usize) -> Option<Object> {
    let tables = TABLES.lock();
    let tables = tables.as_ref()?;
    let start = tables.allocations.range(..=address).next_back();
    let live = start.and_then(|&start| tables.live.get(&(start, start)));
    let freed = tables.freed.iter().rev().filter(|object| object.what.is_allocation());
    let holds = |object: &&Object| (object.address..object.address + object.size.max(1)).contains(&address);
    live.into_iter().chain(freed).find(holds).cloned()
}

/// Bytes of the live object that ends at this address, where another one begins; 0 if none does. A pointer there may be
/// of either.
pub(super) fn bytes_in_front_of(address: usize) -> usize {
    let tables = TABLES.lock();
    let before = tables.as_ref().and_then(|tables| tables.live.range(..(address, 0)).next_back());
    before.map_or(0, |(_, object)| if object.address + object.size == address { object.size } else { 0 })
}

fn that_holds(address: usize, is_meant: impl Fn(&Object) -> bool) -> Option<Object> {
    let tables = TABLES.lock();
    let tables = tables.as_ref()?;
    let holds =
        |object: &&Object| (object.address..object.address + object.size.max(1)).contains(&address) && is_meant(object);
    let from = address.saturating_sub(tables.largest);
    let near = tables.live.range((from, 0)..=(address, usize::MAX)).rev().map(|(_, object)| object);
    let live = near.filter(holds).min_by_key(|object| object.size);
    live.or_else(|| tables.freed.iter().rev().find(holds)).cloned()
}

/// The live object that is nearest to an address that lies in none, and how far it is from there: negative in front of
/// it, else from its end on.
pub fn nearest(address: usize) -> Option<(Object, i64)> {
    let tables = TABLES.lock();
    let tables = tables.as_ref()?;
    let before = tables.live.range(..=(address, usize::MAX)).next_back().map(|(_, object)| object);
    let behind = tables.live.range((address, usize::MAX)..).next().map(|(_, object)| object);
    let distance = |object: &Object| match address >= object.address {
        true => address.saturating_sub(object.address + object.size) as i64,
        false => -((object.address - address) as i64),
    };
    let found = [before, behind].into_iter().flatten().min_by_key(|object| distance(object).unsigned_abs())?;
    Some((found.clone(), distance(found)))
}
