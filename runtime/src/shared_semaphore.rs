//! The payload of semaphores that other processes know too: an `eventfd`, in which each signal is one and each wait
//! takes one. Whoever has a descriptor of it has the same semaphore.
#![allow(unsafe_code, reason = "system calls on descriptors")]

use crate::error::{Error, Result};
use crate::status::Status;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// How long a wait sleeps, in milliseconds, before it looks whether its context has been terminated.
const LOOK_MS: i32 = 50;

/// Signals and waits that go through the system.
pub(crate) struct Payload(OwnedFd);

impl Payload {
    /// A new one, not signalled.
    ///
    /// # Errors
    /// `OutOfResources` ← the process has no descriptor left.
    pub(crate) fn new() -> Result<Self> {
        let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK | libc::EFD_SEMAPHORE;
        // SAFETY: takes numbers only.
        let fd = unsafe { libc::eventfd(0, flags) };
        ensure!(fd >= 0, Error::spec(Status::OutOfResources, "there is no file descriptor for a semaphore"));
        // SAFETY: just made, and nobody else's.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// That of another semaphore. The descriptor is ours from then on.
    ///
    /// # Errors
    /// `InvalidProperty` ← it is none of an `eventfd`; it stays the caller's.
    pub(crate) fn import(fd: i32) -> Result<Self> {
        const BAD: Error =
            Error::spec(Status::InvalidProperty, "the external semaphore handle is no descriptor of a semaphore");
        ensure!(fd >= 0, BAD);
        let kind = std::fs::read_link(format!("/proc/self/fd/{fd}")).map_err(|_| BAD)?;
        ensure!(kind.as_os_str() == "anon_inode:[eventfd]", BAD);
        // SAFETY: an open descriptor, as the link says; no memory is touched.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
        // A wait must be able to find that another one was faster.
        // SAFETY: as above.
        let is_set = flags >= 0 && unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) } == 0;
        ensure!(is_set, BAD);
        // SAFETY: the specification gives the descriptor to us.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// A descriptor for somebody else, who closes it.
    ///
    /// # Errors
    /// `OutOfResources` ← the process has no descriptor left.
    pub(crate) fn export(&self) -> Result<OwnedFd> {
        let none = Error::spec(Status::OutOfResources, "there is no file descriptor for a handle");
        self.0.try_clone().map_err(|_| none)
    }

    /// Whether a wait would go on.
    pub(crate) fn is_signalled(&self) -> bool {
        self.poll(0)
    }

    /// Lets one wait go on. One more than the counter holds is lost, which takes 2^64 signals that nobody waits for.
    pub(crate) fn signal(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight readable bytes, an open descriptor.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Takes a signal, as soon as there is one. Meanwhile `may_come` is asked now and then.
    ///
    /// # Errors
    /// Those of `may_come`; `OutOfResources` ← the descriptor is none any more: somebody else has closed it.
    pub(crate) fn wait(&self, may_come: impl Fn() -> Result<()>) -> Result<()> {
        let mut word = [0u8; 8];
        loop {
            // SAFETY: eight writable bytes, an open descriptor that does not block.
            let n = unsafe { libc::read(self.0.as_raw_fd(), word.as_mut_ptr().cast(), word.len()) };
            if n == 8 {
                return Ok(());
            }
            let error = std::io::Error::last_os_error().kind();
            let is_early = n < 0 && matches!(error, ErrorKind::WouldBlock | ErrorKind::Interrupted);
            ensure!(is_early, Error::spec(Status::OutOfResources, "the semaphore's descriptor has been closed"));
            may_come()?;
            self.poll(LOOK_MS);
        }
    }

    fn poll(&self, milliseconds: i32) -> bool {
        let mut fds = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one writable entry.
        unsafe { libc::poll(&raw mut fds, 1, milliseconds) == 1 && fds.revents & libc::POLLIN != 0 }
    }
}
