//! What every API object has: the two words that the ICD loader reads, a kind, and the API's own reference count. The
//! count is apart from `Arc`: while it is above zero one strong reference is kept for it, so a handle stays good while
//! anything inside holds the object, and a query of the count repeats exactly what callers did.
#![allow(unsafe_code, reason = "gives back the strong reference that is kept for the API's")]

use crate::check::{api, commands, handles, objects};
use crate::error::{Error, Result};
use crate::primitives::atomic::AtomicU32;
use crate::status::Status;
use smallvec::SmallVec;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::AcqRel, Ordering::Relaxed};

/// A shared API object.
pub type Obj<T> = Arc<Object<T>>;

/// What a handle points to. The value is in memory, so it is a number that stray memory is unlikely to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names of the API's object types")]
pub enum Kind {
    Platform = 0xC11F_7A01,
    Device = 0xC11F_7A02,
    Context = 0xC11F_7A03,
    Queue = 0xC11F_7A04,
    Mem = 0xC11F_7A05,
    Sampler = 0xC11F_7A06,
    Program = 0xC11F_7A07,
    Kernel = 0xC11F_7A08,
    Event = 0xC11F_7A09,
    CommandBuffer = 0xC11F_7A0A,
    MutableCommand = 0xC11F_7A0B,
    Semaphore = 0xC11F_7A0C,
}

impl Kind {
    /// All kinds, in declaration order.
    pub const ALL: [Self; 12] = [
        Self::Platform,
        Self::Device,
        Self::Context,
        Self::Queue,
        Self::Mem,
        Self::Sampler,
        Self::Program,
        Self::Kernel,
        Self::Event,
        Self::CommandBuffer,
        Self::MutableCommand,
        Self::Semaphore,
    ];

    /// The status of a bad handle where this kind is expected.
    pub const fn invalid_status(self) -> Status {
        match self {
            Self::Platform => Status::InvalidPlatform,
            Self::Device => Status::InvalidDevice,
            Self::Context => Status::InvalidContext,
            Self::Queue => Status::InvalidCommandQueue,
            Self::Mem => Status::InvalidMemObject,
            Self::Sampler => Status::InvalidSampler,
            Self::Program => Status::InvalidProgram,
            Self::Kernel => Status::InvalidKernel,
            Self::Event => Status::InvalidEvent,
            Self::CommandBuffer => Status::InvalidCommandBufferKhr,
            Self::MutableCommand => Status::InvalidMutableCommandKhr,
            Self::Semaphore => Status::InvalidSemaphoreKhr,
        }
    }

    /// Name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::Device => "device",
            Self::Context => "context",
            Self::Queue => "command queue",
            Self::Mem => "memory object",
            Self::Sampler => "sampler",
            Self::Program => "program",
            Self::Kernel => "kernel",
            Self::Event => "event",
            Self::CommandBuffer => "command-buffer",
            Self::MutableCommand => "mutable command",
            Self::Semaphore => "semaphore",
        }
    }

    const fn index(self) -> usize {
        (self as u32 - Self::Platform as u32) as usize
    }
}

/// The part of an object that differs from kind to kind.
pub trait Body: Send + Sync + Sized + 'static {
    /// Its kind.
    const KIND: Kind;
    /// Called once the last API reference is gone, before the object's own reference is dropped, with no lock held.
    fn last_release(_object: &Object<Self>) {}
}

/// An API object. The first two words belong to the ICD loader.
#[repr(C)]
pub struct Object<T: Body> {
    /// Address of the dispatch table.
    dispatch: usize,
    /// The loader's own word, see `set_loader_word`.
    loader: AtomicUsize,
    kind: Kind,
    /// API references. While there are any, one strong reference is kept for them, which no value stands for.
    refs: AtomicU32,
    body: T,
}

static DISPATCH: AtomicUsize = AtomicUsize::new(0);
static LOADER: AtomicUsize = AtomicUsize::new(0);
static LIVE: [AtomicI64; Kind::ALL.len()] = [const { AtomicI64::new(0) }; Kind::ALL.len()];

/// Sets the first word of all objects made from now on: the address of the C API's dispatch table. To be called before
/// any object exists.
pub fn set_dispatch_word(word: usize) {
    DISPATCH.store(word, Relaxed);
}

/// The word given to `set_dispatch_word`.
pub fn dispatch_word() -> usize {
    DISPATCH.load(Relaxed)
}

/// Sets the second word of all objects made from now on. Spec: cl_khr_icd, `clIcdSetPlatformDispatchDataKHR`.
pub fn set_loader_word(word: usize) {
    LOADER.store(word, Relaxed);
}

/// Objects alive now, by kind; kinds without any are left out. Platform and root device are always alive.
pub fn leak_report() -> SmallVec<[(Kind, u64); Kind::ALL.len()]> {
    let count = |kind: Kind| (kind, LIVE[kind.index()].load(Relaxed).max(0) as u64);
    Kind::ALL.into_iter().map(count).filter(|&(_, n)| n > 0).collect()
}

/// In debug builds, and where the API is checked, the kind of the live object at this address, for catching stale
/// handles. `None` in the outer option means that there is no live set.
pub fn live_kind(address: usize) -> Option<Option<Kind>> {
    if handles::is_on() { Some(handles::kind(address)) } else { live::kind(address) }
}

/// Keeps the live set of debug builds as it is, for the time of a fork.
pub(crate) fn hold_live() -> Option<Box<dyn Any>> {
    live::hold()
}

impl<T: Body> Object<T> {
    /// A new object with no API reference.
    pub fn new(body: T) -> Obj<T> {
        LIVE[T::KIND.index()].fetch_add(1, Relaxed);
        let object = Arc::new(Self {
            dispatch: DISPATCH.load(Relaxed),
            loader: AtomicUsize::new(LOADER.load(Relaxed)),
            kind: T::KIND,
            refs: AtomicU32::new(0),
            body,
        });
        live::insert(object.handle_address(), T::KIND);
        if handles::is_on() {
            handles::made(T::KIND, object.handle_address(), &object.refs);
        }
        object
    }

    /// The handle: the address of the object's first word. It takes no reference: see `into_handle`.
    pub fn handle_address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Adds one API reference and gives the pointer that becomes the C handle: what every create call ends with.
    pub fn into_handle(self: Arc<Self>) -> *const Self {
        let pointer = Arc::as_ptr(&self);
        if self.refs.fetch_add(1, Relaxed) == 0 {
            std::mem::forget(self);
        }
        pointer
    }

    /// Adds one API reference.
    ///
    /// # Errors
    /// `OutOfResources` if there are as many as can be counted: the next one would make it none.
    pub fn retain(self: &Arc<Self>) -> Result<()> {
        // The strong reference comes first: whoever takes the count back to zero may drop it at once.
        let strong = Arc::clone(self);
        match self.refs.fetch_update(Relaxed, Relaxed, |refs| refs.checked_add(1)) {
            Ok(0) => std::mem::forget(strong),
            Ok(_) => {}
            Err(_) => return Err(Error::spec(Status::OutOfResources, "there are more references than can be counted")),
        }
        Ok(())
    }

    /// Takes one API reference away; the last one drops the object unless something inside still holds it.
    ///
    /// # Errors
    /// `OverRelease` if there is none.
    pub fn release(self: &Arc<Self>) -> Result<()> {
        match self.refs.fetch_update(AcqRel, Relaxed, |refs| refs.checked_sub(1)) {
            Err(_) => {
                handles::over_released(T::KIND);
                return Err(Error::OverRelease { kind: T::KIND });
            }
            Ok(1) => {
                if handles::is_on() {
                    handles::released(self.handle_address(), Box::new(Arc::downgrade(self)));
                }
                T::last_release(self);
                // SAFETY: the count went from one to zero, so the strong reference that was kept when it left zero is
                // nobody's now; and there is the caller's.
                unsafe { Arc::decrement_strong_count(Arc::as_ptr(self)) };
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// API references: what `CL_…_REFERENCE_COUNT` says.
    pub fn reference_count(&self) -> u32 {
        self.refs.load(Relaxed)
    }

    /// The kind word.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The first word.
    pub fn dispatch(&self) -> usize {
        self.dispatch
    }

    /// Replaces this object's second word (`clIcdSetPlatformDispatchDataKHR` on the platform and its root device).
    pub fn set_own_loader_word(&self, word: usize) {
        self.loader.store(word, Relaxed);
    }
}

impl<T: Body> Deref for Object<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T: Body> Drop for Object<T> {
    fn drop(&mut self) {
        LIVE[T::KIND.index()].fetch_sub(1, Relaxed);
        live::remove(self.handle_address());
        if handles::is_on() {
            handles::gone(self.handle_address());
        }
        match T::KIND {
            Kind::Mem => objects::freed(self.handle_address()),
            Kind::Kernel if api::is_on() => api::kernel_gone(std::ptr::from_ref(&self.body).addr()),
            Kind::Queue if commands::is_on() => commands::queue_gone(self.handle_address()),
            _ => {}
        }
    }
}

#[cfg(debug_assertions)]
mod live {
    #![allow(unsafe_code, reason = "a guard for the time of a fork")]

    use super::Kind;
    use crate::sync::{Mutex, Rank};
    use std::any::Any;
    use std::collections::BTreeMap;

    static SET: Mutex<BTreeMap<usize, Kind>> = Mutex::new(Rank::Leaf, BTreeMap::new());

    pub fn hold() -> Option<Box<dyn Any>> {
        // SAFETY: a static.
        Some(Box::new(unsafe { SET.lock_for_fork() }))
    }
    pub fn insert(address: usize, kind: Kind) {
        SET.lock().insert(address, kind);
    }
    pub fn remove(address: usize) {
        SET.lock().remove(&address);
    }
    pub fn kind(address: usize) -> Option<Option<Kind>> {
        Some(SET.lock().get(&address).copied())
    }
}

#[cfg(not(debug_assertions))]
mod live {
    use super::Kind;
    use std::any::Any;
    pub fn hold() -> Option<Box<dyn Any>> {
        None
    }
    pub fn insert(_: usize, _: Kind) {}
    pub fn remove(_: usize) {}
    pub fn kind(_: usize) -> Option<Option<Kind>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Probe(Arc<()>);
    impl Body for Probe {
        const KIND: Kind = Kind::Sampler;
    }

    #[test]
    fn counts_repeat_what_the_caller_did() {
        let alive = Arc::new(());
        let object = Object::new(Probe(Arc::clone(&alive)));
        assert_eq!(object.reference_count(), 0);
        let inner = Arc::clone(&object);
        let handle = object.into_handle();
        assert_eq!(handle.addr(), inner.handle_address());
        assert_eq!(inner.retain(), Ok(()));
        assert_eq!(inner.reference_count(), 2);
        assert_eq!(inner.release(), Ok(()));
        assert_eq!(inner.release(), Ok(()));
        assert_eq!(inner.release(), Err(Error::OverRelease { kind: Kind::Sampler }));
        assert_eq!(Arc::strong_count(&alive), 2, "an inner holder keeps it");
        assert_eq!(inner.retain(), Ok(()));
        assert_eq!(inner.release(), Ok(()));
        drop(inner);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn as_many_references_as_can_be_counted_are_not_none() {
        let alive = Arc::new(());
        let object = Object::new(Probe(Arc::clone(&alive)));
        let inner = Arc::clone(&object);
        object.into_handle();
        inner.refs.store(u32::MAX - 1, Relaxed);
        assert_eq!(inner.retain(), Ok(()));
        let status = |result: Result<()>| result.map_err(|error| error.status());
        assert_eq!(status(inner.retain()), Err(Status::OutOfResources));
        assert_eq!(inner.reference_count(), u32::MAX);
        assert_eq!(inner.release(), Ok(()));
        assert_eq!((inner.retain(), inner.reference_count()), (Ok(()), u32::MAX));
        // All of these stand for one strong reference.
        inner.refs.store(1, Relaxed);
        assert_eq!(inner.release(), Ok(()));
        drop(inner);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn the_loader_words_come_first() {
        assert_eq!(std::mem::offset_of!(Object<Probe>, dispatch), 0);
        assert_eq!(std::mem::offset_of!(Object<Probe>, loader), size_of::<usize>());
        let _ = &Probe(Arc::new(())).0;
    }
}
