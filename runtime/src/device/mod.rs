//! A device: its limits (`caps`), what it supports (`version`), how they are found out (`host_cpu`, `topology`), and
//! how it is split (`partition`).

mod arm;
pub mod caps;
pub mod host_cpu;
pub mod partition;
pub mod topology;
pub mod uuid;
pub mod version;

use crate::exec::pool::Pool;
use crate::object::{Body, Kind, Obj};
use caps::Caps;
use once_cell::sync::OnceCell;
use partition::{Part, Scheme};
use std::sync::Arc;

/// A root device or a sub-device.
pub struct Device {
    caps: Caps,
    part: Option<Part>,
    pool: OnceCell<Arc<Pool>>,
}

impl Body for Device {
    const KIND: Kind = Kind::Device;
}

impl Device {
    /// The device that stands for all of the machine's CPUs which this process may use.
    pub fn root() -> Self {
        Self { caps: Caps::probe(), part: None, pool: OnceCell::new() }
    }

    /// Limits and properties.
    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    /// The device that this one is a part of.
    pub fn parent(&self) -> Option<&Obj<Device>> {
        self.part.as_ref().map(|part| &part.parent)
    }

    /// How it was split off its parent, with the domain that was found if any would do.
    pub fn scheme(&self) -> Option<&Scheme> {
        self.part.as_ref().map(|part| &part.scheme)
    }

    /// Whether retain and release do nothing, as the specification says for root devices.
    pub fn is_root(&self) -> bool {
        self.part.is_none()
    }

    /// Nanoseconds of the clock that profiling uses (`clGetDeviceAndHostTimer`, both values).
    pub fn timer_ns(&self) -> u64 {
        clift_jit::clock::now_ns()
    }

    /// The worker threads, started at the first job that needs them.
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        let units = self.caps.max_compute_units as usize;
        self.pool.get_or_init(|| {
            Arc::new(match &self.part {
                None => Pool::new(units),
                Some(part) => Pool::apart(units, part.cpus()),
            })
        })
    }
}
