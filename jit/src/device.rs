//! Device-side enqueue: what kernels ask of the launch that they belong to while they run, and who answers.
//!
//! # Design
//!
//! Blocks are known when a program is compiled, since a block variable is constant and no function takes or returns
//! one. So `sema` makes a function of each literal, whose first parameters are what it captures, and resolves each use
//! to it: a call is a call. A block that is enqueued anywhere is a kernel as well (`KernelInfo::is_block`), with all
//! its parameters in the argument block, so that a child is launched as every kernel is, and `Op::Device` names it by
//! its number. There are no pointers to code, and nothing that a program could forge: queues and events are numbers,
//! which the launch looks up.
//!
//! One operation asks for everything (`DeviceFn`): it has side effects that are ordered, so work-items that run in
//! lanes ask one after the other. What pointers lead to is an operand of its own, so that passes see what is accessed.
//!
//! A barrier of all groups of a launch is such a question, too (`DeviceFn::Meet`).
//!
//! A worker enters a launch (`within`) before it calls code that asks (`KernelInfo::enqueues`); what happens then is
//! the business of the runtime's `queue::device`. Must not know KIR or OpenCL objects.
#![allow(
    unsafe_code,
    reason = "a pointer to the launch that the thread runs, and memory that generated code hands over"
)]

use std::cell::Cell;
use std::ptr::null;

/// What a kernel asks for. Words are those of `Asked::words`; an ND-range takes `RANGE_WORDS` of them: dimensions, then
/// offset, global and local size of three dimensions each, a local size of 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DeviceFn {
    /// `enqueue_kernel`: queue, flags, number of events, 1 if errors are told apart, an ND-range, then the sizes of the
    /// block's local arguments; an error, or 0.
    Enqueue,
    /// `enqueue_marker`: queue, number of events, 1 if errors are told apart; an error, or 0.
    Marker,
    /// `retain_event`: the event.
    Retain,
    /// `release_event`: the event.
    Release,
    /// `create_user_event`: the event, or 0.
    CreateUserEvent,
    /// `is_valid_event`: the event; 1 or 0.
    IsValid,
    /// `set_user_event_status`: the event, the status.
    SetStatus,
    /// `capture_event_profiling_info`: the event, what is wanted, where it goes.
    Capture,
    /// `get_default_queue`: the queue, or 0.
    DefaultQueue,
    /// `get_kernel_work_group_size`
    WorkGroupSize,
    /// `get_kernel_preferred_work_group_size_multiple`
    PreferredMultiple,
    /// `get_kernel_sub_group_count_for_ndrange`: an ND-range.
    SubGroupCount,
    /// `get_kernel_max_sub_group_size_for_ndrange`: an ND-range.
    MaxSubGroupSize,
    /// What a work-item of each group asks in `intel_device_barrier`: the answer comes when all groups have asked.
    /// Spec: cl_intel_concurrent_dispatch.
    Meet,
    /// `intel_is_device_barrier_valid`: 1 or 0.
    CanMeet,
}

/// Words of an ND-range.
pub const RANGE_WORDS: usize = 10;

impl DeviceFn {
    /// All, by number.
    pub const ALL: [Self; 15] = [
        Self::Enqueue,
        Self::Marker,
        Self::Retain,
        Self::Release,
        Self::CreateUserEvent,
        Self::IsValid,
        Self::SetStatus,
        Self::Capture,
        Self::DefaultQueue,
        Self::WorkGroupSize,
        Self::PreferredMultiple,
        Self::SubGroupCount,
        Self::MaxSubGroupSize,
        Self::Meet,
        Self::CanMeet,
    ];

    /// Its name in texts of KIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue_kernel",
            Self::Marker => "enqueue_marker",
            Self::Retain => "retain_event",
            Self::Release => "release_event",
            Self::CreateUserEvent => "create_user_event",
            Self::IsValid => "is_valid_event",
            Self::SetStatus => "set_user_event_status",
            Self::Capture => "capture_event_profiling_info",
            Self::DefaultQueue => "get_default_queue",
            Self::WorkGroupSize => "get_kernel_work_group_size",
            Self::PreferredMultiple => "get_kernel_preferred_work_group_size_multiple",
            Self::SubGroupCount => "get_kernel_sub_group_count_for_ndrange",
            Self::MaxSubGroupSize => "get_kernel_max_sub_group_size_for_ndrange",
            Self::Meet => "meet_groups",
            Self::CanMeet => "can_meet_groups",
        }
    }

    /// True for those that are about queues, events and blocks.
    pub fn is_for_enqueuing(self) -> bool {
        !matches!(self, Self::Meet | Self::CanMeet)
    }

    /// True for those that are about a block.
    pub fn is_about_block(self) -> bool {
        matches!(
            self,
            Self::Enqueue | Self::WorkGroupSize | Self::PreferredMultiple | Self::SubGroupCount | Self::MaxSubGroupSize
        )
    }

    /// Words in front of a block's local arguments.
    fn n_words(self) -> usize {
        match self {
            Self::Enqueue => 6 + RANGE_WORDS,
            Self::Marker => 3,
            Self::Retain | Self::Release | Self::IsValid => 1,
            Self::SetStatus => 2,
            Self::Capture => 3,
            Self::SubGroupCount | Self::MaxSubGroupSize => RANGE_WORDS,
            Self::CreateUserEvent | Self::DefaultQueue | Self::WorkGroupSize | Self::PreferredMultiple => 0,
            Self::Meet | Self::CanMeet => 0,
        }
    }

    /// With the number of a kernel as one word.
    pub(crate) fn code(self, kernel: u32) -> u64 {
        u64::from(kernel) << 8 | self as u64
    }
}

/// A question of a work-item.
pub struct Asked<'a> {
    /// Which.
    pub what: DeviceFn,
    /// The kernel that the block is, if it is about one: a number in `Program::kernels`.
    pub kernel: usize,
    /// As `DeviceFn` says.
    pub words: &'a [u64],
    /// Sizes of local arguments, in bytes.
    pub sizes: &'a [u64],
    /// The events to wait for; none if the pointer is null.
    pub waits: Option<&'a [u64]>,
    /// Where an event goes; none if the pointer is null.
    pub event: Option<&'a mut u64>,
    /// The kernel's argument block with what was captured.
    pub block: &'a [u8],
}

/// A launch that answers.
pub trait Launcher {
    /// Does what is asked for.
    fn ask(&self, asked: Asked<'_>) -> u64;
}

thread_local!(static LAUNCHER: Cell<*const dyn Launcher> = const { Cell::new(null::<Nobody>()) });

/// Stands for no launch, by its type only.
struct Nobody;

impl Launcher for Nobody {
    fn ask(&self, _: Asked<'_>) -> u64 {
        0
    }
}

/// Runs generated code whose questions go to `launcher`.
pub fn within<R>(launcher: &dyn Launcher, run: impl FnOnce() -> R) -> R {
    struct Restore(*const dyn Launcher);
    impl Drop for Restore {
        fn drop(&mut self) {
            LAUNCHER.set(self.0);
        }
    }
    // SAFETY: only the lifetime is forgotten; the pointer is taken back before this function ends.
    let launcher = unsafe { std::mem::transmute::<*const dyn Launcher, *const (dyn Launcher + 'static)>(launcher) };
    let _restore = Restore(LAUNCHER.replace(launcher));
    run()
}

/// `Op::Device`: `words` begin with what `DeviceFn` says; for `Enqueue`, behind the number of local arguments and the
/// bytes of the argument block. Pointers that are not used are null.
pub(crate) extern "C" fn call_words(
    words: *const u64,
    waits: *const u64,
    event: *mut u64,
    block: *const u8,
    asked: u64,
) -> u64 {
    let launcher = LAUNCHER.get();
    // SAFETY: `within` is running on this thread, and so the launch lives; else the pointer is null.
    let Some(launcher) = (unsafe { launcher.as_ref() }) else { return 0 };
    let Some(&what) = DeviceFn::ALL.get((asked & 0xff) as usize) else { return 0 };
    // SAFETY: lowering has packed so many words.
    let words = unsafe { slice(words, what.n_words()) };
    let (head, words) = words.split_at(if what == DeviceFn::Enqueue { 2 } else { 0 });
    let (n_sizes, n_bytes) = head.first().zip(head.last()).map_or((0, 0), |(&n, &bytes)| (n as usize, bytes as usize));
    let n_waits = match what {
        DeviceFn::Enqueue => words[2],
        DeviceFn::Marker => words[1],
        _ => 0,
    };
    // SAFETY: the sizes follow the words. What the program's pointers lead to is as it says, or null.
    let (sizes, waits, event, block) = unsafe {
        let sizes = slice(words.as_ptr_range().end, n_sizes);
        let waits = (!waits.is_null()).then(|| slice(waits, n_waits as u32 as usize));
        (sizes, waits, event.as_mut(), slice(block, n_bytes))
    };
    launcher.ask(Asked { what, kernel: (asked >> 8) as usize, words, sizes, waits, event, block })
}

/// # Safety
/// There are so many values, or none if the pointer is null.
unsafe fn slice<'a, T>(at: *const T, n: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if at.is_null() || n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, n) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Listen(Mutex<Vec<String>>);

    impl Launcher for Listen {
        fn ask(&self, asked: Asked<'_>) -> u64 {
            let Asked { what, kernel, words, sizes, waits, event, block } = asked;
            self.0.lock().unwrap().push(format!("{what:?} {kernel} {words:?} {sizes:?} {waits:?} {block:?}"));
            event.map_or(1, |event| std::mem::replace(event, 5))
        }
    }

    #[test]
    fn questions_go_to_the_launch_that_the_thread_runs() {
        let launch = Listen::default();
        let mut event = 7;
        let words: Vec<u64> = [2, 3, 10, 11, 1, 0, 1].into_iter().chain([0; 9]).chain([64, 32]).collect();
        within(&launch, || {
            let asked = DeviceFn::Enqueue.code(4);
            assert_eq!(call_words(words.as_ptr(), [99].as_ptr(), &raw mut event, [1, 2, 3].as_ptr(), asked), 7);
            assert_eq!(call_words([8, 9].as_ptr(), null(), null_mut(), null(), DeviceFn::SetStatus.code(0)), 1);
        });
        assert_eq!(event, 5);
        assert_eq!(call_words(null(), null(), null_mut(), null(), DeviceFn::DefaultQueue.code(0)), 0, "nobody");
        let expected = [
            "Enqueue 4 [10, 11, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] [64, 32] Some([99]) [1, 2, 3]",
            "SetStatus 0 [8, 9] [] None []",
        ];
        assert_eq!(*launch.0.into_inner().unwrap(), expected);
    }
}
