//! Sub-devices: parts of a device, each with its own workers on its own CPUs. Spec: OpenCL API, "Partitioning a
//! Device".

use super::Device;
use super::topology::{Domain, Topology};
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::status::Status;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// How to split a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As many parts as there can be with this many compute units each.
    Equally(usize),
    /// One part for each count of compute units.
    ByCounts(Vec<usize>),
    /// Parts whose compute units share this.
    ByDomain(Domain),
    /// By the first domain, from the outside in, that splits the device.
    NextPartitionable,
}

/// What a sub-device is a part of.
pub(super) struct Part {
    pub(super) parent: Obj<Device>,
    pub(super) scheme: Scheme,
    /// Its first compute unit, counted in the root device.
    start: usize,
}

impl Part {
    /// The CPUs of its `count` compute units; none if the machine does not say.
    pub(super) fn cpus(&self, count: usize) -> Vec<usize> {
        Topology::get().cpu_ids(self.start..self.start + count, self.parent.n_root_units())
    }
}

impl Device {
    /// Whether all devices compute on the same NUMA nodes.
    pub(crate) fn share_nodes(devices: &[Obj<Self>]) -> bool {
        let nodes = |device: &Self| {
            let units = device.start()..device.start() + device.n_units();
            Topology::get().nodes(units, device.n_root_units())
        };
        match devices {
            [] | [_] => true,
            [first, rest @ ..] => {
                let theirs = nodes(first);
                rest.iter().all(|device| nodes(device) == theirs)
            }
        }
    }

    fn n_units(&self) -> usize {
        self.caps.max_compute_units as usize
    }

    fn n_root_units(&self) -> usize {
        self.parent().map_or(self.n_units(), |parent| parent.n_root_units())
    }

    /// The first compute unit in the root device.
    fn start(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.start)
    }

    /// `CL_DEVICE_PARTITION_MAX_SUB_DEVICES`: a single compute unit cannot be split.
    pub fn max_sub_devices(&self) -> usize {
        if self.n_units() > 1 { self.n_units() } else { 0 }
    }

    /// Domains that split it in two or more (`CL_DEVICE_PARTITION_AFFINITY_DOMAIN`).
    pub fn domains(&self) -> impl Iterator<Item = Domain> {
        Domain::ALL.into_iter().filter(|&domain| !self.split(domain).is_empty())
    }

    fn split(&self, domain: Domain) -> Vec<usize> {
        Topology::get().split(domain, self.start(), self.n_units(), self.n_root_units())
    }
}

/// A valid split of a device that has not been made yet.
pub struct Partition {
    device: Obj<Device>,
    scheme: Scheme,
    counts: Vec<usize>,
}

impl Partition {
    /// Checks a scheme.
    ///
    /// # Errors
    /// `InvalidValue` ← parts without compute units; `DevicePartitionFailed` ← the device cannot be split so;
    /// `InvalidDevicePartitionCount` ← the counts ask for more than there is.
    pub fn new(device: &Obj<Device>, scheme: Scheme) -> Result<Self> {
        let n_units = device.n_units();
        let empty = Error::spec(Status::InvalidValue, "values specified in properties are not valid");
        let failed = Error::spec(Status::DevicePartitionFailed, "in_device could not be further partitioned");
        let too_many = Error::spec(
            Status::InvalidDevicePartitionCount,
            "the total number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS",
        );
        let (scheme, counts) = match scheme {
            Scheme::Equally(size) => {
                ensure!(size > 0, empty);
                ensure!(size <= n_units, too_many);
                // One part that is the whole is none.
                ensure!(size < n_units, failed);
                (scheme, vec![size; n_units / size])
            }
            Scheme::ByCounts(counts) => {
                ensure!(!counts.is_empty() && !counts.contains(&0), empty);
                let total = counts.iter().fold(0usize, |sum, &n| sum.saturating_add(n));
                ensure!(total <= n_units, too_many);
                ensure!(n_units > 1, failed);
                (Scheme::ByCounts(counts.clone()), counts)
            }
            Scheme::ByDomain(domain) => (scheme, device.split(domain)),
            Scheme::NextPartitionable => match device.domains().next() {
                Some(domain) => (Scheme::ByDomain(domain), device.split(domain)),
                None => (scheme, Vec::new()),
            },
        };
        ensure!(!counts.is_empty(), failed);
        Ok(Self { device: Arc::clone(device), scheme, counts })
    }

    /// How many sub-devices it makes.
    pub fn n_devices(&self) -> usize {
        self.counts.len()
    }

    /// Makes them, in the order of their compute units.
    pub fn create(self) -> Vec<Obj<Device>> {
        let mut start = self.device.start();
        let part = |count: usize| {
            let caps = super::Caps { max_compute_units: count as u32, ..self.device.caps.clone() };
            let part = Part { parent: Arc::clone(&self.device), scheme: self.scheme.clone(), start };
            start += count;
            Object::new(Device { caps, part: Some(part), pool: OnceCell::new() })
        };
        self.counts.iter().copied().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::caps::Caps;

    fn device(units: u32) -> Obj<Device> {
        let caps = Caps { max_compute_units: units, ..Caps::probe() };
        Object::new(Device { caps, part: None, pool: OnceCell::new() })
    }

    fn units(devices: &[Obj<Device>]) -> Vec<(usize, usize)> {
        devices.iter().map(|d| (d.start(), d.n_units())).collect()
    }

    fn code(device: &Obj<Device>, scheme: Scheme) -> Status {
        Partition::new(device, scheme).map(|_| ()).expect_err("must be refused").status()
    }

    #[test]
    fn parts_do_not_overlap() {
        let root = device(8);
        let halves = Partition::new(&root, Scheme::Equally(3)).expect("valid").create();
        assert_eq!(units(&halves), [(0, 3), (3, 3)], "two units are left over");
        let parts = Partition::new(&root, Scheme::ByCounts(vec![1, 5, 2])).expect("valid").create();
        assert_eq!(units(&parts), [(0, 1), (1, 5), (6, 2)]);
        let again = Partition::new(&parts[1], Scheme::ByCounts(vec![2, 3])).expect("valid").create();
        assert_eq!(units(&again), [(1, 2), (3, 3)]);
        assert_eq!(again[1].parent().map(|d| d.handle_address()), Some(parts[1].handle_address()));
        assert_eq!(again[1].n_root_units(), 8);
        assert_eq!(again[1].scheme(), Some(&Scheme::ByCounts(vec![2, 3])));
    }

    #[test]
    fn impossible_splits_have_their_codes() {
        let (root, single) = (device(4), device(1));
        assert_eq!(code(&root, Scheme::Equally(0)), Status::InvalidValue);
        assert_eq!(code(&root, Scheme::Equally(4)), Status::DevicePartitionFailed);
        assert_eq!(code(&root, Scheme::Equally(5)), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&single, Scheme::Equally(1)), Status::DevicePartitionFailed);
        assert_eq!(code(&root, Scheme::ByCounts(vec![])), Status::InvalidValue);
        assert_eq!(code(&root, Scheme::ByCounts(vec![3, 2])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&root, Scheme::ByCounts(vec![usize::MAX, 2])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&root, Scheme::ByCounts(vec![1; 5])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&single, Scheme::NextPartitionable), Status::DevicePartitionFailed);
        assert_eq!((single.max_sub_devices(), root.max_sub_devices()), (0, 4));
        for domain in Domain::ALL {
            let is_split = root.domains().any(|d| d == domain);
            assert_eq!(Partition::new(&root, Scheme::ByDomain(domain)).is_ok(), is_split);
        }
    }
}
